"""Wallets with other people: invitations, rights, leaving, and what counts in whose books."""

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from actions import Shared, accept, category
from client import Person, eventually, link_token, mail_text, mails, money, value
from erasures import completed, delete
from faults import restart
from files import PICTURE
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications", "analytics"]


@pytest.fixture(scope="module")
def shared(suite: Suite) -> Shared:
    return Shared(suite)


def test_an_invitation_makes_a_member_once(suite: Suite) -> None:
    ada, bob = Person(suite), Person(suite)
    wallet = ada.post("/v1/accounts", {"kind": "wallet", "name": "Home", "currency": "EUR"})
    path = f"/v1/accounts/{wallet['id']}"
    assert wallet["role"] == "owner" and "ownedBy" not in wallet
    bob.problem("GET", path, 404, "not-found")
    made = ada.post(f"{path}/members", {"username": bob.username, "role": "editor"})
    assert made["kind"] == "wallet" and made["accountId"] == wallet["id"], made
    ada.problem(
        "POST", f"{path}/members", 409, "already-invited",
        json={"username": bob.username, "role": "viewer"},
    )  # fmt: skip
    assert [one["id"] for one in ada.get(f"{path}/invitations")["items"]] == [made["id"]]
    (seen,) = bob.get("/v1/invitations")["items"]
    assert seen["id"] == made["id"] and seen["name"] == "Home" and seen["role"] == "editor"
    assert seen["invitedBy"] and "invitee" not in seen
    eventually(lambda: told(bob, "invitation-received", wallet["id"]))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: accept(bob, made["id"]), range(8)))
    assert {one["kind"] for one in answers} == {"wallet"}
    assert {one["wallet"]["id"] for one in answers} == {wallet["id"]}
    assert {one["wallet"]["role"] for one in answers} == {"editor"}
    assert [one["role"] for one in ada.get(f"{path}/members")["items"]] == ["owner", "editor"]
    assert not bob.get("/v1/invitations")["items"]
    assert not ada.get(f"{path}/invitations")["items"]
    eventually(lambda: told(ada, "invitation-answered", wallet["id"]))
    assert len(told(ada, "invitation-answered", wallet["id"])) == 1
    ada.problem(
        "POST", f"{path}/members", 409, "already-member",
        json={"username": bob.username, "role": "viewer"},
    )  # fmt: skip
    mine = {one["id"]: one for one in bob.get("/v1/accounts")["items"]}
    assert mine[wallet["id"]]["role"] == "editor" and mine[wallet["id"]]["ownedBy"]


def told(person: Person, kind: str, account: str) -> list[dict[str, Any]]:
    items = person.get("/v1/notifications")["items"]
    return [one for one in items if one["kind"] == kind and one.get("accountId") == account]


def test_who_can_be_asked(suite: Suite, shared: Shared) -> None:
    ada, path = shared.ada, f"{shared.path}/members"
    nobody = {"username": "nobody-" + uuid.uuid4().hex[:8], "role": "viewer"}
    ada.problem("POST", path, 404, "user-not-found", json=nobody)
    ada.problem("POST", path, 409, "already-member", json={"username": ada.username})
    ada.problem("POST", path, 422, "invalid-body", json={"role": "viewer"})
    ada.problem("POST", path, 422, "invalid-body", json={"username": "x", "role": "owner"})
    someone = {"username": shared.sam.username, "role": "viewer"}
    for member in (shared.eve, shared.vic):
        member.problem("POST", path, 403, "forbidden", json=someone)
        member.problem("GET", f"{shared.path}/invitations", 403, "forbidden")
    shared.sam.problem("POST", path, 404, "not-found", json=someone)
    shared.sam.problem("GET", f"{shared.path}/invitations", 404, "not-found")
    current = ada.post("/v1/accounts", {"kind": "current", "currency": "EUR"})
    ada.problem("POST", f"/v1/accounts/{current['id']}/members", 409, "account-kind", json=someone)


