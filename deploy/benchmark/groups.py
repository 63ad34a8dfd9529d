"""Expenses split over groups of ten beside I Hate Money's, and balances beside history."""

import asyncio
import json
import os
import re
import sqlite3
import statistics
import subprocess
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from benchmark.bench import Bench
from benchmark.books import Books
from benchmark.load import Running, wrk
from benchmark.people import PASSWORD, Connection, shared_out
from benchmark.rounds import Run, say
from suite.plan import Program
from suite.ports import free_ports
from suite.suite import Suite, wait_until

PEER = "I Hate Money's API, gunicorn with two workers"
CONNECTIONS, MEMBERS = 16, 10
#: Of balances: rows of a file, expenses of the long history, and how often each is read.
FILE_ROWS, MANY, FEW, TIMES = 5_000, 100_000, 100, 300
HERE = Path(__file__).parent


@dataclass(frozen=True)
class Group:
    """A group of ten people, by their places and tokens."""

    id: str
    members: list[str]
    tokens: list[str]

    def expense(self) -> str:
        """One that everybody bears alike."""
        parts = [{"memberId": member} for member in self.members]
        amount = {"amount": "90.00", "currency": "EUR"}
        body = {"name": "Dinner", "amount": amount, "split": {"kind": "equal", "parts": parts}}
        return json.dumps(body, separators=(",", ":"))

    def lines(self, tokens: int) -> str:
        """As `bodies.lua` reads them: by so many of its members."""
        path, body = f"/v1/groups/{self.id}/expenses", self.expense()
        return "".join(f"{path}\t{token}\t{body}\n" for token in self.tokens[:tokens])


async def make_groups(suite: Suite, count: int) -> list[Group]:
    """Groups of ten, each of neighbours among a hundred people, who come by a link."""
    tokens: list[str] = []
    made: list[Group] = []

    async def register(connection: Connection, number: int) -> None:
        email = f"sharing{number}-{uuid.uuid4().hex[:6]}@example.org"
        answer = await connection.post("/v1/users", {"email": email, "password": PASSWORD})
        tokens.append(answer.get("session", answer)["accessToken"])

    async def found(connection: Connection, number: int) -> None:
        people = [tokens[(number + place) % len(tokens)] for place in range(MEMBERS)]
        body = {"name": f"Flat {number}", "currency": "EUR"}
        group = (await connection.post("/v1/groups", body, people[0]))["id"]
        path = f"/v1/groups/{group}"
        body = {"link": {"uses": MEMBERS - 1}}
        told = await connection.post(f"{path}/invitations", body, people[0])
        link = told["link"]["token"]
        for token in people[1:]:
            call = f"/v1/invitation-links/{link}/acceptance"
            status, said = await connection.call("POST", call, token=token)
            if status not in (200, 201, 204):
                raise RuntimeError(f"{call}: {status}: {said.decode()}")
        members = (await connection.get(f"{path}/members", people[0]))["items"]
        made.append(Group(group, [member["id"] for member in members], people))

    await shared_out(suite, list(range(100)), register, CONNECTIONS)
    await shared_out(suite, list(range(count)), found, CONNECTIONS)
    return made


class GroupBooks:
    """What groups and notifications hold of expenses, held against the answers."""

    def __init__(self, suite: Suite):
        self.groups = Books(suite, "groups")
        self.notifications = Books(suite, "notifications")

    def expenses(self) -> int:
        return self.groups.number("select count(*) from groups.expense")

    def told(self) -> int:
        return self.notifications.number(
            "select count(*) from notifications.notification where kind = 'expense-added'"
        )

    def is_even(self) -> bool:
        """Whether what people owe and are owed is nothing on the whole."""
        return self.groups.is_true("select coalesce(sum(amount), 0) = 0 from groups.member_balance")


def load(url: str, bodies: Path, seconds: int) -> tuple[float, int, float]:
    """Requests a second, how many were answered, and the p99 in us."""
    os.environ |= {"BODIES": str(bodies), "RUN": uuid.uuid4().hex}
    rate, said = wrk(url, CONNECTIONS, seconds, 2, "-s", str(HERE / "bodies.lua"))
    refused = int(re.search(r"Refused: (\d+)", said).group(1))
    if refused:
        raise RuntimeError(f"{url}: {refused} refused")
    created = int(re.search(r"Created: (\d+)", said).group(1))
    return rate, created, float(re.search(r"P99: (\d+)", said).group(1))


