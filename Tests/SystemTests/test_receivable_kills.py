"""Shared expenses in somebody's books while the ledger is killed: all of a posting, or nothing."""

import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from decimal import Decimal

import httpx
import pytest

from actions import current, psql, sealed, verify
from client import Person, eventually
from conftest import hurt_suite
from faults import connect, restart, surely
from faults import hurt as kill_on
from receivables import Payer, today
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups"]
SECONDS, WRITERS = 20.0, 6
hurt = pytest.fixture(scope="module")(hurt_suite)


def kill(suite: Suite) -> None:
    for replica in (1, 2):
        restart(suite, f"ezwallet-ledger-{replica}")


@contextmanager
def killed_while(suite: Suite, held: str, call) -> Iterator[None]:
    """The ledger is killed while the call's posting waits for an account."""

    def attempt() -> None:
        with suppress(httpx.TransportError):
            call()

    with ThreadPoolExecutor(1) as pool, connect(suite, "ezwallet_ledger") as lock:
        lock.execute("select 1 from ledger.balance where account_id = %s for update", [held])
        called = pool.submit(attempt)
        time.sleep(0.5)
        kill(suite)
        lock.rollback()
        called.result()
    yield


def test_a_posting_cut_off_is_posted_by_the_next_call(hurt: Suite) -> None:
    payer, posting = Payer(hurt), str(uuid.uuid4())
    body = payer.expense("100.00", "20.00")

    def call(version: int = 1) -> None:
        asked = body | {"version": version}
        payer.inside.send("PUT", payer.path(posting), json=asked, retry=False)

    # On the account alone, and where the receivable is held, too.
    with killed_while(hurt, payer.purse, call):
        pass
    assert surely(payer.inside, "PUT", payer.path(posting), body)[0] == 200
    assert payer.stands() == (900, 80)
    edited = payer.expense("60.00", "10.00", 2)
    with killed_while(hurt, payer.receivable(), lambda: call(2)):
        pass
    assert surely(payer.inside, "PUT", payer.path(posting), edited)[0] == 200
    stands = payer.stands()
    # The call that was cut off asked for version 2 as well: either of them stands, as a whole.
    assert stands in ((900, 80), (940, 50))
    with killed_while(
        hurt,
        payer.receivable(),
        lambda: payer.inside.send("DELETE", payer.path(posting), retry=False),
    ):
        pass
    assert surely(payer.inside, "DELETE", payer.path(posting))[0] == 204
    assert payer.stands() == (1000, 0)


def test_a_settlement_cut_off_clears_all_or_nothing(hurt: Suite) -> None:
    payer, bob = Payer(hurt), Person(hurt)
    pocket = current(bob, "EUR", "100.00")["id"]
    payer.posted("100.00", "20.00")
    owed = payer.receivable()

    def call() -> None:
        with suppress(AssertionError, StopIteration):
            payer.settle(bob, pocket, "30.00")

    with killed_while(hurt, owed, call):
        pass

    def stands() -> tuple[Decimal, Decimal]:
        return payer.stands()

    assert eventually(stands, 20, until=lambda found: found in ((900, 80), (930, 50)))


class Books:
    """What several people were told, in cents, while the ledger dies again and again."""

    def __init__(self, suite: Suite, number: int, seed: int):
        self.chance = random.Random(seed + number)
        self.payer = Payer(suite, "9000.00")
        #: What each id was last asked for: paid and share, or nothing where it was withdrawn.
        self.postings: dict[str, tuple[int, int] | None] = {}
        self.versions: dict[str, int] = {}
        self.cleared: dict[str, int] = {}

    def act(self) -> None:
        payer = self.payer
        kind = self.chance.choice(["new", "new", "edit", "withdraw", "clear", "unclear"])
        if kind == "clear":
            clearing, amount = str(uuid.uuid4()), self.chance.randint(1, 300)
            body = {
                "accountId": payer.purse, "date": today(), "name": "Bob",
                "amount": payer.expense(f"{amount}.00", "0.00")["paid"],
            }  # fmt: skip
            assert surely(payer.inside, "PUT", payer.cleared_at(clearing), body)[0] == 200
            self.cleared[clearing] = amount * 100
            return
        if kind == "unclear" and self.cleared:
            clearing = self.chance.choice(sorted(self.cleared))
            assert surely(payer.inside, "DELETE", payer.cleared_at(clearing))[0] == 204
            self.cleared[clearing] = 0
            return
        live = sorted(one for one, booked in self.postings.items() if booked)
        posting = str(uuid.uuid4())
        if kind != "new" and live:
            posting = self.chance.choice(live)
        if kind == "withdraw" and live:
            status, answer = surely(payer.inside, "DELETE", payer.path(posting))
            if status == 409:
                assert answer["code"] == "already-settled"
            else:
                self.postings[posting] = None
            return
        paid = self.chance.randint(1, 50)
        share = self.chance.randint(0, paid)
        version = self.versions.get(posting, 0) + 1
        body = payer.expense(f"{paid}.00", f"{share}.00", version)
        status, answer = surely(payer.inside, "PUT", payer.path(posting), body)
        if status == 409:
            assert answer["code"] == "already-settled", answer
        else:
            assert status == 200, answer
            self.postings[posting], self.versions[posting] = (paid * 100, share * 100), version

    def check(self, note: str) -> None:
        booked = [one for one in self.postings.values() if one]
        cleared = sum(self.cleared.values())
        paid = sum(one[0] for one in booked)
        shares = sum(one[1] for one in booked)
        balance, owed = self.payer.stands()
        assert balance * 100 == 900_000 - paid + cleared, note
        assert owed * 100 == paid - shares - cleared, note
        assert self.payer.counted()[1] * 100 == shares, note


def test_books_are_whole_whatever_dies(hurt: Suite) -> None:
    seed = random.SystemRandom().randrange(2**32)
    books = [Books(hurt, number, seed) for number in range(WRITERS)]
    stop, done, acts = threading.Event(), Counter(), Counter()

    def write(one: Books) -> None:
        while not stop.is_set():
            one.act()
            acts["done"] += 1

    until = time.monotonic() + SECONDS
    killing = threading.Thread(
        target=kill_on,
        args=(hurt, random.Random(seed), stop, done, 1.5),
        kwargs={"kinds": ("ledger", "ledger", "connections")},
    )
    killing.start()
    with ThreadPoolExecutor(WRITERS) as pool:
        writing = [pool.submit(write, one) for one in books]
        while time.monotonic() < until and not any(one.done() for one in writing):
            time.sleep(0.1)
        stop.set()
        for one in writing:
            one.result()
    killing.join()
    hurt.up()
    assert done["ledger"] > 0 and acts["done"] > 20, (done, acts)
    for one in books:
        one.check(f"seed {seed}")
    eventually(lambda: sealed(hurt), 60)
    proof = verify(hurt)
    assert proof.returncode == 0, f"seed {seed}: {proof.stdout}{proof.stderr}"
    assert psql(hurt, "select count(*) from ledger.account where kind = 'receivable'") != "0"
