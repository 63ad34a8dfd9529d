"""Allowances that come again: each day paid once, by whoever may, and through kills."""

import contextlib
import datetime
import os
import signal
import time
import uuid
from decimal import Decimal
from typing import Any

import pytest

from actions import current, make_stale, wallet
from client import Person, eventually, money, value
from conftest import hurt_suite
from erasures import delete
from families import ME, Family, join, proved, purse
from faults import connect, without
from recurrences import today
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]
DAILY = {"every": 1, "unit": "day"}
#: One that can be made due again and again, each time by another day.
SELDOM = {"every": 10, "unit": "day"}
#: Days that are made up for while replicas are killed.
DAYS = 60
hurt = pytest.fixture(scope="module")(hurt_suite)


@pytest.fixture
def family(suite: Suite) -> Family:
    return Family(suite)


def path(family: Family, child: str | None = None) -> str:
    return f"{ME}/children/{child or family.child.id}/allowances"


def begin(family: Family, by: Person | None = None, **fields: Any) -> dict[str, Any]:
    """An allowance of 5.00 that was paid today, and comes again."""
    body = {"amount": money("5.00"), "recurrence": DAILY} | fields
    made = (by or family.mother).post(path(family), body, key=str(uuid.uuid4()))
    return made | {"path": f"{path(family)}/{made['recurrenceId']}"}


def ago(days: int) -> str:
    return (today() - datetime.timedelta(days=days)).isoformat()


def make_due(suite: Suite, made: dict[str, Any], days: int = 1) -> None:
    """As though the first had been so many days ago."""
    which = f"= '{made['recurrenceId']}'"
    for statement in (
        # By way of days that none of them has.
        f"update groups.allowance_occurrence set day = day - 5000 where recurrence_id {which}",
        f"update groups.allowance_occurrence set day = day + {5000 - days} "
        f"where recurrence_id {which}",
        f"update groups.allowance_recurrence set anchor = anchor - {days}, "
        f"next_day = next_day - {days}, look_at = now() where id {which}",
    ):
        suite.postgres.psql("-c", statement, database="ezwallet_groups")


def held(person: Person, account: dict[str, Any]) -> Decimal:
    return value(person.get(f"/v1/accounts/{account['id']}")["balance"])


def last(family: Family, made: dict[str, Any], state: str, seconds: int = 30) -> dict[str, Any]:
    """The allowance, once its newest day has come to this."""
    return eventually(
        lambda: family.father.get(made["path"]), seconds,
        until=lambda one: one["last"]["state"] == state and one["last"]["number"] > 0,
    )  # fmt: skip


def lines(person: Person, kind: str) -> list[dict[str, Any]]:
    return [one for one in person.get("/v1/notifications")["items"] if one["kind"] == kind]


def test_it_is_paid_today_and_again_as_its_days_begin(family: Family) -> None:
    account = current(family.mother, "EUR", "50.00")
    made = begin(family, fromAccountId=account["id"], name="Pocket money")
    assert made["transferId"] and held(family.mother, account) == 45
    found = family.mother.get(made["path"])
    assert found["startDate"] == ago(0) and found["nextDate"] == ago(-1) and found["transfer"]
    assert found["fromAccountId"] == account["id"] and found["parentId"] == family.mother.id
    assert found["last"]["transactionId"] == made["transactionId"]
    for one, child in ((family.father, family.child.id), (family.child, "me")):
        (row,) = one.get(path(family, child))["items"]
        assert row == {key: found[key] for key in found if key != "fromAccountId"}
    make_due(family.mother.suite, made, 2)
    eventually(lambda: held(family.mother, account), until=lambda left: left == 35)
    again = last(family, made, "paid")
    assert again["last"]["number"] == 2 and again["nextDate"] == ago(-1)
    said = family.child.get(f"{path(family, 'me')}/{found['id']}/occurrences")
    assert [one["date"] for one in said["past"]] == [ago(0), ago(1), ago(2)]
    assert said["items"][0] == {"number": 3, "date": ago(-1)} and len(said["items"]) == 10
    row = family.child.get(f"/v1/transactions/{said['past'][0]['transactionId']}")
    assert row["name"] == "Pocket money" and row["amount"] == money("5.00")
    # A transfer, of which the ledger tells the child; and no more than that.
    eventually(lambda: lines(family.child, "transfer-received"), until=lambda all: len(all) == 3)
    assert not lines(family.child, "allowance-paid")


