"""`ezwallet-ledger verify`, as an operator runs it."""

import json
import os
import threading
from pathlib import Path

import httpx
import pytest

from actions import psql, sealed, verify
from client import Person
from suite.executables import EXECUTABLES
from suite.suite import Suite, wait_until

NEEDS = EXECUTABLES


def default_account(someone: Person) -> str:
    return someone.get("/v1/accounts")["items"][0]["id"]


@pytest.fixture
def head(suite: Suite, person: Person, tmp_path: Path) -> Path:
    """The journal's head, once what somebody did is sealed."""
    row = {"accountId": default_account(person), "amount": {"amount": "12.00", "currency": "EUR"}}
    person.post("/v1/transactions", row)
    wait_until(lambda: sealed(suite), 30, "the entries are not sealed")
    file = tmp_path / "head.json"
    file.write_text(suite.command("ledger", "journal-head"))
    return file


def test_an_intact_journal_exits_with_0(suite: Suite, head: Path) -> None:
    done = verify(suite, "--head", str(head))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("intact: ") and "verify: trial balance" in done.stderr
    kept = json.loads(head.read_text())
    done = verify(suite, "--json", "--from", str(kept["height"]))
    report = json.loads(done.stdout)
    assert report["intact"] and report["verifiedFrom"] == kept["height"]
    # In the log of a machine that keeps heads it stands among other lines.
    head.write_text("2026-11-21 kept\n" + head.read_text() + "\n")
    assert verify(suite, "--head", str(head)).returncode == 0


def test_a_wrong_row_exits_with_1_and_is_named(suite: Suite, head: Path) -> None:
    wrong = psql(
        suite,
        "update ledger.balance set amount = amount + 1 where account_id = (select account_id "
        "from ledger.balance where amount < 1000000000 limit 1) returning account_id",
    )
    try:
        done = verify(suite, "--json")
        assert done.returncode == 1
        fault = json.loads(done.stdout)["fault"]
        assert fault["table"] == "ledger.balance" and fault["row"] == wrong
        assert wrong in done.stderr
    finally:
        psql(suite, f"update ledger.balance set amount = amount - 1 where account_id = '{wrong}'")
    # A head that is not the chain's: another one was put in its place, or its tail was cut.
    kept = json.loads(head.read_text())
    for changed in ({"height": kept["height"] + 9_999}, {"hash": "0" * 64}):
        head.write_text(json.dumps(kept | changed))
        done = verify(suite, "--head", str(head))
        assert done.returncode == 1 and "ledger.chain_block" in done.stderr


def test_what_cannot_be_told_exits_with_2(suite: Suite, tmp_path: Path) -> None:
    assert verify(suite, "--nonsense").returncode == 2
    assert verify(suite, "--from", "-1").returncode == 2
    assert verify(suite, "--head", str(tmp_path / "absent")).returncode == 2
    (tmp_path / "empty").write_text("\n")
    assert verify(suite, "--head", str(tmp_path / "empty")).returncode == 2
    done = verify(suite, EZWALLET_DATABASE_NAME="nowhere")
    assert done.returncode == 2 and "cannot tell" in done.stderr


@pytest.mark.timeout(120)
def test_live_writers_raise_no_alarm(suite: Suite) -> None:
    over = threading.Event()
    written: list[int] = []

    def write(someone: Person) -> None:
        count, account = 0, default_account(someone)
        while not over.is_set():
            row = {"accountId": account, "amount": {"amount": "-1.00", "currency": "EUR"}}
            someone.post("/v1/transactions", row)
            count += 1
        written.append(count)

    writers = [threading.Thread(target=write, args=(Person(suite),)) for _ in range(4)]
    for writer in writers:
        writer.start()
    try:
        for _ in range(2):
            done = verify(suite)
            assert done.returncode == 0, done.stderr
    finally:
        over.set()
        for writer in writers:
            writer.join()
    assert all(written)
    wait_until(lambda: sealed(suite), 30, "the entries are not sealed")
    assert verify(suite).returncode == 0


@pytest.mark.timeout(400)
def test_the_chain_goes_on_through_kills_of_whoever_seals(suite: Suite) -> None:
    import signal

    someone = Person(suite)
    row = {
        "accountId": default_account(someone),
        "amount": {"amount": "1.00", "currency": "EUR"},
    }
    # Whoever is frozen in a transaction holds up all others until it is ended, after 30 s.
    for replica in ("ezwallet-ledger-1", "ezwallet-ledger-2"):
        pid = suite.pid(replica)
        os.kill(pid, signal.SIGSTOP)
        try:
            wait_until(lambda: posted(someone, row), 40, "nobody writes")
            wait_until(lambda: sealed(suite), 60, "nobody seals while one is frozen")
        finally:
            os.kill(pid, signal.SIGCONT)
    os.kill(suite.pid("ezwallet-ledger-1"), signal.SIGKILL)
    wait_until(lambda: posted(someone, row), 40, "nobody writes")
    wait_until(lambda: sealed(suite), 30, "nobody seals")
    suite.wait_ready()
    assert verify(suite).returncode == 0


def posted(someone: Person, row: dict) -> bool:
    try:
        someone.post("/v1/transactions", row)
    except (AssertionError, httpx.TransportError):
        return False
    return True
