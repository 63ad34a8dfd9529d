"""A forgotten password."""

import re

from client import Api, eventually, mail_text, mails
from suite.suite import Suite

NEXT = "another-battery-staple-9"


def begin(api: Api, email: str) -> str:
    return api.post("/v1/password-recoveries", {"email": email}, status=202)["id"]


def mailed_code(suite: Suite, email: str, recovery: str) -> str:
    """The eight digits in the mail of a recovery."""
    found = eventually(lambda: [m for m in mails(suite, email) if recovery in mail_text(m)])
    return re.search(r"\b(\d{8})\b", mail_text(found[-1])).group(1)
