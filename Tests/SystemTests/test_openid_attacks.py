"""Sign-in by other providers against who has one half of it, or brings it from elsewhere."""

import time
import urllib.parse
import uuid
from typing import Any

import jwt
import pytest

from actions import switch_on
from client import Api, Person, eventually, mail_text, mailed_proof, mails
from conftest import SIGN_INS_MAX, make_admin
from faults import connect
from provider import Browser, Hostile, consent, give_code, real_provider, sign_in
from recoveries import NEXT, begin, mailed_code
from suite.suite import Suite

NEEDS = ["gateway", "auth", "notifications"]
pytestmark = pytest.mark.usefixtures("forgotten_failures")
LINK = "/v1/users/me/identities"
CALLBACK = "/v1/identity-providers/hostile/callback"


@pytest.fixture(autouse=True)
def honest(provider: Hostile) -> None:
    """Each test begins with a provider that says what is right."""
    provider.mint, provider.delay, provider.status = provider.token, 0.0, 200
    provider.checks_challenges = True
    provider.forms.clear()


@pytest.fixture
def browser(suite: Suite) -> Browser:
    return Browser(suite)


def claims(session: dict[str, Any]) -> dict[str, Any]:
    return jwt.decode(session["accessToken"], options={"verify_signature": False})


def told_of_link(suite: Suite, person: Person) -> list[Any]:
    return [mail for mail in mails(suite, person.email) if "linked" in mail_text(mail)]


def linked(suite: Suite, person: Person) -> list[str]:
    """The subjects in the database, whoever may not ask for them."""
    with connect(suite, "ezwallet_auth") as database:
        rows = database.execute(
            "select subject from auth.identity where user_id = %s order by created_at", (person.id,)
        )
        return [subject for (subject,) in rows]


def test_an_account_with_the_app_asks_for_it_before_anything_is_linked(
    suite: Suite, person: Person, browser: Browser, provider: Hostile
) -> None:
    person.verify_email()
    app, codes = switch_on(person)
    sessions = len(person.get("/v1/sessions")["items"])
    # Keys are fetched anew once in two seconds.
    time.sleep(2.1)
    subject = uuid.uuid4().hex
    with real_provider(**{subject: {"email": person.email, "email_verified": True}}):
        for number, code in enumerate([codes[0], codes[1], "now"]):
            browser.begin("real")
            told = browser.come_back("real", **consent(browser.location, subject))
            pending = browser.log_in(told["oidcCode"], 202)
            assert set(pending) == {"challenge"} and pending["challenge"]["channel"] == "totp"
            path = f"/v1/challenges/{pending['challenge']['id']}/answers"
            # A challenge of nobody's, and a code of nobody's.
            Api(suite).problem("POST", path, 422, "wrong-code", json={"code": "000000"})
            odd = path.replace(pending["challenge"]["id"], str(uuid.uuid4()))
            Api(suite).problem("POST", odd, 404, "not-found", json={"code": "000000"})
            assert linked(suite, person) == [subject] * min(number, 1)
            assert len(person.get("/v1/sessions")["items"]) == sessions + number
            # Nothing but the code is listened to.
            extra = {"code": code, "oidcCode": told["oidcCode"]}
            Api(suite).problem("POST", path, 422, "invalid-body", json=extra)
            answer = {"code": app.now() if code == "now" else code}
            session = Api(suite).post(path, answer)
            assert claims(session)["amr"] == ["fed", "otp", "mfa"], session
            assert claims(session)["acr"] == "2" and claims(session)["sub"] == person.id
            assert linked(suite, person) == [subject]
        # This one does not say who answers; where it does, it is who was asked.
        asked = browser.begin("real")
        answer = consent(browser.location, subject) | {"iss": provider.issuer}
        assert browser.come_back("real", **answer) == {"error": "access-denied"}
        assert asked["redirect_uri"] == suite.address + "/v1/identity-providers/real/callback"
    eventually(lambda: told_of_link(suite, person))
    assert len(told_of_link(suite, person)) == 1


