"""What follows the journal, while all of it is killed, and after it has lost all that it had."""

import os
import random
import shutil
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from actions import sealed, verify
from client import Person, eventually, value
from conftest import make_suite
from contenders import funded
from faults import euros, hurt, surely, without
from suite.executables import EXECUTABLES
from suite.postgres import home_for
from suite.suite import Suite

NEEDS = EXECUTABLES
SECONDS = float(os.environ.get("EZWALLET_JOURNAL_SECONDS", "20"))
WRITERS, PEOPLE = 16, 4
#: What each account begins with, in cents: more than is spent.
OPENING = 100_000_000
KINDS = ("ledger", "analytics", "notifications", "connections", "broker", "postgres")


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of two replicas each, which these tests may hurt."""
    suite = make_suite()
    # Whoever sends to others again and again would be asked for proofs.
    suite.executables.extra["ledger"]["EZWALLET_STEP_UP_AMOUNT"] = "0"
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


class Books:
    """What people were told they had done, in cents."""

    def __init__(self, suite: Suite):
        self.suite = suite
        self.lock = threading.Lock()
        self.people = [Person(suite) for _ in range(PEOPLE)]
        for number, person in enumerate(self.people):
            person.accounts = [funded(person, place, OPENING) for place in (0, 1)]
            person.category = person.post("/v1/categories", {"name": f"Own {number}"})["id"]
        self.totals: defaultdict[str, Counter] = defaultdict(Counter)
        self.named: list[tuple[Person, str]] = []
        for person in self.people:
            self.totals[person.id]["income"] = len(person.accounts) * OPENING

    def act(self, chance: random.Random) -> None:
        """One thing that moves money, repeated by its key until it is answered."""
        person = chance.choice(self.people)
        account = chance.choice(person.accounts)["id"]
        amount = chance.randint(1, 500)
        kind = chance.choice(["spend", "spend", "own", "send", "send", "batch"])
        if kind == "spend":
            name = f"w{chance.getrandbits(64):x}"
            body = {"accountId": account, "amount": euros(-amount), "name": name}
            body["categoryId"] = person.category
            assert surely(person, "POST", "/v1/transactions", body)[0] == 201
            with self.lock:
                self.totals[person.id]["expenses"] += amount
                self.named.append((person, name))
        elif kind == "own":
            counter = next(one["id"] for one in person.accounts if one["id"] != account)
            body = {"fromAccountId": account, "toAccountId": counter, "amount": euros(amount)}
            assert surely(person, "POST", "/v1/transfers", body)[0] == 201
        else:
            payee = chance.choice([one for one in self.people if one is not person])
            iban = chance.choice(payee.accounts)["iban"]
            body = {"fromAccountId": account, "toIban": iban, "amount": euros(amount)}
            count = 1
            if kind == "send":
                status, _ = surely(person, "POST", "/v1/transfers", body)
            else:
                count = chance.randint(2, 9)
                body = {"transfers": [body] * count, "atomic": True}
                status, _ = surely(person, "POST", "/v1/transfers/batches", body)
            assert status == (201 if kind == "send" else 200)
            with self.lock:
                self.totals[person.id]["expenses"] += count * amount
                self.totals[payee.id]["income"] += count * amount
                self.totals[payee.id]["notices"] += count

    def check(self, note: str) -> None:
        """Whoever follows the journal says what people were told."""
        for person in self.people:
            self.check_person(person, note)
        for person, name in self.named[:: max(1, len(self.named) // 40)]:
            assert found(person, name) == [name], note

    def check_person(self, person: Person, note: str) -> None:
        total = self.totals[person.id]
        expected = (total["income"], total["expenses"])
        eventually(lambda: reported(person), 90, until=lambda figures: figures == expected)
        notices = eventually(
            lambda: received(person), 90, until=lambda lines: len(lines) >= total["notices"]
        )
        assert len(notices) == len(set(notices)) == total["notices"], note


def cents(money: dict) -> int:
    return int(value(money) * 100)


def reported(person: Person) -> tuple[int, int]:
    summary = person.get("/v1/reports/summary")
    return cents(summary["income"]), cents(summary["expenses"])


def found(person: Person, name: str) -> list[str]:
    rows = eventually(lambda: person.get("/v1/transactions", query=name)["items"])
    return [one["name"] for one in rows]


def received(person: Person) -> list[str]:
    lines = person.pages("/v1/notifications", limit=200)
    return [one["id"] for one in lines if one["kind"] == "transfer-received"]


@pytest.mark.timeout(400)
def test_followers_of_the_journal_are_exact_whatever_is_killed_or_lost(own: Suite) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    chance = random.Random(seed)
    books = Books(own)
    stop = threading.Event()
    until = time.monotonic() + SECONDS

    def writer(number: int) -> int:
        mine = random.Random(seed + 1 + number)
        steps = 0
        while time.monotonic() < until:
            books.act(mine)
            steps += 1
        return steps

    done: Counter = Counter()
    with ThreadPoolExecutor(WRITERS + 1) as pool:
        hurting = pool.submit(hurt, own, chance, stop, done, 1.2, kinds=KINDS)
        try:
            steps = sum(pool.map(writer, range(WRITERS)))
        finally:
            stop.set()
        hurting.result()
    print(f"{steps} steps, killed {done}")
    assert all(done[kind] for kind in KINDS), done
    own.postgres.wait()
    own.wait_ready()
    books.check(f"seed {seed}, killed {done}")
    eventually(lambda: sealed(own), 60)
    assert verify(own).returncode == 0, f"seed {seed}"

    lose_all(own)
    for _ in range(20):
        books.act(chance)
    books.check(f"seed {seed}, all lost")


def lose_all(suite: Suite) -> None:
    """Takes all that the broker and analytics have, and starts them with nothing."""
    plan = suite.programs
    for replica in (1, 2):
        stopped = f"ezwallet-analytics-{replica}"
        suite.programs = [one for one in suite.programs if one.name != stopped]
    suite.apply()
    without(suite, "nats-server-1")
    store = home_for(suite.folder, "nats")
    shutil.rmtree(store / "jetstream")
    suite.postgres.psql("-c", "drop database ezwallet_analytics")
    suite.postgres.make_database("analytics")
    suite.command("analytics", "migrate", environment=suite.executables.migration("analytics"))
    suite.programs = plan
    suite.apply()
    suite.wait_ready()
