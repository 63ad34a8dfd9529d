"""Sixteen clients at once, while the ledger and PostgreSQL are killed: money is never wrong."""

import contextlib
import os
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from client import Api, Person, value
from conftest import make_suite
from faults import KINDS, euros, hurt, surely
from serial import Call, Disorder, play
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES
CLIENTS, PEOPLE, ACCOUNTS, OPENING, PLENTY = 16, 4, 3, 20_000, 10**12
SECONDS = float(os.environ.get("EZWALLET_SERIAL_SECONDS", "20"))


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of two replicas each, which these tests may hurt."""
    suite = make_suite()
    # Whoever sends to others again and again would be asked for proofs.
    suite.executables.extra["ledger"]["EZWALLET_STEP_UP_AMOUNT"] = "0"
    try:
        suite.up()
        # What is held moves nothing, and so has no number in its account's history. But whoever
        # posts on an account has it locked: by these numbers such an entry has its place, too.
        sql = "alter table ledger.entry add column turn bigint generated always as identity"
        suite.postgres.psql("-c", sql, database="ezwallet_ledger")
        yield suite
    finally:
        suite.remove()


def cents(sum_of_money: dict[str, str]) -> int:
    return int(value(sum_of_money) * 100)


class Ledger:
    """One database's own word on what happened in which order."""

    def __init__(self, suite: Suite):
        self.suite = suite

    def ask(self, query: str) -> list[list[str]]:
        """Rows of a query, which may be asked while the server is killed: then again."""
        until = time.monotonic() + 60
        while True:
            try:
                said = self.suite.postgres.psql("-c", query, database="ezwallet_ledger")
                return [line.split("|") for line in said.splitlines()]
            except RuntimeError as error:
                if "ERROR:" in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def places(self) -> dict[str, dict[str, int]]:
        """Of each version of a transaction, what took it back, each transfer, and each hold and its
        being given up: the account, and the place in its history.
        """
        rows = self.ask(
            """
            select name, account, coalesce(seq, 0), turn
            from (
                select coalesce(t.transfer_id || '', t.id || ' ' || t.version)
                        || case when e.kind = 'reversal' then ' back' else '' end as name,
                    e.turn, side.account, side.seq
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
                union all
                select t.id || ' ' || e.kind, e.turn, t.from_account, null
                from ledger.transfer as t
                join ledger.entry as e on e.id in (t.entry_id, t.ended_by)
                where e.kind in ('hold', 'void')
            ) as posted
            order by turn, seq
            """
        )
        found: dict[str, dict[str, int]] = {}
        last: Counter = Counter()
        for name, account, number, place in rows:
            # Where there are numbers, they say the same.
            assert int(number) in (0, last[account] + 1), (name, account, number)
            last[account] = int(number) or last[account]
            of_it = found.setdefault(name, {})
            of_it[account] = min(int(place), of_it.get(account, int(place)))
        return found

    def least(self, account: str) -> int:
        """The least that an account ever held."""
        rows = self.ask(
            f"""
            select coalesce(min(held), 0) from (
                select sum(case credit_account when '{account}' then amount else -amount end) over (
                    order by case credit_account when '{account}' then credit_seq else debit_seq end
                ) as held
                from ledger.movement
                where '{account}' in (debit_account, credit_account)
            ) as history
            """
        )
        return int(rows[0][0])


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


@dataclass(eq=False)
class Held:
    """A transfer in two phases."""

    id: str
    account: str
    to: str
    amount: int


@dataclass
class World:
    """What all clients share."""

    #: The accounts that money can be sent to, with their IBANs.
    all_accounts: dict[str, str]
    #: Everybody's wallet.
    shared: str
    #: Holds that somebody may end, or find ended.
    holds: list[Held]
    #: Each call, with what `places` calls what it made.
    calls: list[tuple[Call, tuple[str, ...]]]


