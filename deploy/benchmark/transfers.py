"""Durable transfers through the gateway beside pgbench on the same server."""

import asyncio
import os
import re
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from benchmark.load import wrk
from benchmark.people import make, write
from benchmark.pgbench import pgbench_of
from benchmark.rounds import Report, medians, say
from suite.suite import Suite


def fdatasync_microseconds(folder: Path) -> float:
    """The mean time of one fdatasync after 8 KiB written, as the log of a commit is."""
    file = folder / "fdatasync"
    descriptor = os.open(file, os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        os.pwrite(descriptor, bytes(16 << 20), 0)
        os.fsync(descriptor)
        begin = time.perf_counter()
        for index in range(500):
            os.pwrite(descriptor, os.urandom(8192), index * 8192)
            os.fdatasync(descriptor)
        return (time.perf_counter() - begin) / 500 * 1e6
    finally:
        os.close(descriptor)
        file.unlink()


class Books:
    """What the ledger holds, read from its database to be held against the answers."""

    def __init__(self, suite: Suite):
        self.suite = suite

    def number(self, query: str) -> int:
        return int(self.suite.postgres.psql("-c", query, database="ezwallet_ledger"))

    def transfers(self) -> int:
        return self.number("select count(*) from ledger.transfer")

    def total(self) -> int:
        return self.number("select coalesce(sum(amount), 0) from ledger.balance")


def transfer_round(
    suite: Suite, accounts: Path, connections: int, seconds: int,
    others: Callable[[], int] = lambda: 0,
) -> tuple[float, float]:  # fmt: skip
    """One run of wrk: its rate and its p99 in us; afterwards the books must agree with the answers.

    `others` waits for whoever else makes transfers meanwhile, and tells how many it were.
    """
    books = Books(suite)
    before, total = books.transfers(), books.total()
    os.environ |= {"ACCOUNTS": str(accounts), "RUN": uuid.uuid4().hex}
    script = Path(__file__).parent / "transfers.lua"
    rate, said = wrk(suite.address, connections, seconds, 2, "-s", str(script))
    created = int(re.search(r"Created: (\d+)", said).group(1))
    refused = int(re.search(r"Refused: (\d+)", said).group(1))
    # wrk hangs up on what is in flight when its time is over: that may be booked or not.
    time.sleep(1.0)
    created += others()
    booked = books.transfers() - before
    if refused or not created <= booked <= created + connections:
        raise RuntimeError(f"{created} answered, {refused} refused, {booked} booked")
    if books.total() != total:
        raise RuntimeError(f"the sum of all balances was {total} and is {books.total()}")
    p99 = float(re.search(r"P99: (\d+)", said).group(1))
    say(f"  {connections} connections: {created} answered, {booked} booked, p99 {p99:.0f} us")
    return rate, p99


def measure_transfers(suite: Suite, report: Report, seconds: int) -> None:
    """Transfers at 64 and 256 connections, pgbench in between."""
    accounts = write(asyncio.run(make(suite)), suite.folder / "accounts")
    pgbench = pgbench_of(suite)
    suite.postgres.psql("-c", "analyze", database="ezwallet_ledger")
    suite.postgres.psql("-c", "checkpoint")
    narrow, wide, peer = medians(
        lambda: transfer_round(suite, accounts, 64, seconds)[0],
        lambda: transfer_round(suite, accounts, 256, seconds)[0],
        lambda: pgbench.tps(seconds),
    )
    disk = f"fdatasync {fdatasync_microseconds(suite.folder):.0f} us"
    for connections, ours in ((64, narrow), (256, wide)):
        name = f"transfers, {connections} connections / pgbench -c 16 -s 50"
        report.add(name, ours, peer, f"per second ({disk})")
