"""Administration and the audit log, through the gateway and two replicas of each service."""

import json
import os
import re
import signal
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from client import (
    SERVICES,
    Api,
    Person,
    eventually,
    mail_text,
    mails,
    money,
    of_each_replica,
)
from conftest import make_admin
from erasures import Busy, completed
from suite.executables import EXECUTABLES
from suite.suite import Suite
from traces import in_databases, in_stream, on_subject

NEEDS = EXECUTABLES
NEW_PASSWORD = "another-horse-battery-8"


@pytest.fixture(scope="module")
def admin(suite: Suite) -> Api:
    return make_admin(suite)


def access(admin: Api, person: str, *roles: str, enabled: bool = True, status: int = 200) -> dict:
    body = {"roles": list(roles), "enabled": enabled}
    return admin.call("PUT", f"/v1/users/{person}/access", status, json=body)


def verified(admin: Api) -> dict:
    answer = admin.get("/v1/audit/verification")
    assert answer["intact"] and answer["complete"], answer
    return answer


def recovery(admin: Api, email: str) -> tuple[str, str]:
    """The recovery's id and its code, from the newest mail with one."""

    def newest() -> list[tuple[str, str]]:
        found = []
        for mail in mails(admin.suite, email):
            link = re.search(r"recover-password\?id=([0-9a-f-]{36})", mail_text(mail))
            if link:
                rest = mail_text(mail).replace(link.group(0), "")
                found.append((link.group(1), re.search(r"\b(\d{6,8})\b", rest).group(1)))
        return found

    return eventually(newest)[-1]


def test_a_person_made_by_an_admin_sets_their_own_password(admin: Api) -> None:
    email = f"made{uuid.uuid4().hex[:8]}@example.org"
    key = str(uuid.uuid4())
    body = {"email": email, "firstName": "Ada", "roles": ["coo"]}
    made = admin.post("/v1/admin/users", body, key=key)
    again = admin.post("/v1/admin/users", body, key=key)
    assert again["id"] == made["id"] and made["roles"] == ["coo"] and made["enabled"]
    admin.problem("POST", "/v1/admin/users", 409, "email-taken", json=body)
    refused = {"email": f"x{email}", "password": NEW_PASSWORD}
    admin.problem("POST", "/v1/admin/users", 422, "invalid-body", json=refused)
    name, code = recovery(admin, email)
    visitor = Api(admin.suite)
    proof = visitor.post(
        f"/v1/password-recoveries/{name}/answers", {"code": code}, status=200
    )  # fmt: skip
    visitor.call(
        "PUT", f"/v1/password-recoveries/{name}/password", 204,
        json={"recoveryToken": proof["recoveryToken"], "newPassword": NEW_PASSWORD},
    )  # fmt: skip
    visitor.post("/v1/sessions", {"identifier": email, "password": NEW_PASSWORD})


@pytest.mark.alone
def test_withdrawn_rights_end_everywhere_within_two_seconds(admin: Api, suite: Suite) -> None:
    person = Person(suite)
    access(admin, person.id, "admin")
    person.take(person.post("/v1/sessions", {
        "identifier": person.email, "password": person.password,
    }))  # fmt: skip
    paths = [
        "/v1/users", "/v1/accounts", "/v1/groups", "/v1/reports/summary", "/v1/notifications",
        "/v1/users/me",
    ]  # fmt: skip
    for path in paths:
        person.get(path)
    stop = threading.Event()

    def last_let_through(path: str) -> float:
        """When the last call began that was answered, by whichever replica."""
        api, last = Api(suite, person.token), 0.0
        while not stop.is_set():
            began = time.monotonic()
            if api.send("GET", path, retry=False).status_code == 200:
                last = began
            time.sleep(0.02)
        return last

    body = {"identifier": person.email, "password": person.password}
    with ThreadPoolExecutor(len(paths)) as pool:
        watching = [pool.submit(last_let_through, path) for path in paths]
        try:
            time.sleep(0.2)
            access(admin, person.id, "user", enabled=False)
            ended = time.monotonic()
            # Signing in is over at once: it looks at the row itself.
            person.problem("POST", "/v1/sessions", 403, "user-disabled", json=body)
            time.sleep(3.5)
        finally:
            stop.set()
    late = {path: one.result() - ended for path, one in zip(paths, watching, strict=True)}
    assert all(seconds > -5 for seconds in late.values()), "none was let through before"
    assert all(seconds < 2.0 for seconds in late.values()), late
    for path in SERVICES.keys() & paths:
        answers = of_each_replica(suite, path, person.token)
        assert [answer.status_code for answer in answers] == [401, 401], path
    person.problem("POST", "/v1/sessions/refresh", 401, "invalid-refresh-token", json={
        "refreshToken": person.refresh_token,
    })  # fmt: skip
    access(admin, person.id, "user")
    person.post("/v1/sessions", body)


