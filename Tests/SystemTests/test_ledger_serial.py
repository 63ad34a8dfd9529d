"""Sixteen clients at once, while the ledger and PostgreSQL are killed: money is never wrong."""

import contextlib
import os
import random
import signal
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from client import Api, Person, money, value
from conftest import make_suite
from serial import Call, Disorder, play
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES
CLIENTS, PEOPLE, ACCOUNTS, OPENING, PLENTY = 16, 4, 3, 20_000, 10**12
SECONDS = float(os.environ.get("EZWALLET_SERIAL_SECONDS", "25"))


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of two replicas each, which these tests may hurt."""
    suite = make_suite()
    # Whoever sends to others again and again would be asked for proofs.
    suite.executables.extra["ledger"]["EZWALLET_STEP_UP_AMOUNT"] = "0"
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


def cents(sum_of_money: dict[str, str]) -> int:
    return int(value(sum_of_money) * 100)


def euros(amount: int) -> dict[str, str]:
    sign = "-" if amount < 0 else ""
    return money(f"{sign}{abs(amount) // 100}.{abs(amount) % 100:02}")


class Ledger:
    """One database's own word on what happened in which order."""

    def __init__(self, suite: Suite):
        self.suite = suite

    def ask(self, query: str) -> list[list[str]]:
        said = self.suite.postgres.psql("-c", query, database="ezwallet_ledger")
        return [line.split("|") for line in said.splitlines()]

    def places(self) -> dict[str, dict[str, int]]:
        """Of each version of a transaction, what took it back, and each transfer: the account, and
        the place in its history."""
        rows = self.ask(
            """
            select coalesce(t.transfer_id || '', t.id || ' ' || t.version)
                    || case when e.kind = 'reversal' then ' back' else '' end,
                side.account, side.seq
            from ledger.entry as e
            join ledger.movement as m on m.entry_id = e.id
            cross join lateral (values (m.debit_account, m.debit_seq),
                (m.credit_account, m.credit_seq)) as side (account, seq)
            join lateral (
                select id, version, transfer_id from ledger.money_transaction
                where (e.kind <> 'reversal' and entry_id = e.id)
                    or (e.kind = 'reversal' and reversed_by = e.id)
                limit 1
            ) as t on true
            where side.seq is not null
            """
        )
        found: dict[str, dict[str, int]] = {}
        for name, account, place in rows:
            found.setdefault(name, {})[account] = int(place)
        return found


@dataclass
class Recorded:
    """A transaction as it stands."""

    id: str
    account: str
    amount: int
    version: int = 1

    @property
    def made(self) -> str:
        """What `places` calls what made it."""
        return f"{self.id} {self.version}"


