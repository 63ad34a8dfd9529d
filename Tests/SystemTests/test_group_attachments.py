"""Receipts of shared expenses: who sees them, who brings and takes them, what they take, and when
they go. What a file may be is the ledger's tests' to say; here are the ends of it alone."""

import base64
import hashlib
import os
import signal
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from actions import Group, contents, document, ready
from client import Api, Person, eventually
from conftest import make_suite
from receipts import MIB, half_upload, large, picture, refused
from suite.suite import Suite

#: How long groups waits for a request here: less than for others.
REQUEST_SECONDS = 10


@pytest.fixture(scope="module")
def suite() -> Iterator[Suite]:
    """Of their own: these tests write past groups."""
    suite = make_suite()
    suite.executables.extra["groups"] = {"EZWALLET_REQUEST_SECONDS": str(REQUEST_SECONDS)}
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


NEEDS = ["gateway", "auth", "groups"]


@pytest.fixture
def group(suite: Suite) -> Group:
    return Group(suite)


def path_of(group: Group, expense: str | None = None) -> str:
    """Where the receipts of an expense are; of a new one where none is named."""
    return f"{group.path}/expenses/{expense or group.expense('9.00')['id']}/attachments"


def add(person: Api, path: str, content: bytes, **options: object) -> dict:
    return person.call("POST", path, 201, content=content, **options)


def psql(suite: Suite, statement: str) -> str:
    return suite.postgres.psql("-At", "-c", statement, database="ezwallet_groups").strip()


def chunks(suite: Suite, attachment: str) -> int:
    return int(psql(suite, "select count(*) from groups.attachment_chunk "
                           f"where attachment_id = '{attachment}'"))  # fmt: skip


def taken(suite: Suite, group: Group, person: Person) -> tuple[int, int]:
    """What is counted of the group's receipts and of the person's."""
    answer = psql(suite, f"""
        select attachment_bytes, coalesce(
            (select bytes from groups.attachment_usage where user_id = '{person.id}'), 0)
        from groups.expense_group where id = '{group.id}'""")  # fmt: skip
    of_group, of_person = answer.split("|")
    return int(of_group), int(of_person)


def strays(suite: Suite) -> int:
    """Pieces of no file."""
    return int(
        psql(
            suite,
            """
        select count(*) from groups.attachment_chunk as c where not exists (
            select from groups.expense_attachment as a where a.id = c.attachment_id)""",
        )
    )


def uploads(suite: Suite) -> int:
    """Files that are coming in; without a person they are what is left of others."""
    return int(psql(suite, "select count(user_id) from groups.attachment_upload"))


def sweep(suite: Suite) -> None:
    """Replicas sweep when they start, and once a minute."""
    before = suite.pid("ezwallet-groups-1")

    def is_new() -> bool:
        try:
            return suite.pid("ezwallet-groups-1") != before
        except FileNotFoundError:
            return False

    os.kill(before, signal.SIGTERM)
    eventually(is_new, 30)
    suite.wait_ready()


def archive(group: Group, method: str = "PUT") -> None:
    group.ada.call(method, f"{group.path}/archive", 200)


