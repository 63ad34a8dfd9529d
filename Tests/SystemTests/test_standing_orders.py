"""Standing orders: paid on their days, once, whatever is killed; skipped where money is short."""

import contextlib
import datetime
import os
import signal
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from actions import (
    EXPORTS,
    HUGE,
    balance_of,
    contents,
    current,
    make_stale,
    psql,
    ready,
    rows_of,
    wallet,
)
from client import Person, eventually, money, value
from follower import Follower
from recurrences import today
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "notifications"]
PATH = "/v1/standing-orders"
DAILY = {"every": 1, "unit": "day"}
#: Days that are made up for while replicas are killed.
DAYS = 120


def order(person: Person, payer: str, amount: str = "5.00", **fields: Any) -> dict[str, Any]:
    body = {"fromAccountId": payer, "amount": money(amount), "recurrence": DAILY} | fields
    return person.post(PATH, body)


def later(days: int) -> str:
    return (today() + datetime.timedelta(days=days)).isoformat()


def make_due(suite: Suite, one: dict[str, Any], days: int = 0) -> None:
    """As though the order had begun so many days ago, and nobody had been up since."""
    psql(
        suite,
        f"update ledger.standing_order set anchor = anchor - {days}, next_number = 0, "
        f"next_day = anchor - {days}, look_at = now() where id = '{one['id']}'",
    )


def executions(person: Person, one: dict[str, Any]) -> list[dict[str, Any]]:
    return person.get(f"{PATH}/{one['id']}/occurrences")["past"]


def ended(person: Person, one: dict[str, Any], count: int = 1) -> list[dict[str, Any]]:
    """What became of its days, once there are as many."""
    return eventually(lambda: executions(person, one), until=lambda found: len(found) >= count)


def notices(person: Person) -> list[dict[str, Any]]:
    items = person.get("/v1/notifications")["items"]
    return [item for item in items if item["kind"] == "standing-order-skipped"]


def test_it_is_paid_on_its_first_day_and_shows_as_a_transfer(person: Person) -> None:
    payer, payee = current(person, "EUR", "20.00"), wallet(person)
    made = order(person, payer["id"], toAccountId=payee, reference="savings")
    assert made["startDate"] == today().isoformat() and made["paused"] is False
    assert made["toAccountId"] == payee and "toIban" not in made and made["currency"] == "EUR"
    (paid,) = ended(person, made)
    assert paid["date"] == today().isoformat() and paid["state"] == "paid" and paid["number"] == 0
    transfer = person.get(f"/v1/transfers/{paid['transferId']}")
    assert transfer["debit"] == money("5.00") and transfer["reference"] == "savings"
    for account in (payer["id"], payee):
        assert paid["transferId"] in {row.get("transferId") for row in rows_of(person, account)}
    found = person.get(f"{PATH}/{made['id']}")
    assert found["last"] == paid and found["nextDate"] == later(1)
    assert found == person.get(PATH)["items"][0]
    time.sleep(1.2)
    assert balance_of(person, payer) == 15 and notices(person) == []


def test_what_is_to_come_is_told(person: Person) -> None:
    payer, payee = wallet(person), wallet(person)
    made = order(
        person, payer, toAccountId=payee, startDate="2028-01-31",
        recurrence={"every": 1, "unit": "month", "until": "2028-04-30"},
    )  # fmt: skip
    told = person.get(f"{PATH}/{made['id']}/occurrences")
    assert told["past"] == [] and [item["date"] for item in told["items"]] == [
        "2028-01-31", "2028-02-29", "2028-03-31", "2028-04-30",
    ]  # fmt: skip
    many = order(person, payer, toAccountId=payee, startDate="2028-01-31")
    assert len(person.get(f"{PATH}/{many['id']}/occurrences")["items"]) == 10
    listed = [one["id"] for one in person.pages(PATH, limit=1)]
    assert listed == [many["id"], made["id"]]


