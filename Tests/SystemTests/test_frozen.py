"""A replica that is frozen, not dead, costs nothing but the requests that it holds."""

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from client import Person, money
from conftest import make_suite
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES
#: The seconds are those of a machine that does nothing else.
pytestmark = pytest.mark.alone
#: Longer than anybody's word on what is revoked counts for.
FROZEN_SECONDS = 12.0
WRITERS = 4


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of two replicas each, which these tests may hurt."""
    suite = make_suite()
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


class Writer(threading.Thread):
    """Somebody who records one transaction after the other, and never asks twice for one."""

    def __init__(self, suite: Suite):
        super().__init__()
        self.person = Person(suite)
        self.statuses: list[int] = []
        self.slowest = 0.0
        self.stopping = threading.Event()

    def run(self) -> None:
        while not self.stopping.wait(0.05):
            begin = time.monotonic()
            answer = self.person.send(
                "POST", "/v1/transactions", json={"amount": money("-1.00")}, retry=False
            )
            self.slowest = max(self.slowest, time.monotonic() - begin)
            self.statuses.append(answer.status_code)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("replica", [1, 2])
def test_a_frozen_replica_of_auth_costs_writers_nothing(own: Suite, replica: int) -> None:
    writers = [Writer(own) for _ in range(WRITERS)]
    for writer in writers:
        writer.person.post("/v1/transactions", {"amount": money("-1.00")})
        writer.start()
    pid = own.pid(f"ezwallet-auth-{replica}")
    time.sleep(1.0)
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(FROZEN_SECONDS)
    finally:
        os.kill(pid, signal.SIGCONT)
    time.sleep(1.0)
    for writer in writers:
        writer.stopping.set()
        writer.join()
    statuses = [status for writer in writers for status in writer.statuses]
    assert len(statuses) > WRITERS * FROZEN_SECONDS
    assert set(statuses) == {201}, {one: statuses.count(one) for one in set(statuses)}
    assert max(writer.slowest for writer in writers) < 5.0