class Client:
    """One of many that share a few people's accounts; what is unsure is asked again by its key."""

    def __init__(self, person: Person, world: World, seed: int):
        self.api = Api(person.suite, person.token)
        self.own, self.dollars, self.world = person.accounts, person.dollars, world
        self.all_accounts, self.shared = world.all_accounts, world.shared
        self.chance = random.Random(seed)
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
        self.world.calls.append((call, names))

    def refused(
        self, answer, began: float, ended: float, account: str, moves: list, held: int = 0
    ) -> None:
        assert answer.status_code == 409, answer.text
        assert answer.json()["code"] == "insufficient-funds", answer.text
        self.note(Call(0, began, ended, moves, "refused", account=account, held=held))

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
            told = (cents(answer.json()["balance"]), cents(answer.json()["available"]))
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
        elif choice < 0.62:
            self.transfer(chance.choice(self.own), chance.randint(1, 9_000), hold=True)
        elif choice < 0.75:
            self.end_hold()
        elif choice < 0.78:
            self.deposit(chance.choice(self.own), chance.randint(1, 9_000))
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

    def transfer(self, account: str, amount: int, *, hold: bool = False) -> None:
        """To an own or another's account; of one in two phases nothing moves yet."""
        if self.chance.random() < 0.5:
            to = self.chance.choice([other for other in self.own if other != account])
            target = {"toAccountId": to}
        else:
            to = self.chance.choice([other for other in self.all_accounts if other != account])
            target = {"toIban": self.all_accounts[to]}
        body = {"fromAccountId": account, "amount": euros(amount), "hold": hold} | target
        answer, began, ended = self.send("POST", "/v1/transfers", body)
        moves = [] if hold else [(account, -amount), (to, amount)]
        held = amount if hold else 0
        if answer.status_code != 201:
            return self.refused(answer, began, ended, account, moves, held)
        transfer = answer.json()["id"]
        if not hold:
            return self.note(Call(0, began, ended, moves, "posted"), transfer)
        assert answer.json()["state"] == "pending", answer.text
        call = Call(0, began, ended, [], "posted", account=account, hold=transfer, held=held)
        self.note(call, f"{transfer} hold")
        return self.world.holds.append(Held(transfer, account, to, amount))

    def end_hold(self) -> None:
        """Captures what is held, or gives it up; who is to be paid may do that, too."""
        mine = [one for one in self.world.holds if {one.account, one.to} & set(self.own)]
        if not mine:
            return
        one = self.chance.choice(mine)
        takes = one.account in self.own and self.chance.random() < 0.5
        if self.chance.random() < 0.5:
            # Else others try to end it, too.
            with contextlib.suppress(ValueError):
                self.world.holds.remove(one)
        end = "capture" if takes else "void"
        answer, began, ended = self.send("POST", f"/v1/transfers/{one.id}/{end}")
        moves = [(one.account, -one.amount), (one.to, one.amount)] if takes else []
        call = Call(0, began, ended, moves, "posted", account=one.account, hold=one.id)
        if answer.status_code == 200:
            assert answer.json()["state"] == ("posted" if takes else "voided"), answer.text
            call.held = -one.amount
            return self.note(call, one.id if takes else f"{one.id} void")
        assert answer.status_code == 409, answer.text
        assert answer.json()["code"] == "hold-ended", answer.text
        call.kind, call.moves = "ended", []
        return self.note(call)

    def deposit(self, account: str, amount: int) -> None:
        """Opened with money in it, or not at all; from then on an account like the others."""
        body = {"fromAccountId": account, "currency": "EUR", "amount": euros(amount)}
        answer, began, ended = self.send("POST", "/v1/deposits", body)
        moves = [(account, -amount)]
        if answer.status_code != 201:
            return self.refused(answer, began, ended, account, moves)
        opened = answer.json()["account"]["id"]
        moves.append((opened, amount))
        self.note(Call(0, began, ended, moves, "posted"), answer.json()["transfer"]["id"])
        return self.own.append(opened)


def funded(person: Person, number: int, amount: int = OPENING) -> dict:
    """A new current account with money in it."""
    body = {"kind": "current", "currency": "EUR", "name": f"Account {number}"}
    account = person.post("/v1/accounts", json=body)
    person.post("/v1/transactions", json={"accountId": account["id"], "amount": euros(amount)})
    return account


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
    world = World(all_accounts, shared, holds=[], calls=[])
    stop = threading.Event()
    until = time.monotonic() + SECONDS

    def client(number: int) -> int:
        one = Client(people[number % PEOPLE], world, seed + number)
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
    calls = world.calls
    deposits = {account for person in people for account in person.accounts} - set(all_accounts)
    # What became of holds, beside what was posted, refused and read.
    kinds = Counter(
        (names[0].partition(" ")[2] or "capture") if call.hold and names else call.kind
        for call, names in calls
    )
    print(f"{steps} steps, {len(deposits)} deposits, killed {done}, did {kinds}")
    # Both orders of seeing it are about the same journal.
    assert done["ledger"] and done["connections"] and done["postgres"], done
    assert steps > 200, steps
    assert kinds["hold"] and kinds["void"] and kinds["capture"] and deposits, kinds
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
            assert set(call.places) == set(call.accounts), f"seed {seed}"
        elif call.account == shared:
            call.told = (call.told[0] + PLENTY, call.told[1] + PLENTY)

    openings = dict.fromkeys(all_accounts, OPENING) | {shared: PLENTY}
    dollars = {person.dollars for person in people}
    openings |= dict.fromkeys(dollars | deposits, 0)
    assert any(account in dollars for call, _ in calls for account, _ in call.moves), f"seed {seed}"
    try:
        states = play([call for call, _ in calls], openings)
    except Disorder as problem:
        pytest.fail(f"seed {seed}: {problem}")
    # It is no matter of course: with one answer a cent off there is no such order.
    call = next(call for call, _ in calls if call.kind == "read")
    call.told = (call.told[0], call.told[1] - 1)
    with pytest.raises(Disorder):
        play([call for call, _ in calls], openings)
    for person in people:
        for account in [*person.accounts, person.dollars]:
            told = person.get(f"/v1/accounts/{account}")
            assert cents(told["balance"]) == states[account].balance
            assert cents(told["available"]) == states[account].available
    balance = people[1].get(f"/v1/accounts/{shared}")["balance"]
    assert cents(balance) == states[shared].balance - PLENTY
    assert own.command("ledger", "verify"), f"seed {seed}"


