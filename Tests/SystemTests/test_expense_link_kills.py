"""Shared expenses and their payers' own ledgers agree, whatever dies at whichever step."""

import os
import random
import signal
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import httpx
import psycopg
import pytest

from actions import wallet
from client import TRANSIENT, eventually, money, value
from conftest import hurt_suite
from expense_links import Shared, finish, hasten, kill, under_way
from faults import connect, surely, without
from faults import hurt as kill_on
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]
hurt = pytest.fixture(scope="module")(hurt_suite)


def waits(held: psycopg.Connection) -> bool:
    """Whether anybody waits for a lock."""
    row = held.execute("select exists (select from pg_locks where not granted)").fetchone()
    return bool(row and row[0])


@contextmanager
def while_the_ledger_posts(shared: Shared, key: str) -> Iterator[psycopg.Connection]:
    """Ada adds an expense, and the ledger waits for her account until what is yielded ends."""
    with while_the_ledger_waits(shared, "POST", shared.path, shared.body(), key) as held:
        yield held


@contextmanager
def while_the_ledger_waits(
    shared: Shared, method: str, path: str, body: Any = None, key: str | None = None
) -> Iterator[psycopg.Connection]:
    def call() -> None:
        for _ in range(100):
            with suppress(httpx.TransportError):
                said = shared.ada.send(method, path, json=body, key=key, retry=False)
                if said.status_code not in TRANSIENT:
                    return
            if under_way(shared.suite, shared.group):
                return
            time.sleep(0.05)

    with ThreadPoolExecutor(1) as pool, connect(shared.suite, "ezwallet_ledger") as held:
        held.execute("select 1 from ledger.balance where account_id = %s for update",
                     [shared.purse["id"]])  # fmt: skip
        called = pool.submit(call)
        eventually(lambda: under_way(shared.suite, shared.group))
        # And the ledger has heard of it, however busy the machine is.
        eventually(lambda: waits(held))
        yield held
        held.rollback()
        called.result()


def groups_die_while_it_waits(
    shared: Shared, method: str, path: str, body: Any = None, key: str | None = None
) -> None:
    """The ledger has heard of it, and goes on before its wait is over: whoever asked is gone, and
    what waits again for somebody who is gone is left out."""
    names = [f"ezwallet-groups-{replica}" for replica in (1, 2)]
    with while_the_ledger_waits(shared, method, path, body, key) as held:
        before = {name: shared.suite.pid(name) for name in names}
        for pid in before.values():
            os.kill(pid, signal.SIGKILL)
        held.rollback()

    def are_back() -> bool:
        with suppress(OSError, ValueError):
            return all(shared.suite.pid(name) != pid for name, pid in before.items())
        return False

    eventually(are_back)


def groups_die_while_it_posts(shared: Shared, key: str) -> None:
    groups_die_while_it_waits(shared, "POST", shared.path, shared.body(), key)


def test_groups_killed_while_the_ledger_posts_leaves_neither(hurt: Suite) -> None:
    shared, key = Shared(hurt), str(uuid.uuid4())
    groups_die_while_it_posts(shared, key)
    finish(hurt)
    eventually(shared.left, until=lambda left: left == 1000)
    assert shared.expenses() == [] and shared.rows() == []
    # And then the key begins anew.
    status, made = surely(shared.ada, "POST", shared.path, shared.body(), key)
    assert status == 201 and made["link"]["state"] == "current"
    assert shared.left() == 970 and len(shared.expenses()) == 1


def test_what_was_never_written_goes_though_others_seem_to_have_paid_it(hurt: Suite) -> None:
    shared = Shared(hurt)
    shared.add()
    # Owed in the group, and in nobody's books: it is paid back into Ada's all the same.
    unlinked = {name: one for name, one in shared.body().items() if name != "accountId"}
    shared.ada.post(shared.path, unlinked)
    groups_die_while_it_posts(shared, str(uuid.uuid4()))
    eventually(shared.left, until=lambda left: left == 940)
    shared.settle("20.00")
    shared.settle("10.00", withMemberId=shared.group.of_cleo)
    assert shared.left() == 970
    finish(hurt)
    eventually(shared.left, until=lambda left: left == 1000)
    assert sorted(value(row["amount"]) for row in shared.rows()) == [-30, 10, 20]
    assert len(shared.expenses()) == 2


def test_what_was_never_written_and_cannot_go_is_told_to_whose_it_is(hurt: Suite) -> None:
    shared = Shared(hurt)
    account = wallet(shared.ada, "EUR")
    shared.purse = {"id": account}
    groups_die_while_it_posts(shared, str(uuid.uuid4()))
    eventually(shared.left, until=lambda left: left == -30)
    shared.ada.call("DELETE", f"/v1/accounts/{account}", 204)
    finish(hurt)
    (told,) = eventually(
        lambda: [
            one
            for one in shared.ada.get("/v1/notifications")["items"]
            if one["kind"] == "posting-kept"
        ]
    )
    assert (told["groupId"], told["accountId"]) == (shared.group.id, account)
    assert told["amount"] == money("30.00") and "closed" in told["text"]
    assert shared.expenses() == [] and not under_way(hurt, shared.group)


