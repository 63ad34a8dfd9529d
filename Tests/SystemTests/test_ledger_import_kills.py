"""A long file read, taken in and taken back, while what does it is killed again and again."""

import contextlib
import os
import random
import signal
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from actions import balance, wallet
from client import Person, eventually
from conftest import make_suite
from imports import BYTES
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]
LINES = 100_000
#: Of the file that is killed less often.
SOME_LINES = 10_000
#: How far each is when it is killed, in shares of its movements (money comes in first, and goes
#: back last), and the table that it needs next when all of them are made: the last kill of a commit
#: finds it waiting there. With four of an upload these are ten; each costs what it had done.
COMMIT, WITHDRAWAL = ((0.03, 0.3, 0.6), "ledger.import_file"), ((0.1, 0.55), None)
SOME_COMMIT, SOME_WITHDRAWAL = ((0.3,), "ledger.import_file"), ((0.5,), None)
#: How far the rows of an upload are written when it is killed, and with what.
UPLOAD = (("backend", 0.1, 0.5), ("server", 0.5, 0.95))


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of two replicas each, which these tests may hurt; without those who only listen."""
    suite = make_suite()
    try:
        suite.up()
        names = ("ezwallet-groups", "ezwallet-analytics", "ezwallet-notifications")
        suite.programs = [one for one in suite.programs if not one.name.startswith(names)]
        suite.apply()
        yield suite
    finally:
        suite.remove()


class Watcher:
    """What the ledger's database says, once it answers, of one import of so many lines."""

    def __init__(self, suite: Suite, lines: int):
        self.suite = suite
        self.lines = lines
        self.connection = self.connect()

    def connect(self) -> psycopg.Connection:
        postgres = self.suite.postgres
        return psycopg.connect(
            host=str(postgres.socket), port=postgres.port, user="ezwallet_admin",
            password=postgres.password_file.read_text(), dbname="ezwallet_ledger", autocommit=True,
        )  # fmt: skip

    def rows(self, sql: str) -> list[tuple]:
        deadline = time.monotonic() + 60
        while True:
            try:
                return self.connection.execute(sql).fetchall()
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
                with contextlib.suppress(psycopg.OperationalError):
                    self.connection = self.connect()

    def one(self, sql: str) -> Any:
        return self.rows(sql)[0][0]

    def backend(self, condition: str) -> tuple[int, int] | None:
        """A backend of the ledger's that is in a transaction, and the port of its client."""
        found = self.rows(
            f"select pid, client_port from pg_stat_activity where usename like '%ledger%'"
            f" and datname = 'ezwallet_ledger' and {condition} order by xact_start limit 1"
        )
        return found[0] if found else None

    def at_work(self) -> tuple[int, int] | None:
        """Who takes an import in or back: it holds the lock of the importing person, and others
        hold locks of that kind for other things."""
        locks = (
            "select pid from pg_locks, ledger.statement_import,"
            " hashtextextended(user_id::text, 7007) as key"
            " where locktype = 'advisory' and granted and objsubid = 1"
            " and (classid::bigint << 32 | objid::bigint) = key"
        )
        return self.backend(f"pid in ({locks}) and xact_start < now() - interval '20 ms'")

    def at_upload(self) -> tuple[int, int] | None:
        """Who writes what was read."""
        return self.backend(
            "backend_xid is not null and query ~ '(insert into|copy) ledger.import_'"
        )

    def is_there(self, backend: int) -> bool:
        return bool(self.rows(f"select from pg_stat_activity where pid = {backend}"))

    def movements(self) -> int:
        """How many entries were ever made, by transactions that still run too."""
        return self.one("select last_value from ledger.entry_place_seq")

    def standing(self, one: str) -> set[int]:
        """How many rows of an import are taken in, and how many transactions stand for them."""
        return set(self.rows(
            f"select (select count(*) from ledger.imported_row where import_id = '{one}'),"
            " (select count(*) from ledger.money_transaction"
            f" where import_id = '{one}' and reversed_by is null)"
        )[0])  # fmt: skip

    def previews(self) -> list[tuple[str, int, int]]:
        """Each import with what there is of it: its rows, and its file's bytes."""
        assert self.one("select count(*) from ledger.import_row") in (0, self.lines)
        return [(str(one), rows, size) for one, rows, size in self.rows(
            "select id, (select count(*) from ledger.import_row where import_id = id),"
            " (select sum(length(content)) from ledger.import_file where import_id = id)"
            " from ledger.statement_import"
        )]  # fmt: skip


