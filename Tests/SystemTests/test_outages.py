"""PostgreSQL or NATS away: the services wait, say so, and recover by themselves."""

import time
from collections.abc import Iterator

import pytest

from actions import Group
from client import Person, eventually, mails, money, value
from conftest import make_suite
from faults import restart, without
from suite.executables import EXECUTABLES
from suite.suite import Suite
from traces import Broker, on_subject

NEEDS = EXECUTABLES


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of one replica each, which these tests may hurt."""
    suite = make_suite(replicas=1)
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("server", ["postgres-1", "nats-server-1"])
def test_services_start_before_their_servers_and_recover(own: Suite, server: str) -> None:
    services = [f"ezwallet-{name}-1" for name in own.executables.services()]
    without(own, server)
    for service in services:
        restart(own, service)
    if server == "postgres-1":
        for service in services:
            eventually(lambda service=service: "database" in own.log_tail(service, 40).lower())
            assert not own.is_ready(service)
    own.apply()
    own.wait_ready(30)
    Person(own).get("/v1/accounts")


@pytest.mark.timeout(120)
def test_without_the_broker_every_write_succeeds_and_its_events_come_later(own: Suite) -> None:
    without(own, "nats-server-1")
    person = Person(own)
    (wallet,) = person.get("/v1/accounts")["items"]
    amount = {"amount": "-1.00", "currency": "EUR"}
    person.post("/v1/transactions", {"accountId": wallet["id"], "amount": amount})
    own.apply()
    eventually(lambda: mails(own, person.email), seconds=60)
    # The transaction's event has reached analytics.
    eventually(
        lambda: value(person.get("/v1/reports/summary")["expenses"]), seconds=60,
        until=lambda spent: spent == 1,
    )  # fmt: skip
    # Auth's relay finds the broker again in its own time.
    # They registered, and were there that day.
    eventually(lambda: on_subject(own, person.id), until=lambda told: told == ["user.active"] * 2)


@pytest.mark.timeout(180)
def test_a_deleted_stream_is_made_again_and_loses_nothing(own: Suite) -> None:
    group = Group(own)
    (wallet,) = group.ada.get("/v1/accounts")["items"]

    def work() -> None:
        """A posting, which the journal holds, and an event of the outbox."""
        spent = {"accountId": wallet["id"], "amount": money("-1.00")}
        group.ada.post("/v1/transactions", spent)
        group.expense("3.00")

    def told() -> tuple[int, int]:
        lines = group.bob.get("/v1/notifications", limit=200)["items"]
        spent = value(group.ada.get("/v1/reports/summary")["expenses"])
        return int(spent), [one["kind"] for one in lines].count("expense-added")

    work()
    eventually(told, seconds=60, until=lambda seen: seen[1] == 1 and seen[0] > 0)
    first = told()[0]
    readers = ["ezwallet-analytics-1", "ezwallet-notifications-1"]
    broker = Broker(own)

    def published() -> int:
        return broker.ask("$JS.API.STREAM.INFO.EZWALLET", {})["state"]["last_seq"]

    try:
        for reader in readers:
            without(own, reader)
        before = published()
        for _ in range(5):
            work()
        # All of it is on the stream, no reader has it, and the stream goes.
        eventually(published, until=lambda last: last >= before + 10)
        time.sleep(1)
        assert broker.ask("$JS.API.STREAM.DELETE.EZWALLET", {})["success"]
        for _ in range(5):
            work()
        own.apply()
        own.wait_ready(60)
        eventually(told, seconds=90, until=lambda seen: seen == (11 * first, 11))
        assert published() > 0
    finally:
        broker.close()
