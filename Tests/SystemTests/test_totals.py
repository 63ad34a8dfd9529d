"""Amounts at their bound and beyond it: what comes in is refused, what is stored is told."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest

from client import Person, eventually, money, value
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "analytics"]
MOST, MORE = "10000000000000.00", "10000000000000.01"
STORED = Decimal("92233720368547758.07")
DAY = "2026-10-30"
PERIOD = {"from": "2026-10-01", "to": "2026-10-31"}


def calls(person: Person) -> list[tuple[str, str, dict[str, Any], str]]:
    """Every call that takes an amount, with one that is a cent too large."""
    large, one = money(MORE), money("1.00")
    account = person.get("/v1/accounts")["items"][0]["id"]
    category = person.get("/v1/categories")["items"][0]["id"]
    other = person.post("/v1/categories", {"name": uuid.uuid4().hex[:8]})["id"]
    row = person.post("/v1/transactions", {"amount": money("-1.00")})["id"]
    group = person.post("/v1/groups", {"name": "Trip", "currency": "EUR"})["id"]
    me = person.get(f"/v1/groups/{group}/members")["items"][0]["id"]
    repeated = person.post(
        "/v1/transactions", {"amount": one, "recurrence": {"every": 1, "unit": "month"}}
    )
    lines = [{"categoryId": category, "amount": large}]
    expense = {"name": "x", "amount": one}
    paid = [{"memberId": me, "amount": large}]
    parts = [{"memberId": me, "value": MORE}]
    transfer = {"fromAccountId": account, "toAccountId": account, "amount": large}
    deposit = {"fromAccountId": account, "currency": "EUR", "amount": large}
    taken = {"fromCategoryId": category, "toCategoryId": other, "amount": large}
    expenses, amount = f"/v1/groups/{group}/expenses", "/amount/amount"
    return [
        ("POST", "/v1/accounts", {"openingBalance": large}, "/openingBalance/amount"),
        ("POST", "/v1/transactions", {"amount": large}, amount),
        ("POST", "/v1/transactions", {"amount": money("-" + MORE)}, amount),
        ("POST", "/v1/transactions", {"amount": money("1" * 400 + ".00")}, amount),
        ("POST", "/v1/transactions", {"amount": one, "lines": lines}, "/lines/0/amount/amount"),
        (
            "POST", "/v1/transactions/batches", {"transactions": [{"amount": one}, lines[0]]},
            "/transactions/1/amount/amount",
        ),
        ("PATCH", f"/v1/transactions/{row}", {"amount": large}, amount),
        ("PATCH", f"/v1/recurrences/{repeated['recurrenceId']}", {"amount": large}, amount),
        ("POST", "/v1/quotes", transfer, amount),
        ("POST", "/v1/transfers", transfer, amount),
        ("POST", "/v1/transfers/batches", {"transfers": [transfer]}, "/transfers/0/amount/amount"),
        ("POST", "/v1/deposits", deposit, amount),
        ("POST", f"/v1/budgets/{category}/allocations", {"amount": large}, amount),
        ("POST", "/v1/budget-transfers", taken, amount),
        ("POST", expenses, {"name": "x", "amount": large}, amount),
        ("POST", expenses, expense | {"paidBy": paid}, "/paidBy/0/amount/amount"),
        (
            "POST", expenses, expense | {"split": {"kind": "exact", "parts": parts}},
            "/split/parts/0/value",
        ),
        (
            "POST", f"/v1/groups/{group}/settlements", {"withMemberId": me, "amount": large},
            amount,
        ),
        ("POST", f"/v1/groups/{group}/thresholds", {"amount": large}, amount),
    ]  # fmt: skip


def test_what_comes_in_is_bounded(suite: Suite) -> None:
    person = Person(suite)
    for method, path, body, pointer in calls(person):
        problem = person.problem(method, path, 422, "invalid-body", json=body)
        found = {(one["pointer"], one["code"]) for one in problem["errors"]}
        assert (pointer, "amount-too-large") in found, (path, problem)


@pytest.mark.parametrize(("currency", "zeros"), [("JPY", ""), ("KWD", ".000"), ("UYW", ".0000")])
def test_the_bound_is_in_major_units(suite: Suite, currency: str, zeros: str) -> None:
    person = Person(suite)
    body = {"currency": currency, "name": currency}
    account = person.post("/v1/accounts", body)["id"]
    for sign in ("", "-"):
        amount = money(f"{sign}10000000000000{zeros}", currency)
        made = person.post("/v1/transactions", {"accountId": account, "amount": amount})
        assert made["amount"] == amount
        more = money(f"{sign}10000000000001{zeros}", currency)
        person.problem(
            "POST", "/v1/transactions", 422, "invalid-body",
            json={"accountId": account, "amount": more},
        )  # fmt: skip


def test_bounds_of_filters_may_be_anything(suite: Suite) -> None:
    person = Person(suite)
    person.post("/v1/transactions", {"amount": money("-1.00")})
    for name in ("minAmount", "maxAmount"):
        for text in ("92233720368547758.07", "9223372036854775807", "9" * 300, "0.00", "-1"):
            for direction in ({}, {"direction": "in"}, {"direction": "out"}):
                params = {name: text} | direction
                answer = person.send("GET", "/v1/transactions", params=params)
                assert answer.status_code in (200, 400), (params, answer.text)


def test_the_most_is_shown_in_other_currencies(suite: Suite) -> None:
    person = Person(suite, currency="EUR")
    for code, zeros in (("EUR", ".00"), ("CLF", ".0000")):
        account = person.post("/v1/accounts", {"currency": code, "name": f"In {code}"})["id"]
        amount = money(f"-10000000000000{zeros}", code)
        for _ in range(3):
            body = {"accountId": account, "amount": amount, "date": DAY}
            person.post("/v1/transactions", body)
    rate = Decimal(person.get("/v1/exchange-rates", base="EUR", date=DAY)["rates"]["IDR"])
    category = person.get("/v1/categories")["items"][0]["id"]
    for code in ("IDR", "CLF", "EUR"):
        person.call("PATCH", "/v1/users/me", 200, json={"currency": code})
        eventually(lambda code=code: shown_in(person, code))
        page = person.get("/v1/transactions", expand="converted", groupBy="month")
        assert len(page["items"]) == 6 and page["unconverted"] == 3
        zeros = ".0000" if code == "CLF" else ".00"
        body = {"amount": money(f"10000000000000{zeros}", code), "month": "2026-10"}
        made = person.post(f"/v1/budgets/{category}/allocations", body)
        assert made["available"]["currency"] == code
        person.get("/v1/budgets", month="2026-10")
    summary = eventually(
        lambda: person.get("/v1/reports/summary", **PERIOD, currency="IDR"),
        until=lambda found: found["count"] == 6,
    )
    assert value(summary["expenses"]) == 3 * Decimal(MOST) * rate
    assert summary["unconverted"] == [money("-30000000000000.0000", "CLF")]


def shown_in(person: Person, currency: str) -> bool:
    """Whether the ledger knows the person's new currency."""
    budgets = person.get("/v1/budgets", month="2026-10")["items"]
    return budgets[0]["available"]["currency"] == currency


