"""Groups, families, folders and wallets are absent to all but those who are in them: every call of
the document that names one, or anything in it, is tried by strangers, by those who have left, and
by nobody."""

import re
import uuid

import httpx
import pytest

from actions import at_once
from client import Api, Person
from keyed_sharing import EXPORT
from suite.suite import Suite
from things import DEAD, Things, ask, calls

NEEDS = ["gateway", "auth", "ledger", "groups", "analytics", "notifications"]
#: What refuses whatever it does not know, where lists are empty.
REFUSING = re.compile("/v1/reports/(balances|budgets|forecast|payees|places)")


@pytest.fixture(scope="module")
def things(suite: Suite) -> Things:
    return Things(suite)


def test_strangers_and_those_who_left_find_nothing(visitor: Api, things: Things) -> None:
    found = []
    tried = 0
    for method, path, operation in calls(visitor, things):
        for one, place in things.outsiders(path):
            answer = ask(one, place, method, path, operation)
            if answer.status_code != 404 or answer.json()["code"] != "not-found":
                found.append((method, path, things.names[one.id], place, answer.text))
        answer = ask(visitor, place, method, path, operation)
        assert answer.status_code == 401, (method, path, answer.status_code)
        tried += 1
    assert not found, "\n".join(str(one) for one in found)
    assert tried > 110, tried


def test_members_find_all_of_it(visitor: Api, things: Things) -> None:
    """So that nothing is absent to everybody: what is only read is read by who is in it."""
    for method, path, operation in calls(visitor, things):
        if method == "GET" and path != DEAD:
            place = things.places[things.root(path) or ""]
            answer = ask(things.ada, place, method, path, operation)
            assert answer.status_code == 200, (path, answer.status_code, answer.text)


def test_what_a_query_names_is_as_absent(visitor: Api, things: Things) -> None:
    """Whoever names another's finds the same as whoever names nothing that there is."""
    named = {
        "accountId": things.wallet, "folderId": things.binder,
        "categoryId": things.places["/v1/categories/{id}"]["id"],
        "groupId": things.places["/v1/groups/{id}"]["id"],
    }  # fmt: skip
    tried = []

    def told(one: Person, method: str, path: str, query: dict[str, str]) -> tuple[int, dict]:
        file = {} if method == "GET" else {"content": EXPORT.encode()}
        answer = one.send(method, path, params=query, **file)
        found = 400 if REFUSING.fullmatch(path) else 200
        wanted = found if method == "GET" else 404
        assert answer.status_code == wanted, (path, query, answer.text)
        return answer.status_code, answer.json() | {"traceId": ""}

    for path, operations in visitor.get("/openapi.json")["paths"].items():
        # Administrators alone read the log (`test_admin.py`).
        for method, operation in operations.items() if path != "/v1/audit" else ():
            for parameter in operation.get("parameters", []) if "{" not in path else ():
                name = parameter["name"]
                if parameter["in"] != "query" or "uuid" not in str(parameter["schema"]):
                    continue
                for one in (things.sam, things.bob):
                    queries = ({name: named[name]}, {name: str(uuid.uuid4())})
                    other, nothing = (told(one, method.upper(), path, said) for said in queries)
                    assert other == nothing, (method, path, things.names[one.id], name, other)
                tried.append((path, name))
    assert len(tried) > 10, tried


def seen(person: Person, method: str, path: str, body: dict | None = None) -> tuple:
    """What an answer says, without what is another each time."""
    answer = person.send(method, path, json=body)
    said = answer.json()
    for one in said.get("items", [said]):
        for field in ("id", "groupId", "accountId", "folderId", "familyId", "createdAt",
                      "invitee", "invitedBy", "inviterId", "traceId", "instance"):  # fmt: skip
            one.pop(field, None)
    return answer.status_code, answer.headers.get("etag"), said


def place(ada: Person, kind: str) -> tuple[str, str, dict]:
    """Something that Ada shares: where she invites to it, where she lists whom, and as what."""
    if kind == "family":
        ada.post("/v1/families", {"name": "x"})
        return "/v1/families/me/invitations", "/v1/families/me/invitations", {"role": "parent"}
    root = {"group": "groups", "wallet": "accounts", "folder": "folders"}[kind]
    path = f"/v1/{root}/{ada.post(f'/v1/{root}', {'name': 'x'})['id']}"
    more = {"group": {}, "wallet": {"role": "viewer"}, "folder": {"access": "read"}}[kind]
    return f"{path}/{'members' if kind == 'wallet' else 'invitations'}", f"{path}/invitations", more


