"""What becomes of shared expenses: changes, removals, undoing, and how they fall on members."""

import random
import uuid
from decimal import Decimal
from typing import Any

import pytest

from actions import Group
from client import Person, eventually, money, value
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "notifications"]


@pytest.fixture
def group(suite: Suite) -> Group:
    return Group(suite)


def shares(expense: dict[str, Any]) -> dict[str, Decimal]:
    return {one["memberId"]: value(one["amount"]) for one in expense["shares"]}


def kinds(person: Person, kind: str) -> list[dict[str, Any]]:
    lines = person.get("/v1/notifications", limit=200)["items"]
    return [one for one in lines if one["kind"] == kind]


def test_a_change_moves_balances_and_is_told(group: Group) -> None:
    expense = group.expense("9.00")
    path = f"{group.path}/expenses/{expense['id']}"
    ada, bob, cleo = group.members
    stale = {"If-Match": '"9"'}
    group.bob.problem("PATCH", path, 412, "precondition-failed", json={"name": "x"}, headers=stale)
    assert group.balances("EUR") == {ada: 6, bob: -3, cleo: -3}
    changed = group.bob.call("PATCH", path, 200, json={"amount": money("12.00"), "name": "Food"})
    assert changed["version"] == 2 and changed["name"] == "Food"
    assert changed["paidBy"] == [{"memberId": ada, "amount": money("12.00")}]
    assert set(shares(changed).values()) == {Decimal(4)}
    assert group.balances("EUR") == {ada: 8, bob: -4, cleo: -4}
    assert group.ada.get(path) == changed
    for one in (group.ada, group.cleo):
        (line,) = eventually(lambda one=one: kinds(one, "expense-changed"))
        assert value(line["amount"]) == 12 and line["groupId"] == group.id
    assert not kinds(group.bob, "expense-changed")
    # To another currency, and to one who bears it alone.
    group.ada.call("PATCH", path, 200, json={"amount": money("500", "JPY")})
    assert set(group.balances("EUR").values()) == {0}
    alone = {"kind": "exact", "parts": [{"memberId": cleo, "value": "500"}]}
    group.ada.call("PATCH", path, 200, json={"split": alone})
    assert group.balances("JPY") == {ada: 500, bob: 0, cleo: -500}
    assert "split" not in group.ada.call("PATCH", path, 200, json={"split": None})
    assert set(group.balances("JPY").values()) == {0}


def test_every_bad_field_of_a_change_is_named_and_nothing_changes(group: Group) -> None:
    parts = [{"memberId": one, "value": "3.00"} for one in group.members]
    body = {"name": "x", "amount": money("9.00"), "split": {"kind": "exact", "parts": parts}}
    expense = group.ada.post(f"{group.path}/expenses", body)
    path = f"{group.path}/expenses/{expense['id']}"
    stranger = str(uuid.uuid4())
    for change, pointers in (
        ({"amount": money("10.00")}, ["/split/parts"]),
        ({"amount": money("0.00"), "name": ""}, ["/name", "/amount/amount"]),
        ({"name": None, "date": None}, ["/name", "/date"]),
        ({"addedBy": stranger}, ["/addedBy"]),
        ({"paidBy": [{"memberId": stranger, "amount": money("9.00")}]}, ["/paidBy/0/memberId"]),
        ({"paidBy": [{"memberId": group.of_ada, "amount": money("8.00")}]}, ["/paidBy"]),
    ):
        problem = group.bob.problem("PATCH", path, 422, "invalid-body", json=change)
        assert sorted(one["pointer"] for one in problem["errors"]) == sorted(pointers), change
    assert group.ada.get(path) == expense


