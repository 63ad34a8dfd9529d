"""Somebody who pays for others: what groups asks of the ledger for them, and what stands then."""

import uuid
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from actions import Inside, acting, current, psql
from client import Person, money, value
from suite.suite import Suite


def today() -> str:
    """As UTC has it."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


class Payer:
    """Ada, who has money on an account, and the calls that groups makes for her."""

    def __init__(self, suite: Suite, funds: str = "1000.00"):
        self.suite, self.inside = suite, Inside(suite)
        self.ada = Person(suite)
        self.purse = current(self.ada, "EUR", funds)["id"]
        self.base = f"/internal/users/{self.ada.id}"

    def path(self, posting: str) -> str:
        return f"{self.base}/expense-postings/{posting}"

    def cleared_at(self, clearing: str) -> str:
        return f"{self.base}/receivable-clearings/{clearing}"

    def expense(self, paid: str, share: str, version: int = 1, **other: Any) -> dict[str, Any]:
        body = {
            "accountId": self.purse, "paid": money(paid), "share": money(share), "date": today(),
            "name": "Dinner", "version": version,
        }  # fmt: skip
        return body | other

    def post(self, posting: str, paid: str, share: str, **other: Any) -> dict[str, Any]:
        body = self.expense(paid, share, **other)
        return self.inside.call("PUT", self.path(posting), 200, json=body)

    def refused(
        self, posting: str, status: int, code: str, paid: str = "10.00", share: str = "5.00",
        **other: Any,
    ) -> list[str]:  # fmt: skip
        """What is wrong, by pointers."""
        body = self.expense(paid, share, **other)
        problem = self.inside.problem("PUT", self.path(posting), status, code, json=body)
        return [one["pointer"] for one in problem.get("errors", [])]

    def posted(self, paid: str = "100.00", share: str = "20.00", **other: Any) -> dict[str, Any]:
        """A new one, as its transaction."""
        made = self.post(str(uuid.uuid4()), paid, share, **other)
        return self.read(made["transactionId"])

    def withdraw(self, posting: str) -> None:
        self.inside.call("DELETE", self.path(posting), 204)

    def state(self, posting: str) -> str:
        return self.inside.get(self.path(posting))["state"]

    def clear(self, amount: str, clearing: str = "", **other: Any) -> dict[str, Any]:
        body = {
            "accountId": self.purse, "amount": money(amount), "date": today(), "name": "Bob",
        } | other  # fmt: skip
        path = self.cleared_at(clearing or str(uuid.uuid4()))
        return self.read(self.inside.call("PUT", path, 200, json=body)["transactionId"])

    def settle(self, payer: Person, account: str, amount: str) -> dict[str, Any]:
        """Paid back by a transfer; as Ada's transaction."""
        order = {
            "fromAccountId": account, "payeeId": self.ada.id, "toAccountId": self.purse,
            "amount": money(amount),
        }  # fmt: skip
        paid = self.inside.call(
            "PUT", f"/internal/settlements/{uuid.uuid4()}", 200, json=order, headers=acting(payer)
        )
        rows = self.ada.get("/v1/transactions", limit=200)["items"]
        return next(one for one in rows if one.get("transferId") == paid["transferId"])

    def read(self, transaction: str) -> dict[str, Any]:
        return self.ada.get(f"/v1/transactions/{transaction}")

    def balance(self, account: str = "") -> Decimal:
        return value(self.ada.get(f"/v1/accounts/{account or self.purse}")["balance"])

    def open(self, currency: str = "EUR") -> Decimal:
        """What others owe her."""
        stored = psql(
            self.suite,
            "select coalesce(sum(amount), 0) from ledger.balance where kind = 'receivable' and "
            f"user_id = '{self.ada.id}' and currency = '{currency}'",
        )
        return Decimal(stored) / 100

    def receivable(self) -> str:
        return psql(
            self.suite,
            "select id from ledger.account where kind = 'receivable' and currency = 'EUR' and "
            f"user_id = '{self.ada.id}'",
        )

    def stands(self) -> tuple[Decimal, Decimal]:
        return self.balance(), self.open()

    def counted(self) -> tuple[Decimal, Decimal]:
        """What has come in and gone out in euros, as lists by month sum it."""
        groups = self.ada.get("/v1/transactions", groupBy="month", limit=1)["groups"]
        sums = [Decimal(0), Decimal(0)]
        for one in groups:
            if one["in"]["currency"] == "EUR":
                sums[0] += value(one["in"])
                sums[1] += value(one["out"])
        return sums[0], sums[1]
