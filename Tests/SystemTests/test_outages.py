"""PostgreSQL or NATS away: the services wait, say so, and recover by themselves."""

from collections.abc import Iterator

import pytest

from client import Person, eventually, mails, value
from conftest import make_suite
from faults import restart, without
from suite.executables import EXECUTABLES
from suite.suite import Suite
from traces import on_subject

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
