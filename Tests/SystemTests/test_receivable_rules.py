"""What holds of expenses in their payers' books whatever else has been done there."""

import uuid
from decimal import Decimal

import pytest

from actions import category
from client import eventually, money, value
from receivables import Payer
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "analytics"]
OPENED = Decimal(1000)


@pytest.fixture
def payer(suite: Suite) -> Payer:
    return Payer(suite)


def test_what_is_overpaid_holds_no_expense_back(payer: Payer) -> None:
    payer.clear("50.00")
    posting = str(uuid.uuid4())
    payer.post(posting, "20.00", "10.00")
    payer.post(posting, "30.00", "10.00", version=2)
    assert payer.stands() == (OPENED + 20, -30)
    payer.withdraw(posting)
    assert payer.stands() == (OPENED + 50, -50)


def test_all_that_one_bears_is_part_of_its_expense_in_any_category(payer: Payer) -> None:
    posting = str(uuid.uuid4())
    made = payer.post(posting, "20.00", "20.00")["transactionId"]
    path = f"/v1/transactions/{made}"
    payer.ada.call("PATCH", path, 200, json={"categoryId": category(payer.ada)})
    other = {"amount": money("-5.00")}
    payer.ada.problem("PATCH", path, 409, "part-of-expense", json=other)
    deletion = payer.ada.call("DELETE", path, 200)["id"]
    payer.withdraw(posting)
    undo = f"/v1/transactions/deletions/{deletion}/undo"
    payer.ada.problem("POST", undo, 409, "undo-expired")
    assert payer.stands() == (OPENED, 0)


def test_what_was_never_owed_goes_though_others_seem_to_have_paid_it_back(payer: Payer) -> None:
    owed, ghost = str(uuid.uuid4()), str(uuid.uuid4())
    payer.post(owed, "50.00", "20.00")
    payer.post(ghost, "100.00", "20.00")
    payer.clear("60.00")
    assert payer.stands() == (910, 50)
    before = payer.counted()
    payer.inside.problem("DELETE", payer.path(ghost), 409, "already-settled")
    for _ in range(2):
        payer.inside.call("DELETE", payer.path(ghost), 204, params={"owed": "false"})
        # Of the 30 that others owe they have paid 60.
        assert payer.stands() == (1010, -30) and payer.state(ghost) == "withdrawn"
    income, spent = payer.counted()
    assert (income, spent) == (before[0], before[1] - 20)
    # Reports are told of the ghost's end, and of nothing else.
    eventually(
        lambda: payer.ada.get("/v1/reports/summary"),
        until=lambda said: (value(said["income"]), value(said["expenses"])) == (OPENED, 20),
    )
    rows = payer.ada.get("/v1/transactions", limit=200)["items"]
    assert sorted(value(one["amount"]) for one in rows) == [-50, 60, 1000]
    # What others come to owe is less by what they have paid too much.
    payer.post(str(uuid.uuid4()), "80.00", "10.00")
    assert payer.stands() == (930, 40)