def test_faults_of_shape_and_of_reference_are_told_at_once(group: Group) -> None:
    nobody = str(uuid.uuid4())
    split = {"kind": "exact", "parts": [{"memberId": nobody, "value": "3.00"}]}
    paid = [{"memberId": nobody, "amount": money("9.00")}]
    good = {"name": "x", "amount": money("9.00")}
    path = f"{group.path}/expenses"
    made = group.ada.post(path, good)
    for bad, pointers in (
        ({"name": "", "split": split}, ["/name", "/split/parts/0/memberId"]),
        # Nothing follows from an amount that cannot be, nor from what could not be read.
        ({"amount": money("0.00"), "paidBy": paid}, ["/amount/amount", "/paidBy/0/memberId"]),
        ({"split": split | {"kind": "odd"}, "categoryId": nobody}, ["/split/kind", "/categoryId"]),
        ({"color": "red", "split": {"kind": "itemised", "items": [
            {"amount": money("1.00"), "memberIds": [group.of_ada, nobody]}]}},
         ["/color", "/split/items/0/memberIds/1"]),
        ({"tags": [1], "date": "never", "split": {"kind": "equal", "parts": []}},
         ["/tags/0", "/date"]),
    ):  # fmt: skip
        key = str(uuid.uuid4())
        told = group.bob.problem("POST", path, 422, "invalid-body", json=good | bad, key=key)
        assert sorted(one["pointer"] for one in told["errors"]) == sorted(pointers), bad
        told = group.bob.problem("PATCH", f"{path}/{made['id']}", 422, "invalid-body", json=bad)
        assert sorted(one["pointer"] for one in told["errors"]) == sorted(pointers), bad
        # What could not be read was kept under no key.
        group.bob.post(path, good, key=key)
    assert group.ada.get(f"{path}/{made['id']}") == made


def test_what_was_removed_comes_back_within_ten_minutes(group: Group) -> None:
    expense = group.expense("9.00")
    path = f"{group.path}/expenses/{expense['id']}"
    group.bob.problem("POST", f"{path}/undo", 404, "not-found")
    before = group.balances("EUR")
    group.bob.call("DELETE", path, 204)
    assert set(group.balances("EUR").values()) == {0}
    (line,) = eventually(lambda: kinds(group.cleo, "expense-removed"))
    assert value(line["amount"]) == 9
    key = str(uuid.uuid4())
    back = [group.cleo.send("POST", f"{path}/undo", key=key) for _ in range(2)]
    assert [one.status_code for one in back] == [200, 200] and back[0].json() == back[1].json()
    assert back[0].json() == expense | {"version": 3}
    assert group.balances("EUR") == before
    group.cleo.problem("POST", f"{path}/undo", 404, "not-found")
    group.bob.call("DELETE", path, 204)
    group.suite.postgres.psql(
        "-c", "update groups.expense set removed_at = removed_at - interval '10 minutes' "
        f"where id = '{expense['id']}'", database="ezwallet_groups",
    )  # fmt: skip
    group.bob.problem("POST", f"{path}/undo", 409, "undo-expired")


def test_the_history_tells_every_version_and_who_made_it(group: Group) -> None:
    ada, bob, cleo = group.members
    expense = group.expense("9.00")
    path = f"{group.path}/expenses/{expense['id']}"
    changed = group.bob.call("PATCH", path, 200, json={"name": "Food"})
    group.cleo.call("DELETE", path, 204)
    restored = group.ada.call("POST", f"{path}/undo", 200)
    items = list(group.bob.pages(f"{path}/history", limit=1))
    told = [(one["version"], one["action"], one["memberId"]) for one in items]
    assert told == [
        (4, "restored", ada), (3, "removed", cleo), (2, "changed", bob), (1, "added", ada)
    ]  # fmt: skip
    assert [one["expense"]["name"] for one in items] == ["Food", "Food", "Food", "Rent"]
    assert items[0]["expense"] == restored and items[3]["expense"] == expense
    assert items[2]["expense"] == changed
    group.cleo.call("DELETE", path, 204)
    assert group.bob.get(f"{path}/history")["items"][0]["action"] == "removed"
    Person(group.suite).problem("GET", f"{path}/history", 404, "not-found")


def test_a_limit_follows_what_is_changed_and_restored(group: Group) -> None:
    limit = group.ada.post(f"{group.path}/thresholds", {"amount": money("10.00")})
    expense = group.expense("9.00")
    path = f"{group.path}/expenses/{expense['id']}"

    def crossed() -> bool:
        return group.ada.get(f"{group.path}/thresholds")["items"][0]["crossed"]

    assert not crossed()
    group.bob.call("PATCH", path, 200, json={"amount": money("10.00")})
    assert not crossed() and not kinds(group.ada, "threshold-crossed")
    group.bob.call("PATCH", path, 200, json={"amount": money("10.01")})
    assert crossed() and limit["id"]
    (line,) = eventually(lambda: kinds(group.ada, "threshold-crossed"))
    group.bob.call("DELETE", path, 204)
    assert not crossed()
    group.bob.call("POST", f"{path}/undo", 200)
    assert crossed() and kinds(group.ada, "threshold-crossed") == [line]


