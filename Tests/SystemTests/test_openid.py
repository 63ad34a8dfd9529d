"""Signing in by other providers: the whole way, and every way to cheat at it."""

import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Callable
from typing import Any

import jwt
import pytest

from client import Api, Person, eventually, mail_text, mailed_proof, mails
from conftest import CLIENT_ID, CLIENT_SECRET, NATIVE
from provider import Browser, Hostile, b64, consent, give_code, query, real_provider, sign_in
from suite.suite import Suite

NEEDS = ["gateway", "auth"]


@pytest.fixture(autouse=True)
def honest(provider: Hostile) -> None:
    """Each test begins with a provider that says what is right."""
    provider.mint, provider.delay, provider.status = provider.token, 0.0, 200


@pytest.fixture
def browser(suite: Suite) -> Browser:
    return Browser(suite)


def register(browser: Browser, told: dict[str, str], email: str, **fields: Any) -> dict[str, Any]:
    body = {"email": email, "registrationToken": told["registrationToken"]} | fields
    return browser.call("POST", "/v1/users", 201, json=body, headers=browser.with_cookie())


def new_email() -> str:
    return f"o{uuid.uuid4().hex[:12]}@example.org"


def test_the_providers_are_told(visitor: Api) -> None:
    found = visitor.get("/v1/identity-providers")["items"]
    assert found == [
        {"name": "real", "title": "real"}, {"name": "hostile", "title": "Hostile & Sons"},
    ]  # fmt: skip
    visitor.problem("GET", "/v1/identity-providers/none/authorize", 404, "not-found")


def test_a_real_provider_registers_signs_in_and_rotates_its_keys(
    suite: Suite, browser: Browser
) -> None:
    email = new_email()
    users = {"ada": {"email": email, "email_verified": True}}
    with real_provider(**users) as address:
        asked = browser.begin("real")
        assert browser.location.startswith(address) and asked["scope"] == "openid email"
        assert asked["code_challenge_method"] == "S256" and asked["client_id"] == CLIENT_ID
        told = browser.come_back("real", **consent(browser.location, "ada"))
        assert told["error"] == "account-not-found"
        made = register(browser, told, email)
        # The provider has verified the address.
        assert made["user"]["emailVerified"] and not mails(suite, email)
        browser.begin("real")
        code = browser.come_back("real", **consent(browser.location, "ada"))["oidcCode"]
        session = browser.log_in(code)
        claims = jwt.decode(session["accessToken"], options={"verify_signature": False})
        assert claims["sub"] == made["user"]["id"] and claims["amr"] == ["fed"]
        later = Browser(suite)
        asked = later.begin("real")
    # Nobody there: 503, and the next one works.
    answer = later.go("/v1/identity-providers/real/callback", code="x", state=asked["state"])
    assert answer.status_code == 503 and answer.json()["code"] == "unavailable"
    # The same provider with another key: the old ones are fetched anew.
    time.sleep(2.1)
    with real_provider(**users):
        for _ in range(4):
            later.begin("real")
            told = later.come_back("real", **consent(later.location, "ada"))
            assert later.log_in(told["oidcCode"])["accessToken"]
            time.sleep(0.1)
        # Denied there: without the state nobody knows whose sign-in it was.
        later.begin("real")
        assert later.go(
            "/v1/identity-providers/real/callback", error="access_denied"
        ).json()["code"] == "sign-in-expired"  # fmt: skip


def test_denied_access_comes_back_as_such(browser: Browser, provider: Hostile) -> None:
    asked = browser.begin("hostile", redirectUri="/sign-in")
    assert browser.location.startswith(provider.issuer + "/authorize?tenant=7&")
    told = browser.come_back(
        "hostile", error="access_denied", error_description="no", state=asked["state"],
        iss=provider.issuer, session_state="whatever",
    )  # fmt: skip
    assert told == {"error": "access-denied"}
    assert browser.location == browser.suite.address + "/sign-in?error=access-denied"


def at_hash(text: str) -> str:
    return b64(hashlib.sha256(text.encode()).digest()[:16])


def other(**claims: Any) -> Callable[[Hostile, dict[str, Any]], str]:
    """A token with claims changed; None takes one away."""
    return lambda provider, good: provider.token(
        {name: value for name, value in (good | claims).items() if value is not None}
    )


