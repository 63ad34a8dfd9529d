"""Limits of groups with expenses in other currencies, also while the ledger answers nothing."""

import os
import signal
import time
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal

import pytest

from actions import Group
from client import Person, eventually, money, value
from conftest import make_suite
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]
DAY = "2025-06-16"


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of one replica each, which these tests may hurt."""
    suite = make_suite(replicas=1)
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


def add(group: Group, amount: str, currency: str) -> dict:
    body = {"name": "Rent", "amount": money(amount, currency), "date": DAY}
    return group.ada.post(f"{group.path}/expenses", body)


def limit(group: Group) -> dict:
    (found,) = group.bob.get(f"{group.path}/thresholds")["items"]
    return found


def told(person: Person) -> list[dict]:
    lines = person.get("/v1/notifications", limit=200)["items"]
    return [one for one in lines if one["kind"] == "threshold-crossed"]


def in_euros(person: Person, amount: str, currency: str) -> Decimal:
    """By the day's rate, as it is published: units of the currency for one euro."""
    rate = Decimal(person.get("/v1/exchange-rates", base="EUR", date=DAY)["rates"][currency])
    return (Decimal(amount) / rate).quantize(Decimal("0.01"), ROUND_HALF_EVEN)


@pytest.mark.timeout(180)
def test_a_frozen_ledger_keeps_nobody_from_spending(own: Suite) -> None:
    group = Group(own)
    wanted = in_euros(group.ada, "150.00", "USD")
    group.ada.post(f"{group.path}/thresholds", {"amount": money("100.00")})
    ledger = own.pid("ezwallet-ledger-1")
    os.kill(ledger, signal.SIGSTOP)
    try:
        began = time.monotonic()
        made = add(group, "150.00", "USD")
        assert time.monotonic() - began < 2
        time.sleep(3)
        found = limit(group)
        assert found["unconverted"] == [money("150.00", "USD")]
        assert found["spent"] == money("0.00") and not found["crossed"]
        assert not told(group.bob)
    finally:
        os.kill(ledger, signal.SIGCONT)
    found = eventually(
        lambda: limit(group), seconds=60, until=lambda one: not one["unconverted"]
    )  # fmt: skip
    assert value(found["spent"]) == wanted and found["crossed"]
    (line,) = eventually(lambda: told(group.bob))
    path = f"{group.path}/expenses/{made['id']}"
    group.bob.call("DELETE", path, 204)
    assert limit(group)["spent"] == money("0.00")
    group.bob.call("POST", f"{path}/undo", 200)
    # At once, and by the same rate: nobody asks for it again.
    assert limit(group)["spent"] == found["spent"] and limit(group)["unconverted"] == []
    group.bob.call("PATCH", path, 200, json={"amount": money("90.00")})
    assert limit(group)["spent"] == money("90.00")
    assert told(group.bob) == [line]


def test_what_has_no_rate_stays_unconverted(own: Suite) -> None:
    group = Group(own)
    group.ada.post(f"{group.path}/thresholds", {"amount": money("100.00")})
    add(group, "900", "XAF")
    add(group, "20.00", "USD")
    found = eventually(lambda: limit(group), until=lambda one: len(one["unconverted"]) == 1)
    assert [one["currency"] for one in found["unconverted"]] == ["XAF"]
    assert value(found["spent"]) == in_euros(group.ada, "20.00", "USD")
    # What was there before a limit counts too, and nobody is told of it.
    group.bob.call("DELETE", f"{group.path}/thresholds/{found['id']}", 204)
    group.bob.post(f"{group.path}/thresholds", {"amount": money("1.00")})
    again = eventually(lambda: limit(group), until=lambda one: value(one["spent"]) > 0)
    assert again["spent"] == found["spent"] and again["crossed"]
    assert not told(group.ada)
