"""Sixteen clients at once, while the ledger and PostgreSQL are killed: money is never wrong."""

import os
import random
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from client import Api, Person
from conftest import make_suite
from contenders import (
    ACCOUNTS,
    CLIENTS,
    OPENING,
    PEOPLE,
    PLENTY,
    Client,
    Ledger,
    World,
    cents,
    funded,
)
from faults import KINDS, euros, hurt, surely
from serial import Disorder, play
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES
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
