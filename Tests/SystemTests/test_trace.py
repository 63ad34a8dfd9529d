"""One trace from a client's call through money's event to the service that consumes it."""

import json
import secrets
from collections.abc import Iterator

import pytest

from client import Person, eventually, money, value
from conftest import make_suite
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of one replica each, which these tests may hurt."""
    suite = make_suite(replicas=1)
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


def lines_of(suite: Suite, program: str, trace: str) -> list[dict[str, str]]:
    text = (suite.folder / "log" / f"{program}.log").read_text()
    return [json.loads(line) for line in text.splitlines() if trace in line]


@pytest.mark.timeout(120)
def test_a_trace_goes_from_the_clients_call_to_who_consumes_its_event(own: Suite) -> None:
    person = Person(own)
    (wallet,) = person.get("/v1/accounts")["items"]

    def sql(database: str, text: str) -> list[str]:
        return own.postgres.psql("-c", text, database=f"ezwallet_{database}").splitlines()

    # Analytics cannot take anything in: what it says of that names the request.
    refusal = "alter table analytics.fact {} constraint refusal"
    sql("analytics", refusal.format("add") + " check (amount > 0) not valid")
    traces = [secrets.token_hex(16) for _ in range(2)]
    try:
        for trace in traces:
            person.post(
                "/v1/transactions",
                {"accountId": wallet["id"], "amount": money("-1.00")},
                headers={"traceparent": f"00-{trace}-{secrets.token_hex(8)}-01"},
            )
        for trace in traces:
            told = sql(
                "ledger",
                f"select kind from ledger.entry where traceparent like '00-{trace}-%'",
            )
            assert told == ["record"]
        (line,) = eventually(
            lambda: lines_of(own, "ezwallet-analytics-1", traces[0])[:1], seconds=30
        )
        assert line["traceId"] == traces[0]
        assert "eventFailed" in line["event"]
    finally:
        sql("analytics", refusal.format("drop"))
    eventually(
        lambda: value(person.get("/v1/reports/summary")["expenses"]), seconds=60,
        until=lambda spent: spent == 2,
    )  # fmt: skip
    # What has no request has no trace.
    sealed = "select distinct traceparent is null from outbox where type like '%.sealed.v1'"
    assert sql("ledger", sealed.replace("outbox", "ledger.outbox")) in (["t"], [])