def test_it_ends_with_its_last_day(family: Family) -> None:
    made = begin(family, recurrence=DAILY | {"until": ago(-1)})
    make_due(family.mother.suite, made)
    last(family, made, "paid")
    # Tomorrow is the last day, and it is brought to today.
    rule = DAILY | {"until": ago(0)}
    changed = family.mother.call("PATCH", made["path"], 200, json={"recurrence": rule})
    assert "nextDate" not in changed and changed["recurrence"] == rule
    said = family.child.get(f"{path(family, 'me')}/{made['recurrenceId']}/occurrences")
    assert [one["date"] for one in said["past"]] == [ago(0), ago(1)] and said["items"] == []
    time.sleep(1.2)
    assert value(purse(family.child)["balance"]) == 10


def test_what_was_paid_is_refused_by_no_repeat(family: Family) -> None:
    """Cut off before its answer was kept, and by now no other may be made: it stays paid."""
    key, suite = str(uuid.uuid4()), family.mother.suite
    body = {"amount": money("5.00"), "recurrence": DAILY}
    made = family.mother.post(path(family), body, key=key)
    for statement in (
        f"delete from groups.idempotency_key where key = '{key}'",
        "insert into groups.allowance_recurrence select (jsonb_populate_record("
        "one, jsonb_build_object('id', gen_random_uuid(), 'look_at', now() + interval '1 day'))).* "
        "from groups.allowance_recurrence as one, generate_series(1, 99) "
        f"where one.id = '{made['recurrenceId']}'",
    ):
        suite.postgres.psql("-c", statement, database="ezwallet_groups")
    again = family.mother.post(path(family), body, key=key)
    assert again["id"] == made["id"] and "recurrenceId" not in again
    assert value(purse(family.child)["balance"]) == 5
    refused = str(uuid.uuid4())
    family.mother.problem("POST", path(family), 409, "too-many-recurrences", json=body, key=refused)


def test_income_is_told_to_the_child(family: Family) -> None:
    made = begin(family, by=family.father)
    assert "transferId" not in made
    make_due(family.mother.suite, made)
    last(family, made, "paid")
    (line,) = eventually(lambda: lines(family.child, "allowance-paid"))
    assert line["recurrenceId"] == made["recurrenceId"] and line["userId"] == family.father.id
    assert "€5.00" in line["text"] and value(purse(family.child)["balance"]) == 10


def test_month_ends_are_kept(family: Family) -> None:
    made = begin(family, recurrence={"every": 1, "unit": "month"})
    which = f"id = '{made['recurrenceId']}'"
    family.mother.suite.postgres.psql(
        "-c", "update groups.allowance_recurrence set anchor = '2999-01-31', "
        f"next_day = '2999-02-28', look_at = '2999-02-28' where {which}",
        database="ezwallet_groups",
    )  # fmt: skip
    items = family.mother.get(f"{made['path']}/occurrences")["items"]
    assert [one["date"] for one in items][:3] == ["2999-02-28", "2999-03-31", "2999-04-30"]


