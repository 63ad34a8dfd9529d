"""An account that is in every transfer, and one that somebody slow holds."""

import asyncio
import json
import statistics
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from benchmark.bench import Bench
from benchmark.people import Connection, Person, make, write
from benchmark.rounds import Run, say
from benchmark.transfers import PGBENCH, Posting, posting_round
from loader.load import session
from suite.suite import Suite

HOT_PARTNERS = 200
NEIGHBOURS, ACCOUNTS_EACH = 40, 20
#: How long the account is held, and how often somebody asks for it meanwhile.
HELD_SECONDS, ASKED_EVERY = 3, 0.1


def measure_hot(bench: Bench) -> None:
    """64 connections whose every transfer is to or from one account."""
    (person,) = asyncio.run(make(bench.suite, 1, HOT_PARTNERS + 1))
    hot, *partners = person.accounts
    # Two accounts a line: `postings.lua` has no other choice.
    pairs = [Person(person.token, [hot, partner]) for partner in partners]
    posting = Posting("own", write(pairs, bench.suite.folder / "hot"))
    pgbench, seconds = bench.pgbench, bench.extent.seconds
    bench.settle()
    ours, peer = bench.turns(
        lambda: posting_round(bench, posting, 64, seconds), lambda: pgbench.round(seconds)
    )
    bench.report.rates("one hot account, 64 connections", PGBENCH, ours, peer)


@contextmanager
def held(suite: Suite, account: str, seconds: float) -> Iterator[None]:
    """The account's balance is locked by a session that takes its time."""
    psql = session(suite, subprocess.PIPE)
    lock = f"select 'held' from ledger.balance where account_id = '{account}' for update"
    psql.stdin.write(f"begin;\n{lock};\n".encode())
    psql.stdin.flush()
    if psql.stdout.readline().strip() != b"held":
        raise RuntimeError(f"psql: {psql.communicate()[1].decode()}")
    psql.stdin.write(f"select pg_sleep({seconds});\ncommit;\n".encode())
    psql.stdin.close()
    try:
        yield
    finally:
        if psql.wait(30):
            raise RuntimeError(f"psql: {psql.stderr.read().decode()}")


class Member:
    """Somebody who asks for the account all the time, at the same pace held or not."""

    def __init__(self, suite: Suite, person: Person):
        self.suite, self.token = suite, person.token
        self.body = json.dumps(
            {
                "fromAccountId": person.accounts[0],
                "toAccountId": person.accounts[1],
                "amount": {"amount": "0.01", "currency": "EUR"},
            }
        ).encode()
        self.statuses: list[int] = []
        self.asking = threading.Thread(target=lambda: asyncio.run(self.ask()))

    async def ask(self) -> None:
        """Transfers, each on a connection of its own."""

        async def one(number: int) -> None:
            await asyncio.sleep(number * ASKED_EVERY)
            connection = await Connection(self.suite).open()
            status, _ = await connection.call("POST", "/v1/transfers", self.body, self.token)
            self.statuses.append(status)
            connection.writer.close()

        await asyncio.gather(*(one(number) for number in range(int(HELD_SECONDS / ASKED_EVERY))))

    def begin(self) -> None:
        """Asks from now on, beside whatever else is done."""
        self.asking.start()

    def booked(self) -> int:
        """How many of them were booked, once all are answered."""
        self.asking.join(60)
        say(f"  somebody slow: {len(self.statuses)} answers, {sorted(set(self.statuses))}")
        if self.asking.is_alive() or set(self.statuses) - {201, 503}:
            raise RuntimeError(f"somebody slow was answered {self.statuses}")
        return self.statuses.count(201)


def measure_held(bench: Bench) -> None:
    """The rate and the slowest hundredth of everybody else, with and without."""
    suite = bench.suite
    *neighbours, slow = asyncio.run(make(suite, NEIGHBOURS + 1, ACCOUNTS_EACH))
    posting = Posting("own", write(neighbours, suite.folder / "neighbours"))
    bench.settle()

    def round(is_held: bool) -> Run:
        member = Member(suite, slow)
        account = slow.accounts[0]
        # It ends behind wrk, whose rounds begin and end a little late.
        with held(suite, account, HELD_SECONDS + 0.5) if is_held else nullcontext():
            member.begin()
            return posting_round(bench, posting, 64, HELD_SECONDS, others=member.booked)

    ours, peer = bench.turns(lambda: round(True), lambda: round(False))
    name = "neighbours of a held account / of none"
    figures: list[tuple[str, Callable[[Run], float], str]] = [
        ("rate", lambda run: run.rate, "per second"),
        ("p99", lambda run: run.p99, "us"),
        ("processor", lambda run: run.cost, "µs"),
    ]
    for what, of, unit in figures:
        bench.report.add(
            f"{name}, {what}", statistics.median(map(of, ours)), statistics.median(map(of, peer)),
            unit,
        )  # fmt: skip
