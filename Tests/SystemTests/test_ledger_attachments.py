"""Receipts: what is taken, what comes back, and what is left when something breaks."""

import hashlib
import os
import signal
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest

from actions import Shared, add, document, path_of, psql, resident
from client import Api, Person, eventually, money
from conftest import hurt_suite
from receipts import MIB, half_upload, large, picture, refused, tagged, upright
from suite.suite import Suite

#: These tests write past the ledger, whose books others verify.
suite = pytest.fixture(scope="module")(hurt_suite)

NEEDS = ["auth", "ledger"]


def purchase(person: Person) -> str:
    return person.post("/v1/transactions", {"amount": money("-5.00"), "name": "Lunch"})["id"]


@pytest.mark.parametrize(
    ("kind", "media"),
    [("JPEG", "image/jpeg"), ("PNG", "image/png"), ("GIF", "image/gif"), ("WEBP", "image/webp"),
     ("AVIF", "image/avif"), ("PDF", "application/pdf")],
)  # fmt: skip
def test_what_goes_in_comes_out(ada: Person, kind: str, media: str) -> None:
    content = document() if kind == "PDF" else picture(kind)
    lunch = purchase(ada)
    # What the header says counts for nothing.
    answer = ada.send(
        "POST", path_of(lunch), content=content, params={"name": "../Rechnung & Co."},
        headers={"Content-Type": "text/html"},
    )  # fmt: skip
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert answer.headers["location"] == f"{path_of(lunch)}/{made['id']}"
    digest = hashlib.sha256(content).hexdigest()
    assert made["mediaType"] == media and made["size"] == len(content)
    assert made["sha256"] == digest and made["name"].startswith("Rechnung & Co.")
    assert ada.get(path_of(lunch))["items"] == [made]

    got = ada.send("GET", f"{path_of(lunch)}/{made['id']}")
    assert got.status_code == 200 and got.content == content
    assert got.headers["content-type"] == media and got.headers["etag"] == f'"{digest}"'
    assert got.headers["content-disposition"].startswith("attachment; filename=")
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["cache-control"] == "no-store"
    assert int(got.headers["content-length"]) == len(content)
    head = ada.send("HEAD", f"{path_of(lunch)}/{made['id']}")
    assert head.content == b"" and head.headers["content-length"] == str(len(content))
    same = ada.send(
        "GET", f"{path_of(lunch)}/{made['id']}", headers={"If-None-Match": f'"{digest}"'}
    )
    assert same.status_code == 304 and not same.content


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP", "AVIF"])
def test_receipts_lose_their_metadata_and_keep_their_pixels(ada: Person, kind: str) -> None:
    content, lunch = tagged(kind), purchase(ada)
    assert content.count(b"Secret") >= 1
    made = add(ada, lunch, content, headers={"Idempotency-Key": f"tagged-{kind}"})
    got = ada.send("GET", f"{path_of(lunch)}/{made['id']}").content
    assert b"Secret" not in got and upright(got) == upright(content)
    assert made["size"] == len(got) and made["sha256"] == hashlib.sha256(got).hexdigest()
    # A repeated call is known by what was sent.
    assert add(ada, lunch, content, headers={"Idempotency-Key": f"tagged-{kind}"}) == made


