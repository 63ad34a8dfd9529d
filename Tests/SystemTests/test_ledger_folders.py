"""Folders: where transactions are put together, alone and with others."""

import random
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from actions import Shared, accept, category, folder, invite, join, wallet
from client import Person, eventually, mail_text, mails, money
from erasures import completed, delete
from folders import inside, put, record, take
from follower import Follower
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]


def test_a_transaction_is_in_one_folder_at_most_by_whichever_call(suite: Suite) -> None:
    ada = Person(suite)
    made = ada.send("POST", "/v1/folders", json={"name": "  Trip to Roma "})
    assert made.status_code == 201, made.text
    trip = made.json()["id"]
    assert made.headers["Location"] == f"/v1/folders/{trip}"
    other = folder(ada, "Home")
    assert [one["id"] for one in ada.get("/v1/folders")["items"]] == [other, trip]
    one = ada.post("/v1/transactions", {"amount": money("-5.00"), "folderId": trip})
    assert one["folderId"] == trip
    batch = ada.post(
        "/v1/transactions/batches",
        {"transactions": [{"amount": money("-1.00"), "folderId": trip}, {"amount": money("2.00")}]},
    )
    first, second = (row["id"] for row in batch["items"])
    assert inside(ada, trip) == {one["id"], first}
    put(ada, trip, second)
    put(ada, trip, second)
    assert inside(ada, trip) == {one["id"], first, second}
    put(ada, other, second)
    assert inside(ada, trip) == {one["id"], first} and inside(ada, other) == {second}
    ada.problem("DELETE", f"/v1/folders/{trip}/transactions/{second}", 404, "not-found")
    ada.call("PATCH", f"/v1/transactions/{second}", 200, json={"folderId": None})
    assert inside(ada, other) == set()
    moved = ada.call("PATCH", f"/v1/transactions/{first}", 200, json={"folderId": other})
    assert moved["folderId"] == other and inside(ada, other) == {first}
    # Money is booked anew and the folder stays; deleting and undoing bring it back.
    ada.call("PATCH", f"/v1/transactions/{first}", 200, json={"amount": money("-3.00")})
    gone = ada.call("DELETE", f"/v1/transactions/{first}", 200)
    assert inside(ada, other) == set()
    ada.call("POST", f"/v1/transactions/deletions/{gone['id']}/undo", 200)
    assert inside(ada, other) == {first}
    take(ada, other, first)
    assert inside(ada, other) == set() and "folderId" not in ada.get(f"/v1/transactions/{first}")
    changed = [
        set(item["changed"])
        for item in ada.get(f"/v1/transactions/{first}/history")["items"]
        if item["action"] == "changed"
    ]
    assert {"folderId"} in changed and {"amount"} in changed


def test_a_folder_is_read_renamed_and_deleted_and_what_was_in_it_stays(suite: Suite) -> None:
    ada = Person(suite)
    trip = folder(ada)
    abroad = wallet(ada, "USD")
    one = record(ada, "-5.00", folderId=trip)
    record(ada, "7.50", folderId=trip)
    record(ada, "0.00", folderId=trip)
    ada.post("/v1/transactions", {
        "amount": money("-2.00", "USD"), "accountId": abroad, "folderId": trip
    })  # fmt: skip
    seen = ada.send("GET", f"/v1/folders/{trip}")
    body = seen.json()
    assert body["access"] == "owner" and body["ownerId"] == ada.id and body["memberCount"] == 1
    assert [m["me"] for m in body["members"]] == [True] and body["categories"] == []
    assert body["totals"] == [
        {"count": 3, "in": money("7.50"), "out": money("5.00")},
        {"count": 1, "in": money("0.00", "USD"), "out": money("2.00", "USD")},
    ]
    tag = seen.headers["ETag"]
    renamed = ada.send(
        "PATCH", f"/v1/folders/{trip}", json={"name": "Roma"}, headers={"If-Match": tag}
    )
    assert renamed.json()["name"] == "Roma" and renamed.headers["ETag"] != tag
    ada.problem(
        "PATCH", f"/v1/folders/{trip}", 412, "precondition-failed",
        json={"name": "x"}, headers={"If-Match": tag},
    )  # fmt: skip
    for name in ("", "x" * 81, None, 7):
        ada.problem("PATCH", f"/v1/folders/{trip}", 422, "invalid-body", json={"name": name})
    ada.problem("POST", "/v1/folders", 422, "invalid-body", json={})
    ada.call("DELETE", f"/v1/folders/{trip}", 204)
    ada.problem("GET", f"/v1/folders/{trip}", 404, "not-found")
    ada.problem("DELETE", f"/v1/folders/{trip}", 404, "not-found")
    assert inside(ada, trip) == set() and ada.get("/v1/folders")["items"] == []
    left = ada.get(f"/v1/transactions/{one}")
    assert "folderId" not in left and left["version"] == 1
    ada.problem("POST", "/v1/transactions", 422, "invalid-body",
                json={"amount": money("-1.00"), "folderId": trip})  # fmt: skip