def test_it_goes_to_another_person_by_iban(person: Person, suite: Suite) -> None:
    other = Person(suite, firstName="Barbara", lastName="Liskov")
    payer, theirs = current(person, "EUR", "20.00"), current(other, "EUR")
    made = order(person, payer["id"], toIban=theirs["iban"], reference="rent")
    assert made["toIban"] == theirs["iban"] and "toAccountId" not in made
    assert made["payee"].startswith("Ba") and "Barbara" not in made["payee"]
    (paid,) = ended(person, made)
    assert balance_of(other, theirs) == 5
    (row,) = rows_of(other, theirs["id"])
    assert row["transferId"] == paid["transferId"]
    eventually(
        lambda: [
            one for one in other.get("/v1/notifications")["items"]
            if one["kind"] == "transfer-received"
        ]
    )  # fmt: skip
    assert other.get(PATH)["items"] == []
    # A wallet is no account to send others money from.
    body = {
        "fromAccountId": wallet(person), "toIban": theirs["iban"], "amount": money("1.00"),
        "recurrence": DAILY,
    }  # fmt: skip
    person.problem("POST", PATH, 409, "account-kind", json=body)


def test_short_of_money_a_day_is_skipped_and_told(person: Person, suite: Suite) -> None:
    payer, payee = current(person, "EUR", "12.00"), wallet(person)
    made = order(person, payer["id"], toAccountId=payee, startDate=later(1))
    make_due(suite, made, 3)
    found = ended(person, made, 3)
    assert [one["state"] for one in found] == ["skipped", "paid", "paid"]
    assert found[0]["reason"] == "insufficient-funds" and "transferId" not in found[0]
    (told,) = eventually(lambda: notices(person))
    assert told["standingOrderId"] == made["id"] and told["amount"] == money("5.00")
    assert "paused" not in told["text"] and person.get(f"{PATH}/{made['id']}")["paused"] is False
    # It is not tried again: what comes later is for the next day.
    person.post("/v1/transactions", {"accountId": payer["id"], "amount": money("50.00")})
    time.sleep(1.5)
    assert len(executions(person, made)) == 3 and balance_of(person, payer) == 52
    assert len(notices(person)) == 1


@pytest.mark.parametrize("is_payer", [True, False])
def test_a_closed_account_pauses_it(person: Person, suite: Suite, is_payer: bool) -> None:
    other = Person(suite)
    current(other, "EUR")
    payer, payee = current(person, "EUR"), current(other, "EUR")
    made = order(person, payer["id"], toIban=payee["iban"], startDate=later(1))
    closing, closed = (person, payer) if is_payer else (other, payee)
    closing.call("DELETE", f"/v1/accounts/{closed['id']}", 204)
    make_due(suite, made, 5)
    (skipped,) = ended(person, made)
    assert skipped["state"] == "skipped" and skipped["reason"] == "account-closed"
    found = person.get(f"{PATH}/{made['id']}")
    assert found["paused"] is True and "nextDate" not in found
    (told,) = eventually(lambda: notices(person))
    assert "paused" in told["text"]


def test_pausing_and_resuming_skip_what_passed(person: Person, suite: Suite) -> None:
    payer, payee = current(person, "EUR", "100.00"), wallet(person)
    made = order(person, payer["id"], toAccountId=payee, startDate=later(1))
    path = f"{PATH}/{made['id']}"
    paused = person.call("PATCH", path, 200, json={"paused": True})
    assert paused["paused"] is True and "nextDate" not in paused
    assert person.get(f"{path}/occurrences")["items"] == []
    psql(
        suite,
        "update ledger.standing_order set anchor = anchor - 9, next_day = next_day - 9 "
        f"where id = '{made['id']}'",
    )
    time.sleep(1.2)
    assert executions(person, made) == []
    resumed = person.call("PATCH", path, 200, json={"paused": False})
    assert resumed["nextDate"] == today().isoformat()
    (paid,) = ended(person, made)
    assert paid["date"] == today().isoformat() and paid["number"] == 8
    assert balance_of(person, payer) == 95
    # Today was paid: resumed again, it goes on tomorrow.
    person.call("PATCH", path, 200, json={"paused": True})
    assert person.call("PATCH", path, 200, json={"paused": False})["nextDate"] == later(1)