def test_an_invitation_is_rejected_withdrawn_and_mailed(suite: Suite, shared: Shared) -> None:
    ada, sam = shared.ada, shared.sam
    first = shared.invite(sam, "viewer")
    sam.post(f"/v1/invitations/{first['id']}/rejection", status=204)
    assert not sam.get("/v1/invitations")["items"]
    sam.problem("POST", f"/v1/invitations/{first['id']}/acceptance", 404, "not-found")
    second = shared.invite(sam, "viewer")
    place = f"{shared.path}/invitations/{second['id']}"
    sam.problem("DELETE", place, 404, "not-found")
    shared.eve.problem("DELETE", place, 403, "forbidden")
    ada.call("DELETE", place, 204)
    ada.problem("DELETE", place, 404, "not-found")
    sam.problem("POST", f"/v1/invitations/{second['id']}/acceptance", 404, "not-found")
    # By address: only whoever has proved it sees it.
    late = Person(suite)
    ada.post(f"{shared.path}/members", {"email": late.email, "role": "viewer"})
    sent = eventually(
        lambda: [m for m in mails(suite, late.email) if "wallet" in m["Subject"].lower()]
    )
    assert "Trip" in mail_text(sent[-1])
    assert not late.get("/v1/invitations")["items"]
    (confirm,) = eventually(
        lambda: [m for m in mails(suite, late.email) if "Confirm" in m["Subject"]]
    )
    late.call("POST", f"/v1/email-verifications/{link_token(confirm)}", 204)
    (seen,) = eventually(lambda: late.get("/v1/invitations")["items"])
    accept(late, seen["id"])
    assert shared.roles()[late.id] == "viewer"
    late.call("DELETE", f"{shared.path}/members/me", 204)
    sam.problem("GET", shared.path, 404, "not-found")


def test_the_rights_of_each_role(suite: Suite) -> None:
    shared = Shared(suite)
    ada, eve, vic, sam = shared.ada, shared.eve, shared.vic, shared.sam
    own = shared.record(ada, "-10.00", name="Dinner")
    of_eve = shared.record(eve, "-4.00", name="Taxi", tags=["trip"])
    for reader in (ada, eve, vic):
        assert value(reader.get(shared.path)["balance"]) == -14
        for one in (own, of_eve):
            path = f"/v1/transactions/{one['id']}"
            seen = reader.get(path)
            assert seen["amount"] == one["amount"] and seen["accountId"] == shared.id
            assert reader.get(f"{path}/history")["items"]
            assert reader.get(f"{path}/attachments")["items"] == []
        for query in ({"accountId": shared.id}, {}, {"query": "taxi"}, {"tag": "trip"}):
            ids = [one["id"] for one in reader.get("/v1/transactions", **query)["items"]]
            assert of_eve["id"] in ids, (query, ids)
        assert reader.send("GET", f"{shared.path}/statement?format=csv").status_code == 200
        assert len(reader.get(f"{shared.path}/members")["items"]) == 3
    mine = f"/v1/transactions/{own['id']}"
    for path in (shared.path, f"{shared.path}/members", f"{shared.path}/statement", mine,
                 f"{mine}/history", f"{mine}/attachments"):  # fmt: skip
        sam.problem("GET", path, 404, "not-found")
    assert sam.get("/v1/transactions", accountId=shared.id)["items"] == []
    writes: list[tuple[str, str, Any]] = [
        ("PATCH", mine, {"name": "Supper"}),
        ("DELETE", mine, None),
    ]
    for method, path, body in writes:
        sam.problem(method, path, 404, "not-found", json=body)
        vic.problem(method, path, 403, "forbidden", json=body)
    new = {"accountId": shared.id, "amount": money("-1.00")}
    sam.problem("POST", "/v1/transactions", 422, "invalid-body", json=new)
    vic.problem("POST", "/v1/transactions", 403, "forbidden", json=new)
    batch = {"transactions": [new, new]}
    sam.problem("POST", "/v1/transactions/batches", 422, "invalid-body", json=batch)
    vic.problem("POST", "/v1/transactions/batches", 403, "forbidden", json=batch)
    ids = {"ids": [own["id"]]}
    vic.problem("POST", "/v1/transactions/deletions", 403, "forbidden", json=ids)
    sam.problem("POST", "/v1/transactions/deletions", 422, "invalid-body", json=ids)
    receipt = {"content": PICTURE, "headers": {"Content-Type": "image/png"}}
    sam.problem("POST", f"{mine}/attachments", 404, "not-found", **receipt)
    vic.problem("POST", f"{mine}/attachments", 403, "forbidden", **receipt)
    # What its owner alone does.
    for person, status, code in ((eve, 403, "forbidden"), (vic, 403, "forbidden"),
                                 (sam, 404, "not-found")):  # fmt: skip
        person.problem("PATCH", shared.path, status, code, json={"name": "Mine"})
        person.problem("DELETE", shared.path, status, code)
        place = f"{shared.path}/members/{vic.id if person is eve else eve.id}"
        person.problem("PATCH", place, status, code, json={"role": "editor"})
        person.problem("DELETE", place, status, code)
        person.problem(
            "POST", f"/v1/imports?accountId={shared.id}", status, code,
            content=b"date,amount\n2026-01-01,1.00\n", headers={"Content-Type": "text/csv"},
        )  # fmt: skip
    target = eve.post("/v1/accounts", {"kind": "current", "currency": "EUR"})
    quote = {"fromAccountId": shared.id, "toAccountId": target["id"], "amount": money("1.00")}
    eve.problem("POST", "/v1/quotes", 403, "forbidden", json=quote)
    sam.problem("POST", "/v1/quotes", 422, "invalid-body", json=quote)
    # Directly, too; and a stranger learns nothing of what is there.
    absent = str(uuid.uuid4())
    for hold in (False, True):
        for to in ({"toAccountId": target["id"]}, {"toIban": target["iban"]}):
            body = {"fromAccountId": shared.id, "amount": money("1.00"), "hold": hold} | to
            for person in (eve, vic):
                person.problem("POST", "/v1/transfers", 403, "forbidden", json=body)
                batch = {"transfers": [body]}
                person.problem("POST", "/v1/transfers/batches", 403, "forbidden", json=batch)
            told = [
                sam.problem("POST", "/v1/transfers", 422, "invalid-body", json=body | other)
                for other in ({}, {"fromAccountId": absent})
            ]
            assert told[0]["errors"] == told[1]["errors"], told
            assert told[0]["errors"][0]["pointer"] == "/fromAccountId"
        into = {"fromAccountId": target["id"], "toAccountId": shared.id}
        body = into | {"amount": money("1.00"), "hold": hold}
        eve.problem("POST", "/v1/transfers", 403, "forbidden", json=body)
    body = {"fromAccountId": shared.id, "toAccountId": shared.id, "amount": money("1.00")}
    told = [
        sam.problem("POST", "/v1/transfers", 422, "invalid-body", json=one)["errors"]
        for one in (body, body | {"fromAccountId": absent, "toAccountId": absent})
    ]
    assert told[0] == told[1]
    # A key does not keep that a right was missing.
    key = str(uuid.uuid4())
    new = {"accountId": shared.id, "amount": money("-1.00")}
    vic.problem("POST", "/v1/transactions", 403, "forbidden", json=new, key=key)
    place = f"{shared.path}/members/{vic.id}"
    ada.call("PATCH", place, 200, json={"role": "editor"})
    made = vic.post("/v1/transactions", new, key=key)
    assert vic.post("/v1/transactions", new, key=key)["id"] == made["id"]
    vic.call("DELETE", f"/v1/transactions/{made['id']}", 200)
    assert value(ada.get(shared.path)["balance"]) == -14


