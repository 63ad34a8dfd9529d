"""Figures of many people and of one: how fast they are taken up, and how fast they are told.

The peers are what anybody would ask instead: the same GROUP BY over everything that was booked,
and `ledger` and `hledger` over the same hundred thousand transactions of one person.
"""

import asyncio
import datetime
import secrets
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from benchmark.bench import Bench
from benchmark.broker import Broker
from benchmark.facts import BEGIN, DAYS, DIVISIONS, Teller, Who, person
from benchmark.followers import caught_up
from benchmark.people import PASSWORD, Connection
from benchmark.rounds import say
from suite.suite import Suite

#: Insights are compared with themselves over so few.
FEW_FACTS, FEW_PEOPLE = 100_000, 1_000
OWN = 100_000
TIMES, PEER_TIMES = 300, 3
LAG_RATE, LAG_SECONDS, LAG_ROWS = 2_000, 20, 100
END = BEGIN + datetime.timedelta(DAYS - 1)
PERIOD = f"from={BEGIN}&to={END}"
INSIGHTS = f"/v1/insights/spending?{PERIOD}&groupBy=category&groupBy=area"
#: A figure of each month is a cell; those of two years are put together from their months.
BY_MONTH = f"{INSIGHTS}&groupBy=month"


def group_by(keys: str) -> str:
    """The same answer without anything that is kept for it."""
    return f"""
select {keys}, count(*), count(distinct f.user_id), sum(-f.amount), avg(-f.amount),
    percentile_disc(0.5) within group (order by -f.amount),
    percentile_disc(0.9) within group (order by -f.amount)
from analytics.fact f
join analytics.person p using (user_id)
where f.day between '{BEGIN}' and '{END}' and not f.is_reversed and f.amount < 0
group by {keys}
order by {keys}
"""


GROUP_BY = group_by("f.coicop, p.area")
GROUP_BY_MONTH = group_by("f.coicop, p.area, date_trunc('month', f.day)")
#: Of a month up to today, and of years.
REPORTS = {
    "a month's summary": f"summary?from={END.replace(day=1)}&to={END}",
    "two years' categories": f"categories?{PERIOD}",
    "two years by month": f"trends?{PERIOD}&interval=month",
    "two years by month and category": f"trends?{PERIOD}&interval=month&by=category",
    "a year by day": f"trends?from={BEGIN}&to={BEGIN.replace(month=12, day=31)}&interval=day",
    "a year by day and category":
        f"trends?from={BEGIN}&to={BEGIN.replace(month=12, day=31)}&interval=day&by=category",
    "two years' cash flow": f"cash-flow?{PERIOD}&interval=week",
}  # fmt: skip


class Caller:
    """Somebody who logs in anew for each measurement: between two an hour may pass."""

    def __init__(self, suite: Suite, email: str):
        self.suite, self.email, self.loop = suite, email, asyncio.new_event_loop()

    def logged_in(self) -> "Caller":
        body = {"identifier": self.email, "password": PASSWORD}
        self.connection = self.loop.run_until_complete(Connection(self.suite).open())
        answer = self.loop.run_until_complete(self.connection.post("/v1/sessions", body))
        self.token = answer["accessToken"]
        return self

    def get(self, path: str) -> dict:
        return self.loop.run_until_complete(self.connection.get(path, self.token))

    def times(self, path: str, times: int = TIMES) -> list[float]:
        """Each in ms until its last byte, in ascending order, after some that do not count."""

        async def measure() -> list[float]:
            took = []
            for turn in range(times + 20):
                begin = time.perf_counter()
                status, _ = await self.connection.call("GET", path, token=self.token)
                if status != 200:
                    raise RuntimeError(f"{path}: {status}")
                if turn >= 20:
                    took.append((time.perf_counter() - begin) * 1000)
            return sorted(took)

        return self.loop.run_until_complete(measure())


