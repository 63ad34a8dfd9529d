"""Exports of other apps, their previews, and taking them into a group."""

import random
import uuid
from decimal import Decimal
from typing import Any

from client import Person, eventually

BYTES = {"Content-Type": "text/csv"}
PATH = "/v1/group-imports"
HEAD = "Date,Description,Category,Cost,Currency"


def preview(person: Person, group: str, text: str, **query: str) -> dict[str, Any]:
    return person.call(
        "POST", PATH, 201, content=text.encode(), headers=BYTES, params={"groupId": group} | query
    )


def commit(person: Person, one: dict[str, Any]) -> dict[str, Any]:
    path, key = f"{PATH}/{one['id']}/commit", str(uuid.uuid4())
    # On a busy machine a large one is told to wait: it goes on, and its key has the answer.
    answer = eventually(
        lambda: person.send("POST", path, key=key),
        60,
        until=lambda said: said.json().get("code") != "idempotency-key-in-use",
    )
    assert answer.status_code == 200, answer.text
    done = answer.json()
    assert done["state"] == "committed"
    return done


class Export:
    """A group's export as Splitwise writes it, and what it comes to."""

    def __init__(self, names: list[str]):
        self.names, self.rows = names, []
        self.balances: dict[str, list[Decimal]] = {}

    def row(
        self, name: str, cost: str, nets: list[str], currency: str = "EUR", kind: str = "General",
        day: str = "2023-01-05",
    ) -> None:  # fmt: skip
        self.rows.append(f"{day},{name},{kind},{cost},{currency},{','.join(nets)}")
        sums = self.balances.setdefault(currency, [Decimal(0)] * len(nets))
        self.balances[currency] = [a + Decimal(b) for a, b in zip(sums, nets, strict=True)]

    def fill(self, count: int, chance: random.Random) -> None:
        """Rows in two currencies, of one payer or several, with payments among them."""
        for number in range(count):
            currency, digits = chance.choice([("EUR", 2), ("JPY", 0)])
            nets = [0] * len(self.names)
            for _ in range(chance.randint(1, 3)):
                amount = chance.randint(1, 100_000)
                one, other = chance.sample(range(len(nets)), 2)
                nets[one] += amount
                nets[other] -= amount
            positive = sum(net for net in nets if net > 0)
            if positive == 0:
                continue
            is_payment = chance.random() < 0.1 and sum(1 for net in nets if net) == 2
            cost = positive + (0 if is_payment else chance.randint(0, 5_000))
            written = [f"{Decimal(one).scaleb(-digits):f}" for one in [cost, *nets]]
            self.row(
                f"Row {number}", written[0], written[1:], currency,
                "Payment" if is_payment else "Groceries", f"2023-{number % 12 + 1:02}-07",
            )  # fmt: skip

    @property
    def text(self) -> str:
        totals = [
            f"2024-02-01,Total balance, , ,{currency},{','.join(f'{one:f}' for one in sums)}"
            for currency, sums in self.balances.items()
        ]
        lines = [f"{HEAD},{','.join(self.names)}", "", *self.rows, "", *totals, ""]
        return "\n".join(lines)
