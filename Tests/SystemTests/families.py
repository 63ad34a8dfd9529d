"""A family, for tests of what parents and children do."""

from typing import Any

from client import Person, eventually
from suite.suite import Suite

ME = "/v1/families/me"


def join(parent: Person, other: Person, role: str) -> dict[str, Any]:
    sent = parent.post(f"{ME}/invitations", {"email": other.email, "role": role})
    assert sent["kind"] == "family" and sent["familyRole"] == role
    return other.post(f"/v1/invitations/{sent['id']}/acceptance", status=200)


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
