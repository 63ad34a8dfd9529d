"""What a key promises: one effect, and the first answer again, whatever has changed since."""

import io
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from PIL import Image

from client import Person, money
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups"]

#: What a person says, and what it comes to.
Call = tuple[str, dict[str, Any]]


@pytest.fixture(scope="module")
def ada(suite: Suite) -> Person:
    return Person(suite)


@pytest.fixture(scope="module")
def bob(suite: Suite) -> Person:
    return Person(suite)


def name() -> str:
    return f"N{uuid.uuid4().hex[:8]}"


def account(ada: Person, _: Person) -> tuple[Call, str, Callable[[], None]]:
    called = name()
    taken = ada.post("/v1/accounts", {"name": called})["id"]
    return (
        ("/v1/accounts", {"json": {"name": called}}), "account-name-taken",
        lambda: ada.call("DELETE", f"/v1/accounts/{taken}", 204),
    )  # fmt: skip


def category(ada: Person, _: Person) -> tuple[Call, str, Callable[[], None]]:
    called = name()
    taken = ada.post("/v1/categories", {"name": called})["id"]
    return (
        ("/v1/categories", {"json": {"name": called}}), "category-name-taken",
        lambda: ada.call("DELETE", f"/v1/categories/{taken}", 204),
    )  # fmt: skip


def subcategory(ada: Person, _: Person) -> tuple[Call, str, Callable[[], None]]:
    top, other = (ada.post("/v1/categories", {"name": name()})["id"] for _ in range(2))
    path = f"/v1/categories/{top}"
    ada.call("PATCH", path, 200, json={"parentId": other})
    return (
        ("/v1/categories", {"json": {"name": name(), "parentId": top}}), "category-depth",
        lambda: ada.call("PATCH", path, 200, json={"parentId": None}),
    )  # fmt: skip


def deletion(ada: Person, _: Person) -> tuple[Call, str, Callable[[], None]]:
    current = ada.post("/v1/accounts", {"kind": "current", "currency": "EUR", "name": name()})["id"]
    row = {"accountId": current, "amount": money("5.00"), "name": "In"}
    income = ada.post("/v1/transactions", row)["id"]
    spent = ada.post("/v1/transactions", row | {"amount": money("-5.00"), "name": "Out"})["id"]
    return (
        ("/v1/transactions/deletions", {"json": {"ids": [income]}}), "insufficient-funds",
        lambda: ada.call("DELETE", f"/v1/transactions/{spent}", 200),
    )  # fmt: skip


def invitation(ada: Person, bob: Person) -> tuple[Call, str, Callable[[], None]]:
    path = f"/v1/groups/{ada.post('/v1/groups', {'name': 'Club'})['id']}/invitations"
    body = {"username": bob.username}
    open_one = ada.post(path, body)["id"]
    return (
        (path, {"json": body}), "already-invited",
        lambda: bob.call("POST", f"/v1/invitations/{open_one}/rejection", 204),
    )  # fmt: skip


def somebody(ada: Person, _: Person) -> tuple[Call, str, Callable[[], None]]:
    path = f"/v1/groups/{ada.post('/v1/groups', {'name': 'Club'})['id']}/invitations"
    username = f"p{uuid.uuid4().hex[:12]}"
    return (
        (path, {"json": {"username": username}}), "user-not-found",
        lambda: Person(ada.suite, username=username) and None,
    )  # fmt: skip


def settlement(ada: Person, bob: Person) -> tuple[Call, str, Callable[[], None]]:
    body = {"name": "Pair", "invitations": [{"username": bob.username}]}
    path = f"/v1/groups/{ada.post('/v1/groups', body)['id']}"
    asked = bob.get("/v1/invitations")["items"]
    (mine,) = [one for one in asked if one["groupId"] == path.rsplit("/", 1)[1]]
    bob.post(f"/v1/invitations/{mine['id']}/acceptance", status=200)
    members = {one["userId"]: one["id"] for one in ada.get(f"{path}/members")["items"]}
    split = {"kind": "equal", "parts": [{"memberId": one} for one in members.values()]}
    expense = {"name": "Rent", "amount": money("10.00"), "split": split}
    return (
        (f"{path}/settlements", {"json": {"withMemberId": members[bob.id]}}), "nothing-to-settle",
        lambda: ada.post(f"{path}/expenses", expense) and None,
    )  # fmt: skip


