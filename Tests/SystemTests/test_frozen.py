"""A replica that is frozen, not dead: it takes what comes and answers nothing."""

import os
import signal
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from decimal import Decimal

import httpx
import pytest

from actions import balance_of, current
from client import TRANSIENT, Person, eventually, money, value
from expense_links import Shared, finish
from families import ME, Family, purse
from faults import surely
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]
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


@contextmanager
def frozen_ledger(suite: Suite) -> Iterator[None]:
    """Both replicas take what comes, and answer nothing."""
    pids = [suite.pid(f"ezwallet-ledger-{replica}") for replica in (1, 2)]
    try:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def unanswered(person: Person, path: str, bodies: dict[str, dict]) -> None:
    """Asks for each under its key, of which none is said to be done."""
    person.http.timeout = httpx.Timeout(60)
    with ThreadPoolExecutor(len(bodies)) as pool:
        answers = pool.map(
            lambda key: person.send("POST", path, json=bodies[key], key=key, retry=False), bodies
        )
        said = [one.status_code for one in answers]
    assert set(said) <= TRANSIENT, said


@pytest.mark.alone
@pytest.mark.timeout(180)
def test_a_frozen_ledger_leaves_each_linked_expense_once_or_not_at_all(suite: Suite) -> None:
    shared = Shared(suite)
    kept = shared.add("9.00")
    bodies = {str(uuid.uuid4()): shared.body("30.00") for _ in range(4)}
    settling = {
        str(uuid.uuid4()): {
            "withMemberId": shared.group.of_bob, "accountId": shared.purse["id"],
            "amount": money("1.00"),
        }
    }  # fmt: skip
    settlements = f"{shared.group.path}/settlements"
    with frozen_ledger(suite):
        unanswered(shared.ada, shared.path, bodies)
        unanswered(shared.ada, settlements, settling)
        # An own edit is the group's at once, and the ledger follows.
        changed = shared.ada.call("PATCH", shared.at(kept), 200, json={"amount": money("60.00")})
        assert changed["link"]["state"] == "pending" and len(shared.expenses()) == 1
    # Two are asked for again, of the others nobody wants to know any more.
    for key in list(bodies)[:2]:
        status, made = surely(shared.ada, "POST", shared.path, bodies[key], key=key)
        assert status == 201 and made["link"]["state"] == "current"
    for key, body in settling.items():
        assert surely(shared.ada, "POST", settlements, body, key=key)[0] == 201
    finish(suite, 60)
    assert shared.state(kept) == "current" and len(shared.expenses()) == 3
    assert sorted(value(one["amount"]) for one in shared.rows()) == [-60, -30, -30, 1]
    assert shared.left() == Decimal(881)


@pytest.mark.alone
@pytest.mark.timeout(180)
def test_a_frozen_ledger_pays_each_allowance_once_or_not_at_all(suite: Suite) -> None:
    family = Family(suite)
    account, child = current(family.mother, "EUR", "100.00"), family.child
    saved = purse(child)
    path = f"{ME}/children/{child.id}/allowances"
    body = {"amount": money("7.00"), "fromAccountId": account["id"]}
    bodies = {str(uuid.uuid4()): body for _ in range(4)}
    rule = {"recurrence": {"every": 1, "unit": "month"}}
    bodies[str(uuid.uuid4())] = body | rule
    with frozen_ledger(suite):
        unanswered(family.mother, path, bodies)
        assert family.mother.get(path)["items"] == []
    asked = list(bodies)[2:]
    for key in asked:
        assert surely(family.mother, "POST", path, bodies[key], key=key)[0] == 201
    again = family.mother.get(path)["items"]
    assert [one["amount"] for one in again] == [money("7.00")]
    for key in asked:
        answer = family.mother.send("POST", path, json=bodies[key], key=key)
        assert answer.status_code == 201 and answer.headers["idempotency-replayed"] == "true"

    def moved() -> tuple[Decimal, Decimal]:
        return 100 - balance_of(family.mother, account), value(purse(child)["balance"])

    assert saved["id"] == purse(child)["id"]
    # What nobody asked for again was paid as it thawed, or never is: as a whole.
    paid, got = eventually(moved, until=lambda both: both[0] == both[1])
    assert paid in (21, 28, 35) and got == paid
