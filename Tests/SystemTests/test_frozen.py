"""A replica that is frozen, not dead: it takes what comes and answers nothing."""

import os
import signal
import threading
import time
import uuid

import httpx
import pytest

from client import Person, money
from faults import surely
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]
WRITERS, FROZEN_SECONDS, SLOW_SECONDS = 8, 12.0, 1.0


class Writer(threading.Thread):
    """Records transactions one after the other, each once."""

    body = {"amount": money("-1.00"), "name": "tea"}

    def __init__(self, person: Person, until: threading.Event):
        super().__init__()
        self.person, self.until = person, until
        self.answers: list[tuple[float, float, int]] = []
        #: Of what was not said to be done: the client repeats it.
        self.unsure: list[str] = []
        person.http.timeout = httpx.Timeout(FROZEN_SECONDS + 15)

    def run(self) -> None:
        while not self.until.is_set():
            began = time.monotonic()
            key = str(uuid.uuid4())
            answer = self.person.send(
                "POST", "/v1/transactions", json=self.body, key=key, retry=False
            )
            self.answers.append((began, time.monotonic() - began, answer.status_code))
            if answer.status_code != 201:
                self.unsure.append(key)
            time.sleep(0.02)

    def repeat(self) -> None:
        """Everything was done once, and what was not said to be is done or repeated."""
        for key in self.unsure:
            surely(self.person, "POST", "/v1/transactions", self.body, key=key)
        rows = list(self.person.pages("/v1/transactions", limit=200))
        assert len(rows) == len(self.answers)


@pytest.mark.alone
@pytest.mark.timeout(120)
@pytest.mark.parametrize("replica", ["auth-1", "auth-2", "ledger-1"])
def test_a_frozen_replica_costs_writers_only_what_it_held(suite: Suite, replica: str) -> None:
    until = threading.Event()
    writers = [Writer(Person(suite), until) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        # Both replicas are known to be quick by now.
        time.sleep(2)
        pid = suite.pid(f"ezwallet-{replica}")
        os.kill(pid, signal.SIGSTOP)
        try:
            frozen = time.monotonic()
            time.sleep(FROZEN_SECONDS)
        finally:
            os.kill(pid, signal.SIGCONT)
        time.sleep(1)
    finally:
        until.set()
        for writer in writers:
            writer.join()
    answers = [answer for writer in writers for answer in writer.answers]
    # Whoever is not asked to write may be asked again elsewhere; a write is its client's to repeat.
    allowed = {201, 503, 504} if replica.startswith("ledger") else {201}
    assert {status for _, _, status in answers} <= allowed
    # What it held, and nothing at once: one that is asked as it thaws hears first whose rights
    # have ended meanwhile.
    assert all(seconds > SLOW_SECONDS for _, seconds, status in answers if status != 201)
    for writer in writers:
        writer.repeat()
    slow = [began - frozen for began, seconds, _ in answers if seconds > SLOW_SECONDS]
    # At most what each writer had under way there when it froze, or just before that was seen.
    assert len(slow) < WRITERS, slow
    assert all(since < 1.5 for since in slow), slow
    # The others went on all the while.
    ends = sorted(began + seconds for began, seconds, _ in answers)
    assert max(later - one for one, later in zip(ends, ends[1:], strict=False)) < SLOW_SECONDS
