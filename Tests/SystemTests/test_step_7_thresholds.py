"""Step 7: a threshold is crossed; the feed has it, and so has the open stream of events."""

import contextlib
import json
import queue
import threading

import httpx
import pytest

from actions import Group
from client import Api, Person, eventually, money
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "notifications"]


class Stream:
    """The server-sent events of somebody, read in a thread until it ends."""

    def __init__(self, person: Person, last: str | None = None):
        self.api = Api(person.suite, person.token)
        self.events: queue.Queue[tuple[str, dict]] = queue.Queue()
        self.open = threading.Event()
        self.last = last
        threading.Thread(target=self.read, daemon=True).start()
        assert self.open.wait(10), "the stream does not open"

    def read(self) -> None:
        with contextlib.suppress(httpx.TransportError):  # closed from the other thread
            self.follow()

    def follow(self) -> None:
        headers = {"Authorization": f"Bearer {self.api.token}", "Accept": "text/event-stream"}
        if self.last:
            headers["Last-Event-ID"] = self.last
        identifier, data = "", []
        with self.api.http.stream(
            "GET", "/v1/notifications/stream", headers=headers, timeout=60
        ) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            self.open.set()
            for line in answer.iter_lines():
                if line.startswith("id:"):
                    identifier = line[3:].strip()
                elif line.startswith("data:"):
                    data.append(line[5:].strip())
                elif not line and data:
                    self.events.put((identifier, json.loads("\n".join(data))))
                    data = []

    def next(self, kind: str, seconds: float = 15) -> tuple[str, dict]:
        """The next event of a kind."""
        while True:
            identifier, event = self.events.get(timeout=seconds)
            if event.get("kind") == kind:
                return identifier, event

    def close(self) -> None:
        self.api.http.close()


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