@pytest.mark.parametrize("kind", ["JPEG", "PDF"])
def test_what_a_member_adds_every_member_gets(group: Group, kind: str) -> None:
    content = document() if kind == "PDF" else picture(kind)
    path = path_of(group)
    answer = group.bob.send(
        "POST", path, content=content, params={"name": "../Rechnung <b>.exe"},
        headers={"Content-Type": "text/html"},
    )  # fmt: skip
    assert answer.status_code == 201, answer.text
    made = answer.json()
    place = f"{path}/{made['id']}"
    assert answer.headers["location"] == place
    assert made["expenseId"] == path.split("/")[-2] and made["memberId"] == group.of_bob
    assert made["size"] == len(content) and made["name"].startswith("Rechnung <b>.exe.")
    digest = hashlib.sha256(content).hexdigest()
    assert made["sha256"] == digest
    for person in (group.ada, group.bob, group.cleo):
        assert person.get(path) == {"items": [made]}
        got = person.send("GET", place)
        assert got.status_code == 200 and got.content == content
    assert got.headers["content-type"] == made["mediaType"]
    assert got.headers["content-disposition"].startswith("attachment; filename=")
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["content-security-policy"] == (
        "default-src 'none'; frame-ancestors 'none'; sandbox"
    )
    assert got.headers["cache-control"] == "no-store"
    same = group.ada.send("GET", place, headers={"If-None-Match": got.headers["etag"]})
    assert same.status_code == 304 and not same.content
    part = group.ada.send("GET", place, headers={"Range": "bytes=-7"})
    assert part.status_code == 206 and part.content == content[-7:]
    # Nothing of it stands beside the expense but here, and nobody is told.
    assert "attachments" not in group.ada.get(path.removesuffix("/attachments"))


def test_ten_mebibytes_go_in_and_one_byte_more_does_not(group: Group) -> None:
    content, path = large(), path_of(group)
    made = add(group.ada, path, content)
    assert group.cleo.send("GET", f"{path}/{made['id']}").content == content
    group.ada.problem("POST", path, 413, "body-too-large", content=content + b"x")
    over = (bytes(MIB) if at else content[:MIB] for at in range(11))
    assert refused(group.ada, path, over) in (413, None)
    assert refused(group.ada, path, b"MZ" + bytes(9 * MIB)) in (415, None)
    assert group.ada.get(path)["items"] == [made]


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"<svg onload=alert(1)>" * 9, 415, "unsupported-media-type"),
        (b"", 415, "unsupported-media-type"),
        (picture("PNG")[:-20], 422, "unreadable-attachment"),
        (b"%PDF-1.7\n" + bytes(2000), 422, "unreadable-attachment"),
    ],
)
def test_what_is_none_is_refused(group: Group, content: bytes, status: int, code: str) -> None:
    path = path_of(group)
    group.ada.problem("POST", path, status, code, content=content)
    assert group.ada.get(path)["items"] == []
    assert taken(group.suite, group, group.ada) == (0, 0)
    eventually(lambda: strays(group.suite) == 0 and uploads(group.suite) == 0)


def test_a_malformed_place_names_nothing(group: Group) -> None:
    path = path_of(group)
    made = add(group.ada, path, document())["id"]
    other = path_of(group)
    for place in (
        f"{other}/{made}", f"{path}/nonsense", f"{path}/{uuid.uuid4()}",
        f"{group.path}/expenses/nonsense/attachments",
        f"{group.path}/expenses/{uuid.uuid4()}/attachments",
        f"/v1/groups/{uuid.uuid4()}/expenses/{path.split('/')[-2]}/attachments/{made}",
    ):  # fmt: skip
        group.ada.problem("GET", place, 404, "not-found")
    group.ada.problem("DELETE", f"{other}/{made}", 404, "not-found")
    absent = f"{group.path}/expenses/{uuid.uuid4()}/attachments"
    group.ada.problem("POST", absent, 404, "not-found", content=document())
    group.ada.problem("POST", path, 400, "invalid-query", content=document(), params={"name": ""})
    assert [one["id"] for one in group.ada.get(path)["items"]] == [made]


def test_an_expense_has_ten_however_many_come_at_once(group: Group) -> None:
    path, content = path_of(group), document()
    people = [group.ada, group.bob, group.cleo]
    with ThreadPoolExecutor(15) as pool:
        answers = list(pool.map(
            lambda at: people[at % 3].send("POST", path, content=content).status_code, range(18)
        ))  # fmt: skip
    assert sorted(answers) == [201] * 10 + [409] * 8
    group.bob.problem("POST", path, 409, "too-many-attachments", content=content)
    listed = group.ada.get(path)["items"]
    assert len(listed) == 10 and len({one["id"] for one in listed}) == 10
    assert taken(group.suite, group, group.ada)[0] == 10 * len(content)
    # In the middle, so that its number is the free one.
    group.cleo.call("DELETE", f"{path}/{listed[4]['id']}", 204)
    group.cleo.problem("DELETE", f"{path}/{listed[4]['id']}", 404, "not-found")
    assert chunks(group.suite, listed[4]["id"]) == 0
    made = add(group.bob, path, content)
    assert group.ada.get(path)["items"] == [one for one in listed if one != listed[4]] + [made]