def test_what_is_not_ones_own_is_unknown(suite: Suite) -> None:
    ada, eve = Person(suite), Person(suite)
    mine, hers = folder(ada), folder(eve)
    one, other = record(ada), record(eve)
    for bad in (hers, str(uuid.uuid4())):
        for method, path, body in (
            ("POST", "/v1/transactions", {"amount": money("-1.00"), "folderId": bad}),
            ("POST", "/v1/transactions/batches",
             {"transactions": [{"amount": money("-1.00"), "folderId": bad}]}),
            ("PATCH", f"/v1/transactions/{one}", {"folderId": bad}),
        ):  # fmt: skip
            problem = ada.problem(method, path, 422, "invalid-body", json=body)
            (error,) = problem["errors"]
            assert error["code"] == "unknown-reference", error
            assert error["pointer"].endswith("/folderId"), error
        for method, path in (
            ("GET", ""), ("PATCH", ""), ("DELETE", ""), ("GET", "/members"),
            ("GET", "/invitations"),
            ("PUT", f"/transactions/{one}"), ("DELETE", f"/transactions/{one}"),
            ("PUT", f"/categories/{category(ada)}"), ("DELETE", f"/categories/{category(ada)}"),
            ("DELETE", "/members/me"), ("POST", "/invitations"),
        ):  # fmt: skip
            body = {"PATCH": {"name": "x"}, "POST": {"username": eve.username}}.get(method)
            ada.problem(method, f"/v1/folders/{bad}{path}", 404, "not-found", json=body)
        assert inside(ada, bad) == set()
    ada.problem("PUT", f"/v1/folders/{mine}/transactions/{other}", 404, "not-found")
    ada.problem("PUT", f"/v1/folders/{mine}/categories/{category(eve)}", 404, "not-found")
    # What was refused for the folder is recorded under the same key once there is the right.
    key = {"Idempotency-Key": str(uuid.uuid4())}
    body = {"amount": money("-1.00"), "folderId": hers}
    ada.problem("POST", "/v1/transactions", 422, "invalid-body", json=body, headers=key)
    join(eve, hers, ada, "write")
    made = ada.post("/v1/transactions", body, headers=key)["id"]
    assert inside(eve, hers) == {made}
    # And stays recorded under it where the right is gone.
    ada.call("DELETE", f"/v1/folders/{hers}/members/me", 204)
    again = ada.send("POST", "/v1/transactions", json=body, headers=key)
    assert again.status_code == 201 and again.json()["id"] == made
    assert inside(eve, hers) == set()


