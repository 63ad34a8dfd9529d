"""A client that works offline and catches up: its copy is what the lists answer, whatever was
written, killed or restored meanwhile."""

import base64
import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from actions import add, category, current, document, wallet
from client import Api, Person, eventually, money, value
from conftest import make_suite
from erasures import completed, delete
from faults import euros, hurt, surely
from follower import Follower
from imports import commit, mt940, preview
from suite.executables import EXECUTABLES
from suite.postgres import server_user
from suite.suite import Suite
from test_ledger_recurrences import begin

NEEDS = EXECUTABLES
WRITERS = 16
SECONDS = float(os.environ.get("EZWALLET_CHANGES_SECONDS", "20"))


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite that these tests may hurt."""
    suite = make_suite()
    suite.executables.extra["ledger"]["EZWALLET_STEP_UP_AMOUNT"] = "0"
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


def test_a_first_load_is_everything_page_by_page(person: Person) -> None:
    account = wallet(person, "EUR")
    for number in range(30):
        person.post("/v1/transactions", {"accountId": account, "amount": money(f"{number}.00")})
    small, large = Follower(person), Follower(person)
    told = small.catch_up(limit=3)
    assert small.pages >= 10 and all("deletedAt" not in item for item in told)
    large.catch_up()
    assert large.pages == 1 and small.copy == large.copy
    small.check()
    told_nothing_more(small)


def told_nothing_more(follower: Follower) -> None:
    """In the end nothing is told; what is newer than the oldest open transaction, a worker's too,
    is told again until that ends."""
    eventually(lambda: follower.catch_up() == [])


# Every call that changes something, and what a client sees of it.


class Mutations:
    """Calls everything that changes what the ledger has, one by one."""

    def __init__(self, suite: Suite, person: Person):
        self.suite, self.person = suite, person
        self.one, self.other = current(person, "EUR", "500.00"), current(person, "EUR")
        self.wallet, self.food = wallet(person, "EUR"), category(person)
        self.pet = category(person)

    def record(self, **fields: Any) -> str:
        body = {"accountId": self.wallet, "amount": money("-5.00"), "categoryId": self.food}
        return self.person.post("/v1/transactions", body | fields)["id"]

    def transfer(self, **fields: Any) -> dict[str, Any]:
        body = {
            "fromAccountId": self.one["id"], "toAccountId": self.other["id"],
            "amount": money("10.00"),
        }  # fmt: skip
        return self.person.post("/v1/transfers", body | fields)

    def rule(self) -> str:
        body = {"match": {"contains": "x"}, "categoryId": self.pet}
        return self.person.post("/v1/import-rules", body)["id"]

    def statement(self, text: str) -> dict[str, Any]:
        rows = [("240105D12,50", "NONREF", f"166?20SVWZ+{text}")]
        content = mt940("DE02120300000000202051", "C240101EUR100,", rows, "C240131EUR87,5")
        return preview(self.person, self.wallet, content)

    def allocate(self, category: str, amount: str) -> None:
        path = f"/v1/budgets/{category}/allocations"
        self.person.post(path, {"amount": money(amount), "month": "2024-02"})

    # What is told of each: (kind, whether it was deleted).

    def open_account(self) -> set:
        self.person.post("/v1/accounts", {"kind": "current", "name": "new"})
        return {("account", False)}

    def change_account(self) -> set:
        self.person.call("PATCH", f"/v1/accounts/{self.wallet}", 200, json={"name": "other"})
        return {("account", False)}

    def close_account(self) -> Callable:
        gone = wallet(self.person, "EUR")
        return lambda: self.delete(f"/v1/accounts/{gone}", 204, {("account", False)})

    def delete(self, path: str, status: int, told: set) -> set:
        self.person.call("DELETE", path, status)
        return told

    def make_category(self) -> set:
        category(self.person)
        return {("category", False)}

    def make_folder(self) -> set:
        self.folder = self.person.post("/v1/folders", {"name": "Trip"})["id"]
        return {("folder", False)}

    def change_folder(self) -> set:
        self.person.call("PATCH", f"/v1/folders/{self.folder}", 200, json={"name": "Roma"})
        return {("folder", False)}

    def put_into_folder(self) -> Callable:
        self.filed = self.record()
        path = f"/v1/folders/{self.folder}/transactions/{self.filed}"

        def put() -> set:
            self.person.call("PUT", path, 204)
            return {("transaction", False)}

        return put

    def take_out_of_folder(self) -> set:
        path = f"/v1/folders/{self.folder}/transactions/{self.filed}"
        self.person.call("DELETE", path, 204)
        return {("transaction", False)}

    def put_category_into_folder(self) -> set:
        path = f"/v1/folders/{self.folder}/categories/{self.food}"
        self.person.call("PUT", path, 204)
        return {("folder", False)}

    def take_category_out_of_folder(self) -> set:
        path = f"/v1/folders/{self.folder}/categories/{self.food}"
        self.person.call("DELETE", path, 204)
        return {("folder", False)}

    def remove_folder(self) -> set:
        self.person.call("DELETE", f"/v1/folders/{self.folder}", 204)
        return {("folder", True)}

    def change_category(self) -> set:
        self.person.call("PATCH", f"/v1/categories/{self.food}", 200, json={"color": "#010203"})
        return {("category", False)}

    def label_category(self) -> set:
        self.person.call("PUT", f"/v1/categories/{self.food}/important", 200)
        return {("category", False)}

    def unlabel_category(self) -> set:
        return self.delete(f"/v1/categories/{self.food}/important", 204, {("category", False)})

    def remove_category(self) -> Callable:
        gone = category(self.person)
        below = self.person.post("/v1/categories", {"name": "below", "parentId": gone})["id"]
        kept, self.food, self.pet = (self.food, self.pet), gone, gone
        self.record()
        self.rule()
        self.allocate(gone, "7.00")
        begin(self.person, self.wallet, "-1.00", 0, every=5)
        planned = self.person.get("/v1/recurrences")["items"][0]["id"]
        self.person.call("PATCH", f"/v1/recurrences/{planned}", 200, json={"categoryId": gone})
        self.food, self.pet = kept

        def remove() -> set:
            self.person.call("DELETE", f"/v1/categories/{gone}", 204)
            assert self.person.get(f"/v1/categories/{below}").get("parentId") is None
            return {
                ("category", True), ("category", False), ("transaction", False),
                ("importRule", True), ("recurrence", False), ("allocation", True),
                ("allocation", False),
            }  # fmt: skip

        return remove

    def record_transaction(self) -> set:
        self.record(lines=[
            {"categoryId": self.food, "amount": money("-2.00")},
            {"categoryId": self.pet, "amount": money("-3.00")},
        ], categoryId=None, tags=["a", "b"], location={"lat": 45.5, "lon": 9.2})  # fmt: skip
        return {("transaction", False), ("account", False)}

    def record_transactions(self) -> set:
        rows = [{"accountId": self.wallet, "amount": money("1.00")}] * 3
        self.person.post("/v1/transactions/batches", {"transactions": rows})
        return {("transaction", False), ("account", False)}

    def change_transaction(self) -> Callable:
        path = f"/v1/transactions/{self.record()}"

        def change() -> set:
            for body in (
                {"amount": money("-7.00")}, {"name": "words"}, {"date": "2024-05-06"},
                {"categoryId": self.pet}, {"accountId": self.one["id"]}, {"tags": ["t"]},
            ):  # fmt: skip
                self.person.call("PATCH", path, 200, json=body)
            return {("transaction", False), ("account", False)}

        return change

    def change_words(self) -> Callable:
        path = f"/v1/transactions/{self.record()}"

        def change() -> set:
            self.person.call("PATCH", path, 200, json={"description": "more"})
            return {("transaction", False)}

        return change

    def delete_transaction(self) -> Callable:
        path = f"/v1/transactions/{self.record()}"
        told = {("transaction", True), ("account", False)}
        return lambda: self.delete(path, 200, told)

    def delete_transactions(self) -> Callable:
        body = {"ids": [self.record(), self.record()]}

        def remove() -> set:
            self.person.post("/v1/transactions/deletions", body)
            return {("transaction", True), ("account", False)}

        return remove

    def undo_deletion(self) -> Callable:
        gone = self.record()
        add(self.person, gone, document())
        deletion = self.person.call("DELETE", f"/v1/transactions/{gone}", 200)

        def undo() -> set:
            path = f"/v1/transactions/deletions/{deletion['id']}/undo"
            self.person.call("POST", path, 200)
            return {("transaction", False), ("account", False)}

        return undo

    def add_attachment(self) -> Callable:
        self.receipt = self.record()

        def attach() -> set:
            self.attached = add(self.person, self.receipt, document())["id"]
            return {("transaction", False)}

        return attach

    def delete_attachment(self) -> set:
        path = f"/v1/transactions/{self.receipt}/attachments/{self.attached}"
        return self.delete(path, 204, {("transaction", False)})

    def record_recurring(self) -> set:
        self.planned = begin(self.person, self.wallet, "-1.00", 3)["id"]
        path = f"/v1/recurrences/{self.planned}"
        eventually(lambda: self.person.get(path)["last"]["number"] == 3)
        return {("recurrence", False), ("transaction", False), ("account", False)}

    def change_recurrence(self) -> set:
        path = f"/v1/recurrences/{self.planned}"
        self.person.call("PATCH", path, 200, json={"active": False})
        return {("recurrence", False)}

    def delete_recurrence(self) -> set:
        return self.delete(f"/v1/recurrences/{self.planned}", 204, {("recurrence", True)})

    def allocate_budget(self) -> set:
        self.allocate(self.food, "20.00")
        self.allocate(self.food, "5.00")
        return {("allocation", False)}

    def transfer_budget(self) -> set:
        body = {
            "fromCategoryId": self.food, "toCategoryId": self.pet, "amount": money("3.00"),
            "month": "2024-02",
        }  # fmt: skip
        self.person.post("/v1/budget-transfers", body)
        return {("allocation", False)}

    def make_import_rule(self) -> set:
        self.made_rule = self.rule()
        return {("importRule", False)}

    def change_import_rule(self) -> set:
        path = f"/v1/import-rules/{self.made_rule}"
        self.person.call("PATCH", path, 200, json={"priority": 9})
        return {("importRule", False)}

    def remove_import_rule(self) -> set:
        return self.delete(f"/v1/import-rules/{self.made_rule}", 204, {("importRule", True)})

    def make_quote(self) -> set:
        body = {
            "fromAccountId": self.one["id"], "toAccountId": self.other["id"],
            "amount": money("1.00"),
        }  # fmt: skip
        self.person.post("/v1/quotes", body)
        return set()

    def post_transfer(self) -> set:
        self.transfer()
        return {("transaction", False), ("account", False)}

    def post_transfers(self) -> set:
        one = {
            "fromAccountId": self.one["id"], "toAccountId": self.other["id"],
            "amount": money("1.00"),
        }  # fmt: skip
        self.person.post("/v1/transfers/batches", {"transfers": [one, one]}, status=200)
        return {("transaction", False), ("account", False)}

    def hold_transfer(self) -> set:
        self.held = [self.transfer(hold=True)["id"] for _ in range(2)]
        return {("account", False)}

    def capture_transfer(self) -> set:
        self.person.call("POST", f"/v1/transfers/{self.held[0]}/capture", 200)
        return {("transaction", False), ("account", False)}

    def void_transfer(self) -> set:
        self.person.call("POST", f"/v1/transfers/{self.held[1]}/void", 200)
        return {("account", False)}

    def open_deposit(self) -> set:
        body = {"fromAccountId": self.one["id"], "currency": "EUR", "amount": money("9.00")}
        self.person.post("/v1/deposits", body)
        return {("transaction", False), ("account", False)}

    def upload_import(self) -> set:
        self.imported = self.statement("bread")
        return set()

    def change_import(self) -> set:
        path = f"/v1/imports/{self.imported['id']}"
        self.person.call("PATCH", path, 200, json={"rows": [{"row": 1, "included": True}]})
        return set()

    def commit_import(self) -> set:
        commit(self.person, self.imported)
        return {("transaction", False), ("account", False)}

    def remove_import(self) -> set:
        path = f"/v1/imports/{self.imported['id']}"
        answer = self.person.send("DELETE", path)
        assert answer.status_code in (202, 204), answer.text
        eventually(lambda: self.person.send("GET", path).status_code == 404 or self.is_gone(path))
        return {("transaction", True), ("account", False)}

    def is_gone(self, path: str) -> bool:
        return self.person.get(path)["state"] == "withdrawn"


#: What belongs to other services.
OTHERS = {
    "admin", "audit", "challenges", "deletion-receipts", "email-verifications",
    "identity-providers", "passkeys", "password-recoveries", "profile-changes", "sessions",
    "users", "groups", "invitations", "insights", "reports", "notifications",
}  # fmt: skip
#: Those without a name of their own in the document, and those that come by another service.
BESIDE = {"record_recurring", "change_words", "hold_transfer"}
#: Who uses a wallet or folder: its others are told, which test_ledger_shared_wallets.py and
#: test_ledger_folders.py look at.
SHARING = {
    "invite_to_wallet", "withdraw_wallet_invitation", "change_wallet_member",
    "remove_wallet_member", "invite_to_folder", "withdraw_folder_invitation",
    "change_folder_member", "remove_folder_member",
}  # fmt: skip


def mutating_calls(api: Api) -> set[str]:
    """The ledger's calls that change something, as the document has them."""
    found = set()
    for path, methods in api.get("/openapi.json")["paths"].items():
        first = path.removeprefix("/v1/").split("/")[0]
        if not path.startswith("/v1/") or first in OTHERS:
            continue
        for method, call in methods.items():
            if method in ("post", "put", "patch", "delete"):
                found.add(re.sub(r"([A-Z])", r"_\1", call["operationId"]).lower())
    return found - SHARING


