"""What children buy with a parent's approval: through both replicas of everything."""

import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from decimal import Decimal
from typing import Any

import httpx
import pytest

from actions import psql, wallet
from client import TRANSIENT, Person, eventually, money, value
from conftest import hurt_suite
from families import ME, Family, join, proved, purse
from faults import connect, restart, surely, without
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]
PATH = f"{ME}/approvals"
hurt = pytest.fixture(scope="module")(hurt_suite)


class Buying(Family):
    """A family whose child has 100.00, and is to ask for whatever costs more than 10.00."""

    def __init__(self, suite: Suite):
        super().__init__(suite)
        self.suite = suite
        self.purse = purse(self.child)["id"]
        pay = f"{ME}/children/{self.child.id}/allowances"
        self.mother.post(pay, {"amount": money("100.00")}, key=str(uuid.uuid4()))
        self.limits = f"{ME}/children/{self.child.id}/limits"
        self.rule("10.00")
        self.sport = self.child.post(
            "/v1/categories", {"name": uuid.uuid4().hex[:8], "color": "#123456"}
        )["id"]

    def rule(self, above: str | None, *limits: str) -> Any:
        body: dict[str, Any] = {"limits": [{"amount": money(one)} for one in limits]}
        body["approvalAbove"] = None if above is None else money(above)
        return self.mother.call("PUT", self.limits, 200, json=body)

    def ask(self, amount: str = "40.00", **more: Any) -> Any:
        said = {"amount": money(amount), "name": "Skates"} | more
        return self.child.post(PATH, said, key=str(uuid.uuid4()))

    def left(self) -> Decimal:
        return value(self.child.get(f"/v1/accounts/{self.purse}")["balance"])

    def bought(self) -> list[str]:
        rows = self.child.get("/v1/transactions", accountId=self.purse)["items"]
        return [one["name"] for one in rows if one["amount"]["amount"].startswith("-")]

    def refused(self, method: str, path: str, said: Any = None) -> None:
        self.child.problem(method, path, 409, "approval-required", json=said, key=str(uuid.uuid4()))

    def expense(self, amount: str, **more: Any) -> dict[str, Any]:
        return {"accountId": self.purse, "amount": money(f"-{amount}")} | more


@pytest.fixture
def family(suite: Suite) -> Buying:
    return Buying(suite)


def lines(person: Person, kind: str) -> list[dict[str, Any]]:
    return [one for one in person.get("/v1/notifications")["items"] if one["kind"] == kind]


def test_a_purchase_is_asked_for_approved_and_booked(family: Buying) -> None:
    assert family.child.get(f"{ME}/children/me/limits")["approvalAbove"] == money("10.00")
    family.refused("POST", "/v1/transactions", family.expense("40.00"))
    asked = family.ask(categoryId=family.sport, description="Blue", accountId=family.purse)
    assert asked["state"] == "pending" and asked["childId"] == family.child.id
    assert asked["categoryName"]
    path = f"{PATH}/{asked['id']}"
    for parent in (family.mother, family.father):
        (line,) = eventually(lambda parent=parent: lines(parent, "approval-asked"))
        assert line["approvalId"] == asked["id"] and "€40.00" in line["text"]
        assert line["userId"] == family.child.id
        assert parent.get(PATH)["items"] == [asked] and parent.get(path) == asked
    assert family.child.get(PATH)["items"] == [asked] and family.left() == 100
    done = family.father.post(f"{path}/decision", {"approved": True, "reason": "Fine"}, status=200)
    assert done["state"] == "posted" and done["decidedBy"] == family.father.id
    assert family.child.get(path) == done and done["reason"] == "Fine"
    row = family.child.get(f"/v1/transactions/{done['transactionId']}")
    assert row["amount"] == money("-40.00") and row["categoryId"] == family.sport
    assert (row["name"], row["description"]) == ("Skates", "Blue")
    assert row["accountId"] == family.purse and family.left() == 60
    (line,) = eventually(lambda: lines(family.child, "approval-ended"))
    assert line["accepted"] is True and "€40.00" in line["text"]
    # What is bought may be said otherwise and cost less, and no more.
    one = f"/v1/transactions/{row['id']}"
    family.child.call("PATCH", one, 200, json={"name": "Ice skates"})
    family.refused("PATCH", one, {"amount": money("-40.01")})
    family.child.call("PATCH", one, 200, json={"amount": money("-39.00")})
    family.refused("PATCH", one, {"amount": money("-40.00")})
    family.mother.problem("POST", f"{path}/decision", 409, "already-decided",
                          json={"approved": False})  # fmt: skip


