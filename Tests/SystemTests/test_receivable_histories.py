"""Random histories of shared expenses in somebody's books, against a small model of them."""

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import pytest

from actions import category, current, record, sealed, verify, wallet
from client import Person, eventually, money, value
from receivables import Payer, today
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "analytics", "groups"]
STEPS = 70


@dataclass(frozen=True)
class Booked:
    """One posting or clearing, in cents: what left the account, and what of it was spent."""

    account: str
    paid: int
    share: int
    category: str
    transaction: str
    version: int = 1
    deleted: bool = False
    withdrawn: bool = False

    @property
    def counts(self) -> bool:
        return not self.deleted and not self.withdrawn

    @property
    def claim(self) -> int:
        return self.paid - self.share


def text(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"


class History:
    """Ada with three accounts and two categories, and Bob who pays her back."""

    def __init__(self, suite: Suite, seed: int):
        self.chance = random.Random(seed)
        self.payer = Payer(suite, "200.00")
        ada = self.payer.ada
        self.purses = [self.payer.purse, current(ada, "EUR", "100.00")["id"], wallet(ada)]
        self.bound = set(self.purses[:2])
        self.categories = [category(ada), category(ada)]
        self.bob = Person(suite)
        self.pocket = current(self.bob, "EUR", "300.00")["id"]
        self.left = 30_000
        #: What came in and went out beside what is booked below, by account, and what was spent.
        self.plain = {self.purses[0]: 20_000, self.purses[1]: 10_000, self.purses[2]: 0}
        self.income, self.spendings = 30_000, dict.fromkeys(self.categories, 0)
        self.settled = 0
        self.postings: dict[str, Booked] = {}
        self.clearings: dict[str, Booked] = {}
        self.deletions: list[tuple[str, str, str]] = []
        self.done: dict[str, int] = {}

    # The model

    def balance(self, account: str) -> int:
        booked = (*self.postings.values(), *self.clearings.values())
        return self.plain[account] - sum(
            one.paid for one in booked if one.counts and one.account == account
        )

    def open(self) -> int:
        booked = (*self.postings.values(), *self.clearings.values())
        return sum(one.claim for one in booked if one.counts) - self.settled

    def spent(self, name: str) -> int:
        return self.spendings[name] + sum(
            one.share for one in self.postings.values() if one.counts and one.category == name
        )

    def fits(self, *changes: tuple[str, int]) -> bool:
        """Whether what may not fall below zero does not."""
        after = {account: self.balance(account) for account in self.bound}
        for account, change in changes:
            if account in after:
                after[account] += change
        touched = {account for account, _ in changes}
        return all(after[account] >= 0 for account in touched & self.bound)

    # What is done

    def step(self) -> None:
        acts: list[Callable[[], None]] = [
            self.post, self.post, self.edit, self.edit, self.withdraw, self.clear, self.unclear,
            self.settle, self.delete, self.undo, self.spend, self.relabel,
        ]  # fmt: skip
        act = self.chance.choice(acts)
        act()
        self.done[act.__name__] = self.done.get(act.__name__, 0) + 1

    def told(self, answer: Any, *wanted: tuple[int, str]) -> None:
        code = answer.json().get("code", "") if answer.status_code >= 400 else ""
        assert (answer.status_code, code) in wanted, (wanted, answer.text)

    def drawn(self) -> tuple[str, int, int, str]:
        paid = self.chance.randint(1, 8_000)
        share = self.chance.choice([0, paid, self.chance.randint(0, paid)])
        return (
            self.chance.choice(self.purses), paid, share, self.chance.choice(self.categories),
        )  # fmt: skip

    def ask(self, posting: str, drawn: tuple[str, int, int, str], version: int) -> Any:
        account, paid, share, name = drawn
        body = self.payer.expense(
            text(paid), text(share), version, accountId=account, categoryId=name
        )
        return self.payer.inside.send("PUT", self.payer.path(posting), json=body)

    def post(self) -> None:
        posting, drawn = str(uuid.UUID(int=self.chance.getrandbits(128), version=4)), self.drawn()
        answer = self.ask(posting, drawn, 1)
        if not self.fits((drawn[0], -drawn[1])):
            return self.told(answer, (409, "insufficient-funds"))
        self.told(answer, (200, ""))
        account, paid, share, name = drawn
        made = answer.json()["transactionId"]
        self.postings[posting] = Booked(account, paid, share, name, made)
        return None

    def edit(self) -> None:
        if not self.postings:
            return None
        posting = self.chance.choice(sorted(self.postings))
        old, drawn = self.postings[posting], self.drawn()
        version = old.version + self.chance.choice([-1, 0, 1, 1, 2])
        if version < 1:
            return None
        answer = self.ask(posting, drawn, version)
        if old.withdrawn:
            return self.told(answer, (409, "posting-withdrawn"))
        if version < old.version:
            return self.told(answer, (409, "posting-outdated"))
        account, paid, share, name = drawn
        if version > old.version:
            back = [] if old.deleted else [(old.account, old.paid)]
            if not old.deleted and old.claim > 0 and 0 <= self.open() < old.claim:
                return self.told(answer, (409, "already-settled"))
            if not self.fits(*back, (account, -paid)):
                return self.told(answer, (409, "insufficient-funds"))
            self.postings[posting] = Booked(account, paid, share, name, old.transaction, version)
        return self.told(answer, (200, ""))

    def withdraw(self) -> None:
        if not self.postings:
            return None
        posting = self.chance.choice(sorted(self.postings))
        old = self.postings[posting]
        answer = self.payer.inside.send("DELETE", self.payer.path(posting))
        if old.counts and old.claim > 0 and 0 <= self.open() < old.claim:
            return self.told(answer, (409, "already-settled"))
        self.postings[posting] = replace(old, withdrawn=True)
        return self.told(answer, (204, ""))

    def clear(self) -> None:
        clearing = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
        account, amount, _, _ = self.drawn()
        body = {
            "accountId": account, "amount": money(text(amount)), "date": today(), "name": "Bob",
        }  # fmt: skip
        answer = self.payer.inside.send("PUT", self.payer.cleared_at(clearing), json=body)
        self.told(answer, (200, ""))
        made = answer.json()["transactionId"]
        self.clearings[clearing] = Booked(account, -amount, 0, "", made)

    def unclear(self) -> None:
        if not self.clearings:
            return None
        clearing = self.chance.choice(sorted(self.clearings))
        old = self.clearings[clearing]
        answer = self.payer.inside.send("DELETE", self.payer.cleared_at(clearing))
        if old.counts and not self.fits((old.account, old.paid)):
            return self.told(answer, (409, "insufficient-funds"))
        self.clearings[clearing] = replace(old, withdrawn=True)
        return self.told(answer, (204, ""))

    def settle(self) -> None:
        amount = self.chance.randint(1, 4_000)
        if amount > self.left:
            return
        cleared = min(amount, max(self.open(), 0))
        row = self.payer.settle(self.bob, self.pocket, text(amount))
        assert row.get("settles") == (money(text(cleared)) if cleared else None)
        self.left -= amount
        self.plain[self.purses[0]] += amount
        self.settled += cleared
        self.income += amount - cleared

    def delete(self) -> None:
        """By the owner; what was paid back, too."""
        every = [("postings", key) for key, one in sorted(self.postings.items()) if one.counts]
        every += [("clearings", key) for key, one in sorted(self.clearings.items()) if one.counts]
        if not every:
            return None
        kind, key = self.chance.choice(every)
        booked = getattr(self, kind)
        old = booked[key]
        answer = self.payer.ada.send("DELETE", f"/v1/transactions/{old.transaction}")
        if old.claim > 0 and 0 <= self.open() < old.claim:
            return self.told(answer, (409, "already-settled"))
        if not self.fits((old.account, old.paid)):
            return self.told(answer, (409, "insufficient-funds"))
        self.told(answer, (200, ""))
        booked[key] = replace(old, deleted=True)
        self.deletions.append((answer.json()["id"], kind, key))
        return None

    def undo(self) -> None:
        if not self.deletions:
            return None
        deletion, kind, key = self.deletions.pop(self.chance.randrange(len(self.deletions)))
        booked = getattr(self, kind)
        old = booked[key]
        answer = self.payer.ada.send("POST", f"/v1/transactions/deletions/{deletion}/undo")
        if old.withdrawn:
            return self.told(answer, (409, "undo-expired"))
        # What was posted anew meanwhile is not had back as it was, nor by an older deletion.
        newer = any((kind, key) == known[1:] for known in self.deletions)
        if answer.status_code >= 400:
            fits = self.fits((old.account, -old.paid))
            assert answer.status_code == 409, answer.text
            assert not old.deleted or newer or not fits, answer.text
            return None
        assert old.deleted and not newer, answer.text
        booked[key] = replace(old, deleted=False)
        return None

    def spend(self) -> None:
        account, amount, _, name = self.drawn()
        if not self.fits((account, -amount)):
            return
        record(self.payer.ada, account, text(-amount), categoryId=name)
        self.plain[account] -= amount
        self.spendings[name] += amount

    def relabel(self) -> None:
        """The owner says that it was something else."""
        counted = sorted(key for key, one in self.postings.items() if one.counts)
        if not counted:
            return
        key = self.chance.choice(counted)
        old, name = self.postings[key], self.chance.choice(self.categories)
        path = f"/v1/transactions/{old.transaction}"
        row = self.payer.ada.call("PATCH", path, 200, json={"categoryId": name, "name": "Other"})
        assert row.get("receivable") == (money(text(-old.claim)) if old.claim else None)
        self.postings[key] = replace(old, category=name)

    # What holds

    def check(self, note: str) -> None:
        payer = self.payer
        accounts = {one["id"]: value(one["balance"]) for one in payer.ada.pages("/v1/accounts")}
        found = {account: accounts[account] * 100 for account in self.purses}
        assert found == {account: self.balance(account) for account in self.purses}, note
        assert payer.open() * 100 == self.open(), note
        envelopes = payer.ada.get("/v1/budgets", month=today()[:7])["items"]
        spent = {one["categoryId"]: value(one["spent"]) * 100 for one in envelopes}
        for name in self.categories:
            assert spent[name] == self.spent(name), note
        expenses = sum(self.spent(name) for name in self.categories)
        assert payer.counted() == (Decimal(self.income) / 100, Decimal(expenses) / 100), note

    def check_reports(self, note: str) -> None:
        """Those that follow what the ledger tells."""
        expenses = sum(self.spent(name) for name in self.categories)
        wanted = (Decimal(self.income) / 100, Decimal(expenses) / 100)

        def read() -> tuple[Decimal, Decimal]:
            summary = self.payer.ada.get("/v1/reports/summary")
            return value(summary["income"]), value(summary["expenses"])

        found = eventually(read, 30, until=lambda sums: sums == wanted)
        assert found == wanted, note


@pytest.mark.parametrize("_run", range(3))
def test_books_budgets_and_reports_are_those_of_the_model(suite: Suite, _run: int) -> None:
    seed = random.SystemRandom().randrange(2**32)
    history = History(suite, seed)
    for number in range(STEPS):
        note = f"seed {seed}, step {number}"
        try:
            history.step()
        except AssertionError as wrong:
            raise AssertionError(note) from wrong
        if number % 5 == 4:
            history.check(note)
    history.check_reports(f"seed {seed}")
    assert history.done.keys() >= {"post", "edit"}, history.done
    eventually(lambda: sealed(suite), 30)
    proof = verify(suite)
    assert proof.returncode == 0, f"seed {seed}: {proof.stdout}{proof.stderr}"
