"""What is made under a key, and can be taken away again."""

from actions import current
from client import Person, money
from conftest import make_admin
from group_imports import BYTES, PATH
from keyed import Making, Refusal, name, picture
from keyed_money import CSV, RAW
from keyed_sharing import EXPORT, club, folder_of, wallet_of, written


def folder(ada: Person, _: Person) -> Making:
    return Making(ada, "/v1/folders", {"json": {"name": name()}})


def category(ada: Person, _: Person) -> Making:
    return Making(ada, "/v1/categories", {"json": {"name": name()}})


def account(ada: Person, _: Person) -> Making:
    return Making(ada, "/v1/accounts", {"json": {"name": name()}})


def rule(ada: Person, _: Person) -> Making:
    food = ada.post("/v1/categories", {"name": name()})["id"]
    body = {"match": {"field": "name", "contains": name()}, "categoryId": food}
    return Making(ada, "/v1/import-rules", {"json": body})


def standing_order(ada: Person, _: Person) -> Making:
    one, other = current(ada, "EUR"), current(ada, "EUR")
    body = {
        "fromAccountId": one["id"], "toAccountId": other["id"], "amount": money("1.00"),
        "recurrence": {"every": 1, "unit": "month"}, "startDate": "2999-01-01",
    }  # fmt: skip
    return Making(ada, "/v1/standing-orders", {"json": body})


def household_envelope(ada: Person, _: Person) -> Making:
    late = Person(ada.suite)
    late.post("/v1/families", {})
    return Making(late, "/v1/families/me/budget/envelopes", {"json": {"name": name()}})


def threshold(ada: Person, _: Person) -> Making:
    return Making(ada, f"{club(ada)}/thresholds", {"json": {"amount": money("9.00")}})


def expense(ada: Person, _: Person) -> Making:
    path = club(ada)
    (member,) = ada.get(f"{path}/members")["items"]
    split = {"kind": "equal", "parts": [{"memberId": member["id"]}]}
    body = {"name": "Rent", "amount": money("3.00"), "split": split}
    return Making(ada, f"{path}/expenses", {"json": body})


def attachment(ada: Person, _: Person) -> Making:
    lunch = ada.post("/v1/transactions", {"amount": money("-5.00"), "name": "Lunch"})["id"]
    return Making(ada, f"/v1/transactions/{lunch}/attachments", {"content": picture()})


def expense_attachment(ada: Person, _: Person) -> Making:
    return Making(ada, f"{written(ada)}/attachments", {"content": picture()})


def upload(ada: Person, _: Person) -> Making:
    (wallet,) = (one["id"] for one in ada.get("/v1/accounts")["items"][:1])
    path = f"/v1/imports?accountId={wallet}"
    return Making(ada, path, {"content": CSV, "headers": RAW})


def transaction(ada: Person, _: Person) -> Making:
    body = {"amount": money("-5.00"), "name": "Lunch"}
    return Making(ada, "/v1/transactions", {"json": body})


def invitation(ada: Person, bob: Person) -> Making:
    return Making(
        ada, f"{club(ada)}/invitations", {"json": {"username": bob.username}},
        remove=lambda made: bob.send("POST", f"/v1/invitations/{made['id']}/rejection"),
    )  # fmt: skip


def to_wallet(ada: Person, bob: Person) -> Making:
    body = {"username": bob.username, "role": "viewer"}
    return Making(ada, f"{wallet_of(ada)}/members", {"json": body})


def to_folder(ada: Person, bob: Person) -> Making:
    body = {"username": bob.username, "access": "read"}
    return Making(ada, f"{folder_of(ada)}/invitations", {"json": body})


def guest(ada: Person, _: Person) -> Making:
    return Making(ada, f"{club(ada)}/members", {"json": {"displayName": "Grandma"}})


def comment(ada: Person, _: Person) -> Making:
    return Making(ada, f"{written(ada)}/comments", {"json": {"text": "Why?"}})


def group_category(ada: Person, _: Person) -> Making:
    return Making(ada, f"{club(ada)}/categories", {"json": {"name": name()}})


def group_upload(ada: Person, _: Person) -> Making:
    path = f"{PATH}?groupId={club(ada).rpartition('/')[2]}"
    return Making(ada, path, {"content": EXPORT.encode(), "headers": BYTES})


SAVED = "/v1/insights/saved-queries"


def saved_query(ada: Person, _: Person) -> Making:
    body = {"name": name(), "query": {"measures": ["total"]}}
    return Making(make_admin(ada.suite, "coo"), SAVED, {"json": body})


def taken_query(ada: Person, _: Person) -> Refusal:
    officer = make_admin(ada.suite, "coo")
    body = {"name": name(), "query": {"measures": ["total"]}}
    first = officer.post(SAVED, body)["id"]
    return Refusal(
        officer, SAVED, "saved-query-name-taken", said={"json": body},
        mend=lambda: officer.call("DELETE", f"{SAVED}/{first}", 204),
    )  # fmt: skip
