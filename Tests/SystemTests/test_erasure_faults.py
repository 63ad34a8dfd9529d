"""Erasures while PostgreSQL cuts auth's connections, or dies."""

import contextlib
import random
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from client import Person, eventually
from conftest import make_suite
from erasures import completed, last_mails
from faults import restart
from suite.executables import EXECUTABLES
from suite.suite import Suite
from traces import in_databases, in_stream, on_subject

NEEDS = EXECUTABLES

#: All of auth's connections, or every other one: relays, claims and calls alike.
CUT = """
select count(pg_terminate_backend(pid))
from pg_stat_activity
where datname = 'ezwallet_auth' and pid <> pg_backend_pid() and (pid % 2 = {0} or {0} = 2)
"""


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of two replicas each, which these tests may hurt."""
    suite = make_suite()
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


def begin(person: Person) -> dict | None:
    """Asks for the deletion until it is answered; None: it was begun, and the receipt is lost."""
    body, key = {"password": person.password}, str(uuid.uuid4())
    answer = person.send("POST", "/v1/users/me/deletion", json=body, key=key)
    if answer.status_code == 202:
        return answer.json()
    # The answer to the first call was lost with its connection; the token has ended since.
    assert answer.status_code in (401, 403), answer.text
    return None


def expect_erased(suite: Suite, people: list[Person], receipts: list[dict | None]) -> None:
    """One erasure each, finished, with nothing left."""
    for person, receipt in zip(people, receipts, strict=True):
        if receipt:
            completed(suite, receipt, 90)

        def stages(person: Person = person) -> list[str]:
            query = f"select stage from auth.erasure where user_id = '{person.id}'"
            return suite.postgres.psql("-c", query, database="ezwallet_auth").split()

        eventually(stages, seconds=90, until=lambda found: found == ["4"])
        assert not in_databases(suite, [person.email, person.username])
        assert not in_stream(suite, [person.email])
        assert on_subject(suite, person.id) == ["user.erased"]
        eventually(lambda person=person: last_mails(suite, person) == 1, seconds=60)
    # What the log tells of it is whole.
    assert "as it was written" in suite.command("auth", "verify-audit")


@pytest.mark.timeout(240)
def test_connections_cut_at_any_moment_end_in_one_erasure(own: Suite) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    chance = random.Random(seed)
    people = [Person(own) for _ in range(3)]
    stop = threading.Event()

    def cut() -> int:
        count = 0
        while not stop.wait(chance.random() * 0.4):
            query = CUT.format(chance.randrange(3))
            count += int(own.postgres.psql("-c", query, database="ezwallet_auth"))
        return count

    with ThreadPoolExecutor(1) as pool:
        cutting = pool.submit(cut)
        try:
            receipts = [begin(person) for person in people]
            time.sleep(3)
        finally:
            stop.set()
    assert cutting.result() > 20
    assert any(receipts)
    expect_erased(own, people, receipts)


@pytest.mark.timeout(240)
def test_a_server_killed_at_any_moment_ends_in_one_erasure(own: Suite) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    chance = random.Random(seed)
    people = [Person(own) for _ in range(4)]
    receipts = []
    for person in people:
        receipts.append(begin(person))
        time.sleep(chance.random() * 0.8)
        restart(own, "postgres-1")
        eventually(lambda: answers(own), seconds=60)
    assert any(receipts)
    expect_erased(own, people, receipts)


def answers(suite: Suite) -> bool:
    """Whether PostgreSQL takes calls again."""
    with contextlib.suppress(Exception):
        return suite.postgres.psql("-c", "select 1", database="ezwallet_auth").strip() == "1"
    return False
