"""All transactions as a table and as a journal: what they say is what the ledger says."""

import os
import random
import uuid
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from actions import Shared, balance, category, folder, join, record
from client import Api, Person, money, value
from folders import put
from journals import Balances, balances, file_of, hledger, safe, table
from receivables import Payer
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups"]
STEPS = int(os.environ.get("EZWALLET_HISTORY_STEPS", "120"))
#: What a journal's syntax would take for its own.
NAMES = ["Cash: at home; (2)", "[Bank]", "(Bank)", "=1+1", "Bank | new", "* 咖啡", "Café: a"]
WORDS = ["(refund) x", "a ; b", "=cmd", "x | y", "tag: 2024", "[2024-01-01]", "* paid", "«ß»"]


class History:
    """Somebody with accounts in four currencies, and all that may happen on them."""

    def __init__(self, suite: Suite, chance: random.Random):
        self.chance, self.payer = chance, Payer(suite)
        self.ada = self.payer.ada
        currencies = ["EUR", "EUR", "USD", "JPY", "KWD", "EUR", "USD"]
        self.accounts = {}
        for name, currency in zip(NAMES, currencies, strict=True):
            opening = money({"JPY": "7", "KWD": "1.005"}.get(currency, "10.50"), currency)
            body = {"kind": "wallet", "name": name, "currency": currency, "openingBalance": opening}
            self.accounts[self.ada.post("/v1/accounts", body)["id"]] = currency
        self.parent = self.ada.post("/v1/categories", {"name": "Food; home"})["id"]
        below = {"name": "Bars: 1", "parentId": self.parent, "type": "expense"}
        self.categories = [
            self.parent, self.ada.post("/v1/categories", below)["id"], category(self.ada)
        ]  # fmt: skip
        self.rows: list[str] = []

    def amount(self, currency: str, sign: str = "") -> dict[str, str]:
        digits = {"JPY": 0, "KWD": 3}.get(currency, 2)
        units = Decimal(self.chance.randint(2, 99_999)).scaleb(-digits)
        return money(f"{sign}{units:f}", currency)

    def record(self) -> None:
        account, currency = self.chance.choice(list(self.accounts.items()))
        amount = self.amount(currency, self.chance.choice(["", "-", "-"]))
        body: dict[str, Any] = {
            "accountId": account, "amount": amount, "tags": self.chance.sample(["a", "b, c"], 1),
            "date": str(date(2024, 1, 1) + timedelta(days=self.chance.randint(0, 60))),
            "name": self.chance.choice(WORDS), "description": self.chance.choice(WORDS),
        }  # fmt: skip
        if currency == "EUR" and abs(value(amount)) > 1 and self.chance.random() < 0.4:
            first = value(amount) / abs(value(amount))
            parts = [f"{first:.2f}", f"{value(amount) - first:.2f}"]
            body["lines"] = [
                {"categoryId": one, "amount": money(part)}
                for one, part in zip(self.chance.sample(self.categories, 2), parts, strict=True)
                if Decimal(part)
            ]
        if len(body.get("lines", [])) != 2:
            body.pop("lines", None)
            body["categoryId"] = self.chance.choice(self.categories)
        self.rows.append(self.ada.post("/v1/transactions", body)["id"])

    def transfer(self) -> None:
        """Within a currency, or by a quote."""
        source, target = self.chance.sample(
            [one for one, currency in self.accounts.items() if currency != "KWD"], 2
        )
        body = {
            "fromAccountId": source, "toAccountId": target,
            "amount": self.amount(self.accounts[source]), "reference": self.chance.choice(WORDS),
        }  # fmt: skip
        if self.accounts[source] != self.accounts[target]:
            quoted = {name: body[name] for name in ("fromAccountId", "toAccountId", "amount")}
            answer = self.ada.send("POST", "/v1/quotes", json=quoted)
            if answer.status_code == 422:
                return
            body = {"quoteId": answer.json()["id"]}
        self.ada.post("/v1/transfers", body)

    def delete(self) -> None:
        if self.rows:
            gone = self.rows.pop(self.chance.randrange(len(self.rows)))
            self.ada.call("DELETE", f"/v1/transactions/{gone}", 200)

    def owe(self) -> None:
        self.payer.posted("9.00", self.chance.choice(["3.00", "0.00", "9.00"]))
        self.payer.clear("1.50")

    def expected(self) -> Balances:
        """By the names that a journal has for the accounts."""
        found: Balances = {}
        for one in sorted(self.ada.pages("/v1/accounts"), key=lambda one: one["id"]):
            name = chosen = safe(one["name"])
            number = 1
            while f"Assets:{chosen}" in found:
                number += 1
                chosen = f"{name} {number}"
            held = value(one["balance"])
            found[f"Assets:{chosen}"] = {one["balance"]["currency"]: held} if held else {}
        return found