@pytest.mark.timeout(150)
def test_a_person_whom_an_admin_deletes_is_deleted_whole(admin: Api, suite: Suite) -> None:
    busy = Busy(suite)
    person = busy.person
    assert len(in_databases(suite, busy.needles())) > 8
    receipt = admin.call("DELETE", f"/v1/users/{person.id}", 202)
    completed(suite, receipt)
    assert not in_databases(suite, busy.needles())
    assert not in_stream(suite, busy.needles())
    assert on_subject(suite, person.id) == ["user.erased"]
    admin.problem("GET", f"/v1/users/{person.id}", 404, "not-found")
    admin.problem("DELETE", f"/v1/users/{person.id}", 404, "not-found")
    person.problem("GET", "/v1/users/me", 401, "unauthenticated")
    told = [
        (entry["action"], entry["actor"])
        for entry in admin.pages("/v1/audit", subject=person.id)
        if entry["action"].startswith(("erasure", "user-erased"))
    ]
    me = admin.get("/v1/users/me")["id"]
    assert told == [("user-erased", me), ("erasure-requested", me)]
    eventually(lambda: verified(admin))


def test_a_person_with_money_is_not_deleted(admin: Api, suite: Suite) -> None:
    person = Person(suite)
    account = person.post("/v1/accounts", {"kind": "current", "currency": "EUR"})["id"]
    row = {"accountId": account, "amount": money("1.00")}
    person.post("/v1/transactions", row)
    for _ in range(2):
        admin.problem("DELETE", f"/v1/users/{person.id}", 409, "accounts-not-empty")
    # It is as if nobody had asked: they go on with what they have.
    assert person.get("/v1/users/me")["id"] == person.id
    person.post("/v1/transactions", row | {"amount": money("-1.00")})
    told = list(admin.pages("/v1/audit", subject=person.id, action="request-refused"))
    refusal = {"action": "erasure-requested", "code": "accounts-not-empty"}
    assert [entry["detail"] for entry in told] == [refusal] * 2
    completed(suite, admin.call("DELETE", f"/v1/users/{person.id}", 202))


def test_an_admin_gets_into_nobodys_account(admin: Api, suite: Suite) -> None:
    person = Person(suite)
    account = person.post("/v1/accounts", {"kind": "current"})["id"]
    for path in [f"/v1/accounts/{account}", f"/v1/accounts/{account}/statement"]:
        assert admin.send("GET", path).status_code in (403, 404), path
    mine = f"mine{uuid.uuid4().hex[:8]}@example.org"
    changed = admin.call("PATCH", f"/v1/users/{person.id}", 200, json={"email": mine})
    assert changed["email"] == person.email and changed["pendingEmail"] == mine
    # The recovery goes where the person is, and answers the admin nothing.
    answer = admin.send("POST", f"/v1/users/{person.id}/password-recoveries")
    assert answer.status_code == 204 and not answer.content
    recovery(admin, person.email)
    time.sleep(1)
    assert not any("recover-password" in mail_text(mail) for mail in mails(suite, mine))
    assert any("profile-change" in mail_text(mail) for mail in mails(suite, person.email))
    for method, path, body in [
        ("PUT", f"/v1/users/{person.id}/password", {"newPassword": NEW_PASSWORD}),
        ("POST", f"/v1/users/{person.id}/passkeys", {}),
        ("POST", f"/v1/users/{person.id}/totp", {}),
        ("POST", f"/v1/users/{person.id}/exports", {}),
        ("GET", f"/v1/users/{person.id}/exports", None),
        ("POST", f"/v1/users/{person.id}/sessions", {}),
    ]:
        assert admin.send(method, path, json=body).status_code in (404, 405), path
    person.post("/v1/sessions", {"identifier": person.email, "password": person.password})


