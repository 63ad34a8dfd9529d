"""SIGTERM: a replica says that it goes, takes nobody new, finishes what it has, and ends."""

import json
import signal
import socket
import subprocess
import time
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from client import Person, eventually
from suite.ports import free_ports
from suite.suite import Suite, direct

NEEDS = ["gateway", "auth", "notifications"]


class Replica:
    """One more replica of a service, which no balancer knows."""

    def __init__(self, suite: Suite, name: str, log: Path):
        self.log = log
        self.port, self.admin = free_ports(2)
        environment = suite.executables.service(name, 1)
        environment["EZWALLET_LISTEN"] = f"127.0.0.1:{self.port}"
        environment["EZWALLET_ADMIN_LISTEN"] = f"127.0.0.1:{self.admin}"
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [str(suite.executables.binaries / f"ezwallet-{name}")],
                env=environment, stdout=output, stderr=output,
            )  # fmt: skip
        eventually(lambda: self.readiness()[0] == 200, seconds=60)

    def readiness(self) -> tuple[int, list[str]]:
        """The status of /readyz, and what it says is missing."""
        try:
            with direct.open(f"http://127.0.0.1:{self.admin}/readyz", timeout=5) as answer:
                return answer.status, json.load(answer)["missing"]
        except urllib.error.HTTPError as answer:
            return answer.code, json.load(answer)["missing"]
        except OSError:
            return 0, []

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def takes(self) -> bool:
        """Whether a new connection is accepted."""
        try:
            self.connect().close()
        except ConnectionRefusedError:
            return False
        return True

    def messages(self) -> list[str]:
        """What was logged; every line is JSON."""
        return [json.loads(line)["message"] for line in self.log.read_text().splitlines()]


@contextmanager
def replica(suite: Suite, name: str, folder: Path) -> Iterator[Replica]:
    one = Replica(suite, name, folder / "log")
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.process.kill()
        one.process.wait()


def read_all(connection: socket.socket) -> bytes:
    """What comes until the other side ends."""
    content = b""
    while part := connection.recv(65_536):
        content += part
    return content


@pytest.mark.timeout(120)
def test_a_request_under_way_is_answered_and_nobody_new_is_taken(
    suite: Suite, tmp_path: Path
) -> None:
    body = b'{"identifier":"nobody@example.org","password":"wrong-horse-battery-7"}'
    head = (
        "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    with replica(suite, "auth", tmp_path) as auth:
        idle = auth.connect()
        idle.sendall(b"GET /.well-known/jwks.json HTTP/1.1\r\nHost: x\r\n\r\n")
        assert idle.recv(12) == b"HTTP/1.1 200"
        under_way = auth.connect()
        under_way.sendall(head + body[:10])
        time.sleep(0.2)
        auth.process.send_signal(signal.SIGTERM)
        auth.process.send_signal(signal.SIGTERM)
        eventually(lambda: auth.readiness() == (503, ["draining"]))
        eventually(lambda: not auth.takes())
        # Who has asked nothing is let go; who is being served is not.
        assert read_all(idle) is not None
        assert auth.process.poll() is None
        under_way.sendall(body[10:])
        answer = read_all(under_way)
        assert answer.startswith(b"HTTP/1.1 401"), answer
        assert b"connection: close" in answer.lower() and b"wrong-credentials" in answer
        assert auth.process.wait(timeout=60) == 0
        assert auth.messages()[-1] == "ended" and "draining" in auth.messages()


@pytest.mark.timeout(120)
def test_an_open_stream_is_ended_properly(suite: Suite, person: Person, tmp_path: Path) -> None:
    with replica(suite, "notifications", tmp_path) as notifications:
        stream = notifications.connect()
        stream.sendall(
            "GET /v1/notifications/stream HTTP/1.1\r\nHost: x\r\n"
            f"Authorization: Bearer {person.token}\r\n\r\n".encode()
        )
        assert stream.recv(15).startswith(b"HTTP/1.1 200")
        time.sleep(0.3)
        started = time.monotonic()
        notifications.process.send_signal(signal.SIGTERM)
        # The last chunk is there: the client knows that nothing was cut off.
        assert read_all(stream).endswith(b"0\r\n\r\n")
        assert notifications.process.wait(timeout=60) == 0
        assert time.monotonic() - started < 30
        assert notifications.messages()[-1] == "ended"