def owned(found: Balances) -> Balances:
    return {name: held for name, held in found.items() if held and name.startswith("Assets:")}


def test_a_journal_of_a_random_history_has_the_ledgers_balances(suite: Suite) -> None:
    seed = int(os.environ.get("EZWALLET_HISTORY_SEED", random.randrange(1 << 32)))
    print(f"seed {seed}")
    history = History(suite, random.Random(seed))
    ada = history.ada
    for _ in range(STEPS):
        step = [history.record] * 6 + [history.transfer] * 3 + [history.delete, history.owe]
        history.chance.choice(step)()
    journal = file_of(ada, "journal")
    hledger(journal, "check", "commodities")
    found = balances(journal)
    expected = {name: held for name, held in history.expected().items() if held}
    owed = found.pop("Assets:Receivable", {}).get("EUR", Decimal(0))
    assert owned(found) == expected
    assert history.payer.stands()[1] == owed
    # From a day on each account begins with what it had then.
    for filters in ({"from": "2024-01-20"}, {"from": "2030-01-01"}):
        found = balances(file_of(ada, "journal", **filters))
        found.pop("Assets:Receivable", None)
        assert owned(found) == expected, filters
    # Of one account its own balance, and that of a day as a statement has it.
    account, currency = next(iter(history.accounts.items()))
    name = safe(ada.get(f"/v1/accounts/{account}")["name"])
    found = balances(file_of(ada, "journal", accountId=account))
    assert found[f"Assets:{name}"].get(currency, 0) == balance(ada, account)
    same(ada, history)


def same(ada: Api, history: History) -> None:
    """The table has the list's rows, and the parts of each come to its amount."""
    listed = {one["id"]: one for one in ada.pages("/v1/transactions", limit=200)}
    names = {one["id"]: one["name"] for one in ada.pages("/v1/accounts")}
    rows = table(ada)
    assert {row["id"] for row in rows} == listed.keys()
    order = list(dict.fromkeys(row["id"] for row in rows))
    assert order == list(listed)
    sums: dict[str, Decimal] = {}
    for row in rows:
        sums[row["id"]] = sums.get(row["id"], Decimal(0)) + Decimal(row["amount"])
    for key, one in listed.items():
        assert sums[key] == value(one["amount"]), one
    for row in rows:
        one = listed[row["id"]]
        for name in ("account", "name", "description", "category", "tags"):
            assert row[name][:1] not in ("=", "+", "-", "@"), row
        assert row["account"].removeprefix("'") == names[one["accountId"]]
        assert (row["date"], row["currency"]) == (one["date"], one["amount"]["currency"])
        if row["currency"] == "EUR":
            assert (row["own amount"], row["own currency"]) == (row["amount"], "EUR")
        if row["currency"] == "KWD":
            assert row["own amount"] == "" and len(row["amount"].split(".")[1]) == 3
        if "transferId" in one:
            other = row["transfer account"].removeprefix("'")
            assert other in names.values() and other != names[one["accountId"]]
            assert row["kind"] in ("transfer", "exchange")
    kinds = {row["kind"] for row in rows}
    assert kinds == {"income", "expense", "transfer", "exchange", "receivable"}, kinds
    assert {row["category"] for row in rows} >= {"Food; home", "Food; home > Bars: 1"}


