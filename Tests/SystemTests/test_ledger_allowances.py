"""Children's accounts, as groups will have them: by the internal calls of a service."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from actions import Inside, current
from client import Person, money, value
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups"]


class Groups(Inside):
    """What groups asks of the ledger."""

    def open(
        self, family: str, child: Person, currency: str = "EUR", number: int = 1
    ) -> dict[str, Any]:
        path = f"/internal/allowances/{family}/{child.id}"
        return self.call("PUT", path, 200, json={"currency": currency, "number": number})

    def release(self, family: str, child: Person, number: int = 2) -> dict[str, Any]:
        path = f"/internal/allowances/{family}/{child.id}?number={number}"
        return self.call("DELETE", path, 200)

    def pay(self, body: dict[str, Any], payment: str, status: int = 200) -> dict[str, Any]:
        return self.call("PUT", f"/internal/allowance-payments/{payment}", status, json=body)


@pytest.fixture(scope="module")
def groups(suite: Suite) -> Groups:
    return Groups(suite)


def test_a_childs_account_is_made_once_and_never_below_zero(suite: Suite, groups: Groups) -> None:
    child, family = Person(suite), str(uuid.uuid4())
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: groups.open(family, child), range(8)))
    assert len({one["id"] for one in made}) == 1
    account = made[0]
    assert account["kind"] == "allowance" and account["name"] == "Allowance"
    assert [one["id"] for one in child.get("/v1/accounts")["items"]].count(account["id"]) == 1
    path = f"/v1/accounts/{account['id']}"
    child.problem("DELETE", path, 409, "allowance-account")
    spent = {"accountId": account["id"], "amount": money("-0.01")}
    child.problem("POST", "/v1/transactions", 409, "insufficient-funds", json=spent)
    assert groups.open(str(uuid.uuid4()), child)["name"] == "Allowance 2"


def test_what_was_overtaken_neither_opens_nor_releases(suite: Suite, groups: Groups) -> None:
    child, family = Person(suite), str(uuid.uuid4())
    first = groups.open(family, child, number=1)["id"]
    assert groups.release(family, child, number=2)["kind"] == "wallet"
    # A replica that had the first to do, and slept.
    late = groups.open(family, child, number=1)
    assert (late["id"], late["kind"]) == (first, "wallet")
    second = groups.open(family, child, number=3)
    assert second["id"] != first and second["kind"] == "allowance"
    assert groups.release(family, child, number=2)["kind"] == "allowance"
    assert groups.open(family, child, number=1)["id"] == second["id"]
    kinds = [one["kind"] for one in child.get("/v1/accounts")["items"]]
    assert kinds.count("allowance") == 1


def test_an_allowance_is_paid_once(suite: Suite, groups: Groups) -> None:
    parent, child, family = Person(suite), Person(suite), str(uuid.uuid4())
    account = groups.open(family, child)
    purse = current(parent, "EUR", "100.00")
    body = {
        "familyId": family, "childId": child.id, "parentId": parent.id,
        "amount": money("10.00"), "fromAccountId": purse["id"],
    }  # fmt: skip
    payment = str(uuid.uuid4())
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda _: groups.pay(body, payment), range(8)))
    assert all(one == told[0] for one in told), told
    assert value(parent.get(f"/v1/accounts/{purse['id']}")["balance"]) == 90
    assert value(child.get(f"/v1/accounts/{account['id']}")["balance"]) == 10
    seen = child.get(f"/v1/transactions/{told[0]['transactionId']}")
    assert seen["name"] == "Allowance" and seen["transferId"] == told[0]["transferId"]
    # Without an account of the parent's it is income.
    del body["fromAccountId"]
    income = groups.pay(body, str(uuid.uuid4()))
    assert "transferId" not in income
    assert value(child.get(f"/v1/accounts/{account['id']}")["balance"]) == 20
    too_much = body | {"fromAccountId": purse["id"], "amount": money("90.01")}
    assert groups.pay(too_much, str(uuid.uuid4()), 409)["code"] == "insufficient-funds"
    other = body | {"amount": money("1.00", "USD")}
    assert groups.pay(other, str(uuid.uuid4()), 422)["code"] == "currency-mismatch"
    foreign = body | {"fromAccountId": current(child, "EUR", "5.00")["id"]}
    groups.pay(foreign, str(uuid.uuid4()), 422)
    stranger = body | {"familyId": str(uuid.uuid4())}
    groups.pay(stranger, str(uuid.uuid4()), 404)


def test_it_becomes_a_wallet_when_the_child_leaves(suite: Suite, groups: Groups) -> None:
    child, family = Person(suite), str(uuid.uuid4())
    account = groups.open(family, child)
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: groups.release(family, child), range(4)))
    assert {one["id"] for one in told} == {account["id"]}
    assert {one["kind"] for one in told} == {"wallet"}
    assert {one["name"] for one in told} == {"Default 2"}
    spent = {"accountId": account["id"], "amount": money("-3.00")}
    child.post("/v1/transactions", spent)
    again = groups.open(family, child, number=3)
    assert again["id"] != account["id"] and again["name"] == "Allowance"
    child.call("DELETE", f"/v1/accounts/{account['id']}", 204)
    groups.call("DELETE", f"/internal/allowances/{uuid.uuid4()}/{child.id}?number=4", 404)