def test_the_space_of_a_group_and_of_a_person_is_bounded(suite: Suite, group: Group) -> None:
    path, small = path_of(group), document()
    first = add(group.ada, path, large(2 * MIB))
    assert taken(suite, group, group.ada) == (2 * MIB, 2 * MIB)
    most = 1024 * MIB

    def fill(table: str, column: str, name: str, value: str) -> None:
        psql(suite, f"update groups.{table} set {column} = {most - MIB} where {name} = '{value}'")

    fill("attachment_usage", "bytes", "user_id", group.ada.id)
    code = "attachment-space-exhausted"
    group.ada.problem("POST", path, 409, code, content=large(2 * MIB))
    # Another's space is another's; at the last byte it fits, once, whoever is first.
    add(group.bob, path, small)
    other = path_of(group)
    with ThreadPoolExecutor(6) as pool:
        answers = sorted(pool.map(
            lambda at: group.ada.send(
                "POST", (path, other)[at % 2], content=large(MIB)).status_code, range(6)
        ))  # fmt: skip
    assert answers == [201] + [409] * 5
    group.ada.problem("POST", other, 409, code, content=small)
    group.bob.call("DELETE", f"{path}/{first['id']}", 204)
    add(group.ada, other, small)
    # The group's own bound holds for everybody.
    fill("expense_group", "attachment_bytes", "id", group.id)
    told = group.cleo.problem("POST", path, 409, code, content=large(2 * MIB))
    assert "group" in told["detail"]
    add(group.cleo, path, small)
    psql(suite, f"update groups.expense_group set attachment_bytes = {most} "
                f"where id = '{group.id}'")  # fmt: skip
    group.cleo.problem("POST", path, 409, code, content=small)
    elsewhere = Group(suite)
    add(elsewhere.ada, path_of(elsewhere), small)


def test_a_key_adds_one_file(group: Group) -> None:
    path, key, content = path_of(group), str(uuid.uuid4()), large(300_000)
    with ThreadPoolExecutor(6) as pool:
        ids = {one["id"] for one in pool.map(
            lambda _: add(group.ada, path, content, key=key), range(6))}  # fmt: skip
    assert len(ids) == 1 and len(group.ada.get(path)["items"]) == 1
    other = large(300_000, 2)
    group.ada.problem("POST", path, 422, "idempotency-key-reused", content=other, key=key)
    eventually(lambda: strays(group.suite) == 0)
    assert taken(group.suite, group, group.ada) == (300_000, 300_000)


def test_whoever_may_write_expenses_brings_and_takes_them(group: Group) -> None:
    path = path_of(group)
    made = add(group.ada, path, document())
    place = f"{path}/{made['id']}"
    group.ada.call("PATCH", group.path, 200, json={"roles": True})
    cleo = f"{group.path}/members/{group.of_cleo}"
    group.ada.call("PATCH", cleo, 200, json={"role": "viewer"})
    group.cleo.problem("POST", path, 403, "forbidden", content=document())
    group.cleo.problem("DELETE", place, 403, "forbidden")
    assert group.cleo.get(path)["items"] == [made]
    group.bob.problem("DELETE", place, 412, "precondition-failed", headers={"If-Match": '"x"'})
    group.bob.call("DELETE", place, 204, headers={"If-Match": f'"{made["sha256"]}"'})
    assert taken(group.suite, group, group.ada) == (0, 0)