def test_who_is_disabled_is_linked_to_nothing(
    suite: Suite, person: Person, browser: Browser, provider: Hostile
) -> None:
    person.verify_email()
    subject = uuid.uuid4().hex
    proved = {"sub": subject, "email": person.email, "email_verified": True}
    admin = make_admin(suite)
    access = f"/v1/users/{person.id}/access"
    roles = admin.get(f"/v1/users/{person.id}")["roles"]
    admin.call("PUT", access, 200, json={"roles": roles, "enabled": False})
    told = sign_in(browser, provider, **proved)
    for status, code in ((403, "user-disabled"), (401, "wrong-credentials")):
        browser.problem(
            "POST", "/v1/sessions", status, code, json={"oidcCode": told["oidcCode"]},
            headers=browser.with_cookie(),
        )  # fmt: skip
    assert linked(suite, person) == [] and not told_of_link(suite, person)
    admin.call("PUT", access, 200, json={"roles": roles, "enabled": True})
    told = sign_in(browser, provider, **proved)
    assert claims(browser.log_in(told["oidcCode"]))["amr"] == ["fed"]
    assert linked(suite, person) == [subject]
    eventually(lambda: told_of_link(suite, person))


def test_a_recovery_ends_an_intruders_identity(
    suite: Suite, person: Person, browser: Browser, provider: Hostile
) -> None:
    page, thief = Browser(suite, person.token), uuid.uuid4().hex
    code = sign_in(page, provider, sub=thief, link="true")["oidcCode"]
    page.call("POST", LINK, 201, json={"oidcCode": code}, headers=page.with_cookie())
    assert claims(browser.log_in(sign_in(browser, provider, sub=thief)["oidcCode"]))
    # One more that is only begun, and a log-in that is only proved.
    begun = sign_in(page, provider, sub=uuid.uuid4().hex, link="true")["oidcCode"]
    proved = sign_in(browser, provider, sub=thief)["oidcCode"]
    visitor = Api(suite)
    recovery = begin(visitor, person.email)
    path = f"/v1/password-recoveries/{recovery}"
    mailed = {"code": mailed_code(suite, person.email, recovery)}
    token = visitor.call("POST", f"{path}/answers", 200, json=mailed)["recoveryToken"]
    body = {"recoveryToken": token, "newPassword": NEXT}
    visitor.call("PUT", f"{path}/password", 204, json=body)
    assert linked(suite, person) == []
    assert sign_in(Browser(suite), provider, sub=thief)["error"] == "account-not-found"
    browser.problem(
        "POST", "/v1/sessions", 401, "wrong-credentials", json={"oidcCode": proved},
        headers=browser.with_cookie(),
    )  # fmt: skip
    body = {"identifier": person.email, "password": NEXT}
    page.token = visitor.post("/v1/sessions", body)["accessToken"]
    page.problem(
        "POST", LINK, 409, "sign-in-expired", json={"oidcCode": begun}, headers=page.with_cookie()
    )
    assert page.get(LINK)["items"] == []


def test_a_second_factor_is_no_way_in(suite: Suite, browser: Browser, provider: Hostile) -> None:
    told = sign_in(browser, provider)
    email = f"o{uuid.uuid4().hex[:12]}@example.org"
    body = {"email": email, "registrationToken": told["registrationToken"]}
    made = browser.call("POST", "/v1/users", 201, json=body, headers=browser.with_cookie())
    browser.token = made["session"]["accessToken"]
    browser.problem("POST", "/v1/users/me/totp", 403, "step-up-required")
    browser.token = mailed_proof(suite, browser, email)["accessToken"]
    switch_on(browser)
    (only,) = browser.get(LINK)["items"]
    browser.problem("DELETE", f"{LINK}/{only['id']}", 409, "last-credential")
    assert browser.get(LINK)["items"] == [only]


@pytest.mark.parametrize("checks_challenges", [True, False])
def test_a_code_of_another_sign_in_is_refused(
    suite: Suite, browser: Browser, provider: Hostile, checks_challenges: bool
) -> None:
    """Code injection: by PKCE, and by the nonce where a provider does not look at PKCE."""
    provider.checks_challenges = checks_challenges
    victim = Browser(suite)
    subject = uuid.uuid4().hex
    stolen = give_code(provider, victim.begin("hostile"), sub=subject)
    asked = browser.begin("hostile")
    params = {"code": stolen, "state": asked["state"], "iss": provider.issuer}
    assert browser.come_back("hostile", **params) == {"error": "access-denied"}
    assert [form["code"] for form in provider.forms] == [stolen]
    # Of one's own earlier sign-in, too.
    old = give_code(provider, browser.begin("hostile"), sub=subject)
    asked = browser.begin("hostile")
    params = {"code": old, "state": asked["state"], "iss": provider.issuer}
    assert browser.come_back("hostile", **params) == {"error": "access-denied"}