def unsigned(header: dict[str, Any], claims: dict[str, Any], signature: bytes = b"") -> str:
    parts = [json.dumps(header).encode(), json.dumps(claims).encode(), signature]
    return ".".join(b64(part) for part in parts)


def confused(provider: Hostile, claims: dict[str, Any]) -> str:
    """The public key's text as the secret of an HMAC."""
    secret = json.dumps(provider.keys()["keys"][0]).encode()
    signed = unsigned({"alg": "HS256", "kid": "r"}, claims).rpartition(".")[0]
    return signed + "." + b64(hmac.digest(secret, signed.encode(), "sha256"))


NOW = int(time.time())
LIES: dict[str, Callable[[Hostile, dict[str, Any]], str]] = {
    "another nonce": other(nonce="AAAA"),
    "no nonce": other(nonce=None),
    "another audience": other(aud="somebody"),
    "two audiences without azp": other(aud=[CLIENT_ID, "somebody"]),
    "another azp": other(azp="somebody"),
    "no audience": other(aud=[]),
    "another issuer": other(iss="http://127.0.0.1:1"),
    "an issuer with a slash": lambda p, c: p.token(c | {"iss": p.issuer + "/"}),
    "expired": other(exp=NOW - 600),
    "no end": other(exp=None),
    "an end as text": other(exp=str(NOW + 9_000)),
    "from the future": other(iat=NOW + 9_000),
    "from long ago": other(iat=NOW - 9_000),
    "not yet": other(nbf=NOW + 9_000),
    "nobody": other(sub=None),
    "a subject too long": other(sub="s" * 300),
    "of another access token": other(at_hash=at_hash("other")),
    "alg none": lambda p, c: unsigned({"alg": "none", "kid": "r"}, c),
    "alg NONE": lambda p, c: unsigned({"alg": "NONE"}, c),
    "HS256 by our secret": lambda p, c: jwt.encode(c, CLIENT_SECRET.ljust(32), "HS256"),
    "HS256 by the public key": confused,
    "no signature": lambda p, c: p.token(c).rpartition(".")[0] + ".",
    "a cut signature": lambda p, c: p.token(c)[:-4],
    "a key that nobody knows": lambda p, c: p.token(c, kid="nobody"),
    "the other key's name": lambda p, c: p.token(c, kid="e"),
    "a key of its own": lambda p, c: Hostile().token(c, jku="http://127.0.0.1:1/keys"),
    "critical": lambda p, c: p.token(c, crit=["exp"]),
    "another type": lambda p, c: p.token(c, typ="at+jwt"),
    "RS512": lambda p, c: jwt.encode(c, p.rsa, "RS512", headers={"kid": "r"}),
    "nothing": lambda p, c: "",
    "no token": lambda p, c: "a.b.c",
    "huge": lambda p, c: p.token(c | {"x": "x" * 50_000}),
}


@pytest.mark.parametrize("lie", LIES)
def test_an_id_token_that_lies_is_refused(browser: Browser, provider: Hostile, lie: str) -> None:
    provider.mint = lambda claims: LIES[lie](provider, claims)
    assert sign_in(browser, provider) == {"error": "access-denied"}


@pytest.mark.parametrize(
    "truth",
    [
        lambda p, c: p.token(c, "ES256"),
        lambda p, c: p.token(c, typ="JWT"),
        other(aud=[CLIENT_ID]),
        other(aud=[CLIENT_ID, "somebody"], azp=CLIENT_ID),
        # Of this moment, not of when the tests began.
        lambda p, c: p.token(c | {"iat": float(int(time.time())), "unknown": {"a": []}}),
        lambda p, c: p.token(c, jku="http://127.0.0.1:1/keys", x5c=["AA"]),
    ],
)
def test_an_id_token_that_says_what_is_right_is_taken(
    browser: Browser, provider: Hostile, truth: Callable[[Hostile, dict[str, Any]], str]
) -> None:
    provider.mint = lambda claims: truth(provider, claims)
    told = sign_in(browser, provider)
    assert told["error"] == "account-not-found" and told["registrationToken"]