def test_some_bear_so_much_more_or_less_than_the_others(group: Group) -> None:
    ada, bob, cleo = group.members

    def add(amount: str, *values: str | None) -> dict[str, Decimal]:
        parts = [
            {"memberId": one} | ({"value": text} if text else {})
            for one, text in zip(group.members, values, strict=True)
        ]
        split = {"kind": "adjustment", "parts": parts}
        body = {"name": "x", "amount": money(amount), "date": "2026-11-28", "split": split}
        return shares(group.ada.post(f"{group.path}/expenses", body))

    assert add("10.00", "1.00", None, None) == {ada: 4, bob: 3, cleo: 3}
    assert add("10.00", "-1.00", "2.00", None) == {ada: 2, bob: 5, cleo: 3}
    assert add("1.00", None, None, None) == {ada: Decimal("0.33"), bob: Decimal("0.33"),
                                             cleo: Decimal("0.34")}  # fmt: skip
    for amount, values, pointer, code in (
        ("1.00", ("2.00", None, None), "/split/parts", "sum-mismatch"),
        ("9.00", ("-6.00", None, None), "/split/parts/0/value", "out-of-range"),
        ("9.00", ("0.001", None, None), "/split/parts/0/value", "invalid-amount"),
    ):
        parts = [
            {"memberId": one} | ({"value": text} if text else {})
            for one, text in zip(group.members, values, strict=True)
        ]
        body = {
            "name": "x", "amount": money(amount), "split": {"kind": "adjustment", "parts": parts}
        }  # fmt: skip
        problem = group.ada.problem(
            "POST", f"{group.path}/expenses", 422, "invalid-body", json=body
        )
        assert [(one["pointer"], one["code"]) for one in problem["errors"]] == [(pointer, code)]


def test_odd_units_turn_with_the_day_and_not_with_words(group: Group) -> None:
    path = f"{group.path}/expenses"

    def add(day: str) -> tuple[str, list[str]]:
        split = {"kind": "equal", "parts": [{"memberId": one} for one in group.members]}
        body = {"name": "x", "amount": money("10.00"), "date": day, "split": split}
        made = group.ada.post(path, body)
        return made["id"], [one["amount"]["amount"] for one in made["shares"]]

    made, borne = add("2026-11-28")
    assert borne == ["3.33", "3.33", "3.34"]
    assert [add(f"2026-11-{day}")[1].index("3.34") for day in (28, 29, 30)] == [2, 0, 1]
    renamed = group.bob.call("PATCH", f"{path}/{made}", 200, json={"name": "Dinner"})
    assert [one["amount"]["amount"] for one in renamed["shares"]] == borne


def test_shares_take_two_decimals_and_percentages_six(group: Group) -> None:
    def problem(kind: str, *values: str) -> list[tuple[str, str]]:
        members = zip(group.members, values, strict=False)
        parts = [{"memberId": one, "value": text} for one, text in members]
        body = {"name": "x", "amount": money("9.00"), "split": {"kind": kind, "parts": parts}}
        answer = group.ada.problem("POST", f"{group.path}/expenses", 422, "invalid-body", json=body)
        return [(one["pointer"], one["code"]) for one in answer["errors"]]

    invalid = [("/split/parts/1/value", "invalid-decimal")]
    assert problem("shares", "0.25", "0.125") == invalid
    assert problem("percent", "33.333333", "66.6666667") == invalid


