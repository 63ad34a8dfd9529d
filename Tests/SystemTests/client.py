"""A client as a person outside would write it: HTTPS, JSON, retries with the same key."""

import email
import email.policy
import re
import ssl
import time
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx

from examples import FOLDER, RECORDER
from suite.suite import Suite

#: What a client may try again: nobody knows whether the call arrived, and the key tells.
TRANSIENT = {502, 503, 504}
RETRY_SECONDS = 20.0


#: Who answers, for asking its replicas one by one.
SERVICES = {
    "/v1/users/me": "AUTH", "/v1/sessions": "AUTH", "/.well-known/jwks.json": "AUTH",
    "/v1/accounts": "LEDGER", "/v1/exchange-rates": "LEDGER", "/v1/groups": "GROUPS",
    "/v1/notifications": "NOTIFICATIONS",
}  # fmt: skip


class Unexpected(AssertionError):
    """An answer other than the one that was expected."""


class Api:
    """Calls through the gateway, as somebody or nobody."""

    def __init__(self, suite: Suite, token: str | None = None):
        self.suite, self.token = suite, token
        trust = ssl.create_default_context(cafile=str(suite.folder / "tls" / "ca.pem"))
        self.http = httpx.Client(
            base_url=suite.address, verify=trust, timeout=15.0, trust_env=False
        )
        self.retries = 0

    def send(
        self, method: str, path: str, *, key: str | None = None, json: Any = None,
        headers: dict[str, str] | None = None, retry: bool = True, **options: Any,
    ) -> httpx.Response:  # fmt: skip
        """One call, repeated with its key while the answer is a 502, 503, 504 or none at all."""
        all_headers = dict(headers or {})
        if self.token:
            all_headers.setdefault("Authorization", f"Bearer {self.token}")
        if method == "POST":
            all_headers.setdefault("Idempotency-Key", key or str(uuid.uuid4()))
        if json is not None:
            options["json"] = json
        deadline = time.monotonic() + RETRY_SECONDS
        while True:
            try:
                answer = self.http.request(method, path, headers=all_headers, **options)
                if not retry or answer.status_code not in TRANSIENT:
                    if FOLDER:
                        RECORDER.note(self.document, method, path, json, answer)
                    return answer
            except httpx.TransportError:
                if not retry or time.monotonic() > deadline:
                    raise
                answer = None
            if answer is not None and time.monotonic() > deadline:
                return answer
            self.retries += 1
            time.sleep(0.05)

    def document(self) -> Any:
        """The OpenAPI document."""
        return self.http.get("/openapi.json").json()

    def call(self, method: str, path: str, status: int, **options: Any) -> Any:
        """A call that must be answered with `status`; its JSON, or None."""
        answer = self.send(method, path, **options)
        if answer.status_code != status:
            raise Unexpected(
                f"{method} {path}: {answer.status_code}, not {status}: {answer.text[:2000]}"
            )
        return answer.json() if answer.content else None

    def get(self, path: str, **params: Any) -> Any:
        return self.call("GET", path, 200, params=params)

    def post(self, path: str, json: Any = None, status: int = 201, **options: Any) -> Any:
        return self.call("POST", path, status, json=json, **options)

    def problem(self, method: str, path: str, status: int, code: str, **options: Any) -> Any:
        """A call that must be refused, with the problem document that says so."""
        answer = self.send(method, path, **options)
        if answer.status_code != status:
            raise Unexpected(
                f"{method} {path}: {answer.status_code}, not {status}: {answer.text[:2000]}"
            )
        assert answer.headers["content-type"].startswith("application/problem+json")
        body = answer.json()
        assert body["status"] == status and body["code"] == code, body
        assert body["title"] and body["type"] and body["traceId"]
        return body

    def pages(self, path: str, **params: Any) -> Iterator[dict[str, Any]]:
        """Every item of a list, page by page."""
        while True:
            page = self.get(path, **params)
            yield from page["items"]
            if "nextCursor" not in page:
                return
            params["cursor"] = page["nextCursor"]