def test_ten_mebibytes_go_both_ways_and_in_parts(ada: Person) -> None:
    content, lunch = large(), purchase(ada)
    made = add(
        ada, lunch, content,
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote('發票.pdf')}"},
    )  # fmt: skip
    assert made["name"] == "發票.pdf"
    place = f"{path_of(lunch)}/{made['id']}"
    assert ada.send("GET", place).content == content
    for wanted, expected in [
        ("bytes=0-99", content[:100]), ("bytes=262000-262300", content[262000:262301]),
        ("bytes=-7", content[-7:]), ("bytes=10485000-", content[10485000:]),
    ]:  # fmt: skip
        part = ada.send("GET", place, headers={"Range": wanted})
        assert part.status_code == 206 and part.content == expected, wanted
    assert ada.send("GET", place, headers={"Range": "bytes=10485760-"}).status_code == 416
    # One byte more is refused before it is read, also where no length is told.
    ada.problem("POST", path_of(lunch), 413, "body-too-large", content=content + b"x")
    parts = (content[at : at + MIB] for at in range(0, len(content), MIB))
    streamed = add(ada, lunch, parts, retry=False)
    assert streamed["sha256"] == made["sha256"]
    over = (bytes(MIB) if at else content[:MIB] for at in range(11))
    answer = refused(ada, path_of(lunch), over)
    assert answer in (413, None)


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"<html><script>alert(1)</script></html>" * 9, 415, "unsupported-media-type"),
        (b"", 415, "unsupported-media-type"),
        (b"PK\x03\x04" + bytes(100), 415, "unsupported-media-type"),
        (picture("PNG")[:-20], 422, "unreadable-attachment"),
        (picture("JPEG")[:500], 422, "unreadable-attachment"),
        (b"%PDF-1.7\n" + bytes(2000), 422, "unreadable-attachment"),
    ],
)
def test_what_is_none_is_refused(ada: Person, content: bytes, status: int, code: str) -> None:
    lunch = purchase(ada)
    ada.problem("POST", path_of(lunch), status, code, content=content)
    assert ada.get(path_of(lunch))["items"] == []


def test_what_is_long_and_none_is_refused_early(ada: Person) -> None:
    lunch = purchase(ada)
    assert refused(ada, path_of(lunch), b"MZ" + bytes(9 * MIB)) in (415, None)
    assert ada.get(path_of(lunch))["items"] == []


def test_others_see_nothing(ada: Person, suite: Suite) -> None:
    other, lunch = Person(suite), purchase(ada)
    made = add(ada, lunch, document())
    for method, path in [
        ("GET", path_of(lunch)), ("GET", f"{path_of(lunch)}/{made['id']}"),
        ("DELETE", f"{path_of(lunch)}/{made['id']}"),
        # One's own transaction and another's receipt.
        ("GET", f"{path_of(purchase(other))}/{made['id']}"),
    ]:  # fmt: skip
        other.problem(method, path, 404, "not-found")
    other.problem("POST", path_of(lunch), 404, "not-found", content=document())
    Api(suite).problem("GET", path_of(lunch), 401, "unauthenticated")
    ada.problem("GET", path_of("nonsense"), 404, "not-found")


def test_a_key_adds_one_file(ada: Person) -> None:
    lunch, key, content = purchase(ada), str(uuid.uuid4()), large(300_000)
    made = add(ada, lunch, content, key=key)
    again = ada.send("POST", path_of(lunch), content=content, key=key)
    assert again.status_code == 201 and again.json() == made
    assert again.headers["idempotency-replayed"] == "true"
    ada.problem(
        "POST", path_of(lunch), 422, "idempotency-key-reused", content=large(300_000, 2), key=key
    )
    assert ada.get(path_of(lunch))["items"] == [made]
    with ThreadPoolExecutor(6) as pool:
        both = str(uuid.uuid4())
        ids = {one["id"] for one in pool.map(
            lambda _: add(ada, lunch, content, key=both), range(6))}  # fmt: skip
    assert len(ids) == 1 and len(ada.get(path_of(lunch))["items"]) == 2


def test_a_transaction_has_ten(ada: Person) -> None:
    lunch, content = purchase(ada), document()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(
            lambda _: ada.send("POST", path_of(lunch), content=content).status_code, range(16)
        ))  # fmt: skip
    assert sorted(answers) == [201] * 10 + [409] * 6
    ada.problem("POST", path_of(lunch), 409, "too-many-attachments", content=content)
    first = ada.get(path_of(lunch))["items"][0]
    ada.call("DELETE", f"{path_of(lunch)}/{first['id']}", 204)
    ada.problem("DELETE", f"{path_of(lunch)}/{first['id']}", 404, "not-found")
    add(ada, lunch, content)


