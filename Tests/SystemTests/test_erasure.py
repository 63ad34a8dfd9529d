"""Deleting an account: nothing personal stays anywhere, whatever falls over meanwhile."""

import contextlib
import os
import random
import signal
import time
import uuid
from collections.abc import Iterator

import pytest

from client import Api, Person, eventually, mail_text, mails, money, value
from conftest import make_suite
from erasures import Busy, completed, delete, last_mails
from faults import restart, without
from suite.executables import EXECUTABLES
from suite.suite import Suite
from traces import drop_subject, in_databases, in_stream, on_subject

NEEDS = EXECUTABLES


@pytest.mark.timeout(150)
def test_nothing_personal_is_left_anywhere(suite: Suite) -> None:
    busy = Busy(suite)
    person, friend = busy.person, busy.friend
    assert len(in_databases(suite, busy.needles())) > 8
    assert in_stream(suite, [person.email])
    before = friend.get(f"{busy.group}/balances")
    money_before = friend.get(f"/v1/accounts/{busy.friends_account}")["balance"]
    receipt = delete(person)
    assert receipt["state"] == "erasing"
    assert delete_again(person) in (None, receipt["id"])
    completed(suite, receipt)

    assert not in_databases(suite, busy.needles())
    assert not in_stream(suite, busy.needles())
    assert on_subject(suite, person.id) == ["user.erased"]
    # What others have stays: balances, the place in the group, the lines of transfers.
    after = friend.get(f"{busy.group}/balances")
    assert [one["balances"] for one in before["members"] if one["balances"]] == [
        one["balances"] for one in after["members"] if one["balances"]
    ]
    assert len(friend.get(f"{busy.group}/members")["items"]) == len(after["members"]) == 1
    members = friend.get(f"{busy.group}/members", left="true")["items"]
    assert sorted(one["displayName"] for one in members if not one.get("userId")) == [
        "Deleted user"
    ]
    assert friend.get(f"/v1/accounts/{busy.friends_account}")["balance"] == money_before
    lines = list(friend.pages("/v1/transactions", accountId=busy.friends_account))
    assert len(lines) == 3 and {one["name"] for one in lines} == {"Deleted user"}
    # In the friend's wallet the money stays moved, without a word.
    (line,) = friend.pages("/v1/transactions", accountId=busy.friends_wallet)
    assert value(line["amount"]) == -4 and "guest" not in line["name"]
    # What the friend paid stands under its key; anything else to that number is nobody's.
    body, key, made = busy.repeat
    assert friend.post("/v1/transfers", body, key=key)["id"] == made
    other = body | {"reference": "another"}
    friend.problem("POST", "/v1/transfers", 422, "idempotency-key-reused", json=other, key=key)
    friend.problem("POST", "/v1/transfers", 422, "unknown-iban", json=body)
    assert friend.get(f"/v1/accounts/{busy.friends_account}")["balance"] == money_before
    # The last mail has come, once; signing in is over, and the names are free again.
    (mail,) = eventually(
        lambda: [one for one in mails(suite, person.email) if "deleted" in one["subject"]]
    )
    assert "last message" in mail_text(mail)
    who = {"identifier": person.email, "password": person.password}
    Api(suite).problem("POST", "/v1/sessions", 401, "wrong-credentials", json=who)
    person.problem("GET", "/v1/users/me", 401, "unauthenticated")
    again = Person(suite, username=person.username, email=person.email)
    assert again.id != person.id
    assert not again.get("/v1/invitations")["items"]


