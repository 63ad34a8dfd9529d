"""A family, for tests of what parents and children do."""

import uuid
from decimal import Decimal
from typing import Any

from client import Person, eventually, money, value
from suite.suite import Suite

ME = "/v1/families/me"


def join(parent: Person, other: Person, role: str) -> dict[str, Any]:
    sent = parent.post(f"{ME}/invitations", {"email": other.email, "role": role})
    assert sent["kind"] == "family" and sent["familyRole"] == role
    joined = other.post(f"/v1/invitations/{sent['id']}/acceptance", status=200)
    return joined["family"]


def proved(suite: Suite) -> Person:
    person = Person(suite)
    person.verify_email()
    return person


def purse(child: Person) -> dict[str, Any]:
    """The child's account for allowances, once it is there."""

    def found() -> list[dict[str, Any]]:
        accounts = child.get("/v1/accounts")["items"]
        return [one for one in accounts if one["kind"] == "allowance"]

    return eventually(found)[0]


class Family:
    """Two parents and a child."""

    def __init__(self, suite: Suite):
        self.mother, self.father, self.child = (proved(suite) for _ in range(3))
        self.made = self.mother.post("/v1/families", {"name": "Us", "currency": "EUR"})
        join(self.mother, self.father, "parent")
        join(self.father, self.child, "child")


class Limited(Family):
    """A family, its child's account with 100.00 in it, and a category of the child's."""

    def __init__(self, suite: Suite):
        super().__init__(suite)
        self.purse = purse(self.child)["id"]
        self.path = f"{ME}/children/{self.child.id}/limits"
        paid = {"amount": money("100.00")}
        pay = f"{ME}/children/{self.child.id}/allowances"
        self.mother.post(pay, paid, key=str(uuid.uuid4()))
        body = {"name": uuid.uuid4().hex[:8], "color": "#123456"}
        self.sweets = self.child.post("/v1/categories", body)["id"]

    def limit(self, *limits: tuple[str | None, str], by: Person | None = None) -> Any:
        listed = [
            {"amount": money(amount)} | ({"categoryId": category} if category else {})
            for category, amount in limits
        ]
        return (by or self.mother).call("PUT", self.path, 200, json={"limits": listed})

    def spend(self, amount: str, category: str | None = None, **more: Any) -> Any:
        return self.child.post("/v1/transactions", self.expense(amount, category) | more)

    def refused(self, amount: str, category: str | None = None, **more: Any) -> Any:
        said = self.expense(amount, category) | more
        problem = self.child.problem("POST", "/v1/transactions", 409, "limit-exceeded", json=said)
        assert problem["errors"][0]["pointer"] == "/amount"
        return problem

    def expense(self, amount: str, category: str | None = None) -> dict[str, Any]:
        said = {"accountId": self.purse, "amount": money(f"-{amount}")}
        return said | ({"categoryId": category} if category else {})

    def left(self) -> list[tuple[Decimal, Decimal]]:
        limits = self.child.get(f"{ME}/children/me/limits")["limits"]
        return [(value(one["spent"]), value(one["left"])) for one in limits]
