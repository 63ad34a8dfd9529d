"""What children may spend in a month, as their parents say: through both replicas of everything."""

import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest

from actions import wallet
from client import eventually, money
from families import ME, Limited, proved
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]


@pytest.fixture
def family(suite: Suite) -> Limited:
    return Limited(suite)


def test_a_child_who_moves_the_month_begins_no_new_one(family: Limited) -> None:
    family.limit((None, "10.00"))
    family.spend("10.00")
    today = int(family.refused("0.01") and time.strftime("%d", time.gmtime()))
    month = family.child.call(
        "PATCH", "/v1/users/me", 200, json={"monthStart": min(28, max(1, today))}
    )
    assert month["monthStart"]
    # The ledger hears of it, and holds the child to the month that the parents meant.
    eventually(
        lambda: family.child.get("/v1/budgets")["from"][-2:],
        until=lambda day: int(day) == month["monthStart"],
    )
    family.refused("0.01")
    assert family.left() == [(10, 0)]


def test_a_child_spends_up_to_the_limit_and_no_cent_more(family: Limited) -> None:
    told = family.limit((family.sweets, "10.00"))
    assert told["accountId"] == family.purse and told["from"].endswith("-01")
    assert told["limits"] == [
        {
            "categoryId": family.sweets, "amount": money("10.00"), "spent": money("0.00"),
            "left": money("10.00"),
        }
    ]  # fmt: skip
    assert family.sweets in [one["id"] for one in told["categories"]]
    family.spend("6.00", family.sweets)
    family.refused("4.01", family.sweets)
    family.spend("4.00", family.sweets)
    family.refused("0.01", family.sweets)
    # Other categories are free; so is what comes in, and adds nothing. Other dates are not.
    family.spend("20.00")
    for date in ("2016-05-05", "2020-05-05", "2046-05-05"):
        family.refused("0.01", family.sweets, date=date)
    income = {"accountId": family.purse, "amount": money("5.00"), "categoryId": family.sweets}
    family.child.post("/v1/transactions", income)
    family.refused("0.01", family.sweets)
    assert family.left() == [(10, 0)]
    # Read by both parents and the child alike.
    seen = family.father.get(family.path)
    assert seen == family.child.get(f"{ME}/children/me/limits") == family.child.get(family.path)
    # Another's word counts from then on; what was spent stays.
    family.limit((None, "25.00"), (family.sweets, "10.00"), by=family.father)
    assert family.left() == [(30, -5), (10, 0)]
    family.refused("0.01")
    family.limit()
    family.spend("1.00", family.sweets)
    assert family.left() == []


def test_expenses_at_once_stay_within_the_limit_together(family: Limited) -> None:
    family.limit((None, "10.00"))
    said = family.expense("0.70")

    def spend(_: int) -> int:
        key = str(uuid.uuid4())
        return family.child.send("POST", "/v1/transactions", json=said, key=key).status_code

    with ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(spend, range(32)))
    assert sorted(set(statuses)) == [201, 409], statuses
    assert statuses.count(201) == 14
    assert family.left() == [(Decimal("9.80"), Decimal("0.20"))]


def test_edits_splits_and_what_is_had_back_are_held_to_it(family: Limited) -> None:
    child = family.child
    family.limit((family.sweets, "10.00"))
    one = f"/v1/transactions/{family.spend('6.00', family.sweets)['id']}"
    two = f"/v1/transactions/{family.spend('5.00')['id']}"

    def bad(path: str, said: dict[str, Any]) -> None:
        child.problem("PATCH", path, 409, "limit-exceeded", json=said)

    bad(one, {"amount": money("-10.01")})
    bad(two, {"categoryId": family.sweets})
    bad(two, {"amount": money("-4.01"), "categoryId": family.sweets})
    child.call("PATCH", two, 200, json={"amount": money("-4.00"), "categoryId": family.sweets})
    child.call("PATCH", two, 200, json={"description": "no more than words"})
    bad(two, {"amount": money("-4.01")})
    # Deleted it is there again; had back it needs room.
    gone = child.call("DELETE", two, 200)
    undo = f"/v1/transactions/deletions/{gone['id']}/undo"
    other = family.spend("4.00", family.sweets)["id"]
    child.problem("POST", undo, 409, "limit-exceeded")
    child.call("DELETE", f"/v1/transactions/{other}", 200)
    child.post(undo, status=200)
    # Of what is split each part counts where it is.
    others = next(one["id"] for one in child.get("/v1/categories")["items"] if one["default"])

    def parts(sweets: str) -> dict[str, Any]:
        lines = [(others, "-5.00"), (family.sweets, sweets)]
        return {
            "accountId": family.purse, "amount": money(str(Decimal(sweets) - 5)),
            "lines": [{"categoryId": at, "amount": money(amount)} for at, amount in lines],
        }  # fmt: skip

    child.problem("POST", "/v1/transactions", 409, "limit-exceeded", json=parts("-0.01"))
    child.call("DELETE", one, 200)
    child.post("/v1/transactions", parts("-6.00"))
    assert family.left() == [(10, 0)]
    batch = {"transactions": [family.expense("1.00"), family.expense("0.01", family.sweets)]}
    path = "/v1/transactions/batches"
    problem = child.problem("POST", path, 409, "limit-exceeded", json=batch)
    assert [one["pointer"] for one in problem["errors"]] == ["/transactions/1/amount"]


