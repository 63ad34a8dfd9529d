"""Shared expenses that come again: written down once a day, changed, rested, and through kills."""

import contextlib
import datetime
import os
import signal
import time
import uuid
from decimal import Decimal
from typing import Any

import pytest

from actions import Group
from client import Person, eventually, money
from recurrences import today
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "notifications"]
DAILY = {"every": 1, "unit": "day"}
#: Days that are made up for while replicas are killed.
DAYS = 150


@pytest.fixture
def group(suite: Suite) -> Group:
    return Group(suite)


def ago(days: int) -> str:
    return (today() - datetime.timedelta(days=days)).isoformat()


def begin(group: Group, days: int = 0, **fields: Any) -> dict[str, Any]:
    """A recurring expense of Ada's whose first day was a while ago, split among all."""
    parts = [{"memberId": member} for member in group.members]
    body = {
        "name": "Rent", "amount": money("9.00"), "date": ago(days),
        "split": {"kind": "equal", "parts": parts}, "recurrence": DAILY,
    }  # fmt: skip
    made = group.ada.post(f"{group.path}/expenses", body | fields)
    return made | {"path": f"{group.path}/recurrences/{made['recurrenceId']}"}


def days(group: Group, made: dict[str, Any]) -> list[str]:
    rows = group.bob.pages(f"{group.path}/expenses", sort="date", limit=200)
    return [row["date"] for row in rows if row.get("recurrenceId") == made["recurrenceId"]]


def notices(person: Person, kind: str) -> list[dict[str, Any]]:
    return [one for one in person.get("/v1/notifications")["items"] if one["kind"] == kind]


def test_what_has_passed_is_made_up_for_once(group: Group) -> None:
    made = begin(group, 5)
    wanted = [ago(number) for number in range(5, -1, -1)]
    eventually(lambda: days(group, made), until=lambda found: found == wanted)
    found = group.bob.get(made["path"])
    assert found["startDate"] == ago(5) and found["nextDate"] == ago(-1)
    assert found["last"]["date"] == today().isoformat() and found["last"]["state"] == "posted"
    assert found["addedBy"] == group.of_ada and found["active"] is True
    assert group.bob.get(f"{group.path}/recurrences")["items"] == [found]
    occurrences = group.cleo.get(f"{made['path']}/occurrences")
    assert occurrences["items"][0] == {"number": 6, "date": ago(-1)}
    assert [one["date"] for one in occurrences["past"]] == wanted[::-1]
    assert set(group.balances("EUR").values()) == {36, -18}
    # Each is an ordinary one, of Ada, who is not told of her own.
    last = group.bob.get(f"{group.path}/expenses/{found['last']['expenseId']}")
    assert last["addedBy"] == group.of_ada and last["name"] == "Rent"
    # Of the first and of the newest members are told, and of none of the days between them.
    eventually(lambda: notices(group.bob, "expense-added"), until=lambda told: len(told) == 2)
    assert not notices(group.ada, "expense-added")


def test_month_ends_are_kept(group: Group) -> None:
    rule = {"every": 1, "unit": "month", "until": "2028-12-31"}
    made = begin(group, date="2028-01-31", recurrence=rule)
    items = group.ada.get(f"{made['path']}/occurrences")["items"]
    assert [one["date"] for one in items][:3] == ["2028-02-29", "2028-03-31", "2028-04-30"]


def test_it_ends_with_its_last_day(group: Group) -> None:
    made = begin(group, 3, recurrence=DAILY | {"until": ago(1)})
    wanted = [ago(3), ago(2), ago(1)]
    eventually(lambda: days(group, made), until=lambda found: found == wanted)
    found = eventually(
        lambda: group.bob.get(made["path"]), until=lambda one: one["last"]["date"] == ago(1)
    )
    assert "nextDate" not in found and found["recurrence"]["until"] == ago(1)
    assert group.bob.get(f"{made['path']}/occurrences")["items"] == []
    time.sleep(0.5)
    assert days(group, made) == wanted


