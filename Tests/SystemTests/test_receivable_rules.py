"""What holds of expenses in their payers' books whatever else has been done there."""

import uuid
from decimal import Decimal

import pytest

from actions import category
from client import money
from receivables import Payer
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]
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
