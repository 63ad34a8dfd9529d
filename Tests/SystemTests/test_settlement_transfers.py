"""Debts of a group that are paid by real transfers: both or neither, once, whatever dies."""

import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from decimal import Decimal
from typing import Any

import httpx
import psycopg
import pytest

from actions import Group, Inside, acting, at_once, balance_of, current, make_stale
from client import TRANSIENT, eventually, money, value
from conftest import hurt_suite
from faults import connect, restart, surely, without
from faults import hurt as kill_on
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]
hurt = pytest.fixture(scope="module")(hurt_suite)


class Debt:
    """Ada paid for all; Bob has an account to pay from, and Ada one to be paid to."""

    def __init__(self, suite: Suite, amount: str = "30.00", funds: str = "100.00"):
        self.group = Group(suite)
        self.ada, self.bob = self.group.ada, self.group.bob
        self.purse = current(self.ada, "EUR")
        self.ada.call(
            "PUT", "/v1/receiving-accounts/EUR", 200, json={"accountId": self.purse["id"]}
        )
        self.pocket = current(self.bob, "EUR", funds)
        self.group.expense(amount)
        self.path = f"{self.group.path}/settlements"
        self.body: dict[str, Any] = {
            "withMemberId": self.group.of_ada, "fromAccountId": self.pocket["id"],
        }  # fmt: skip

    def open(self) -> Decimal:
        """What Bob owes yet."""
        return -self.group.balances("EUR").get(self.group.of_bob, Decimal(0))

    def moved(self) -> tuple[Decimal, Decimal]:
        """What Bob has left, and what Ada got."""
        return balance_of(self.bob, self.pocket), balance_of(self.ada, self.purse)

    def states(self) -> list[str]:
        return [one["state"] for one in self.bob.pages(self.path)]

    def refused(self, status: int, code: str, **other: Any) -> dict[str, Any]:
        body = self.body | other
        return self.bob.problem("POST", self.path, status, code, json=body, key=str(uuid.uuid4()))


def groups_psql(suite: Suite, statement: str) -> str:
    return suite.postgres.psql("-At", "-c", statement, database="ezwallet_groups").strip()


def hasten(suite: Suite) -> None:
    """Nobody waits for what is pending any more."""
    groups_psql(suite, "update groups.settlement_order set look_at = now() - interval '1 minute'")


def pending(suite: Suite, group: Group | None = None) -> bool:
    """Whether any is, in all groups or in one."""
    left = "select count(*) from groups.settlement_order where ended_at is null"
    return groups_psql(suite, left + (f" and group_id = '{group.id}'" if group else "")) != "0"


def kill(suite: Suite, service: str) -> None:
    """Both replicas, which are up again afterwards."""
    for replica in (1, 2):
        restart(suite, f"ezwallet-{service}-{replica}")


def test_a_debt_is_paid_by_a_transfer(suite: Suite) -> None:
    debt = Debt(suite)
    key = str(uuid.uuid4())
    paid = debt.bob.post(debt.path, debt.body, key=key)
    assert paid["state"] == "paid" and value(paid["payments"][0]["amount"]) == 10
    assert debt.moved() == (90, 10) and debt.open() == 0
    assert debt.bob.get(f"{debt.path}/{paid['id']}") == paid
    debt.bob.problem("GET", f"{debt.path}/{uuid.uuid4()}", 404, "not-found")
    assert debt.bob.send("POST", debt.path, json=debt.body, key=key).json() == paid
    assert debt.moved() == (90, 10)
    # Both see the transfer, with the group's name; whoever else is in the group only that it was.
    for one in (debt.bob, debt.ada):
        seen = one.get(f"/v1/transfers/{paid['transferId']}")
        assert seen["reference"] == "Flat" and value(seen["debit"]) == 10
        assert one.get(debt.path)["items"] == [paid]
    (seen,) = debt.group.cleo.get(debt.path)["items"]
    assert "transferId" not in seen and seen["state"] == "paid"
    told = eventually(
        lambda: [one["kind"] for one in debt.ada.get("/v1/notifications")["items"]],
        until=lambda kinds: "settlement-recorded" in kinds,
    )
    assert told.count("settlement-recorded") == 1
    debt.refused(409, "nothing-to-settle")


