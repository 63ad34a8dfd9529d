"""Deleting an account: nothing personal stays anywhere, whatever falls over meanwhile."""

import contextlib
import datetime
import os
import random
import signal
import time
import uuid
from collections.abc import Iterator

import pytest

from client import Api, Person, eventually, mail_text, mails, money, sms_code, value
from conftest import make_suite
from suite.executables import EXECUTABLES
from suite.suite import Suite
from test_ledger_attachments import document
from test_outages import restart, without
from test_step_4_statement import import_file, ofx
from traces import drop_subject, in_databases, in_stream, on_subject

NEEDS = EXECUTABLES


def phone_token(suite: Suite, phone: str) -> str:
    """The proof that a phone answers."""
    nobody = Api(suite)
    body = {"purpose": "phone-verification", "phone": phone}
    challenge = nobody.post("/v1/challenges", body, status=202)
    answer = {"code": sms_code(suite, phone)}
    return nobody.post(f"/v1/challenges/{challenge['id']}/answers", answer, status=200)[
        "phoneToken"
    ]


def delete(person: Person, **body: str) -> dict:
    """Asks for the deletion and gives the receipt."""
    return person.post("/v1/users/me/deletion", body or {"password": person.password}, status=202)


def completed(suite: Suite, receipt: dict, seconds: float = 30.0) -> dict:
    """The receipt once all of it is done; nobody has to be signed in for it."""
    path = f"/v1/deletion-receipts/{receipt['token']}"
    done = eventually(
        lambda: Api(suite).get(path), seconds, until=lambda one: one["state"] == "completed"
    )
    assert done["id"] == receipt["id"] and done["completedAt"] and "token" not in done
    assert all(part["completedAt"] for part in done["parts"]) and len(done["parts"]) == 7
    return done