def test_a_bill_falls_on_who_had_what_with_tax_and_tip_in_proportion(group: Group) -> None:
    ada, bob, cleo = group.members
    items = [
        {"name": "Pizza", "amount": money("10.00"), "memberIds": [ada, bob]},
        {"name": "Salad", "amount": money("15.00"), "memberIds": [cleo]},
        {"amount": money("5.00"), "memberIds": [ada]},
    ]

    def add(amount: str) -> dict[str, Any]:
        split = {"kind": "itemised", "items": items}
        body = {"name": "Dinner", "amount": money(amount), "split": split}
        return group.ada.post(f"{group.path}/expenses", body)

    plain = add("30.00")
    assert shares(plain) == {ada: 10, bob: 5, cleo: 15}
    assert plain["split"] == {"kind": "itemised", "parts": [], "items": items}
    assert shares(add("36.00")) == {ada: 12, bob: 6, cleo: 18}
    assert shares(add("15.00")) == {ada: 5, bob: Decimal("2.5"), cleo: Decimal("7.5")}
    path = f"{group.path}/expenses/{plain['id']}"
    changed = group.bob.call("PATCH", path, 200, json={"amount": money("33.00")})
    assert shares(changed) == {ada: 11, bob: Decimal("5.5"), cleo: Decimal("16.5")}
    stranger = str(uuid.uuid4())
    for split, pointers in (
        ({"kind": "itemised"}, ["/split/items"]),
        ({"kind": "itemised", "items": []}, ["/split/items"]),
        ({"kind": "itemised", "items": items, "parts": [{"memberId": ada}]}, ["/split/parts"]),
        ({"kind": "equal", "items": items, "parts": [{"memberId": ada}]}, ["/split/items"]),
        ({"kind": "equal"}, ["/split/parts"]),
        (
            {"kind": "itemised", "items": [
                {"amount": money("1", "JPY"), "memberIds": [ada, ada, stranger]}
            ]},
            ["/split/items/0/amount/currency", "/split/items/0/memberIds/1",
             "/split/items/0/memberIds/2"],
        ),
    ):  # fmt: skip
        body = {"name": "x", "amount": money("9.00"), "split": split}
        problem = group.ada.problem(
            "POST", f"{group.path}/expenses", 422, "invalid-body", json=body
        )
        assert sorted(one["pointer"] for one in problem["errors"]) == pointers, split


def test_money_that_came_back_is_shared_as_it_was_spent(group: Group) -> None:
    ada, bob, cleo = group.members
    path = f"{group.path}/expenses"
    limit = {"amount": money("80.00")}
    group.ada.post(f"{group.path}/thresholds", limit)
    before = group.ada.get(f"{group.path}/totals")["totals"]
    group.expense("90.00")

    def refund(split: dict[str, Any], **fields: Any) -> dict[str, Any]:
        body = {"name": "Deposit", "amount": money("-30.00"), "split": split}
        return group.bob.post(path, body | fields)

    everybody = [{"memberId": one} for one in group.members]
    made = refund({"kind": "equal", "parts": everybody})
    assert made["paidBy"] == [{"memberId": bob, "amount": money("-30.00")}]
    assert shares(made) == dict.fromkeys(group.members, -10)
    # Bob received 30.00, and owes 20.00 of them.
    assert group.balances("EUR") == {ada: 70, bob: -50, cleo: -20}
    (threshold,) = group.ada.get(f"{group.path}/thresholds")["items"]
    assert (value(threshold["spent"]), threshold["crossed"]) == (60, False)
    (after,) = group.bob.get(f"{group.path}/totals")["totals"]
    assert before == [] and value(after["group"]) == 60
    assert (value(after["mine"]), value(after["share"])) == (-10, 20)
    exact = [{"memberId": ada, "value": "-30.00"}, {"memberId": bob, "value": "0.00"}]
    assert shares(refund({"kind": "exact", "parts": exact})) == {ada: -30, bob: 0}
    weights = [{"memberId": ada, "value": "1"}, {"memberId": cleo, "value": "0.5"}]
    assert shares(refund({"kind": "shares", "parts": weights})) == {ada: -20, cleo: -10}
    items = [
        {"name": "Bottles", "amount": money("-40.00"), "memberIds": [ada, bob]},
        {"name": "Fee", "amount": money("10.00"), "memberIds": [ada]},
    ]
    last = refund({"kind": "itemised", "items": items})
    assert shares(last) == {ada: -10, bob: -20}
    group.cleo.call("DELETE", f"{path}/{last['id']}", 204)
    group.cleo.call("POST", f"{path}/{last['id']}/undo", 200)
    wrong = [{"memberId": ada, "value": "30.00"}]
    back = {"name": "x", "amount": money("-30.00")}
    for fields, pointer in (
        ({"split": {"kind": "exact", "parts": wrong}}, "/split/parts/0/value"),
        ({"paidBy": [{"memberId": ada, "amount": money("30.00")}]}, "/paidBy/0/amount/amount"),
        ({"recurrence": {"every": 1, "unit": "month"}}, "/recurrence"),
        ({"amount": money("0.00")}, "/amount/amount"),
    ):
        problem = group.ada.problem("POST", path, 422, "invalid-body", json=back | fields)
        assert [one["pointer"] for one in problem["errors"]] == [pointer]