def test_every_call_that_changes_something_is_seen(suite: Suite, person: Person) -> None:
    mutations = Mutations(suite, person)
    helpers = {"record", "transfer", "rule", "statement", "allocate", "delete", "is_gone"}
    names = [
        name for name, member in vars(Mutations).items()
        if callable(member) and not name.startswith("_") and name not in helpers
    ]  # fmt: skip
    assert set(names) - BESIDE == mutating_calls(person)
    follower = Follower(person)
    follower.catch_up()
    follower.check("first")
    for name in names:
        made = getattr(mutations, name)
        wanted = made()
        if callable(wanted):
            # What it needs was made before.
            follower.catch_up()
            wanted = wanted()
        told = {(item["kind"], "deletedAt" in item) for item in follower.catch_up()}
        assert wanted <= told, (name, told)
        follower.check(name)
        told_nothing_more(follower)
    fresh = Follower(person)
    fresh.catch_up()
    assert fresh.copy == follower.copy and fresh.attachments == follower.attachments


@pytest.mark.timeout(120)
def test_a_large_category_goes_behind_the_call(person: Person) -> None:
    account, gone = wallet(person, "EUR"), category(person)
    rows = [{"accountId": account, "amount": money("-1.00"), "categoryId": gone}] * 600
    person.post("/v1/transactions/batches", {"transactions": rows})
    follower = Follower(person)
    follower.catch_up()
    person.call("DELETE", f"/v1/categories/{gone}", 204)

    def left() -> int:
        follower.catch_up(limit=37)
        return sum(row["categoryId"] == gone for row in follower.copy["transaction"].values())

    eventually(left, seconds=60, until=lambda count: count == 0)
    assert len(follower.copy["transaction"]) == 600
    for kind, listed in (("account", "/v1/accounts"), ("transaction", "/v1/transactions")):
        rows = {row["id"]: row for row in person.pages(listed, limit=200)}
        assert follower.copy[kind] == rows


