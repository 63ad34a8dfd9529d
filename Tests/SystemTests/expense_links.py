"""Expenses that somebody pays from an account of their own, for tests of what is in whose books."""

import uuid
from decimal import Decimal
from typing import Any

from actions import Group, balance_of, current
from client import Person, eventually, money, value
from faults import restart
from suite.suite import Suite


class Shared:
    """Ada pays for three from her account."""

    def __init__(self, suite: Suite, funds: str = "1000.00"):
        self.suite = suite
        self.group = Group(suite)
        self.ada, self.bob = self.group.ada, self.group.bob
        self.purse = current(self.ada, "EUR", funds)
        self.path = f"{self.group.path}/expenses"

    def body(self, amount: str = "30.00", **fields: Any) -> dict[str, Any]:
        parts = [{"memberId": member} for member in self.group.members]
        split = {"kind": "equal", "parts": parts}
        rest = {"name": "Dinner", "amount": money(amount), "split": split}
        return rest | {"accountId": self.purse["id"]} | fields

    def add(self, amount: str = "30.00", **fields: Any) -> dict[str, Any]:
        return self.ada.post(self.path, self.body(amount, **fields))

    def refused(self, status: int, code: str, **fields: Any) -> dict[str, Any]:
        body = {name: said for name, said in self.body(**fields).items() if said is not None}
        key = str(uuid.uuid4())
        return self.ada.problem("POST", self.path, status, code, json=body, key=key)

    def at(self, expense: dict[str, Any]) -> str:
        return f"{self.path}/{expense['id']}"

    def link(self, expense: dict[str, Any], who: Person | None = None) -> dict[str, Any] | None:
        return (who or self.ada).get(self.at(expense)).get("link")

    def state(self, expense: dict[str, Any]) -> str | None:
        return (self.link(expense) or {}).get("state")

    def left(self) -> Decimal:
        return balance_of(self.ada, self.purse)

    def rows(self) -> list[dict[str, Any]]:
        """Of Ada's account, without what it was opened with."""
        rows = self.ada.pages("/v1/transactions", accountId=self.purse["id"], limit=200)
        return [row for row in rows if value(row["amount"]) != 1000]

    def expenses(self) -> list[dict[str, Any]]:
        return list(self.bob.pages(self.path, limit=200))

    def settle(self, amount: str, **fields: Any) -> dict[str, Any]:
        body = {
            "withMemberId": self.group.of_bob, "amount": money(amount),
            "accountId": self.purse["id"],
        }  # fmt: skip
        return self.ada.post(f"{self.group.path}/settlements", body | fields)


def groups_psql(suite: Suite, statement: str) -> str:
    return suite.postgres.psql("-At", "-c", statement, database="ezwallet_groups").strip()


def hasten(suite: Suite) -> None:
    """Nobody waits for what is under way any more."""
    groups_psql(
        suite,
        "update groups.ledger_link set look_at = now() - interval '1 minute' "
        "where look_at is not null",
    )


def under_way(suite: Suite, group: Group | None = None) -> bool:
    """Whether anything is, in all groups or in one."""
    left = "select count(*) from groups.ledger_link where look_at is not null"
    return groups_psql(suite, left + (f" and group_id = '{group.id}'" if group else "")) != "0"


def finish(suite: Suite, seconds: float = 40) -> None:
    def look() -> bool:
        hasten(suite)
        return under_way(suite)

    eventually(look, seconds, until=lambda left: not left)


def kill(suite: Suite, service: str) -> None:
    """Both replicas, which are up again afterwards."""
    for replica in (1, 2):
        restart(suite, f"ezwallet-{service}-{replica}")


def notices(person: Person) -> list[dict[str, Any]]:
    items = person.get("/v1/notifications")["items"]
    return [one for one in items if one["kind"] == "expense-link-outdated"]