def test_a_day_without_money_is_left_out_and_told_to_who_pays(family: Family) -> None:
    account = current(family.mother, "EUR", "7.00")
    made = begin(family, fromAccountId=account["id"], recurrence=SELDOM)
    make_due(family.mother.suite, made, 10)
    skipped = last(family, made, "skipped")
    assert skipped["last"]["reason"] == "insufficient-funds" and skipped["active"]
    (line,) = eventually(lambda: lines(family.mother, "allowance-skipped"))
    assert line["recurrenceId"] == made["recurrenceId"] and line["userId"] == family.child.id
    assert "€5.00" in line["text"] and "does not hold enough" in line["text"]
    assert not lines(family.father, "allowance-skipped")
    assert held(family.mother, account) == 2
    # The next day is tried, and not the one before.
    income = {"accountId": account["id"], "amount": money("50.00")}
    family.mother.post("/v1/transactions", income)
    make_due(family.mother.suite, made, 11)
    assert last(family, made, "paid")["last"]["number"] == 2
    assert held(family.mother, account) == 47
    # Where it is closed no later day could do better.
    out = {"accountId": account["id"], "amount": money("-47.00")}
    family.mother.post("/v1/transactions", out)
    family.mother.call("DELETE", f"/v1/accounts/{account['id']}", 204)
    make_due(family.mother.suite, made, 11)
    rests = last(family, made, "skipped")
    assert rests["last"]["reason"] == "account-closed" and not rests["active"]
    told = eventually(
        lambda: lines(family.mother, "allowance-skipped"), until=lambda all: len(all) == 2
    )
    assert "paused" in told[0]["text"]


def test_who_may_change_what(family: Family) -> None:
    account = current(family.mother, "EUR", "50.00")
    made = begin(family, fromAccountId=account["id"])
    one = made["path"]
    for body in (
        {"amount": money("5.01")}, {"fromAccountId": None},
        {"fromAccountId": wallet(family.father)}, {"recurrence": {"every": 2, "unit": "day"}},
    ):  # fmt: skip
        family.father.problem("PATCH", one, 403, "forbidden", json=body)
    less = family.father.call(
        "PATCH", one, 200, json={"amount": money("4.00"), "active": False, "name": "Less"}
    )
    assert less["version"] == 2 and not less["active"] and "nextDate" not in less
    family.father.problem("PATCH", one, 403, "forbidden", json={"active": True})
    stale = {"If-Match": '"1"'}
    family.mother.problem("PATCH", one, 412, "precondition-failed", json={}, headers=stale)
    family.mother.problem("DELETE", one, 412, "precondition-failed", headers=stale)
    rule = {"every": 1, "unit": "week"}
    more = {"amount": money("6.00"), "active": True, "recurrence": rule}
    again = family.mother.call("PATCH", one, 200, json=more, headers={"If-Match": '"2"'})
    assert again["nextDate"] == ago(-7) and again["amount"] == money("6.00")
    for wrong, pointer in (
        ({"amount": money("1", "JPY")}, "/amount/currency"),
        ({"fromAccountId": str(uuid.uuid4())}, "/fromAccountId"),
        ({"recurrence": rule | {"until": ago(1)}}, "/recurrence/until"),
    ):
        problem = family.mother.problem("PATCH", one, 422, "invalid-body", json=wrong)
        assert [fault["pointer"] for fault in problem["errors"]] == [pointer], wrong
    kind = {"fromAccountId": wallet(family.mother)}
    family.mother.problem("PATCH", one, 409, "account-kind", json=kind)
    for method, said in (("PATCH", {"json": {}}), ("DELETE", {})):
        family.child.problem(method, one, 403, "parents-only", **said)
    income = family.mother.call("PATCH", one, 200, json={"fromAccountId": None})
    assert not income["transfer"] and "fromAccountId" not in income
    family.father.call("DELETE", one, 204)
    family.mother.problem("GET", one, 404, "not-found")
    assert family.mother.get(path(family))["items"] == []


