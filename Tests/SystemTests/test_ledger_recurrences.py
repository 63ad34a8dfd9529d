"""Transactions that come again: rested, changed, ended, and through kills of the ledger."""

import contextlib
import datetime
import os
import signal
import time
import uuid

import pytest

from actions import wallet
from client import Person, eventually, money, value
from recurrences import begin, today
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "notifications"]
#: Of a schedule that is made up for.
DAYS = 600


def days(person: Person, account: str) -> list[str]:
    rows = person.pages("/v1/transactions", accountId=account, sort="date", limit=200)
    return [row["date"] for row in rows]


def test_what_has_passed_is_made_up_for_once(person: Person) -> None:
    account = wallet(person, "EUR")
    schedule = begin(person, account, "-5.00", 24)
    wanted = [(today() - datetime.timedelta(days=n)).isoformat() for n in range(24, -1, -1)]
    eventually(lambda: days(person, account), until=lambda found: found == wanted)
    found = person.get(f"/v1/recurrences/{schedule['id']}")
    assert found["nextDate"] == (today() + datetime.timedelta(days=1)).isoformat()
    assert found["last"]["date"] == today().isoformat() and found["last"]["state"] == "posted"
    occurrences = person.get(f"/v1/recurrences/{schedule['id']}/occurrences")
    assert len(occurrences["items"]) == len(occurrences["past"]) == 10
    assert occurrences["items"][0] == {"number": 25, "date": found["nextDate"]}
    assert value(person.get(f"/v1/accounts/{account}")["balance"]) == -125


def test_month_ends_are_kept(person: Person) -> None:
    account = wallet(person, "EUR")
    person.post(
        "/v1/transactions",
        {
            "accountId": account, "amount": money("1.00"), "date": "2028-01-31",
            "recurrence": {"every": 1, "unit": "month", "until": "2028-12-31"},
        },
    )  # fmt: skip
    (schedule,) = person.get("/v1/recurrences")["items"]
    next_ten = person.get(f"/v1/recurrences/{schedule['id']}/occurrences")["items"]
    assert [item["date"] for item in next_ten] == [
        "2028-02-29", "2028-03-31", "2028-04-30", "2028-05-31", "2028-06-30", "2028-07-31",
        "2028-08-31", "2028-09-30", "2028-10-31", "2028-11-30",
    ]  # fmt: skip


def test_a_schedule_rests_changes_and_ends(person: Person) -> None:
    account = wallet(person, "EUR")
    schedule = begin(person, account, "-5.00", 2)
    path = f"/v1/recurrences/{schedule['id']}"
    eventually(lambda: days(person, account), until=lambda found: len(found) == 3)
    answer = person.send("GET", path)
    version = answer.headers["etag"]
    rested = person.send("PATCH", path, json={"active": False}, headers={"If-Match": version})
    assert rested.status_code == 200 and "nextDate" not in rested.json()
    assert person.get(f"{path}/occurrences")["items"] == []
    stale = person.send("PATCH", path, json={"active": True}, headers={"If-Match": version})
    assert stale.status_code == 412
    tomorrow = (today() + datetime.timedelta(days=1)).isoformat()
    food = person.post("/v1/categories", {"name": "Food"})["id"]
    changed = person.call(
        "PATCH", path, 200,
        json={"active": True, "amount": money("-7.00"), "name": "dear rent", "categoryId": food},
    )  # fmt: skip
    assert changed["nextDate"] == tomorrow and changed["amount"] == money("-7.00")
    assert changed["categoryId"] == food and changed["name"] == "dear rent"
    weekly = person.call("PATCH", path, 200, json={"recurrence": {"every": 1, "unit": "week"}})
    assert weekly["nextDate"] == (today() + datetime.timedelta(days=5)).isoformat()
    assert person.call("PATCH", path, 200, json={})["version"] == weekly["version"]
    person.problem("PATCH", path, 422, "currency-mismatch", json={"amount": money("1", "JPY")})
    person.call("DELETE", path, 204)
    person.problem("GET", path, 404, "not-found")
    assert len(days(person, account)) == 3


@pytest.mark.parametrize("body", [
    {"recurrence": {"every": 1, "unit": "week"}, "amount": money("-2.00")},
    {"active": False},
])  # fmt: skip
def test_what_is_due_when_a_schedule_changes_is_posted_as_it_was(
    person: Person, body: dict[str, object]
) -> None:
    account = wallet(person, "EUR")
    schedule = begin(person, account, "-1.00", 600)
    person.call("PATCH", f"/v1/recurrences/{schedule['id']}", 200, json=body)
    begun = today() - datetime.timedelta(days=600)
    wanted = [(begun + datetime.timedelta(days=one)).isoformat() for one in range(601)]
    assert sorted(days(person, account)) == wanted
    assert value(person.get(f"/v1/accounts/{account}")["balance"]) == -601
    time.sleep(1.2)
    assert len(days(person, account)) == 601


