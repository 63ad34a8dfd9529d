"""What the gateway does itself, and gateways that are told something else."""

import hashlib
import http.client
import json
import secrets
import socket
import ssl
import subprocess
import urllib.parse
import uuid
from collections.abc import Iterator

import httpx
import pytest

from client import Api, Person, eventually
from faults import running, wait_for
from suite.ports import free_ports
from suite.suite import Suite

NEEDS = ["gateway", "auth"]


@pytest.mark.timeout(90)
def test_a_gateway_is_ready_once_it_has_its_own_token(suite: Suite) -> None:
    told = suite.executables.gateway()
    # Nobody answers where it is to get its token.
    nowhere = told | {"EZWALLET_GATEWAY_INTERNAL_URL": f"http://127.0.0.1:{free_ports(1)[0]}"}
    with running(suite, "gateway", nowhere) as admin:
        wait_for(admin, ["service token"])
    with running(suite, "gateway", told) as admin:
        wait_for(admin, [])


@pytest.mark.timeout(30)
@pytest.mark.parametrize("left", ["EZWALLET_TLS_CERTIFICATE_FILE", "EZWALLET_TLS_KEY_FILE"])
def test_half_of_what_tls_needs_is_no_reason_to_serve_plain_text(suite: Suite, left: str) -> None:
    ports = free_ports(3)
    names = ["EZWALLET_LISTEN", "EZWALLET_INTERNAL_LISTEN", "EZWALLET_ADMIN_LISTEN"]
    told = suite.executables.gateway() | {
        name: f"127.0.0.1:{port}" for name, port in zip(names, ports, strict=True)
    }
    for name in ["EZWALLET_TLS_CERTIFICATE_FILE", "EZWALLET_TLS_KEY_FILE"]:
        if name != left:
            del told[name]
    binary = suite.executables.binaries / "ezwallet-gateway"
    ended = subprocess.run([binary], env=told, capture_output=True, text=True, timeout=20)
    assert ended.returncode == 78
    assert f"{left} is set without" in ended.stderr


@pytest.fixture
def connection(suite: Suite) -> Iterator[http.client.HTTPSConnection]:
    """A client that sends all of its body before it looks for an answer."""
    address = urllib.parse.urlsplit(suite.address)
    trust = ssl.create_default_context(cafile=str(suite.folder / "tls" / "ca.pem"))
    client = http.client.HTTPSConnection(address.hostname, address.port, context=trust, timeout=20)
    yield client
    client.close()


def refused(answer: http.client.HTTPResponse, status: int, code: str) -> None:
    """Holds that it is such a problem, with what to do and a trace."""
    problem = json.loads(answer.read())
    assert (answer.status, problem["code"]) == (status, code), problem
    assert problem["detail"] and len(problem["traceId"]) == 32, problem


MEBIBYTE = 1 << 20