def test_a_change_needs_the_version_that_was_read(person: Person) -> None:
    payer, payee = current(person, "EUR"), wallet(person)
    made = order(person, payer["id"], toAccountId=payee, startDate=later(3), reference="old")
    path = f"{PATH}/{made['id']}"
    tag = person.send("GET", path).headers["etag"]
    body = {
        "amount": money("7.00"), "reference": None, "recurrence": {"every": 2, "unit": "week"},
    }  # fmt: skip
    changed = person.call("PATCH", path, 200, json=body, headers={"If-Match": tag})
    assert changed["amount"] == money("7.00") and "reference" not in changed
    assert changed["nextDate"] == later(3) and changed["version"] == made["version"] + 1
    for method, said in (("PATCH", {"json": {"paused": True}}), ("DELETE", {})):
        stale = {"headers": {"If-Match": tag}} | said
        person.problem(method, path, 412, "precondition-failed", **stale)
    assert person.call("PATCH", path, 200, json={})["version"] == changed["version"]
    person.problem("PATCH", path, 422, "currency-mismatch", json={"amount": money("1", "JPY")})
    person.problem("PATCH", path, 422, "invalid-body", json={"amount": money("0.00")})
    person.call("DELETE", path, 204)
    for method, said in (("GET", {}), ("PATCH", {"json": {}}), ("DELETE", {})):
        person.problem(method, path, 404, "not-found", **said)
    assert person.get(PATH)["items"] == []


def pointers(person: Person, body: dict[str, Any]) -> set[str]:
    problem = person.problem("POST", PATH, 422, "invalid-body", json=body)
    return {error["pointer"] for error in problem["errors"]}


def test_all_bad_fields_are_told_at_once(person: Person, suite: Suite) -> None:
    assert pointers(person, {}) == {"/fromAccountId", "/amount", "/recurrence"}
    assert pointers(person, {
        "fromAccountId": "x", "toIban": "y", "toAccountId": 1, "amount": money("-1.00"),
        "reference": "r" * 141, "recurrence": {"every": 0, "unit": "hour"},
        "startDate": "2026-02-30", "hold": True,
    }) == {
        "/fromAccountId", "/toIban", "/toAccountId", "/amount/amount", "/reference",
        "/recurrence/every", "/recurrence/unit", "/startDate", "/hold",
    }  # fmt: skip
    payer = current(person, "EUR")
    body = {"fromAccountId": payer["id"], "amount": money("1.00")}
    both = {"toIban": payer["iban"], "toAccountId": payer["id"]}
    passed = {"startDate": later(-3), "recurrence": DAILY | {"until": later(-4)}}
    wanted = {"/toIban", "/startDate", "/recurrence/until"}
    assert pointers(person, body | passed) == pointers(person, body | both | passed) == wanted
    plain = body | {"recurrence": DAILY}
    # And so of a change.
    stands = person.post(PATH, plain | {"toAccountId": wallet(person)}, key=str(uuid.uuid4()))
    change = {"recurrence": DAILY | {"until": later(-1)}, "reference": "\U0001d15e" * 140}
    problem = person.problem("PATCH", f"{PATH}/{stands['id']}", 422, "invalid-body", json=change)
    assert {one["pointer"] for one in problem["errors"]} == {"/recurrence/until", "/reference"}
    person.call("DELETE", f"{PATH}/{stands['id']}", 204)
    assert pointers(person, plain | {"toAccountId": payer["id"]}) == {"/toAccountId"}
    stranger = wallet(Person(suite))
    for name, there in (("toAccountId", plain), ("fromAccountId", plain | {"toIban": "x" * 15})):
        for nobody in (stranger, str(uuid.uuid4())):
            assert pointers(person, there | {name: nobody}) == {f"/{name}"}
    said = plain | {"toIban": "IT60X0542811101000000123456"}
    person.problem("POST", PATH, 422, "unknown-iban", json=said)
    said = plain | {"toAccountId": wallet(person), "amount": money("1", "JPY")}
    person.problem("POST", PATH, 422, "currency-mismatch", json=said)
    said = plain | {"toAccountId": wallet(person), "amount": money(HUGE, "CLF")}
    assert pointers(person, said) == {"/amount/amount"}
    closed = wallet(person)
    person.call("DELETE", f"/v1/accounts/{closed}", 204)
    person.problem("POST", PATH, 409, "account-closed", json=plain | {"toAccountId": closed})
    without = person.http.post(
        PATH, json=said, headers={"Authorization": f"Bearer {person.token}"}
    )  # fmt: skip
    assert without.status_code == 400 and without.json()["code"] == "idempotency-key-required"
    assert person.get(PATH)["items"] == []


