"""What is left in a shared wallet of what was deleted, moved in, or recorded by who is gone."""

import base64
import json

import pytest

from actions import Shared, category, document, sealed, verify, wallet
from client import Person, eventually, money, value
from erasures import completed, delete
from follower import Follower
from suite.suite import Suite, wait_until
from traces import in_databases

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications", "analytics"]


def booked(person: Person, shared: Shared, name: str) -> dict:
    """Something in a category of somebody's own."""
    return shared.record(person, "-5.00", name=name, categoryId=category(person), tags=["trip"])


def test_a_deletion_of_several_peoples_rows_is_undone(suite: Suite) -> None:
    shared = Shared(suite)
    ada, eve = shared.ada, shared.eve
    rows = [booked(ada, shared, "mine"), booked(eve, shared, "hers"), booked(eve, shared, "too")]
    ids = [row["id"] for row in rows]
    made = ada.post("/v1/transactions/deletions", {"ids": ids})
    assert value(ada.get(shared.path)["balance"]) == 0
    ada.call("POST", f"/v1/transactions/deletions/{made['id']}/undo", 200)
    for person, row in ((ada, rows[0]), (eve, rows[1]), (eve, rows[2])):
        back = person.get(f"/v1/transactions/{row['id']}")
        assert (back["name"], back["categoryId"]) == (row["name"], row["categoryId"]), back


def test_an_erased_members_rows_stay_in_lists_sums_and_copies(suite: Suite) -> None:
    shared = Shared(suite)
    ada, eve, vic = shared.ada, shared.eve, shared.vic
    # Nobody else was ever in this one.
    pair = ada.post("/v1/accounts", {"kind": "wallet", "currency": "EUR"})["id"]
    asked = ada.post(f"/v1/accounts/{pair}/members", {"username": eve.username, "role": "editor"})
    eve.post(f"/v1/invitations/{asked['id']}/acceptance", status=200)
    alone = eve.post("/v1/transactions", {"accountId": pair, "amount": money("-1.00")})["id"]
    kept, mended, gone, plain = (
        booked(eve, shared, name)["id"] for name in ("kept", "mended", "gone", "plain")
    )
    own = category(ada)
    # Ada has taken one over, with its words, and one of hers was Eve's for a while.
    path = f"/v1/transactions/{kept}"
    ada.call("PATCH", path, 200, json={"categoryId": own, "description": "Ada's words"})
    lent = booked(ada, shared, "lent")["id"]
    eve.call("PATCH", f"/v1/transactions/{lent}", 200, json={"categoryId": category(eve)})
    receipt = eve.call("POST", f"{path}/attachments", 201, content=document())["id"]
    adas = ada.call("POST", f"/v1/transactions/{plain}/attachments", 201, content=document())["id"]
    copies = {person: Follower(person) for person in (ada, vic)}
    for copy in copies.values():
        copy.catch_up()
    assert [one["id"] for one in copies[vic].attachments[kept]] == [receipt]

    completed(suite, delete(eve))

    # What Ada wrote is as it was; what Eve wrote has no word left, and its money.
    row = ada.get(path)
    assert (row["name"], row["description"], row["tags"]) == ("kept", "Ada's words", ["trip"])
    assert ada.get(f"/v1/transactions/{plain}")["name"] == ""
    hits = ada.get("/v1/transactions", query="words")["items"]
    assert kept in [row["id"] for row in hits]
    seen = {row["id"]: row for row in ada.pages("/v1/transactions", limit=3)}
    assert {alone, kept, mended, gone, plain, lent} <= seen.keys()
    of_pair = list(ada.pages("/v1/transactions", accountId=pair))
    assert sum(value(row["amount"]) for row in of_pair) == value(
        ada.get(f"/v1/accounts/{pair}")["balance"]
    )
    groups = ada.get("/v1/transactions", groupBy="category", accountId=shared.id)["groups"]
    rows = ada.get("/v1/transactions", groupBy="category", accountId=shared.id)["items"]
    assert sum(one["count"] for one in groups) == len(rows)
    # Copies are told: the words are gone, and the receipt that Eve had added.
    for person, copy in copies.items():
        copy.catch_up()
        copy.check(person.username)
        assert copy.copy["transaction"][plain]["name"] == ""
        assert copy.attachments[kept] == []
        assert [one["id"] for one in copy.attachments[plain]] == [adas]
    # They can be changed, deleted and had back, and have receipts, as all others.
    answer = ada.call("PATCH", f"/v1/transactions/{mended}", 200, json={"categoryId": None})
    assert "bookedFor" not in answer and answer["version"] == 2
    ada.call("POST", f"/v1/transactions/{plain}/attachments", 201, content=document())
    made = ada.call("DELETE", f"/v1/transactions/{gone}", 200)
    ada.call("POST", f"/v1/transactions/deletions/{made['id']}/undo", 200)
    assert value(ada.get(f"/v1/transactions/{gone}")["amount"]) == -5
    copies[ada].catch_up()
    copies[ada].check("afterwards")
    wait_until(lambda: sealed(suite), 30, "the entries are not sealed")
    done = verify(suite)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_erased_owners_words_go_from_what_an_editor_took_over(suite: Suite) -> None:
    shared = Shared(suite)
    ada, eve = shared.ada, shared.eve
    secret = f"secret{ada.id[-8:]}"
    body = {"description": secret, "tags": [secret], "location": {"lat": 1, "lon": 2}}
    taken = shared.record(ada, "-5.00", name=secret, **body)["id"]
    hers = booked(eve, shared, "hers")["id"]
    eve.call("PATCH", f"/v1/transactions/{taken}", 200, json={"categoryId": category(eve)})
    assert len(in_databases(suite, [secret])) >= 2
    completed(suite, delete(ada))
    assert not in_databases(suite, [secret])
    # What Eve wrote is hers, though she does not see it there any more.
    kept = suite.postgres.psql(
        "-c", f"select name from ledger.money_transaction where id = '{hers}'",
        database="ezwallet_ledger",
    )  # fmt: skip
    assert kept.strip() == "hers"
    wait_until(lambda: sealed(suite), 30, "the entries are not sealed")
    done = verify(suite)
    assert done.returncode == 0, done.stdout + done.stderr