class Busy:
    """Somebody who has done everything, and a friend who has seen it."""

    def __init__(self, suite: Suite):
        mark = uuid.uuid4().hex[:10]
        self.first, self.last = f"Zoé{mark}", f"Quux{mark}"
        born = datetime.date(1930, 1, 1) + datetime.timedelta(random.randrange(25_000))
        self.born = born.isoformat()
        self.phone = f"+39333{random.randrange(10**6, 10**7)}"
        self.person = person = Person(
            suite, username=f"u{mark}", email=f"m{mark}@example.org", firstName=self.first,
            lastName=self.last, dateOfBirth=self.born, phone=self.phone,
            phoneToken=phone_token(suite, self.phone),
        )  # fmt: skip
        self.text = f"secret{mark}"
        person.verify_email()
        self.friend = friend = Person(suite)
        friend.verify_email()
        self.write_transactions()
        self.plan()
        self.share_wallets(friend)
        self.transfer()
        self.share_group(friend)

    def write_transactions(self) -> None:
        person, text = self.person, self.text
        category = person.post("/v1/categories", {"name": f"C {text}"})["id"]
        wallet = person.post("/v1/accounts", {"kind": "wallet", "name": f"W {text}"})["id"]
        made = [
            person.post(
                "/v1/transactions",
                {
                    "amount": money("-1.25"), "accountId": wallet, "categoryId": category,
                    "name": f"N {text} {i}", "description": f"D {text}",
                },
            )["id"]
            for i in range(6)
        ]  # fmt: skip
        for one in made[:2]:
            person.call("DELETE", f"/v1/transactions/{one}", 200)
        rows = [(f"202401{i + 10}", "-2.00", f"shop {text} {i}") for i in range(5)]
        import_file(person, wallet, ofx(rows, "EUR", "-10.00"))
        preview = person.call(
            "POST", f"/v1/imports?accountId={wallet}&format=ofx", 201,
            content=ofx([("20240301", "-1.00", f"later {text}")], "EUR", "-11.00"),
            headers={"Content-Type": "application/octet-stream"},
        )  # fmt: skip
        assert preview["state"] == "preview"

    def plan(self) -> None:
        """What repeats, a rule, a receipt, and a file that waits to be read in another way."""
        person, text = self.person, self.text
        wallet = person.post("/v1/accounts", {"kind": "wallet", "name": f"P {text}"})["id"]
        made = person.post(
            "/v1/transactions",
            {
                "amount": money("-3.00"), "accountId": wallet, "name": f"S {text}",
                "tags": [f"t{text}"], "recurrence": {"every": 1, "unit": "month"},
                "location": {"lat": 45.1, "lon": 7.6, "label": f"L {text}"},
            },
        )["id"]  # fmt: skip
        person.call(
            "POST", f"/v1/transactions/{made}/attachments", 201, content=document(),
            headers={"Content-Disposition": f'attachment; filename="{text}.pdf"'},
        )  # fmt: skip
        category = person.post("/v1/categories", {"name": f"B {text}"})["id"]
        person.post("/v1/import-rules", {"match": {"contains": text}, "categoryId": category})
        person.post(f"/v1/budgets/{category}/allocations", {"amount": money("7.00")})
        import_file(person, wallet, ofx([("20240105", "-9.00", f"own {text}")], "EUR", "-9.00"))
        csv = f"when,who,how much\n2024-01-06,{text},-1.00\n".encode()
        preview = person.call(
            "POST", f"/v1/imports?accountId={wallet}&format=csv", 201, content=csv,
            headers={"Content-Type": "application/octet-stream"},
        )  # fmt: skip
        assert preview["state"] == "preview"

    def share_wallets(self, friend: Person) -> None:
        """One of the person's, and one of the friend's in which the person has written."""
        for owner, guest in ((self.person, friend), (friend, self.person)):
            wallet = owner.post("/v1/accounts", {"kind": "wallet", "currency": "EUR"})["id"]
            invitation = owner.post(
                f"/v1/accounts/{wallet}/members", {"username": guest.username, "role": "editor"}
            )
            guest.post(f"/v1/invitations/{invitation['id']}/acceptance", status=200)
            name = f"guest {self.text}" if guest is self.person else "guest"
            body = {"accountId": wallet, "amount": money("-4.00"), "name": name}
            guest.post("/v1/transactions", body)
        self.friends_wallet = wallet

    def transfer(self) -> None:
        """Money to the friend and back, so that each has lines of the other."""
        ours, theirs = (
            one.post("/v1/accounts", {"kind": "current", "currency": "EUR", "name": "Current"})
            for one in (self.person, self.friend)
        )
        self.iban, self.friends_account = ours["iban"], theirs["id"]
        row = {"accountId": ours["id"], "amount": money("50.00")}
        self.person.post("/v1/transactions", row)
        for payer, source, target in (
            (self.person, ours["id"], theirs["iban"]), (self.friend, theirs["id"], ours["iban"]),
            (self.person, ours["id"], theirs["iban"]),
        ):  # fmt: skip
            body = {
                "fromAccountId": source, "toIban": target, "amount": money("50.00"),
                "reference": f"R {self.text}" if payer is self.person else "rent",
            }  # fmt: skip
            key = str(uuid.uuid4())
            made = payer.post("/v1/transfers", body, key=key)["id"]
            if payer is self.friend:
                self.repeat = (body, key, made)

    def share_group(self, friend: Person) -> None:
        invited = [
            {"username": friend.username}, {"email": f"i{uuid.uuid4().hex[:8]}@example.org"},
        ]  # fmt: skip
        group = self.person.post(
            "/v1/groups", {"name": "Flat", "currency": "EUR", "invitations": invited}
        )["id"]
        self.group = f"/v1/groups/{group}"
        (asked,) = friend.get("/v1/invitations")["items"]
        friend.post(f"/v1/invitations/{asked['id']}/acceptance", status=200)
        members = self.person.get(f"{self.group}/members")["items"]
        split = {"kind": "equal", "parts": [{"memberId": one["id"]} for one in members]}
        for payer in (self.person, friend):
            body = {"name": "Rent", "amount": money("30.00"), "split": split}
            payer.post(f"{self.group}/expenses", body)
        # Two more ask the person, by name and by address.
        for invitee in ({"username": self.person.username}, {"email": self.person.email}):
            asking = Person(friend.suite)
            asking.post("/v1/groups", {"name": "Trip", "currency": "EUR", "invitations": [invitee]})
        eventually(lambda: self.person.get("/v1/notifications")["items"])

    def needles(self) -> list[str]:
        """What names the person, or was written by them."""
        return [
            self.person.email, self.person.username, self.first, self.last, self.phone, self.text,
            self.iban, self.born,
        ]  # fmt: skip


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
    assert [one["balances"] for one in before["members"]] == [
        one["balances"] for one in after["members"]
    ]
    members = friend.get(f"{busy.group}/members")["items"]
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


def last_mails(suite: Suite, person: Person) -> int:
    """How many mails tell somebody that the account is deleted. One that was sent by somebody who
    died before saying so is sent once more, and is the same to whoever gets it (RFC 5322, 3.6.4).
    """
    told = [one for one in mails(suite, person.email) if "deleted" in one["subject"]]
    return len({one["message-id"] for one in told})