def test_nobody_elses_things_are_told(suite: Suite, person: Person) -> None:
    stranger = Person(suite)
    payee = stranger.post("/v1/accounts", {"kind": "current"})
    source = current(person, "EUR", "50.00")
    mine, theirs = Follower(person), Follower(stranger)
    for follower in (mine, theirs):
        follower.catch_up()
        told_nothing_more(follower)
    body = {"fromAccountId": source["id"], "toIban": payee["iban"], "amount": money("4.00")}
    person.post("/v1/transfers", body)
    for follower in (mine, theirs):
        items = follower.catch_up()
        assert sorted(item["kind"] for item in items) == ["account", "transaction"]
        follower.check()
    assert not set(mine.copy["transaction"]) & set(theirs.copy["transaction"])


@pytest.mark.timeout(120)
def test_a_payer_who_is_erased_has_no_name_any_more(suite: Suite, person: Person) -> None:
    payer = Person(suite)
    source = current(payer, "EUR", "4.00")
    payee = person.post("/v1/accounts", {"kind": "current"})
    body = {"fromAccountId": source["id"], "toIban": payee["iban"], "amount": money("4.00")}
    payer.post("/v1/transfers", body)
    follower = Follower(person)
    follower.catch_up()
    completed(suite, delete(payer))
    follower.catch_up()
    assert {row["name"] for row in follower.copy["transaction"].values()} == {"Deleted user"}
    follower.check()


