"""Whatever comes in: a problem document that names it, never a crash, never half a write."""

import json
import socket
import ssl
import uuid

import pytest

from client import Api, Person, Unexpected
from suite.suite import Suite

NEEDS = ["gateway", "auth"]

MALFORMED = {
    "empty": b"",
    "truncated": b'{"email":',
    "doubled key": b'{"email":"a@example.org","email":"b@example.org","password":"x"}',
    "invalid UTF-8": b'{"email":"\xff\xfe","password":"x"}',
    "deep nesting": b"[" * 5000 + b"]" * 5000,
    "trailing bytes": b'{"email":"a@example.org"} x',
    "unpaired surrogate": b'{"email":"\\ud800","password":"x"}',
    "control character in a string": b'{"email":"a\x01b","password":"x"}',
    "a bare word": b"NaN",
    "a leading zero": b'{"email":01}',
    "a byte order mark": b"\xef\xbb\xbf{}",
}
MISSHAPEN = {
    "an array": b"[]",
    "null": b"null",
    "a number where a string belongs": b'{"email":1,"password":"correct-horse-battery-7"}',
    "an object where a string belongs": b'{"email":{},"password":"correct-horse-battery-7"}',
    "an unknown field": (
        b'{"email":"q@example.org","password":"correct-horse-battery-7","admin":true}'
    ),
    "U+0000": (
        b'{"email":"q@example.org","password":"correct-horse-battery-7","firstName":"\\u0000"}'
    ),
    "nothing that is required": b"{}",
}


def post_users(visitor: Api, body: bytes, kind: str = "application/json") -> tuple[int, dict]:
    answer = visitor.send("POST", "/v1/users", content=body, headers={"Content-Type": kind})
    assert answer.headers["content-type"].startswith("application/problem+json"), answer.text
    assert answer.json()["status"] == answer.status_code
    return answer.status_code, answer.json()


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_json_is_a_400(visitor: Api, name: str) -> None:
    status, _ = post_users(visitor, MALFORMED[name])
    assert status == 400


@pytest.mark.parametrize("name", MISSHAPEN)
def test_json_of_another_shape_is_a_422_that_names_the_field(visitor: Api, name: str) -> None:
    status, problem = post_users(visitor, MISSHAPEN[name])
    assert status == 422 and problem["errors"]
    assert all({"pointer", "code", "detail"} <= set(error) for error in problem["errors"])


@pytest.mark.needs("ledger", "groups")
@pytest.mark.parametrize(
    ("method", "path", "body", "pointers"),
    [
        ("POST", "/v1/transfers", {"reference": "a\u202eb"}, {"/reference"}),
        ("PUT", "/v1/receiving-accounts/EUR",
         {"iban": "DE89370400440532013000", "name": "A\u202eda"}, {"/name"}),
        ("POST", "/v1/transactions", {"name": "a\u2066", "description": "b\u202d"},
         {"/name", "/description"}),
        ("POST", "/v1/groups", {"name": "\u202bTrip"}, {"/name"}),
        ("POST", "/v1/categories", {"name": "Fo\u2069od"}, {"/name"}),
    ],
)  # fmt: skip
def test_texts_that_turn_others_are_a_422(
    person: Person, method: str, path: str, body: dict, pointers: set[str]
) -> None:
    problem = person.problem(method, path, 422, "invalid-body", json=body)
    codes = {error["pointer"]: error["code"] for error in problem["errors"]}
    assert {codes.get(pointer) for pointer in pointers} == {"invalid-character"}


def test_another_content_type_is_a_415(visitor: Api) -> None:
    assert post_users(visitor, b"{}", "text/plain")[0] == 415


def test_a_body_over_the_limit_is_a_413(visitor: Api) -> None:
    body = b'{"email":"' + b"a" * (80 << 10) + b'"}'
    assert post_users(visitor, body)[0] == 413