def test_a_shared_wallet_pays_by_its_owner_alone(person: Person, suite: Suite) -> None:
    owner = Person(suite)
    shared = wallet(owner)
    asked = {"username": person.username, "role": "editor"}
    sent = owner.post(f"/v1/accounts/{shared}/members", asked)
    person.post(f"/v1/invitations/{sent['id']}/acceptance", status=200)
    body = {
        "fromAccountId": shared, "toAccountId": wallet(person), "amount": money("1.00"),
        "recurrence": DAILY,
    }  # fmt: skip
    person.problem("POST", PATH, 403, "forbidden", json=body)


def test_strangers_find_nothing(person: Person, suite: Suite) -> None:
    made = order(person, wallet(person), toAccountId=wallet(person), startDate=later(1))
    stranger = Person(suite)
    for name in (made["id"], str(uuid.uuid4()), "x"):
        path = f"{PATH}/{name}"
        for method, where, said in (
            ("GET", path, {}), ("PATCH", path, {"json": {"paused": True}}), ("DELETE", path, {}),
            ("PATCH", path, {"json": {"amount": money("9.00")}}),
            ("GET", f"{path}/occurrences", {}),
        ):  # fmt: skip
            stranger.problem(method, where, 404, "not-found", **said)
    assert stranger.get(PATH)["items"] == []
    assert person.get(f"{PATH}/{made['id']}")["version"] == 1


def test_between_two_currencies_each_day_is_converted(person: Person) -> None:
    euros, dollars = current(person, "EUR", "100.00"), current(person, "USD")
    made = order(person, euros["id"], "50.00", toAccountId=dollars["id"])
    assert made["currency"] == "USD" and made["amount"] == money("50.00")
    (paid,) = ended(person, made)
    transfer = person.get(f"/v1/transfers/{paid['transferId']}")
    assert transfer["debit"] == money("50.00") and transfer["rate"]
    assert balance_of(person, dollars) == value(transfer["credit"]) > 0
    yen = current(person, "JPY")
    body = {
        "fromAccountId": yen["id"], "toAccountId": euros["id"], "amount": money("1", "JPY"),
        "recurrence": DAILY,
    }  # fmt: skip
    person.problem("POST", PATH, 422, "amount-too-small", json=body)


def test_orders_to_others_want_a_proof_above_the_sum(person: Person, suite: Suite) -> None:
    payer = current(person, "EUR", "9000.00")
    theirs = current(Person(suite), "EUR")["iban"]
    to_them = {"toIban": theirs, "startDate": later(30)}
    proved = order(person, payer["id"], "3000.00", **to_them)
    make_stale(suite, person)

    def refused(amount: str, **fields: Any) -> None:
        body = {"fromAccountId": payer["id"], "amount": money(amount), "recurrence": DAILY}
        person.problem("POST", PATH, 403, "step-up-required", json=body | to_them | fields)

    refused("1000.01")
    # Several without a proof are one sum, whenever they are due, and though they are paused.
    small = order(person, payer["id"], "600.00", **to_them)
    path = f"{PATH}/{small['id']}"
    refused("400.01")
    person.call("PATCH", path, 200, json={"paused": True})
    refused("400.01", startDate=later(1))
    order(person, payer["id"], "400.00", **to_them)
    person.problem("PATCH", path, 403, "step-up-required", json={"amount": money("600.01")})
    person.call("PATCH", path, 200, json={"amount": money("599.00"), "paused": False})
    # One that was proved is asked for another proof where it changes, and for none where it rests.
    large = f"{PATH}/{proved['id']}"
    for body in ({"amount": money("2999.00")}, {"recurrence": {"every": 1, "unit": "week"}}):
        person.problem("PATCH", large, 403, "step-up-required", json=body)
    person.call("PATCH", large, 200, json={"reference": "rent", "paused": True})
    # One's own accounts are nobody else.
    order(person, payer["id"], "5000.00", toAccountId=wallet(person), startDate=later(1))
    # Not due within a day, they take nothing from transfers; from a day before they do.
    transfer = {"fromAccountId": payer["id"], "toIban": theirs, "amount": money("2.00")}
    person.post("/v1/transfers", transfer)
    psql(
        suite,
        "update ledger.standing_order set look_at = now() + interval '20 hours' "
        f"where user_id = '{person.id}' and not is_own and not is_proved",
    )
    person.problem("POST", "/v1/transfers", 403, "step-up-required", json=transfer)
    # What was sent counts for what is ordered.
    refused("0.01")


