"""An account that is in every transfer, and one that somebody slow holds."""

import asyncio
import json
import statistics
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from benchmark.people import Connection, make, write
from benchmark.pgbench import pgbench_of
from benchmark.rounds import ROUNDS, Report, medians, say
from benchmark.transfers import transfer_round
from loader.load import session
from suite.suite import Suite

HOT_PARTNERS = 200
NEIGHBOURS, ACCOUNTS_EACH = 40, 20
#: How long the account is held, and how often somebody asks for it meanwhile.
HELD_SECONDS, ASKED_EVERY = 3, 0.1


def measure_hot(suite: Suite, report: Report, seconds: int) -> None:
    """64 connections whose every transfer is to or from one account."""
    ((token, (hot, *partners)),) = asyncio.run(make(suite, 1, HOT_PARTNERS + 1)).items()
    # Two accounts a line: `transfers.lua` has no other choice.
    file = suite.folder / "hot"
    file.write_text("".join(f"{token} {hot} {partner}\n" for partner in partners))
    pgbench = pgbench_of(suite)
    suite.postgres.psql("-c", "analyze", database="ezwallet_ledger")
    suite.postgres.psql("-c", "checkpoint")
    ours, peer = medians(
        lambda: transfer_round(suite, file, 64, seconds)[0], lambda: pgbench.tps(seconds)
    )
    report.add("one hot account, 64 connections / pgbench -c 16 -s 50", ours, peer, "per second")


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

    def __init__(self, suite: Suite, token: str, accounts: list[str]):
        self.suite, self.token = suite, token
        self.body = json.dumps(
            {
                "fromAccountId": accounts[0],
                "toAccountId": accounts[1],
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


def measure_held(suite: Suite, report: Report) -> None:
    """The rate and the slowest hundredth of everybody else, with and without."""
    accounts = asyncio.run(make(suite, NEIGHBOURS + 1, ACCOUNTS_EACH))
    token, own = accounts.popitem()
    file = write(accounts, suite.folder / "neighbours")
    suite.postgres.psql("-c", "analyze", database="ezwallet_ledger")
    suite.postgres.psql("-c", "checkpoint")
    told: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for turn in range(ROUNDS + 1):
        for is_held, rounds in told.items():
            member = Member(suite, token, own)
            # It ends behind wrk, whose rounds begin and end a little late.
            with held(suite, own[0], HELD_SECONDS + 0.5) if is_held else nullcontext():
                member.begin()
                found = transfer_round(suite, file, 64, HELD_SECONDS, others=member.booked)
            if turn > 0:
                rounds.append(found)
    for index, name, unit in ((0, "rate", "per second"), (1, "p99", "us")):
        report.add(
            f"neighbours of a held account / of none, {name}",
            statistics.median(found[index] for found in told[True]),
            statistics.median(found[index] for found in told[False]), unit,
        )  # fmt: skip