@pytest.mark.parametrize("path", ["/v1/nothing", "/v1/users/not-a-uuid/picture", "/", "/v1"])
def test_what_is_not_there_is_a_404(person: Person, path: str) -> None:
    assert person.send("GET", path).status_code == 404


def test_another_method_is_a_405_that_says_which_are_there(visitor: Api) -> None:
    answer = visitor.send("DELETE", "/v1/users")
    assert answer.status_code == 405 and "POST" in answer.headers["Allow"]


def test_internal_endpoints_are_not_there_from_outside(visitor: Api) -> None:
    for path in ("/internal/revocations", "/internal/users/x", "/metrics", "/readyz"):
        assert visitor.send("GET", path).status_code == 404, path


def test_no_answer_shows_what_stands_behind(visitor: Api) -> None:
    body = {"email": "x" * 300 + "@example.org", "password": "' or 1=1; --"}
    text = visitor.send("POST", "/v1/users", json=body).text.lower()
    for word in ("select ", "postgres", "sqlstate", "swift", "stack", "127.0.0.1", "ezwallet-"):
        assert word not in text


def raw(suite: Suite, request: bytes) -> bytes:
    """What the gateway answers to bytes that no client library would send."""
    trust = ssl.create_default_context(cafile=str(suite.folder / "tls" / "ca.pem"))
    plain = socket.create_connection(("localhost", suite.ports["GATEWAY"]), 10)
    with trust.wrap_socket(plain, server_hostname="localhost") as connection:
        connection.sendall(request)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
        return answer


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx",
        b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded\r\n\r\n",
        b"GET / HTTP/1.1\nHost: a\n\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"\x16\x03\x01 nonsense\r\n\r\n",
    ],
)
def test_a_malformed_message_is_a_400_and_a_closed_connection(
    suite: Suite, request_bytes: bytes
) -> None:
    assert raw(suite, request_bytes).startswith(b"HTTP/1.1 400")


def test_after_all_that_everything_still_runs(suite: Suite, visitor: Api) -> None:
    for program in suite.executables.admin_ports():
        log = (suite.folder / "log" / f"{program}.log").read_text()
        ended = [line for line in log.splitlines() if '"program ended"' in line]
        # Other tests kill them.
        assert all(json.loads(line)["status"] == "-9" for line in ended), log[-3000:]
    suite.wait_ready()
    try:
        visitor.get("/openapi.json")
    except Unexpected as error:
        raise AssertionError("the gateway does not answer") from error


def test_a_request_id_is_echoed_and_a_trace_is_carried(visitor: Api) -> None:
    trace = uuid.uuid4().hex
    answer = visitor.send(
        "GET",
        "/v1/users/me",
        headers={"X-Request-Id": "abc-123", "traceparent": f"00-{trace}-{'1' * 16}-01"},
    )
    assert answer.headers["X-Request-Id"] == "abc-123"
    assert answer.json()["traceId"] == trace


def test_a_registration_names_every_bad_field_at_once(visitor: Api) -> None:
    """Those that the schema finds, those that the service finds, and those that nobody knows."""
    body = {
        "email": "nobody", "password": "short", "confirmPassword": "shorter", "username": "a",
        "firstName": "", "dateOfBirth": "1700-01-01", "area": "Atlantis", "language": "?",
        "timeZone": "Mars/One", "phone": "12", "currency": "dollars", "colour": "red",
    }  # fmt: skip
    problem = visitor.problem("POST", "/v1/users", 422, "invalid-body", json=body)
    assert {error["pointer"] for error in problem["errors"]} == {f"/{name}" for name in body}
    assert len(problem["errors"]) == len(body)
    # One fault alone is as much in the way as all of them.
    good = {"email": "somebody@example.org", "password": "correct-horse-battery-7"}
    for wrong in ({"dateOfBirth": "yesterday"}, {"colour": "red"}, {"firstName": ""}):
        problem = visitor.problem("POST", "/v1/users", 422, "invalid-body", json=good | wrong)
        assert [error["pointer"] for error in problem["errors"]] == [f"/{name}" for name in wrong]
