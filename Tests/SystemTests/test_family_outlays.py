"""Every way out of a child's account, each against a limit of 10.00: through both replicas."""

import datetime
import uuid
from decimal import Decimal
from typing import Any

import pytest

from actions import current, folder, wallet
from client import Person, eventually, money, value
from families import ME, Limited, proved
from imports import preview
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]
ALL = "10.01"


class Leaving(Limited):
    """A child with 100.00, a limit of 10.00, a wallet, and a group with a guest of its own."""

    def __init__(self, suite: Suite):
        super().__init__(suite)
        self.wallet = wallet(self.child)
        group = self.child.post("/v1/groups", {"name": "Mine", "currency": "EUR"})
        self.group = f"/v1/groups/{group['id']}"
        guest = self.child.post(f"{self.group}/members", {"displayName": "Nobody"})
        self.guest = guest["id"]
        members = self.child.get(f"{self.group}/members")["items"]
        self.me = next(one["id"] for one in members if one["me"])
        self.limit((None, "10.00"))

    def balance(self) -> Decimal:
        return value(self.child.get(f"/v1/accounts/{self.purse}")["balance"])

    def spent(self) -> Decimal:
        return value(self.child.get(f"{ME}/children/me/limits")["spent"])

    def shared(self, amount: str, **more: Any) -> dict[str, Any]:
        """An expense of which the guest bears all."""
        split = {"kind": "equal", "parts": [{"memberId": self.guest}]}
        return {"name": "Gift", "amount": money(amount), "split": split} | more

    def debt(self, amount: str) -> tuple[str, dict[str, Any]]:
        """What pays a friend, to whom the child owes it, from the account."""
        friend = proved(self.mother.suite)
        body = {"accountId": current(friend, "EUR")["id"]}
        friend.call("PUT", "/v1/receiving-accounts/EUR", 200, json=body)
        asked = {"name": "Ours", "invitations": [{"username": self.child.username}]}
        group = f"/v1/groups/{friend.post('/v1/groups', asked | {'currency': 'EUR'})['id']}"
        (sent,) = [
            one for one in self.child.get("/v1/invitations")["items"] if one["name"] == "Ours"
        ]
        self.child.post(f"/v1/invitations/{sent['id']}/acceptance", status=200)
        members = self.child.get(f"{group}/members")["items"]
        me, other = sorted((one for one in members), key=lambda one: not one["me"])
        split = {"kind": "equal", "parts": [{"memberId": me["id"]}]}
        said = {"name": "Game", "amount": money(amount), "split": split}
        friend.post(f"{group}/expenses", said)
        pay = {"withMemberId": other["id"], "fromAccountId": self.purse}
        return f"{group}/settlements", pay

    def no(self, method: str, path: str, body: Any = None, code: str = "limit-exceeded") -> None:
        key = str(uuid.uuid4())
        self.child.problem(method, path, 409, code, json=body, key=key)

    def kinds(self, who: Person) -> list[str]:
        return [one["kind"] for one in who.get("/v1/notifications", limit=100)["items"]]


@pytest.fixture
def leaving(suite: Suite) -> Leaving:
    return Leaving(suite)


