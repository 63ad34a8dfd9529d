"""One of each that people share, with all that is in it, and every call of the document that names
any of it."""

import re
import uuid
from collections.abc import Iterator
from typing import Any

from actions import Group, add, current, document, folder, join, ofx, record
from client import Api, Person, eventually, money
from families import join as enter
from families import proved, purse
from group_imports import preview as preview_group
from imports import preview
from keyed_sharing import EXPORT
from recurrences import begin
from suite.suite import Suite

FAMILY = "/v1/families/me"
ENVELOPE = f"{FAMILY}/budget/envelopes/{{id}}"
ONE = {"amount": money("1.00")}
NAME = {"name": "x"}
#: What each call that takes a body is asked with: well-formed, so that nothing but the right is
#: wrong with it. A new call has to be added.
BODIES: dict[str, Any] = {
    "changeGroup": NAME, "addGuest": {"displayName": "x"}, "changeMember": {"displayName": "x"},
    "invite": {"link": {}}, "makeThreshold": ONE, "changeThreshold": ONE,
    "makeGroupCategory": NAME, "changeGroupCategory": NAME, "addExpense": NAME | ONE,
    "changeExpense": NAME, "settle": {"withMemberId": "{memberId}"}, "addComment": {"text": "x"},
    "changeExpenseRecurrence": NAME, "changeGroupImport": {"leaveOutErrors": True},
    "changeAccount": NAME, "inviteToWallet": {"email": "x@example.org", "role": "viewer"},
    "changeWalletMember": {"role": "viewer"}, "changeFolder": NAME,
    "inviteToFolder": {"email": "x@example.org", "access": "read"},
    "changeFolderMember": {"access": "read"}, "changeTransaction": NAME,
    "changeRecurrence": {"active": False}, "changeStandingOrder": {"paused": True},
    "changeImport": {"rows": [{"row": 1, "included": True}]}, "changeImportRule": {"priority": 9},
    "changeCategory": {"color": "#010203"}, "allocateBudget": ONE,
    "changeFamily": NAME, "setFamilyRole": {"role": "parent"},
    "inviteToFamily": {"email": "x@example.org", "role": "child"}, "payFamilyAllowance": ONE,
    "setChildLimits": {"limits": []}, "askForApproval": NAME | ONE,
    "decideApproval": {"approved": True}, "changeAllowance": {"name": "x"},
    "linkExpense": {"accountId": str(uuid.uuid4())},
    "makeHouseholdEnvelope": {"name": "y"}, "changeHouseholdEnvelope": NAME,
    "allocateHouseholdBudget": ONE,
    "transferHouseholdBudget": ONE | {
        "fromEnvelopeId": str(uuid.uuid4()), "toEnvelopeId": str(uuid.uuid4()),
    },
}  # fmt: skip
QUERIES = {
    "getStatement": {"from": "2026-01-01", "to": "2026-01-31"},
    "listDebtExpenses": {
        "fromMemberId": str(uuid.uuid4()), "toMemberId": str(uuid.uuid4()), "currency": "EUR",
    },
}  # fmt: skip
#: Bodies of bytes.
FILES = {"addAttachment", "addExpenseAttachment"}
#: What whoever has the token finds; a dead one is nobody's.
DEAD = "/v1/invitation-links/{token}"
#: Paths that name nothing that can be shared: how one signs in, what is of oneself alone, secrets
#: that are the right themselves, and administrators' (`test_admin.py`).
OTHERS = {
    "/v1/challenges/{id}/answers", "/v1/deletion-receipts/{token}",
    "/v1/email-verifications/{token}", "/v1/identity-providers/{name}/authorize",
    "/v1/insights/saved-queries/{id}", "/v1/insights/saved-queries/{id}/answer",
    "/v1/identity-providers/{name}/callback", "/v1/passkeys/{id}",
    "/v1/password-recoveries/{id}/answers", "/v1/password-recoveries/{id}/password",
    "/v1/profile-changes/{token}/confirmation", "/v1/profile-changes/{token}/rejection",
    "/v1/receiving-accounts/{currency}", "/v1/sessions/{session}", "/v1/users/{id}",
    "/v1/users/{id}/access", "/v1/users/{id}/password-recoveries", "/v1/users/me/exports/{id}",
    "/v1/users/me/exports/{id}/file", "/v1/users/me/identities/{id}", "/v1/blocks/{userId}",
}  # fmt: skip