def test_an_editor_changes_what_others_recorded(suite: Suite) -> None:
    shared = Shared(suite)
    ada, eve, vic = shared.ada, shared.eve, shared.vic
    one = shared.record(ada, "-10.00", name="Dinner")
    path = f"/v1/transactions/{one['id']}"
    assert eve.call("PATCH", path, 200, json={"name": "Supper"})["name"] == "Supper"
    assert value(eve.call("PATCH", path, 200, json={"amount": money("-12.00")})["amount"]) == -12
    assert value(ada.get(shared.path)["balance"]) == -12
    history = ada.get(f"{path}/history")["items"]
    assert {item["userId"] for item in history} == {ada.id, eve.id}, history
    # In whose books it is: the recorder's, until another puts it into a category of theirs.
    assert eve.get(path)["bookedFor"] == ada.id and "bookedFor" not in ada.get(path)
    food = category(eve)
    moved = eve.call("PATCH", path, 200, json={"categoryId": food})
    assert moved["categoryId"] == food and "bookedFor" not in moved
    assert ada.get(path)["bookedFor"] == eve.id
    (row,) = ada.get("/v1/transactions", accountId=shared.id, expand="category")["items"]
    assert row["category"]["id"] == food and row["category"]["name"]
    ada.problem("PATCH", path, 422, "invalid-body", json={"categoryId": str(uuid.uuid4())})
    receipt = {"content": PICTURE, "headers": {"Content-Type": "image/png"}}
    made = eve.call("POST", f"{path}/attachments", 201, **receipt)
    for reader in (ada, vic):
        got = reader.send("GET", f"{path}/attachments/{made['id']}")
        assert got.status_code == 200 and got.content == PICTURE
    vic.problem("DELETE", f"{path}/attachments/{made['id']}", 403, "forbidden")
    ada.call("DELETE", f"{path}/attachments/{made['id']}", 204)
    gone = eve.call("DELETE", path, 200)
    assert value(ada.get(shared.path)["balance"]) == 0
    ada.problem("GET", path, 404, "not-found")
    eve.post(f"/v1/transactions/deletions/{gone['id']}/undo", status=200)
    assert value(vic.get(shared.path)["balance"]) == -12