class Client:
    """One of many that share a few people's accounts; what is unsure is asked again by its key."""

    def __init__(self, person: Person, all_accounts: dict, shared: str, seed: int, calls: list):
        self.api = Api(person.suite, person.token)
        self.own, self.all_accounts, self.shared = person.accounts, all_accounts, shared
        self.dollars = person.dollars
        self.chance, self.calls = random.Random(seed), calls
        self.recorded: list[Recorded] = []

    def send(self, method: str, path: str, body: dict | None = None) -> tuple:
        """The answer that was had in the end, and between which moments."""
        key, began = str(uuid.uuid4()), time.monotonic()
        while True:
            with contextlib.suppress(Exception):
                answer = self.api.send(method, path, json=body, key=key)
                if answer.status_code not in (429, 500, 502, 503, 504):
                    return answer, began, time.monotonic()
            assert time.monotonic() - began < 120, f"{method} {path}: no answer within 120 s"
            time.sleep(0.02)

    def note(self, call: Call, *names: str) -> None:
        self.calls.append((call, names))

    def refused(self, answer, began: float, ended: float, account: str, moves: list) -> None:
        assert answer.status_code == 409, answer.text
        assert answer.json()["code"] == "insufficient-funds", answer.text
        self.note(Call(0, began, ended, moves, "refused", account=account))

    def step(self) -> None:
        chance = self.chance
        account = chance.choice(self.own)
        choice = chance.random()
        if choice < 0.45 and chance.random() < 0.3:
            account = self.shared
        if choice < 0.15:
            account = self.dollars if chance.random() < 0.1 else account
            answer, began, ended = self.send("GET", f"/v1/accounts/{account}")
            assert answer.status_code == 200, answer.text
            told = cents(answer.json()["balance"])
            self.note(Call(0, began, ended, [], "read", told=told, account=account))
        elif choice < 0.25:
            self.record(account, chance.randint(-9_000, 6_000) or 1)
        elif choice < 0.32:
            sign = chance.choice([-1, 1])
            self.record_many(account, [sign * chance.randint(1, 3_000) for _ in range(3)])
        elif choice < 0.45 and self.recorded:
            row = self.recorded.pop(chance.randrange(len(self.recorded)))
            if chance.random() < 0.5:
                self.take_back(row)
            else:
                self.change(row, chance.randint(-9_000, 6_000) or 1)
        elif choice < 0.52:
            self.exchange(chance.choice(self.own), chance.randint(100, 9_000))
        else:
            self.transfer(chance.choice(self.own), chance.randint(1, 9_000))

    def record(self, account: str, amount: int) -> None:
        body = {"accountId": account, "amount": euros(amount)}
        answer, began, ended = self.send("POST", "/v1/transactions", body)
        moves = [(account, amount)]
        if answer.status_code != 201:
            return self.refused(answer, began, ended, account, moves)
        row = Recorded(answer.json()["id"], account, amount)
        self.recorded.append(row)
        self.note(Call(0, began, ended, moves, "posted"), row.made)

    def record_many(self, account: str, amounts: list[int]) -> None:
        """All or nothing; all in or all out, so that what counts is their sum."""
        body = {"transactions": [{"accountId": account, "amount": euros(a)} for a in amounts]}
        answer, began, ended = self.send("POST", "/v1/transactions/batches", body)
        moves = [(account, amount) for amount in amounts]
        if answer.status_code != 201:
            return self.refused(answer, began, ended, account, moves)
        rows = [
            Recorded(item["id"], account, amount)
            for item, amount in zip(answer.json()["items"], amounts, strict=True)
        ]
        self.recorded += rows
        self.note(Call(0, began, ended, moves, "posted"), *(row.made for row in rows))

    def take_back(self, row: "Recorded") -> None:
        answer, began, ended = self.send("DELETE", f"/v1/transactions/{row.id}")
        moves = [(row.account, -row.amount)]
        # Not there any more: the first try did it, and its answer was lost.
        if answer.status_code in (200, 404):
            return self.note(Call(0, began, ended, moves, "posted"), f"{row.made} back")
        self.refused(answer, began, ended, row.account, moves)
        self.recorded.append(row)

    def change(self, row: "Recorded", amount: int) -> None:
        """Taken back and recorded anew, both or neither; a second try changes nothing more."""
        if amount == row.amount:
            amount += 1
        answer, began, ended = self.send(
            "PATCH", f"/v1/transactions/{row.id}", {"amount": euros(amount)}
        )
        moves = [(row.account, -row.amount), (row.account, amount)]
        if answer.status_code != 200:
            self.refused(answer, began, ended, row.account, moves)
            self.recorded.append(row)
            return
        new = Recorded(row.id, row.account, amount, row.version + 1)
        assert answer.json()["version"] == new.version, answer.text
        self.recorded.append(new)
        self.note(Call(0, began, ended, moves, "posted"), f"{row.made} back", new.made)

    def exchange(self, account: str, amount: int) -> None:
        """Into dollars, by a quote that is used with its transfer or not at all."""
        body = {"fromAccountId": account, "toAccountId": self.dollars, "amount": euros(amount)}
        moves = [(account, -amount)]
        quote, began, ended = self.send("POST", "/v1/quotes", body)
        if quote.status_code != 201:
            return self.refused(quote, began, ended, account, moves)
        body = {"quoteId": quote.json()["id"]}
        answer, began, ended = self.send("POST", "/v1/transfers", body)
        if answer.status_code == 409 and answer.json()["code"] == "quote-expired":
            return None
        if answer.status_code != 201:
            return self.refused(answer, began, ended, account, moves)
        transfer = answer.json()
        assert cents(transfer["debit"]) == amount, transfer
        moves.append((self.dollars, cents(transfer["credit"])))
        return self.note(Call(0, began, ended, moves, "posted"), transfer["id"])

    def transfer(self, account: str, amount: int) -> None:
        if self.chance.random() < 0.5:
            to = self.chance.choice([other for other in self.own if other != account])
            target = {"toAccountId": to}
        else:
            to = self.chance.choice([other for other in self.all_accounts if other != account])
            target = {"toIban": self.all_accounts[to]}
        body = {"fromAccountId": account, "amount": euros(amount)} | target
        answer, began, ended = self.send("POST", "/v1/transfers", body)
        moves = [(account, -amount), (to, amount)]
        if answer.status_code != 201:
            return self.refused(answer, began, ended, account, moves)
        self.note(Call(0, began, ended, moves, "posted"), answer.json()["id"])