def test_who_answers_is_who_was_asked(browser: Browser, provider: Hostile) -> None:
    for issuer in (None, "http://127.0.0.1:1", provider.issuer + "/"):
        asked = browser.begin("hostile")
        code = give_code(provider, asked)
        params = {"code": code, "state": asked["state"]} | ({"iss": issuer} if issuer else {})
        assert browser.come_back("hostile", **params) == {"error": "access-denied"}
        assert code in provider.codes, "the code went to nobody"
    # A sign-in that began at one provider does not end at another.
    asked = browser.begin("hostile")
    answer = browser.go("/v1/identity-providers/real/callback", code="x", state=asked["state"])
    assert answer.json()["code"] == "sign-in-expired"


def test_a_sign_in_ends_once_and_in_the_browser_that_began(
    suite: Suite, browser: Browser, provider: Hostile
) -> None:
    path = "/v1/identity-providers/hostile/callback"
    asked = browser.begin("hostile")
    code = give_code(provider, asked)
    params = {"code": code, "state": asked["state"], "iss": provider.issuer}
    # Log-in CSRF: the attacker's state and code in the victim's browser, with or without a cookie.
    victim = Browser(suite)
    assert victim.go(path, **params).json()["code"] == "sign-in-expired"
    victim.begin("hostile")
    assert victim.go(path, **params).json()["code"] == "sign-in-expired"
    assert "error" in browser.come_back("hostile", **params)
    # Used up.
    assert browser.go(path, **params).json()["code"] == "sign-in-expired"
    for odd in ({}, {"state": ""}, {"state": "x" * 900}, {"state": "\u00e9"}):
        assert browser.go(path, **odd).status_code == 409
    doubled = browser.send("GET", path + "?state=a&state=b&code=c", retry=False)
    assert doubled.status_code == 400


def test_a_code_is_good_once_for_who_began(
    suite: Suite, browser: Browser, provider: Hostile
) -> None:
    subject, email = uuid.uuid4().hex, new_email()
    told = sign_in(browser, provider, sub=subject)
    # Another browser cannot register with it either: the attacker's identity on a victim's account.
    thief = Browser(suite)
    thief.begin("hostile")
    for other in (thief, Browser(suite)):
        problem = other.problem(
            "POST", "/v1/users", 422, "invalid-body", headers=other.with_cookie(),
            json={"email": email, "registrationToken": told["registrationToken"]},
        )  # fmt: skip
        assert problem["errors"][0]["pointer"] == "/registrationToken"
    made = register(browser, told, email)
    assert not made["user"]["emailVerified"]
    eventually(lambda: mails(suite, email))
    browser.problem(
        "POST", "/v1/users", 422, "invalid-body", headers=browser.with_cookie(),
        json={"email": new_email(), "registrationToken": told["registrationToken"]},
    )  # fmt: skip
    code = sign_in(browser, provider, sub=subject)["oidcCode"]
    for other in (thief, Browser(suite)):
        other.problem(
            "POST", "/v1/sessions", 401, "wrong-credentials", json={"oidcCode": code},
            headers=other.with_cookie(),
        )  # fmt: skip
    assert browser.log_in(code)["accessToken"]
    browser.problem(
        "POST", "/v1/sessions", 401, "wrong-credentials", json={"oidcCode": code},
        headers=browser.with_cookie(),
    )  # fmt: skip
    # One way at a time.
    body = {"oidcCode": code, "identifier": email, "password": "x" * 12}
    browser.problem("POST", "/v1/sessions", 422, "invalid-body", json=body)
    both = {"email": email, "password": "correct-horse-battery-7", "registrationToken": "AAAA"}
    browser.problem("POST", "/v1/users", 422, "invalid-body", json=both)


def test_a_native_client_ends_what_it_began_by_its_own_verifier(
    suite: Suite, browser: Browser, provider: Hostile
) -> None:
    subject, verifier = uuid.uuid4().hex, b64(uuid.uuid4().bytes * 3)
    challenge = b64(hashlib.sha256(verifier.encode()).digest())
    native = {"redirectUri": NATIVE, "codeChallenge": challenge}
    told = sign_in(browser, provider, sub=subject, **native)
    assert browser.cookie is None and browser.location.startswith(NATIVE + "?")
    refused = {"email": new_email(), "registrationToken": told["registrationToken"]}
    browser.problem("POST", "/v1/users", 422, "invalid-body", json=refused)
    register(browser, told, new_email(), codeVerifier=verifier)
    code = sign_in(browser, provider, sub=subject, **native)["oidcCode"]
    for wrong in ({}, {"codeVerifier": "v" * 43}):
        browser.problem(
            "POST", "/v1/sessions", 401, "wrong-credentials", json={"oidcCode": code} | wrong
        )
    assert browser.log_in(code, codeVerifier=verifier)["refreshToken"]
    path = "/v1/identity-providers/hostile/authorize"
    for params in (
        {"redirectUri": NATIVE}, {"codeChallenge": challenge},
        native | {"codeChallenge": challenge + "="}, native | {"codeChallenge": "plain" * 9},
    ):  # fmt: skip
        browser.problem("GET", path, 400, "invalid-query", params=params)