@contextmanager
def stored(suite: Suite, ids: list[str]) -> Iterator[None]:
    """Rows as they could be before there was a bound; put right again, for the books' sake."""

    def write(units: str) -> None:
        for service, table, column in (
            ("ledger", "ledger.money_transaction", "id"),
            ("analytics", "analytics.fact", "transaction_id"),
        ):
            found = ",".join(f"'{one}'" for one in ids)
            statement = f"update {table} set amount = {units} where {column} in ({found})"  # noqa: S608
            suite.postgres.psql("-c", statement, database=f"ezwallet_{service}")
        # What reports are summed from, too.
        recount = "select analytics.recount_cells(user_id) from analytics.fact"
        recount += f" where transaction_id = '{ids[0]}'"
        suite.postgres.psql("-c", recount, database="ezwallet_analytics")

    sign = "case when amount < 0 then -1 else 1 end"
    write(f"{sign} * 9223372036854775807")
    try:
        yield
    finally:
        write(f"{sign} * 100")


def test_a_row_from_before_the_bound_is_told_everywhere(suite: Suite) -> None:
    person = Person(suite, currency="EUR")
    account = person.get("/v1/accounts")["items"][0]["id"]
    folder = person.post("/v1/folders", {"name": "Trip"})["id"]
    body = {"amount": money("-1.00"), "date": DAY, "folderId": folder}
    rows = [person.post("/v1/transactions", body) for _ in range(3)]
    spent, category = [row["id"] for row in rows], rows[0]["categoryId"]
    earned = [person.post("/v1/transactions", body | {"amount": money("1.00")})["id"]]
    eventually(
        lambda: person.get("/v1/reports/summary", **PERIOD), until=lambda one: one["count"] == 4
    )
    with stored(suite, spent + earned):
        for grouping in ("category", "day", "month"):
            (group,) = person.get("/v1/transactions", groupBy=grouping)["groups"]
            assert (value(group["out"]), value(group["in"])) == (3 * STORED, STORED)
        (total,) = person.get(f"/v1/folders/{folder}")["totals"]
        assert (value(total["out"]), value(total["in"])) == (3 * STORED, STORED)
        # Not before: what is spent in months that are over is summed once.
        budget = {"amount": money("1.00"), "month": "2026-09"}
        person.post(f"/v1/budgets/{category}/allocations", budget)
        for month in ("2026-10", "2026-12"):
            envelopes = person.get("/v1/budgets", month=month)["items"]
            (envelope,) = [one for one in envelopes if one["categoryId"] == category]
            assert value(envelope["available"]) == 1 - 2 * STORED
        summary = person.get("/v1/reports/summary", **PERIOD)
        assert (value(summary["expenses"]), value(summary["income"])) == (3 * STORED, STORED)
        for direction in ("in", "out"):
            report = person.get("/v1/reports/categories", **PERIOD, direction=direction)
            assert report["items"][0]["percent"] == "100"
        for path in (
            "/v1/transactions?expand=converted", "/v1/transactions?sort=-amount",
            "/v1/transactions?minAmount=92233720368547758.07", f"/v1/transactions/{spent[0]}",
            f"/v1/transactions/{spent[0]}/history", "/v1/changes", "/v1/accounts",
            "/v1/reports/summary?from=2026-10-01&to=2026-10-31&currency=IDR",
            "/v1/reports/summary?from=2026-10-01&to=2026-10-31&currency=CLF",
        ):  # fmt: skip
            answer = person.send("GET", path)
            assert answer.status_code == 200, (path, answer.text)
        for kind in ("csv", "camt053", "ofx", "pdf"):
            answer = person.send(
                "GET", f"/v1/accounts/{account}/statement", params=PERIOD | {"format": kind}
            )
            assert answer.status_code in (200, 409, 422), (kind, answer.text)