def test_everyones_is_seen_by_each_member_and_changed_by_its_owner_alone(suite: Suite) -> None:
    ada, eve, vic, sam = (Person(suite) for _ in range(4))
    trip = folder(ada)
    join(ada, trip, eve, "write")
    join(ada, trip, vic, "read")
    mine = record(ada, "-10.00", folderId=trip, name="Hotel", tags=["Roma"])
    hers = record(eve, "-4.00", folderId=trip, name="Taxi", tags=["roma"])
    record(eve, "-9.00", name="Secret")
    vic.problem("POST", "/v1/transactions", 422, "invalid-body",
                json={"amount": money("-1.00"), "folderId": trip})  # fmt: skip
    own = record(vic)
    vic.problem("PUT", f"/v1/folders/{trip}/transactions/{own}", 403, "forbidden")
    vic.problem("DELETE", f"/v1/folders/{trip}/transactions/{mine}", 403, "forbidden")
    vic.problem("PUT", f"/v1/folders/{trip}/categories/{category(vic)}", 403, "forbidden")
    for reader in (ada, eve, vic):
        assert inside(reader, trip) == {mine, hers}
        for filters, wanted in (
            ({"query": "taxi"}, {hers}), ({"tag": "ROMA"}, {mine, hers}),
            ({"query": "secret"}, set()), ({"minAmount": "5"}, {mine}),
            ({"direction": "in"}, set()), ({"sort": "amount"}, {mine, hers}),
            ({"accountId": [ada.get("/v1/accounts")["items"][0]["id"]]}, {mine}),
        ):  # fmt: skip
            assert inside(reader, trip, **filters) == wanted, (filters, reader is ada)
        page = reader.get("/v1/transactions", folderId=trip, groupBy="month", expand="category")
        assert [(g["count"], g["out"]) for g in page["groups"]] == [(2, money("14.00"))]
        assert all(row["folderId"] == trip and row["category"]["name"] for row in page["items"])
        booked = {row["id"]: row.get("bookedFor") for row in page["items"]}
        assert booked == {mine: None if reader is ada else ada.id,
                          hers: None if reader is eve else eve.id}  # fmt: skip
        body = reader.get(f"/v1/folders/{trip}")
        assert [one["userId"] for one in body["members"]] == [ada.id, eve.id, vic.id]
        assert body["totals"] == [{"count": 2, "in": money("0.00"), "out": money("14.00")}]
    assert inside(sam, trip) == set()
    # Another's is never editable: it can only be taken out, and it is told who did.
    ada.problem("PATCH", f"/v1/transactions/{hers}", 404, "not-found", json={"name": "x"})
    ada.problem("DELETE", f"/v1/transactions/{hers}", 404, "not-found")
    take(eve, trip, mine)
    assert inside(vic, trip) == {hers}
    (last, *_) = ada.get(f"/v1/transactions/{mine}/history")["items"]
    assert last["userId"] == eve.id and last["changed"] == ["folderId"], last
    assert ada.get(f"/v1/transactions/{mine}")["name"] == "Hotel"
    put(ada, trip, mine)
    # Rights change, members leave and come back, and what is theirs with them.
    ada.call("PATCH", f"/v1/folders/{trip}/members/{eve.id}", 200, json={"access": "read"})
    eve.problem("DELETE", f"/v1/folders/{trip}/transactions/{mine}", 403, "forbidden")
    eve.call("PATCH", f"/v1/transactions/{hers}", 200, json={"amount": money("-6.00")})
    assert inside(ada, trip) == {mine, hers}
    for person, target in ((eve, ada.id), (eve, vic.id), (ada, "me"), (ada, ada.id)):
        person.problem("DELETE", f"/v1/folders/{trip}/members/{target}", 403, "forbidden")
    eve.call("DELETE", f"/v1/folders/{trip}/members/me", 204)
    eve.problem("GET", f"/v1/folders/{trip}", 404, "not-found")
    assert inside(ada, trip) == {mine} and inside(eve, trip) == set()
    assert "folderId" not in eve.get(f"/v1/transactions/{hers}")
    # What is changed meanwhile is there again, too.
    eve.call("PATCH", f"/v1/transactions/{hers}", 200, json={"name": "Cab"})
    eve.call("PATCH", f"/v1/transactions/{hers}", 200, json={"amount": money("-5.00")})
    join(ada, trip, eve, "write")
    assert inside(vic, trip) == {mine, hers}
    ada.call("DELETE", f"/v1/folders/{trip}/members/{vic.id}", 204)
    vic.problem("GET", f"/v1/folders/{trip}", 404, "not-found")


