"""Durable postings through the gateway, one a request, beside pgbench on the same server."""

import os
import re
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmark.bench import Bench
from benchmark.books import Books
from benchmark.followers import caught_up
from benchmark.load import wrk
from benchmark.people import write, write_payees
from benchmark.rounds import Run, say

PGBENCH = "pgbench -c 16 -s 50"


@dataclass(frozen=True)
class Posting:
    """What `postings.lua` sends, and what one of it does to the sums of all accounts."""

    kind: str
    accounts: Path
    payees: Path | None = None
    movements: int = 2
    worth: int = 0


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


def posting_round(
    bench: Bench, posting: Posting, connections: int, seconds: int,
    others: Callable[[], int] = lambda: 0,
) -> Run:  # fmt: skip
    """One run of wrk, its followers included; afterwards the books must agree with the answers.

    `others` waits for whoever else makes transfers meanwhile, and tells how many it were.
    """
    suite, books = bench.suite, Books(bench.suite)
    caught_up(suite)
    before = books.sums()
    os.environ |= {
        "KIND": posting.kind, "ACCOUNTS": str(posting.accounts), "PAYEES": str(posting.payees),
        "RUN": uuid.uuid4().hex,
    }  # fmt: skip
    script = Path(__file__).parent / "postings.lua"
    with bench.meter() as meter:
        rate, said = wrk(suite.address, connections, seconds, 2, "-s", str(script))
        ended = time.monotonic()
        # wrk hangs up on what is in flight when its time is over: that may be booked or not.
        time.sleep(0.5)
        created = others()
        caught_up(suite)
        behind = time.monotonic() - ended
    created += int(re.search(r"Created: (\d+)", said).group(1))
    refused = int(re.search(r"Refused: (\d+)", said).group(1))
    after = books.sums()
    booked, rest = divmod(after.movements - before.movements, posting.movements)
    if refused or rest or not created <= booked <= created + connections:
        raise RuntimeError(f"{created} answered, {refused} refused, {booked} booked")
    if after.amount != (due := before.amount + booked * posting.worth):
        raise RuntimeError(f"the sum of all balances was to be {due} and is {after.amount}")
    p99 = float(re.search(r"P99: (\d+)", said).group(1))
    run = Run(rate, booked, meter.ours, meter.machine, p99, behind)
    say(
        f"  {posting.kind}, {connections} connections: {created} answered, {booked} booked, "
        f"p99 {p99:.0f} us, {run.cost:.0f} us of the processor each, "
        f"followers caught up {behind:.1f} s after"
    )
    return run


def measure_postings(bench: Bench, posting: Posting, name: str) -> None:
    """At 64 and 256 connections, pgbench in between."""
    pgbench, seconds = bench.pgbench, bench.extent.seconds
    bench.settle()
    narrow, wide, peer = bench.turns(
        lambda: posting_round(bench, posting, 64, seconds),
        lambda: posting_round(bench, posting, 256, seconds),
        lambda: pgbench.round(seconds),
    )
    disk = f"fdatasync {fdatasync_microseconds(bench.suite.folder):.0f} us"
    for connections, ours in ((64, narrow), (256, wide)):
        of = f"{name}, {connections} connections"
        bench.report.rates(of, PGBENCH, ours, peer, f"per second ({disk})")


def between_own(bench: Bench) -> Posting:
    """Transfers between two accounts of a person."""
    return Posting("own", write(bench.people, bench.suite.folder / "accounts"))


def to_others(bench: Bench) -> Posting:
    """Transfers to other people's accounts, each to another one."""
    payees = write_payees(bench.people, bench.suite.folder / "payees")
    return Posting("others", between_own(bench).accounts, payees)


def measure_transfers(bench: Bench) -> None:
    measure_postings(bench, between_own(bench), "transfers")


def measure_others(bench: Bench) -> None:
    measure_postings(bench, to_others(bench), "transfers to others")


def measure_records(bench: Bench) -> None:
    """Transactions recorded, one a request."""
    recorded = Posting("record", between_own(bench).accounts, movements=1, worth=1)
    measure_postings(bench, recorded, "transactions")
