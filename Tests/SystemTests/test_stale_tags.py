"""A stale `If-Match` changes nothing, whatever it is sent with."""

from typing import Any

import pytest

from client import Api
from suite.suite import Suite
from things import DEAD, Things, ask, calls

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]
STALE = {"If-Match": '"stale"'}
#: What has no version: a right or a link between two things, which a call makes what it says,
#: whatever it was, and what is decided once.
UNVERSIONED = {
    "pairWithFriend", "refuseFriendsDebts", "changeWalletMember", "removeWalletMember",
    "changeFolderMember",
    "removeFolderMember", "putIntoFolder", "takeOutOfFolder", "putCategoryIntoFolder",
    "takeCategoryOutOfFolder", "putCategoryIntoHouseholdEnvelope",
    "takeCategoryOutOfHouseholdEnvelope", "linkExpense", "unlinkExpense",
}  # fmt: skip


@pytest.fixture(scope="module")
def things(suite: Suite) -> Things:
    return Things(suite)


def seen(api: Api, things: Things) -> dict[str, Any]:
    """What Ada reads of everything; a file says when it was made."""
    found = {}
    for method, path, operation in calls(api, things):
        if method == "GET" and path != DEAD:
            place = things.places[things.root(path) or ""]
            answer = ask(things.ada, place, method, path, operation)
            if "json" in answer.headers["content-type"]:
                found[path] = answer.json()
    return found


def test_a_stale_tag_changes_nothing(visitor: Api, things: Things) -> None:
    before = seen(visitor, things)
    told = []
    tried = 0
    for method, path, operation in calls(visitor, things):
        takes = any(one["name"] == "If-Match" for one in operation.get("parameters", []))
        if method in ("GET", "POST") or operation["operationId"] in UNVERSIONED and not takes:
            continue
        answer = ask(
            things.ada, things.places[things.root(path) or ""], method, path, operation, **STALE
        )
        if not takes or answer.status_code != 412:
            told.append((operation["operationId"], takes, answer.status_code, answer.text))
        tried += 1
    assert not told, "\n".join(str(one) for one in told)
    assert tried > 35, tried
    after = seen(visitor, things)
    assert {path: one for path, one in after.items() if one != before[path]} == {}


def test_what_is_read_alone_has_a_tag(visitor: Api, things: Things) -> None:
    """So that there is something to send back."""
    for path in (
        "/v1/groups/{id}", "/v1/groups/{id}/expenses/{expenseId}",
        "/v1/groups/{id}/settlements/{settlementId}", "/v1/groups/{id}/recurrences/{recurrenceId}",
        "/v1/group-imports/{id}", "/v1/families/me", "/v1/accounts/{id}", "/v1/folders/{id}",
        "/v1/transactions/{id}", "/v1/recurrences/{id}", "/v1/standing-orders/{id}",
        "/v1/imports/{id}", "/v1/import-rules/{id}", "/v1/categories/{id}",
    ):  # fmt: skip
        place = things.places[things.root(path) or ""]
        first, again = (things.ada.send("GET", path.format(**place)) for _ in range(2))
        assert first.headers["etag"] == again.headers["etag"], path


def test_tags_are_sent_where_the_document_declares_them(visitor: Api, things: Things) -> None:
    told, sent = [], 0
    for method, path, operation in calls(visitor, things):
        if method != "GET" or path == DEAD:
            continue
        place = things.places[things.root(path) or ""]
        answer = ask(things.ada, place, method, path, operation)
        if answer.status_code == 200:
            declared = "ETag" in operation["responses"]["200"].get("headers", {})
            sent += declared
            if declared != ("etag" in answer.headers):
                told.append((path, declared))
    assert not told and sent >= 12, (told, sent)