def test_groups_killed_before_it_writes_goes_on_under_the_key(hurt: Suite) -> None:
    shared, key = Shared(hurt), str(uuid.uuid4())
    with while_the_ledger_posts(shared, key) as held, connect(hurt, "ezwallet_groups") as group:
        group.execute("select 1 from groups.expense_group where id = %s for update",
                      [shared.group.id])  # fmt: skip
        held.rollback()
        eventually(shared.left, until=lambda left: left == 970)
        kill(hurt, "groups")
        group.rollback()
    status, made = surely(shared.ada, "POST", shared.path, shared.body(), key)
    assert status == 201 and made["link"]["state"] == "current"
    assert shared.left() == 970 and len(shared.expenses()) == 1 and len(shared.rows()) == 1
    finish(hurt)
    assert shared.left() == 970 and shared.state(made) == "current"


def test_groups_killed_while_a_clearing_is_taken_back_takes_its_settlement_too(
    hurt: Suite,
) -> None:
    shared = Shared(hurt)
    shared.add()
    before = shared.group.balances("EUR")
    made = shared.settle("5.00")
    path = f"{shared.group.path}/settlements/{made['id']}"
    assert shared.left() == 975
    groups_die_while_it_waits(shared, "DELETE", path)
    # Nobody may write any more; whoever began it might.
    assert surely(shared.ada, "PUT", f"{shared.group.path}/archive")[0] == 200
    finish(hurt)
    eventually(shared.left, until=lambda left: left == 970)
    shared.ada.problem("GET", path, 404, "not-found")
    assert shared.group.balances("EUR") == before and len(shared.rows()) == 1


def test_the_ledger_killed_before_it_commits(hurt: Suite) -> None:
    shared, key = Shared(hurt), str(uuid.uuid4())
    with while_the_ledger_posts(shared, key):
        kill(hurt, "ledger")
    status, made = surely(shared.ada, "POST", shared.path, shared.body(), key)
    assert status == 201 and made["link"]["state"] == "current"
    assert shared.left() == 970 and len(shared.expenses()) == 1
    finish(hurt)
    assert shared.left() == 970 and len(shared.rows()) == 1


def test_a_ledger_that_is_away_is_caught_up_with_when_it_is_back(hurt: Suite) -> None:
    shared = Shared(hurt)
    edited, gone = shared.add(), shared.add("9.00")
    without(hurt, "ezwallet-ledger-1", "ezwallet-ledger-2")
    try:
        answer = shared.ada.send("POST", shared.path, json=shared.body(), retry=False)
        assert answer.status_code in (502, 503, 504), answer.text
        changed = shared.ada.call("PATCH", shared.at(edited), 200, json={"amount": money("60.00")})
        assert changed["link"]["state"] == "pending"
        shared.ada.call("DELETE", shared.at(gone), 204)
    finally:
        hurt.up()
    finish(hurt)
    assert shared.state(edited) == "current" and len(shared.expenses()) == 1
    assert shared.left() == 940 and len(shared.rows()) == 1


def test_one_that_cannot_be_ended_keeps_none_of_the_others(hurt: Suite) -> None:
    stuck, shared = Shared(hurt), Shared(hurt)
    for one in (stuck, shared):
        groups_die_while_it_posts(one, str(uuid.uuid4()))
        eventually(one.left, until=lambda left: left == 970)
    with connect(hurt, "ezwallet_ledger") as held:
        held.execute("select 1 from ledger.balance where account_id = %s for update",
                     [stuck.purse["id"]])  # fmt: skip
        hasten(hurt)
        eventually(shared.left, 60, until=lambda left: left == 1000)
        held.rollback()
    finish(hurt)
    eventually(stuck.left, until=lambda left: left == 1000)


def test_expenses_and_books_agree_while_everything_is_killed(hurt: Suite) -> None:
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    scenes = [Shared(hurt) for _ in range(3)]
    stop, done = threading.Event(), Counter()
    kinds = ("ledger", "groups", "connections")

    def live(number: int) -> None:
        shared, own = scenes[number % 3], random.Random(seed + number)
        mine: list[dict[str, Any]] = []
        for _ in range(12):
            if not mine or own.random() < 0.5:
                amount = f"{own.randint(1, 9) * 3}.00"
                status, made = surely(shared.ada, "POST", shared.path, shared.body(amount))
                assert status == 201, (seed, made)
                mine.append(made)
            elif own.random() < 0.6:
                one = own.choice(mine)
                body = {"amount": money(f"{own.randint(1, 9) * 3}.00")}
                surely(shared.ada, "PATCH", shared.at(one), body)
            else:
                one = mine.pop(own.randrange(len(mine)))
                status, _ = surely(shared.ada, "DELETE", shared.at(one))
                assert status in (204, 404), seed

    killer = threading.Thread(target=kill_on, args=(hurt, chance, stop, done, 0.6, 1.0, kinds))
    killer.start()
    try:
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(live, range(6)))
    finally:
        stop.set()
        killer.join()
    finish(hurt, 90)
    assert done, seed
    for shared in scenes:
        expenses = list(shared.ada.pages(shared.path, limit=200))
        rows = {row["id"]: row for row in shared.rows()}
        assert {one["link"]["state"] for one in expenses} <= {"current"}, seed
        paid = {one["link"]["transactionId"]: value(one["amount"]) for one in expenses}
        assert {id: -value(row["amount"]) for id, row in rows.items()} == paid, seed
        assert shared.left() == 1000 - sum(paid.values()), seed