class Things:
    """One of each, of Ada's.

    Bob was in all of them, made some himself and has left; Kim was a child of the family; Eve has
    a family of her own, and Sam nothing.
    """

    def __init__(self, suite: Suite):
        group = Group(suite)
        self.ada, self.bob, self.cleo = group.ada, group.bob, group.cleo
        self.sam, self.eve = Person(suite), Person(suite)
        self.eve.post("/v1/families", {})
        #: What the calls below a path are asked about, and what of it Bob and Kim made themselves.
        self.places: dict[str, dict[str, str]] = {}
        self.own: dict[str, list[tuple[Person, dict[str, str]]]] = {}
        self.share_group(group)
        self.share_family(suite)
        self.share_wallet()
        self.keep_books()
        for of, root in (("groups", "/v1/groups/{id}"), ("children", FAMILY)):
            key = "id" if of == "groups" else "userId"

            def shown(place: dict[str, str], key: str = key) -> dict[str, str]:
                return {"id": place[key]}

            path = f"/v1/reports/{of}/{{id}}"
            self.places[path] = shown(self.places[root])
            self.own[path] = [(one, shown(place)) for one, place in self.own[root]]
        self.names = {getattr(self, one).id: one for one in ("sam", "eve", "kim", "bob")}
        told = eventually(lambda: self.ada.get("/v1/notifications")["items"])
        self.places |= {
            "/v1/friends/{userId}": {"userId": self.befriend(suite)},
            "/v1/users/{id}/picture": {"id": self.ada.id},
            "/v1/notifications/{id}": {"id": told[0]["id"]},
        }

    def befriend(self, suite: Suite) -> str:
        """Somebody who shares a group with Ada, and with nobody else."""
        dan = Person(suite)
        asked = NAME | {"invitations": [{"username": dan.username}]}
        self.ada.post("/v1/groups", asked)
        invitation = eventually(lambda: dan.get("/v1/invitations")["items"])[0]
        dan.post(f"/v1/invitations/{invitation['id']}/acceptance", status=200)
        return dan.id

    def share_group(self, group: Group) -> None:
        path = group.path
        # Ada owes Cleo something, and may pay it at her bank.
        split = {"kind": "exact", "parts": [{"memberId": group.of_ada, "value": "50.00"}]}
        debt = {"name": "Rent", "amount": money("50.00"), "split": split}
        group.cleo.post(f"{path}/expenses", debt)
        bank = {"iban": "NO9386011117947", "name": "Cleo"}
        group.cleo.call("PUT", "/v1/receiving-accounts/EUR", 200, json=bank)
        group.expense("9.00")

        def made(by: Person, member: str) -> dict[str, str]:
            again = NAME | ONE | {"recurrence": {"every": 1, "unit": "year"}}
            written = by.post(f"{path}/expenses", again)
            expense = f"{path}/expenses/{written['id']}"
            paid = {"withMemberId": group.of_cleo, "amount": money("1.00")}
            return {
                "id": group.id, "memberId": member, "expenseId": written["id"],
                "recurrenceId": written["recurrenceId"],
                "commentId": by.post(f"{expense}/comments", {"text": "secret"})["id"],
                "attachmentId": by.call(
                    "POST", f"{expense}/attachments", 201, content=document()
                )["id"],
                "categoryId": by.post(f"{path}/categories", {"name": by.username})["id"],
                "thresholdId": by.post(f"{path}/thresholds", ONE)["id"],
                "invitationId": by.post(f"{path}/invitations", {"link": {}})["id"],
                "settlementId": (by if by is self.ada else self.cleo).post(
                    f"{path}/settlements",
                    paid if by is self.ada else paid | {"withMemberId": member},
                )["id"],
            }  # fmt: skip

        dead = self.ada.post(f"{path}/invitations", {"link": {}})
        self.ada.call("DELETE", f"{path}/invitations/{dead['id']}", 204)
        self.places |= {
            "/v1/groups/{id}": made(self.ada, group.of_cleo),
            "/v1/group-imports/{id}": {"id": preview_group(self.ada, group.id, EXPORT)["id"]},
            DEAD: {"token": dead["link"]["token"]},
        }
        self.own |= {
            "/v1/groups/{id}": [(self.bob, made(self.bob, group.of_bob))],
            "/v1/group-imports/{id}": [
                (self.bob, {"id": preview_group(self.bob, group.id, EXPORT)["id"]}),
            ],
        }  # fmt: skip
        self.bob.call("DELETE", f"{path}/members/me", 204, params={"force": "true"})

    def share_family(self, suite: Suite) -> None:
        self.kim, tim = proved(suite), proved(suite)
        self.bob.verify_email()
        self.ada.post("/v1/families", {"currency": "EUR"})
        for one, role in ((self.bob, "parent"), (self.kim, "child"), (tim, "child")):
            enter(self.ada, one, role)
        for child in (self.kim, tim):
            purse(child)

        def asked(by: Person, child: Person) -> dict[str, str]:
            body = {"email": f"{uuid.uuid4().hex}@example.org", "role": "child"}
            return {
                "userId": child.id,
                "invitationId": by.post(f"{FAMILY}/invitations", body)["id"],
                "allowanceId": by.post(
                    f"{FAMILY}/children/{child.id}/allowances",
                    ONE | {"recurrence": {"every": 1, "unit": "year"}},
                )["recurrenceId"],
                "id": child.post(f"{FAMILY}/approvals", NAME | ONE)["id"],
            }

        envelope = self.ada.post(f"{FAMILY}/budget/envelopes", NAME)["id"]
        food = self.ada.get("/v1/categories")["items"][0]["id"]
        self.places[ENVELOPE] = {"id": envelope, "categoryId": food}
        self.places[FAMILY] = asked(self.ada, tim)
        late = asked(self.bob, self.kim)
        self.own[FAMILY] = [(self.kim, late), (self.bob, late)]
        self.bob.call("DELETE", f"{FAMILY}/members/me", 204)
        self.ada.call("DELETE", f"{FAMILY}/members/{self.kim.id}", 204)

    def share_wallet(self) -> None:
        """And a folder, with what is in both."""
        wallet = self.ada.post("/v1/accounts", {"name": uuid.uuid4().hex[:8]})["id"]
        path = f"/v1/accounts/{wallet}"
        sent = self.ada.post(f"{path}/members", {"username": self.bob.username, "role": "editor"})
        self.bob.post(f"/v1/invitations/{sent['id']}/acceptance", status=200)
        binder = folder(self.ada)
        join(self.ada, binder, self.bob, "write")
        filed = f"/v1/folders/{binder}"
        asked = self.ada.post(f"{path}/members", {"username": self.cleo.username})["id"]
        called = self.ada.post(f"{filed}/invitations", {"username": self.cleo.username})["id"]

        def made(by: Person) -> dict[str, dict[str, str]]:
            one, gone = (record(by, wallet, "-1.00")["id"] for _ in range(2))
            by.call("PUT", f"{filed}/transactions/{one}", 204)
            return {
                "/v1/accounts/{id}": {"id": wallet, "userId": by.id, "invitationId": asked},
                "/v1/transactions/{id}": {
                    "id": one, "attachmentId": add(by, one, document())["id"],
                },
                "/v1/transactions/deletions/{id}": {
                    "id": by.call("DELETE", f"/v1/transactions/{gone}", 200)["id"],
                },
                "/v1/folders/{id}": {
                    "id": binder, "userId": by.id, "transactionId": one, "invitationId": called,
                    "categoryId": by.get("/v1/categories")["items"][0]["id"],
                },
            }  # fmt: skip

        self.places |= made(self.ada) | {"/v1/invitations/{id}": {"id": asked}}
        self.own |= {root: [(self.bob, place)] for root, place in made(self.bob).items()}
        for one in (path, filed):
            self.bob.call("DELETE", f"{one}/members/me", 204)
        self.wallet, self.binder = wallet, binder

    def keep_books(self) -> None:
        """What goes on with accounts and categories of Ada's."""
        one, other = current(self.ada, "EUR", "50.00")["id"], current(self.ada, "EUR")["id"]
        move = {"fromAccountId": one, "toAccountId": other, "amount": money("2.00")}
        order = move | {"recurrence": {"every": 1, "unit": "day"}, "startDate": "2999-01-01"}
        begin(self.ada, self.wallet, "-1.00", 0)
        again = self.ada.get("/v1/recurrences")["items"][0]["id"]
        food = self.ada.post("/v1/categories", NAME)["id"]
        rule = {"match": {"contains": "x"}, "categoryId": food}
        file = ofx([("20240301", "-1.00", "later")], "EUR", "-11.00")
        self.places |= {
            "/v1/transfers/{id}": {
                "id": self.ada.post("/v1/transfers", move | {"hold": True})["id"],
            },
            "/v1/standing-orders/{id}": {"id": self.ada.post("/v1/standing-orders", order)["id"]},
            "/v1/recurrences/{id}": {"id": again},
            "/v1/imports/{id}": {"id": preview(self.ada, self.wallet, file)["id"]},
            "/v1/import-rules/{id}": {"id": self.ada.post("/v1/import-rules", rule)["id"]},
            "/v1/categories/{id}": {"id": food},
            "/v1/budgets/{categoryId}": {"categoryId": food},
        }  # fmt: skip

    def root(self, path: str) -> str | None:
        """Which of the places a path is below."""
        return next((root for root in self.places if re.match(f"{re.escape(root)}(/|$)", path)),
                    None)  # fmt: skip

    def outsiders(self, path: str) -> Iterator[tuple[Person, dict[str, str]]]:
        """Who may not, each with what they name."""
        root = self.root(path)
        assert root, path
        for one in (self.sam, self.bob, self.kim):
            yield one, self.places[root]
        # What names nobody is of her own family.
        if root != FAMILY or "{" in path:
            yield self.eve, self.places[root]
        yield from self.own.get(root, [])


def calls(api: Api, things: Things) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every call of the document that names what can be shared; one's family is named by `me`."""
    for path, operations in api.get("/openapi.json")["paths"].items():
        if path in OTHERS or "{" not in path and not path.startswith(FAMILY):
            continue
        assert things.root(path), f"{path} names something: who may see it?"
        for method, operation in operations.items():
            if "operationId" in operation:
                yield method.upper(), path, operation


def ask(
    one: Api,
    place: dict[str, str],
    method: str,
    path: str,
    operation: dict[str, Any],
    **headers: str,
) -> Any:
    name = operation["operationId"]
    said: dict[str, Any] = {"params": QUERIES.get(name), "headers": headers}
    if name in FILES:
        said["content"] = document()
    elif "requestBody" in operation:
        said["json"] = {
            field: place[value[1:-1]] if isinstance(value, str) and value[:1] == "{" else value
            for field, value in BODIES[name].items()
        }
    if method != "GET":
        said["key"] = str(uuid.uuid4())
    return one.send(method, path.format(**place), **said)
