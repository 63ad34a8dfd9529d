"""Where everybody in a group stands, in its own currency, too."""

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import pytest

from actions import Group, at_once
from client import Person, money, value
from conftest import hurt_suite
from faults import without
from suite.suite import Suite

#: Items of a page, and what stands beside them.
ANSWER_MAX = 512 * 1024
NEEDS = ["gateway", "auth", "ledger", "groups"]
#: One whose replicas may be stopped.
hurt = pytest.fixture(scope="module")(hurt_suite)


def read(group: Group) -> dict[str, Any]:
    return group.ada.get(f"{group.path}/balances")


def converted(answer: dict[str, Any], member: str) -> Decimal:
    (found,) = [one for one in answer["members"] if one["memberId"] == member]
    assert found["converted"]["currency"] == answer["currency"]
    return value(found["converted"])


def test_balances_are_told_in_the_groups_currency_at_dated_rates(suite: Suite) -> None:
    group = Group(suite)
    plain = read(group)
    assert plain["currency"] == "EUR" and plain["rates"] == [] and plain["unconverted"] == 0
    assert {converted(plain, one) for one in group.members} == {0}
    group.expense("9.00")
    group.expense("30.00", "USD")
    group.expense("3000", "JPY")
    told = read(group)
    rates = {one["currency"]: one["rate"] for one in told["rates"]}
    assert set(rates) == {"JPY", "USD"} and told["unconverted"] == 0
    table = group.ada.get("/v1/exchange-rates", base="USD")
    assert rates["USD"]["value"] == table["rates"]["EUR"]
    assert (rates["USD"]["source"], rates["USD"]["day"]) == (table["source"], table["day"])

    def shown(amount: int, currency: str) -> Decimal:
        exact = amount * Decimal(rates[currency]["value"])
        return exact.quantize(Decimal("0.01"), ROUND_HALF_EVEN)

    owed = 3 + shown(10, "USD") + shown(1000, "JPY")
    assert converted(told, group.of_bob) == -owed
    assert converted(told, group.of_ada) == 6 + shown(20, "USD") + shown(2000, "JPY")
    # What has no rate stands apart, and is not nothing.
    group.expense("3.0000", "CLF", among=[group.of_bob])
    told = read(group)
    assert told["unconverted"] == 2 and converted(told, group.of_bob) == -owed
    assert "CLF" not in {one["currency"] for one in told["rates"]}
    (bob,) = [one for one in told["members"] if one["memberId"] == group.of_bob]
    assert money("-3.0000", "CLF") in bob["balances"]
    # In another currency it is told in that.
    group.ada.call("PATCH", group.path, 200, json={"currency": "JPY"})
    assert read(group)["currency"] == "JPY"
    assert {one["currency"] for one in read(group)["rates"]} == {"EUR", "USD"}


def test_what_is_open_comes_by_page(suite: Suite) -> None:
    group = Group(suite)
    for amount, currency in (("9.00", "EUR"), ("30.00", "USD"), ("6.00", "EUR"), ("3000", "JPY")):
        group.expense(amount, currency)
    told = read(group)
    assert "nextCursor" not in told and len(told["debts"]) == 6
    path = f"{group.path}/balances"
    assert list(group.bob.pages(f"{path}/debts", limit=1)) == told["debts"]
    of_bob = {"fromMemberId": group.of_bob, "toMemberId": group.of_ada}
    for debt in told["debts"]:
        asked = {
            "fromMemberId": debt["fromMemberId"], "toMemberId": debt["toMemberId"],
            "currency": debt["amount"]["currency"],
        }  # fmt: skip
        found = list(group.cleo.pages(f"{path}/expenses", limit=1, **asked))
        assert [one["expenseId"] for one in found] == debt["expenseIds"]
        assert sum(value(one["amount"]) for one in found) == value(debt["amount"])
    assert len(group.ada.get(f"{path}/expenses", currency="EUR", **of_bob)["items"]) == 2
    assert group.ada.get(f"{path}/expenses", currency="GBP", **of_bob)["items"] == []
    answer = group.ada.problem("GET", f"{path}/expenses", 400, "invalid-query")
    pointers = {one["pointer"] for one in answer["errors"]}
    assert pointers == {f"query:{name}" for name in ("fromMemberId", "toMemberId", "currency")}
    friend = f"/v1/friends/{group.bob.id}/balances"
    (bob,) = [one for one in group.ada.get("/v1/friends")["items"] if one["userId"] == group.bob.id]
    assert "nextCursor" not in bob and len(bob["balances"]) == 3
    assert list(group.ada.pages(friend, limit=1)) == bob["balances"]