class Halves:
    """Ways in which half of something could happen; each says what it must have come to."""

    def __init__(self, suite: Suite, number: int):
        self.person = Person(suite)
        self.suite, self.number = suite, number
        self.source = funded(self.person, number)["id"]
        self.target = funded(self.person, number + 1, 100)["id"]
        #: How often a call of which half could have happened was cut off.
        self.cuts = 0

    def cut(self) -> None:
        self.cuts += 1

    def do(self, method: str, path: str, body: dict | None = None, key: str = "") -> tuple:
        """What could happen by half."""
        return surely(self.person, method, path, body, key, self.cut)

    def race(self, *calls: tuple) -> list[int]:
        """The statuses of calls that are sent at the same time."""
        apis = [Api(self.suite, self.person.token) for _ in calls]
        together = threading.Barrier(len(calls))

        def send(api: Api, method: str, path: str, body: dict | None = None) -> int:
            together.wait()
            return surely(api, method, path, body, cut=self.cut)[0]

        with ThreadPoolExecutor(len(calls)) as pool:
            sent = [pool.submit(send, api, *call) for api, call in zip(apis, calls, strict=True)]
            return [one.result() for one in sent]

    def see(self, path: str) -> tuple:
        return surely(self.person, "GET", path)

    def record(self, account: str, amount: int) -> str:
        body = {"accountId": account, "amount": euros(amount)}
        status, made = surely(self.person, "POST", "/v1/transactions", body)
        assert status == 201, made
        return made["id"]

    def balance(self, account: str) -> int:
        return cents(self.see(f"/v1/accounts/{account}")[1]["balance"])

    def moved(self, amount: int) -> tuple[str, list[str]]:
        """A transfer, with the transactions that it is shown as."""
        body = {"fromAccountId": self.source, "toAccountId": self.target, "amount": euros(amount)}
        status, transfer = self.do("POST", "/v1/transfers", body)
        assert status == 201, transfer
        items = self.see("/v1/transactions?limit=200")[1]["items"]
        sides = [item["id"] for item in items if item.get("transferId") == transfer["id"]]
        assert len(sides) == 2
        return transfer["id"], sides

    def a_deposit_is_never_opened_empty(self) -> None:
        opened = []
        for name in range(4):
            body = {
                "fromAccountId": self.source, "currency": "EUR", "amount": euros(6_000),
                "name": f"Deposit {name}",
            }  # fmt: skip
            status, answer = self.do("POST", "/v1/deposits", body)
            if name < 3:
                assert status == 201, answer
                opened.append(answer["account"]["id"])
            else:
                # Only 20 euros are left.
                assert status == 409 and answer["code"] == "insufficient-funds", answer
        accounts = self.see("/v1/accounts?limit=200")[1]["items"]
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
            first = self.do("POST", "/v1/transfers", body, key)
            assert first[0] == 201, first
            assert self.do("POST", "/v1/transfers", body, key)[1] == first[1]
            status, answer = self.do("POST", "/v1/transfers", body)
            assert status == 409 and answer["code"] == "quote-used", answer
            assert self.balance(self.target) == 100 + count * 1_000

    def a_hold_is_captured_or_given_up_and_not_both(self) -> None:
        for count in range(1, 4):
            body = {
                "fromAccountId": self.source, "toAccountId": self.target, "amount": euros(500),
                "hold": True,
            }  # fmt: skip
            status, held = self.do("POST", "/v1/transfers", body)
            assert status == 201 and held["state"] == "pending", held
            path = f"/v1/transfers/{held['id']}"
            statuses = self.race(("POST", f"{path}/capture"), ("POST", f"{path}/void"))
            assert sorted(statuses) == [200, 409], statuses
            _, told = self.see(path)
            assert told["state"] == ("posted" if statuses[0] == 200 else "voided")
            _, account = self.see(f"/v1/accounts/{self.source}")
            assert account["balance"] == account["available"], count

    def no_side_of_a_transfer_is_deleted_alone(self) -> None:
        for side in self.moved(700)[1]:
            status, answer = self.do("DELETE", f"/v1/transactions/{side}")
            assert status == 409 and answer["code"] == "part-of-transfer", answer
            assert self.see(f"/v1/transactions/{side}")[0] == 200
        assert self.balance(self.source) == OPENING - 700

    def no_side_of_a_transfer_is_deleted_among_many(self) -> None:
        others = [self.record(self.source, amount) for amount in (900, -300)]
        sides = self.moved(700)[1]
        for side in sides:
            body = {"ids": [others[0], side, others[1]]}
            status, answer = self.do("POST", "/v1/transactions/deletions", body)
            assert status == 409 and answer["code"] == "part-of-transfer", answer
            assert [error["pointer"] for error in answer["errors"]] == ["/ids/1"]
            for one in [*others, *sides]:
                assert self.see(f"/v1/transactions/{one}")[0] == 200
        assert self.balance(self.source) == OPENING + 600 - 700
        # Without it they go, and come back, both or neither.
        status, gone = self.do("POST", "/v1/transactions/deletions", {"ids": others})
        assert status == 201 and gone["count"] == 2, gone
        assert [self.see(f"/v1/transactions/{one}")[0] for one in others] == [404, 404]
        assert self.balance(self.source) == OPENING - 700
        status, _ = self.do("POST", f"/v1/transactions/deletions/{gone['id']}/undo")
        assert status == 200 and self.balance(self.source) == OPENING + 600 - 700

    def an_income_stays_while_its_money_is_spent(self) -> None:
        account = self.target
        had = self.balance(account)
        income = self.record(account, 5_000)
        spent = self.record(account, -had - 1)
        path = f"/v1/transactions/{income}"
        status, answer = self.do("DELETE", path)
        assert status == 409 and answer["code"] == "insufficient-funds", answer
        assert self.balance(account) == 4_999
        # With the expense gone, it can go.
        assert self.do("DELETE", f"/v1/transactions/{spent}")[0] in (200, 404)
        assert self.do("DELETE", path)[0] in (200, 404)
        assert self.balance(account) == had

    def an_income_goes_or_its_money_is_spent_at_the_same_time(self) -> None:
        account = self.target
        for more in (0, 1, 2_500, 5_000):
            had = self.balance(account)
            income, spending = self.record(account, 5_000), max(1, had + more)
            # Without the income there is enough for the first alone.
            can_both = spending <= had
            body = {"accountId": account, "amount": euros(-spending)}
            deleted, spent = self.race(
                ("DELETE", f"/v1/transactions/{income}"), ("POST", "/v1/transactions", body)
            )
            # Gone already: the first try did it, and its answer was lost.
            assert deleted in (200, 404, 409) and spent in (201, 409), (deleted, spent)
            assert (deleted != 409) + (spent == 201) == 1 + can_both, (deleted, spent)
            left = had + (5_000 if deleted == 409 else 0) - (spending if spent == 201 else 0)
            assert self.balance(account) == left >= 0
            there = 200 if deleted == 409 else 404
            assert self.see(f"/v1/transactions/{income}")[0] == there
        assert Ledger(self.suite).least(account) >= 0