def test_receipts_are_in_the_space_of_who_adds_them(suite: Suite) -> None:
    shared = Shared(suite)
    row = shared.record(shared.eve)["id"]
    shared.ada.call("POST", f"/v1/transactions/{row}/attachments", 201, content=document())
    used = suite.postgres.psql(
        "-c", "select user_id from ledger.attachment_usage where bytes > 0 and user_id in "
        f"('{shared.ada.id}', '{shared.eve.id}')", database="ezwallet_ledger",
    )  # fmt: skip
    assert used.split() == [shared.ada.id]


def test_a_history_tells_what_came_from_an_account_that_one_does_not_see(suite: Suite) -> None:
    shared = Shared(suite)
    ada, vic = shared.ada, shared.vic
    private = wallet(ada, "EUR")
    row = ada.post("/v1/transactions", {"accountId": private, "amount": money("-1.00")})["id"]
    path = f"/v1/transactions/{row}"
    ada.call("PATCH", path, 200, json={"accountId": shared.id})
    (item,) = vic.get(f"{path}/history")["items"]
    assert (item["action"], item["version"], item["userId"]) == ("changed", 2, ada.id)
    assert item["changed"] == ["accountId"]
    ada.call("PATCH", path, 200, json={"accountId": private})
    ada.call("PATCH", path, 200, json={"accountId": shared.id, "name": "again"})
    ada.call("PATCH", path, 200, json={"name": "and again"})
    told = [(one["version"], one["action"]) for one in vic.get(f"{path}/history")["items"]]
    assert told == [(5, "changed"), (4, "changed"), (2, "deleted"), (2, "changed")]
    paged = list(vic.pages(f"{path}/history", limit=1))
    assert [(one["version"], one["action"]) for one in paged] == told
    assert len(ada.get(f"{path}/history")["items"]) == 5


def cursor(payload: object) -> str:
    """A cursor of one's own making, with a check sum that is right."""
    body = json.dumps(payload, separators=(",", ":")).encode()
    check = 2_166_136_261
    for byte in body:
        check = ((check ^ byte) * 16_777_619) & 0xFFFFFFFF
    return base64.urlsafe_b64encode(check.to_bytes(4, "big") + body).decode().rstrip("=")