def test_lists_have_everybodys_rows_page_by_page(suite: Suite) -> None:
    shared = Shared(suite)
    people = [shared.ada, shared.eve]
    made = []
    for number in range(24):
        who = people[number % 2]
        one = shared.record(
            who, f"-{number + 1}.00", name=f"Row {number}", date=f"2026-01-{number % 28 + 1:02d}",
            tags=["odd" if number % 2 else "even"],
        )  # fmt: skip
        made.append(one["id"])
    private = shared.eve.post("/v1/transactions", {"amount": money("-99.00"), "name": "Private"})
    for reader in (shared.ada, shared.eve, shared.vic):
        for query in ({}, {"sort": "date"}, {"sort": "amount"}, {"from": "2026-01-01"},
                      {"direction": "out", "minAmount": "1"}):  # fmt: skip
            ids = [one["id"] for one in reader.pages("/v1/transactions", limit=5, **query)]
            assert len(ids) == len(set(ids)), query
            assert set(made) <= set(ids), query
            assert (private["id"] in ids) == (reader is shared.eve)
        odd = [one["id"] for one in reader.pages("/v1/transactions", tag="odd", limit=5)]
        assert set(odd) == set(made[1::2])
        found = [one["id"] for one in reader.pages("/v1/transactions", query="row", limit=5)]
        assert set(found) == set(made)
        groups = reader.get("/v1/transactions", groupBy="month", accountId=shared.id)["groups"]
        assert [(one["key"], one["count"]) for one in groups] == [("2026-01", 24)]
        by_category = reader.get("/v1/transactions", groupBy="category", accountId=shared.id)
        assert sum(one["count"] for one in by_category["groups"]) == 24
        assert len(by_category["items"]) == 24


def test_a_member_leaves_and_another_is_removed(suite: Suite) -> None:
    shared = Shared(suite)
    ada, eve, vic = shared.ada, shared.eve, shared.vic
    one = shared.record(eve, "-4.00", name="Taxi")
    me = f"{shared.path}/members/me"
    ada.problem("DELETE", me, 403, "forbidden")
    ada.problem("DELETE", f"{shared.path}/members/{ada.id}", 403, "forbidden")
    changed = ada.call("PATCH", f"{shared.path}/members/{vic.id}", 200, json={"role": "editor"})
    assert changed["role"] == "editor"
    shared.record(vic, "-1.00")
    ada.call("PATCH", f"{shared.path}/members/{eve.id}", 200, json={"role": "viewer"})
    eve.problem("PATCH", f"/v1/transactions/{one['id']}", 403, "forbidden", json={"name": "x"})
    eve.call("DELETE", me, 204)
    eve.problem("DELETE", me, 404, "not-found")
    # What she recorded stays with the wallet, and she sees it no more.
    for path in (shared.path, f"/v1/transactions/{one['id']}", f"{shared.path}/members"):
        eve.problem("GET", path, 404, "not-found")
    assert one["id"] not in [row["id"] for row in eve.get("/v1/transactions")["items"]]
    assert one["id"] in [row["id"] for row in ada.get("/v1/transactions")["items"]]
    ada.call("DELETE", f"{shared.path}/members/{vic.id}", 204)
    vic.problem("GET", shared.path, 404, "not-found")
    ada.problem("DELETE", f"{shared.path}/members/{vic.id}", 404, "not-found")
    # Asked again, she is in it again, with what she had recorded.
    shared.join(eve, "editor")
    assert eve.get(f"/v1/transactions/{one['id']}")["name"] == "Taxi"
    assert shared.roles() == {ada.id: "owner", eve.id: "editor"}


