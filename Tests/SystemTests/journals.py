"""Files of all transactions, as programs read them that are not ours."""

import csv
import io
import json
import re
import subprocess
from collections import defaultdict
from decimal import Decimal
from typing import Any

from client import Api

#: Balances by account, each by currency.
Balances = dict[str, dict[str, Decimal]]


def file_of(person: Api, form: str, **filters: Any) -> str:
    answer = person.send("GET", "/v1/transactions", params={"format": form} | filters)
    assert answer.status_code == 200, answer.text
    kind = {"csv": "text/csv", "journal": "text/plain"}[form]
    assert answer.headers["content-type"].startswith(f"{kind}; charset=utf-8")
    assert f".{form}" in answer.headers["content-disposition"]
    return answer.content.decode("utf-8-sig" if form == "csv" else "utf-8")


def table(person: Api, **filters: Any) -> list[dict[str, str]]:
    text = file_of(person, "csv", **filters)
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def hledger(journal: str, *arguments: str) -> str:
    done = subprocess.run(
        ["hledger", "-f", "-", *arguments],  # noqa: S607  # as Debian installs it
        input=journal, capture_output=True, encoding="utf-8", timeout=60,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def balances(journal: str) -> Balances:
    """What hledger makes of a journal, without what is zero."""
    rows, _ = json.loads(hledger(journal, "balance", "-N", "--flat", "-O", "json"))
    found: Balances = {}
    for name, _, _, amounts in rows:
        # One currency at several costs comes several times.
        sums: dict[str, Decimal] = defaultdict(Decimal)
        for one in amounts:
            quantity = one["aquantity"]
            units = Decimal(quantity["decimalMantissa"])
            sums[one["acommodity"]] += units.scaleb(-quantity["decimalPlaces"])
        found[name] = {currency: amount for currency, amount in sums.items() if amount}
    return found


def safe(name: str) -> str:
    """An account's name as a journal may have it."""
    name = name.translate(str.maketrans(':;[]{}|\\"', "-,()()//'"))
    return re.sub(r"\s+", " ", name).strip() or "Unnamed"