def test_a_forged_cursor_is_refused_or_read_as_a_place(suite: Suite) -> None:
    ada = Person(suite)
    account = wallet(ada, "EUR")
    row = ada.post("/v1/transactions", {"accountId": account, "amount": money("-1.00")})["id"]
    none, most = "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"
    numbers = [-(2**63), -(2**31) - 1, -1, 0, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1]
    days = ["0001-01-01", "9999-12-31", "-4712-01-01", "infinity"]
    history = f"/v1/transactions/{row}/history"
    forged = [(history, {"v": number, "m": flag}) for number in numbers for flag in (True, False)]
    forged += [("/v1/import-rules", {"p": number, "i": most}) for number in numbers]
    forged += [
        ("/v1/transactions", {"o": order, "d": day, "a": number, "i": none})
        for order in ("-date", "date", "-amount", "amount") for day in days for number in numbers
    ]  # fmt: skip
    forged += [
        (path, text)
        for path in ("/v1/budgets", "/v1/categories", "/v1/accounts", "/v1/recurrences")
        for text in ("", "\u0000", "\uffff" * 300, none, most)
    ]
    for path, payload in forged:
        answer = ada.send("GET", path, params={"cursor": cursor(payload)})
        assert answer.status_code in (200, 400), (path, payload, answer.text)
    for number in numbers:
        place = {"s": none, "x": number, "i": most}
        for stage in ("access", "accounts", "transactions", "attachments"):
            turn = {"n": number, "e": number, "s": stage, "p": place}
            since = {"u": ada.id, "e": "x", "f": number, "r": turn}
            answer = ada.send("GET", "/v1/changes", params={"since": cursor(since)})
            assert answer.status_code in (200, 400, 409), (since, answer.text)
    eventually(lambda: ada.get(history)["items"])


def test_a_wallet_is_closed_at_the_version_that_was_seen_or_not(suite: Suite) -> None:
    ada = Person(suite)
    account = wallet(ada, "EUR")
    path = f"/v1/accounts/{account}"
    ada.call("PATCH", path, 200, json={"name": "another"})
    for tag in ('"1"', '"x"', '"99999999999999"'):
        ada.problem("DELETE", path, 412, "precondition-failed", headers={"If-Match": tag})
    tag = ada.send("GET", path).headers["etag"]
    ada.call("DELETE", path, 204, headers={"If-Match": tag})


def test_members_are_listed_as_they_came_whoever_leaves_meanwhile(suite: Suite) -> None:
    shared = Shared(suite)
    shared.join(shared.sam, "viewer")
    path = f"{shared.path}/members"
    first = shared.ada.get(path, limit=2)
    assert [one["userId"] for one in first["items"]] == [shared.ada.id, shared.eve.id]
    shared.eve.call("DELETE", f"{path}/me", 204)
    rest = shared.ada.get(path, limit=2, cursor=first["nextCursor"])
    assert [one["userId"] for one in rest["items"]] == [shared.vic.id, shared.sam.id]


def test_there_is_an_end_to_the_accounts_of_one_person(suite: Suite) -> None:
    ada = Person(suite)
    wallet(ada, "EUR")
    suite.postgres.psql(
        "-c", "insert into ledger.account (id, user_id, kind, currency, exponent, name, "
        "name_folded) select gen_random_uuid(), user_id, 'wallet', 'EUR', 2, 'w' || n, 'w' || n "
        f"from ledger.person, generate_series(1, 998) n where user_id = '{ada.id}'",
        database="ezwallet_ledger",
    )  # fmt: skip
    body = {"kind": "wallet", "currency": "EUR"}
    codes = {ada.send("POST", "/v1/accounts", json=body).status_code for _ in range(3)}
    assert 409 in codes
    ada.problem("POST", "/v1/accounts", 409, "too-many-accounts", json=body)


@pytest.mark.parametrize("end", ["wallet", "owner"])
def test_invitations_to_a_wallet_end_with_it_and_its_owner(suite: Suite, end: str) -> None:
    ada, bob, sam = (Person(suite) for _ in range(3))
    sam.verify_email()
    wallet = ada.post("/v1/accounts", {"kind": "wallet", "name": "Home", "currency": "EUR"})
    path = f"/v1/accounts/{wallet['id']}"
    sent = [
        (one, ada.post(f"{path}/members", who | {"role": "editor"})["id"])
        for one, who in ((bob, {"username": bob.username}), (sam, {"email": sam.email}))
    ]
    if end == "wallet":
        ada.call("DELETE", path, 204)
    else:
        completed(suite, delete(ada))
    refusal = (409, "account-closed") if end == "wallet" else (404, "not-found")
    for person, one in sent:
        person.problem("POST", f"/v1/invitations/{one}/acceptance", *refusal)
        assert person.get("/v1/invitations")["items"] == []
        person.problem("GET", path, 404, "not-found")