def funded(person: Person, number: int, amount: int = OPENING) -> dict:
    """A new current account with money in it."""
    body = {"kind": "current", "currency": "EUR", "name": f"Account {number}"}
    account = person.post("/v1/accounts", json=body)
    person.post("/v1/transactions", json={"accountId": account["id"], "amount": euros(amount)})
    return account


KINDS = ("ledger", "ledger", "connections", "connections", "postgres")


def hurt(
    suite: Suite,
    chance: random.Random,
    stop: threading.Event,
    done: Counter,
    longest: float,
    growth: float = 1.0,
) -> None:
    """Kills what it can, one after another, until it is told to stop; `done` says what it did."""
    deck: list[str] = []
    while not stop.wait(chance.uniform(longest / 5, longest)):
        longest *= growth
        # Dealt from a deck: each kind comes round, however soon the clients are ready.
        deck = deck or chance.sample(KINDS, len(KINDS))
        kind = deck.pop()
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            if kind == "ledger":
                name = f"ezwallet-ledger-{chance.randint(1, 2)}"
                os.kill(suite.pid(name), signal.SIGKILL)
                done["ledger"] += 1
            elif kind == "connections":
                cut = suite.postgres.psql(
                    "-c",
                    "select count(pg_terminate_backend(pid)) from pg_stat_activity "
                    "where datname = 'ezwallet_ledger' and pid <> pg_backend_pid() "
                    f"and pid % 3 = {chance.randrange(3)}",
                    database="ezwallet_ledger",
                )
                done["connections"] += int(cut)
            else:
                os.kill(suite.pid("postgres-1"), signal.SIGKILL)
                done["postgres"] += 1
                stop.wait(2.5)