def officer(suite: Suite) -> Caller:
    """A chief operating officer, made on the command line."""
    email, file = f"coo-{secrets.token_hex(4)}@example.org", suite.folder / "coo-password"
    file.write_text(PASSWORD)
    suite.command(
        "auth", "create-user", "--role", "coo", "--email", email, "--password-file", str(file)
    )
    return Caller(suite, email)


def owner(suite: Suite) -> tuple[Caller, Who]:
    """Somebody new, and in whose name to book for them."""
    email = f"own-{secrets.token_hex(4)}@example.org"
    body = {"email": email, "password": PASSWORD, "currency": "EUR"}

    async def register() -> None:
        connection = await Connection(suite).open()
        await connection.post("/v1/users", body)
        connection.writer.close()

    asyncio.run(register())
    caller = Caller(suite, email).logged_in()
    some = person(1 << 40)
    return caller, Who(caller.get("/v1/users/me")["id"], some.account, some.categories)


def took(command: list[str]) -> float:
    """Seconds of a command, its figures thrown away."""
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not done.stdout.strip():
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or 'says nothing'}")
    return time.perf_counter() - begin


def measure_insights(
    bench: Bench, teller: Teller, coo: Caller, count: int, people: int
) -> dict[str, float]:  # fmt: skip
    """Of everybody over two years beside the same by SQL; tells the medians in ms."""
    begin = time.monotonic()
    bench.suite.command("analytics", "release")
    bench.report.add(f"release of {count:,} bookings", time.monotonic() - begin, None, "s")
    cells = coo.logged_in().get(INSIGHTS)["cells"]
    if not any("total" in cell for cell in cells):
        raise RuntimeError("nothing is told of everybody")
    teller.analytics.session.rows("set enable_seqscan = on")
    medians = {}
    for name, path, query, keys in (
        ("month, category and area", BY_MONTH, GROUP_BY_MONTH, 3),
        ("category and area", INSIGHTS, GROUP_BY, 2),
    ):
        medians[name] = statistics.median(coo.times(path))
        peers = []
        for _ in range(PEER_TIMES):
            begin = time.perf_counter()
            rows = teller.analytics.session.rows(query)
            peers.append(time.perf_counter() - begin)
        if sum(int(row.split("|")[keys]) for row in rows) < count * 0.99:
            raise RuntimeError("not all of it is summed")
        bench.report.add(
            f"insights by {name}, {count:,} bookings of {people:,} people / GROUP BY",
            1000 / medians[name], 1 / statistics.median(peers), "per second",
        )  # fmt: skip
    return medians


def measure_uptake(bench: Bench, teller: Teller, people: int, count: int) -> None:
    """How fast bookings are applied, and what one costs."""
    begin = time.monotonic()
    with bench.meter() as meter:
        teller.crowd(people, count)
    seconds = time.monotonic() - begin
    bench.report.add("bookings taken up, told and applied at once", count / seconds, None, "per s")
    costs = {kind: spent / count * 1e6 for kind, spent in meter.ours.items()}
    own = ("analytics", "PostgreSQL, analytics")
    bench.report.add("processor of a booking", sum(costs.get(kind, 0) for kind in own), None, "µs")
    for kind, cost in sorted(costs.items()):
        if bench.report.verbose and round(cost, 1):
            bench.report.add(f"processor of a booking: {kind}", cost, None, "µs")