def test_a_group_that_is_put_away_is_only_read(group: Group) -> None:
    path = path_of(group)
    made = add(group.ada, path, document())
    archive(group)
    group.ada.problem("POST", path, 409, "group-archived", content=document())
    group.ada.problem("DELETE", f"{path}/{made['id']}", 409, "group-archived")
    assert group.bob.send("GET", f"{path}/{made['id']}").content
    archive(group, "DELETE")
    add(group.ada, path, document())


def test_strangers_and_those_who_left_find_none(group: Group) -> None:
    path = path_of(group)
    made = add(group.bob, path, document())
    group.bob.call("DELETE", f"{group.path}/members/me", 204, params={"force": "true"})
    for person in (group.bob, Person(group.suite)):
        for method, place in (
            ("GET", path), ("GET", f"{path}/{made['id']}"), ("DELETE", f"{path}/{made['id']}")
        ):  # fmt: skip
            person.problem(method, place, 404, "not-found")
        person.problem("POST", path, 404, "not-found", content=document())
    # What Bob brought stays, and takes of his space until somebody takes it away.
    assert group.ada.get(path)["items"] == [made]
    assert taken(group.suite, group, group.bob)[1] == made["size"]
    group.ada.call("DELETE", f"{path}/{made['id']}", 204)
    assert taken(group.suite, group, group.bob) == (0, 0)


