"""Steps 4 and 9: a bank statement is imported while a replica of the ledger is killed."""

import os
import random
import signal
import threading
from decimal import Decimal
from pathlib import Path

import pytest

from actions import balance, import_file, ofx, wallet
from client import Person, money, value
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]


def test_the_wallets_balance_is_the_real_statements(ada: Person, statements: Path) -> None:
    account = wallet(ada, "USD")
    content = (statements / "ofx" / "checking.ofx").read_bytes()
    import_file(ada, account, content)
    assert balance(ada, account) == Decimal("100.99")
    rows = list(ada.pages("/v1/transactions", accountId=account))
    assert [one["amount"]["amount"] for one in rows] == ["-25.00", "-34.51", "0.01"]
    assert [one["date"] for one in rows] == ["2011-04-07", "2011-04-05", "2011-03-31"]


def test_the_same_file_twice_adds_nothing(ada: Person, statements: Path) -> None:
    account = wallet(ada, "USD")
    content = (statements / "ofx" / "checking.ofx").read_bytes()
    import_file(ada, account, content)
    import_file(ada, account, content)
    assert balance(ada, account) == Decimal("100.99")
    assert len(list(ada.pages("/v1/transactions", accountId=account))) == 3


def test_another_currency_than_the_accounts_is_refused(ada: Person, statements: Path) -> None:
    content = (statements / "ofx" / "checking.ofx").read_bytes()
    ada.problem(
        "POST", f"/v1/imports?accountId={wallet(ada, 'EUR')}&format=ofx", 422,
        "currency-mismatch", content=content,
        headers={"Content-Type": "application/octet-stream"},
    )  # fmt: skip


def test_transactions_are_paged_and_filtered(ada: Person) -> None:
    account = wallet(ada, "EUR")
    rows = [
        (f"2024{1 + i // 28:02d}{1 + i % 28:02d}", f"{(-1) ** i * (i + 1) / 100:.2f}", f"p{i}")
        for i in range(250)
    ]
    import_file(ada, account, ofx(rows, "EUR", "1.00"))
    amounts = [Decimal(amount) for _, amount, _ in rows]
    seen = list(ada.pages("/v1/transactions", accountId=account, limit=100))
    assert len({one["id"] for one in seen}) == 250
    assert [one["date"] for one in seen] == sorted((one["date"] for one in seen), reverse=True)
    incoming = list(ada.pages("/v1/transactions", accountId=account, direction="in", limit=200))
    assert len(incoming) == sum(1 for amount in amounts if amount > 0)
    march = {"from": "2024-03-01", "to": "2024-03-31"}
    in_march = list(ada.pages("/v1/transactions", accountId=account, **march))
    assert len(in_march) == sum(1 for day, _, _ in rows if day[4:6] == "03")
    small = list(ada.pages("/v1/transactions", accountId=account, maxAmount="0.10"))
    assert len(small) == 10
    largest = ada.get("/v1/transactions", accountId=account, sort="-amount", limit=3)["items"]
    assert [value(one["amount"]) for one in largest] == sorted(amounts, reverse=True)[:3]


@pytest.mark.timeout(180)
def test_a_killed_replica_loses_and_doubles_nothing(suite: Suite) -> None:
    """Step 9: SIGKILL while an import is committed and transactions are recorded."""
    person = Person(suite)
    imported, recorded = wallet(person, "EUR"), wallet(person, "EUR")
    chance = random.Random(2024)
    rows = [
        (f"2024{chance.randrange(1, 13):02d}{chance.randrange(1, 29):02d}",
         f"{chance.randrange(-50000, 50001) / 100:.2f}", f"k{index}")
        for index in range(5000)
    ]  # fmt: skip
    begin, stop = threading.Event(), threading.Event()
    sent: list[tuple[str, Decimal]] = []
    wrong: list[BaseException] = []

    def record(worker: int) -> None:
        mine = Person.__new__(Person)
        super(Person, mine).__init__(suite, person.token)
        amounts = random.Random(worker)
        try:
            while not stop.is_set():
                amount = Decimal(amounts.randrange(-9999, 10000)) / 100
                body = {"accountId": recorded, "amount": money(f"{amount:.2f}")}
                answer = mine.call("POST", "/v1/transactions", 201, json=body)
                sent.append((answer["id"], amount))
                begin.set()
        except BaseException as error:  # noqa: BLE001  told in the main thread
            wrong.append(error)
            begin.set()

    def kill() -> None:
        begin.wait(30)
        for replica in (1, 2):
            before = suite.pid(f"ezwallet-ledger-{replica}")
            os.kill(before, signal.SIGKILL)
            stop.wait(2.5)

    threads = [threading.Thread(target=record, args=(n,)) for n in range(4)]
    threads.append(threading.Thread(target=kill))
    for thread in threads:
        thread.start()
    try:
        total = sum(Decimal(amount) for _, amount, _ in rows)
        done = import_file(person, imported, ofx(rows, "EUR", f"{total:.2f}"))
        stop.wait(4)
    finally:
        stop.set()
        for thread in threads:
            thread.join(60)
    assert not wrong, wrong
    assert done["state"] == "committed", done
    assert balance(person, imported) == total
    assert len(list(person.pages("/v1/transactions", accountId=imported, limit=200))) == 5000
    stored = list(person.pages("/v1/transactions", accountId=recorded, limit=200))
    assert {one["id"] for one in stored} == {identifier for identifier, _ in sent}
    assert len(stored) == len(sent)
    assert balance(person, recorded) == sum(amount for _, amount in sent)
    suite.wait_ready(10)