def test_it_is_changed_rested_and_ended_by_any_member(group: Group) -> None:
    made = begin(group)
    path = made["path"]
    alone = {"kind": "equal", "parts": [{"memberId": group.of_bob}]}
    body = {"amount": money("12.00"), "split": alone, "name": "Flat", "description": "all of it"}
    changed = group.bob.call("PATCH", path, 200, json=body)
    assert changed["amount"] == money("12.00") and changed["version"] == 2
    assert changed["paidBy"] == [{"memberId": group.of_ada, "amount": money("12.00")}]
    assert group.bob.call("PATCH", path, 200, json={})["version"] == 2
    stale = {"If-Match": '"1"'}
    group.bob.problem("PATCH", path, 412, "precondition-failed", json=body, headers=stale)
    group.bob.problem("DELETE", path, 412, "precondition-failed", headers=stale)
    rested = group.cleo.call("PATCH", path, 200, json={"active": False})
    assert rested["active"] is False and "nextDate" not in rested
    assert group.cleo.get(f"{path}/occurrences")["items"] == []
    rule = {"every": 2, "unit": "week"}
    resumed = group.cleo.call("PATCH", path, 200, json={"active": True, "recurrence": rule})
    assert resumed["nextDate"] == ago(-14)
    group.cleo.call("DELETE", path, 204)
    group.ada.problem("GET", path, 404, "not-found")
    assert days(group, made) == [today().isoformat()]


def test_tags_and_location_of_each_are_shown_and_changed(group: Group) -> None:
    duomo = {"lat": 45.464211, "lon": 9.191383, "label": "Duomo"}
    made = begin(group, tags=[" home ", "home", "flat"], location=duomo)
    path = made["path"]
    shown = group.bob.get(path)
    assert (shown["tags"], shown["location"]) == (["home", "flat"], duomo)
    assert group.bob.get(f"{group.path}/recurrences")["items"] == [shown]
    there = {"lat": -33.9, "lon": 151.2}
    changed = group.bob.call("PATCH", path, 200, json={"tags": [" sea"], "location": there})
    assert (changed["tags"], changed["location"], changed["version"]) == (["sea"], there, 2)
    assert group.cleo.call("PATCH", path, 200, json={"tags": ["sea"]})["location"] == there
    bare = group.cleo.call("PATCH", path, 200, json={"tags": [], "location": None})
    assert bare["tags"] == [] and "location" not in bare
    for wrong, pointer in (
        ({"tags": ["x" * 41]}, "/tags/0"), ({"location": {"lat": 91, "lon": 0}}, "/location/lat"),
        ({"tags": None}, "/tags"),
    ):  # fmt: skip
        problem = group.bob.problem("PATCH", path, 422, "invalid-body", json=wrong)
        assert [one["pointer"] for one in problem["errors"]] == [pointer]
    # What is written down from now on has them.
    wanted = {"tags": ["new"], "location": duomo}
    group.bob.call("PATCH", path, 200, json=wanted)
    late = begin(group, 3, tags=["old"])
    eventually(lambda: days(group, late), until=lambda found: len(found) == 4)
    rows = group.bob.pages(f"{group.path}/expenses", tag="old", limit=200)
    assert len(list(rows)) == 4


def test_every_bad_field_is_named(group: Group, suite: Suite) -> None:
    stranger = str(uuid.uuid4())
    for fields, pointers in (
        ({"recurrence": {"every": 0, "unit": "day"}}, ["/recurrence/every"]),
        ({"recurrence": DAILY | {"until": ago(1)}}, ["/recurrence/until"]),
        ({"recurrence": DAILY, "date": ago(2_000), "categoryId": stranger},
         ["/categoryId", "/recurrence"]),
    ):  # fmt: skip
        body = {"name": "Rent", "amount": money("9.00")} | fields
        answer = group.ada.problem("POST", f"{group.path}/expenses", 422, "invalid-body", json=body)
        assert [one["pointer"] for one in answer["errors"]] == pointers
    path = begin(group)["path"]
    body = {
        "categoryId": stranger, "recurrence": DAILY | {"until": ago(9)},
        "paidBy": [{"memberId": stranger, "amount": money("9.00")}],
    }  # fmt: skip
    answer = group.ada.problem("PATCH", path, 422, "invalid-body", json=body)
    assert [one["pointer"] for one in answer["errors"]] == [
        "/categoryId", "/recurrence/until", "/paidBy/0/memberId",
    ]  # fmt: skip
    # Of shape and of reference at once.
    body = {"name": "", "recurrence": {"every": 0, "unit": "day"}, "categoryId": stranger}
    answer = group.ada.problem("PATCH", path, 422, "invalid-body", json=body)
    assert [one["pointer"] for one in answer["errors"]] == [
        "/name", "/recurrence/every", "/categoryId",
    ]  # fmt: skip
    other = Person(suite)
    for method, said in (("GET", {}), ("PATCH", {"json": {}}), ("DELETE", {})):
        other.problem(method, path, 404, "not-found", **said)
    other.problem("GET", f"{group.path}/recurrences", 404, "not-found")