@pytest.mark.timeout(90)
def test_replays_to_others_outlive_an_erasure(suite: Suite) -> None:
    """One erased name is a word of the protocol; the other one stands in invitations only."""
    mark = uuid.uuid4().hex[:10]
    word = Person(suite, username="currency")
    person = Person(suite, username=f"u{mark}", email=f"i{mark}@example.org")
    person.verify_email()
    owner = Person(suite)
    groups = [owner.post("/v1/groups", {"name": "Flat", "currency": "EUR"})["id"] for _ in range(2)]
    own = f"/v1/groups/{groups[0]}"
    calls = [
        (f"{own}/expenses", {"name": "currency", "amount": money("3.00")}, True),
        (f"{own}/members", {"displayName": "currency"}, True),
        (f"{own}/invitations", {"username": person.username}, False),
        (f"/v1/groups/{groups[1]}/invitations", {"email": person.email}, False),
        (f"/v1/groups/{groups[1]}/invitations", {"username": word.username}, False),
    ]
    keys = [str(uuid.uuid4()) for _ in calls]

    def answers() -> list:
        return [
            owner.send("POST", path, json=body, key=key)
            for (path, body, _), key in zip(calls, keys, strict=True)
        ]

    first = answers()
    assert [one.status_code for one in first] == [201] * len(calls)
    receipts = [delete(one) for one in (word, person)]
    for receipt in receipts:
        completed(suite, receipt)
    assert not in_databases(suite, [person.username, person.email])
    for before, after, (path, _, is_whole) in zip(first, answers(), calls, strict=True):
        assert after.status_code == 201 and after.headers["idempotency-replayed"] == "true", path
        for name in ("location", "etag"):
            assert after.headers.get(name) == before.headers.get(name), path
        assert after.content == (before.content if is_whole else b""), path


def delete_again(person: Person) -> str | None:
    """The second call: the same receipt, as long as the token counts at all."""
    answer = person.send("POST", "/v1/users/me/deletion", json={})
    return answer.json()["id"] if answer.status_code == 202 else None


@pytest.mark.timeout(60)
def test_a_refusal_changes_nothing(suite: Suite) -> None:
    person = Person(suite)
    body = {"kind": "current", "currency": "EUR", "name": "Current"}
    account = person.post("/v1/accounts", body)["id"]
    row = {"accountId": account, "amount": money("1.00")}
    transaction = person.post("/v1/transactions", row)["id"]
    path = "/v1/users/me/deletion"
    person.problem("POST", path, 422, "wrong-password", json={"password": "wrong-horse-1"})
    for _ in range(2):
        wanted = {"password": person.password}
        person.problem("POST", path, 409, "accounts-not-empty", json=wanted)
    person.post("/v1/transactions", row | {"amount": money("-0.25")})
    person.call("DELETE", f"/v1/transactions/{transaction}", 409)
    person.post("/v1/transactions", row | {"amount": money("-0.75")})
    completed(suite, delete(person))


