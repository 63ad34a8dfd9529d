"""Families: who is in them, who may what, and children's accounts."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest

from actions import Shared, category, current, record
from client import Person, eventually, mails, money, value
from conftest import hurt_suite
from erasures import completed, delete
from families import ME, Family, join, proved, purse
from faults import restart
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]


@pytest.fixture
def family(suite: Suite) -> Family:
    return Family(suite)


def test_parents_and_children_join_by_mail(suite: Suite) -> None:
    mother, child = proved(suite), proved(suite)
    mother.problem("GET", ME, 404, "not-found")
    made = mother.post("/v1/families", {})
    assert (made["name"], made["currency"], made["role"]) == ("Family", "EUR", "parent")
    mother.problem("POST", "/v1/families", 409, "already-in-family", json={})
    body = {"email": child.email, "role": "child"}
    sent = mother.post(f"{ME}/invitations", body)
    mother.problem("POST", f"{ME}/invitations", 409, "already-invited", json=body)
    assert mother.get(f"{ME}/invitations")["items"] == [sent]
    (mail,) = eventually(lambda: [m for m in mails(suite, child.email) if "family" in m["subject"]])
    (mine,) = child.get("/v1/invitations")["items"]
    assert (mine["kind"], mine["name"], mine["familyRole"]) == ("family", "Family", "child")
    child.call("POST", f"/v1/invitations/{mine['id']}/rejection", 204)
    assert mother.get(f"{ME}/invitations")["items"] == []
    sent = mother.post(f"{ME}/invitations", body)
    mother.call("DELETE", f"{ME}/invitations/{sent['id']}", 204)
    child.problem("POST", f"/v1/invitations/{sent['id']}/acceptance", 404, "not-found")
    joined = join(mother, child, "child")
    assert joined["role"] == "child"
    assert [one["role"] for one in joined["members"]] == ["parent", "child"]
    assert child.get(ME) == joined and mother.get(ME)["role"] == "parent"
    # Whose an address is is not told, so it is invited again, and the child does not read it.
    again = mother.post(f"{ME}/invitations", body)["id"]
    assert again not in [one["id"] for one in child.get("/v1/invitations")["items"]]
    child.problem("POST", f"/v1/invitations/{again}/acceptance", 404, "not-found")
    own = {"email": mother.email, "role": "parent"}
    mother.problem("POST", f"{ME}/invitations", 409, "already-member", json=own)
    account = purse(child)
    assert account["currency"] == "EUR" and account["name"] == "Allowance"
    eventually(
        lambda: [one["kind"] for one in child.get("/v1/notifications")["items"]],
        until=lambda told: "invitation-received" in told,
    )


def test_everybody_is_in_one_family_at_most(family: Family) -> None:
    other = proved(family.mother.suite)
    other.post("/v1/families", {})
    sent = other.post(f"{ME}/invitations", {"email": family.child.email, "role": "child"})
    path = f"/v1/invitations/{sent['id']}/acceptance"
    family.child.problem("POST", path, 409, "already-in-family")
    # Of two who are asked at once by two families, one gets them.
    third, guest = proved(family.mother.suite), proved(family.mother.suite)
    third.post("/v1/families", {})
    asked = [
        one.post(f"{ME}/invitations", {"email": guest.email, "role": "parent"})["id"]
        for one in (other, third)
    ]
    with ThreadPoolExecutor(2) as pool:
        answers = list(
            pool.map(lambda one: guest.send("POST", f"/v1/invitations/{one}/acceptance"), asked)
        )
    assert sorted(one.status_code for one in answers) == [200, 409]


def test_a_family_is_renamed_by_a_parent(family: Family) -> None:
    said = {"name": "Them"}
    family.child.problem("PATCH", ME, 403, "parents-only", json=said)
    proved(family.mother.suite).problem("PATCH", ME, 404, "not-found", json=said)
    tag = family.father.send("GET", ME).headers["etag"]
    answer = family.father.send("PATCH", ME, json=said, headers={"If-Match": tag})
    assert answer.status_code == 200 and answer.json()["name"] == "Them"
    assert family.child.get(ME)["name"] == "Them"
    stale = {"If-Match": tag}
    family.father.problem("PATCH", ME, 412, "precondition-failed", json=said, headers=stale)
    problem = family.mother.problem("PATCH", ME, 422, "invalid-body", json={"name": ""})
    assert [one["pointer"] for one in problem["errors"]] == ["/name"]


def test_a_role_changes_once_all_parents_agree(family: Family) -> None:
    mother, father, child = family.mother, family.father, family.child
    account, path = purse(child)["id"], f"{ME}/members/{child.id}/role"

    def role(who: Person, wanted: str, of: str = path) -> Any:
        return who.call("PUT", of, 200, json={"role": wanted})

    def member(who: Person = child) -> Any:
        return next(one for one in mother.get(ME)["members"] if one["userId"] == who.id)

    child.problem("PUT", path, 403, "parents-only", json={"role": "parent"})
    absent = f"{ME}/members/{proved(mother.suite).id}/role"
    mother.problem("PUT", absent, 404, "not-found", json={"role": "parent"})
    role(mother, "parent")
    assert role(mother, "parent") == mother.get(ME)
    assert (member()["role"], member()["agreedBy"]) == ("child", [mother.id])
    (told,) = eventually(
        lambda: [one for one in father.get("/v1/notifications")["items"]
                 if one["kind"] == "family-role"],
    )  # fmt: skip
    assert told["userId"] == child.id
    role(father, "child")
    assert member()["agreedBy"] == []
    role(father, "parent")
    assert child.get(ME)["role"] == "child"
    role(mother, "parent")
    assert child.get(ME)["role"] == "parent" and member()["agreedBy"] == []
    eventually(
        lambda: child.get(f"/v1/accounts/{account}")["kind"], until=lambda kind: kind == "wallet"
    )
    # Back again all three have a say.
    for one in (mother, father):
        role(one, "child")
        assert child.get(ME)["role"] == "parent"
    role(child, "child", f"{ME}/members/me/role")
    assert child.get(ME)["role"] == "child" and purse(child)["id"] != account
    # The last parent stays one.
    other = f"{ME}/members/{father.id}/role"
    role(father, "child", other)
    assert role(mother, "child", other)["role"] == "parent"
    assert member(father)["role"] == "child"
    mother.problem("PUT", f"{ME}/members/me/role", 409, "last-parent", json={"role": "child"})


@pytest.mark.parametrize("end", ["leaves", "becomes a child", "is erased"])
def test_a_parent_who_goes_lets_nobody_in(family: Family, end: str) -> None:
    mother, father, guest = family.mother, family.father, proved(family.mother.suite)
    sent = father.post(f"{ME}/invitations", {"email": guest.email, "role": "parent"})
    path = f"/v1/invitations/{sent['id']}"
    assert [one["id"] for one in guest.get("/v1/invitations")["items"]] == [sent["id"]]
    if end == "leaves":
        father.call("DELETE", f"{ME}/members/me", 204)
        father.problem("GET", path, 404, "not-found")
    elif end == "becomes a child":
        for one in (father, mother):
            one.call("PUT", f"{ME}/members/{father.id}/role", 200, json={"role": "child"})
        father.problem("GET", path, 404, "not-found")
    else:
        completed(mother.suite, delete(father))
    guest.problem("POST", f"{path}/acceptance", 404, "not-found")
    assert guest.get("/v1/invitations")["items"] == []
    assert mother.get(f"{ME}/invitations")["items"] == []
    join(mother, guest, "parent")


def test_only_parents_look_after_a_family(family: Family) -> None:
    mother, child = family.mother, family.child
    for method, path, body in (
        ("DELETE", ME, None),
        ("POST", f"{ME}/invitations", {"email": "x@example.org", "role": "child"}),
        ("GET", f"{ME}/invitations", None),
        ("DELETE", f"{ME}/members/{mother.id}", None),
        ("POST", f"{ME}/children/{child.id}/allowances", {"amount": money("1.00")}),
    ):
        child.problem(method, path, 403, "parents-only", json=body, key=str(uuid.uuid4()))
    child.problem("DELETE", f"{ME}/members/me", 409, "child-cannot-leave")
    mother.problem("DELETE", f"{ME}/members/{family.father.id}", 403, "member-is-parent")
    pay = f"{ME}/children/{family.father.id}/allowances"
    body = {"amount": money("1.00")}
    mother.problem("POST", pay, 403, "member-is-parent", json=body, key=str(uuid.uuid4()))
    stranger = proved(mother.suite)
    mother.problem("DELETE", f"{ME}/members/{stranger.id}", 404, "not-found")
    for method, path in (("GET", ME), ("DELETE", ME), ("DELETE", f"{ME}/members/{child.id}")):
        stranger.problem(method, path, 404, "not-found")
    for bad, pointer in (
        ({"email": "nobody", "role": "child"}, "/email"), ({"email": "a@b.example"}, "/role"),
        ({"email": "a@b.example", "role": "king"}, "/role"),
    ):  # fmt: skip
        problem = mother.problem("POST", f"{ME}/invitations", 422, "invalid-body", json=bad)
        assert [one["pointer"] for one in problem["errors"]] == [pointer]


def test_a_removed_childs_account_is_a_wallet_of_theirs(family: Family) -> None:
    account = purse(family.child)["id"]
    family.mother.call("DELETE", f"{ME}/members/{family.child.id}", 204)
    family.child.problem("GET", ME, 404, "not-found")

    def kind() -> str:
        return family.child.get(f"/v1/accounts/{account}")["kind"]

    eventually(kind, until=lambda found: found == "wallet")
    assert family.child.get(f"/v1/accounts/{account}")["name"] == "Default 2"
    # And again: another account, as before.
    join(family.father, family.child, "child")
    assert purse(family.child)["id"] != account or kind() == "allowance"


def test_the_last_parent_who_leaves_takes_the_family_along(family: Family) -> None:
    account = purse(family.child)["id"]
    family.mother.call("DELETE", f"{ME}/members/me", 204)
    assert [one["role"] for one in family.father.get(ME)["members"]] == ["parent", "child"]
    family.father.call("DELETE", f"{ME}/members/{family.father.id}", 204)
    for one in (family.mother, family.father, family.child):
        one.problem("GET", ME, 404, "not-found")
    eventually(
        lambda: family.child.get(f"/v1/accounts/{account}")["kind"],
        until=lambda found: found == "wallet",
    )
    other = Family(family.mother.suite)
    other.father.call("DELETE", ME, 204)
    other.child.problem("GET", ME, 404, "not-found")


def test_an_allowance_is_paid_once_for_a_key(family: Family) -> None:
    mother, child = family.mother, family.child
    account = current(mother, "EUR", "50.00")["id"]
    path = f"{ME}/children/{child.id}/allowances"
    body = {"amount": money("7.00"), "fromAccountId": account}
    key = str(uuid.uuid4())
    with ThreadPoolExecutor(4) as pool:
        paid = list(
            pool.map(lambda _: mother.send("POST", path, json=body, key=key, retry=False), range(4))
        )
    assert {one.status_code for one in paid} <= {201, 409}, [one.text for one in paid]
    again = mother.send("POST", path, json=body, key=key)
    assert again.status_code == 201 and again.json()["transferId"]
    assert value(mother.get(f"/v1/accounts/{account}")["balance"]) == 43
    assert value(purse(child)["balance"]) == 7
    assert child.get(f"/v1/transactions/{again.json()['transactionId']}")["amount"] == money("7.00")
    # Killed before the answer was kept: the same key pays nothing else, and nothing again.
    family.mother.suite.postgres.psql(
        "-c", f"delete from groups.idempotency_key where key = '{key}'", database="ezwallet_groups"
    )
    other = body | {"amount": money("8.00")}
    mother.problem("POST", path, 422, "idempotency-key-reused", json=other, key=key)
    assert mother.send("POST", path, json=body, key=key).json() == again.json()
    assert value(mother.get(f"/v1/accounts/{account}")["balance"]) == 43
    # A key that is forgotten pays anew, as any other.
    for table in ("idempotency_key where key", "allowance_payment where"):
        condition = f"= '{key}'" if table.endswith("key") else "made_at <= now()"
        mother.suite.postgres.psql(
            "-c", f"delete from groups.{table} {condition}", database="ezwallet_groups"
        )
    assert mother.send("POST", path, json=body, key=key).json()["id"] != again.json()["id"]
    assert value(mother.get(f"/v1/accounts/{account}")["balance"]) == 36
    mother.post(path, {"amount": money("0.50")}, key=str(uuid.uuid4()))
    income = family.father.post(path, {"amount": money("3.00")}, key=str(uuid.uuid4()))
    assert "transferId" not in income and value(purse(child)["balance"]) == Decimal("17.50")

    def refused(status: int, code: str, wrong: dict[str, Any]) -> dict[str, Any]:
        return mother.problem("POST", path, status, code, json=wrong, key=str(uuid.uuid4()))

    refused(409, "insufficient-funds", body | {"amount": money("99.00")})
    for wrong, pointer in (
        ({"amount": money("1", "JPY")}, "/amount/currency"),
        ({"amount": money("-1.00")}, "/amount/amount"),
        ({"amount": money("1.00"), "fromAccountId": purse(child)["id"]}, "/fromAccountId"),
        ({"amount": money("1.00"), "fromAccountId": str(uuid.uuid4())}, "/fromAccountId"),
    ):
        problem = refused(422, "invalid-body", wrong)
        assert [one["pointer"] for one in problem["errors"]] == [pointer], wrong
    # All that is wrong is told at once.
    rule = {"every": 1, "unit": "day", "until": "2020-01-01"}
    wrong = {"amount": money("1", "JPY"), "fromAccountId": str(uuid.uuid4()), "recurrence": rule}
    problem = refused(422, "invalid-body", wrong)
    assert {one["pointer"] for one in problem["errors"]} == {
        "/amount/currency", "/fromAccountId", "/recurrence/until",
    }  # fmt: skip


def test_parents_see_how_a_child_stands_and_nobody_else(family: Family) -> None:
    mother, child = family.mother, family.child
    path = f"{ME}/children/{child.id}/dashboard"
    account = purse(child)["id"]
    mother.post(
        f"{ME}/children/{child.id}/allowances", {"amount": money("9.00")}, key=str(uuid.uuid4())
    )
    books = category(child)
    row = record(child, account, "-2.50", name="Comic", categoryId=books)
    seen = family.father.get(path)
    assert seen["child"]["userId"] == child.id and seen["child"]["role"] == "child"
    shown = seen["overview"]
    assert shown["income"] == [money("9.00")] and shown["expenses"] == [money("2.50")]
    assert [value(one["balance"]) for one in shown["accounts"] if one["id"] == account] == [6.5]
    assert shown["transactions"][0]["id"] == row["id"]
    assert books in [one["id"] for one in shown["categories"]]
    spent = next(one for one in shown["budgets"] if one["categoryId"] == books)["spent"]
    assert spent == money("2.50") and shown["from"] < shown["to"]
    # What somebody else shares with the child is not the parents' to see.
    shared = Shared(mother.suite)
    shared.join(child, "editor")
    shared.record(shared.ada, "-77.00")
    shown = family.father.get(path)["overview"]
    assert shared.id not in [one["id"] for one in shown["accounts"]]
    assert shown["expenses"] == [money("2.50")] and shown["transactions"][0]["id"] == row["id"]
    child.problem("GET", path, 403, "parents-only")
    mother.problem("GET", f"{ME}/children/{family.father.id}/dashboard", 403, "member-is-parent")
    for one in (Person(mother.suite), Family(mother.suite).mother):
        one.problem("GET", path, 404, "not-found")
    mother.call("DELETE", f"{ME}/members/{child.id}", 204)
    mother.problem("GET", path, 404, "not-found")


def test_parents_are_told_once_when_a_child_overspends(family: Family) -> None:
    child = family.child
    account = purse(child)["id"]
    family.mother.post(
        f"{ME}/children/{child.id}/allowances", {"amount": money("20.00")}, key=str(uuid.uuid4())
    )
    games = category(child)
    body = {"amount": money("5.00")}
    child.post(f"/v1/budgets/{games}/allocations", body, key=str(uuid.uuid4()))
    for amount in ("-4.00", "-3.00", "-2.00"):
        record(child, account, amount, categoryId=games)

    def told(one: Person) -> list[dict[str, Any]]:
        lines = one.get("/v1/notifications")["items"]
        return [line for line in lines if line["kind"] == "child-overspent"]

    for parent in (family.mother, family.father):
        (line,) = eventually(lambda parent=parent: told(parent))
        assert line["userId"] == child.id and value(line["amount"]) == 5
        assert "budget of €5.00" in line["text"]
    assert not told(child)


#: One whose replicas may be killed.
hurt = pytest.fixture(scope="module")(hurt_suite)


def test_a_childs_account_comes_though_the_ledger_was_away(hurt: Suite) -> None:
    mother, child = proved(hurt), proved(hurt)
    mother.post("/v1/families", {})
    for replica in (1, 2):
        restart(hurt, f"ezwallet-ledger-{replica}")
    joined = join(mother, child, "child")
    assert joined["role"] == "child"
    assert purse(child)["kind"] == "allowance"


def test_an_erased_parent_leaves_and_the_last_one_ends_the_family(family: Family) -> None:
    for person in (family.mother, family.father):
        delete(person)
    eventually(lambda: family.child.send("GET", ME).status_code, until=lambda found: found == 404)