def test_a_category_brings_its_transactions_once_each(suite: Suite) -> None:
    ada, eve = Person(suite), Person(suite)
    trip = folder(ada)
    join(ada, trip, eve, "write")
    food = category(eve)
    whole = record(eve, "-3.00", categoryId=food)
    (others,) = [one["id"] for one in eve.get("/v1/categories")["items"] if one["default"]]
    split = eve.post("/v1/transactions", {
        "amount": money("-5.00"),
        "lines": [{"categoryId": food, "amount": money("-2.00")},
                  {"categoryId": others, "amount": money("-3.00")}],
    })["id"]  # fmt: skip
    both = record(eve, "-7.00", categoryId=food, folderId=trip)
    record(eve, "-1.00", categoryId=others)
    eve.call("PUT", f"/v1/folders/{trip}/categories/{food}", 204)
    eve.call("PUT", f"/v1/folders/{trip}/categories/{food}", 204)
    for reader in (ada, eve):
        assert inside(reader, trip) == {whole, split, both}
        assert inside(reader, trip, sort="amount") == {whole, split, both}
        assert inside(reader, trip, query="x") == set()
        body = reader.get(f"/v1/folders/{trip}")
        assert body["totals"] == [{"count": 3, "in": money("0.00"), "out": money("15.00")}]
        assert [(c["categoryId"], c["userId"]) for c in body["categories"]] == [(food, eve.id)]
        rows = reader.get("/v1/transactions", folderId=trip)["items"]
        assert sorted(row["id"] for row in rows) == sorted([whole, split, both])
    later = record(eve, "-2.00", categoryId=food)
    assert later in inside(ada, trip)
    # It is there by its category: it is not taken out alone.
    ada.problem("DELETE", f"/v1/folders/{trip}/transactions/{whole}", 404, "not-found")
    ada.call("DELETE", f"/v1/folders/{trip}/categories/{food}", 204)
    ada.problem("DELETE", f"/v1/folders/{trip}/categories/{food}", 404, "not-found")
    assert inside(eve, trip) == {both}
    # A category that is gone brings nothing more; nor one of who has left.
    eve.call("PUT", f"/v1/folders/{trip}/categories/{food}", 204)
    eve.call("DELETE", f"/v1/categories/{food}", 204)
    assert inside(ada, trip) == {both}
    assert ada.get(f"/v1/folders/{trip}")["categoryCount"] == 0
    games = category(eve)
    played = record(eve, "-2.00", categoryId=games)
    eve.call("PUT", f"/v1/folders/{trip}/categories/{games}", 204)
    assert inside(ada, trip) == {both, played}
    ada.call("DELETE", f"/v1/folders/{trip}/members/{eve.id}", 204)
    assert inside(ada, trip) == set() and ada.get(f"/v1/folders/{trip}")["categories"] == []


def test_invitations_to_a_folder(suite: Suite) -> None:
    ada, bob, sam = (Person(suite) for _ in range(3))
    trip = folder(ada, "Roma")
    made = invite(ada, trip, bob, "write")
    assert made["kind"] == "folder" and made["folderId"] == trip and made["access"] == "write"
    path = f"/v1/folders/{trip}/invitations"
    ada.problem("POST", path, 409, "already-invited", json={"username": bob.username})
    ada.problem("POST", path, 409, "already-member", json={"username": ada.username})
    ada.problem("POST", path, 422, "invalid-body", json={"username": "x", "access": "owner"})
    ada.problem("POST", path, 404, "user-not-found", json={"username": "no" + uuid.uuid4().hex})
    assert [one["id"] for one in ada.get(path)["items"]] == [made["id"]]
    (seen,) = bob.get("/v1/invitations")["items"]
    assert seen["name"] == "Roma" and seen["access"] == "write" and "invitee" not in seen

    def told(person: Person, kind: str) -> list[dict[str, Any]]:
        items = person.get("/v1/notifications")["items"]
        return [one for one in items if one["kind"] == kind and one.get("folderId") == trip]

    eventually(lambda: told(bob, "invitation-received"))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: accept(bob, made["id"]), range(8)))
    assert {one["kind"] for one in answers} == {"folder"}
    assert {one["folder"]["id"] for one in answers} == {trip}
    assert {one["folder"]["access"] for one in answers} == {"write"}
    eventually(lambda: told(ada, "invitation-answered"))
    assert len(told(ada, "invitation-answered")) == 1
    bob.problem("POST", path, 403, "forbidden", json={"username": sam.username})
    bob.problem("GET", path, 403, "forbidden")
    ada.problem("POST", path, 409, "already-member", json={"username": bob.username})
    refused = invite(ada, trip, sam, "read")
    sam.post(f"/v1/invitations/{refused['id']}/rejection", status=204)
    sam.problem("GET", f"/v1/folders/{trip}", 404, "not-found")
    back = invite(ada, trip, sam, "read")
    ada.call("DELETE", f"{path}/{back['id']}", 204)
    sam.problem("POST", f"/v1/invitations/{back['id']}/acceptance", 404, "not-found")
    # By address, with a mail; and of a folder that is gone nobody becomes a member.
    ada.post(path, {"email": sam.email, "access": "read"})
    sent = eventually(lambda: [m for m in mails(suite, sam.email) if "Roma" in m["Subject"]])
    assert "Roma" in mail_text(sent[-1])
    last = invite(ada, trip, sam, "read")
    ada.call("DELETE", f"/v1/folders/{trip}", 204)
    sam.problem("POST", f"/v1/invitations/{last['id']}/acceptance", 404, "not-found")
    assert sam.get("/v1/folders")["items"] == []