@pytest.mark.timeout(400)
def test_what_clients_saw_is_what_one_after_another_would_have_seen(own: Suite) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    chance = random.Random(seed)
    people = [Person(own) for _ in range(PEOPLE)]
    all_accounts: dict[str, str] = {}
    for person in people:
        person.accounts = []
        for number in range(ACCOUNTS):
            account = funded(person, number)
            person.accounts.append(account["id"])
            all_accounts[account["id"]] = account["iban"]
        person.dollars = person.post("/v1/accounts", {"kind": "current", "currency": "USD"})["id"]
    # One wallet is everybody's; it may go below zero, as if it held as much as nobody spends.
    shared = people[0].post("/v1/accounts", {"kind": "wallet", "currency": "EUR"})["id"]
    for guest in people[1:]:
        body = {"username": guest.username, "role": "editor"}
        asked = people[0].post(f"/v1/accounts/{shared}/members", body)
        guest.post(f"/v1/invitations/{asked['id']}/acceptance", status=200)
    before = Ledger(own).places()
    calls: list[tuple[Call, tuple[str, ...]]] = []
    stop = threading.Event()
    until = time.monotonic() + SECONDS

    def client(number: int) -> int:
        one = Client(people[number % PEOPLE], all_accounts, shared, seed + number, calls)
        steps = 0
        while time.monotonic() < until:
            one.step()
            steps += 1
        return steps

    done: Counter = Counter()
    with ThreadPoolExecutor(CLIENTS + 1) as pool:
        hurting = pool.submit(hurt, own, chance, stop, done, 1.2)
        try:
            working = [pool.submit(client, number) for number in range(CLIENTS)]
            steps = sum(each.result() for each in working)
        finally:
            stop.set()
        hurting.result()
    print(f"{steps} steps, killed {done}")
    # Both orders of seeing it are about the same journal.
    assert done["ledger"] and done["connections"] and done["postgres"], done
    assert steps > 200, steps
    ledger = Ledger(own)
    # The last thing that was killed may have been the server.
    own.postgres.wait()

    # No acknowledged write is lost, none is doubled, none is there that nobody asked for.
    places = {name: found for name, found in ledger.places().items() if name not in before}
    posted = [name for call, names in calls for name in names]
    assert len(posted) == len(set(posted)), f"seed {seed}"
    assert set(posted) == set(places), f"seed {seed}"
    for number, (call, names) in enumerate(calls):
        call.number = number
        for name in names:
            for account, place in places[name].items():
                call.places[account] = min(place, call.places.get(account, place))
        if call.kind == "posted":
            assert set(call.places) == {account for account, _ in call.moves}, f"seed {seed}"
        elif call.account == shared:
            call.told += PLENTY

    openings = dict.fromkeys(all_accounts, OPENING) | {shared: PLENTY}
    dollars = {person.dollars for person in people}
    openings |= dict.fromkeys(dollars, 0)
    assert any(account in dollars for call, _ in calls for account, _ in call.moves), f"seed {seed}"
    try:
        balances = play([call for call, _ in calls], openings)
    except Disorder as problem:
        pytest.fail(f"seed {seed}: {problem}")
    # It is no matter of course: with one answer a cent off there is no such order.
    call = next(call for call, _ in calls if call.kind == "read")
    call.told += 1
    with pytest.raises(Disorder):
        play([call for call, _ in calls], openings)
    for person in people:
        for account in [*person.accounts, person.dollars]:
            assert cents(person.get(f"/v1/accounts/{account}")["balance"]) == balances[account]
    balance = people[1].get(f"/v1/accounts/{shared}")["balance"]
    assert cents(balance) == balances[shared] - PLENTY
    assert own.command("ledger", "verify"), f"seed {seed}"


def surely(api: Api, method: str, path: str, body: dict | None = None, key: str = "") -> tuple:
    """The status and answer that a call comes to in the end, asked again by its key."""
    key = key or str(uuid.uuid4())
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with contextlib.suppress(Exception):
            answer = api.send(method, path, json=body, key=key)
            if answer.status_code not in (429, 500, 502, 503, 504):
                return answer.status_code, answer.json() if answer.content else {}
        time.sleep(0.02)
    raise AssertionError(f"{method} {path}: no answer within 120 s")