# Cursors.


def sealed(payload: Any) -> str:
    """A cursor as the service writes it, for it is no secret."""
    text = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    total = 2_166_136_261
    for byte in text:
        total = ((total ^ byte) * 16_777_619) & 0xFFFFFFFF
    raw = total.to_bytes(4, "big") + text
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def opened(cursor: str) -> dict[str, Any]:
    raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    return json.loads(raw[4:])


def test_a_cursor_is_its_owners_and_of_these_books(suite: Suite, person: Person) -> None:
    follower = Follower(person)
    page = follower.poll(limit=1)
    assert page["more"]
    half, end = opened(page["next"]), None
    told_nothing_more(follower)
    end = opened(follower.since)
    assert sealed(end) and "r" in half and "r" not in end
    other = opened(Person(suite).get("/v1/changes")["next"])
    round_ = half["r"]
    for bad in (
        "x", "%00", "", sealed(b"null"), sealed(b"{"), sealed({}), sealed([1]), sealed("zzz"),
        sealed(other), follower.since[:-2], follower.since + "AA",
        person.get("/v1/categories", limit=1).get("nextCursor", "x"),
        sealed(end | {"f": -1}), sealed(end | {"f": 2**70}), sealed(end | {"f": "1"}),
        sealed(end | {"x": 1}), sealed(half | {"r": round_ | {"n": -1}}),
        sealed(half | {"r": round_ | {"s": "nothing"}}),
        sealed(half | {"r": round_ | {"p": round_["p"] | {"x": -5}}}),
        sealed(half | {"r": round_ | {"p": round_["p"] | {"i": "nobody"}}}),
    ):  # fmt: skip
        problem = person.problem("GET", f"/v1/changes?since={bad}", 400, "invalid-query")
        assert problem["errors"][0]["pointer"] == "query:since", problem
    for stale in (
        sealed(end | {"e": "other books"}), sealed(end | {"f": 2**62}),
        sealed(half | {"r": round_ | {"e": 2**62}}),
        sealed(half | {"r": round_ | {"p": round_["p"] | {"x": 2**62}}}),
    ):  # fmt: skip
        person.problem("GET", f"/v1/changes?since={stale}", 409, "resync-required")
    for limit in ("0", "201", "-1", "x"):
        person.problem("GET", f"/v1/changes?limit={limit}", 400, "invalid-query")
    Api(suite).problem("GET", "/v1/changes", 401, "unauthenticated")
    # One that is as it should be, wherever in a round it stands.
    assert person.get("/v1/changes", since=sealed(half))["items"]
    assert person.get("/v1/changes", since=sealed(end))["items"] == []