@pytest.mark.parametrize("end", ["folder", "owner"])
def test_invitations_to_a_folder_end_with_it_and_its_owner(suite: Suite, end: str) -> None:
    ada, bob, sam = (Person(suite) for _ in range(3))
    sam.verify_email()
    trip = folder(ada)
    path = f"/v1/folders/{trip}/invitations"
    sent = [(bob, invite(ada, trip, bob, "read")["id"]),
            (sam, ada.post(path, {"email": sam.email})["id"])]  # fmt: skip
    if end == "folder":
        ada.call("DELETE", f"/v1/folders/{trip}", 204)
        for _, one in sent:
            ada.problem("GET", f"/v1/invitations/{one}", 404, "not-found")
    else:
        completed(suite, delete(ada))
        assert bob.get("/v1/invitations")["items"] == []
    for person, one in sent:
        person.problem("POST", f"/v1/invitations/{one}/acceptance", 404, "not-found")
        assert person.get("/v1/invitations")["items"] == []
        assert person.get("/v1/folders")["items"] == []


def test_a_members_view_of_a_shared_wallet_tells_of_no_private_folder(suite: Suite) -> None:
    shared = Shared(suite)
    ada, eve = shared.ada, shared.eve
    private = folder(ada)
    one = shared.record(ada, "-5.00", folderId=private)["id"]
    assert "folderId" not in eve.get(f"/v1/transactions/{one}")
    take(ada, private, one)
    put(ada, private, one)
    for item in eve.get(f"/v1/transactions/{one}/history")["items"]:
        assert "folderId" not in item["transaction"] and "folderId" not in item["changed"], item
    items = ada.get(f"/v1/transactions/{one}/history")["items"]
    assert [item["changed"] for item in items] == [["folderId"], ["folderId"], []]
    # An editor changes words of it, and it stays in the owner's folder.
    eve.call("PATCH", f"/v1/transactions/{one}", 200, json={"name": "Lunch"})
    assert inside(ada, private) == {one}
    eve.problem("PATCH", f"/v1/transactions/{one}", 422, "invalid-body",
                json={"folderId": folder(eve)})  # fmt: skip
    # In the editor's books it is in no folder of the owner's.
    eve.call("PATCH", f"/v1/transactions/{one}", 200, json={"categoryId": category(eve)})
    assert inside(ada, private) == set()


def test_sides_of_a_transfer_are_filed_each_for_itself(suite: Suite) -> None:
    ada = Person(suite)
    trip = folder(ada)
    source, target = (ada.post("/v1/accounts", {"kind": kind, "currency": "EUR"})["id"]
                      for kind in ("current", "current"))  # fmt: skip
    ada.post("/v1/transactions", {"accountId": source, "amount": money("50.00")})
    sent = ada.post("/v1/transfers", {
        "fromAccountId": source, "toAccountId": target, "amount": money("20.00")
    })  # fmt: skip
    sides = [row["id"] for row in ada.pages("/v1/transactions")
             if row.get("transferId") == sent["id"]]  # fmt: skip
    assert len(sides) == 2
    put(ada, trip, sides[0])
    assert inside(ada, trip) == {sides[0]}
    # Between own accounts it is neither income nor expense.
    assert ada.get(f"/v1/folders/{trip}")["totals"] == [
        {"count": 1, "in": money("0.00"), "out": money("0.00")}
    ]