def test_what_is_ordered_with_a_proof_is_paid_without(person: Person, suite: Suite) -> None:
    payer = current(person, "EUR", "9000.00")
    other = Person(suite)
    theirs = current(other, "EUR")
    made = order(person, payer["id"], "3000.00", toIban=theirs["iban"], startDate=later(1))
    make_stale(suite, person)
    make_due(suite, made, 2)
    assert [one["state"] for one in ended(person, made, 2)] == ["paid", "paid"]
    assert balance_of(other, theirs) == 6000
    transfer = {
        "fromAccountId": payer["id"], "toIban": theirs["iban"], "amount": money("1.00")
    }  # fmt: skip
    person.problem("POST", "/v1/transfers", 403, "step-up-required", json=transfer)


def test_whoever_follows_changes_learns_of_a_payees_new_name(person: Person, suite: Suite) -> None:
    other = Person(suite, firstName="Barbara")
    payer, theirs = current(person, "EUR", "20.00"), current(other, "EUR")
    made = order(person, payer["id"], toIban=theirs["iban"])
    ended(person, made)
    follower = Follower(person)
    follower.catch_up()
    follower.check()
    other.call("PATCH", "/v1/users/me", 200, json={"firstName": "Rosalind"})
    path = f"{PATH}/{made['id']}"
    eventually(lambda: person.get(path)["payee"].startswith("Ro"))
    follower.catch_up()
    assert follower.copy["standingOrder"][made["id"]] == person.get(path)
    follower.check()


@pytest.mark.parametrize("first", ["9999-12-31", "9999-12-01"])
def test_the_end_of_the_calendar_is_no_trap(person: Person, first: str) -> None:
    made = order(
        person, wallet(person), toAccountId=wallet(person), startDate=first,
        recurrence={"every": 1000, "unit": "year"},
    )  # fmt: skip
    told = person.get(f"{PATH}/{made['id']}/occurrences")["items"]
    assert [one["date"] for one in told] == [first]


def test_it_is_in_the_export(person: Person) -> None:
    made = order(person, wallet(person), toAccountId=wallet(person), reference="in the file")
    ended(person, made)
    export = person.post(EXPORTS, status=202)
    ready(person, export)
    lists, _ = contents(person, export)
    (found,) = lists["standing-orders"]
    assert found["id"] == made["id"] and found["reference"] == "in the file"
    assert [one["state"] for one in found["executions"]] == ["paid"]


def test_two_replicas_never_pay_a_day_twice(person: Person, suite: Suite) -> None:
    """The order is put back in time again and again under both: each day's key stands."""
    payer, payee = current(person, "EUR", "900.00"), wallet(person)
    made = order(person, payer["id"], "1.00", toAccountId=payee, startDate=later(1))
    make_due(suite, made, 30)
    for _ in range(20):
        psql(
            suite,
            "update ledger.standing_order set next_number = 0, next_day = anchor, look_at = now() "
            f"where id = '{made['id']}'",
        )
        time.sleep(0.1)
    eventually(lambda: person.get(f"{PATH}/{made['id']}").get("nextDate") == later(1))
    days = psql(
        suite,
        "select count(*), count(distinct day), count(distinct transfer_id) "
        f"from ledger.standing_order_execution where order_id = '{made['id']}'",
    )
    assert days == "30|30|30"
    assert balance_of(person, payer) == 870 and len(rows_of(person, payee)) == 30


