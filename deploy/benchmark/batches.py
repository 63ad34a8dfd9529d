"""Batches of 1,000 transactions and of 1,000 transfers through the gateway beside pgbench."""

import asyncio
import itertools
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmark.people import Connection, make
from benchmark.pgbench import pgbench_of
from benchmark.rounds import Report, medians, say
from benchmark.transfers import Books
from suite.suite import Suite

#: What a batch may hold at most.
ELEMENTS = 1000
PEOPLE, ACCOUNTS_EACH, CONNECTIONS = 8, 100, 8


@dataclass(frozen=True)
class Batch:
    """One kind of batch: where it goes, and what each of its answers must say."""

    name: str
    path: str
    status: int
    #: What stands once an element in the answer.
    mark: bytes
    table: str
    #: Of each person: the token, and the body that is sent again and again with new keys.
    bodies: list[tuple[str, bytes]]
    #: What one batch adds to the sum of all balances.
    worth: int


def kinds(accounts: dict[str, list[str]]) -> Iterator[Batch]:
    """The three of them; transfers go round in circles, so that nobody runs out of money."""
    cent = {"amount": "0.01", "currency": "EUR"}
    recorded, moved, apart = [], [], []
    for token, own in accounts.items():
        rows = [
            {"accountId": account, "amount": cent, "name": "Interest"}
            for account in itertools.islice(itertools.cycle(own[:10]), ELEMENTS)
        ]
        pairs = itertools.islice(
            itertools.cycle(zip(own, own[1:] + own[:1], strict=True)), ELEMENTS
        )
        transfers = [
            {"fromAccountId": source, "toAccountId": target, "amount": cent}
            for source, target in pairs
        ]
        recorded.append((token, json.dumps({"transactions": rows}).encode()))
        moved.append((token, json.dumps({"transfers": transfers}).encode()))
        apart.append((token, json.dumps({"transfers": transfers, "atomic": False}).encode()))
    transaction, transfer = "ledger.money_transaction", "ledger.transfer"
    path = "/v1/transfers/batches"
    yield Batch(
        "transactions", "/v1/transactions/batches", 201, b'"createdAt"', transaction, recorded,
        ELEMENTS,
    )  # fmt: skip
    yield Batch("transfers, all or none", path, 200, b'"status":201', transfer, moved, 0)
    yield Batch("transfers, each by itself", path, 200, b'"status":201', transfer, apart, 0)


async def answered(suite: Suite, batch: Batch, seconds: int) -> tuple[int, float]:
    """Batches that were answered by a handful of connections, and how long it took."""
    begin = time.perf_counter()
    bodies = itertools.cycle(batch.bodies)

    async def worker() -> int:
        connection = await Connection(suite).open()
        token, body = next(bodies)
        count = 0
        while time.perf_counter() - begin < seconds:
            status, answer = await connection.call("POST", batch.path, body, token)
            if status != batch.status or answer.count(batch.mark) != ELEMENTS:
                raise RuntimeError(f"{batch.path}: {status}: {answer[:2000].decode()}")
            count += 1
        connection.writer.close()
        return count

    counts = await asyncio.gather(*(worker() for _ in range(CONNECTIONS)))
    return sum(counts), time.perf_counter() - begin


def batch_round(suite: Suite, batch: Batch, seconds: int) -> float:
    """Elements a second; afterwards the books must agree with the answers."""
    books = Books(suite)
    count = f"select count(*) from {batch.table}"
    before, total = books.number(count), books.total()
    batches, took = asyncio.run(answered(suite, batch, seconds))
    booked = books.number(count) - before
    if booked != batches * ELEMENTS:
        raise RuntimeError(f"{batches} batches answered, {booked} elements booked")
    if books.total() != total + batches * batch.worth:
        raise RuntimeError(f"the sum of all balances was {total} and is {books.total()}")
    say(f"  {batch.name}: {batches} batches answered, {booked} elements booked")
    return booked / took


def measure_batches(suite: Suite, report: Report, seconds: int) -> None:
    """Each kind, pgbench in between."""
    accounts = asyncio.run(make(suite, PEOPLE, ACCOUNTS_EACH))
    pgbench = pgbench_of(suite)
    suite.postgres.psql("-c", "analyze", database="ezwallet_ledger")
    suite.postgres.psql("-c", "checkpoint")
    batches = list(kinds(accounts))
    *ours, peer = medians(
        *(lambda batch=batch: batch_round(suite, batch, seconds) for batch in batches),
        lambda: pgbench.tps(seconds),
    )
    for batch, rate in zip(batches, ours, strict=True):
        name = f"{batch.name}, by {ELEMENTS} / pgbench -c 16 -s 50"
        report.add(name, rate, peer, "per second")