@pytest.mark.parametrize("kind", ["group", "wallet", "folder", "family"])
def test_no_answer_tells_whose_an_address_is(suite: Suite, kind: str) -> None:
    bob, eve = Person(suite), Person(suite)
    bob.verify_email()
    told = []
    for address in (bob.email, eve.email, f"{uuid.uuid4().hex}@example.org"):
        ada = Person(suite)
        path, lists, more = place(ada, kind)
        log: list = []

        def ask(named: dict, ada: Person = ada, path: str = path, lists: str = lists,
                more: dict = more, log: list = log) -> None:  # fmt: skip
            log += [seen(ada, "POST", path, named | more), seen(ada, "GET", lists)]

        def open_to(who: str, ada: Person = ada, lists: str = lists) -> str:
            return next(one["id"] for one in ada.get(lists)["items"] if one["invitee"] == who)

        ask({"email": address})
        ask({"email": address})
        if kind != "family":
            # Beside each other, in either order, before and after he is in it.
            ask({"username": bob.username})
            ada.call("DELETE", f"{lists}/{open_to(address)}", 204)
            ask({"email": address})
            ask({"username": bob.username})
            bob.post(f"/v1/invitations/{open_to(bob.username)}/acceptance", status=200)
            assert "x" not in [one["name"] for one in bob.get("/v1/invitations")["items"]]
            ask({"email": address})
            ask({"username": bob.username})
        ada.call("DELETE", f"{lists}/{open_to(address)}", 204)
        ask({"email": address})
        for _ in range(3):
            ada.call("DELETE", f"{lists}/{open_to(address)}", 204)
            ask({"email": address})
        if kind == "group":
            # Several in one call, of whom one may be named twice.
            asked = [{"username": bob.username}, {"email": address}]
            for some in (asked, asked[::-1], [asked[1], asked[1]]):
                log.append(seen(ada, "POST", "/v1/groups", {"name": "y", "invitations": some}))
        told.append(log)
    assert told[0] == told[1] == told[2]
    statuses = {one[0] for one in told[0]}
    assert {200, 201, 409} <= statuses


@pytest.mark.parametrize("kind", ["group", "wallet", "folder", "family"])
def test_a_no_to_an_address_does_not_tell_whose_it_is(suite: Suite, kind: str) -> None:
    ada, bob = Person(suite), Person(suite)
    bob.verify_email()
    path, lists, more = place(ada, kind)
    sent = ada.post(path, {"email": bob.email} | more)["id"]
    named = ada.post(path, {"username": bob.username} | more)["id"] if kind != "family" else None
    bob.call("POST", f"/v1/invitations/{sent}/rejection", 204)
    read = ada.get(f"/v1/invitations/{sent}")
    assert read["state"] == "rejected" and "answeredBy" not in read
    # The other is answered by itself.
    assert [one["id"] for one in ada.get(lists)["items"]] == [named] * (named is not None)


def test_trying_usernames_has_a_limit_wherever_one_is_taken(suite: Suite) -> None:
    ada, bob = Person(suite), Person(suite)
    places = [place(ada, kind) for kind in ("group", "wallet", "folder")]

    def asked(number: int, name: str) -> httpx.Response:
        if number % 4 == 3:
            body = {"name": "x", "invitations": [{"username": name}]}
            return ada.send("POST", "/v1/groups", json=body)
        path, _, more = places[number % 4]
        return ada.send("POST", path, json={"username": name} | more)

    answers = at_once(30, lambda number: asked(number, uuid.uuid4().hex[:12]))
    assert sorted(one.status_code for one in answers) == [404] * 20 + [429] * 10
    # Of a name that is somebody's no less is told then, and by each way.
    for number in range(4):
        answer = asked(number, bob.username)
        assert answer.status_code == 429 and int(answer.headers["retry-after"]) > 0
    assert bob.get("/v1/invitations")["items"] == []
    # Others are not slowed down.
    path, _, more = place(bob, "group")
    bob.post(path, {"username": ada.username} | more)
