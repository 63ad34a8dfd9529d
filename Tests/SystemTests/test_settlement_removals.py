"""Settlements that were written down by mistake, and are taken back."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from actions import Group
from client import Person, eventually, money
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]


@pytest.fixture
def group(suite: Suite) -> Group:
    return Group(suite)


def notices(person: Person) -> list[dict]:
    return [
        one
        for one in person.get("/v1/notifications")["items"]
        if one["kind"] == "settlement-removed"
    ]


def test_what_a_settlement_settled_is_open_again_as_it_was(group: Group) -> None:
    group.expense("9.00")
    group.expense("300", "JPY")
    path = f"{group.path}/settlements"
    before = group.ada.get(f"{group.path}/balances")
    made = group.bob.post(path, {"withMemberId": group.of_ada})
    assert len(made["payments"]) == 2
    one = f"{path}/{made['id']}"
    Person(group.suite).problem("DELETE", one, 404, "not-found")
    # Neither side, and a member: as with expenses.
    group.cleo.call("DELETE", one, 204)
    assert group.ada.get(f"{group.path}/balances") == before
    assert group.ada.get(path)["items"] == []
    group.cleo.problem("DELETE", one, 404, "not-found")
    group.ada.problem("GET", one, 404, "not-found")
    for side in (group.ada, group.bob):
        (told,) = eventually(lambda side=side: notices(side))
        assert (told["groupId"], told["userId"]) == (group.id, group.cleo.id)
        assert "amount" not in told and "several" in told["text"]
    assert notices(group.cleo) == []
    # Of one amount, by one of the two: the other is told.
    part = group.bob.post(path, {"withMemberId": group.of_ada, "amount": money("2.00")})
    group.bob.call("DELETE", f"{path}/{part['id']}", 204)
    told = eventually(lambda: notices(group.ada), until=lambda lines: len(lines) == 2)[0]
    assert told["amount"] == money("2.00") and "2" in told["text"]
    assert len(notices(group.bob)) == 1
    assert group.ada.get(f"{group.path}/balances") == before


def test_debts_that_passed_to_others_come_back(group: Group) -> None:
    """Cleo owes Bob, and Bob owes Ada: Cleo pays Ada."""
    for payer, bearer in ((group.bob, group.of_cleo), (group.ada, group.of_bob)):
        body = {
            "name": "x", "amount": money("6.00"),
            "split": {"kind": "equal", "parts": [{"memberId": bearer}]},
        }  # fmt: skip
        payer.post(f"{group.path}/expenses", body)
    before = group.ada.get(f"{group.path}/balances")
    path = f"{group.path}/settlements"
    paid = group.cleo.post(path, {"withMemberId": group.of_ada})
    assert group.ada.get(f"{group.path}/balances")["debts"] == []
    group.ada.call("DELETE", f"{path}/{paid['id']}", 204)
    assert group.ada.get(f"{group.path}/balances") == before


def test_who_may_not_write_takes_nothing_back(group: Group) -> None:
    group.expense("9.00")
    made = group.bob.post(f"{group.path}/settlements", {"withMemberId": group.of_ada})
    one = f"{group.path}/settlements/{made['id']}"
    group.ada.call("PUT", f"{group.path}/archive", 200)
    group.bob.problem("DELETE", one, 409, "group-archived")
    group.ada.call("DELETE", f"{group.path}/archive", 200)
    group.ada.call("PATCH", group.path, 200, json={"roles": True})
    group.ada.call("PATCH", f"{group.path}/members/{group.of_bob}", 200, json={"role": "viewer"})
    group.bob.problem("DELETE", one, 403, "forbidden")
    group.cleo.call("DELETE", one, 204)


def test_it_is_taken_back_once_whoever_asks_at_once(group: Group) -> None:
    """Members settle, take back, edit and undo at once: sums of each currency are zero."""
    seed = random.randrange(10**9)
    chance = random.Random(seed)
    path = f"{group.path}/settlements"
    expenses = [group.expense("90.00")["id"] for _ in range(3)]
    people = [group.ada, group.bob, group.cleo]

    def step(number: int) -> int:
        person = people[number % 3]
        kind = (number * 7 + seed) % 4
        if kind == 0:
            other = group.members[(number + 1) % 3]
            return person.send("POST", path, json={"withMemberId": other}).status_code
        if kind == 1:
            made = person.get(path)["items"]
            if not made:
                return 404
            one = chance.choice(made)["id"]
            return person.send("DELETE", f"{path}/{one}").status_code
        expense = f"{group.path}/expenses/{expenses[number % 3]}"
        if kind == 2:
            body = {"amount": money(f"{10 + number}.00")}
            return person.send("PATCH", expense, json=body).status_code
        person.send("DELETE", expense)
        return person.send("POST", f"{expense}/undo").status_code

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(step, range(60)))
    assert set(answers) <= {200, 201, 204, 404, 409, 422}, f"seed {seed}: {answers}"
    sums = sum(group.balances("EUR", group.ada).values())
    assert sums == 0, f"seed {seed}"
    # Without any settlement, all stand where the expenses alone leave them.
    for one in list(group.ada.pages(path)):
        group.ada.call("DELETE", f"{path}/{one['id']}", 204)
    paid = sum(
        (float(one["amount"]["amount"]) for one in group.ada.pages(f"{group.path}/expenses")), 0.0
    )
    owed = float(group.balances("EUR", group.ada)[group.of_ada])
    assert abs(owed - paid * 2 / 3) < 0.05, f"seed {seed}"
