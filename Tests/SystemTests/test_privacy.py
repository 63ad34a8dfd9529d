"""Groups, families, folders and wallets are absent to all but those who are in them: every call of
the document that names one is tried by a stranger, by somebody who has left, and by nobody."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from actions import Group, add, document, folder, join, record
from client import Api, Person, money
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups"]
ROOTS = ("/v1/groups/{id}", "/v1/accounts/{id}", "/v1/folders/{id}", "/v1/transactions/{id}")
ONE = {"amount": money("1.00")}
NAME = {"name": "x"}
#: What each call that takes a body is asked with: well-formed, so that nothing but the right is
#: wrong with it. A new call has to be added.
BODIES: dict[str, Any] = {
    "changeGroup": NAME, "addGuest": {"displayName": "x"}, "changeMember": {"displayName": "x"},
    "invite": {"link": {}}, "makeThreshold": ONE, "changeThreshold": ONE,
    "makeGroupCategory": NAME, "changeGroupCategory": NAME, "addExpense": NAME | ONE,
    "changeExpense": NAME, "settle": {"withMemberId": "{memberId}"}, "addComment": {"text": "x"},
    "changeAccount": NAME, "inviteToWallet": {"email": "x@example.org", "role": "viewer"},
    "changeWalletMember": {"role": "viewer"}, "changeFolder": NAME,
    "inviteToFolder": {"email": "x@example.org", "access": "read"},
    "changeFolderMember": {"access": "read"}, "changeTransaction": NAME,
    "changeExpenseRecurrence": NAME,
}  # fmt: skip
QUERIES = {
    "getStatement": {"from": "2026-01-01", "to": "2026-01-31"},
    "listDebtExpenses": {
        "fromMemberId": str(uuid.uuid4()), "toMemberId": str(uuid.uuid4()), "currency": "EUR",
    },
}  # fmt: skip
#: Bodies of bytes.
FILES = {"addAttachment", "addExpenseAttachment"}


class Things:
    """One of each, of Ada's; Bob was in all of them and has left."""

    def __init__(self, suite: Suite):
        group = Group(suite)
        self.ada, self.bob = group.ada, group.bob
        expense = f"{group.path}/expenses/{group.expense('9.00')['id']}"
        # Ada owes Cleo something, and may pay it at her bank.
        split = {"kind": "exact", "parts": [{"memberId": group.of_ada, "value": "50.00"}]}
        debt = {"name": "Rent", "amount": money("50.00"), "split": split}
        group.cleo.post(f"{group.path}/expenses", debt)
        bank = {"iban": "NO9386011117947", "name": "Cleo"}
        group.cleo.call("PUT", "/v1/receiving-accounts/EUR", 200, json=bank)
        self.group = {
            "id": group.id, "expenseId": expense.rsplit("/", 1)[1], "memberId": group.of_cleo,
            "commentId": self.ada.post(f"{expense}/comments", {"text": "secret"})["id"],
            "attachmentId": self.ada.call(
                "POST", f"{expense}/attachments", 201, content=document()
            )["id"],
            "categoryId": self.ada.post(f"{group.path}/categories", NAME)["id"],
            "thresholdId": self.ada.post(f"{group.path}/thresholds", ONE)["id"],
            "invitationId": self.ada.post(f"{group.path}/invitations", {"link": {}})["id"],
        }  # fmt: skip
        part = {"withMemberId": group.of_cleo, "amount": money("1.00")}
        self.group["settlementId"] = self.ada.post(f"{group.path}/settlements", part)["id"]
        rent = NAME | ONE | {"recurrence": {"every": 1, "unit": "year"}}
        again = self.ada.post(f"{group.path}/expenses", rent)
        self.group["recurrenceId"] = again["recurrenceId"]
        self.bob.call("DELETE", f"{group.path}/members/me", 204, params={"force": "true"})
        wallet = self.ada.post("/v1/accounts", {"name": uuid.uuid4().hex[:8]})["id"]
        path = f"/v1/accounts/{wallet}"
        sent = self.ada.post(f"{path}/members", {"username": self.bob.username, "role": "editor"})
        self.bob.post(f"/v1/invitations/{sent['id']}/acceptance", status=200)
        transaction = record(self.ada, wallet, "-1.00")["id"]
        attachment = add(self.ada, transaction, document())["id"]
        self.bob.call("DELETE", f"{path}/members/me", 204)
        asked = self.ada.post(f"{path}/members", {"username": group.cleo.username})
        self.wallet = {"id": wallet, "userId": self.ada.id, "invitationId": asked["id"]}
        self.transaction = {"id": transaction, "attachmentId": attachment}
        binder = folder(self.ada)
        join(self.ada, binder, self.bob, "write")
        path = f"/v1/folders/{binder}"
        self.ada.call("PUT", f"{path}/transactions/{transaction}", 204)
        self.bob.call("DELETE", f"{path}/members/me", 204)
        body = {"username": group.cleo.username}
        self.folder = {
            "id": binder, "userId": self.ada.id, "transactionId": transaction,
            "categoryId": self.ada.get("/v1/categories")["items"][0]["id"],
            "invitationId": self.ada.post(f"{path}/invitations", body)["id"],
        }  # fmt: skip

    def of(self, path: str) -> dict[str, str]:
        places = (self.group, self.wallet, self.folder, self.transaction)
        return next(
            place for root, place in zip(ROOTS, places, strict=True) if path.startswith(root)
        )