def our_round(bench: Bench, bodies: Path, name: str) -> Run:
    """One run of wrk, until everybody is told of everything."""
    books = GroupBooks(bench.suite)
    before, told = books.expenses(), books.told()
    with bench.meter() as meter:
        rate, created, p99 = load(bench.suite.address, bodies, bench.extent.seconds)
        ended = time.monotonic()
        # What was in flight when wrk's time was over may be written down or not.
        time.sleep(0.5)
        written = books.expenses() - before
        due = told + written * (MEMBERS - 1)
        wait_until(lambda: books.told() >= due, 60, "not everybody is told of every expense")
        behind = time.monotonic() - ended
    if not created <= written <= created + CONNECTIONS or books.told() != due:
        raise RuntimeError(f"{created} answered, {written} written, {books.told() - told} told")
    if not books.is_even():
        raise RuntimeError("what people owe and are owed is not even")
    run = Run(rate, written, meter.ours, meter.machine, p99, behind)
    say(
        f"  {name}: {created} answered, p99 {p99:.0f} us, {run.cost:.0f} us of the processor "
        f"each, everybody told {behind:.1f} s after"
    )
    return run


class HateMoney:
    """I Hate Money, of a virtual environment of its own, on SQLite as it comes."""

    def __init__(self, folder: Path, projects: int):
        self.folder = folder / "ihatemoney"
        self.folder.mkdir()
        self.python = self.folder / "venv" / "bin" / "python"
        say("  installing I Hate Money")
        self.run("/usr/bin/python3", "-m", "venv", str(self.folder / "venv"))
        self.run(
            str(self.python), "-m", "pip", "install", "-q", "--disable-pip-version-check",
            "-r", str(HERE / "ihatemoney.txt"),
        )  # fmt: skip
        settings = self.folder / "settings.cfg"
        settings.write_text(
            f'SQLALCHEMY_DATABASE_URI = "sqlite:///{self.folder}/projects.db"\n'
            'SECRET_KEY = "bench"\nACTIVATE_DEMO_PROJECT = False\n'
        )
        self.environment = {
            "PATH": "/usr/bin:/bin", "IHATEMONEY_SETTINGS_FILE_PATH": str(settings),
        }  # fmt: skip
        say(f"  making {projects} projects")
        self.bodies = self.folder / "bodies"
        self.bodies.write_text(
            self.run(str(self.python), str(HERE / "ihatemoney_projects.py"), str(projects))
        )
        (self.port,) = free_ports(1)
        program = Program(
            name="ihatemoney",
            command=[
                str(self.folder / "venv" / "bin" / "gunicorn"), "-w", "2",
                "-b", f"127.0.0.1:{self.port}", "ihatemoney.wsgi:application",
            ],
            environment=self.environment,
        )  # fmt: skip
        self.running = Running(program, self.port, self.folder / "gunicorn.log")

    def run(self, *command: str) -> str:
        environment = getattr(self, "environment", None) or os.environ
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {done.stderr[-2000:]}")
        return done.stdout

    def one(self) -> Path:
        """The bodies of one project alone."""
        file = self.folder / "one"
        file.write_text(self.bodies.read_text().splitlines(keepends=True)[0])
        return file

    def bills(self) -> tuple[int, int]:
        """Rows of its own, and of who bears them."""
        with sqlite3.connect(self.folder / "projects.db") as database:
            return tuple(
                database.execute(f"select count(*) from {table}").fetchone()[0]
                for table in ("bill", "billowers")
            )

    def round(self, bodies: Path, seconds: int) -> Run:
        bills, bearers = self.bills()
        before = self.running.processor_seconds()
        rate, created, p99 = load(f"http://127.0.0.1:{self.port}", bodies, seconds)
        spent = self.running.processor_seconds() - before
        # As ours: what was in flight may be written down or not.
        time.sleep(0.5)
        after = self.bills()
        written = after[0] - bills
        if not created <= written <= created + CONNECTIONS:
            raise RuntimeError(f"{PEER}: {created} answered, {written} written")
        if after[1] - bearers != written * MEMBERS:
            raise RuntimeError(f"{PEER}: not {MEMBERS} bear each of {written}")
        return Run(rate, created, {"gunicorn": spent}, p99=p99)