def test_who_leaves_in_the_middle_of_sending_adds_nothing(suite: Suite, group: Group) -> None:
    path, content = path_of(group), large(3 * MIB)
    connection = half_upload(suite, group.bob, path, content)
    eventually(lambda: strays(suite) > 5)
    group.bob.call("DELETE", f"{group.path}/members/me", 204, params={"force": "true"})
    connection.sendall(content[len(content) * 2 // 3 :])
    assert b" 404 " in connection.recv(4_096).split(b"\r\n")[0]
    connection.close()
    assert group.ada.get(path)["items"] == []
    eventually(lambda: strays(suite) == 0 and uploads(suite) == 0)


def test_what_is_given_up_at_its_deadline_leaves_nothing(suite: Suite, group: Group) -> None:
    """The deadline that ends an upload does not end the tidying up after it."""
    connection = half_upload(suite, group.ada, path_of(group), large(3 * MIB))
    eventually(lambda: strays(suite) > 5)
    # It says nothing more until the service has given it up.
    connection.settimeout(2 * REQUEST_SECONDS)
    connection.recv(4_096)
    connection.close()
    eventually(lambda: strays(suite) == 0 and uploads(suite) == 0)


def test_they_go_and_come_with_their_expense(suite: Suite, group: Group) -> None:
    path = path_of(group)
    expense = path.removesuffix("/attachments")
    made = add(group.ada, path, document())
    group.bob.call("DELETE", expense, 204)
    for method, place in (("GET", path), ("GET", f"{path}/{made['id']}"),
                          ("DELETE", f"{path}/{made['id']}")):  # fmt: skip
        group.ada.problem(method, place, 404, "not-found")
    group.ada.problem("POST", path, 404, "not-found", content=document())
    sweep(suite)
    group.bob.post(f"{expense}/undo", status=200)
    assert group.ada.get(path)["items"] == [made]
    assert group.ada.send("GET", f"{path}/{made['id']}").status_code == 200


def test_those_of_a_removed_expense_go_at_last(suite: Suite, group: Group) -> None:
    gone, kept = path_of(group), path_of(group)
    first, second = add(group.bob, gone, document()), add(group.bob, kept, document())
    expense = gone.split("/")[-2]
    group.ada.call("DELETE", gone.removesuffix("/attachments"), 204)
    psql(suite, "update groups.expense set removed_at = now() - interval '2 days' "
                f"where id = '{expense}'")  # fmt: skip
    sweep(suite)
    eventually(lambda: chunks(suite, first["id"]) == 0, 30)
    assert chunks(suite, second["id"]) == 1
    size = second["size"]
    eventually(lambda: taken(suite, group, group.bob) == (size, size))


def test_with_a_group_all_of_it_goes(suite: Suite, group: Group) -> None:
    made = [add(group.bob, path_of(group), document()) for _ in range(3)]
    elsewhere = Group(suite)
    mine = add(elsewhere.ada, path_of(elsewhere), document())
    for person in (group.bob, group.cleo, group.ada):
        person.call("DELETE", f"{group.path}/members/me", 204, params={"force": "true"})
    count = f"select count(*) from groups.expense_attachment where group_id = '{group.id}'"
    assert psql(suite, count) == "0"
    used = f"select bytes from groups.attachment_usage where user_id = '{group.bob.id}'"
    assert psql(suite, used) == "0"
    sweep(suite)
    eventually(lambda: not any(chunks(suite, one["id"]) for one in made), 30)
    assert chunks(suite, mine["id"]) == 1


def test_a_kill_in_the_middle_leaves_nothing(suite: Suite, group: Group) -> None:
    path = path_of(group)
    connections = [half_upload(suite, group.ada, path, large(seed=n)) for n in range(3)]
    eventually(lambda: uploads(suite) == 3 and strays(suite) > 20)
    for replica in (1, 2):
        os.kill(suite.pid(f"ezwallet-groups-{replica}"), signal.SIGKILL)
    for connection in connections:
        connection.close()
    suite.wait_ready()
    assert group.ada.get(path)["items"] == [] and strays(suite) > 0
    # The sweep looks for what began a quarter of an hour ago.
    psql(suite, "update groups.attachment_upload set started_at = now() - interval '16 minutes'")
    sweep(suite)
    eventually(lambda: strays(suite) == 0 and uploads(suite) == 0, 30)
    assert taken(suite, group, group.ada) == (0, 0)
    add(group.ada, path, document())


def test_an_erased_person_leaves_none_and_the_others_theirs(suite: Suite, group: Group) -> None:
    path, left = path_of(group), Group(suite)
    link = left.ada.post(f"{left.path}/invitations", {"link": {}})["link"]["token"]
    group.bob.post(f"/v1/invitation-links/{link}/acceptance", status=200)
    made = [add(group.bob, path, large(3 * MIB)), add(group.bob, path_of(left), document())]
    # One of a group that he has left, too.
    group.bob.call("DELETE", f"{left.path}/members/me", 204)
    theirs = add(group.ada, path, document())
    assert chunks(suite, made[0]["id"]) == 12
    group.bob.post("/v1/users/me/deletion", {"password": group.bob.password}, status=202)
    left_over = " + ".join(
        f"(select count(*) from groups.{table} where user_id = '{group.bob.id}')"
        for table in (
            "expense_attachment",
            "attachment_chunk",
            "attachment_usage",
            "attachment_upload",
        )
    )
    eventually(lambda: psql(suite, f"select {left_over}") == "0", 30)
    assert not any(chunks(suite, one["id"]) for one in made)
    assert group.ada.get(path)["items"] == [theirs]
    assert taken(suite, group, group.ada) == (theirs["size"], theirs["size"])
    assert taken(suite, left, left.ada) == (0, 0)


def test_an_export_has_ones_own_whole(group: Group) -> None:
    path, files = path_of(group), [large(700_000, seed) for seed in range(3)]
    made = [add(group.bob, path, content) for content in files]
    add(group.ada, path, document())
    bob = group.bob
    lists, _ = contents(bob, ready(bob, bob.post("/v1/users/me/exports", status=202)))
    told = lists["expense-attachments"]
    assert [one["sha256"] for one in told] == [one["sha256"] for one in made]
    assert all(one["groupId"] == group.id and one["expenseId"] in path for one in told)
    parts: dict[str, list[tuple[int, bytes]]] = {}
    for one in lists["expense-attachment-contents"]:
        parts.setdefault(one["attachmentId"], []).append(
            (one["part"], base64.b64decode(one["base64"]))
        )
    for one, content in zip(made, files, strict=True):
        assert b"".join(piece for _, piece in sorted(parts[one["id"]])) == content
