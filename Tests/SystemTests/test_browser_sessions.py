"""Sessions of browsers: cookies that no other site can use, make or read."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from http.cookies import SimpleCookie

import httpx
import pytest

from client import Api, Person, session_of
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]
NAMES = {"__Host-access", "__Host-refresh"}


def log_in(visitor: Api, person: Person, headers: dict[str, str] | None = None) -> httpx.Response:
    body = {"identifier": person.email, "password": person.password}
    return visitor.send("POST", "/v1/sessions", json=body, headers=headers)


def cookies_of(answer: httpx.Response) -> dict[str, SimpleCookie]:
    """Every cookie that an answer sets, with its attributes."""
    found = {}
    for line in answer.headers.get_list("set-cookie"):
        cookie = SimpleCookie(line)
        for name in cookie:
            assert name not in found, "set twice"
            found[name] = cookie[name]
    return found


def header(answer: httpx.Response) -> dict[str, str]:
    pairs = [f"{name}={cookie.value}" for name, cookie in cookies_of(answer).items()]
    return {"Cookie": "; ".join(pairs)}


@pytest.fixture
def browser(suite: Suite, visitor: Api, person: Person) -> dict[str, str]:
    """The `Cookie` header of a page of ours that has signed in."""
    # The client keeps what it is given otherwise, and would send it by itself.
    answer = log_in(Api(suite), person, {"Origin": suite.address})
    return header(answer)


def test_our_own_page_gets_cookies_and_no_token(suite: Suite, visitor: Api, person: Person) -> None:
    answer = log_in(visitor, person, {"Origin": suite.address})
    assert answer.status_code == 201
    assert not {"accessToken", "refreshToken"} & answer.json().keys()
    assert answer.json()["sessionExpiresAt"]
    assert answer.headers["cache-control"] == "no-store"
    cookies = cookies_of(answer)
    assert cookies.keys() >= NAMES
    for name, cookie in cookies.items():
        # `__Host-` holds only with Secure, Path=/ and no Domain (RFC 6265bis, 4.1.3.2).
        assert name.startswith("__Host-") and cookie["path"] == "/" and not cookie["domain"]
        assert cookie["secure"] and cookie["httponly"] and cookie["samesite"] == "Strict"
        assert int(cookie["max-age"]) > 0


def test_any_other_origin_gets_no_cookie(suite: Suite, visitor: Api, person: Person) -> None:
    for origin in ("https://evil.example", "null", suite.address + ".evil.example"):
        answer = log_in(visitor, person, {"Origin": origin})
        assert not cookies_of(answer) and answer.json()["accessToken"]


@pytest.mark.parametrize(
    "origin",
    [
        None, "null", "", "https://evil.example", "{}.evil.example", "{}1", "{}/", "HTTP{}",
        "https://localhost", "http://localhost:1", "https://evil.example, {}", "{} {}",
    ],
)  # fmt: skip
def test_a_change_by_cookie_needs_our_own_origin(
    suite: Suite, browser: dict[str, str], origin: str | None
) -> None:
    headers = dict(browser)
    if origin is not None:
        headers["Origin"] = origin.replace("{}", suite.address)
    forged = Api(suite)
    for method, path in [
        ("POST", "/v1/accounts"), ("DELETE", "/v1/sessions"), ("POST", "/v1/sessions/refresh"),
    ]:  # fmt: skip
        answer = forged.send(method, path, headers=headers, json={})
        assert answer.status_code == 401, (method, path, answer.text)
    assert forged.send("GET", "/v1/accounts", headers=browser).status_code == 200


def test_a_change_by_cookie_from_our_page_works(suite: Suite, browser: dict[str, str]) -> None:
    headers = browser | {"Origin": suite.address}
    page = Api(suite)
    page.call("POST", "/v1/accounts", 201, json={"name": uuid.uuid4().hex[:8]}, headers=headers)
    answer = page.send("POST", "/v1/sessions/refresh", json={}, headers=headers)
    assert answer.status_code == 201 and cookies_of(answer).keys() >= NAMES
    renewed = header(answer)
    assert renewed != browser
    answer = Api(suite).send(
        "DELETE", "/v1/sessions/current", headers=renewed | {"Origin": suite.address}
    )
    assert answer.status_code == 204
    assert all(
        cookie["max-age"] == "0" and not cookie.value for cookie in cookies_of(answer).values()
    )


def test_an_origin_sent_twice_is_no_origin(suite: Suite, browser: dict[str, str]) -> None:
    for pair in [
        [suite.address, "https://evil.example"], ["https://evil.example", suite.address],
    ]:  # fmt: skip
        headers = [("Cookie", browser["Cookie"]), *(("Origin", one) for one in pair)]
        request = httpx.Request("POST", suite.address + "/v1/accounts", headers=headers, json={})
        assert Api(suite).http.send(request).status_code in (400, 401)


def test_a_log_in_never_takes_over_a_session_that_was_there(
    suite: Suite, visitor: Api, person: Person
) -> None:
    attacker = Person(suite)
    planted = header(log_in(Api(suite), attacker, {"Origin": suite.address}))
    answer = log_in(visitor, person, planted | {"Origin": suite.address})
    fresh = header(answer)
    assert fresh != planted
    # What the attacker has planted stays theirs and says nothing of the victim.
    own = Api(suite).send("GET", "/v1/users/me", headers=planted).json()
    assert own["id"] == attacker.id
    assert Api(suite).send("GET", "/v1/users/me", headers=fresh).json()["id"] == person.id


def test_neither_token_does_the_others_work(suite: Suite, person: Person) -> None:
    assert Api(suite, person.refresh_token).send("GET", "/v1/users/me").status_code == 401
    body = {"refreshToken": person.token[:200]}
    answer = Api(suite).send("POST", "/v1/sessions/refresh", json=body)
    assert answer.status_code == 401
    # A cookie of the one name with the other's value is none either.
    headers = {"Cookie": f"__Host-access={person.refresh_token}"}
    assert Api(suite).send("GET", "/v1/users/me", headers=headers).status_code == 401


@pytest.mark.timeout(60)
def test_a_replayed_refresh_token_ends_its_family_however_many_replay_it(
    suite: Suite, person: Person
) -> None:
    """Over both replicas at once; the thief and the owner both lose the session."""
    tokens = [person.refresh_token]
    for _ in range(3):
        answer = Api(suite).post("/v1/sessions/refresh", {"refreshToken": tokens[-1]})
        tokens.append(session_of(answer)["refreshToken"])

    def replay(number: int) -> tuple[int, str]:
        answer = Api(suite).send(
            "POST", "/v1/sessions/refresh", json={"refreshToken": tokens[number % 2]}
        )
        return answer.status_code, answer.json().get("code", "")

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(replay, range(20)))
    assert {status for status, _ in answers} == {401}
    assert "refresh-token-reused" in {code for _, code in answers}
    last = Api(suite).send("POST", "/v1/sessions/refresh", json={"refreshToken": tokens[-1]})
    assert last.status_code == 401
