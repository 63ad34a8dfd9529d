"""The flux of requirements 004 in a real browser: fast-forward, biometrics, four tries."""

import time
import uuid
from collections.abc import Iterator
from typing import Any

import jwt
import pyotp
import pytest
from playwright.sync_api import Error

from browser import Browser, browser
from client import Person
from suite.suite import Suite

NEEDS = ["gateway", "auth"]
pytestmark = pytest.mark.usefixtures("forgotten_failures")
PASSWORD = "correct-horse-battery-7"  # noqa: S105


@pytest.fixture(scope="module")
def chromium(suite: Suite) -> Iterator[Browser]:
    with browser(suite.address) as opened:
        yield opened


@pytest.fixture
def page(chromium: Browser) -> Iterator[Browser]:
    """The browser as new, with one authenticator and somebody signed in by cookies."""
    chromium.page.context.clear_cookies()
    chromium.plug()
    name = f"p{uuid.uuid4().hex[:12]}"
    status, body = chromium.call(
        "POST",
        "/v1/users",
        {"email": f"{name}@example.org", "password": PASSWORD, "username": name},
    )
    assert status == 201 and "accessToken" not in body["session"], body
    yield chromium


def register(page: Browser, name: str = "My phone") -> dict[str, Any]:
    status, begun = page.call("POST", "/v1/passkeys/options")
    assert status == 201, begun
    credential = page.create(begun["publicKey"])
    status, made = page.call(
        "POST",
        "/v1/passkeys",
        {"challengeId": begun["challengeId"], "credential": credential, "name": name},
    )
    assert status == 201, made
    return made


def log_out(page: Browser) -> None:
    assert page.call("DELETE", "/v1/sessions/current")[0] == 204
    assert page.call("GET", "/v1/users/me")[0] == 401


def begin(page: Browser, **fields: Any) -> dict[str, Any]:
    status, begun = page.call("POST", "/v1/sessions/passkey-options", fields)
    assert status == 201, begun
    return begun


def send(page: Browser, begun: dict[str, Any], credential: dict[str, Any]) -> tuple[int, Any]:
    body = {"passkey": {"challengeId": begun["challengeId"], "credential": credential}}
    return page.call("POST", "/v1/sessions", body)


def log_in(page: Browser, **fields: Any) -> tuple[int, Any]:
    begun = begin(page, **fields)
    return send(page, begun, page.use(begun["publicKey"]))


def test_a_passkey_without_a_name_gives_cookies_and_no_token(page: Browser) -> None:
    made = register(page)
    assert made["name"] == "My phone" and made["transports"] == ["internal"]
    log_out(page)
    page.page.context.clear_cookies()
    begun = begin(page)
    assert begun["publicKey"]["allowCredentials"] == [] and "suggested" not in begun
    status, session = send(page, begun, page.use(begun["publicKey"]))
    assert status == 201, session
    assert not {"accessToken", "refreshToken", "deviceToken"} & session.keys()
    cookies = page.cookies()
    for name in ("__Host-access", "__Host-refresh", "__Host-device"):
        cookie = cookies[name]
        assert cookie["secure"] and cookie["httpOnly"] and cookie["sameSite"] == "Strict", name
    assert page.call("GET", "/v1/users/me")[0] == 200


def test_fast_forward_offers_the_last_user(page: Browser, suite: Suite) -> None:
    register(page)
    log_out(page)
    begun = begin(page)
    (own,) = page.credentials()
    assert len(begun["publicKey"]["allowCredentials"]) == 1
    assert begun["suggested"]["username"] == "p***"
    assert send(page, begun, page.use(begun["publicKey"]))[0] == 201
    # Whoever else has the device in hand now asks for any passkey of it.
    log_out(page)
    other = begin(page, fastForward=False)
    assert other["publicKey"]["allowCredentials"] == [] and "suggested" not in other
    assert own["userHandle"]


