"""Out of descriptors: connections wait, and are taken as soon as there is room again."""

import resource
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from suite.ports import free_ports
from suite.suite import Suite, direct, wait_until

NEEDS = ["gateway"]


def limits(soft: int, hard: int) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def gateway(suite: Suite, soft: int, hard: int) -> Iterator[tuple[subprocess.Popen, int]]:
    """A gateway without TLS under a limit of descriptors."""
    port, internal, admin = free_ports(3)
    told = suite.executables.gateway() | {
        "EZWALLET_LISTEN": f"127.0.0.1:{port}",
        "EZWALLET_INTERNAL_LISTEN": f"127.0.0.1:{internal}",
        "EZWALLET_ADMIN_LISTEN": f"127.0.0.1:{admin}",
    }
    told = {name: text for name, text in told.items() if not name.startswith("EZWALLET_TLS_")}
    program = suite.executables.program("gateway", 9, told)
    with (suite.folder / "log" / "descriptors.log").open("ab") as log:
        process = subprocess.Popen(
            program.command, env=program.environment, stdout=log, stderr=log,
            preexec_fn=lambda: limits(soft, hard),
        )  # fmt: skip
    try:
        wait_until(lambda: answers(port), 20, "the gateway does not answer")
        yield process, port
    finally:
        process.terminate()
        process.wait(30)


def answers(port: int) -> bool:
    try:
        with direct.open(f"http://127.0.0.1:{port}/openapi.json", timeout=30) as answer:
            return answer.status == 200
    except OSError:
        return False


def processor_seconds(process: subprocess.Popen) -> float:
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


@pytest.mark.parametrize("hard", [2048])
def test_the_soft_limit_is_raised_to_the_hard_one(suite: Suite, hard: int) -> None:
    with gateway(suite, 256, hard) as (process, _):
        assert resource.prlimit(process.pid, resource.RLIMIT_NOFILE) == (hard, hard)


def test_connections_beyond_the_limit_wait_and_are_answered_later(suite: Suite) -> None:
    ask = b"GET /openapi.json HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
    with gateway(suite, 64, 64) as (process, port):
        held = [socket.create_connection(("127.0.0.1", port), 30) for _ in range(100)]
        waiting = socket.create_connection(("127.0.0.1", port), 30)
        waiting.sendall(ask)
        before = processor_seconds(process)
        time.sleep(1)
        assert processor_seconds(process) - before < 0.5, "it spins while it has no descriptor"
        for other in held:
            other.close()
        assert waiting.recv(65_536).startswith(b"HTTP/1.1 200")
        waiting.close()
        assert answers(port)
        assert process.poll() is None