def test_transfers_out_count_and_those_in_do_not(family: Limited) -> None:
    child = family.child
    family.limit((None, "10.00"))
    default = wallet(child)
    said = {"fromAccountId": family.purse, "toAccountId": default, "amount": money("10.01")}
    child.problem("POST", "/v1/transfers", 409, "limit-exceeded", json=said)
    child.post("/v1/transfers", said | {"amount": money("8.00")})
    back = {"fromAccountId": default, "toAccountId": family.purse, "amount": money("8.00")}
    child.post("/v1/transfers", back)
    assert family.left() == [(8, 2)]
    family.refused("2.01")
    # Nobody limits what is not of the allowance.
    free = {"accountId": default, "amount": money("-500.00")}
    child.post("/v1/transactions", free)


def test_only_parents_limit_and_all_faults_are_told_at_once(family: Limited) -> None:
    none: dict[str, Any] = {"limits": []}
    for path in (family.path, f"{ME}/children/me/limits"):
        family.child.problem("PUT", path, 403, "parents-only", json=none)
    theirs = f"{ME}/children/{family.father.id}/limits"
    for method, body in (("GET", None), ("PUT", none)):
        family.child.problem(method, theirs, 403, "parents-only", json=body)
        for one in (family.father.id, family.mother.id, "me"):
            path = f"{ME}/children/{one}/limits"
            family.mother.problem(method, path, 403, "member-is-parent", json=body)
        stranger = proved(family.mother.suite)
        absent = f"{ME}/children/{stranger.id}/limits"
        family.mother.problem(method, absent, 404, "not-found", json=body)
        stranger.problem(method, family.path, 404, "not-found", json=body)
        stranger.problem(method, f"{ME}/children/me/limits", 404, "not-found", json=body)
    own = family.mother.get("/v1/categories")["items"][0]["id"]
    bad = [
        {"amount": money("1.00")}, {"amount": money("2.00", "USD")},
        {"amount": money("1.00"), "categoryId": own},
        {"amount": money("1", "JPY"), "categoryId": str(uuid.uuid4())},
        {"amount": money("1.00"), "categoryId": family.sweets},
        {"amount": money("1.00"), "categoryId": family.sweets},
    ]  # fmt: skip
    problem = family.mother.problem("PUT", family.path, 422, "invalid-body", json={"limits": bad})
    assert [(one["pointer"], one["code"]) for one in problem["errors"]] == [
        ("/limits/1", "duplicate"), ("/limits/1/amount/currency", "currency-mismatch"),
        ("/limits/2/categoryId", "unknown-reference"),
        ("/limits/3/categoryId", "unknown-reference"),
        ("/limits/3/amount/currency", "currency-mismatch"), ("/limits/5/categoryId", "duplicate"),
    ]  # fmt: skip
    for limits, pointers in (
        ([{"amount": money("-0.01")}, {}], ["/limits/0/amount/amount", "/limits/1/amount"]),
        ([{"amount": money("1.00")}] * 51, ["/limits"]),
        ([{"amount": money("99999999999999.00")}], ["/limits/0/amount/amount"]),
    ):
        problem = family.mother.problem(
            "PUT", family.path, 422, "invalid-body", json={"limits": limits}
        )
        assert [one["pointer"] for one in problem["errors"]] == pointers
    assert family.mother.get(family.path)["limits"] == []


def test_a_wallet_has_no_limits_any_more(family: Limited) -> None:
    family.limit((None, "0.00"))
    family.refused("0.01")
    family.mother.call("DELETE", f"{ME}/members/{family.child.id}", 204)
    family.mother.problem("GET", family.path, 404, "not-found")
    path = f"/v1/accounts/{family.purse}"
    eventually(lambda: family.child.get(path)["kind"], until=lambda kind: kind == "wallet")
    family.spend("1.00")
    family.child.problem("GET", f"{ME}/children/me/limits", 404, "not-found")


def test_limits_are_changed_by_who_saw_them_and_approval_stays_unless_it_is_said(
    family: Limited,
) -> None:
    above = {"limits": [], "approvalAbove": money("10.00")}
    first = family.mother.send("PUT", family.path, json=above)
    assert first.status_code == 200 and first.headers["etag"] == f'"{first.json()["version"]}"'
    assert (
        family.child.send("GET", f"{ME}/children/me/limits").headers["etag"]
        == (first.headers["etag"])
    )
    one = {"limits": [{"amount": money("20.00")}]}
    old = {"If-Match": first.headers["etag"]}
    second = family.father.send("PUT", family.path, json=one, headers=old)
    assert second.status_code == 200 and second.json()["approvalAbove"] == money("10.00")
    for body in (one, above, {"limits": []}):
        family.mother.problem(
            "PUT", family.path, 412, "precondition-failed", json=body, headers=old
        )
    assert family.mother.get(family.path) == second.json()
    # What is spent makes no other state of what was set.
    spent = {"accountId": family.purse, "amount": money("-1.00")}
    family.child.post("/v1/transactions", spent)
    fresh = {"If-Match": second.headers["etag"]}
    cleared = one | {"approvalAbove": None}
    third = family.mother.send("PUT", family.path, json=cleared, headers=fresh)
    assert third.status_code == 200 and "approvalAbove" not in third.json(), third.text
    assert third.json()["limits"][0]["spent"] == money("1.00")