def test_leaving_while_writing(suite: Suite) -> None:
    shared = Shared(suite)
    eve, answered = shared.eve, []
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            answer = eve.send(
                "POST", "/v1/transactions",
                json={"accountId": shared.id, "amount": money("-1.00")},
            )  # fmt: skip
            answered.append(answer.status_code)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    eventually(lambda: answered.count(201) > 10)
    shared.ada.call("DELETE", f"{shared.path}/members/{eve.id}", 204)
    # Answered before sent: from now on nothing is recorded.
    before = value(shared.ada.get(shared.path)["balance"])
    body = {"accountId": shared.id, "amount": money("-1.00")}
    assert eve.send("POST", "/v1/transactions", json=body).status_code == 422
    stop.set()
    for thread in threads:
        thread.join()
    after = value(shared.ada.get(shared.path)["balance"])
    assert set(answered) <= {201, 422}, set(answered)
    # Those that were under way when it ended may stand.
    assert before - after <= 4 and -after == answered.count(201)


def test_a_kill_between_the_steps_loses_no_membership(suite: Suite) -> None:
    ada = Person(suite)
    wallet = ada.post("/v1/accounts", {"kind": "wallet", "name": "Kills", "currency": "EUR"})
    path = f"/v1/accounts/{wallet['id']}"
    people = [Person(suite) for _ in range(6)]
    made = [
        ada.post(f"{path}/members", {"username": one.username, "role": "viewer"}) for one in people
    ]

    def answer(pair: tuple[Person, dict[str, Any]]) -> int:
        person, invitation = pair
        place = f"/v1/invitations/{invitation['id']}/acceptance"
        return person.send("POST", place).status_code

    with ThreadPoolExecutor(6) as pool:
        waiting = [pool.submit(answer, pair) for pair in zip(people, made, strict=True)]
        for name in ("ledger-1", "groups-1", "ledger-2", "groups-2"):
            restart(suite, f"ezwallet-{name}")
        statuses = [one.result() for one in waiting]
    # A call that nobody answered is finished by the worker; none is made twice.
    eventually(lambda: len(ada.get(f"{path}/members")["items"]) == 7, 60)
    assert set(statuses) <= {200, 404, 502, 503, 504}, statuses
    for person in people:
        eventually(lambda: not person.get("/v1/invitations")["items"], 60)  # noqa: B023
    eventually(lambda: len(told(ada, "invitation-answered", wallet["id"])) == 6, 60)


def test_a_closed_wallet_stays_readable(suite: Suite) -> None:
    shared = Shared(suite)
    one = shared.record(shared.eve, "-4.00", name="Taxi")
    waiting = shared.invite(shared.sam, "viewer")
    shared.ada.call("DELETE", shared.path, 204)
    for reader in (shared.ada, shared.eve, shared.vic):
        assert reader.get(f"/v1/transactions/{one['id']}")["name"] == "Taxi"
        assert reader.get(shared.path)["closedAt"]
        assert shared.id not in [row["id"] for row in reader.get("/v1/accounts")["items"]]
        closed = reader.get("/v1/accounts", closed="true")["items"]
        assert shared.id in [row["id"] for row in closed]
    body = {"accountId": shared.id, "amount": money("-1.00")}
    shared.eve.problem("POST", "/v1/transactions", 409, "account-closed", json=body)
    place = f"/v1/invitations/{waiting['id']}/acceptance"
    shared.sam.problem("POST", place, 409, "account-closed")
    assert not shared.sam.get("/v1/invitations")["items"]
    shared.vic.call("DELETE", f"{shared.path}/members/me", 204)


def test_no_more_share_a_wallet_than_fit(suite: Suite) -> None:
    ada = Person(suite)
    wallet = ada.post("/v1/accounts", {"kind": "wallet", "name": "Full", "currency": "EUR"})
    path = f"/v1/accounts/{wallet['id']}/members"
    for number in range(49):
        ada.post(path, {"email": f"{uuid.uuid4().hex}-{number}@example.org"})
    ada.problem(
        "POST", path, 409, "too-many-members", json={"email": f"{uuid.uuid4().hex}@example.org"}
    )


def test_budgets_count_what_a_member_recorded(suite: Suite) -> None:
    shared = Shared(suite)
    food = category(shared.eve)
    shared.eve.post(f"/v1/budgets/{food}/allocations", {"amount": money("50.00")})
    shared.record(shared.eve, "-20.00", categoryId=food)
    budgets = shared.eve.get("/v1/budgets")["items"]
    spent = {one["categoryId"]: value(one["spent"]) for one in budgets}
    assert spent[food] == 20
    of_ada = shared.ada.get("/v1/budgets")["items"]
    assert all(value(one["spent"]) == 0 for one in of_ada)
    # Another's category is nobody's to use.
    body = {"accountId": shared.id, "amount": money("-1.00"), "categoryId": food}
    shared.ada.problem("POST", "/v1/transactions", 422, "invalid-body", json=body)