ELSEWHERE = [
    "//evil.example", "///evil.example", "/\\evil.example", "\\\\evil.example", "/%5cevil.example",
    "/%2f%2fevil.example", "https:evil.example", "https://evil.example", "http://evil.example/",
    "https://evil.example@localhost/", "javascript:alert(1)", "data:text/html,x", "", " ", "x",
    "/a//b", "/../x", "/a/./b", "/\t/evil.example", "/\r\nSet-Cookie: a=b", "/x?next=//evil",
    "/x#y", "/@evil.example", "/;evil", NATIVE + "x", NATIVE.upper(), NATIVE + "/../x",
    "org.example.wallet:evil", "/" + "x" * 600, "/\u2215evil.example",
]  # fmt: skip


@pytest.mark.parametrize("target", ELSEWHERE)
def test_nobody_is_sent_elsewhere(browser: Browser, target: str) -> None:
    path = "/v1/identity-providers/hostile/authorize"
    for params in ({"redirectUri": target}, {"redirectUri": target, "codeChallenge": "A" * 43}):
        browser.problem("GET", path, 400, "invalid-query", params=params)
    ours = browser.suite.address
    for beside in (ours + ".evil.example/", ours + "@evil.example/", ours):
        browser.problem("GET", path, 400, "invalid-query", params={"redirectUri": beside})


def test_our_own_paths_are_gone_to(browser: Browser, provider: Hostile) -> None:
    ours = browser.suite.address
    for told, address in (
        (None, ours + "/"), ("/", ours + "/"), ("/a-b/c_d.~/", ours + "/a-b/c_d.~/"),
        (ours + "/x", ours + "/x"),
    ):  # fmt: skip
        params = {"redirectUri": told} if told else {}
        sign_in(browser, provider, **params)
        assert browser.location.startswith(address + "?error=account-not-found&registrationToken=")


def test_an_identity_is_linked_by_verified_addresses_alone(
    suite: Suite, browser: Browser, provider: Hostile
) -> None:
    person = Person(suite)
    for verified in (False, None, "yes", 1, True):
        told = sign_in(browser, provider, email=person.email, email_verified=verified)
        assert told["error"] == "account-not-found", "the account's address is not verified"
    register_body = {"email": person.email, "registrationToken": told["registrationToken"]}
    browser.problem(
        "POST", "/v1/users", 409, "email-taken", json=register_body, headers=browser.with_cookie()
    )
    person.verify_email()
    for verified in (False, None, "yes", 1):
        told = sign_in(browser, provider, email=person.email, email_verified=verified)
        assert told["error"] == "account-not-found", "the provider has not verified it"
    subject = uuid.uuid4().hex
    told = sign_in(browser, provider, sub=subject, email=person.email.upper(), email_verified=True)
    assert person.get("/v1/users/me/identities")["items"] == []
    session = browser.log_in(told["oidcCode"])
    claims = jwt.decode(session["accessToken"], options={"verify_signature": False})
    assert claims["sub"] == person.id
    (linked,) = person.get("/v1/users/me/identities")["items"]
    assert linked["provider"] == "hostile" and linked["email"].lower() == person.email
    eventually(lambda: [m for m in mails(suite, person.email) if "linked" in mail_text(m)])
    # From now on the subject counts, whatever address it has.
    assert "oidcCode" in sign_in(browser, provider, sub=subject)
    person.call("DELETE", f"/v1/users/me/identities/{linked['id']}", 204)
    assert sign_in(browser, provider, sub=subject)["error"] == "account-not-found"


