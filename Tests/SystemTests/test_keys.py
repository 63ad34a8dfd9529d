"""Signing keys: rotated without anybody noticing, and ended at once in an emergency."""

import time

import jwt
import pytest

from client import Api, Person, eventually, of_each_replica, session_of
from suite.suite import Suite
from timing import ask

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications", "analytics"]
#: The seconds are those of a machine that does nothing else.
pytestmark = pytest.mark.alone
PATHS = ["/v1/users/me", "/v1/accounts", "/v1/groups", "/v1/notifications", "/v1/sessions"]


def key_of(token: str) -> str:
    return jwt.get_unverified_header(token)["kid"]


def states(suite: Suite) -> dict[str, str]:
    """Key and state, as the command tells them."""
    lines = suite.command("auth", "list-keys").splitlines()
    return {line.split()[0]: line.split()[1] for line in lines}


def refreshed(person: Person) -> str:
    answer = person.post("/v1/sessions/refresh", {"refreshToken": person.refresh_token})
    person.take(session_of(answer))
    return key_of(person.token)


def test_the_next_key_is_published_before_it_signs(suite: Suite, person: Person) -> None:
    old = key_of(person.token)
    suite.command("auth", "rotate-keys")
    (new,) = [key for key, state in states(suite).items() if state == "next"]

    # Both replicas of auth tell it within ten seconds; tokens are still signed by the old one.
    def published() -> bool:
        sets = [answer.json() for answer in of_each_replica(suite, "/.well-known/jwks.json")]
        return all({old, new} <= {key["kid"] for key in one["keys"]} for one in sets)

    eventually(published, seconds=15)
    assert refreshed(person) == old
    for path in PATHS:
        person.get(path)
    suite.command("auth", "revoke-key", new)


@pytest.mark.usefixtures("forgotten_failures")
def test_a_revoked_key_ends_its_tokens_everywhere_and_sessions_go_on(
    suite: Suite, person: Person
) -> None:
    stolen = key_of(person.token)
    others = [Person(suite) for _ in range(3)]
    suite.command("auth", "revoke-key", stolen)
    ended = time.monotonic()
    time.sleep(2.0)
    for path in PATHS:
        answers = of_each_replica(suite, path, person.token)
        assert [answer.status_code for answer in answers] == [401, 401], path
        assert person.send("GET", path).status_code == 401, path
    assert time.monotonic() - ended < 10
    for one in [person, *others]:
        # Nobody is logged out for a key that a replica has not heard of yet.
        assert refreshed(one) != stolen
        for path in PATHS:
            one.get(path)
    # Calls between services go on: registration makes the wallet by an event or a call.
    assert Person(suite).get("/v1/accounts")["items"]
    assert states(suite)[stolen] == "revoked"
    # The gateway's word on addresses counts again: who fails on one line slows down no other.
    body = {"password": "wrong-horse-battery-7"}
    for count in range(40):
        guess = body | {"identifier": f"nobody{count}-{stolen[:8]}"}
        if ask(suite, "127.77.7.7", "/v1/sessions", guess)[1] == 429:
            break
    # Who is slowed down is so for an hour more, however slow the machine is.
    suite.postgres.psql(
        "-c",
        "update auth.failed_log_in set blocked_until = blocked_until + interval '1 hour'"
        " where blocked_until > last_failed_at",
        database="ezwallet_auth",
    )
    guess = body | {"identifier": f"somebody-{stolen[:8]}"}
    assert ask(suite, "127.77.7.7", "/v1/sessions", guess)[1] == 429
    assert ask(suite, "127.77.7.8", "/v1/sessions", guess)[1] == 401
    assert stolen not in str(Api(suite).get("/.well-known/jwks.json"))
