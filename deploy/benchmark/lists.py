"""Lists with 1,000,000 transactions beside those with 1,000, and balances beside history."""

import asyncio
import datetime
import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace

from benchmark.bench import Bench
from benchmark.followers import is_sealed
from benchmark.people import Connection
from benchmark.rounds import Report, say
from loader.load import Plan, load
from loader.story import Person, Record, purchase
from suite.suite import Suite, wait_until

MANY, FEW, MOVEMENTS_FEW = 1_000_000, 1_000, 10
LIMIT, PAGE = 100, 10_000
#: The walk to the last page takes the largest steps that there are.
STEP = 200
TIMES = 300


def lopsided(people: list[Person], total: int, months: int, seed: int) -> Iterator[Record]:
    """The first one's many and the second one's few, all in one account each."""
    chance = random.Random(f"lopsided {seed}")
    begin = datetime.date.today() - datetime.timedelta(days=months * 365 // 12)
    many, few = people
    for person, count in ((few, FEW), (many, total - FEW)):
        main = person.main
        for number in range(count):
            day = begin + datetime.timedelta(days=number * (months * 365 // 12) // count)
            step = None
            while main.balance >= 2_000_000 and not isinstance(step, Record):
                step = purchase(person, day, chance)
            if step is None or main.balance < -step.amount:
                step = Record(main, 9_000_000, day, person.categories["Salary"], "Acme S.p.A.")
            yield replace(step, account=main)


class Reader:
    """Somebody who is logged in, on one connection."""

    def __init__(self, suite: Suite, email: str, password: str):
        self.suite, self.email, self.password = suite, email, password

    async def open(self) -> "Reader":
        self.connection = await Connection(self.suite).open()
        body = {"identifier": self.email, "password": self.password}
        self.token = (await self.connection.post("/v1/sessions", body))["accessToken"]
        return self

    async def get(self, path: str) -> dict:
        return await self.connection.get(path, self.token)

    async def walk(self, rows: int) -> str:
        """The cursor behind so many rows, each of which is seen once."""
        seen: set[str] = set()
        path = f"/v1/transactions?limit={STEP}"
        cursor = ""
        while len(seen) < rows:
            limit = min(STEP, rows - len(seen))
            page = await self.get(f"/v1/transactions?limit={limit}{cursor}")
            before = len(seen)
            seen.update(row["id"] for row in page["items"])
            if len(seen) - before != limit:
                raise RuntimeError(f"{path}: a page repeats a row, or ends behind {before}")
            cursor = f"&cursor={page['nextCursor']}"
        return cursor


async def interleaved(reads: list[tuple[Reader, str, int]]) -> list[float]:
    """The median of each in ms; a read is by whom, of what, and how many rows it must have."""
    took: list[list[float]] = [[] for _ in reads]
    for turn in range(TIMES + 20):
        for times, (reader, path, rows) in zip(took, reads, strict=True):
            begin = time.perf_counter()
            answer = await reader.get(path)
            if turn >= 20:
                times.append((time.perf_counter() - begin) * 1000)
            if len(answer.get("items", ())) != rows:
                raise RuntimeError(f"{path}: {len(answer['items'])} rows of {rows}")
    return [statistics.median(times) for times in took]


async def measure(suite: Suite, report: Report, many: Reader, few: Reader, accounts: list) -> None:
    """All of it, as soon as it is loaded."""
    await many.open()
    await few.open()
    first = f"/v1/transactions?limit={LIMIT}"
    say(f"  walking to page {PAGE:,}")
    deep = first + await many.walk((PAGE - 1) * LIMIT)
    if "nextCursor" in await many.get(deep):
        raise RuntimeError(f"page {PAGE} is not the last")
    body = {"kind": "current", "currency": "EUR", "name": "Little used"}
    little = (await few.connection.post("/v1/accounts", body, few.token))["id"]
    for _ in range(MOVEMENTS_FEW):
        row = {"accountId": little, "amount": {"amount": "1.00", "currency": "EUR"}}
        await few.connection.post("/v1/transactions", row, few.token)
    # Those were the newest: the list with 1,000 is told apart from them by its account.
    lists = {
        "": (first, deep),
        ", by account": tuple(f"{path}&accountId={accounts[0]}" for path in (first, deep)),
    }
    for name, (top, bottom) in lists.items():
        small = f"{first}&accountId={accounts[1]}" if name else first
        one, last, peer = await interleaved(
            [(many, top, LIMIT), (many, bottom, LIMIT), (few, small, LIMIT)]
        )
        for page, ours in (("1", one), (f"{PAGE:,}", last)):
            report.add(f"page {page} of {MANY:,} rows{name} / page 1 of {FEW:,}", ours, peer, "ms")
    ours, peer = await interleaved(
        [(many, f"/v1/accounts/{accounts[0]}", 0), (few, f"/v1/accounts/{little}", 0)]
    )
    report.add(f"balance of {MANY:,} movements / of {MOVEMENTS_FEW}", ours, peer, "ms")


def measure_lists(bench: Bench) -> None:
    """Loads the two lists, and reads them in turns."""
    suite = bench.suite
    say(f"  loading {MANY + FEW:,} transactions (minutes)")
    plan = Plan(users=2, transactions=MANY + FEW, months=24, seed=2026, events=False)
    loaded = load(suite, plan, tell=lopsided)
    suite.postgres.psql("-c", "vacuum analyze", database="ezwallet_ledger")
    wait_until(lambda: is_sealed(suite), 900, "the journal is not sealed, or words not taken up")
    suite.postgres.psql("-c", "checkpoint")
    many, few = (Reader(suite, loaded.email(number), loaded.password) for number in (1, 2))
    accounts = [person.main.id for person in loaded.people]
    asyncio.run(measure(suite, bench.report, many, few, accounts))