def kill(watcher: Watcher, kind: str, backend: int, port: int) -> None:
    """Kills the service, the backend, or with it the server; returns when its work has ended."""
    suite = watcher.suite
    if kind == "service":
        os.kill(suite.pid(client(suite, port)), signal.SIGKILL)
    elif kind == "backend":
        watcher.rows(f"select pg_terminate_backend({backend})")
    else:
        # The server takes all others down with it, and recovers.
        os.kill(backend, signal.SIGKILL)
    eventually(lambda: not watcher.is_there(backend), 30)


def client(suite: Suite, port: int) -> str:
    """The replica that has a connection from the port."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    sockets = {f"socket:[{line[9]}]" for line in lines if line[1].endswith(f":{port:04X}")}
    for name in ("ezwallet-ledger-1", "ezwallet-ledger-2"):
        with contextlib.suppress(OSError):
            for descriptor in Path(f"/proc/{suite.pid(name)}/fd").iterdir():
                with contextlib.suppress(OSError):
                    if os.readlink(descriptor) in sockets:
                        return name
    raise AssertionError(f"no replica has the connection from port {port}")


def file_of(amounts: list[int]) -> bytes:
    rows = "".join(
        f"2025-{1 + n * 12 // len(amounts):02d}-{1 + n % 28:02d},row {n},{amount / 100:.2f}\n"
        for n, amount in enumerate(amounts)
    )
    return f"Date,Payee,Amount\n{rows}".encode()


def upload(person: Person, account: str, content: bytes, key: str) -> httpx.Response:
    """The answer that is had in the end."""
    deadline = time.monotonic() + 240
    while True:
        with contextlib.suppress(httpx.TransportError):
            answer = person.send(
                "POST", "/v1/imports", content=content, headers=BYTES, key=key, retry=False,
                params={"accountId": account},
            )  # fmt: skip
            if answer.status_code not in (500, 502, 503, 504):
                return answer
        assert time.monotonic() < deadline
        time.sleep(0.1)


def read_through_kills(
    watcher: Watcher, person: Person, account: str, content: bytes, chance: random.Random
) -> dict[str, Any]:
    """The preview: there is none of it, or a whole one, and one alone however often it is asked."""
    suite, key, begun = watcher.suite, str(uuid.uuid4()), time.monotonic()
    whole = (watcher.lines, len(content))
    # What is written is added at the end of the table, and so tells how far it is.
    watcher.connection.execute("alter table ledger.import_row set (autovacuum_enabled = off)")
    size = "select pg_relation_size('ledger.import_row')"
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(upload, person, account, content, key)
        # While it is read.
        time.sleep(chance.uniform(0.1, 0.5))
        for replica in (1, 2):
            os.kill(suite.pid(f"ezwallet-ledger-{replica}"), signal.SIGKILL)
        for kind, low, high in UPLOAD:
            until = chance.uniform(low, high)
            backend, port = eventually(watcher.at_upload, 60)
            # A row is a little more than 100 bytes.
            enough = watcher.one(size) + until * watcher.lines * 100
            eventually(lambda enough=enough: watcher.one(size) >= enough, 60)
            kill(watcher, kind, backend, port)
            assert watcher.previews() == []
        # Once it is there, and nobody has been told: as far as that is seen, for it is soon over.
        found = eventually(lambda: watcher.at_upload() or watcher.previews(), 60)
        eventually(watcher.previews, 60)
        if isinstance(found, tuple):
            kill(watcher, "service", *found)
        answer = asked.result()
    if "idempotency-replayed" not in answer.headers:
        # It was told just before: then it is asked once more.
        assert upload(person, account, content, key).json() == answer.json()
    assert answer.status_code == 201, answer.text
    found = answer.json()
    assert watcher.previews() == [(found["id"], *whole)]
    assert found["rowCount"] == watcher.lines and found["errors"] == []
    print(f"preview: {time.monotonic() - begun:.1f} s")
    return found


def through_kills(
    watcher: Watcher, person: Person, one: str, begin: tuple[str, str], state: str,
    shares: tuple[float, ...], held: str | None, kinds: list[str],
) -> None:  # fmt: skip
    """Work on an import that is killed at each share of it, and while it waits for a row of `held`,
    with nothing left but to finish."""
    begun = time.monotonic()
    before = watcher.standing(one)

    def ask() -> None:
        with contextlib.suppress(httpx.TransportError):
            person.send(*begin, retry=False)

    def reached(backend: int, count: int) -> bool:
        assert watcher.is_there(backend), "it was done before it was killed"
        return watcher.movements() >= count

    with ThreadPoolExecutor(1) as pool:
        made = watcher.movements()
        asked = pool.submit(ask)
        for share, kind in zip(shares, kinds, strict=False):
            backend, port = eventually(watcher.at_work, 60)
            count = made + share * watcher.lines
            eventually(lambda: reached(backend, count), 120)  # noqa: B023
            kill(watcher, kind, backend, port)
            # What was killed has left its movements in the sequence, and the next begins at once.
            made = watcher.movements()
            # Nothing of it is ever seen.
            assert watcher.standing(one) == before
        if held:
            backend, port = eventually(watcher.at_work, 60)
            count = made + 0.95 * watcher.lines
            with contextlib.closing(watcher.connect()) as holder:
                holder.autocommit = False
                holder.execute(f"select from {held} where import_id = '{one}' limit 1 for update")
                waits = f"pid = {backend} and wait_event_type = 'Lock'"
                eventually(lambda: reached(backend, count) and watcher.backend(waits), 120)
                kill(watcher, kinds[-1], backend, port)
            assert watcher.standing(one) == before
        sql = f"select state from ledger.statement_import where id = '{one}'"
        eventually(lambda: watcher.one(sql), 200, until=lambda found: found == state)
        asked.result()
    print(f"{state}: {time.monotonic() - begun:.1f} s, killed {kinds}")


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_a_large_import_is_all_or_nothing_through_kills(own: Suite) -> None:
    import_through_kills(own, LINES, COMMIT, WITHDRAWAL, kills_upload=True)


@pytest.mark.timeout(300)
def test_an_import_is_all_or_nothing_through_kills(own: Suite) -> None:
    import_through_kills(own, SOME_LINES, SOME_COMMIT, SOME_WITHDRAWAL, kills_upload=False)


def import_through_kills(
    own: Suite, lines: int, commit: tuple, withdrawal: tuple, *, kills_upload: bool
) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    chance = random.Random(seed)
    person = Person(own)
    person.http.timeout = 60
    account = wallet(person)
    # Each line moves something.
    amounts = [chance.randrange(-50000, 50001) or 1 for _ in range(lines)]
    total = Decimal(sum(amounts)) / 100
    watcher = Watcher(own, lines)
    if kills_upload:
        one = read_through_kills(watcher, person, account, file_of(amounts), chance)["id"]
    else:
        one = upload(person, account, file_of(amounts), str(uuid.uuid4())).json()["id"]
    path = f"/v1/imports/{one}"
    # What the balance stores is what the movements come to.
    check = (
        "select amount - (select coalesce(sum(case when credit_account = account_id then amount"
        " else -amount end), 0) from ledger.movement where account_id in (credit_account,"
        f" debit_account)) from ledger.balance where account_id = '{account}'"
    )
    kinds = chance.sample(["service", "backend", "server", "service"], len(commit[0]) + 1)
    through_kills(watcher, person, one, ("POST", f"{path}/commit"), "committed", *commit, kinds)
    assert watcher.standing(one) == {lines}
    assert balance(person, account) == total
    assert person.get(path)["state"] == "committed"
    assert watcher.one(check) == 0
    kinds = chance.sample(["service", "backend", "server"], len(withdrawal[0]))
    through_kills(watcher, person, one, ("DELETE", path), "withdrawn", *withdrawal, kinds)
    assert watcher.standing(one) == {0}
    assert balance(person, account) == 0
    assert watcher.one(check) == 0
