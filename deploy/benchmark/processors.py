"""Processor time by kind of process, from /proc before and after: what a request costs.

A rate says how much else ran on the machine; processor time says what a request asks of it. What
the kernel does outside any process, most of it for the loopback, is in nobody's figure.
"""

import os
import re
import resource
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from suite.suite import Suite, wait_until

TICKS = os.sysconf("SC_CLK_TCK")
#: How often is looked at the server's processes, which may end before the run does.
LOOK_SECONDS = 0.5
LOAD, BACKGROUND = "load", "PostgreSQL, background"
#: Of backends that ended, what they used after they were last looked at.
UNSEEN = "PostgreSQL, ended since the last look"
#: The bench's own questions to the books, which no request asks.
ASKING = "asking"
PEER = "pgbench"


@dataclass(frozen=True)
class Used:
    """Seconds of the processor, in and out of the kernel, of one process until now."""

    #: Two processes may have the same id one after the other.
    begun: int
    itself: float
    #: Of its children that have ended and that it has waited for.
    ended: float


def used(pid: int) -> Used | None:
    """What a process has used, all its threads together; None once it is gone."""
    try:
        # Behind the name, which may hold anything.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    itself, ended = int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])
    return Used(int(fields[19]), itself / TICKS, ended / TICKS)


def children(pid: int) -> list[int]:
    """Those that run."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def kind_of(title: str, administrator: str) -> str:
    """The kind of one of the server's processes, by what it calls itself.

    `postgres: USER DATABASE 127.0.0.1(PORT) idle`, `postgres: autovacuum worker DATABASE`,
    `postgres: checkpointer`.
    """
    words = title.removeprefix("postgres: ").split()
    if words[:2] == ["autovacuum", "worker"] and len(words) > 2:
        return f"PostgreSQL, autovacuum of {words[2].removeprefix('ezwallet_')}"
    if len(words) > 2 and re.fullmatch(r"\[local\]|\S+\(\d+\)", words[2]):
        user, database = words[:2]
        if user == administrator and database != PEER:
            return ASKING
        return f"PostgreSQL, {database.removeprefix('ezwallet_')}"
    return BACKGROUND


@dataclass
class Backend:
    """A process of the server: what it had used at first, and when last looked at."""

    kind: str
    first: float
    last: float
    lives: bool = True


class Server:
    """PostgreSQL's processes, the bench's own questions apart.

    A backend that ends hands all that it ever used on to the server's count of ended children
    (the server waits for each of them). So what such backends used in the run is the growth of
    that count less what they had used before it: exact in sum; by kind as of the last look, and
    the rest, of less than half a second, stands under a kind of its own.
    """

    def __init__(self, pid: int, administrator: str):
        self.pid, self.administrator = pid, administrator
        self.begin = self.now()
        self.backends: dict[tuple[int, int], Backend] = {}
        self.look(is_first=True)

    def now(self) -> Used:
        found = used(self.pid)
        if found is None:
            raise RuntimeError("PostgreSQL has ended")
        return found

    def look(self, is_first: bool = False) -> None:
        """Notes what each has used, and which are gone."""
        seen = set()
        for pid in children(self.pid):
            found = used(pid)
            try:
                title = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if found is None:
                continue
            seen.add(key := (pid, found.begun))
            first = found.itself if is_first else 0.0
            backend = self.backends.setdefault(key, Backend(BACKGROUND, first, found.itself))
            # One that has ended, and is about to be waited for, has no title any more.
            if title.strip():
                backend.kind = kind_of(title, self.administrator)
            backend.last = found.itself
        for key, backend in self.backends.items():
            backend.lives = key in seen

    def serves(self, database: str) -> bool:
        """Whether somebody is connected to a database."""
        self.look()
        kind = f"PostgreSQL, {database}"
        return any(one.lives and one.kind == kind for one in self.backends.values())

    def spent(self) -> dict[str, float]:
        """Seconds by kind since the beginning."""
        end = self.now()
        self.look()
        seconds = {BACKGROUND: end.itself - self.begin.itself}
        for backend in self.backends.values():
            if backend.kind != ASKING:
                told = seconds.get(backend.kind, 0.0) + backend.last - backend.first
                seconds[backend.kind] = told
        handed_on = sum(one.last for one in self.backends.values() if not one.lives)
        seconds[UNSEEN] = max(0.0, end.ended - self.begin.ended - handed_on)
        return seconds


def kind_of_program(name: str) -> str:
    """`ezwallet-ledger-1` is a process of `ledger`."""
    name = name.rpartition("-")[0].removeprefix("ezwallet-")
    return "broker" if name == "nats-server" else name


def load_seconds() -> float:
    """Of this process and of those that it has waited for, as wrk and pgbench."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(told.ru_utime + told.ru_stime for told in map(resource.getrusage, kinds))


def machine_seconds() -> float:
    """Of everything on the machine, the kernel outside processes and neighbours too."""
    fields = Path("/proc/stat").read_text().splitlines()[0].split()[1:9]
    user, nice, system, _idle, _waiting, *rest = map(int, fields)
    return (user + nice + system + sum(rest)) / TICKS


def is_peers(kind: str) -> bool:
    """Whether a kind of process works for pgbench alone: its backends, their autovacuum."""
    return kind.startswith("PostgreSQL, ") and kind.endswith(PEER)


@dataclass
class Meter:
    """Seconds of the processor by kind, of everything that takes part, over a `with`."""

    suite: Suite
    seconds: dict[str, float] = field(default_factory=dict)
    #: Of the whole machine; more than the sum of all kinds by the kernel's and the neighbours'.
    machine: float = 0.0

    def __enter__(self) -> "Meter":
        self.pids = {
            program.name: self.suite.pid(program.name)
            for program in self.suite.programs
            if program.name.startswith(("ezwallet-", "nats-server-"))
        }
        self.server = Server(self.suite.pid("postgres-1"), "ezwallet_admin")
        self.begin = {name: self.of(name) for name in self.pids}
        self.over = threading.Event()
        self.looking = threading.Thread(target=self.look)
        self.looking.start()
        self.load, self.all = load_seconds(), machine_seconds()
        return self

    def look(self) -> None:
        while not self.over.wait(LOOK_SECONDS):
            self.server.look()

    def of(self, program: str) -> float:
        found = used(self.pids[program])
        if found is None:
            raise RuntimeError(f"{program} has ended meanwhile")
        return found.itself + found.ended

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        load, machine = load_seconds(), machine_seconds()
        self.over.set()
        self.looking.join()
        if error is not None:
            return
        self.machine = machine - self.all
        self.seconds = self.server.spent() | {LOAD: load - self.load}
        for name, begin in self.begin.items():
            kind_told = kind_of_program(name)
            self.seconds[kind_told] = self.seconds.get(kind_told, 0.0) + self.of(name) - begin

    @property
    def ours(self) -> dict[str, float]:
        """All but what works for pgbench alone, as the vacuum of its tables."""
        return {kind: told for kind, told in self.seconds.items() if not is_peers(kind)}

    @property
    def peers(self) -> dict[str, float]:
        """Of pgbench, and what works for whoever writes; not the suite, which does nothing then."""
        both = (LOAD, BACKGROUND, UNSEEN)
        return {kind: told for kind, told in self.seconds.items() if kind in both or is_peers(kind)}

    def wait_for_peers(self) -> None:
        """Returns once pgbench's backends have ended and are counted."""
        self.over.set()
        self.looking.join()
        wait_until(lambda: not self.server.serves(PEER), 10, "pgbench's backends do not end")
