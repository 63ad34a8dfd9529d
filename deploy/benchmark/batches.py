"""Batches of 1,000 transactions and of 1,000 transfers through the gateway beside pgbench."""

import asyncio
import itertools
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

from benchmark.bench import Bench
from benchmark.books import Books
from benchmark.followers import caught_up
from benchmark.people import Connection, Person
from benchmark.rounds import Run, say
from benchmark.transfers import PGBENCH
from suite.suite import Suite

#: What a batch may hold at most.
ELEMENTS = 1000
SENDERS, ACCOUNTS_EACH, CONNECTIONS = 8, 100, 8
CENT = {"amount": "0.01", "currency": "EUR"}


@dataclass(frozen=True)
class Batch:
    """One kind of batch: where it goes, and what each of its answers must say."""

    name: str
    path: str
    status: int
    #: What stands once an element in the answer.
    mark: bytes
    #: Of each person: the token, and the body that is sent again and again with new keys.
    bodies: list[tuple[str, bytes]]
    #: What one element adds to what all accounts count, and to the sum of their balances.
    movements: int = 2
    worth: int = 0


def kinds(people: list[Person]) -> Iterator[Batch]:
    """The five of them."""
    senders, rest = people[:SENDERS], people[SENDERS:]
    recorded = [
        (
            person.token,
            [
                {"accountId": account, "amount": CENT, "name": "Interest"}
                for account in itertools.islice(itertools.cycle(person.accounts[:10]), ELEMENTS)
            ],
        )
        for person in senders
    ]
    bodies = [
        (token, json.dumps({"transactions": transactions}).encode())
        for token, transactions in recorded
    ]
    yield Batch("transactions", "/v1/transactions/batches", 201, b'"createdAt"', bodies, 1, 1)
    # Each sender has payees of their own, as many as are there, of many people: as salaries are.
    ibans = [iban for of_all in zip(*(person.ibans for person in rest), strict=True)
             for iban in of_all]  # fmt: skip
    share = min(ELEMENTS, len(ibans) // SENDERS)
    for whom, transfers in (
        ("transfers", [own_transfers(person) for person in senders]),
        (
            "transfers to others",
            [
                transfers_to(person, ibans[at * share : (at + 1) * share])
                for at, person in enumerate(senders)
            ],
        ),
    ):
        for name, more in (("all or none", {}), ("each by itself", {"atomic": False})):
            bodies = [
                (person.token, json.dumps({"transfers": rows} | more).encode())
                for person, rows in zip(senders, transfers, strict=True)
            ]
            path = "/v1/transfers/batches"
            yield Batch(f"{whom}, {name}", path, 200, b'"status":201', bodies)


def own_transfers(person: Person) -> list[dict]:
    """They go round in circles, so that no account runs out of money."""
    own = person.accounts[:ACCOUNTS_EACH]
    pairs = itertools.cycle(zip(own, own[1:] + own[:1], strict=True))
    return [
        {"fromAccountId": source, "toAccountId": target, "amount": CENT}
        for source, target in itertools.islice(pairs, ELEMENTS)
    ]


def transfers_to(person: Person, ibans: list[str]) -> list[dict]:
    """From each account in turn; a thousand euros last for ten thousand batches."""
    own = itertools.cycle(person.accounts[:ACCOUNTS_EACH])
    return [
        {"fromAccountId": next(own), "toIban": iban, "amount": CENT}
        for iban in itertools.islice(itertools.cycle(ibans), ELEMENTS)
    ]


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


def batch_round(bench: Bench, batch: Batch) -> Run:
    """Elements a second, followers included; afterwards the books must agree with the answers."""
    suite, books = bench.suite, Books(bench.suite)
    caught_up(suite)
    before = books.sums()
    with bench.meter() as meter:
        batches, took = asyncio.run(answered(suite, batch, bench.extent.seconds))
        behind = caught_up(suite)
    after, elements = books.sums(), batches * ELEMENTS
    if (booked := after.movements - before.movements) != elements * batch.movements:
        raise RuntimeError(f"{batches} batches answered, {booked} movements booked")
    if after.amount != (due := before.amount + elements * batch.worth):
        raise RuntimeError(f"the sum of all balances was to be {due} and is {after.amount}")
    run = Run(elements / took, elements, meter.ours, meter.machine, behind=behind)
    say(
        f"  {batch.name}: {batches} batches answered, {elements} elements booked, "
        f"{run.cost:.0f} us of the processor each, followers caught up {behind:.1f} s after"
    )
    return run


def measure_batches(bench: Bench) -> None:
    """Each kind, pgbench in between."""
    batches, pgbench = list(kinds(bench.people)), bench.pgbench
    bench.settle()
    *ours, peer = bench.turns(
        *(lambda batch=batch: batch_round(bench, batch) for batch in batches),
        lambda: pgbench.round(bench.extent.seconds),
    )
    for batch, runs in zip(batches, ours, strict=True):
        bench.report.rates(f"{batch.name}, by {ELEMENTS}", PGBENCH, runs, peer)