def test_what_a_transfer_has_paid_stays(suite: Suite) -> None:
    debt = Debt(suite)
    paid = debt.bob.post(debt.path, debt.body, key=str(uuid.uuid4()))
    for one in (debt.bob, debt.ada, debt.group.cleo):
        one.problem("DELETE", f"{debt.path}/{paid['id']}", 409, "settlement-state")
    assert debt.open() == 0 and debt.states() == ["paid"]


def test_a_settlement_has_a_day(suite: Suite) -> None:
    debt = Debt(suite)
    body = {"withMemberId": debt.group.of_ada, "amount": money("4.00")}
    first = debt.bob.post(debt.path, body | {"date": "2026-01-31"})
    assert (first["date"], first["state"]) == ("2026-01-31", "recorded")
    second = debt.bob.post(debt.path, body)
    assert second["date"] == second["createdAt"][:10]
    problem = debt.refused(422, "invalid-body", date="2026-01-31")
    assert [one["pointer"] for one in problem["errors"]] == ["/date"]
    nobody = str(uuid.uuid4())
    problem = debt.refused(422, "invalid-body", date="2026-01-31", withMemberId=nobody)
    assert [one["pointer"] for one in problem["errors"]] == ["/date", "/withMemberId"]
    paid = debt.bob.post(debt.path, debt.body, key=str(uuid.uuid4()))
    assert (paid["date"], paid["state"]) == (paid["createdAt"][:10], "paid")


def test_part_of_a_debt_is_paid_and_no_more_than_is_open(suite: Suite) -> None:
    debt = Debt(suite)
    debt.bob.post(debt.path, debt.body | {"amount": money("4.00")}, key=str(uuid.uuid4()))
    debt.refused(422, "settlement-too-large", amount=money("6.01"))
    debt.bob.post(debt.path, debt.body | {"amount": money("6.00")}, key=str(uuid.uuid4()))
    assert debt.moved() == (90, 10) and debt.open() == 0


def test_whatever_refuses_the_money_leaves_the_debt(suite: Suite) -> None:
    debt = Debt(suite, funds="5.00")
    debt.refused(409, "insufficient-funds")
    foreign = current(debt.bob, "USD", "50.00")
    debt.refused(422, "currency-mismatch", fromAccountId=foreign["id"])
    for account in (debt.purse["id"], str(uuid.uuid4())):
        problem = debt.refused(422, "invalid-body", fromAccountId=account)
        assert [one["pointer"] for one in problem["errors"]] == ["/fromAccountId"]
    cash = debt.bob.post("/v1/accounts", {"name": "Cash", "currency": "EUR"})
    debt.refused(409, "account-kind", fromAccountId=cash["id"])
    # Whoever is owed has nothing to pay with a transfer.
    body = {"withMemberId": debt.group.of_bob, "fromAccountId": debt.purse["id"]}
    key = str(uuid.uuid4())
    problem = debt.ada.problem("POST", debt.path, 422, "invalid-body", json=body, key=key)
    assert [one["pointer"] for one in problem["errors"]] == ["/fromAccountId"]
    debt.ada.call("DELETE", "/v1/receiving-accounts/EUR", 204)
    debt.refused(409, "no-receiving-account")
    bank = {"iban": "DE89370400440532013000", "name": "Ada"}
    debt.ada.call("PUT", "/v1/receiving-accounts/EUR", 200, json=bank)
    debt.refused(409, "no-receiving-account")
    assert debt.open() == 10 and debt.moved() == (5, 0) and debt.states() == []
    assert not pending(suite)


def test_a_transfer_is_in_one_currency(suite: Suite) -> None:
    debt = Debt(suite)
    debt.group.expense("30.00", "USD")
    problem = debt.refused(422, "invalid-body")
    assert [one["pointer"] for one in problem["errors"]] == ["/amount"]
    debt.bob.post(debt.path, debt.body | {"amount": money("10.00")}, key=str(uuid.uuid4()))
    assert debt.open() == 0 and debt.group.balances("USD")[debt.group.of_bob] == -10