def test_of_admins_who_withdraw_each_other_one_stays(admin: Api, suite: Suite) -> None:
    # The suite's other administrators stand aside: two are enough to see that both do not go.
    others = [make_admin(suite) for _ in range(2)]
    ids = [other.get("/v1/users/me")["id"] for other in others]
    with ThreadPoolExecutor(2) as pool:
        statuses = list(
            pool.map(
                lambda pair: pair[0].send(
                    "PUT", f"/v1/users/{pair[1]}/access",
                    json={"roles": ["user"], "enabled": True},
                ).status_code,
                zip(others, reversed(ids), strict=True),
            )
        )  # fmt: skip
    assert set(statuses) <= {200, 401, 403, 409}, statuses
    assert list(admin.pages("/v1/users", role="admin"))


def test_what_an_admin_is_refused_is_told(admin: Api, suite: Suite) -> None:
    person = Person(suite)
    stale = {"If-Match": '"0"'}
    for method, path, body in [
        ("PATCH", "", {"firstName": "Eve"}),
        ("PUT", "/access", {"roles": ["coo"], "enabled": True}),
        ("DELETE", "", None),
    ]:
        answer = admin.send(method, f"/v1/users/{person.id}{path}", json=body, headers=stale)
        assert answer.status_code == 412, answer.text
    told = list(admin.pages("/v1/audit", subject=person.id, action="request-refused"))
    assert [entry["detail"] for entry in told] == [
        {"action": action, "code": "precondition-failed"}
        for action in ("erasure-requested", "access-changed", "user-changed")
    ]
    assert person.get("/v1/users/me")["roles"] == ["user"]


def test_everything_is_told_and_sealed_whoever_is_killed(admin: Api, suite: Suite) -> None:
    people = [Person(suite) for _ in range(4)]
    before = verified(admin)
    pids = [suite.pid(f"ezwallet-auth-{number}") for number in (1, 2)]
    reads = 0
    for number in range(40):
        admin.get(f"/v1/users/{people[number % 4].id}")
        reads += 1
        if number == 15:
            os.kill(pids[0], signal.SIGKILL)
        if number == 30:
            eventually(lambda: suite.is_ready("ezwallet-auth-1"), seconds=20)
            os.kill(pids[1], signal.SIGKILL)
    eventually(lambda: suite.is_ready("ezwallet-auth-2"), seconds=20)
    told = [
        entry
        for person in people
        for entry in admin.pages("/v1/audit", subject=person.id, action="user-read")
    ]
    assert len(told) >= reads
    after = eventually(
        lambda: verified(admin), until=lambda answer: answer["entries"] > before["entries"] + 40
    )
    head = before["head"]
    held = admin.get("/v1/audit/verification", height=head["height"], hash=head["hash"])
    assert held["intact"]
    wrong = admin.get("/v1/audit/verification", height=head["height"], hash="0" * 64)
    assert wrong["fault"]["kind"] == "head-differs"
    behind = admin.get(
        "/v1/audit/verification",
        after=after["verifiedTo"], height=head["height"], hash="0" * 64,
    )  # fmt: skip
    assert behind["fault"]["kind"] == "head-differs"
    beyond = after["head"]["height"] + 100_000
    cut = admin.get("/v1/audit/verification", height=beyond, hash=head["hash"])
    assert cut["fault"]["kind"] == "tail-cut"
    # From outside, too.
    file = suite.folder / "head.json"
    printed = suite.command("auth", "audit-head")
    file.write_text(printed)
    said = suite.command("auth", "verify-audit", "--head", str(file))
    assert "as it was written" in said
    cut_off = json.loads(file.read_text().splitlines()[-1])
    cut_off["height"] += 100_000
    file.write_text(json.dumps(cut_off))
    with pytest.raises(RuntimeError, match="tail-cut"):
        suite.command("auth", "verify-audit", "--head", str(file))
