"""Groups, families, folders and wallets are absent to all but those who are in them: every call of
the document that names one, or anything in it, is tried by strangers, by those who have left, and
by nobody."""

import re
import uuid

import pytest

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