def test_more_than_the_sum_of_a_day_wants_a_proof(family: Family) -> None:
    mother, suite = family.mother, family.mother.suite
    account = current(mother, "EUR", "9000.00")
    make_stale(suite, mother)
    body = {"amount": money("1000.01"), "fromAccountId": account["id"], "recurrence": DAILY}
    refuse = ("POST", path(family), 403, "step-up-required")
    key = str(uuid.uuid4())
    mother.problem(*refuse, json=body, key=key)
    del body["recurrence"]
    mother.problem(*refuse, json=body, key=str(uuid.uuid4()))
    made = begin(family, fromAccountId=account["id"], amount=money("600.00"))
    assert held(mother, account) == 8400
    # What came today counts: of the day that comes as well, and of whatever is sent.
    make_due(suite, made)
    skipped = last(family, made, "skipped")
    assert skipped["last"]["reason"] == "step-up-required" and skipped["active"]
    (line,) = eventually(lambda: lines(mother, "allowance-skipped"))
    assert "proof" in line["text"]
    theirs = current(family.father, "EUR")["iban"]
    transfer = {"fromAccountId": account["id"], "toIban": theirs, "amount": money("400.01")}
    mother.problem("POST", "/v1/transfers", 403, "step-up-required", json=transfer)
    more = {"amount": money("600.01")}
    mother.problem("PATCH", made["path"], 403, "step-up-required", json=more)
    mother.call("PATCH", made["path"], 200, json={"amount": money("599.99")})
    assert held(mother, account) == 8400


def test_what_was_ordered_with_a_proof_is_paid_without(family: Family) -> None:
    account = current(family.mother, "EUR", "9000.00")
    made = begin(family, fromAccountId=account["id"], amount=money("2000.00"))
    make_stale(family.mother.suite, family.mother)
    make_due(family.mother.suite, made, 2)
    eventually(lambda: held(family.mother, account), until=lambda left: left == 3000)


def test_all_faults_and_the_most_that_one_may_have(family: Family) -> None:
    for rule, pointer in (
        ({"every": 0, "unit": "day"}, "/recurrence/every"),
        (DAILY | {"until": ago(1)}, "/recurrence/until"),
    ):
        body = {"amount": money("1.00"), "recurrence": rule}
        problem = family.mother.problem(
            "POST", path(family), 422, "invalid-body", json=body, key=str(uuid.uuid4())
        )
        assert [one["pointer"] for one in problem["errors"]] == [pointer]
    made = begin(family)
    family.mother.suite.postgres.psql(
        "-c", "insert into groups.allowance_recurrence (id, family_id, child_id, parent_id, "
        "amount, currency, is_proved, every, unit, anchor, next_number) select gen_random_uuid(), "
        "family_id, child_id, parent_id, 1, 'EUR', false, 1, 'day', anchor, 1 "
        "from groups.allowance_recurrence, generate_series(1, 99) "
        f"where id = '{made['recurrenceId']}'", database="ezwallet_groups",
    )  # fmt: skip
    before = value(purse(family.child)["balance"])
    body = {"amount": money("1.00"), "recurrence": DAILY}
    family.mother.problem(
        "POST", path(family), 409, "too-many-recurrences", json=body, key=str(uuid.uuid4())
    )
    assert value(purse(family.child)["balance"]) == before
    begin(family, by=family.father)
    assert len(list(family.child.pages(path(family, "me")))) == 101


def test_a_key_makes_one(family: Family) -> None:
    body, key = {"amount": money("5.00"), "recurrence": DAILY}, str(uuid.uuid4())
    made = family.mother.post(path(family), body, key=key)
    assert family.mother.post(path(family), body, key=key) == made
    # Killed before the answer was kept: it is paid already, and comes again once.
    family.mother.suite.postgres.psql(
        "-c", f"delete from groups.idempotency_key where key = '{key}'; "
        f"delete from groups.allowance_recurrence where id = '{made['recurrenceId']}'",
        database="ezwallet_groups",
    )  # fmt: skip
    again = family.mother.post(path(family), body, key=key)
    assert again["id"] == made["id"] and again["transactionId"] == made["transactionId"]
    assert len(family.mother.get(path(family))["items"]) == 1
    assert value(purse(family.child)["balance"]) == 5


def test_it_ends_with_who_pays_and_who_gets_it(family: Family) -> None:
    fathers = begin(family, by=family.father)
    begin(family)
    family.father.call("DELETE", f"{ME}/members/me", 204)
    family.mother.problem("GET", fathers["path"], 404, "not-found")
    assert len(family.mother.get(path(family))["items"]) == 1
    delete(family.child)
    gone = family.mother.send
    eventually(lambda: gone("GET", path(family)).status_code, until=lambda found: found == 404)
    rows = family.mother.suite.postgres.psql(
        "-At", "-c", "select count(*) from groups.allowance_recurrence "
        f"where child_id = '{family.child.id}'", database="ezwallet_groups",
    )  # fmt: skip
    assert rows.strip() == "0"