def test_who_has_left_deletes_nothing_with_a_category(suite: Suite) -> None:
    shared = Shared(suite)
    food, other = category(shared.eve), category(shared.eve)
    kept = shared.record(shared.eve, "-4.00", categoryId=food)
    gone = shared.record(shared.eve, "-5.00", categoryId=other)
    shared.eve.call("DELETE", f"/v1/categories/{other}?transactions=delete", 204)
    shared.ada.problem("GET", f"/v1/transactions/{gone['id']}", 404, "not-found")
    shared.eve.call("DELETE", f"{shared.path}/members/me", 204)
    shared.eve.call("DELETE", f"/v1/categories/{food}?transactions=delete", 204)
    assert value(shared.ada.get(shared.path)["balance"]) == -4
    assert shared.ada.get(f"/v1/transactions/{kept['id']}")["categoryId"] != food


def test_access_gained_and_lost_is_told(suite: Suite) -> None:
    shared = Shared(suite)
    sam, since = shared.sam, None

    def catch_up() -> list[dict[str, Any]]:
        nonlocal since
        told = []
        while True:
            page = sam.get("/v1/changes", **({"since": since} if since else {}))
            told += page["items"]
            since = page["next"]
            if not page["more"]:
                return told

    def access(told: list[dict[str, Any]]) -> list[str]:
        return [
            one["access"]["action"]
            for one in told
            if one["kind"] == "access" and one["access"]["accountId"] == shared.id
        ]

    catch_up()
    shared.join(sam, "viewer")
    assert access(catch_up()) == ["load"]
    one = shared.record(shared.eve, "-4.00", name="Taxi")
    assert one["id"] in [item["id"] for item in catch_up()]
    sam.call("DELETE", f"{shared.path}/members/me", 204)
    assert access(catch_up()) == ["drop"]
    shared.record(shared.eve, "-5.00")
    assert not [item for item in catch_up() if item["kind"] == "transaction"]


def test_a_member_is_erased_and_then_the_owner(suite: Suite) -> None:
    shared = Shared(suite)
    ada, eve, vic, sam = shared.ada, shared.eve, shared.vic, shared.sam
    food = category(eve)
    one = shared.record(eve, "-4.00", name="Taxi to Eve's", categoryId=food)
    path = f"/v1/transactions/{one['id']}"
    completed(suite, delete(eve))
    assert shared.roles() == {ada.id: "owner", vic.id: "viewer"}
    left = ada.get(path)
    assert left["name"] == "" and value(left["amount"]) == -4
    assert value(ada.get(shared.path)["balance"]) == -4
    # Whoever changes it next has it in their books.
    mended = ada.call("PATCH", path, 200, json={"name": "Taxi"})
    assert mended["name"] == "Taxi" and "bookedFor" not in mended
    assert mended["categoryId"] != food
    shared.invite(sam, "viewer")
    completed(suite, delete(ada))
    vic.problem("GET", shared.path, 404, "not-found")
    vic.problem("GET", path, 404, "not-found")
    assert shared.id not in [row["id"] for row in vic.get("/v1/accounts", closed="true")["items"]]
    assert one["id"] not in [row["id"] for row in vic.get("/v1/transactions")["items"]]
    assert not sam.get("/v1/invitations")["items"]


def test_a_former_members_reports_equal_their_ledger(suite: Suite) -> None:
    shared = Shared(suite)
    eve = shared.eve
    eve.post("/v1/transactions", {"amount": money("-2.00")})
    shared.record(eve, "-7.00")

    def spent(**params: Any) -> tuple[Any, Any]:
        """By the reports, and by the ledger's own list."""
        report = eve.get("/v1/reports/summary", **params)
        groups = eve.get("/v1/transactions", groupBy="month", **params).get("groups", [])
        return value(report["expenses"]), sum(value(one["out"]) for one in groups)

    own = {"accountId": shared.id}
    eventually(spent, until=lambda found: found == (9, 9))
    for leave in (
        lambda: shared.ada.call("DELETE", f"{shared.path}/members/{eve.id}", 204),
        lambda: eve.call("DELETE", f"{shared.path}/members/me", 204),
    ):
        leave()
        eventually(spent, until=lambda found: found == (2, 2))
        assert spent(**own) == (0, 0)
        shared.join(eve, "editor")
        eventually(spent, until=lambda found: found == (9, 9))
        assert spent(**own) == (7, 7)
    completed(suite, delete(shared.ada))
    eventually(spent, until=lambda found: found == (2, 2))