def test_what_is_refused_is_left_out_and_told(person: Person) -> None:
    account = person.post("/v1/accounts", {"kind": "current"})["id"]
    person.post("/v1/transactions", {"accountId": account, "amount": money("12.00")})
    schedule = begin(person, account, "-5.00", 3)
    path = f"/v1/recurrences/{schedule['id']}"
    found = eventually(
        lambda: person.get(path), until=lambda found: found["last"]["date"] == today().isoformat()
    )
    assert found["last"]["state"] == "skipped"
    assert found["last"]["reason"] == "insufficient-funds"
    assert found["active"] is True
    told = eventually(
        lambda: [
            item
            for item in person.get("/v1/notifications")["items"]
            if item["kind"] == "recurrence-skipped"
        ],
        until=lambda found: len(found) == 2,
    )
    assert {item["recurrenceId"] for item in told} == {schedule["id"]}
    assert value(person.get(f"/v1/accounts/{account}")["balance"]) == 2


def test_a_schedule_that_ends_before_it_begins_is_refused(person: Person) -> None:
    account = wallet(person, "EUR")
    body = {
        "accountId": account, "amount": money("-1.00"), "date": today().isoformat(),
        "recurrence": {"every": 1, "unit": "day", "until": "2020-01-01"},
    }  # fmt: skip
    told = person.problem("POST", "/v1/transactions", 422, "invalid-body", json=body)
    assert [(e["pointer"], e["code"]) for e in told["errors"]] == [
        ("/recurrence/until", "out-of-range")
    ]
    schedule = begin(person, account, "-5.00", 2)
    told = person.problem(
        "PATCH", f"/v1/recurrences/{schedule['id']}", 422, "invalid-body",
        json={"recurrence": body["recurrence"]},
    )  # fmt: skip
    assert [(e["pointer"], e["code"]) for e in told["errors"]] == [
        ("/recurrence/until", "out-of-range")
    ]


def test_schedules_and_standing_orders_end_with_their_last_day(person: Person) -> None:
    account, other = wallet(person, "EUR"), wallet(person, "EUR")
    ago = [(today() - datetime.timedelta(days=n)).isoformat() for n in range(4)]
    schedule = begin(person, account, "5.00", 3, until=ago[1])
    wanted = [ago[3], ago[2], ago[1]]
    eventually(lambda: days(person, account), until=lambda found: found == wanted)
    body = {
        "fromAccountId": account, "toAccountId": other, "amount": money("2.00"),
        "startDate": ago[0], "recurrence": {"every": 1, "unit": "day", "until": ago[0]},
    }  # fmt: skip
    order = person.post("/v1/standing-orders", body)
    paths = [f"/v1/recurrences/{schedule['id']}", f"/v1/standing-orders/{order['id']}"]
    for path, last in zip(paths, (ago[1], ago[0]), strict=True):
        found = eventually(
            lambda path=path: person.get(path),
            until=lambda one, last=last: one.get("last", {}).get("date") == last,
        )
        assert "nextDate" not in found and found["recurrence"]["until"] == last
        assert person.get(f"{path}/occurrences")["items"] == []
    time.sleep(0.6)
    assert value(person.get(f"/v1/accounts/{account}")["balance"]) == 13


def test_nobody_elses_schedule_is_seen(person: Person, suite: Suite) -> None:
    account = wallet(person, "EUR")
    schedule = begin(person, account, "-5.00", 0)
    other = Person(suite)
    path = f"/v1/recurrences/{schedule['id']}"
    other.problem("GET", path, 404, "not-found")
    other.problem("PATCH", path, 404, "not-found", json={"active": False})
    other.problem("DELETE", path, 404, "not-found")
    other.problem("GET", f"/v1/recurrences/{uuid.uuid4()}/occurrences", 404, "not-found")
    assert other.get("/v1/recurrences")["items"] == []


@pytest.mark.timeout(180)
def test_no_day_is_lost_or_doubled_by_kills(person: Person, suite: Suite) -> None:
    """Both replicas killed again and again while years of days are made up for."""
    accounts = [wallet(person, "EUR") for _ in range(4)]
    for account in accounts:
        begin(person, account, "-1.00", DAYS)
    for turn in range(6):
        time.sleep(0.5)
        # The one that has not come back yet has nothing to be killed.
        with contextlib.suppress(OSError, ValueError):
            os.kill(suite.pid(f"ezwallet-ledger-{turn % 2 + 1}"), signal.SIGKILL)
    for account in accounts:
        wanted = [(today() - datetime.timedelta(days=n)).isoformat() for n in range(DAYS, -1, -1)]
        found = eventually(
            lambda account=account: days(person, account),
            seconds=60,
            until=lambda found: len(found) > DAYS,
        )
        assert found == wanted
        assert value(person.get(f"/v1/accounts/{account}")["balance"]) == -DAYS - 1