@pytest.mark.needs("ledger")
@pytest.mark.parametrize(("method", "path", "size", "chunked"), [
    ("PUT", "/v1/users/me/picture", 5 * MEBIBYTE + 82, False),
    ("PUT", "/v1/users/me/picture", 5 * MEBIBYTE + 82, True),
    ("POST", "/v1/folders", 64 * 1024 + 1, False),
    ("POST", "/v1/folders", 64 * 1024 + 1, True),
    ("POST", "/v1/folders", 1_000_000, False),
    ("POST", "/v1/folders", 1_000_000, True),
    ("POST", "/v1/transactions", 5 * MEBIBYTE, False),
    ("POST", "/v1/transactions", 5 * MEBIBYTE, True),
])  # fmt: skip
def test_who_sends_too_much_sees_the_refusal(
    connection: http.client.HTTPSConnection, person: Person,
    method: str, path: str, size: int, chunked: bool,
) -> None:  # fmt: skip
    headers = {"Authorization": f"Bearer {person.token}", "Content-Type": "application/json"}
    body = [b"x" * 60_000] * (size // 60_000 + 1) if chunked else b"x" * size
    connection.request(method, path, body=body, headers=headers, encode_chunked=chunked)
    refused(connection.getresponse(), 413, "body-too-large")


def test_an_early_answer_is_seen_by_who_sends_on(connection: http.client.HTTPSConnection) -> None:
    connection.request("PUT", "/v1/users/me/picture", body=b"x" * (4 * MEBIBYTE))
    refused(connection.getresponse(), 401, "unauthenticated")


@pytest.mark.needs("ledger")
@pytest.mark.parametrize("expects", [False, True])
def test_a_body_over_the_limit_is_refused_before_it_comes(suite: Suite, expects: bool) -> None:
    address = urllib.parse.urlsplit(suite.address)
    trust = ssl.create_default_context(cafile=str(suite.folder / "tls" / "ca.pem"))
    expect = "Expect: 100-continue\r\n" if expects else ""
    head = f"POST /v1/folders HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n{expect}\r\n"
    plain = socket.create_connection((address.hostname, address.port), timeout=10)
    with trust.wrap_socket(plain, server_hostname=address.hostname) as client:
        client.sendall(head.encode())
        assert client.recv(65_536).startswith(b"HTTP/1.1 413 ")


@pytest.mark.needs("ledger", "groups")
@pytest.mark.parametrize("token", [None, "Bearer abc", "expired"])
@pytest.mark.parametrize(("path", "size"), [
    ("/v1/imports", 15_000_000), ("/v1/transactions", 200), ("/v1/transactions/batches", None),
])  # fmt: skip
def test_who_is_not_signed_in_is_told_before_a_body_is_read(
    suite: Suite, person: Person, token: str | None, path: str, size: int | None
) -> None:
    if token == "expired":
        token = f"Bearer {person.token[:-4]}AAAA"
    length = "Transfer-Encoding: chunked" if size is None else f"Content-Length: {size}"
    fields = [
        f"POST {path} HTTP/1.1", "Host: h", "Content-Type: application/json", length,
        "Expect: 100-continue", f"Idempotency-Key: {uuid.uuid4()}",
    ] + ([f"Authorization: {token}"] if token else [])  # fmt: skip
    address = urllib.parse.urlsplit(suite.address)
    trust = ssl.create_default_context(cafile=str(suite.folder / "tls" / "ca.pem"))
    plain = socket.create_connection((address.hostname, address.port), timeout=10)
    with trust.wrap_socket(plain, server_hostname=address.hostname) as client:
        client.sendall("\r\n".join([*fields, "", ""]).encode())
        assert client.recv(65_536).startswith(b"HTTP/1.1 401 ")


@pytest.fixture
def elsewhere(suite: Suite) -> Iterator[tuple[Api, str]]:
    """A client of a network that no other test uses, and that network."""
    place = f"127.{secrets.randbelow(200) + 20}.{secrets.randbelow(256)}"
    api = Api(suite)
    trust = ssl.create_default_context(cafile=str(suite.folder / "tls" / "ca.pem"))
    api.http = httpx.Client(
        base_url=suite.address,
        transport=httpx.HTTPTransport(verify=trust, local_address=f"{place}.1"),
    )
    yield api, f"{place}.0/24"
    api.http.close()


def lines_from(suite: Suite, network: str) -> list[dict[str, str]]:
    """The lines of all logs about that network."""
    found = []
    for log in (suite.folder / "log").glob("ezwallet-*.log"):
        found += [json.loads(line) for line in log.read_text().splitlines() if network in line]
    return found


def test_log_ins_and_refusals_leave_a_line_each(
    suite: Suite, elsewhere: tuple[Api, str], person: Person
) -> None:
    api, network = elsewhere
    right = {"identifier": person.username, "password": person.password}
    wrong = right | {"password": "not the password of anybody"}
    stranger = {"identifier": "nobody-" + secrets.token_hex(6), "password": "wrong-" * 4}
    bearer = {"Authorization": f"Bearer {person.token}"}
    cookie = {"Cookie": f"__Host-access={person.token}", "Origin": "https://evil.example"}
    calls: list[tuple[str, str, str, int, dict[str, object]]] = [
        ("log-in", "POST", "/v1/sessions", 201, {"json": right}),
        ("proof-refused", "POST", "/v1/sessions", 401, {"json": wrong}),
        ("proof-refused", "POST", "/v1/sessions", 401, {"json": stranger}),
        ("unauthenticated", "GET", "/v1/users/me", 401, {}),
        ("forbidden", "GET", "/v1/users", 403, {"headers": bearer}),
        ("origin-refused", "DELETE", "/v1/sessions/current", 401, {"headers": cookie}),
        ("body-too-large", "POST", "/v1/sessions", 413, {"content": b" " * 70_000}),
    ]
    wanted = []
    for event, method, path, status, options in calls:
        name = "trace-" + secrets.token_hex(8)
        headers = {"X-Request-Id": name} | dict(options.pop("headers", {}))
        answer = api.send(method, path, headers=headers, retry=False, **options)
        assert answer.status_code == status, (event, answer.text)
        wanted.append((name, event, f"{method} {path.replace('current', '{session}')}"))
    found = eventually(
        lambda: lines if len(lines := lines_from(suite, network)) >= len(calls) else None
    )
    told = {line["requestId"]: line for line in found}
    assert len(found) == len(told) == len(calls)
    user = hashlib.sha256(person.id.encode()).hexdigest()[:16]
    for name, event, route in wanted:
        line = told[name]
        assert (line["event"], line["route"]) == (event, route)
        assert line["message"] == "security event" and line["replica"] and line["traceId"]
        assert line["who"] in {"log-in": {user}, "forbidden": {user}}.get(
            event, {"nobody", "unknown"}
        )
    assert told[wanted[0][0]]["methods"] == "pwd"
    text = json.dumps(found)
    for personal in (person.username, person.email, person.id, str(stranger["identifier"])):
        assert personal not in text
    assert network.removesuffix(".0/24") + ".1" not in text


def test_a_flood_of_refusals_is_no_flood_of_lines(suite: Suite, elsewhere: tuple[Api, str]) -> None:
    api, network = elsewhere
    for _ in range(80):
        assert api.send("GET", "/v1/users/me", retry=False).status_code == 401
    lines = eventually(lambda: lines_from(suite, network))
    # Ten of each replica of auth a minute, and the test may meet the next minute.
    assert 10 <= len(lines) <= 40


def test_malformed_framing_leaves_a_line(suite: Suite, elsewhere: tuple[Api, str]) -> None:
    _, network = elsewhere
    address = urllib.parse.urlsplit(suite.address)
    trust = ssl.create_default_context(cafile=str(suite.folder / "tls" / "ca.pem"))
    source = (network.removesuffix("0/24") + "1", 0)
    plain = socket.create_connection((address.hostname, address.port), 10, source)
    with trust.wrap_socket(plain, server_hostname=address.hostname) as sender:
        sender.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n")
        assert sender.recv(4_096).startswith(b"HTTP/1.1 400")
    (line,) = eventually(lambda: lines_from(suite, network))
    assert (line["event"], line["code"]) == ("malformed-request", "invalid-request")
    assert (line["service"], line["route"]) == ("gateway", "unread")


SECURITY_FIELDS = {
    "x-content-type-options": "nosniff", "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "caching"),
    [("GET", "/v1/users/me", "no-store"), ("POST", "/v1/users/me", "no-store"),
     ("GET", "/nowhere", "no-store"), ("GET", "/openapi.json", "public, max-age=300"),
     ("GET", "/.well-known/jwks.json", "public, max-age=300")],
)  # fmt: skip
def test_answers_say_who_may_keep_and_frame_them(
    person: Person, method: str, path: str, caching: str
) -> None:
    headers = person.send(method, path, retry=False).headers
    assert headers.get_list("cache-control") == [caching]
    assert headers.get_list("content-security-policy") == [
        "default-src 'none'; frame-ancestors 'none'"
    ]
    assert {name: headers[name] for name in SECURITY_FIELDS} == SECURITY_FIELDS
    # The suite's own name is localhost, which is every developer's.
    assert "strict-transport-security" not in headers
