"""Gateways that are told something else, beside the one that runs already."""

import subprocess

import pytest

from suite.ports import free_ports
from suite.suite import Suite
from test_names import running, wait_for

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
