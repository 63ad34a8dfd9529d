"""Every call that changes what the ledger has, and what the document says of them."""

import re
from collections.abc import Callable
from typing import Any

from actions import add, category, current, document, wallet
from client import Api, Person, eventually, money
from imports import commit, mt940, preview
from recurrences import begin
from suite.suite import Suite


class Mutations:
    """Calls everything that changes what the ledger has, one by one."""

    def __init__(self, suite: Suite, person: Person):
        self.suite, self.person = suite, person
        self.one, self.other = current(person, "EUR", "500.00"), current(person, "EUR")
        self.wallet, self.food = wallet(person, "EUR"), category(person)
        self.pet = category(person)

    def record(self, **fields: Any) -> str:
        body = {"accountId": self.wallet, "amount": money("-5.00"), "categoryId": self.food}
        return self.person.post("/v1/transactions", body | fields)["id"]

    def transfer(self, **fields: Any) -> dict[str, Any]:
        body = {
            "fromAccountId": self.one["id"], "toAccountId": self.other["id"],
            "amount": money("10.00"),
        }  # fmt: skip
        return self.person.post("/v1/transfers", body | fields)

    def rule(self) -> str:
        body = {"match": {"contains": "x"}, "categoryId": self.pet}
        return self.person.post("/v1/import-rules", body)["id"]

    def statement(self, text: str) -> dict[str, Any]:
        rows = [("240105D12,50", "NONREF", f"166?20SVWZ+{text}")]
        content = mt940("DE02120300000000202051", "C240101EUR100,", rows, "C240131EUR87,5")
        return preview(self.person, self.wallet, content)

    def allocate(self, category: str, amount: str) -> None:
        path = f"/v1/budgets/{category}/allocations"
        self.person.post(path, {"amount": money(amount), "month": "2024-02"})

    # What is told of each: (kind, whether it was deleted).

    def open_account(self) -> set:
        self.person.post("/v1/accounts", {"kind": "current", "name": "new"})
        return {("account", False)}

    def change_account(self) -> set:
        self.person.call("PATCH", f"/v1/accounts/{self.wallet}", 200, json={"name": "other"})
        return {("account", False)}

    def close_account(self) -> Callable:
        gone = wallet(self.person, "EUR")
        return lambda: self.delete(f"/v1/accounts/{gone}", 204, {("account", False)})

    def delete(self, path: str, status: int, told: set) -> set:
        self.person.call("DELETE", path, status)
        return told

    def make_category(self) -> set:
        category(self.person)
        return {("category", False)}

    def make_folder(self) -> set:
        self.folder = self.person.post("/v1/folders", {"name": "Trip"})["id"]
        return {("folder", False)}

    def change_folder(self) -> set:
        self.person.call("PATCH", f"/v1/folders/{self.folder}", 200, json={"name": "Roma"})
        return {("folder", False)}

    def put_into_folder(self) -> Callable:
        self.filed = self.record()
        path = f"/v1/folders/{self.folder}/transactions/{self.filed}"

        def put() -> set:
            self.person.call("PUT", path, 204)
            return {("transaction", False)}

        return put

    def take_out_of_folder(self) -> set:
        path = f"/v1/folders/{self.folder}/transactions/{self.filed}"
        self.person.call("DELETE", path, 204)
        return {("transaction", False)}

    def put_category_into_folder(self) -> set:
        path = f"/v1/folders/{self.folder}/categories/{self.food}"
        self.person.call("PUT", path, 204)
        return {("folder", False)}

    def take_category_out_of_folder(self) -> set:
        path = f"/v1/folders/{self.folder}/categories/{self.food}"
        self.person.call("DELETE", path, 204)
        return {("folder", False)}

    def remove_folder(self) -> set:
        self.person.call("DELETE", f"/v1/folders/{self.folder}", 204)
        return {("folder", True)}

    def change_category(self) -> set:
        self.person.call("PATCH", f"/v1/categories/{self.food}", 200, json={"color": "#010203"})
        return {("category", False)}

    def label_category(self) -> set:
        self.person.call("PUT", f"/v1/categories/{self.food}/important", 200)
        return {("category", False)}

    def unlabel_category(self) -> set:
        return self.delete(f"/v1/categories/{self.food}/important", 204, {("category", False)})

    def remove_category(self) -> Callable:
        gone = category(self.person)
        below = self.person.post("/v1/categories", {"name": "below", "parentId": gone})["id"]
        kept, self.food, self.pet = (self.food, self.pet), gone, gone
        self.record()
        self.rule()
        self.allocate(gone, "7.00")
        begin(self.person, self.wallet, "-1.00", 0, every=5)
        planned = self.person.get("/v1/recurrences")["items"][0]["id"]
        self.person.call("PATCH", f"/v1/recurrences/{planned}", 200, json={"categoryId": gone})
        self.food, self.pet = kept

        def remove() -> set:
            self.person.call("DELETE", f"/v1/categories/{gone}", 204)
            assert self.person.get(f"/v1/categories/{below}").get("parentId") is None
            return {
                ("category", True), ("category", False), ("transaction", False),
                ("importRule", True), ("recurrence", False), ("allocation", True),
                ("allocation", False),
            }  # fmt: skip

        return remove

    def record_transaction(self) -> set:
        self.record(lines=[
            {"categoryId": self.food, "amount": money("-2.00")},
            {"categoryId": self.pet, "amount": money("-3.00")},
        ], categoryId=None, tags=["a", "b"], location={"lat": 45.5, "lon": 9.2})  # fmt: skip
        return {("transaction", False), ("account", False)}

    def record_transactions(self) -> set:
        rows = [{"accountId": self.wallet, "amount": money("1.00")}] * 3
        self.person.post("/v1/transactions/batches", {"transactions": rows})
        return {("transaction", False), ("account", False)}

    def change_transaction(self) -> Callable:
        path = f"/v1/transactions/{self.record()}"

        def change() -> set:
            for body in (
                {"amount": money("-7.00")}, {"name": "words"}, {"date": "2024-05-06"},
                {"categoryId": self.pet}, {"accountId": self.one["id"]}, {"tags": ["t"]},
            ):  # fmt: skip
                self.person.call("PATCH", path, 200, json=body)
            return {("transaction", False), ("account", False)}

        return change

    def change_words(self) -> Callable:
        path = f"/v1/transactions/{self.record()}"

        def change() -> set:
            self.person.call("PATCH", path, 200, json={"description": "more"})
            return {("transaction", False)}

        return change

    def delete_transaction(self) -> Callable:
        path = f"/v1/transactions/{self.record()}"
        told = {("transaction", True), ("account", False)}
        return lambda: self.delete(path, 200, told)

    def delete_transactions(self) -> Callable:
        body = {"ids": [self.record(), self.record()]}

        def remove() -> set:
            self.person.post("/v1/transactions/deletions", body)
            return {("transaction", True), ("account", False)}

        return remove

    def undo_deletion(self) -> Callable:
        gone = self.record()
        add(self.person, gone, document())
        deletion = self.person.call("DELETE", f"/v1/transactions/{gone}", 200)

        def undo() -> set:
            path = f"/v1/transactions/deletions/{deletion['id']}/undo"
            self.person.call("POST", path, 200)
            return {("transaction", False), ("account", False)}

        return undo

    def add_attachment(self) -> Callable:
        self.receipt = self.record()

        def attach() -> set:
            self.attached = add(self.person, self.receipt, document())["id"]
            return {("transaction", False)}

        return attach

    def delete_attachment(self) -> set:
        path = f"/v1/transactions/{self.receipt}/attachments/{self.attached}"
        return self.delete(path, 204, {("transaction", False)})

    def record_recurring(self) -> set:
        self.planned = begin(self.person, self.wallet, "-1.00", 3)["id"]
        path = f"/v1/recurrences/{self.planned}"
        eventually(lambda: self.person.get(path)["last"]["number"] == 3)
        return {("recurrence", False), ("transaction", False), ("account", False)}

    def change_recurrence(self) -> set:
        path = f"/v1/recurrences/{self.planned}"
        self.person.call("PATCH", path, 200, json={"active": False})
        return {("recurrence", False)}

    def delete_recurrence(self) -> set:
        return self.delete(f"/v1/recurrences/{self.planned}", 204, {("recurrence", True)})

    def make_standing_order(self) -> set:
        body = {
            "fromAccountId": self.one["id"], "toAccountId": self.other["id"],
            "amount": money("1.00"), "recurrence": {"every": 1, "unit": "day"},
        }  # fmt: skip
        self.order = f"/v1/standing-orders/{self.person.post('/v1/standing-orders', body)['id']}"
        eventually(lambda: "last" in self.person.get(self.order))
        return {("standingOrder", False), ("transaction", False), ("account", False)}

    def change_standing_order(self) -> set:
        self.person.call("PATCH", self.order, 200, json={"paused": True, "reference": "r"})
        return {("standingOrder", False)}

    def delete_standing_order(self) -> set:
        return self.delete(self.order, 204, {("standingOrder", True)})

    def allocate_budget(self) -> set:
        self.allocate(self.food, "20.00")
        self.allocate(self.food, "5.00")
        return {("allocation", False)}

    def transfer_budget(self) -> set:
        body = {
            "fromCategoryId": self.food, "toCategoryId": self.pet, "amount": money("3.00"),
            "month": "2024-02",
        }  # fmt: skip
        self.person.post("/v1/budget-transfers", body)
        return {("allocation", False)}

    def make_import_rule(self) -> set:
        self.made_rule = self.rule()
        return {("importRule", False)}

    def change_import_rule(self) -> set:
        path = f"/v1/import-rules/{self.made_rule}"
        self.person.call("PATCH", path, 200, json={"priority": 9})
        return {("importRule", False)}

    def remove_import_rule(self) -> set:
        return self.delete(f"/v1/import-rules/{self.made_rule}", 204, {("importRule", True)})

    def make_quote(self) -> set:
        body = {
            "fromAccountId": self.one["id"], "toAccountId": self.other["id"],
            "amount": money("1.00"),
        }  # fmt: skip
        self.person.post("/v1/quotes", body)
        return set()

    def post_transfer(self) -> set:
        self.transfer()
        return {("transaction", False), ("account", False)}

    def post_transfers(self) -> set:
        one = {
            "fromAccountId": self.one["id"], "toAccountId": self.other["id"],
            "amount": money("1.00"),
        }  # fmt: skip
        self.person.post("/v1/transfers/batches", {"transfers": [one, one]}, status=200)
        return {("transaction", False), ("account", False)}

    def hold_transfer(self) -> set:
        self.held = [self.transfer(hold=True)["id"] for _ in range(2)]
        return {("account", False)}

    def capture_transfer(self) -> set:
        self.person.call("POST", f"/v1/transfers/{self.held[0]}/capture", 200)
        return {("transaction", False), ("account", False)}

    def void_transfer(self) -> set:
        self.person.call("POST", f"/v1/transfers/{self.held[1]}/void", 200)
        return {("account", False)}

    def open_deposit(self) -> set:
        body = {"fromAccountId": self.one["id"], "currency": "EUR", "amount": money("9.00")}
        self.person.post("/v1/deposits", body)
        return {("transaction", False), ("account", False)}

    def upload_import(self) -> set:
        self.imported = self.statement("bread")
        return set()

    def change_import(self) -> set:
        path = f"/v1/imports/{self.imported['id']}"
        self.person.call("PATCH", path, 200, json={"rows": [{"row": 1, "included": True}]})
        return set()

    def commit_import(self) -> set:
        commit(self.person, self.imported)
        return {("transaction", False), ("account", False)}

    def remove_import(self) -> set:
        path = f"/v1/imports/{self.imported['id']}"
        answer = self.person.send("DELETE", path)
        assert answer.status_code in (202, 204), answer.text
        eventually(lambda: self.person.send("GET", path).status_code == 404 or self.is_gone(path))
        return {("transaction", True), ("account", False)}

    def is_gone(self, path: str) -> bool:
        return self.person.get(path)["state"] == "withdrawn"


