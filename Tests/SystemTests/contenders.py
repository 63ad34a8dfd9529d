"""Clients that move money at once, and note what they were answered."""

import contextlib
import random
import time
import uuid
from collections import Counter
from dataclasses import dataclass

from client import Api, Person, value
from faults import euros
from serial import Call
from suite.suite import Suite

CLIENTS, PEOPLE, ACCOUNTS, OPENING, PLENTY = 16, 4, 3, 20_000, 10**12


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
                from ledger.transfer_terms as t
                join ledger.entry as e on e.id in (t.id, t.ended_by)
                where e.kind in ('hold', 'void')
                union all
                -- Lines of which nothing moves have numbers, too, and no other place.
                select null, e.turn, t.account_id, t.seq
                from ledger.money_transaction as t
                join ledger.entry as e on e.id = t.entry_id
                where e.amount is null
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
            if not name:
                continue
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