def test_a_debt_is_paid_in_another_currency(suite: Suite) -> None:
    debt = Debt(suite)
    dollars, pocket = current(debt.ada, "USD"), current(debt.bob, "USD", "100.00")
    debt.ada.call("PUT", "/v1/receiving-accounts/USD", 200, json={"accountId": dollars["id"]})
    paid = {"fromAccountId": pocket["id"], "amount": money("4.40", "USD")}
    problem = debt.refused(422, "settlement-too-large", **paid, settles=money("10.01"))
    assert problem["detail"] == "10.00 EUR is open"
    body = debt.body | paid | {"settles": money("4.00")}
    made = debt.bob.post(debt.path, body, key=str(uuid.uuid4()))
    assert made["state"] == "paid" and made["payments"] == [
        {"fromMemberId": debt.group.of_bob, "toMemberId": debt.group.of_ada,
         "amount": money("4.40", "USD"), "settles": money("4.00")}
    ]  # fmt: skip
    assert debt.open() == 6 and balance_of(debt.ada, dollars) == Decimal("4.40")
    # Recorded, at the day's rate.
    record = {"withMemberId": debt.group.of_ada, "amount": money("2.00", "USD")}
    made = debt.bob.post(debt.path, record, key=str(uuid.uuid4()))
    settles = made["payments"][0]["settles"]
    assert settles["currency"] == "EUR" and debt.open() == 6 - value(settles) < 6
    (event,) = [one for one in debt.ada.pages(debt.path) if one["id"] == made["id"]]
    assert event["payments"] == made["payments"]
    debt.bob.call("DELETE", f"{debt.path}/{made['id']}", 204)
    assert debt.open() == 6
    wrong = record | {"settles": money("1", "JPY")}
    problem = debt.bob.problem("POST", debt.path, 422, "invalid-body", json=wrong)
    assert problem["errors"][0]["pointer"] == "/settles/currency"
    assert "nothing is open in JPY; 6.00 EUR is" in problem["errors"][0]["detail"]
    debt.bob.post(debt.path, {"withMemberId": debt.group.of_ada})
    problem = debt.bob.problem("POST", debt.path, 409, "nothing-to-settle", json=record)
    assert problem["detail"] == "Nothing is open between the two."


def test_settlements_count_in_the_sum_that_wants_a_proof(suite: Suite) -> None:
    debt = Debt(suite, "4500.00", "5000.00")
    make_stale(suite, debt.bob)
    debt.bob.post(debt.path, debt.body | {"amount": money("600.00")}, key=str(uuid.uuid4()))
    key, more = str(uuid.uuid4()), debt.body | {"amount": money("600.00")}
    debt.bob.problem("POST", debt.path, 403, "step-up-required", json=more, key=key)
    assert debt.open() == 900 and not pending(suite)
    login = {"identifier": debt.bob.email, "password": debt.bob.password}
    debt.bob.take(debt.bob.post("/v1/sessions", login))
    debt.bob.post(debt.path, more, key=key)
    debt.bob.post(debt.path, debt.body, key=str(uuid.uuid4()))
    assert debt.open() == 0 and debt.moved() == (3500, 1500)


def test_two_at_once_never_pay_twice(suite: Suite) -> None:
    debt = Debt(suite)
    answers = at_once(
        6, lambda _: debt.bob.send("POST", debt.path, json=debt.body, key=str(uuid.uuid4()))
    )
    assert sorted(one.status_code for one in answers) == [201] + [409] * 5
    assert debt.moved() == (90, 10) and debt.open() == 0
    other = Debt(suite)
    key = str(uuid.uuid4())
    same = at_once(
        6,
        lambda _: other.bob.send("POST", other.path, json=other.body, key=key, retry=False),
    )
    assert {one.status_code for one in same} <= {201, 409}
    assert other.bob.send("POST", other.path, json=other.body, key=key).status_code == 201
    assert other.moved() == (90, 10) and other.states() == ["paid"]


@contextmanager
def while_the_ledger_pays(debt: Debt, key: str) -> Iterator[psycopg.Connection]:
    """Bob pays, and the ledger waits for his account until what is yielded ends its transaction."""

    suite = debt.group.suite

    def call() -> None:
        # Nobody may answer; and where groups is just up again, it may not have been asked.
        for _ in range(100):
            with suppress(httpx.TransportError):
                said = debt.bob.send("POST", debt.path, json=debt.body, key=key, retry=False)
                if said.status_code not in TRANSIENT:
                    return
            if pending(suite, debt.group):
                return
            time.sleep(0.05)

    with ThreadPoolExecutor(1) as pool, connect(suite, "ezwallet_ledger") as held:
        held.execute("select 1 from ledger.balance where account_id = %s for update",
                     [debt.pocket["id"]])  # fmt: skip
        called = pool.submit(call)
        eventually(lambda: pending(suite, debt.group))
        yield held
        held.rollback()
        called.result()