# Many writers, and things that die.


class Writer:
    """Somebody who does this and that with what several share."""

    def __init__(self, person: Person, shared: "Shared", seed: int):
        self.api, self.shared, self.chance = Api(person.suite, person.token), shared, None
        self.chance = random.Random(seed)

    def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        status, answer = surely(self.api, method, path, body)
        assert status < 500, answer
        return answer if status < 300 else {}

    def step(self) -> None:
        chance, shared = self.chance, self.shared
        account, label = chance.choice(shared.accounts), chance.choice(shared.categories)
        amount = euros(chance.randint(-900, 900) or 1)
        row = {"accountId": account, "amount": amount, "categoryId": label}
        chosen = chance.choice(shared.rows) if shared.rows else None
        what = chance.random()
        if what < 0.35 or not chosen:
            made = self.ask("POST", "/v1/transactions", row)
            if made:
                shared.rows.append(made["id"])
        elif what < 0.45:
            body = chance.choice([
                {"amount": amount}, {"name": f"n{chance.random()}"}, {"categoryId": label},
                {"accountId": account}, {"tags": [f"t{chance.randint(0, 9)}"]},
            ])  # fmt: skip
            self.ask("PATCH", f"/v1/transactions/{chosen}", body)
        elif what < 0.55:
            gone = self.ask("DELETE", f"/v1/transactions/{chosen}")
            if gone and chance.random() < 0.5:
                self.ask("POST", f"/v1/transactions/deletions/{gone['id']}/undo")
        elif what < 0.65:
            pair = chance.sample(shared.accounts, 2)
            body = {"fromAccountId": pair[0], "toAccountId": pair[1], "amount": money("1.00")}
            self.ask("POST", "/v1/transfers", body)
        elif what < 0.72:
            self.ask("PATCH", f"/v1/categories/{label}", {"name": f"c{uuid.uuid4()}"})
        elif what < 0.79:
            self.ask("POST", f"/v1/budgets/{label}/allocations", {"amount": amount})
        elif what < 0.84:
            body = {"match": {"contains": "x"}, "categoryId": label}
            rule = self.ask("POST", "/v1/import-rules", body)
            if rule and chance.random() < 0.7:
                self.ask("DELETE", f"/v1/import-rules/{rule['id']}")
        elif what < 0.89:
            self.ask("PATCH", f"/v1/accounts/{account}", {"icon": f"i{chance.randint(0, 99)}"})
        elif what < 0.94:
            with contextlib.suppress(Exception):
                path = f"/v1/transactions/{chosen}/attachments"
                added = self.api.send("POST", path, content=document())
                shared.receipts.add(chosen)
                if added.status_code == 201 and chance.random() < 0.4:
                    self.api.send("DELETE", f"{path}/{added.json()['id']}")
        elif what < 0.97:
            made = self.ask("POST", "/v1/categories", {"name": f"c{uuid.uuid4()}"})
            if made:
                row = {"accountId": account, "amount": amount, "categoryId": made["id"]}
                self.ask("POST", "/v1/transactions", row)
                self.ask("DELETE", f"/v1/categories/{made['id']}")
        else:
            rule = {"every": 1, "unit": "month"}
            planned = self.ask("POST", "/v1/transactions", row | {"recurrence": rule})
            if planned and chance.random() < 0.5:
                self.ask("DELETE", f"/v1/recurrences/{planned['recurrenceId']}")