def test_who_is_signed_in_links_and_unlinks(suite: Suite, provider: Hostile) -> None:
    ada, eve = Person(suite), Person(suite)
    authorize = "/v1/identity-providers/hostile/authorize"
    Browser(suite).problem("GET", authorize, 401, "unauthenticated", params={"link": "true"})
    page, other = Browser(suite, ada.token), Browser(suite, eve.token)
    subject = uuid.uuid4().hex
    code = sign_in(page, provider, sub=subject, link="true")["oidcCode"]
    link, cookie = "/v1/users/me/identities", page.with_cookie()
    body = {"oidcCode": code}
    # Not for logging in, not by another account, not in another browser.
    page.problem("POST", "/v1/sessions", 401, "wrong-credentials", json=body, headers=cookie)
    other.problem("POST", link, 409, "sign-in-expired", json=body, headers=cookie)
    ada.problem("POST", link, 409, "sign-in-expired", json=body)
    key = uuid.uuid4().hex
    made = page.call("POST", link, 201, json=body, headers=cookie, key=key)
    again = page.send("POST", link, json=body, headers=cookie, key=key)
    assert again.json() == made and again.headers["idempotency-replayed"] == "true"
    page.problem("POST", link, 409, "sign-in-expired", json=body, headers=cookie)
    # What is one's is not another's.
    code = sign_in(other, provider, sub=subject, link="true")["oidcCode"]
    other.problem(
        "POST", link, 409, "identity-taken", json={"oidcCode": code}, headers=other.with_cookie()
    )
    other.problem("DELETE", f"{link}/{made['id']}", 404, "not-found")
    session = page.log_in(sign_in(page, provider, sub=subject)["oidcCode"])
    assert [one["id"] for one in Api(suite, session["accessToken"]).get(link)["items"]] == [
        made["id"]
    ]
    ada.call("DELETE", f"{link}/{made['id']}", 204)
    ada.problem("DELETE", f"{link}/{made['id']}", 404, "not-found")
    # Nothing else to sign in with: it stays.
    alone = Browser(suite)
    told = sign_in(alone, provider, sub=subject)
    alone.token = register(alone, told, new_email())["session"]["accessToken"]
    (only,) = alone.get(link)["items"]
    alone.problem("DELETE", f"{link}/{only['id']}", 403, "step-up-required")
    alone.token = mailed_proof(suite, alone, alone.get("/v1/users/me")["email"])["accessToken"]
    alone.problem("DELETE", f"{link}/{only['id']}", 409, "last-credential")
    assert alone.get(link)["items"] == [only]


def test_a_provider_that_fails_or_dawdles_leaves_nothing_behind(
    suite: Suite, browser: Browser, provider: Hostile
) -> None:
    path = "/v1/identity-providers/hostile/callback"
    for status, delay in ((500, 0.0), (503, 0.0), (429, 0.0), (200, 9.0)):
        provider.status, provider.delay = status, delay
        asked = browser.begin("hostile")
        code = give_code(provider, asked)
        params = {"code": code, "state": asked["state"], "iss": provider.issuer}
        began = time.monotonic()
        answer = browser.go(path, **params)
        assert answer.status_code == 503 and time.monotonic() - began < 8, (status, delay)
        assert answer.headers["content-type"].startswith("application/problem+json")
        assert answer.json()["code"] == "unavailable" and "location" not in answer.headers
        assert browser.go(path, **params).json()["code"] == "sign-in-expired"
    provider.status, provider.delay = 400, 0.0
    assert sign_in(browser, provider) == {"error": "access-denied"}
    provider.status = 302
    asked = browser.begin("hostile")
    answer = browser.go(
        path, code=give_code(provider, asked), state=asked["state"], iss=provider.issuer
    )
    assert answer.status_code == 503


def test_keys_are_asked_for_at_most_now_and_then(browser: Browser, provider: Hostile) -> None:
    sign_in(browser, provider)
    provider.mint = lambda claims: provider.token(claims, kid=uuid.uuid4().hex)
    provider.requests.clear()
    began = time.monotonic()
    for _ in range(12):
        assert sign_in(browser, provider) == {"error": "access-denied"}
    # Two replicas, each once in two seconds.
    assert provider.requests.count("/keys") <= 2 * (1 + (time.monotonic() - began) / 2)
    assert query(browser.location) == {"error": "access-denied"}