def test_a_code_is_asked_for_once(browser: Browser, provider: Hostile) -> None:
    asked = browser.begin("hostile")
    code = give_code(provider, asked)
    params = {"code": code, "state": asked["state"], "iss": provider.issuer}
    told = browser.come_back("hostile", **params)
    assert told["error"] == "account-not-found"
    # The same callback again, and the same code under another state.
    assert browser.go(CALLBACK, **params).json()["code"] == "sign-in-expired"
    again = browser.begin("hostile")
    assert browser.come_back("hostile", **params | {"state": again["state"]}) == {
        "error": "access-denied"
    }
    assert len(provider.forms) == 2, "the state that was used up asked for nothing"


def test_a_callback_goes_where_the_sign_in_began_alone(
    suite: Suite, browser: Browser, provider: Hostile
) -> None:
    ours = suite.address + CALLBACK
    evil = {
        "Host": "evil.example", "X-Forwarded-Host": "evil.example",
        "Forwarded": "host=evil.example", "Origin": "https://evil.example", "Referer": "https://evil.example/",
    }  # fmt: skip
    path = "/v1/identity-providers/hostile/authorize"
    for name, text in evil.items():
        answer = browser.send("GET", path, headers={name: text}, retry=False)
        browser.http.cookies.clear()
        location = answer.headers.get("location", "")
        assert "evil" not in location, name
        if answer.status_code == 303:
            sent = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(location).query))
            assert sent["redirect_uri"] == ours, name
    # What the callback itself is told changes nothing, nor does who sends it.
    asked = browser.begin("hostile", redirectUri="/in")
    assert asked["redirect_uri"] == ours
    for doubled in ("code=a&code=b", "iss=a&iss=b", "error=a&error=b"):
        answer = browser.send("GET", f"{CALLBACK}?state={asked['state']}&{doubled}", retry=False)
        assert answer.status_code == 400, doubled
    browser.come_back(
        "hostile", code=give_code(provider, asked), state=asked["state"], iss=provider.issuer,
        redirectUri="https://evil.example/", redirect_uri="https://evil.example/",
    )  # fmt: skip
    assert browser.location.startswith(suite.address + "/in?error=account-not-found&")
    (form,) = provider.forms
    assert form["redirect_uri"] == ours and form["grant_type"] == "authorization_code"


def test_an_error_beside_a_code_is_an_error(browser: Browser, provider: Hostile) -> None:
    asked = browser.begin("hostile")
    told = browser.come_back(
        "hostile", code=give_code(provider, asked), state=asked["state"], iss=provider.issuer,
        error="<script>alert(1)</script>", error_description="\r\nSet-Cookie: a=b",
    )  # fmt: skip
    assert told == {"error": "access-denied"} and provider.forms == []


def test_a_line_begins_so_many_sign_ins_an_hour(
    suite: Suite, browser: Browser, provider: Hostile
) -> None:
    asked = browser.begin("hostile")
    path = "/v1/identity-providers/hostile/authorize"
    with connect(suite, "ezwallet_auth") as database:
        database.execute("update auth.code_budget set sent = %s", (SIGN_INS_MAX,))
    try:
        with connect(suite, "ezwallet_auth") as database:
            rows = "select count(*) from auth.sign_in_attempt"
            (before,) = database.execute(rows).fetchone()
            # Either replica.
            for _ in range(6):
                answer = browser.go(path)
                assert answer.status_code == 429, answer.text
                assert answer.json()["code"] == "too-many-requests"
                assert 1 <= int(answer.headers["retry-after"]) <= 3_601
                assert "location" not in answer.headers
            assert database.execute(rows).fetchone() == (before,)
        # What has begun may end.
        told = browser.come_back(
            "hostile", code=give_code(provider, asked), state=asked["state"], iss=provider.issuer
        )
        assert told["error"] == "account-not-found"
    finally:
        with connect(suite, "ezwallet_auth") as database:
            database.execute("delete from auth.code_budget")
    assert browser.begin("hostile")["state"]