def test_balances_are_read_though_the_ledger_is_away(hurt: Suite) -> None:
    group = Group(hurt)
    group.expense("9.00")
    group.expense("30.00", "USD")
    without(hurt, "ezwallet-ledger-1", "ezwallet-ledger-2")
    try:
        told = read(group)
    finally:
        hurt.up()
    assert told["unconverted"] == 3 and told["rates"] == []
    assert converted(told, group.of_bob) == -3
    assert group.balances("USD")[group.of_bob] == -10


def test_large_group_is_read_in_bounded_answers(suite: Suite) -> None:
    """Each page has a bound, and who reads them all at once takes nothing from others."""
    ada, own = Person(suite), Group(suite)
    own.expense("9.00")
    path = f"/v1/groups/{ada.post('/v1/groups', {'name': 'Large', 'currency': 'EUR'})['id']}"
    at_once(4, lambda worker: [
        ada.post(f"{path}/members", {"displayName": "🙂" * 80}) for _ in range(worker, 99, 4)
    ])  # fmt: skip
    members = [one["id"] for one in ada.pages(f"{path}/members", limit=200)]
    body = {"name": "🙂" * 80, "description": "字" * 2000, "amount": money("1000.00")}

    def add(number: int) -> str:
        parts = [{"memberId": one, "value": str(1 + n % 7)} for n, one in enumerate(members)]
        payer = {"memberId": members[number], "amount": body["amount"]}
        split = {"kind": "shares", "parts": parts}
        return ada.post(f"{path}/expenses", {**body, "paidBy": [payer], "split": split})["id"]

    made = [one for some in at_once(4, lambda worker: [
        add(number) for number in range(worker, 32, 4)
    ]) for one in some]  # fmt: skip
    read = []
    cursor: dict[str, str] = {}
    while True:
        answer = ada.send("GET", f"{path}/expenses", params={"limit": 200, **cursor})
        assert answer.status_code == 200 and len(answer.content) < ANSWER_MAX
        read += [one["id"] for one in answer.json()["items"]]
        if "nextCursor" not in answer.json():
            break
        cursor = {"cursor": answer.json()["nextCursor"]}
    assert sorted(read) == sorted(made) and len(set(read)) == len(made)
    answer = ada.send("GET", f"{path}/balances")
    told = answer.json()
    assert len(answer.content) < ANSWER_MAX and len(told["simplified"]) < len(members)
    more = list(ada.pages(f"{path}/balances/debts", limit=200, cursor=told["nextCursor"]))
    pairs = [(one["fromMemberId"], one["toMemberId"]) for one in told["debts"] + more]
    assert len(pairs) == len(set(pairs)) > len(told["debts"])
    # More reads at once than wait: those beyond are told to come again, nobody else is.
    answers = at_once(60, lambda number: (
        own.ada.send("GET", f"{own.path}/balances", retry=False) if number % 10 == 0
        else ada.send("GET", f"{path}/balances", retry=False)
    ))  # fmt: skip
    refused = [one for one in answers if one.status_code != 200]
    assert all(one.status_code == 429 and one.headers["retry-after"] == "1" for one in refused)
    assert all(answers[number].status_code == 200 for number in range(0, 60, 10))
