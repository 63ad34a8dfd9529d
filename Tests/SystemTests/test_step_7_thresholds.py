"""Step 7: a threshold is crossed; the feed has it, and so has the open stream of events."""

import pytest

from actions import Group
from client import Person, eventually, money
from stream import Stream
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "notifications"]


def crossings(person: Person) -> list[dict]:
    items = person.get("/v1/notifications")["items"]
    return [one for one in items if one["kind"] == "threshold-crossed"]


@pytest.mark.timeout(90)
def test_crossing_a_threshold_tells_every_member_once(suite: Suite) -> None:
    group = Group(suite)
    threshold = group.bob.post(f"{group.path}/thresholds", {"amount": money("150.00")})
    stream = Stream(group.bob)
    group.expense("100.00")
    assert not crossings(group.bob)
    group.expense("50.01", name="Heating")
    _, event = stream.next("threshold-crossed")
    (mine,) = eventually(lambda: crossings(group.bob))
    assert event["id"] == mine["id"]
    eventually(lambda: len(crossings(group.ada)) == 1)
    group.expense("1000.00", name="Roof")
    group.expense("1.00", name="Nail")
    # A group's events are told in their order.
    eventually(
        lambda: [one["kind"] for one in group.bob.get("/v1/notifications")["items"]],
        until=lambda kinds: kinds.count("expense-added") == 4,
    )
    assert len(crossings(group.bob)) == 1
    assert threshold["amount"] == money("150.00")
    stream.close()


def test_expenses_and_settlements_reach_the_feeds_of_the_others(suite: Suite) -> None:
    group = Group(suite)

    def feed(person: Person) -> list[str]:
        kinds = [one["kind"] for one in person.get("/v1/notifications")["items"]]
        return [kind for kind in kinds if not kind.startswith("invitation")]

    group.expense("90.00")
    eventually(lambda: [feed(group.bob), feed(group.cleo)] == [["expense-added"]] * 2)
    group.bob.post(f"{group.path}/settlements", {"withMemberId": group.of_ada})
    eventually(lambda: feed(group.ada) == ["settlement-recorded"])
    assert feed(group.bob) == feed(group.cleo) == ["expense-added"]


@pytest.mark.timeout(90)
def test_a_stream_resumes_after_the_last_event_seen(suite: Suite) -> None:
    group = Group(suite)
    for amount in ("10.00", "20.00"):
        group.ada.post(f"{group.path}/thresholds", {"amount": money(amount)})
    first = Stream(group.bob)
    group.expense("15.00")
    seen, _ = first.next("threshold-crossed")
    first.close()
    group.expense("15.00")
    eventually(lambda: len(crossings(group.bob)) == 2)
    again, event = Stream(group.bob, last=seen).next("threshold-crossed")
    assert again != seen and event["id"] in {one["id"] for one in crossings(group.bob)}


def test_notifications_are_read_and_counted(suite: Suite) -> None:
    group = Group(suite)
    group.ada.post(f"{group.path}/thresholds", {"amount": money("1.00")})
    group.expense("2.00")
    (mine,) = eventually(lambda: crossings(group.bob))
    before = group.bob.get("/v1/notifications")["unreadCount"]
    answer = group.bob.send("POST", f"/v1/notifications/{mine['id']}/read")
    assert answer.status_code in (200, 204)
    assert group.bob.get("/v1/notifications")["unreadCount"] == before - 1