def test_amounts_are_compared_where_what_is_in_it_has_one_currency(suite: Suite) -> None:
    ada, eve = Person(suite), Person(suite)
    trip = folder(ada)
    join(ada, trip, eve, "write")
    dollars = wallet(eve, "USD")
    record(eve, "-9.00", folderId=trip)
    one = record(ada, "-4.00", folderId=trip)
    eve.post("/v1/transactions", {"accountId": dollars, "amount": money("-1.00", "USD")})
    rows = ada.get("/v1/transactions", folderId=trip, sort="-amount")["items"]
    assert [row["amount"]["amount"] for row in rows] == ["-4.00", "-9.00"]
    assert inside(ada, trip, maxAmount="5") == {one}
    abroad = eve.post("/v1/transactions", {
        "accountId": dollars, "amount": money("-1.00", "USD"), "folderId": trip
    })["id"]  # fmt: skip
    ada.problem("GET", f"/v1/transactions?folderId={trip}&sort=amount", 422, "currency-mismatch")
    take(ada, trip, abroad)
    assert len(inside(ada, trip, sort="amount")) == 2
    assert inside(ada, folder(ada), sort="amount") == set()


def test_nothing_stays_of_who_leaves_while_they_put_things_in(suite: Suite) -> None:
    """Put and removed at once, many times: in the end what is there is of who is there."""
    ada, eve = Person(suite), Person(suite)
    trip = folder(ada)
    labels = [category(eve) for _ in range(4)]
    rows = [record(eve, categoryId=label) for label in labels]
    for _ in range(4):
        join(ada, trip, eve, "write")
        calls = [("PUT", eve, f"categories/{label}") for label in labels]
        calls += [("PUT", eve, f"transactions/{row}") for row in rows]
        calls.insert(random.randrange(len(calls)), ("DELETE", ada, f"members/{eve.id}"))
        with ThreadPoolExecutor(len(calls)) as pool:
            answers = list(pool.map(
                lambda call: call[1].send(call[0], f"/v1/folders/{trip}/{call[2]}").status_code,
                calls,
            ))  # fmt: skip
        assert set(answers) <= {204, 404}, answers
        seen = ada.get(f"/v1/folders/{trip}")
        assert (seen["memberCount"], seen["categories"], seen["categoryCount"]) == (1, [], 0)
        assert inside(ada, trip) == set() and seen["totals"] == []


def test_copies_follow_folders(suite: Suite) -> None:
    ada, eve = Person(suite), Person(suite)
    copies = [Follower(ada), Follower(eve)]

    def check(note: str) -> None:
        for copy in copies:
            copy.catch_up()
            copy.check(note)

    check("first")
    trip = folder(ada)
    one = record(ada, folderId=trip)
    check("made")
    join(ada, trip, eve, "write")
    check("joined")
    other = record(eve, folderId=trip)
    eve.call("PUT", f"/v1/folders/{trip}/categories/{category(eve)}", 204)
    ada.call("PATCH", f"/v1/folders/{trip}", 200, json={"name": "Roma"})
    check("renamed, and a category in it")
    eve.call("DELETE", f"/v1/folders/{trip}/members/me", 204)
    check("left")
    assert trip not in copies[1].copy["folder"]
    join(ada, trip, eve, "read")
    check("back")
    assert copies[1].copy["transaction"][other]["folderId"] == trip
    ada.call("DELETE", f"/v1/folders/{trip}", 204)
    check("deleted")
    assert "folderId" not in copies[0].copy["transaction"][one]
    fresh = Follower(eve)
    fresh.catch_up()
    fresh.check("anew")


def test_a_person_who_goes_takes_folders_and_what_was_put_in(suite: Suite) -> None:
    ada, eve = Person(suite), Person(suite)
    of_ada, of_eve = folder(ada), folder(eve)
    join(ada, of_ada, eve, "write")
    join(eve, of_eve, ada, "write")
    record(ada, folderId=of_ada)
    record(ada, folderId=of_eve)
    kept = record(eve, folderId=of_eve)
    hers = record(eve, folderId=of_ada)
    copy = Follower(eve)
    copy.catch_up()
    receipt = delete(ada)
    completed(suite, receipt)
    eventually(lambda: [one["id"] for one in eve.get("/v1/folders")["items"]] == [of_eve])
    eve.problem("GET", f"/v1/folders/{of_ada}", 404, "not-found")
    assert inside(eve, of_ada) == set() and inside(eve, of_eve) == {kept}
    assert "folderId" not in eve.get(f"/v1/transactions/{hers}")
    assert eve.get(f"/v1/folders/{of_eve}")["memberCount"] == 1
    copy.catch_up()
    copy.check("ada gone")
