"""Transactions that come again."""

import datetime

from client import Person, money


def today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def begin(person: Person, account: str, amount: str, days_ago: int, **rule: object) -> dict:
    """A recurring transaction whose first day was a while ago; its schedule."""
    body = {
        "accountId": account, "amount": money(amount), "name": "rent",
        "date": (today() - datetime.timedelta(days=days_ago)).isoformat(),
        "recurrence": {"every": 1, "unit": "day"} | rule,
    }  # fmt: skip
    made = person.post("/v1/transactions", body)
    found = person.get("/v1/recurrences")["items"]
    return next(
        item for item in found if item["startDate"] == body["date"] and item["accountId"] == account
    ) | {"first": made["id"]}