WAYS = [name for name in vars(Halves) if name.startswith(("a_", "an_", "no_"))]


@pytest.mark.timeout(600)
def test_nothing_happens_by_half(own: Suite) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    chance = random.Random(seed)
    assert len(WAYS) == 7
    done: Counter = Counter()
    cuts: Counter = Counter()
    until = time.monotonic() + 330
    # A fast machine is through with all of them before each kind was killed, and before a kill has
    # cut off a call of each way.
    while (missing := [way for way in WAYS if not cuts[way]]) or len(+done) < len(set(KINDS)):
        assert time.monotonic() < until, (seed, done, cuts)
        ways = (missing or WAYS) * (1 + 10 // len(missing or WAYS))
        worlds = [(Halves(own, 10 * number), way) for number, way in enumerate(ways)]
        stop = threading.Event()
        # At last what cuts calls off, and nothing else.
        kinds = (*(kind for kind in KINDS if not done[kind]), "ledger") if done else KINDS
        with ThreadPoolExecutor(len(worlds) + 1) as pool:
            # Ever more seldom: what is killed faster than it starts answers nobody.
            hurting = pool.submit(hurt, own, chance, stop, done, 0.3, 1.2, kinds)
            try:
                working = [pool.submit(getattr(world, way)) for world, way in worlds]
                for each in working:
                    each.result()
            finally:
                stop.set()
            hurting.result()
        own.postgres.wait()
        own.wait_ready()
        for world, way in worlds:
            cuts[way] += world.cuts
        print(f"killed {dict(done)}, cut off {dict(cuts)}")
    assert own.command("ledger", "verify"), f"seed {seed}"
