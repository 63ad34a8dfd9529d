"""A client that works offline and catches up: its copy is what the lists answer, whatever was
written, killed or restored meanwhile."""

import base64
import contextlib
import json
import os
import random
import shutil
import subprocess
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from actions import category, current, document, wallet
from client import Api, Person, eventually, money, value
from conftest import make_suite
from erasures import completed, delete
from faults import euros, hurt, surely
from follower import Follower
from mutations import BESIDE, Mutations, mutating_calls
from suite.executables import EXECUTABLES
from suite.postgres import server_user
from suite.suite import Suite

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