def test_groups_killed_while_the_ledger_pays(hurt: Suite) -> None:
    debt, key = Debt(hurt), str(uuid.uuid4())
    with while_the_ledger_pays(debt, key):
        time.sleep(0.3)
        kill(hurt, "groups")
    eventually(lambda: balance_of(debt.bob, debt.pocket) == 90)
    # It is pending, and counts: whoever tries again without the key finds nothing to settle.
    assert debt.open() == 0 and debt.states() == ["pending"]
    debt.refused(409, "nothing-to-settle")
    hasten(hurt)
    eventually(debt.states, 20, until=lambda states: states == ["paid"])
    again = surely(debt.bob, "POST", debt.path, debt.body, key)
    assert again[0] == 201 and again[1]["state"] == "paid"
    assert debt.moved() == (90, 10) and debt.open() == 0


def test_groups_killed_before_it_writes_what_the_ledger_did(hurt: Suite) -> None:
    debt, key = Debt(hurt), str(uuid.uuid4())
    with while_the_ledger_pays(debt, key) as held, connect(hurt, "ezwallet_groups") as group:
        group.execute("select 1 from groups.expense_group where id = %s for update",
                      [debt.group.id])  # fmt: skip
        held.rollback()
        eventually(lambda: balance_of(debt.bob, debt.pocket) == 90)
        kill(hurt, "groups")
        group.rollback()
    # The key goes on with what it began.
    again = surely(debt.bob, "POST", debt.path, debt.body, key)
    assert again[0] == 201 and again[1]["state"] == "paid"
    assert debt.moved() == (90, 10) and debt.open() == 0 and debt.states() == ["paid"]


def test_groups_killed_before_the_answer_is_kept(suite: Suite) -> None:
    """The money has moved and the settlement is paid; the key alone has no answer yet."""
    debt, key = Debt(suite), str(uuid.uuid4())
    paid = debt.bob.post(debt.path, debt.body, key=key)
    suite.postgres.psql(
        "-c", f"delete from groups.idempotency_key where key = '{key}'", database="ezwallet_groups"
    )
    assert debt.bob.post(debt.path, debt.body, key=key) == paid
    assert debt.moved() == (90, 10) and debt.open() == 0 and debt.states() == ["paid"]


def test_whatever_changed_since_does_not_hide_that_a_debt_is_paid(hurt: Suite) -> None:
    debt, key = Debt(hurt), str(uuid.uuid4())
    with while_the_ledger_pays(debt, key):
        time.sleep(0.3)
        kill(hurt, "groups")
    eventually(lambda: balance_of(debt.bob, debt.pocket) == 90)
    debt.ada.call("DELETE", "/v1/receiving-accounts/EUR", 204)
    debt.ada.call("PUT", f"{debt.group.path}/archive", 200)
    again = surely(debt.bob, "POST", debt.path, debt.body, key)
    assert again[0] == 201 and again[1]["state"] == "paid"
    assert debt.moved() == (90, 10) and debt.states() == ["paid"]


def test_the_ledger_killed_before_it_commits(hurt: Suite) -> None:
    debt, key = Debt(hurt), str(uuid.uuid4())
    with while_the_ledger_pays(debt, key):
        time.sleep(0.3)
        kill(hurt, "ledger")
    hasten(hurt)
    eventually(lambda: pending(hurt), 20, until=lambda left: not left)
    status, answer = surely(debt.bob, "POST", debt.path, debt.body, key)
    paid = 10 if status == 201 else 0
    assert status in (201, 409), answer
    assert debt.moved() == (100 - paid, paid) and debt.open() == 10 - paid


def test_a_ledger_that_is_away_leaves_it_pending_and_decides_when_it_is_back(hurt: Suite) -> None:
    debt, key = Debt(hurt), str(uuid.uuid4())
    without(hurt, "ezwallet-ledger-1", "ezwallet-ledger-2")
    try:
        answer = debt.bob.send("POST", debt.path, json=debt.body, key=key, retry=False)
        assert answer.status_code in (502, 503, 504), answer.text
        assert pending(hurt), answer.text
    finally:
        hurt.up()
    hasten(hurt)
    eventually(lambda: pending(hurt), 20, until=lambda left: not left)
    assert debt.states() == [] and debt.open() == 10 and debt.moved() == (100, 0)
    # The key is told what became of it, and another one pays.
    status, answer = surely(debt.bob, "POST", debt.path, debt.body, key)
    assert (status, answer["code"]) == (409, "settlement-given-up")
    status, _ = surely(debt.bob, "POST", debt.path, debt.body)
    assert status == 201 and debt.moved() == (90, 10) and debt.open() == 0