def of_each_replica(suite: Suite, path: str, token: str | None = None) -> list[httpx.Response]:
    """What each replica answers at its own port: the gateway may ask the quicker one each time."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    ports = [suite.ports[f"{SERVICES[path]}_{replica}"] for replica in (1, 2)]
    # Without TLS; its context would take longer than the call.
    return [
        httpx.get(
            f"http://127.0.0.1:{port}{path}", headers=headers, verify=False,  # noqa: S501
            trust_env=False, timeout=15,
        )
        for port in ports
    ]  # fmt: skip


class Person(Api):
    """Somebody with an account."""

    def __init__(self, suite: Suite, **fields: Any):
        super().__init__(suite)
        self.password = fields.pop("password", "correct-horse-battery-7")
        own = {key: fields.pop(key) for key in ("username", "email") if key in fields}
        while True:
            name = f"p{uuid.uuid4().hex[:12]}"
            self.username = own.get("username", name)
            self.email = own.get("email", f"{name}@example.org")
            body = {"email": self.email, "password": self.password, "username": self.username}
            answer = self.send("POST", "/v1/users", json=body | fields)
            # Tokens are kept under no key: one whose answer was lost is registered, and nobody's.
            if answer.status_code != 409 or not self.retries or own:
                break
        if answer.status_code != 201:
            raise Unexpected(f"POST /v1/users: {answer.status_code}, not 201: {answer.text}")
        self.registration = answer.json()
        self.take(session_of(self.registration))
        self.user = user_of(self.registration)
        self.id = self.user["id"]

    def take(self, session: dict[str, Any]) -> None:
        """Goes on with the tokens of a session."""
        self.token, self.refresh_token = session["accessToken"], session["refreshToken"]

    def verify_email(self) -> None:
        """Follows the link of the confirmation mail."""
        (mail,) = eventually(
            lambda: [one for one in mails(self.suite, self.email) if "Confirm" in one["Subject"]]
        )
        self.call("POST", f"/v1/email-verifications/{link_token(mail)}", 204)


def session_of(answer: dict[str, Any]) -> dict[str, Any]:
    """The session in an answer to a registration or a log-in."""
    return answer.get("session", answer)


def user_of(answer: dict[str, Any]) -> dict[str, Any]:
    """The user in an answer to a registration."""
    return answer.get("user", answer)


def money(amount: str, currency: str = "EUR") -> dict[str, str]:
    """A sum as the API writes it."""
    return {"amount": amount, "currency": currency}


def value(sum_of_money: dict[str, str]) -> Decimal:
    """The number of a sum."""
    return Decimal(sum_of_money["amount"])


def eventually(
    read: Callable[[], Any], seconds: float = 30.0, until: Callable[[Any], bool] = bool
) -> Any:
    """What `read` gives once `until` holds of it: by default within twice the 15 s after which an
    event whose consumer died is delivered to another."""
    deadline = time.monotonic() + seconds
    while True:
        found = read()
        if until(found):
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s; last seen: {found!r}")
        time.sleep(0.05)


def outbox(suite: Suite, recipient: str, kind: str) -> list[Path]:
    """What was delivered to somebody, oldest first."""
    safe = re.sub(r"[^A-Za-z0-9@+._-]", "_", recipient)
    return sorted((suite.folder / "outbox").glob(f"*-{safe}.{kind}"))


def mails(suite: Suite, recipient: str) -> list[email.message.EmailMessage]:
    """The mails to an address, oldest first."""
    return [
        email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        for path in outbox(suite, recipient, "eml")
    ]


def sms_code(suite: Suite, phone: str, count: int = 1) -> str:
    """The six digits in the newest message to a phone, once `count` have come."""
    texts = eventually(lambda: outbox(suite, phone, "sms"), until=lambda all: len(all) >= count)
    return re.search(r"\b(\d{6})\b", texts[-1].read_text()).group(1)


def mail_text(message: email.message.EmailMessage) -> str:
    """The plain text of a mail."""
    return message.get_body(("plain",)).get_content()


def link_token(message: email.message.EmailMessage) -> str:
    """The token in the link of a confirmation mail."""
    return re.search(r"[A-Za-z0-9_-]{32,}", mail_text(message)).group(0)


def mailed_proof(suite: Suite, api: Api, email: str) -> dict[str, Any]:
    """What a step-up by a mailed code answers."""
    challenge = api.post("/v1/challenges", {"purpose": "step-up", "channel": "email"}, status=202)
    found = eventually(lambda: [m for m in mails(suite, email) if "code" in m["Subject"].lower()])
    code = next(word for word in mail_text(found[-1]).split() if word.isdigit())
    return api.post(f"/v1/challenges/{challenge['id']}/answers", {"code": code})