class Shared:
    """What the writers know of one person's things."""

    def __init__(self, person: Person):
        self.accounts = [wallet(person, "EUR") for _ in range(4)]
        self.categories = [category(person) for _ in range(4)]
        self.rows: list[str] = []
        self.receipts: set[str] = set()


def long_transaction(suite: Suite, person: Person, account: str, chance: random.Random) -> None:
    """One that has its id long before it writes, and ends long after."""
    posting = {
        "kind": "record", "scope": f"{person.id} late", "key": str(uuid.uuid4()), "hash": "00",
        "actor": person.id, "account": account, "amount": chance.randint(-99, 99) or 1,
        "currency": "EUR", "entry": str(uuid.uuid4()), "transaction": str(uuid.uuid4()),
        "day": "2024-03-04", "name": "late",
    }  # fmt: skip
    end = "commit" if chance.random() < 0.8 else "rollback"
    with contextlib.suppress(RuntimeError):
        suite.postgres.psql(
            database="ezwallet_ledger",
            sql=f"""
            begin;
            select pg_current_xact_id();
            select pg_sleep({chance.uniform(0, 1.5)});
            select status from ledger.post_batch_v1('[{json.dumps(posting)}]', now(), true);
            update ledger.category set xid = pg_current_xact_id(), color = {chance.randint(0, 99)}
            where user_id = '{person.id}' and is_default;
            select pg_sleep({chance.uniform(0, 1.5)});
            {end};
            """,
        )


