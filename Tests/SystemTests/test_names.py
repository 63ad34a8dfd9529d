"""Executables that are told names instead of addresses, beside those that run already."""

import pytest

from faults import running, wait_for
from suite.suite import Suite

NEEDS = ["gateway", "auth"]
#: In the hosts file of every machine; «localhost» itself is taken for 127.0.0.1.
NAME = "LocalHost"


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