def test_no_path_goes_around_it(family: Buying) -> None:
    child = family.child
    spend, mine = family.expense("10.01"), wallet(child)
    child.post("/v1/transactions", family.expense("10.00"))
    family.refused("POST", "/v1/transactions", spend)
    batch = {"transactions": [family.expense("1.00"), spend]}
    family.refused("POST", "/v1/transactions/batches", batch)
    sent = {"fromAccountId": family.purse, "toAccountId": mine, "amount": money("10.01")}
    family.refused("POST", "/v1/transfers", sent)
    family.refused("POST", "/v1/deposits", {
        "fromAccountId": family.purse, "currency": "EUR", "amount": money("10.01"),
    })  # fmt: skip
    # Recorded elsewhere, and moved.
    other = child.post("/v1/transactions", {"accountId": mine, "amount": money("-50.00")})
    family.refused("PATCH", f"/v1/transactions/{other['id']}", {"accountId": family.purse})
    file = "Date,Amount,Description\n2026-01-05,-50.00,Skates\n"
    preview = child.send(
        "POST", "/v1/imports", content=file.encode(), key=str(uuid.uuid4()),
        params={"accountId": family.purse, "format": "csv"},
    ).json()  # fmt: skip
    assert len(preview["rows"]) == 1, preview
    family.refused("POST", f"/v1/imports/{preview['id']}/commit")
    # What was bought before is had back as it was, and nothing more.
    family.rule(None)
    old = child.post("/v1/transactions", family.expense("30.00"))
    gone = child.call("DELETE", f"/v1/transactions/{old['id']}", 200)
    family.rule("10.00")
    child.post(f"/v1/transactions/deletions/{gone['id']}/undo", status=200)
    assert family.left() == 60


def test_an_undo_brings_back_what_was_approved_and_nothing_else(family: Buying) -> None:
    path = f"{PATH}/{family.ask(categoryId=family.sport, description='Blue')['id']}"
    done = family.mother.post(f"{path}/decision", {"approved": True}, status=200)
    one = f"/v1/transactions/{done['transactionId']}"
    kept = ("name", "description", "amount", "categoryId", "date", "accountId")
    before = family.child.get(one)
    for _ in range(2):
        gone = family.child.call("DELETE", one, 200)
        assert family.left() == 100
        # What was had back is nobody's leave for another purchase.
        family.refused("POST", "/v1/transactions", family.expense("40.00", name="Skates"))
        family.child.problem("PATCH", one, 404, "not-found", json={"name": "Beer"})
        undo = f"/v1/transactions/deletions/{gone['id']}/undo"
        for _ in range(2):
            family.child.post(undo, status=200)
        after = family.child.get(one)
        assert {key: after[key] for key in kept} == {key: before[key] for key in kept}
        assert family.left() == 60 and family.bought() == ["Skates"]


def test_a_category_behind_the_first_five_hundred_is_one_too(family: Buying) -> None:
    psql(
        family.suite, "insert into ledger.category (id, user_id, name, name_folded, color) "
        f"select gen_random_uuid(), '{family.child.id}', '!' || n, '!' || n, 1 "
        "from generate_series(1, 500) n",
    )  # fmt: skip
    listed = family.child.get(f"{ME}/children/me/limits")["categories"]
    assert len(listed) == 500 and family.sport not in [one["id"] for one in listed]
    asked = family.ask(categoryId=family.sport)
    assert asked["categoryId"] == family.sport and asked["categoryName"]
    # One that is gone is none, nor is another's.
    family.child.call("DELETE", f"/v1/categories/{family.sport}", 204)
    others = family.mother.get("/v1/categories")["items"][0]["id"]
    for wrong in (family.sport, others):
        said = {"amount": money("40.00"), "name": "Skates", "categoryId": wrong}
        key = str(uuid.uuid4())
        problem = family.child.problem("POST", PATH, 422, "invalid-body", json=said, key=key)
        assert [one["pointer"] for one in problem["errors"]] == ["/categoryId"]