@pytest.mark.timeout(400)
def test_nothing_is_missed_while_many_write_and_things_die(own: Suite) -> None:
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    chance = random.Random(seed)
    person = Person(own)
    shared, slow = Shared(person), wallet(person, "EUR")
    stop, until = threading.Event(), time.monotonic() + SECONDS

    def write(number: int) -> int:
        writer, steps = Writer(person, shared, seed + number), 0
        while time.monotonic() < until:
            writer.step()
            steps += 1
        return steps

    def linger(number: int) -> None:
        mine = random.Random(seed - number)
        while time.monotonic() < until:
            long_transaction(own, person, slow, mine)

    def follow(follower: Follower, number: int) -> int:
        mine = random.Random(seed + 100 + number)
        while not stop.is_set():
            status, page = answer_of(follower, mine.choice([1, 7, 50, 200]))
            assert status == 200, (status, page)
        return follower.pages

    def answer_of(follower: Follower, limit: int) -> tuple[int, Any]:
        with contextlib.suppress(OSError, AssertionError):
            path = f"/v1/changes?limit={limit}"
            if follower.since:
                path += f"&since={follower.since}"
            answer = follower.api.send("GET", path, retry=False)
            if answer.status_code == 200:
                page = answer.json()
                for item in page["items"]:
                    follower.take(item)
                follower.since, follower.more = page["next"], page["more"]
                follower.pages += 1
            elif answer.status_code < 500 and answer.status_code != 429:
                return answer.status_code, answer.text
        return 200, None

    followers = [Follower(Api(own, person.token)) for _ in range(2)]
    done: Counter = Counter()
    with ThreadPoolExecutor(WRITERS + 6) as pool:
        try:
            following = [pool.submit(follow, each, n) for n, each in enumerate(followers)]
            lingering = [pool.submit(linger, number) for number in range(3)]
            hurting = pool.submit(hurt, own, chance, stop, done, 1.5)
            steps = sum(each.result() for each in [
                pool.submit(write, number) for number in range(WRITERS)
            ])  # fmt: skip
            for each in lingering:
                each.result()
        finally:
            stop.set()
        hurting.result()
        pages = [each.result() for each in following]
    print(f"{steps} steps, {pages} pages, killed {done}")
    assert steps > 100 and done["ledger"] and done["postgres"], (steps, done)
    for follower in followers:
        eventually(lambda each=follower: is_whole(each, shared.receipts), seconds=60)
    fresh = Follower(Api(own, person.token))
    fresh.catch_up()
    for follower in followers:
        assert follower.copy == fresh.copy and follower.attachments == fresh.attachments
    assert own.command("ledger", "verify"), f"seed {seed}"


def is_whole(follower: Follower, receipts: set[str]) -> bool:
    """Whether the copy is what the lists answer: workers may still go on with what is gone."""
    follower.catch_up()
    try:
        follower.check(f"after {follower.pages} pages", receipts)
    except AssertionError as error:
        print(error)
        return False
    return True


# Books that are restored.


@pytest.mark.timeout(300)
def test_restored_books_are_other_books(own: Suite) -> None:
    person = Person(own)
    account = wallet(person, "EUR")
    follower = Follower(person)
    follower.catch_up()
    data = Path(own.postgres.home) / "data"
    backup = data.with_name("backup")
    subprocess.run(
        [
            str(own.postgres.programs / "pg_basebackup"), "-h", str(own.postgres.socket),
            "-p", str(own.postgres.port), "-U", "ezwallet_admin", "-D", str(backup), "-c", "fast",
        ],
        check=True, env={"PATH": os.environ["PATH"],
            "PGPASSWORD": own.postgres.password_file.read_text()},
    )  # fmt: skip
    lost = person.post("/v1/transactions", {"accountId": account, "amount": money("3.00")})["id"]
    follower.catch_up()
    assert lost in follower.copy["transaction"]
    # Stopped and started, they are the same.
    told_nothing_more(follower)
    own.down()
    own.up()
    assert person.get("/v1/changes", since=follower.since)["items"] == []
    own.down()
    shutil.rmtree(data)
    backup.rename(data)
    (data / "recovery.signal").touch()
    with (data / "postgresql.auto.conf").open("a") as settings:
        # It answers nobody before it may be written to.
        settings.write("restore_command = 'false'\nhot_standby = off\n")
    if server_user():
        for path in [data, *data.rglob("*")]:
            shutil.chown(path, "postgres", "postgres")
    own.up()
    person.problem("GET", f"/v1/changes?since={follower.since}", 409, "resync-required")
    fresh = Follower(person)
    fresh.catch_up()
    assert lost not in fresh.copy["transaction"]
    fresh.check()
    assert value(fresh.copy["account"][account]["balance"]) == 0