def test_random_histories_keep_every_sum(suite: Suite) -> None:
    """A model of who owes what, over changes, removals, undoing, guests and settlements."""
    seed = random.randrange(10**9)
    chance = random.Random(seed)
    group = Group(suite)
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Grandma"})["id"]
    places = [*group.members, guest]
    people = [group.ada, group.bob, group.cleo]
    standing: dict[str, dict[str, Any]] = {}
    gone: dict[str, dict[str, Any]] = {}
    settled: dict[str, Decimal] = dict.fromkeys(places, Decimal(0))

    def body() -> dict[str, Any]:
        sign = chance.choice([1, 1, -1])
        cents = sign * chance.randint(1, 100_000)
        bearers = chance.sample(places, chance.randint(1, 4))
        kind = chance.choice(["equal", "shares", "adjustment", "itemised"])
        split: dict[str, Any] = {"kind": kind, "parts": [{"memberId": one} for one in bearers]}
        if kind == "shares":
            for part in split["parts"]:
                part["value"] = str(chance.randint(1, 9))
        elif kind == "itemised":
            split = {"kind": kind, "items": [
                {"amount": money(f"{sign * chance.randint(1, 99)}.00"),
                 "memberIds": chance.sample(places, chance.randint(1, 4))}
                for _ in range(chance.randint(1, 4))
            ]}  # fmt: skip
        payer = {"memberId": chance.choice(places), "amount": money(f"{cents / 100:.2f}")}
        return {"name": "x", "amount": payer["amount"], "paidBy": [payer], "split": split}

    for step in range(60):
        who = chance.choice(people)
        action = chance.choice(["add", "add", "change", "remove", "restore", "settle"])
        if action == "add":
            made = who.post(f"{group.path}/expenses", body())
            standing[made["id"]] = made
        elif action == "change" and standing:
            one = chance.choice(list(standing))
            path = f"{group.path}/expenses/{one}"
            standing[one] = who.call("PATCH", path, 200, json=body())
        elif action == "remove" and standing:
            one = chance.choice(list(standing))
            who.call("DELETE", f"{group.path}/expenses/{one}", 204)
            gone[one] = standing.pop(one)
        elif action == "restore" and gone:
            one = chance.choice(list(gone))
            standing[one] = who.call("POST", f"{group.path}/expenses/{one}/undo", 200)
            del gone[one]
        elif action == "settle":
            place = chance.choice([p for p in places if p != group.member[who.id]])
            answer = who.send("POST", f"{group.path}/settlements", json={"withMemberId": place})
            assert answer.status_code in (201, 409), f"seed {seed}: {answer.text}"
            for payment in answer.json().get("payments", []):
                settled[payment["fromMemberId"]] += value(payment["amount"])
                settled[payment["toMemberId"]] -= value(payment["amount"])
        expected = dict(settled)
        for expense in standing.values():
            paid, borne = expense["paidBy"], expense["shares"]
            assert sum(value(one["amount"]) for one in borne) == value(expense["amount"])
            for part in paid:
                expected[part["memberId"]] += value(part["amount"])
            for part in borne:
                expected[part["memberId"]] -= value(part["amount"])
        found = group.balances("EUR")
        assert found == expected and sum(found.values()) == 0, f"seed {seed}, step {step}"
    for payment in group.ada.get(f"{group.path}/balances")["simplified"]:
        amount = value(payment["amount"])
        expected[payment["fromMemberId"]] += amount
        expected[payment["toMemberId"]] -= amount
    assert set(expected.values()) == {Decimal(0)}, f"seed {seed}"