def measure_lag(bench: Bench, teller: Teller, people: int) -> None:
    """The longest from telling until it is applied, at an even rate."""
    told: list[tuple[int, float]] = []
    lags: list[float] = []
    over = threading.Event()

    def look() -> None:
        seen = 0
        while not over.is_set() or seen < len(told):
            mark, now = teller.mark(), time.monotonic()
            while seen < len(told) and told[seen][0] <= mark:
                lags.append(now - told[seen][1])
                seen += 1
            time.sleep(0.005)

    # The broker has closed the connection of whoever said nothing while a release was made.
    teller.broker = Broker(bench.suite)
    looking = threading.Thread(target=look)
    looking.start()
    begin = time.monotonic()
    for turn in range(LAG_RATE * LAG_SECONDS // LAG_ROWS):
        rows = [
            (person((turn * LAG_ROWS + at) % people), DAYS - 1, at % 12) for at in range(LAG_ROWS)
        ]
        teller.book(rows)
        teller.broker.settle()
        told.append((teller.place, time.monotonic()))
        time.sleep(max(0.0, begin + (turn + 1) * LAG_ROWS / LAG_RATE - time.monotonic()))
    over.set()
    looking.join()
    bench.report.add(
        f"lag at {LAG_RATE:,} bookings a second, at most", max(lags) * 1000, None, "ms"
    )


def journal(folder: Path, count: int) -> Path:
    """What `ledger` and `hledger` read: as many transactions over the same days."""
    file = folder / "own.journal"
    with file.open("w") as lines:
        for at in range(count):
            day = BEGIN + datetime.timedelta(at * DAYS // count)
            amount = (at * 7919) % 19_900 + 100
            lines.write(
                f"{day} Payee {at % 500}\n    expenses:{DIVISIONS[at % len(DIVISIONS)]}  "
                f"{amount / 100:.2f} EUR\n    assets:wallet\n\n"
            )
    return file


def measure_reports(bench: Bench, caller: Caller) -> None:
    """Of one person with many bookings, beside command-line accountants over as many."""
    ours = {}
    caller.logged_in()
    for name, path in REPORTS.items():
        took_each = caller.times(f"/v1/reports/{path}")
        ours[name] = statistics.median(took_each)
        bench.report.add(
            f"report of {OWN:,} own bookings, {name}, p99",
            took_each[len(took_each) * 99 // 100], None, "ms",
        )  # fmt: skip
    asked = {
        "two years' categories": (
            ["ledger", "-f", "{}", "balance", "expenses"],
            ["hledger", "-f", "{}", "balance", "expenses"],
        ),
        "two years by month and category": (
            ["ledger", "-f", "{}", "register", "expenses", "--monthly"],
            ["hledger", "-f", "{}", "balance", "expenses", "--monthly"],
        ),
    }
    with tempfile.TemporaryDirectory() as folder:
        file = journal(Path(folder), OWN)
        for name, commands in asked.items():
            for command in commands:
                if not shutil.which(command[0]):
                    say(f"  no {command[0]}: apt-get install {command[0]}")
                    continue
                whole = [part.format(file) for part in command]
                peer = statistics.median(took(whole) for _ in range(PEER_TIMES))
                full = f"report of {OWN:,} own bookings, {name} / {command[0]} {command[3]}"
                bench.report.add(full, 1000 / ours[name], 1 / peer, "per second")


def measure_analytics(bench: Bench) -> None:
    """Last, for it tells analytics of a journal that the ledger does not have."""
    suite, extent = bench.suite, bench.extent
    coo = officer(suite)
    caller, who = owner(suite)
    caught_up(suite)
    suite.programs = [one for one in suite.programs if "notifications" not in one.name]
    suite.apply()
    teller = Teller(suite)
    say(f"  registering {extent.fact_people:,} people")
    teller.people(extent.fact_people)
    say(f"  booking {FEW_FACTS:,} in the name of {FEW_PEOPLE:,}")
    teller.crowd(FEW_PEOPLE, FEW_FACTS)
    bench.settle("analytics")
    few = measure_insights(bench, teller, coo, FEW_FACTS, FEW_PEOPLE)
    say(f"  booking {OWN:,} in the name of one")
    teller.one(who, OWN)
    bench.settle("analytics")
    measure_reports(bench, caller)
    rest = extent.facts - FEW_FACTS - OWN
    say(f"  booking {rest:,} more (minutes)")
    measure_uptake(bench, teller, extent.fact_people, rest)
    bench.settle("analytics")
    many = measure_insights(bench, teller, coo, extent.facts, extent.fact_people)
    for name, ours in many.items():
        told = f"insights by {name}, {extent.facts:,} bookings / {FEW_FACTS:,}"
        bench.report.add(told, ours, few[name], "ms")
    measure_lag(bench, teller, extent.fact_people)
