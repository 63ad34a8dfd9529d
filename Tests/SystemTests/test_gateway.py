"""What the gateway does itself, and gateways that are told something else."""

import http.client
import json
import socket
import ssl
import subprocess
import urllib.parse
import uuid
from collections.abc import Iterator

import pytest

from client import Person
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
