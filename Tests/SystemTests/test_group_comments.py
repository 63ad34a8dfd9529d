"""What members say about shared expenses."""

import uuid

import pytest

from actions import Group
from client import Person, eventually
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "notifications"]


@pytest.fixture
def group(suite: Suite) -> Group:
    return Group(suite)


def test_what_is_said_is_listed_told_and_taken_back(group: Group) -> None:
    path = f"{group.path}/expenses/{group.expense('9.00')['id']}/comments"
    key = str(uuid.uuid4())
    said = [group.bob.send("POST", path, json={"text": "Too much!"}, key=key) for _ in range(2)]
    assert [one.status_code for one in said] == [201, 201] and said[0].json() == said[1].json()
    first = said[0].json()
    assert (first["memberId"], first["text"]) == (group.of_bob, "Too much!")
    more = [group.ada.post(path, {"text": f"No.\n{number}"}) for number in range(4)]
    assert list(group.cleo.pages(path, limit=2)) == [*more[::-1], first]

    def told(person: Person) -> list[dict]:
        lines = person.get("/v1/notifications")["items"]
        return [one for one in lines if one["kind"] == "expense-commented"]

    eventually(lambda: len(told(group.cleo)) == 5)
    assert {one["userId"] for one in told(group.cleo)} == {group.ada.id, group.bob.id}
    assert len(told(group.bob)) == 4 and len(told(group.ada)) == 1
    group.ada.problem("DELETE", f"{path}/{first['id']}", 403, "forbidden")
    group.bob.call("DELETE", f"{path}/{first['id']}", 204)
    group.bob.problem("DELETE", f"{path}/{first['id']}", 404, "not-found")
    assert first not in group.ada.get(path)["items"]


def test_a_bad_comment_is_refused(group: Group) -> None:
    path = f"{group.path}/expenses/{group.expense('9.00')['id']}/comments"
    for body in ({"text": ""}, {"text": "x" * 2_001}, {"text": "a\0b"}, {"text": None}, {}):
        problem = group.ada.problem("POST", path, 422, "invalid-body", json=body)
        assert [one["pointer"] for one in problem["errors"]] == ["/text"]
    stranger = Person(group.suite)
    absent = f"{group.path}/expenses/{uuid.uuid4()}/comments"
    for who, where in ((stranger, path), (group.ada, absent)):
        who.problem("GET", where, 404, "not-found")
        who.problem("POST", where, 404, "not-found", json={"text": "x"})
    group.ada.call("DELETE", path.removesuffix("/comments"), 204)
    group.ada.problem("GET", path, 404, "not-found")