def test_a_transaction_has_ten_whoever_adds_them(suite: Suite) -> None:
    shared, content = Shared(suite), document()
    people = [shared.ada, shared.eve]
    for _ in range(3):
        path = path_of(shared.record(shared.eve)["id"])
        for _ in range(9):
            shared.ada.call("POST", path, 201, content=content)
        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(
                lambda at, path=path: people[at % 2].send(
                    "POST", path, content=content).status_code, range(12)
            ))  # fmt: skip
        assert sorted(answers) == [201] + [409] * 11
        assert len(shared.ada.get(path)["items"]) == 10


def test_a_removed_one_leaves_a_tombstone(ada: Person, suite: Suite) -> None:
    lunch = purchase(ada)
    made = add(ada, lunch, document(), params={"name": "secret"})
    place = f"{path_of(lunch)}/{made['id']}"
    ada.problem("DELETE", place, 412, "precondition-failed", headers={"If-Match": '"other"'})
    ada.call("DELETE", place, 204, headers={"If-Match": f'"{made["sha256"]}"'})
    ada.problem("GET", place, 404, "not-found")
    kept = psql(suite, f"select name, deleted_at is not null from ledger.attachment "
                       f"where id = '{made['id']}'")  # fmt: skip
    assert kept == "|t" and chunks(suite, made["id"]) == 0


def test_they_go_and_come_with_their_transaction(ada: Person) -> None:
    lunch = purchase(ada)
    made = add(ada, lunch, document())
    deletion = ada.call("DELETE", f"/v1/transactions/{lunch}", 200)
    ada.problem("GET", path_of(lunch), 404, "not-found")
    ada.post(f"/v1/transactions/deletions/{deletion['id']}/undo", status=200)
    assert ada.get(path_of(lunch))["items"] == [made]


def chunks(suite: Suite, attachment: str) -> int:
    return int(psql(suite, "select count(*) from ledger.attachment_chunk "
                           f"where attachment_id = '{attachment}'"))  # fmt: skip


def test_twenty_at_once_take_little_memory(suite: Suite) -> None:
    """200 MiB go in at once, and out again."""
    people = [Person(suite) for _ in range(20)]
    places = [purchase(person) for person in people]
    add(people[0], places[0], large())
    names = ["ezwallet-ledger-1", "ezwallet-ledger-2", "ezwallet-gateway-1"]
    pids = [suite.pid(name) for name in names]
    for pid in pids:
        # The highest mark begins anew.
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    before = [resident(pid) for pid in pids]
    content = large(seed=3)

    def both_ways(number: int) -> bool:
        person, lunch = people[number], places[number]
        person.http.timeout = 120
        made = add(person, lunch, content, retry=False)
        return person.send("GET", f"{path_of(lunch)}/{made['id']}").content == content

    with ThreadPoolExecutor(20) as pool:
        assert all(pool.map(both_ways, range(20)))
    added = [resident(pid, "VmHWM") - start for pid, start in zip(pids, before, strict=True)]
    print({name: f"{size / MIB:.1f} MiB" for name, size in zip(names, added, strict=True)})
    assert sum(added) < 60 * MIB, added


def uploads(suite: Suite) -> int:
    return int(psql(suite, "select count(*) from ledger.attachment_upload"))


def stray_chunks(suite: Suite) -> int:
    return int(
        psql(
            suite,
            """
        select count(*) from ledger.attachment_chunk as c
        where not exists (select from ledger.attachment as a where a.id = c.attachment_id)""",
        )
    )


def test_a_sender_who_goes_leaves_nothing(suite: Suite) -> None:
    person = Person(suite)
    lunch = purchase(person)
    connection = half_upload(suite, person, path_of(lunch), large())
    eventually(lambda: stray_chunks(suite) > 5)
    connection.close()
    # At once, and not by the deadline of the request.
    eventually(lambda: stray_chunks(suite) == 0 and uploads(suite) == 0, 10)
    assert person.get(path_of(lunch))["items"] == []