def test_no_way_out_leads_above_the_limit(leaving: Leaving) -> None:
    child, purse, no = leaving.child, leaving.purse, leaving.no
    below = child.post("/v1/categories", {"name": "Gum", "parentId": leaving.sweets})["id"]
    month = datetime.timedelta(days=32)
    today = datetime.datetime.now(datetime.UTC).date()
    for date in ("2016-01-01", "2046-01-01", str(today - month), str(today + month), str(today)):
        no("POST", "/v1/transactions", leaving.expense(ALL) | {"date": date})
    no("POST", "/v1/transactions", leaving.expense(ALL, below))
    no("POST", "/v1/transactions", leaving.expense(ALL) | {"folderId": folder(child)})
    parts = [{"categoryId": one, "amount": money("-5.01")} for one in (below, leaving.sweets)]
    split = {"accountId": purse, "amount": money("-10.02"), "lines": parts}
    no("POST", "/v1/transactions", split)
    batch = [leaving.expense("5.00") | {"date": "2019-01-01"}, leaving.expense("5.01")]
    no("POST", "/v1/transactions/batches", {"transactions": batch})
    sent = {"fromAccountId": purse, "toAccountId": leaving.wallet, "amount": money(ALL)}
    no("POST", "/v1/transfers", sent)
    no("POST", "/v1/deposits", {"fromAccountId": purse, "currency": "EUR", "amount": money(ALL)})
    held = child.post("/v1/transfers", sent | {"hold": True})
    no("POST", f"/v1/transfers/{held['id']}/capture")
    child.post(f"/v1/transfers/{held['id']}/void", status=200)
    file = "Date,Amount,Description\n2019-01-05,-6.00,A\n2019-02-05,-6.00,B\n"
    one = preview(child, purse, file.encode(), format="csv")
    no("POST", f"/v1/imports/{one['id']}/commit")
    # Recorded elsewhere first, and moved, raised or had back.
    other = child.post("/v1/transactions", {"accountId": leaving.wallet, "amount": money("-50.00")})
    no("PATCH", f"/v1/transactions/{other['id']}", {"accountId": purse})
    # What a parent has paid in, taken away.
    rows = child.get("/v1/transactions", accountId=purse)["items"]
    paid = next(one["id"] for one in rows if one["amount"] == money("100.00"))
    no("PATCH", f"/v1/transactions/{paid}", {"accountId": leaving.wallet})
    no("PATCH", f"/v1/transactions/{paid}", {"amount": money("1.00")})
    no("DELETE", f"/v1/transactions/{paid}")
    # By a group: what a guest is to bear, at once or linked afterwards.
    no("POST", f"{leaving.group}/expenses", leaving.shared(ALL, accountId=purse))
    made = child.post(f"{leaving.group}/expenses", leaving.shared(ALL))
    no("PUT", f"{leaving.group}/expenses/{made['id']}/link", {"accountId": purse})
    # A debt to a friend, paid by a transfer.
    no("POST", *leaving.debt(ALL), "account-kind")
    assert (leaving.balance(), leaving.spent()) == (100, 0)
    # Again and again: each day is refused.
    again = {"recurrence": {"every": 1, "unit": "day"}}
    no("POST", "/v1/transactions", leaving.expense(ALL) | again)
    order = sent | {"startDate": str(today)} | again
    child.post("/v1/standing-orders", order, key=str(uuid.uuid4()))
    eventually(lambda: "standing-order-skipped" in leaving.kinds(child), seconds=30)
    assert (leaving.balance(), leaving.spent()) == (100, 0)
    for parent in (leaving.mother, leaving.father):
        eventually(lambda parent=parent: "limit-refused" in leaving.kinds(parent), seconds=30)
        assert leaving.kinds(parent).count("limit-refused") == 1


def test_all_that_leaves_counts_and_comes_back_as_it_was_counted(leaving: Leaving) -> None:
    child, purse, no = leaving.child, leaving.purse, leaving.no
    path = f"{leaving.group}/expenses"
    made = child.post(path, leaving.shared("6.00", accountId=purse))
    assert (leaving.balance(), leaving.spent()) == (94, 6)
    # An edit that raises it above is the group's, and does not follow in the account.
    one = f"{path}/{made['id']}"
    child.call("PATCH", one, 200, json=leaving.shared("11.00"))
    link = eventually(lambda: child.get(one)["link"], until=lambda one: one["state"] == "outdated")
    assert link["reason"] == "limit-exceeded" and leaving.spent() == 6
    no("PUT", f"{one}/link", {"accountId": purse})
    child.call("PATCH", one, 200, json=leaving.shared("8.00"))
    child.call("PUT", f"{one}/link", 200, json={"accountId": purse})
    assert leaving.spent() == 8
    no("POST", "/v1/transactions", leaving.expense("2.01") | {"date": "2016-01-01"})
    child.post("/v1/transactions", leaving.expense("2.00") | {"date": "2016-01-01"})
    no("POST", "/v1/transactions", leaving.expense("0.01"))
    # What the guest pays back may be spent again, and is not taken back once it is.
    back = child.post(f"{leaving.group}/settlements", {
        "withMemberId": leaving.guest, "amount": money("5.00"), "accountId": purse,
    })  # fmt: skip
    eventually(leaving.spent, until=lambda spent: spent == 5)
    bought = child.post("/v1/transactions", leaving.expense("5.00"))["id"]
    no("DELETE", f"{leaving.group}/settlements/{back['id']}")
    assert (leaving.balance(), leaving.spent()) == (90, 10)
    # What is deleted too, of which parents hear.
    child.call("DELETE", f"/v1/transactions/{bought}", 200)
    assert leaving.spent() == 5
    eventually(lambda: "child-deleted" in leaving.kinds(leaving.mother), seconds=30)
    board = leaving.mother.get(f"{ME}/children/{child.id}/dashboard")
    assert board["limits"]["spent"] == money("5.00")
    assert board["limits"]["limits"][0]["left"] == money("5.00")


