"""100,000 lines taken in and taken back, while what does it is killed again and again."""

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from client import Person, eventually
from conftest import make_suite
from suite.suite import Suite
from test_ledger_imports import balance, preview, wallet

NEEDS = ["gateway", "auth", "ledger"]
LINES, KILLS = 100_000, 10


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of two replicas each, which these tests may hurt."""
    suite = make_suite()
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


def query(suite: Suite, sql: str) -> str:
    """What the ledger's database says, once it answers."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return suite.postgres.psql("-c", sql, database="ezwallet_ledger")
        except RuntimeError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def worker(suite: Suite) -> int | None:
    """The backend of the transaction that takes an import in or back."""
    found = query(
        suite,
        "select pid from pg_locks join pg_stat_activity using (pid)"
        " where locktype = 'advisory' and usename like '%ledger%' and datname = 'ezwallet_ledger'"
        " and xact_start < now() - interval '20 ms' order by xact_start limit 1",
    )
    return int(found) if found else None


def standing(suite: Suite, one: str) -> int:
    """How many transactions of an import stand."""
    return int(
        query(
            suite,
            "select count(*) from ledger.money_transaction"
            f" where import_id = '{one}' and reversed_by is null",
        )
    )


def kill(suite: Suite, one: str, chance: random.Random, stop: threading.Event) -> list[str]:
    """Kills what is at it, ten times in the middle of it; nothing half is ever seen."""
    done: list[str] = []
    while len(done) < KILLS and not stop.is_set():
        backend = worker(suite)
        if backend is None:
            time.sleep(0.02)
            continue
        time.sleep(chance.uniform(0.05, 1.2))
        kind = "backend" if len(done) % 3 == 2 else "server" if len(done) == 4 else "service"
        if kind == "service":
            for replica in (1, 2):
                with contextlib.suppress(OSError, ValueError):
                    os.kill(suite.pid(f"ezwallet-ledger-{replica}"), signal.SIGKILL)
        elif kind == "backend":
            query(suite, f"select pg_terminate_backend({backend})")
        else:
            # The server takes all others down with it, and recovers.
            with contextlib.suppress(OSError):
                os.kill(backend, signal.SIGKILL)
        done.append(kind)
        assert standing(suite, one) in (0, LINES)
    return done


@pytest.mark.timeout(900)
def test_a_large_import_is_all_or_nothing_through_kills(own: Suite, tmp_path: Path) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    chance = random.Random(seed)
    person = Person(own)
    account = wallet(person)
    amounts = [chance.randrange(-50000, 50001) for _ in range(LINES)]
    rows = "".join(
        f"2025-{1 + n * 12 // LINES:02d}-{1 + n % 28:02d},row {n},{amount / 100:.2f}\n"
        for n, amount in enumerate(amounts)
    )
    begun = time.monotonic()
    one = preview(person, account, f"Date,Payee,Amount\n{rows}".encode())
    assert one["rowCount"] == LINES and one["errors"] == []
    print(f"preview: {time.monotonic() - begun:.1f} s")
    total = Decimal(sum(amounts)) / 100

    def through(begin: tuple[str, str], state: str, expected: int) -> None:
        stop = threading.Event()
        kills: list[str] = []
        wrong: list[BaseException] = []

        def run() -> None:
            try:
                kills.extend(kill(own, one["id"], chance, stop))
            except BaseException as error:  # noqa: BLE001  told in the main thread
                wrong.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        begun = time.monotonic()
        try:
            with contextlib.suppress(Exception):
                person.send(*begin, retry=False)
            eventually(
                lambda: query(
                    own, f"select state from ledger.statement_import where id = '{one['id']}'"
                ),
                seconds=400,
                until=lambda found: found == state,
            )
        finally:
            stop.set()
            thread.join(60)
        assert not wrong, wrong
        print(f"{state}: {time.monotonic() - begun:.1f} s, {len(kills)} kills: {kills}")
        assert len(kills) == KILLS, "it was done before it was killed ten times"
        assert standing(own, one["id"]) == expected

    path = f"/v1/imports/{one['id']}"
    through(("POST", f"{path}/commit"), "committed", LINES)
    own.wait_ready()
    assert balance(person, account) == total
    assert person.get(path)["state"] == "committed"
    # What the balance stores is what the movements come to.
    check = (
        "select amount - (select coalesce(sum(case when credit_account = account_id then amount"
        " else -amount end), 0) from ledger.movement where account_id in (credit_account,"
        f" debit_account)) from ledger.balance where account_id = '{account}'"
    )
    assert query(own, check) == "0"
    through(("DELETE", path), "withdrawn", 0)
    own.wait_ready()
    assert balance(person, account) == 0
    assert query(own, check) == "0"
    assert query(own, "select count(*) from ledger.imported_row") == "0"