def test_who_leaves_ends_theirs_and_pauses_what_they_are_named_in(group: Group) -> None:
    made = begin(group, date=ago(-1))
    group.cleo.call("DELETE", f"{group.path}/members/me?force=true", 204)
    answer = group.ada.problem(
        "PATCH", made["path"], 422, "invalid-body", json={"amount": money("3.00")}
    )
    assert [one["pointer"] for one in answer["errors"]] == ["/split/parts/2/memberId"]
    short = begin_again(group)
    assert eventually(
        lambda: group.bob.get(short["path"]), until=lambda one: one["last"]["date"] == ago(0)
    )["active"]
    group.bob.post(f"{group.path}/expenses", {"name": "x", "amount": money("1.00")})
    group.ada.call("DELETE", f"{group.path}/members/me?force=true", 204)
    group.bob.problem("GET", made["path"], 404, "not-found")
    assert group.bob.get(f"{group.path}/recurrences")["items"] == []


def begin_again(group: Group) -> dict[str, Any]:
    parts = [{"memberId": member} for member in group.members[:2]]
    return begin(group, 2, split={"kind": "equal", "parts": parts})


def test_what_cannot_be_borne_is_left_out_and_told_to_its_maker(group: Group) -> None:
    made = begin(group, 1)
    eventually(lambda: days(group, made), until=lambda found: len(found) == 2)
    group.cleo.call("DELETE", f"{group.path}/members/me?force=true", 204)
    make_due(group, made)
    found = eventually(
        lambda: group.ada.get(made["path"]), until=lambda one: one["last"]["state"] == "skipped"
    )
    assert found["last"]["reason"] == "unknown-reference" and found["active"] is False
    (line,) = eventually(lambda: notices(group.ada, "expense-skipped"))
    assert line["groupId"] == group.id and line["recurrenceId"] == made["recurrenceId"]
    assert line["amount"] == money("9.00") and "{" not in line["text"]
    assert not notices(group.bob, "expense-skipped")
    assert len(days(group, made)) == 2


def make_due(group: Group, made: dict[str, Any]) -> None:
    """As though tomorrow had begun."""
    which = f"= '{made['recurrenceId']}'"
    for statement in (
        f"update groups.expense_occurrence set day = day - 1 where recurrence_id {which}",
        "update groups.expense_recurrence set anchor = anchor - 1, next_day = next_day - 1, "
        f"look_at = now() where id {which}",
    ):
        group.suite.postgres.psql("-c", statement, database="ezwallet_groups")


def test_an_archived_group_lets_them_rest(group: Group) -> None:
    path = begin(group)["path"]
    group.ada.call("PUT", f"{group.path}/archive", 200)
    assert group.bob.get(path)["active"] is False
    group.bob.problem("PATCH", path, 409, "group-archived", json={"active": True})
    group.ada.call("DELETE", f"{group.path}/archive", 200)
    assert group.bob.call("PATCH", path, 200, json={"active": True})["nextDate"] == ago(-1)


@pytest.mark.timeout(180)
def test_no_day_is_lost_or_doubled_by_kills(group: Group, suite: Suite) -> None:
    """Both replicas killed again and again while months of days are made up for."""
    made = [begin(group, DAYS, amount=money("0.03")) for _ in range(3)]
    for turn in range(6):
        time.sleep(0.5)
        # The one that has not come back yet has nothing to be killed.
        with contextlib.suppress(OSError, ValueError):
            os.kill(suite.pid(f"ezwallet-groups-{turn % 2 + 1}"), signal.SIGKILL)
    wanted = [ago(number) for number in range(DAYS, -1, -1)]
    for one in made:
        eventually(
            lambda one=one: days(group, one), seconds=90, until=lambda found: len(found) > DAYS
        )
        assert days(group, one) == wanted
    share = Decimal(3 * (DAYS + 1)) / 100
    assert sorted(group.balances("EUR").values()) == [-share, -share, 2 * share]