def test_a_typed_name_finds_the_passkey_though_none_is_listed(page: Browser) -> None:
    register(page)
    email = page.call("GET", "/v1/users/me")[1]["email"]
    log_out(page)
    page.page.context.clear_cookies()
    begun = begin(page, identifier=email)
    assert not begun["publicKey"]["allowCredentials"]
    assert send(page, begun, page.use(begun["publicKey"]))[0] == 201


def test_a_passkey_is_two_factors_and_the_app_is_not_asked_for(page: Browser) -> None:
    register(page)
    email = page.call("GET", "/v1/users/me")[1]["email"]
    status, made = page.call("POST", "/v1/users/me/totp")
    assert status == 201, made
    app = pyotp.TOTP(made["secret"])
    for _ in range(3):
        code = {"code": app.at(time.time() - 30)}
        status, told = page.call("POST", "/v1/users/me/totp/confirmation", code)
        if status == 200:
            break
    assert status == 200, told
    log_out(page)
    body = {"identifier": email, "password": PASSWORD}
    status, pending = page.call("POST", "/v1/sessions", body)
    assert status == 202 and pending["challenge"]["channel"] == "totp"
    assert page.call("GET", "/v1/users/me")[0] == 401
    status, session = log_in(page)
    assert status == 201 and "challenge" not in session
    assert page.call("GET", "/v1/users/me")[0] == 200
    said = jwt.decode(page.cookies()["__Host-access"]["value"], options={"verify_signature": False})
    assert {"user", "mfa"} <= set(said["amr"]) and "otp" not in said["amr"] and said["acr"] == "2"


def test_five_wrong_assertions_exhaust_the_challenge(page: Browser) -> None:
    register(page)
    log_out(page)
    begun, other = begin(page), begin(page)
    wrong = page.use(other["publicKey"])
    for _ in range(5):
        status, problem = send(page, begun, wrong)
        assert (status, problem["code"]) == (401, "wrong-credentials")
    status, problem = send(page, begun, page.use(begun["publicKey"]))
    assert (status, problem["code"]) == (409, "challenge-exhausted")
    assert log_in(page)[0] == 201


def test_an_answer_is_good_once(page: Browser) -> None:
    register(page)
    log_out(page)
    begun = begin(page)
    credential = page.use(begun["publicKey"])
    assert send(page, begun, credential)[0] == 201
    assert send(page, begun, credential)[1]["code"] == "challenge-exhausted"


def test_a_copy_of_the_authenticator_is_refused(page: Browser) -> None:
    register(page)
    (copy,) = page.credentials()
    log_out(page)
    for _ in range(3):
        assert log_in(page)[0] == 201
        log_out(page)
    page.plug()
    page.put(copy)
    status, problem = log_in(page)
    assert (status, problem["code"]) == (401, "wrong-credentials")


def test_without_user_verification_nobody_gets_in(page: Browser) -> None:
    register(page)
    log_out(page)
    begun = begin(page)
    # A page that does not ask for it is answered, and we refuse what it is answered with.
    lax = begun["publicKey"] | {"userVerification": "discouraged"}
    (own,) = page.credentials()
    page.plug(hasUserVerification=False, isUserVerified=False)
    page.put(own)
    status, problem = send(page, begun, page.use(lax))
    assert (status, problem["code"]) == (401, "wrong-credentials")
    with pytest.raises(Error, match="NotAllowedError"):
        page.use(begun["publicKey"] | {"timeout": 2_000})


def test_one_authenticator_registers_once(page: Browser) -> None:
    register(page)
    with pytest.raises(Error, match="InvalidStateError"):
        register(page)


def test_a_deleted_passkey_is_of_no_use(page: Browser, suite: Suite) -> None:
    made = register(page)
    assert page.call("DELETE", f"/v1/passkeys/{made['id']}")[0] == 204
    assert page.call("GET", "/v1/passkeys")[1]["items"] == []
    log_out(page)
    page.page.context.clear_cookies()
    assert log_in(page)[0] == 401
    assert Person(suite).send("GET", "/v1/passkeys").status_code == 200