@pytest.mark.timeout(60)
def test_what_comes_late_makes_nothing(suite: Suite) -> None:
    """Calls go on with the token until it is refused, while all is being deleted."""
    person = Person(suite)
    person.get("/v1/accounts")
    receipt = delete(person)
    refused = 0
    until = time.monotonic() + 4
    while time.monotonic() < until:
        for path, body in (
            ("/v1/categories", {"name": f"late{uuid.uuid4().hex[:6]}"}),
            ("/v1/accounts", {"name": f"late{uuid.uuid4().hex[:6]}"}),
            ("/v1/transactions", {"amount": money("1.00"), "name": "late"}),
            ("/v1/groups", {"name": "late", "currency": "EUR"}),
        ):
            status = person.send("POST", path, json=body, retry=False).status_code
            refused += status >= 400
            # A group may be made while groups has not been told yet; it goes with the rest.
            assert status < 500 or status == 503, path
    assert refused > 0
    completed(suite, receipt)
    rows = {
        "ledger": "select count(*) from ledger.category where user_id = '{0}'"
        " union all select count(*) from ledger.account where user_id = '{0}' and"
        " (state <> 'closed' or name is not null)",
        "groups": "select count(*) from groups.member where user_id = '{0}'"
        " union all select count(*) from groups.expense_group where personal_of = '{0}'"
        " or created_by = '{0}' or name = 'late'",
        "analytics": "select count(*) from analytics.fact where user_id = '{0}'",
        "notifications": "select count(*) from notifications.notification where user_id = '{0}'",
        "auth": "select count(*) from auth.user_account where id = '{0}'",
    }
    for name, query in rows.items():
        found = suite.postgres.psql("-c", query.format(person.id), database=f"ezwallet_{name}")
        assert set(found.split()) == {"0"}, (name, found)


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of two replicas each, which these tests may hurt."""
    suite = make_suite()
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


@pytest.mark.timeout(120)
def test_a_service_that_is_away_is_waited_for(own: Suite) -> None:
    person = Person(own, firstName="Waiting")
    kept = own.programs
    for name in ("ezwallet-groups-1", "ezwallet-groups-2"):
        without(own, name)
        own.programs = [one for one in own.programs if one.name != name]
    receipt = delete(person)
    path = f"/v1/deletion-receipts/{receipt['token']}"

    def done() -> list[str]:
        parts = Api(own).get(path)["parts"]
        return [one["name"] for one in parts if one.get("completedAt")]

    eventually(lambda: len(done()) == 4, seconds=20)
    assert "groups" not in done() and "profile" not in done()
    who = {"identifier": person.email, "password": person.password}
    Api(own).problem("POST", "/v1/sessions", 403, "user-disabled", json=who)
    own.programs = kept
    own.apply()
    completed(own, receipt, 60)
    assert not in_databases(own, [person.email, person.username])


@pytest.mark.timeout(120)
def test_a_last_event_that_the_stream_has_dropped_is_not_waited_for(own: Suite) -> None:
    person = Person(own)
    receipt = delete(person)
    completed(own, receipt, 60)
    drop_subject(own, person.id)
    # As if it had been dropped before anybody looked.
    own.postgres.psql(
        "-c", "update auth.erasure set stage = 3, completed_at = null"
        f" where user_id = '{person.id}'",
        "-c", "update auth.erasure_part set done_at = null, next_try_at = now()"
        f" where part = 'history' and erasure_id = '{receipt['id']}'",
        database="ezwallet_auth",
    )  # fmt: skip
    completed(own, receipt, 30)


@pytest.mark.timeout(120)
def test_what_is_told_late_is_purged_ten_minutes_later(own: Suite) -> None:
    person = Person(own, firstName="Belated")
    receipt = delete(person)
    completed(own, receipt, 60)
    mine = f"erasure_id = '{receipt['id']}'"

    def purges(columns: str) -> str:
        query = f"select {columns} from auth.late_purge where {mine}"
        return own.postgres.psql("-c", query, database="ezwallet_auth").strip()

    assert purges("due_at between now() + interval '8 minutes' and now() + interval '10 minutes'") \
        == "t"  # fmt: skip
    # A replica that was held up tells of the person behind their last event; who hears it keeps it
    # for the events before, which do not come.
    own.postgres.psql(
        "-c", "insert into auth.outbox (aggregate, sequence, type, event_id, payload)"
        f" values ('user:{person.id}', 900, 'wallet.user.changed.v1', gen_random_uuid(),"
        f""" '{{"email": "{person.email}"}}')""",
        database="ezwallet_auth",
    )  # fmt: skip
    eventually(lambda: in_stream(own, [person.email]))
    eventually(lambda: len(in_databases(own, [person.email])) > 3)
    own.postgres.psql(
        "-c", f"update auth.late_purge set due_at = now() where {mine}", database="ezwallet_auth"
    )
    eventually(lambda: purges("count(*)") == "0", seconds=60)
    assert not in_databases(own, [person.email, person.username])
    assert not in_stream(own, [person.email])
    assert on_subject(own, person.id) == ["user.erased"]
    completed(own, receipt, 1)


@pytest.mark.timeout(240)
def test_kills_at_any_moment_end_in_one_erasure(own: Suite) -> None:
    seed = random.randrange(10**9)
    chance = random.Random(seed)
    services = [f"ezwallet-{name}-{n}" for name in own.executables.services() for n in (1, 2)]
    people = [Person(own) for _ in range(10)]
    receipts = []
    for person in people:
        person.post("/v1/transactions", {"amount": money("1.00"), "name": "x" + person.username})
        receipts.append(delete(person))
        for _ in range(2):
            time.sleep(chance.random() * 0.3)
            with contextlib.suppress(OSError, ValueError):
                os.kill(own.pid(chance.choice(services)), signal.SIGKILL)
    # The broker, too, once all have begun.
    restart(own, "nats-server-1")
    for receipt in receipts:
        completed(own, receipt, 90)
    for person in people:
        assert not in_databases(own, [person.email, person.username]), seed
        assert not in_stream(own, [person.email]), seed
        assert on_subject(own, person.id) == ["user.erased"], seed
        eventually(lambda person=person: last_mails(own, person) == 1, seconds=60)
    told = own.postgres.psql(
        "-c", "select count(*), count(distinct user_id) from auth.erasure where stage = 4",
        database="ezwallet_auth",
    )  # fmt: skip
    assert len(set(told.strip().split("|"))) == 1, seed