def sweep(suite: Suite) -> None:
    """Replicas sweep when they start, and once a minute."""
    replica = "ezwallet-ledger-1"
    before = suite.pid(replica)

    def is_new() -> bool:
        try:
            return suite.pid(replica) != before
        except FileNotFoundError:
            return False

    os.kill(before, signal.SIGTERM)
    eventually(is_new, 30)
    suite.wait_ready()


def test_a_kill_in_the_middle_leaves_nothing(suite: Suite) -> None:
    person = Person(suite)
    lunch = purchase(person)
    connections = [half_upload(suite, person, path_of(lunch), large(seed=n)) for n in range(4)]
    eventually(lambda: uploads(suite) == 4 and stray_chunks(suite) > 20)
    for replica in (1, 2):
        os.kill(suite.pid(f"ezwallet-ledger-{replica}"), signal.SIGKILL)
    for connection in connections:
        connection.close()
    suite.wait_ready()
    assert person.get(path_of(lunch))["items"] == []
    assert stray_chunks(suite) > 0
    # The sweep looks for what began a quarter of an hour ago.
    psql(suite, "update ledger.attachment_upload set started_at = now() - interval '16 minutes'")
    sweep(suite)
    eventually(lambda: stray_chunks(suite) == 0 and uploads(suite) == 0, 30)
    add(person, lunch, document())


def test_those_of_a_deleted_transaction_go_at_last(suite: Suite) -> None:
    person = Person(suite)
    gone, kept = purchase(person), purchase(person)
    first, second = add(person, gone, document()), add(person, kept, document())
    person.call("DELETE", f"/v1/transactions/{gone}", 200)
    psql(
        suite,
        f"""
        update ledger.entry set recorded_at = now() - interval '2 days'
        where id = (select reversed_by from ledger.money_transaction where id = '{gone}')""",
    )
    sweep(suite)
    eventually(lambda: chunks(suite, first["id"]) == 0, 30)
    assert chunks(suite, second["id"]) == 1


def test_the_space_of_a_person_is_bounded(suite: Suite) -> None:
    person = Person(suite)
    lunch = purchase(person)
    made = add(person, lunch, large(2 * MIB))
    psql(suite, f"update ledger.attachment_usage set bytes = {1024 * MIB - MIB} "
                f"where user_id = '{person.id}'")  # fmt: skip
    person.problem(
        "POST", path_of(lunch), 409, "attachment-space-exhausted", content=large(2 * MIB)
    )
    add(person, lunch, large(MIB))
    person.problem("POST", path_of(lunch), 409, "attachment-space-exhausted", content=document())
    person.call("DELETE", f"{path_of(lunch)}/{made['id']}", 204)
    add(person, lunch, large(2 * MIB))


def test_an_erased_person_leaves_none(suite: Suite) -> None:
    person = Person(suite)
    made = add(person, purchase(person), large(3 * MIB))
    assert chunks(suite, made["id"]) == 12
    person.post("/v1/users/me/deletion", {"password": person.password}, status=202)
    eventually(
        lambda: psql(suite, f"""
            select (select count(*) from ledger.attachment where user_id = '{person.id}')
                + (select count(*) from ledger.attachment_chunk where user_id = '{person.id}')
                + (select count(*) from ledger.attachment_usage where user_id = '{person.id}')""")
        == "0", 30,
    )  # fmt: skip
    time.sleep(0.1)
    assert chunks(suite, made["id"]) == 0


def test_an_export_has_them_whole(suite: Suite) -> None:
    import base64

    from actions import contents, ready

    person = Person(suite)
    files = [large(700_000, seed) for seed in range(3)]
    made = [add(person, purchase(person), content) for content in files]
    lists, _ = contents(person, ready(person, person.post("/v1/users/me/exports", status=202)))
    assert [one["sha256"] for one in lists["attachments"]] == [one["sha256"] for one in made]
    parts: dict[str, list[tuple[int, bytes]]] = {}
    for one in lists["attachment-contents"]:
        parts.setdefault(one["attachmentId"], []).append(
            (one["part"], base64.b64decode(one["base64"]))
        )
    for one, content in zip(made, files, strict=True):
        assert b"".join(piece for _, piece in sorted(parts[one["id"]])) == content