def test_filters_of_the_list_hold_for_files(suite: Suite) -> None:
    ada = Person(suite, currency="USD")
    account = ada.post("/v1/accounts", {"name": "Euro", "currency": "EUR"})["id"]
    trip = folder(ada, "Trip")
    made = [
        record(ada, account, f"-{number}.00", date=f"2024-03-0{number}", name=f"Row {number}",
               tags=["t"] if number > 3 else [])["id"]
        for number in range(1, 8)
    ]  # fmt: skip
    put(ada, trip, made[0])
    for filters in (
        {"from": "2024-03-02", "to": "2024-03-04"}, {"accountId": account, "sort": "date"},
        {"tag": "t"}, {"query": "row 5"}, {"folderId": trip}, {"direction": "in"},
        {"minAmount": "2", "maxAmount": "4", "sort": "amount", "accountId": account},
    ):  # fmt: skip
        listed = [one["id"] for one in ada.pages("/v1/transactions", **filters)]
        assert [row["id"] for row in table(ada, **filters)] == listed, filters
        journal = file_of(ada, "journal", **filters)
        assert sorted(one for one in made if one in journal) == sorted(listed)
    (row,) = table(ada, folderId=trip)
    assert row["folder"] == "Trip" and row["own currency"] == "USD" and Decimal(row["own amount"])
    assert table(ada, accountId=str(uuid.uuid4())) == []
    for name, wrong in (("cursor", "x"), ("groupBy", "day")):
        problem = ada.problem(
            "GET", "/v1/transactions", 400, "invalid-query", params={"format": "csv", name: wrong}
        )
        assert [one["pointer"] for one in problem["errors"]] == [f"query:{name}"]
    head = ada.send("HEAD", "/v1/transactions", params={"format": "csv"})
    assert head.status_code == 200 and not head.content


def test_a_shared_wallets_rows_are_in_a_members_files(suite: Suite) -> None:
    shared = Shared(suite)
    parent = shared.ada.post("/v1/categories", {"name": "Secret"})["id"]
    below = shared.ada.post("/v1/categories", {"name": "Rent", "parentId": parent})["id"]
    made = shared.record(shared.ada, "-10.00", name="Flat", categoryId=below)["id"]
    for member in (shared.eve, shared.vic):
        (row,) = [row for row in table(member) if row["id"] == made]
        assert (row["category"], row["amount"]) == ("Rent", "-10.00")
        name = member.get(shared.path)["name"]
        assert row["account"] == name
        found = balances(file_of(member, "journal"))
        assert found[f"Assets:{safe(name)}"] == {"EUR": value(member.get(shared.path)["balance"])}
        assert "Secret" not in file_of(member, "journal")
    assert "Secret > Rent" in {row["category"] for row in table(shared.ada)}
    assert made not in file_of(shared.sam, "csv") + file_of(shared.sam, "journal")


def test_whoever_reads_a_folder_gets_its_rows_without_the_account(suite: Suite) -> None:
    ada, bob = Person(suite), Person(suite)
    account = ada.post("/v1/accounts", {"name": "Hidden"})["id"]
    trip = folder(ada, "Trip")
    join(ada, trip, bob, "read")
    made = record(ada, account, "-4.00", name="Hotel")["id"]
    put(ada, trip, made)
    (row,) = table(bob, folderId=trip)
    assert (row["id"], row["name"], row["account"]) == (made, "Hotel", "")
    journal = file_of(bob, "journal", folderId=trip)
    assert balances(journal)["Equity:Accounts of others"] == {"EUR": Decimal("-4.00")}
    assert "Hidden" not in journal
