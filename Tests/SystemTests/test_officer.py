"""Who is `coo` alone has insights and looks after their own sign-in, and has nothing else."""

import re
import uuid

import pyotp
import pytest

from client import Api, Person, eventually
from conftest import make_admin
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES
#: Of auth what concerns one's own sign-in; everything else that needs a token needs another role.
OWN_SIGN_IN = re.compile(
    r"/v1/(sessions|users/me|users/me/password|passkeys|users/me/totp|users/me/recovery-codes"
    r"|email-verifications)(/.*)?$"
)
#: Below these, what is not one's sign-in.
NOT_OWN_SIGN_IN = re.compile(r"/v1/users/me/(deletion|exports|identities|picture)(/.*)?$")


@pytest.fixture
def officer(suite: Suite) -> Api:
    return make_admin(suite, "coo")


def test_an_officer_looks_after_their_own_sign_in(officer: Api) -> None:
    me = officer.get("/v1/users/me")
    assert me["roles"] == ["coo"]
    assert len(officer.get("/v1/sessions")["items"]) == 1
    changed = officer.call("PATCH", "/v1/users/me", 200, json={"language": "it"})
    assert changed["language"] == "it"
    officer.problem("POST", "/v1/email-verifications", 409, "already-verified")
    assert officer.get("/v1/passkeys")["items"] == []
    officer.post("/v1/passkeys/options")
    body = {"currentPassword": "correct-horse-battery-7", "newPassword": "another-horse-battery-8"}
    officer.token = officer.call("PUT", "/v1/users/me/password", 200, json=body)["accessToken"]
    secret = officer.post("/v1/users/me/totp")
    code = pyotp.TOTP(secret["secret"]).now()
    enabled = officer.call("POST", "/v1/users/me/totp/confirmation", 200, json={"code": code})
    assert len(enabled["recoveryCodes"]) > 1
    officer.token = enabled["session"]["accessToken"]
    officer.call("DELETE", "/v1/sessions/current", 204)
    eventually(lambda: officer.send("GET", "/v1/users/me").status_code == 401)


def test_an_officer_proves_anew_who_they_are(officer: Api) -> None:
    body = {"purpose": "step-up", "channel": "email"}
    assert officer.call("POST", "/v1/challenges", 202, json=body)["purpose"] == "step-up"


def test_everything_else_is_refused_to_an_officer(suite: Suite, officer: Api) -> None:
    document = Api(suite).get("/openapi.json")
    refused = 0
    for path, methods in document["paths"].items():
        own = OWN_SIGN_IN.match(path) and not NOT_OWN_SIGN_IN.match(path)
        if own or path.startswith("/v1/insights"):
            continue
        for method, operation in methods.items():
            # What anybody may call needs no role.
            if method not in ("get", "post", "put", "patch", "delete") or not operation["security"]:
                continue
            target = re.sub(r"\{[^}]+\}", str(uuid.uuid4()), path)
            answer = officer.send(method.upper(), target)
            assert answer.status_code == 403, (method, path, answer.text)
            refused += 1
    assert refused > 100


def test_no_wallet_and_no_group_is_made_for_an_officer(suite: Suite, officer: Api) -> None:
    me = officer.get("/v1/users/me")
    officer.call("PATCH", "/v1/users/me", 200, json={"firstName": "Ada"})
    # Whoever came later has theirs, so the events of whoever came before have been applied.
    later = Person(suite)
    later.get("/v1/accounts"), later.get("/v1/groups")
    for database, query in [
        ("ezwallet_ledger", f"select count(*) from ledger.account where user_id = '{me['id']}'"),
        ("ezwallet_groups", f"select count(*) from groups.person where user_id = '{me['id']}'"),
    ]:
        assert int(suite.postgres.psql("-c", query, database=database)) == 0, database
    invitation = {"name": "Trip", "invitations": [{"username": me["username"]}]}
    answer = later.send("POST", "/v1/groups", json=invitation)
    assert answer.status_code == 422 or answer.json()["code"] == "user-not-found", answer.text