REFUSED = [account, category, subcategory, deletion, invitation, somebody, settlement]


@pytest.mark.parametrize("made", REFUSED)
def test_a_refusal_stays_though_its_cause_is_gone(
    ada: Person, bob: Person, made: Callable[[Person, Person], tuple]
) -> None:
    (path, said), code, mend = made(ada, bob)
    key = str(uuid.uuid4())
    first = ada.send("POST", path, key=key, **said)
    assert first.json()["code"] == code, first.text
    mend()
    again = ada.send("POST", path, key=key, **said)
    assert again.status_code == first.status_code, again.text
    for member in ("code", "detail", "errors"):
        assert again.json().get(member) == first.json().get(member)
    # Under another key it is served.
    assert ada.send("POST", path, **said).status_code == 201


def picture() -> bytes:
    kept = io.BytesIO()
    Image.new("RGB", (8, 8)).save(kept, "PNG")
    return kept.getvalue()


def made_things(ada: Person) -> dict[str, Call]:
    group = ada.post("/v1/groups", {"name": "Club", "currency": "EUR"})["id"]
    (member,) = ada.get(f"/v1/groups/{group}/members")["items"]
    lunch = ada.post("/v1/transactions", {"amount": money("-5.00"), "name": "Lunch"})["id"]
    food = ada.post("/v1/categories", {"name": name()})["id"]
    (wallet,) = (one["id"] for one in ada.get("/v1/accounts")["items"][:1])
    split = {"kind": "equal", "parts": [{"memberId": member["id"]}]}
    content = b"date,name,amount\n2024-03-01,Kiosk,-1.00\n"
    raw = {"Content-Type": "application/octet-stream"}
    return {
        "folder": ("/v1/folders", {"json": {"name": name()}}),
        "category": ("/v1/categories", {"json": {"name": name()}}),
        "account": ("/v1/accounts", {"json": {"name": name()}}),
        "rule": (
            "/v1/import-rules",
            {"json": {"match": {"field": "name", "contains": name()}, "categoryId": food}},
        ),
        "threshold": (f"/v1/groups/{group}/thresholds", {"json": {"amount": money("9.00")}}),
        "expense": (
            f"/v1/groups/{group}/expenses",
            {"json": {"name": "Rent", "amount": money("3.00"), "split": split}},
        ),
        "attachment": (f"/v1/transactions/{lunch}/attachments", {"content": picture()}),
        "import": (f"/v1/imports?accountId={wallet}", {"content": content, "headers": raw}),
    }


@pytest.mark.parametrize(
    "kind",
    ["folder", "category", "account", "rule", "threshold", "expense", "attachment", "import"],
)
def test_an_answer_stays_though_what_was_made_is_gone(ada: Person, kind: str) -> None:
    path, said = made_things(ada)[kind]
    key = str(uuid.uuid4())
    first = ada.send("POST", path, key=key, **said)
    assert first.status_code == 201, first.text
    place = first.headers.get("Location", f"{path}/{first.json()['id']}")
    assert ada.send("DELETE", place).status_code in (200, 204)
    again = ada.send("POST", path, key=key, **said)
    assert again.status_code == 201, again.text
    assert again.json() == first.json()
    for field in ("Location", "ETag", "Content-Type"):
        assert again.headers.get(field) == first.headers.get(field)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    # Nothing has come back.
    assert ada.send("DELETE", place).status_code in (204, 404)