def test_a_stale_etag_changes_nothing(family: Buying) -> None:
    stale, fresh = {"If-Match": '"2"'}, {"If-Match": '"1"'}
    path = f"{PATH}/{family.ask()['id']}"
    answer = family.mother.send("GET", path)
    assert answer.headers["etag"] == '"1"' and answer.json()["version"] == 1
    yes = {"approved": True}
    problem = family.mother.problem
    problem("POST", f"{path}/decision", 412, "precondition-failed", json=yes, headers=stale)
    family.child.problem("DELETE", path, 412, "precondition-failed", headers=stale)
    key = str(uuid.uuid4())
    for _ in range(2):
        said = family.mother.send("POST", f"{path}/decision", json=yes, key=key, headers=fresh)
        assert said.status_code == 200 and said.headers["etag"] == '"3"', said.text
    other = f"{PATH}/{family.ask()['id']}"
    family.child.call("DELETE", other, 204, headers=fresh)
    assert family.mother.send("GET", other).headers["etag"] == '"2"'


def test_limits_and_funds_refuse_what_is_approved(family: Buying) -> None:
    family.rule("10.00", "50.00")
    for amount, code in (("60.00", "limit-exceeded"), ("200.00", "limit-exceeded")):
        path = f"{PATH}/{family.ask(amount)['id']}"
        done = family.mother.post(f"{path}/decision", {"approved": True}, status=200)
        assert (done["state"], done["refusal"]) == ("refused", code)
        assert family.child.get(path) == done
    family.rule("10.00")
    path = f"{PATH}/{family.ask('100.01')['id']}"
    done = family.mother.post(f"{path}/decision", {"approved": True}, status=200)
    assert (done["state"], done["refusal"]) == ("refused", "insufficient-funds")
    for one in (family.child, family.mother):
        told = eventually(
            lambda one=one: lines(one, "approval-ended"), until=lambda all: len(all) == 3
        )
        assert "does not hold enough" in told[0]["text"]
    assert family.left() == 100 and not family.bought()


def test_two_parents_at_once_decide_once(family: Buying) -> None:
    for _ in range(5):
        path = f"{PATH}/{family.ask('11.00')['id']}"

        def decide(number: int, path: str = path) -> int:
            parent = (family.mother, family.father)[number % 2]
            said = {"approved": number % 3 > 0}
            key = str(uuid.uuid4())
            return parent.send("POST", f"{path}/decision", json=said, key=key).status_code

        with ThreadPoolExecutor(8) as pool:
            statuses = list(pool.map(decide, range(8)))
        assert sorted(statuses) == [200] + [409] * 7, statuses
    posted = [one for one in family.mother.get(PATH)["items"] if one["state"] == "posted"]
    assert family.left() == 100 - 11 * len(posted) and len(family.bought()) == len(posted)


def test_nobody_else_learns_of_it(family: Buying) -> None:
    brother = proved(family.suite)
    join(family.mother, brother, "child")
    stranger = Buying(family.suite)
    asked = family.ask()
    path = f"{PATH}/{asked['id']}"
    yes = {"approved": True}
    for one in (brother, stranger.mother, stranger.child, proved(family.suite)):
        one.problem("GET", path, 404, "not-found")
        one.problem("DELETE", path, 404, "not-found")
        one.problem("POST", f"{path}/decision", 404, "not-found", json=yes)
    assert brother.get(PATH)["items"] == stranger.mother.get(PATH)["items"] == []
    assert not lines(brother, "approval-asked")
    family.child.problem("POST", f"{path}/decision", 403, "parents-only", json=yes)
    family.mother.problem("DELETE", path, 403, "member-is-parent")
    said = {"amount": money("1.00"), "name": "Skates"}
    family.mother.problem("POST", PATH, 403, "member-is-parent", json=said, key="k")
    bad = {"amount": money("1.00", "USD"), "name": "x", "categoryId": str(uuid.uuid4()),
           "accountId": stranger.purse}  # fmt: skip
    problem = family.child.problem("POST", PATH, 422, "invalid-body", json=bad, key="k")
    assert [one["pointer"] for one in problem["errors"]] == [
        "/accountId", "/amount/currency", "/categoryId",
    ]  # fmt: skip
    family.child.call("DELETE", path, 204)
    family.child.problem("DELETE", path, 409, "already-decided")
    family.mother.problem("POST", f"{path}/decision", 409, "already-decided", json=yes)
    assert family.mother.get(path)["state"] == "withdrawn"
    # Who leaves finds nothing any more, and their requests go with them.
    late = f"{PATH}/{family.ask()['id']}"
    family.father.call("DELETE", f"{ME}/members/me", 204)
    family.father.problem("GET", late, 404, "not-found")
    family.mother.call("DELETE", f"{ME}/members/{family.child.id}", 204)
    family.child.problem("GET", late, 404, "not-found")
    family.mother.problem("GET", late, 404, "not-found")
    assert family.mother.get(PATH)["items"] == []