def measure_expenses(bench: Bench) -> None:
    """In one group, and over a thousand; theirs likewise, in turns."""
    suite, seconds = bench.suite, bench.extent.seconds
    count = 1000 if bench.extent.rounds > 1 else 100
    say(f"  making {count} groups of {MEMBERS}")
    groups = asyncio.run(make_groups(suite, count))
    one, all_groups = suite.folder / "one-group", suite.folder / "groups"
    one.write_text(groups[0].lines(MEMBERS))
    all_groups.write_text("".join(group.lines(1) for group in groups))
    peer = HateMoney(suite.folder, count)
    try:
        bench.settle("groups")
        ours, theirs, ours_many, theirs_many = bench.turns(
            lambda: our_round(bench, one, "one group"),
            lambda: peer.round(peer.one(), seconds),
            lambda: our_round(bench, all_groups, f"{count:,} groups"),
            lambda: peer.round(peer.bodies, seconds),
        )
    finally:
        peer.running.stop()
    told = f"expenses of ten, {CONNECTIONS} connections"
    bench.report.rates(f"{told}, one group", PEER, ours, theirs)
    bench.report.rates(f"{told}, {count:,} groups", PEER, ours_many, theirs_many)


def history(people: list[str], count: int) -> str:
    """An export whose last hundred expenses leave debts; those before come to nothing.

    Everybody pays in turn, and bears alike.
    """
    head = f"Date,Description,Category,Cost,Currency,{','.join(people)}\n\n"
    rows: list[str] = []
    sums = [0] * len(people)
    for number in range(count):
        payer = number % len(people) if number < count - FEW else number * number % 7
        nets = [-900] * len(people)
        nets[payer] += 900 * len(people)
        sums = [a + b for a, b in zip(sums, nets, strict=True)]
        cells = ",".join(f"{net / 100:.2f}" for net in nets)
        rows.append(f"2024-01-05,Row {number},General,{9 * len(people)}.00,EUR,{cells}\n")
    total = ",".join(f"{one / 100:.2f}" for one in sums)
    return f"{head}{''.join(rows)}\n2024-02-01,Total balance, , ,EUR,{total}\n"


async def import_history(suite: Suite, group: Group, count: int) -> None:
    """Takes a history in, file by file: all but the last come to nothing."""
    connection = await Connection(suite).open()
    token = group.tokens[0]
    names = [f"P{number}" for number in range(MEMBERS)]
    people = [
        {"name": name, "memberId": member}
        for name, member in zip(names, group.members, strict=True)
    ]
    for begin in range(0, count, FILE_ROWS):
        rows = min(FILE_ROWS, count - begin)
        text = history(names, rows) if begin + rows == count else history(names, rows + FEW)
        if begin + rows != count:
            # Without the last hundred: everything is even.
            kept = text.splitlines(keepends=True)[: rows + 2]
            zeros = ",".join("0.00" for _ in names)
            text = f"{''.join(kept)}\n2024-02-01,Total balance, , ,EUR,{zeros}\n"
        text = text.replace("Row ", f"Row {begin}-")
        status, said = await connection.call(
            "POST", f"/v1/group-imports?groupId={group.id}", text.encode(), token, "text/csv"
        )
        if status != 201:
            raise RuntimeError(f"group-imports: {status}: {said.decode()[:2000]}")
        path = f"/v1/group-imports/{json.loads(said)['id']}"
        for method, call, body in (
            ("PATCH", path, json.dumps({"people": people}).encode()),
            ("POST", f"{path}/commit", b""),
        ):
            status, said = await connection.call(method, call, body, token)
            if status != 200:
                raise RuntimeError(f"{method} {call}: {status}: {said.decode()[:2000]}")
    connection.writer.close()


async def read_balances(suite: Suite, groups: list[Group]) -> list[float]:
    """The median of each in ms, read in turns; both say the same."""
    connection = await Connection(suite).open()
    took: list[list[float]] = [[] for _ in groups]
    for turn in range(TIMES + 20):
        for times, group in zip(took, groups, strict=True):
            begin = time.perf_counter()
            told = await connection.get(f"/v1/groups/{group.id}/balances", group.tokens[0])
            if turn >= 20:
                times.append((time.perf_counter() - begin) * 1000)
            if not told["debts"]:
                raise RuntimeError(f"nothing is open: {told}")
    connection.writer.close()
    return [statistics.median(times) for times in took]


def measure_balances(bench: Bench) -> None:
    """Of a group with 100,000 expenses beside one with 100, with the same debts open."""
    suite = bench.suite
    long, short = asyncio.run(make_groups(suite, 2))
    say(f"  importing {MANY:,} expenses")
    asyncio.run(import_history(suite, long, MANY))
    asyncio.run(import_history(suite, short, FEW))
    bench.settle("groups")
    ours, peer = asyncio.run(read_balances(suite, [long, short]))
    bench.report.add(f"balances of {MANY:,} expenses / of {FEW}", ours, peer, "ms")


def measure_groups(bench: Bench) -> None:
    measure_balances(bench)
    measure_expenses(bench)
