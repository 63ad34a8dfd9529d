"""Reports as CSV: what they say is what JSON says, with texts that their owners have chosen,
whatever these are."""

import csv
import io
from typing import Any

import pytest

from client import Person, eventually, money
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "analytics"]
LEDGERS = ["balances", "budgets", "payees", "places", "forecast"]
MAY = {"from": "2024-05-01", "to": "2024-05-31"}
#: What people may call a category.
NAMES = ["=1+1", '"quoted", with; all', "قهوة في الزاوية", "<script>alert(1)</script>",
         "👩\u200d👧" * 20, "W" * 60, "Bread & butter"]  # fmt: skip


def table(api: Any, path: str, **params: Any) -> list[dict[str, str]]:
    """The lines of a table, by the names of their columns."""
    answer = api.send("GET", path, params=params | {"format": "csv"})
    assert answer.status_code == 200, answer.text
    text = answer.content.decode("utf-8")
    assert text.startswith("\ufeff") and text.endswith("\r\n")
    rows = list(csv.reader(io.StringIO(text[1:], newline="")))
    assert all(len(row) == len(rows[0]) for row in rows)
    # Nothing of a user's is a formula.
    assert not [cell for row in rows for cell in row if cell[:1] in "=+@\t\r" and cell]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


class Shopper(Person):
    """Somebody who has bought something of each name, and earned once."""

    def __init__(self, suite: Suite, **fields: Any):
        super().__init__(suite, **fields)
        self.categories = {}
        for index, name in enumerate(NAMES):
            self.categories[name] = self.post("/v1/categories", {"name": name})["id"]
            self.spend(self.categories[name], f"-{(index + 1) * 1000}.01", index + 2)
        self.spend(self.categories[NAMES[0]], "12345.67", 20)
        eventually(
            lambda: self.get("/v1/reports/summary", **MAY),
            until=lambda told: told["count"] == len(NAMES) + 1,
        )

    def spend(self, category: str, amount: str, day: int) -> None:
        self.post(
            "/v1/transactions",
            {"amount": money(amount), "date": f"2024-05-{day:02}", "categoryId": category},
        )


@pytest.fixture(scope="module")
def shopper(suite: Suite) -> Shopper:
    return Shopper(suite, language="it")


def test_the_ledgers_tables_are_what_json_says(shopper: Shopper) -> None:
    for kind in LEDGERS:
        query = {} if kind == "forecast" else MAY
        told = shopper.get(f"/v1/reports/{kind}", **query)
        rows = table(shopper, f"/v1/reports/{kind}", **query)
        if kind == "balances":
            found = [row["balance"] for row in rows if row["row"] == "all"]
            points = [told["opening"], *told["points"]]
            assert found == [one["balance"]["amount"] for one in points]
        elif kind == "budgets":
            spent = {row["category"].removeprefix("'"): row for row in rows
                     if row["row"] == "envelope"}  # fmt: skip
            assert set(spent) >= set(NAMES)
            assert {one["name"]: one["spent"]["amount"] for one in told["items"]} == {
                name: row["spent"] for name, row in spent.items()
            }
        elif kind in ("payees", "places"):
            (total,) = (row for row in rows if row["row"] == "total")
            assert total["amount"] == told["total"]["amount"]
        else:
            (net,) = (row for row in rows if row["row"] == "net")
            assert net["total"] == told["net"]["total"]["amount"]
        shopper.problem(
            "GET", f"/v1/reports/{kind}", 400, "invalid-query", params={"format": "exe"}
        )