def test_one_that_cannot_be_ended_keeps_none_of_the_others(hurt: Suite) -> None:
    stuck, debt = Debt(hurt), Debt(hurt)
    for one in (stuck, debt):
        with while_the_ledger_pays(one, str(uuid.uuid4())):
            time.sleep(0.3)
            kill(hurt, "groups")
        eventually(lambda one=one: balance_of(one.bob, one.pocket) == 90)
    with connect(hurt, "ezwallet_groups") as held:
        held.execute("select 1 from groups.expense_group where id = %s for update",
                     [stuck.group.id])  # fmt: skip
        hasten(hurt)
        eventually(debt.states, 40, until=lambda states: states == ["paid"])
        held.rollback()
    hasten(hurt)
    eventually(stuck.states, 20, until=lambda states: states == ["paid"])


def test_what_was_given_up_is_not_paid_by_a_request_that_comes_late(suite: Suite) -> None:
    debt = Debt(suite)
    inside = Inside(suite)
    path = f"/internal/settlements/{uuid.uuid4()}"
    order = {
        "fromAccountId": debt.pocket["id"], "payeeId": debt.ada.id,
        "toAccountId": debt.purse["id"], "amount": money("10.00"),
    }  # fmt: skip
    for _ in range(2):
        assert inside.call("PUT", f"{path}/decision", 200) == {}
    both = acting(debt.bob)
    inside.problem("PUT", path, 409, "settlement-given-up", json=order, headers=both)
    # Nobody but a service that acts for them gets as far as that, and nobody else's account pays.
    assert debt.bob.send("PUT", path, json=order).status_code == 404
    for bearer in (debt.bob.token, inside.token):
        alone = {"Authorization": f"Bearer {bearer}"}
        inside.problem("PUT", path, 401, "unauthenticated", json=order, headers=alone)
    path = f"/internal/settlements/{uuid.uuid4()}"
    theirs = acting(debt.group.cleo)
    inside.problem("PUT", path, 422, "invalid-body", json=order, headers=theirs)
    wrong = order | {"payeeId": debt.group.cleo.id}
    inside.problem("PUT", path, 409, "no-receiving-account", json=wrong, headers=both)
    made = [inside.call("PUT", path, 200, json=order, headers=both) for _ in range(3)]
    assert made[0]["transferId"] and made == [made[0]] * 3
    assert inside.call("PUT", f"{path}/decision", 200) == made[0]
    assert debt.moved() == (90, 10)


def test_debts_and_money_agree_while_everything_is_killed(hurt: Suite) -> None:
    seed = random.randrange(1 << 30)
    chance = random.Random(seed)
    debts = [Debt(hurt, "300.00", "200.00") for _ in range(3)]
    stop, done = threading.Event(), Counter()
    kinds = ("ledger", "groups", "connections")

    def pay(number: int) -> list[tuple[int, dict[str, Any]]]:
        debt, own = debts[number % 3], random.Random(seed + number)
        answers = []
        for _ in range(15):
            amount = money(f"{own.randint(1, 9)}.00")
            answers.append(surely(debt.bob, "POST", debt.path, debt.body | {"amount": amount}))
        return answers

    killer = threading.Thread(target=kill_on, args=(hurt, chance, stop, done, 0.6, 1.0, kinds))
    killer.start()
    try:
        with ThreadPoolExecutor(6) as pool:
            told = [answer for part in pool.map(pay, range(6)) for answer in part]
    finally:
        stop.set()
        killer.join()
    hasten(hurt)
    eventually(lambda: pending(hurt), 60, until=lambda left: not left)
    assert {status for status, _ in told} <= {201, 409, 422}, (seed, told)
    assert done, seed
    for debt in debts:
        settled = [one for one in debt.bob.pages(debt.path)]
        paid = sum((value(one["payments"][0]["amount"]) for one in settled), Decimal(0))
        assert {one["state"] for one in settled} <= {"paid"}, seed
        assert debt.moved() == (200 - paid, paid), seed
        assert debt.open() == 100 - paid, seed
        # Whoever was told that it is paid finds it there.
        mine = {one["id"] for one in settled}
        assert {answer["id"] for status, answer in told if status == 201
                and answer["groupId"] == debt.group.id} <= mine, seed  # fmt: skip