@pytest.mark.timeout(180)
def test_no_day_is_lost_or_paid_twice_by_kills(person: Person, suite: Suite) -> None:
    """Both replicas killed again and again while months of days are made up for."""
    pairs = [(current(person, "EUR", "100.00"), wallet(person)) for _ in range(4)]
    orders = [
        order(person, payer["id"], "1.00", toAccountId=payee, startDate=later(1))
        for payer, payee in pairs
    ]
    for one in orders:
        make_due(suite, one, DAYS)
    for turn in range(6):
        time.sleep(0.4)
        # The one that has not come back yet has nothing to be killed.
        with contextlib.suppress(OSError, ValueError):
            os.kill(suite.pid(f"ezwallet-ledger-{turn % 2 + 1}"), signal.SIGKILL)
    for one, (payer, payee) in zip(orders, pairs, strict=True):
        eventually(
            lambda one=one: person.get(f"{PATH}/{one['id']}").get("nextDate") == later(1),
            seconds=90,
        )
        states = psql(
            suite,
            "select string_agg(distinct state || number / 100, ' '), count(*), max(number) "
            f"from ledger.standing_order_execution where order_id = '{one['id']}'",
        )
        assert states == f"paid0 skipped1|{DAYS}|{DAYS - 1}", states
        assert balance_of(person, payer) == 0 and len(rows_of(person, payee)) == 100
    eventually(lambda: len(notices_of_all(person)) == 4 * (DAYS - 100))


#: Where a payment is when its process is killed: before what it writes of each, and in the commit.
STEPS = {
    "the money": "before insert on ledger.entry",
    "the day": "before insert on ledger.standing_order_execution",
    "the next day": "before update of next_number on ledger.standing_order",
    "the commit": "after insert on ledger.standing_order_execution deferrable initially deferred",
}


@contextlib.contextmanager
def held_up(suite: Suite, step: str) -> Iterator[None]:
    """Whoever comes to a step stays there for a while."""
    kind = "constraint trigger" if "deferrable" in step else "trigger"
    psql(
        suite,
        "create function public.held_up() returns trigger language plpgsql as $$ begin "
        "perform pg_sleep(2); return new; end $$; "
        f"create {kind} held_up {step} for each row execute function public.held_up()",
    )
    try:
        yield
    finally:
        psql(suite, "drop function public.held_up() cascade")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.timeout(120)
def test_a_kill_at_any_step_pays_once(person: Person, suite: Suite, step: str) -> None:
    payer, payee = current(person, "EUR", "10.00"), wallet(person)
    made = order(person, payer["id"], "4.00", toAccountId=payee, startDate=later(1))
    asleep = "select count(*) from pg_stat_activity where wait_event = 'PgSleep'"
    with held_up(suite, STEPS[step]):
        make_due(suite, made, 1)
        eventually(lambda: psql(suite, asleep) != "0")
        for replica in (1, 2):
            os.kill(suite.pid(f"ezwallet-ledger-{replica}"), signal.SIGKILL)
        # It ends without whoever asked for it: at the commit as done, before it as never begun.
        eventually(lambda: psql(suite, asleep) == "0")
    (paid,) = ended(person, made)
    assert paid["state"] == "paid" and paid["date"] == today().isoformat()
    time.sleep(1.2)
    assert balance_of(person, payer) == 6 and len(rows_of(person, payee)) == 1
    assert person.get(f"{PATH}/{made['id']}")["nextDate"] == later(1)
    assert notices(person) == []


def notices_of_all(person: Person) -> list[dict[str, Any]]:
    items = person.pages("/v1/notifications", limit=200)
    return [item for item in items if item["kind"] == "standing-order-skipped"]
