"""A long export taken into a group, and a guest merged into a member, while the services that do it
are killed again and again."""

import contextlib
import os
import random
import signal
import threading
import uuid
from collections.abc import Iterator
from decimal import Decimal

import httpx
import psycopg
import pytest

from actions import Group
from client import eventually, money
from conftest import make_suite
from faults import connect
from group_imports import PATH, Export, preview
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups"]
#: What the server is at when the kills come.
KILLS = (
    "copy groups.expense (%", "copy groups.expense_debt%", "copy groups.imported_row%",
    "%insert into outbox%",
)  # fmt: skip


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of two replicas each, which these tests may hurt."""
    suite = make_suite()
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


def told(suite: Suite, group: str) -> tuple[int, ...]:
    """What there is of a group's import, by the database's own word."""
    tables = ("expense", "expense_debt", "settlement", "imported_row", "member_balance")
    counts = ", ".join(
        f"(select count(*) from groups.{one} where group_id = '{group}')" for one in tables
    )
    told = f"select {counts}, (select count(*) from groups.outbox"
    told += f" where aggregate = 'group:{group}'"
    told += " and type = 'group.expense.added')"
    found = suite.postgres.psql("-c", told, database="ezwallet_groups")
    return tuple(int(one) for one in found.split("|"))


def test_a_killed_commit_leaves_nothing_or_all_of_it(own: Suite) -> None:
    group = Group(own)
    members = group.ada.get(f"{group.path}/members")["items"]
    called = {one["id"]: one["displayName"] for one in members}
    trip = Export([called[member] for member in group.members])
    trip.fill(6_000, random.Random(3))
    one = preview(group.ada, group.id, trip.text)
    path, key = f"{PATH}/{one['id']}/commit", str(uuid.uuid4())
    seen = []
    for statement in KILLS:
        asked = threading.Thread(target=lambda: ask(group, path, key))
        asked.start()
        wait(own, statement, asked)
        for replica in (1, 2):
            os.kill(own.pid(f"ezwallet-groups-{replica}"), signal.SIGKILL)
        asked.join()
        eventually(lambda: group.ada.send("GET", group.path).status_code == 200, 60)
        seen.append(told(own, group.id))
    done = eventually(
        lambda: group.ada.send("POST", path, key=key), 60, until=lambda it: it.status_code == 200
    )
    assert done.json()["state"] == "committed"
    whole = told(own, group.id)
    assert whole[0] == one["expenseCount"] and whole[3] == one["rowCount"] == len(trip.rows)
    assert whole[5] == one["expenseCount"]
    nothing = (0,) * len(whole)
    assert set(seen) <= {nothing, whole}
    assert seen.count(nothing) >= 2, "the kills came too late"
    for currency, sums in trip.balances.items():
        wanted = dict(zip(group.members, sums, strict=True))
        assert group.balances(currency) == {one: Decimal(sum) for one, sum in wanted.items()}


def wait(suite: Suite, statement: str, asked: threading.Thread) -> None:
    """Until a service's backend is at it, or the call has been answered."""
    postgres = suite.postgres
    with psycopg.connect(
        host=str(postgres.socket), port=postgres.port, user="ezwallet_admin",
        password=postgres.password_file.read_text(), dbname="ezwallet_groups", autocommit=True,
    ) as watcher:  # fmt: skip
        at = (
            "select from pg_stat_activity where datname = 'ezwallet_groups'"
            " and pid <> pg_backend_pid() and backend_xid is not null and query like %s"
        )
        while asked.is_alive() and not watcher.execute(at, [statement]).fetchall():
            pass


def is_waited_for(held: psycopg.Connection, table: str) -> bool:
    """Whether a statement waits for a lock of this table."""
    at = (
        "select exists (select from pg_stat_activity where datname = 'ezwallet_groups'"
        " and wait_event_type = 'Lock' and query like %s)"
    )
    # A transaction sees one state of what others are doing, until it is told to look again.
    held.execute("select pg_stat_clear_snapshot()")
    row = held.execute(at, [f"%{table}%"]).fetchone()
    return bool(row and row[0])


def ask(group: Group, path: str, key: str) -> httpx.Response | None:
    """Whatever is answered, if anything is."""
    try:
        return group.ada.send("POST", path, key=key, retry=False)
    except httpx.TransportError:
        return None


@pytest.mark.timeout(300)
def test_a_killed_merge_leaves_nothing_or_all_of_it(own: Suite) -> None:
    group = Group(own)
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Bobby"})["id"]
    everybody = [*group.members, guest]
    for number in range(30):
        payers = [everybody[number % 4]]
        paid = [{"memberId": one, "amount": money(f"{number + 1}.00")} for one in payers]
        parts = [{"memberId": one} for one in everybody]
        body = {"name": "x", "amount": money(f"{number + 1}.00"), "paidBy": paid}
        group.ada.post(
            f"{group.path}/expenses", body | {"split": {"kind": "equal", "parts": parts}}
        )
    group.bob.post(f"{group.path}/settlements", {"withMemberId": guest, "amount": money("1.00")})
    before = group.balances("EUR")
    link = group.ada.post(f"{group.path}/invitations", {"link": {"memberId": guest}})["link"]
    path, key = f"/v1/invitation-links/{link['token']}/acceptance", str(uuid.uuid4())

    def merge() -> None:
        with contextlib.suppress(httpx.TransportError):
            group.bob.send("POST", path, key=key, retry=False)

    # The merge waits for what is locked: at its beginning, at its end, and behind it.
    for table in ("settlement_payment", "guest_merge", "outbox"):
        with connect(own, "ezwallet_groups") as held:
            held.execute(f"lock table groups.{table} in share mode")
            asked = threading.Thread(target=merge)
            asked.start()
            eventually(lambda held=held, table=table: is_waited_for(held, table))
            for replica in (1, 2):
                os.kill(own.pid(f"ezwallet-groups-{replica}"), signal.SIGKILL)
            held.rollback()
        asked.join()
        eventually(lambda: group.ada.send("GET", group.path).status_code == 200, 60)
        assert group.balances("EUR") == before, "a kill left half of a merge"
    for _ in range(2):
        done = eventually(
            lambda: group.bob.send("POST", path, key=key), 60,
            until=lambda it: it.status_code == 200,
        )  # fmt: skip
        assert done.json()["memberCount"] == 3
    after = {one: sum for one, sum in group.balances("EUR").items() if sum}
    wanted = before | {group.of_bob: before[group.of_bob] + before[guest], guest: 0}
    assert after == {one: sum for one, sum in wanted.items() if sum}
    # And it is undone as a whole.
    group.cleo.post(f"{group.path}/members/{guest}/undo", status=204)
    assert group.balances("EUR") == before
