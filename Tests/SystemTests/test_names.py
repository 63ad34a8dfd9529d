"""Executables that are told names instead of addresses, beside those that run already."""

import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from suite.ports import free_ports
from suite.suite import Suite

NEEDS = ["gateway", "auth"]
#: In the hosts file of every machine; «localhost» itself is taken for 127.0.0.1.
NAME = "LocalHost"


@contextmanager
def running(suite: Suite, name: str, told: dict[str, str]) -> Iterator[int]:
    """One more replica that is told something else; yields the port of its pages."""
    listen, internal, admin = free_ports(3)
    fresh = {
        "EZWALLET_LISTEN": f"127.0.0.1:{listen}",
        "EZWALLET_INTERNAL_LISTEN": f"127.0.0.1:{internal}",
        "EZWALLET_ADMIN_LISTEN": f"127.0.0.1:{admin}",
    }
    binary = suite.executables.binaries / f"ezwallet-{name}"
    log = (suite.folder / "log" / f"named-{name}.log").open("w")
    process = subprocess.Popen([binary], env=told | fresh, stdout=log, stderr=log)
    try:
        yield admin
    finally:
        process.terminate()
        process.wait(30)
        log.close()


def missing(admin: int) -> list[str]:
    """What `/readyz` still waits for."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{admin}/readyz", timeout=5) as answer:
            return json.load(answer)["missing"]
    except urllib.error.HTTPError as problem:
        return json.load(problem)["missing"]
    except OSError:
        return ["pages"]


def wait_for(admin: int, wanted: list[str]) -> None:
    """Until `/readyz` waits for exactly this."""
    end = time.monotonic() + 30
    while (found := missing(admin)) != wanted:
        assert time.monotonic() < end, found
        time.sleep(0.05)


@pytest.mark.timeout(90)
def test_a_service_reaches_database_and_gateway_by_name(suite: Suite) -> None:
    told = suite.executables.service("ledger", 1)
    for variable in ["EZWALLET_DATABASE_HOST", "EZWALLET_GATEWAY_INTERNAL_URL"]:
        told[variable] = told[variable].replace("127.0.0.1", NAME)
    # Ready is who has a database, and revocations by way of the gateway.
    with running(suite, "ledger", told) as admin:
        wait_for(admin, [])


@pytest.mark.timeout(90)
def test_a_gateway_reaches_its_replicas_by_name(suite: Suite) -> None:
    told = {
        variable: value.replace("127.0.0.1", NAME) if "_UPSTREAM_" in variable else value
        for variable, value in suite.executables.gateway().items()
    }
    with running(suite, "gateway", told) as admin:
        wait_for(admin, [])


@pytest.mark.timeout(90)
def test_a_gateway_waits_for_a_name_and_says_so(suite: Suite) -> None:
    told = suite.executables.gateway() | {"EZWALLET_UPSTREAM_AUTH": "none.invalid:8080"}
    with running(suite, "gateway", told) as admin:
        wait_for(admin, ["addresses of auth"])