# What dies in the middle.


def hasten(suite: Suite) -> None:
    """Nobody waits for what is approved any more."""
    suite.postgres.psql(
        "-c", "update groups.approval set look_at = now() - interval '1 minute' "
        "where state = 'approved'", database="ezwallet_groups",
    )  # fmt: skip


def kill(suite: Suite, service: str) -> None:
    for replica in (1, 2):
        restart(suite, f"ezwallet-{service}-{replica}")


@contextmanager
def while_the_ledger_posts(family: Buying, path: str, key: str) -> Iterator[Any]:
    """A decision whose posting waits for the account, until what is yielded is let go."""

    def call() -> None:
        for _ in range(100):
            with suppress(httpx.TransportError):
                said = family.mother.send(
                    "POST", f"{path}/decision", json={"approved": True}, key=key, retry=False
                )
                if said.status_code not in TRANSIENT:
                    return
            if family.father.get(path)["state"] != "pending":
                return
            time.sleep(0.05)

    with ThreadPoolExecutor(1) as pool, connect(family.suite, "ezwallet_ledger") as held:
        held.execute(
            "select 1 from ledger.balance where account_id = %s for update", [family.purse]
        )
        called = pool.submit(call)
        eventually(lambda: family.father.get(path)["state"] == "approved")
        yield held
        held.rollback()
        called.result()


@pytest.mark.parametrize("service", ["groups", "ledger"])
@pytest.mark.parametrize("repeated", [True, False])
def test_what_was_approved_is_booked_once_though_all_die(
    hurt: Suite, service: str, repeated: bool
) -> None:
    family, key = Buying(hurt), str(uuid.uuid4())
    path = f"{PATH}/{family.ask()['id']}"
    with while_the_ledger_posts(family, path, key):
        time.sleep(0.3)
        kill(hurt, service)
    if repeated:
        status, done = surely(family.mother, "POST", f"{path}/decision", {"approved": True}, key)
        assert status == 200 and done["state"] == "posted"
    hasten(hurt)
    eventually(lambda: family.father.get(path)["state"], 30, until=lambda state: state == "posted")
    assert family.left() == 60 and family.bought() == ["Skates"]
    told = eventually(lambda: lines(family.child, "approval-ended"))
    assert len(told) == 1
    answer = surely(family.father, "POST", f"{path}/decision", {"approved": False})
    assert answer[0] == 409, answer


def test_groups_killed_before_it_writes_what_the_ledger_did(hurt: Suite) -> None:
    family, key = Buying(hurt), str(uuid.uuid4())
    path = f"{PATH}/{family.ask()['id']}"
    with (
        while_the_ledger_posts(family, path, key) as held,
        connect(hurt, "ezwallet_groups") as group,
    ):
        group.execute("select 1 from groups.family f join groups.family_member m "
                      "on m.family_id = f.id where m.user_id = %s for update of f",
                      [family.child.id])  # fmt: skip
        held.rollback()
        eventually(lambda: family.left() == 60)
        kill(hurt, "groups")
        group.rollback()
    status, done = surely(family.mother, "POST", f"{path}/decision", {"approved": True}, key)
    assert status == 200 and done["state"] == "posted"
    assert family.left() == 60 and family.bought() == ["Skates"]


def test_a_ledger_that_is_away_books_it_when_it_is_back(hurt: Suite) -> None:
    family, key = Buying(hurt), str(uuid.uuid4())
    path = f"{PATH}/{family.ask()['id']}"
    without(hurt, "ezwallet-ledger-1", "ezwallet-ledger-2")
    try:
        yes = {"approved": True}
        answer = family.mother.send("POST", f"{path}/decision", json=yes, key=key, retry=False)
        assert answer.status_code in (502, 503, 504), answer.text
        said = {"amount": money("11.00"), "name": "Ball"}
        answer = family.child.send("POST", PATH, json=said, key=key, retry=False)
        assert answer.status_code in (502, 503, 504), answer.text
    finally:
        hurt.up()
    hasten(hurt)
    eventually(lambda: family.father.get(path)["state"], 30, until=lambda state: state == "posted")
    status, done = surely(family.mother, "POST", f"{path}/decision", {"approved": True}, key)
    assert status == 200 and done["state"] == "posted" and family.left() == 60
