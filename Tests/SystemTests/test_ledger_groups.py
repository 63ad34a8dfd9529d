"""What each group of a list of transactions comes to, page by page."""

from datetime import date, timedelta
from typing import Any

import pytest

from actions import category, wallet
from client import Person, money
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]


@pytest.mark.parametrize("grouping", ["day", "month", "category"])
@pytest.mark.parametrize("sort", ["-date", "date", "amount"])
def test_behind_the_first_page_the_groups_are_those_of_its_rows(
    suite: Suite, grouping: str, sort: str
) -> None:
    eve = Person(suite, currency="EUR")
    account = wallet(eve, "EUR")
    labels = [category(eve) for _ in range(3)]
    rows = [
        {
            "accountId": account, "amount": money(f"-{number + 1}.00"),
            "date": f"2024-0{number % 4 + 1}-0{number % 5 + 1}", "categoryId": labels[number % 3],
        }
        for number in range(20)
    ]  # fmt: skip
    eve.post("/v1/transactions/batches", {"transactions": rows})
    said: dict[str, Any] = {"groupBy": grouping, "sort": sort, "limit": 3}
    page = eve.get("/v1/transactions", **said)
    sums = page["groups"]
    assert sum(one["count"] for one in sums) == 20
    pages = 1
    while cursor := page.get("nextCursor"):
        page = eve.get("/v1/transactions", cursor=cursor, **said)
        own = {one["group"] for one in page["items"]}
        assert page["groups"] == [one for one in sums if one["key"] in own]
        pages += 1
    assert pages == 7


def test_a_page_has_a_thousand_groups_at_most(suite: Suite) -> None:
    eve = Person(suite, currency="EUR")
    account = wallet(eve, "EUR")
    first = date(2020, 1, 1)
    rows = [
        {
            "accountId": account, "amount": money("-1.00"),
            "date": str(first + timedelta(number)),
        }
        for number in range(1_010)
    ]  # fmt: skip
    for start in range(0, len(rows), 500):
        eve.post("/v1/transactions/batches", {"transactions": rows[start : start + 500]})
    page = eve.get("/v1/transactions", groupBy="day", limit=1)
    keys = [one["key"] for one in page["groups"]]
    assert keys == [str(first + timedelta(1_009 - number)) for number in range(1_000)]