def calls(api: Api) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every call of the document below a thing that can be shared."""
    for path, operations in api.get("/openapi.json")["paths"].items():
        if path.startswith(ROOTS):
            for method, operation in operations.items():
                if "operationId" in operation:
                    yield method.upper(), path, operation


@pytest.fixture(scope="module")
def things(suite: Suite) -> Things:
    return Things(suite)


def ask(one: Api, things: Things, method: str, path: str, operation: dict[str, Any]) -> Any:
    place = things.of(path)
    said: dict[str, Any] = {"params": QUERIES.get(operation["operationId"])}
    if operation["operationId"] in FILES:
        said["content"] = document()
    elif "requestBody" in operation:
        body = BODIES[operation["operationId"]]
        said["json"] = {
            name: place[value[1:-1]] if isinstance(value, str) and value[:1] == "{" else value
            for name, value in body.items()
        }
    if method in ("POST", "PUT", "PATCH", "DELETE"):
        said["key"] = str(uuid.uuid4())
    return one.send(method, path.format(**place), **said)


def test_strangers_and_those_who_left_find_nothing(
    suite: Suite, visitor: Api, things: Things
) -> None:
    stranger = Person(suite)
    tried = 0
    for method, path, operation in calls(visitor):
        for one in (stranger, things.bob):
            answer = ask(one, things, method, path, operation)
            assert answer.status_code == 404, (method, path, answer.status_code, answer.text)
            assert answer.json()["code"] == "not-found"
        answer = ask(visitor, things, method, path, operation)
        assert answer.status_code == 401, (method, path, answer.status_code)
        tried += 1
    assert tried > 60, tried


def test_members_find_all_of_it(visitor: Api, things: Things) -> None:
    """So that nothing is absent to everybody: what is only read is read by who is in it."""
    for method, path, operation in calls(visitor):
        if method == "GET":
            answer = ask(things.ada, things, method, path, operation)
            assert answer.status_code == 200, (path, answer.status_code, answer.text)


def test_a_family_is_absent_to_who_is_in_none(suite: Suite, visitor: Api) -> None:
    parent, stranger = Person(suite), Person(suite)
    parent.post("/v1/families", {})
    body = {"email": f"{uuid.uuid4().hex}@example.org", "role": "child"}
    invitation = parent.post("/v1/families/me/invitations", body)["id"]
    for method, path, said in (
        ("GET", "", None), ("DELETE", "", None), ("POST", "/invitations", body),
        ("GET", "/invitations", None), ("DELETE", f"/invitations/{invitation}", None),
        ("DELETE", f"/members/{parent.id}", None), ("DELETE", "/members/me", None),
        ("POST", f"/children/{parent.id}/allowances", ONE),
        ("GET", f"/children/{parent.id}/allowances", None),
        ("GET", "/children/me/allowances", None),
        *((method, f"/children/{parent.id}/allowances/{parent.id}{rest}", said)
          for method, rest, said in (
              ("GET", "", None), ("GET", "/occurrences", None), ("PATCH", "", {}),
              ("DELETE", "", None))),
        ("GET", f"/children/{parent.id}/limits", None), ("GET", "/children/me/limits", None),
        ("PUT", f"/children/{parent.id}/limits", {"limits": []}),
        ("POST", "/approvals", {"name": "x", "amount": ONE["amount"]}), ("GET", "/approvals", None),
        ("GET", f"/approvals/{parent.id}", None), ("DELETE", f"/approvals/{parent.id}", None),
        ("POST", f"/approvals/{parent.id}/decision", {"approved": True}),
    ):  # fmt: skip
        key = str(uuid.uuid4())
        path = f"/v1/families/me{path}"
        stranger.problem(method, path, 404, "not-found", json=said, key=key)
        assert visitor.send(method, path, json=said, key=key).status_code == 401
    assert parent.get("/v1/families/me")["members"]