class Halves:
    """Ways in which half of something could happen; each says what it must have come to."""

    def __init__(self, suite: Suite, number: int):
        self.person = Person(suite)
        self.suite, self.number = suite, number
        self.source = funded(self.person, number)["id"]
        self.target = funded(self.person, number + 1, 100)["id"]

    def balance(self, account: str) -> int:
        _, told = surely(self.person, "GET", f"/v1/accounts/{account}")
        return cents(told["balance"])

    def a_deposit_is_never_opened_empty(self) -> None:
        opened = []
        for name in range(4):
            body = {
                "fromAccountId": self.source, "currency": "EUR", "amount": euros(6_000),
                "name": f"Deposit {name}",
            }  # fmt: skip
            status, answer = surely(self.person, "POST", "/v1/deposits", body)
            if name < 3:
                assert status == 201, answer
                opened.append(answer["account"]["id"])
            else:
                # Only 20 euros are left.
                assert status == 409 and answer["code"] == "insufficient-funds", answer
        accounts = list(self.person.pages("/v1/accounts"))
        deposits = {a["id"]: cents(a["balance"]) for a in accounts if a["kind"] == "deposit"}
        assert deposits == dict.fromkeys(opened, 6_000)
        assert self.balance(self.source) == OPENING - 18_000

    def a_quote_is_used_with_its_transfer_or_not_at_all(self) -> None:
        for count in range(1, 4):
            body = {
                "fromAccountId": self.source, "toAccountId": self.target, "amount": euros(1_000)
            }  # fmt: skip
            _, quote = surely(self.person, "POST", "/v1/quotes", body)
            key = str(uuid.uuid4())
            body = {"quoteId": quote["id"]}
            first = surely(self.person, "POST", "/v1/transfers", body, key)
            assert first[0] == 201, first
            assert surely(self.person, "POST", "/v1/transfers", body, key)[1] == first[1]
            status, answer = surely(self.person, "POST", "/v1/transfers", body)
            assert status == 409 and answer["code"] == "quote-used", answer
            assert self.balance(self.target) == 100 + count * 1_000

    def a_hold_is_captured_or_given_up_and_not_both(self) -> None:
        for count in range(1, 4):
            body = {
                "fromAccountId": self.source, "toAccountId": self.target, "amount": euros(500),
                "hold": True,
            }  # fmt: skip
            status, held = surely(self.person, "POST", "/v1/transfers", body)
            assert status == 201 and held["state"] == "pending", held
            path = f"/v1/transfers/{held['id']}"
            with ThreadPoolExecutor(2) as pool:
                ends = [
                    pool.submit(surely, Api(self.suite, self.person.token), "POST", path + end)
                    for end in ("/capture", "/void")
                ]
                statuses = sorted(end.result()[0] for end in ends)
            assert statuses == [200, 409], statuses
            _, told = surely(self.person, "GET", path)
            assert told["state"] in ("posted", "voided")
            _, account = surely(self.person, "GET", f"/v1/accounts/{self.source}")
            assert account["balance"] == account["available"], count

    def no_side_of_a_transfer_is_deleted_alone(self) -> None:
        body = {"fromAccountId": self.source, "toAccountId": self.target, "amount": euros(700)}
        status, transfer = surely(self.person, "POST", "/v1/transfers", body)
        assert status == 201, transfer
        sides = [
            item["id"]
            for item in self.person.pages("/v1/transactions")
            if item.get("transferId") == transfer["id"]
        ]
        assert len(sides) == 2
        for side in sides:
            status, answer = surely(self.person, "DELETE", f"/v1/transactions/{side}")
            assert status == 409 and answer["code"] == "part-of-transfer", answer
            assert surely(self.person, "GET", f"/v1/transactions/{side}")[0] == 200

    def an_income_stays_while_its_money_is_spent(self) -> None:
        account = self.target
        had = self.balance(account)
        body = {"accountId": account, "amount": euros(5_000)}
        _, income = surely(self.person, "POST", "/v1/transactions", body)
        body = {"accountId": account, "amount": euros(-had - 1)}
        _, spent = surely(self.person, "POST", "/v1/transactions", body)
        path = f"/v1/transactions/{income['id']}"
        status, answer = surely(self.person, "DELETE", path)
        assert status == 409 and answer["code"] == "insufficient-funds", answer
        assert self.balance(account) == 4_999
        # With the expense gone, it can go.
        assert surely(self.person, "DELETE", f"/v1/transactions/{spent['id']}")[0] in (200, 404)
        assert surely(self.person, "DELETE", path)[0] in (200, 404)
        assert self.balance(account) == had


WAYS = [name for name in vars(Halves) if "_is_" in name or "no_side" in name or "stays" in name]


@pytest.mark.timeout(400)
def test_nothing_happens_by_half(own: Suite) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    chance = random.Random(seed)
    assert len(WAYS) == 5
    done: Counter = Counter()
    # A fast machine is through with all of them before each kind was killed.
    while len(+done) < len(set(KINDS)):
        worlds = [(Halves(own, 10 * number), way) for number, way in enumerate(WAYS * 2)]
        stop = threading.Event()
        with ThreadPoolExecutor(len(worlds) + 1) as pool:
            # Ever more seldom: what is killed faster than it starts answers nobody.
            hurting = pool.submit(hurt, own, chance, stop, done, 0.3, 1.2)
            try:
                working = [pool.submit(getattr(world, way)) for world, way in worlds]
                for each in working:
                    each.result()
            finally:
                stop.set()
            hurting.result()
        own.wait_ready()
    print(f"killed {dict(done)}")
    assert own.command("ledger", "verify"), f"seed {seed}"