#: What belongs to other services.
OTHERS = {
    "admin", "audit", "challenges", "deletion-receipts", "email-verifications",
    "identity-providers", "passkeys", "password-recoveries", "profile-changes", "sessions",
    "users", "groups", "group-imports", "friends", "families", "invitations", "invitation-links",
    "insights", "reports", "notifications", "receiving-accounts", "blocks",
}  # fmt: skip
#: Those without a name of their own in the document, and those that come by another service.
BESIDE = {"record_recurring", "change_words", "hold_transfer"}
#: Who uses a wallet or folder: its others are told, which test_ledger_shared_wallets.py and
#: test_ledger_folders.py look at.
SHARING = {
    "invite_to_wallet", "withdraw_wallet_invitation", "change_wallet_member",
    "remove_wallet_member", "invite_to_folder", "withdraw_folder_invitation",
    "change_folder_member", "remove_folder_member",
}  # fmt: skip


def mutating_calls(api: Api) -> set[str]:
    """The ledger's calls that change something, as the document has them."""
    found = set()
    for path, methods in api.get("/openapi.json")["paths"].items():
        first = path.removeprefix("/v1/").split("/")[0]
        if not path.startswith("/v1/") or first in OTHERS:
            continue
        for method, call in methods.items():
            if method in ("post", "put", "patch", "delete"):
                found.add(re.sub(r"([A-Z])", r"_\1", call["operationId"]).lower())
    return found - SHARING