def test_a_refund_makes_no_room_beyond_what_was_lent(leaving: Leaving) -> None:
    child, purse, path = leaving.child, leaving.purse, f"{leaving.group}/expenses"
    mine = {"kind": "equal", "parts": [{"memberId": leaving.me}]}
    both = {"kind": "equal", "parts": [{"memberId": one} for one in (leaving.me, leaving.guest)]}

    def add(amount: str, **more: Any) -> str:
        made = child.post(path, leaving.shared(amount, accountId=purse, **more))
        assert made["link"]["state"] == "current"
        return f"{path}/{made['id']}"

    # 7.00 of the child's own, and 2.00 that the guest owes.
    add("7.00", split=mine)
    add("2.00")
    assert (leaving.balance(), leaving.spent()) == (91, 9)
    # Money that comes back for the child alone is other income.
    add("-5.00", split=mine)
    assert (leaving.balance(), leaving.spent()) == (96, 9)
    # The guest's half clears what the guest owed: 1.00 of 2.00 may be spent again.
    back = add("-2.00", split=both)
    assert (leaving.balance(), leaving.spent()) == (98, 8)
    # However much comes back, no more than that.
    more = add("-50.00")
    assert (leaving.balance(), leaving.spent()) == (148, 7)
    assert leaving.left() == [(7, 3)]
    leaving.no("POST", "/v1/transactions", leaving.expense("3.01"))
    # An edit of a refund makes no further room, and a deletion takes back what it had made.
    child.call("PATCH", more, 200, json={"amount": money("-60.00")})
    assert (leaving.balance(), leaving.spent()) == (158, 7)
    child.call("DELETE", more, 204)
    child.call("DELETE", back, 204)
    eventually(lambda: (leaving.balance(), leaving.spent()), until=lambda seen: seen == (96, 9))
    leaving.no("POST", "/v1/transactions", leaving.expense("1.01"))
    eventually(lambda: "child-deleted" in leaving.kinds(leaving.mother), seconds=30)


def test_a_limit_ends_by_a_parents_hand_alone(leaving: Leaving) -> None:
    child, no, sweets = leaving.child, leaving.no, leaving.sweets
    below = child.post("/v1/categories", {"name": "Gum", "parentId": sweets})["id"]
    leaving.limit((sweets, "10.00"))
    child.post("/v1/transactions", leaving.expense("10.00", below))
    for one in (sweets, below):
        for how in ("reassign", "delete"):
            no("DELETE", f"/v1/categories/{one}?transactions={how}", code="category-limited")
    no("PATCH", f"/v1/categories/{below}", {"parentId": None}, code="category-limited")
    other = child.post("/v1/categories", {"name": "Other"})["id"]
    no("PATCH", f"/v1/categories/{below}", {"parentId": other}, code="category-limited")
    # It may be called otherwise, and what was counted in it stays so.
    child.call("PATCH", f"/v1/categories/{sweets}", 200, json={"name": "Books"})
    rows = child.get("/v1/transactions", accountId=leaving.purse)["items"]
    bought = next(one["id"] for one in rows if one["amount"] == money("-10.00"))
    child.call("PATCH", f"/v1/transactions/{bought}", 200, json={"categoryId": other})
    leaving.refused("0.01", sweets)
    leaving.refused("0.01", below)
    # Zone and months are those of the family.
    child.call("PATCH", "/v1/users/me", 200, json={"timeZone": "Pacific/Kiritimati"})
    leaving.refused("0.01", sweets)
    no("DELETE", f"/v1/accounts/{leaving.purse}", code="allowance-account")
    child.problem("DELETE", f"{ME}/members/me", 409, "child-cannot-leave")
    leaving.limit()
    child.call("DELETE", f"/v1/categories/{below}?transactions=reassign", 204)
    leaving.spend("1.00", sweets)


def test_three_purchases_of_a_batch_are_approved_of_together(leaving: Leaving) -> None:
    body: dict[str, Any] = {"limits": [], "approvalAbove": money("10.00")}
    leaving.mother.call("PUT", leaving.path, 200, json=body)
    three = {"transactions": [leaving.expense("10.00")] * 3}
    leaving.no("POST", "/v1/transactions/batches", three, "approval-required")
    leaving.spend("5.00")
    leaving.no("POST", "/v1/transactions", leaving.expense("5.01"), "approval-required")
    shared = leaving.shared("5.01", accountId=leaving.purse)
    leaving.no("POST", f"{leaving.group}/expenses", shared, "approval-required")
    leaving.spend("5.00")
    assert leaving.balance() == 90
