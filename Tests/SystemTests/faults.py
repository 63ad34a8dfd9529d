"""What goes wrong around a running suite, and waiting for it."""

import contextlib
import json
import os
import random
import signal
import subprocess
import threading
import time
import urllib.request
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from client import Api, eventually, money
from suite.plan import write_plan
from suite.ports import free_ports
from suite.suite import Suite

KINDS = ("ledger", "ledger", "connections", "connections", "postgres")


def euros(amount: int) -> dict[str, str]:
    sign = "-" if amount < 0 else ""
    return money(f"{sign}{abs(amount) // 100}.{abs(amount) % 100:02}")


def hurt(
    suite: Suite,
    chance: random.Random,
    stop: threading.Event,
    done: Counter,
    longest: float,
    growth: float = 1.0,
    kinds: tuple[str, ...] = KINDS,
) -> None:
    """Kills services, servers and the ledger's connections, one after another, until it is told to
    stop; `done` says what it did."""
    deck: list[str] = []
    while not stop.wait(chance.uniform(longest / 5, longest)):
        longest *= growth
        # Dealt from a deck: each kind comes round, however soon the clients are ready.
        deck = deck or chance.sample(kinds, len(kinds))
        kind = deck.pop()
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            if kind == "connections":
                cut = suite.postgres.psql(
                    "-c",
                    "select count(pg_terminate_backend(pid)) from pg_stat_activity "
                    "where datname = 'ezwallet_ledger' and pid <> pg_backend_pid() "
                    f"and pid % 3 = {chance.randrange(3)}",
                    database="ezwallet_ledger",
                )
                done["connections"] += int(cut)
            else:
                servers = {"postgres": "postgres-1", "broker": "nats-server-1"}
                name = servers.get(kind, f"ezwallet-{kind}-{chance.randint(1, 2)}")
                os.kill(suite.pid(name), signal.SIGKILL)
                done[kind] += 1
                if kind == "postgres":
                    stop.wait(2.5)


def surely(
    api: Api, method: str, path: str, body: dict | None = None, key: str = "",
    cut: Callable[[], None] = lambda: None,
) -> tuple:  # fmt: skip
    """The status and answer that a call comes to in the end, asked again by its key; `cut` is told
    of each time when what was at it died."""
    key = key or str(uuid.uuid4())
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            answer = api.send(method, path, json=body, key=key, retry=False)
        except Exception:  # noqa: BLE001  whatever it is, nobody has answered
            cut()
        else:
            if answer.status_code not in (429, 500, 502, 503, 504):
                return answer.status_code, answer.json() if answer.content else {}
            # A 503 may have been refused before anything was begun.
            if answer.status_code in (500, 502, 504):
                cut()
        time.sleep(0.02)
    raise AssertionError(f"{method} {path}: no answer within 120 s")


@contextmanager
def running(suite: Suite, name: str, told: dict[str, str]) -> Iterator[int]:
    """One more replica that is told something else; yields the port of its pages."""
    listen, internal, admin = free_ports(3)
    fresh = {
        "EZWALLET_LISTEN": f"127.0.0.1:{listen}",
        "EZWALLET_INTERNAL_LISTEN": f"127.0.0.1:{internal}",
        "EZWALLET_ADMIN_LISTEN": f"127.0.0.1:{admin}",
    }
    binary = suite.executables.binaries / f"ezwallet-{name}"
    log = (suite.folder / "log" / f"named-{name}.log").open("w")
    process = subprocess.Popen([binary], env=told | fresh, stdout=log, stderr=log)
    try:
        yield admin
    finally:
        process.terminate()
        process.wait(30)
        log.close()


def missing(admin: int) -> list[str]:
    """What `/readyz` still waits for."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{admin}/readyz", timeout=5) as answer:
            return json.load(answer)["missing"]
    except urllib.error.HTTPError as problem:
        return json.load(problem)["missing"]
    except OSError:
        return ["pages"]


def wait_for(admin: int, wanted: list[str]) -> None:
    """Until `/readyz` waits for exactly this."""
    end = time.monotonic() + 30
    while (found := missing(admin)) != wanted:
        assert time.monotonic() < end, found
        time.sleep(0.05)


def without(suite: Suite, *names: str) -> None:
    """Stops programs and keeps them stopped."""
    kept = [program for program in suite.programs if program.name not in names]
    write_plan(suite.folder / "run" / "plan.json", kept)
    os.kill(suite.supervisor(), signal.SIGHUP)
    for name in names:
        eventually(lambda name=name: not (suite.folder / "run" / f"{name}.pid").exists())


def restart(suite: Suite, program: str) -> None:
    """Kills a program, which the supervisor starts again."""
    before = suite.pid(program)
    os.kill(before, signal.SIGKILL)

    def now() -> int:
        try:
            return suite.pid(program)
        except (OSError, ValueError):
            return before

    eventually(lambda: now() != before)


def connect(suite: Suite, database: str) -> psycopg.Connection:
    return psycopg.connect(
        host=str(suite.postgres.socket), port=suite.postgres.port, user="ezwallet_admin",
        password=suite.postgres.password_file.read_text(), dbname=database,
    )  # fmt: skip