def test_nobody_else_learns_of_it(family: Family) -> None:
    suite = family.mother.suite
    brother = proved(suite)
    join(family.mother, brother, "child")
    made = begin(family)
    stranger = Family(suite)
    for method, said in (("GET", {}), ("PATCH", {"json": {}}), ("DELETE", {})):
        for one in (stranger.mother, proved(suite)):
            one.problem(method, made["path"], 404, "not-found", **said)
        brother.problem(method, made["path"], 403, "parents-only", **said)
    mine = f"{path(family, 'me')}/{made['recurrenceId']}"
    brother.problem("GET", mine, 404, "not-found")
    assert brother.get(path(family, "me"))["items"] == []
    family.mother.problem("GET", path(family, family.father.id), 403, "member-is-parent")
    family.mother.problem("GET", mine, 403, "member-is-parent")


# What dies in the middle.


def test_a_ledger_that_is_away_is_no_skip(hurt: Suite) -> None:
    family = Family(hurt)
    made = begin(family)
    without(hurt, "ezwallet-ledger-1", "ezwallet-ledger-2")
    try:
        make_due(hurt, made)
        last(family, made, "pending")
        time.sleep(2)
        assert family.mother.get(made["path"])["last"]["state"] == "pending"
    finally:
        hurt.up()
    hurt.postgres.psql(
        "-c", "update groups.allowance_occurrence set look_at = now() where look_at is not null",
        database="ezwallet_groups",
    )  # fmt: skip
    last(family, made, "paid")
    assert value(purse(family.child)["balance"]) == 10
    assert not lines(family.mother, "allowance-skipped")


@pytest.mark.timeout(240)
def test_no_day_is_lost_or_doubled_by_kills(hurt: Suite) -> None:
    """Both replicas of either service killed again and again while days are made up for."""
    family = Family(hurt)
    account = current(family.mother, "EUR", "900.00")
    rows = [
        begin(family, fromAccountId=account["id"], amount=money("0.03")),
        begin(family, amount=money("0.05")),
    ]
    for made in rows:
        make_due(hurt, made, DAYS)
    for turn in range(8):
        time.sleep(0.4)
        service = ("groups", "ledger")[turn // 2 % 2]
        # The one that has not come back yet has nothing to be killed.
        with contextlib.suppress(OSError, ValueError):
            os.kill(hurt.pid(f"ezwallet-{service}-{turn % 2 + 1}"), signal.SIGKILL)

    def hasten() -> bool:
        """Whoever was at a day is dead: it is anybody's."""
        with connect(hurt, "ezwallet_groups") as database:
            database.execute(
                "update groups.allowance_occurrence set look_at = now() "
                "where look_at > now() + interval '20 seconds'"
            )
            left = database.execute(
                "select count(*) from groups.allowance_occurrence where state = 'pending' "
                "and recurrence_id = any(%s::uuid[])", [[made["recurrenceId"] for made in rows]],
            ).fetchone()  # fmt: skip
        newest = [family.mother.get(made["path"])["last"]["number"] for made in rows]
        return newest == [DAYS, DAYS] and left == (0,)

    eventually(hasten, 120)
    with connect(hurt, "ezwallet_groups") as database:
        for made in rows:
            states = database.execute(
                "select state, count(*), count(distinct transaction_id) "
                "from groups.allowance_occurrence where recurrence_id = %s group by state",
                [made["recurrenceId"]],
            ).fetchall()
            assert states == [("paid", DAYS + 1, DAYS + 1)], states
    assert held(family.mother, account) == 900 - Decimal("0.03") * (DAYS + 1)
    assert value(purse(family.child)["balance"]) == Decimal("0.08") * (DAYS + 1)
