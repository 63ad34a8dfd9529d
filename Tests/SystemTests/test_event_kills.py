"""A posting under which its process ends each time is set aside; what came beside it is not."""

import os
import signal
from collections.abc import Iterator

import httpx
import psycopg
import pytest

from client import Person, eventually, money, value
from conftest import make_suite
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES

#: What one amount does to whoever applies it: it stands still until it is killed.
TRAP = """
create function analytics.stand_still() returns trigger language plpgsql as $$
begin
    perform pg_advisory_xact_lock(666);
    return new;
end
$$;
create trigger stand_still before insert on analytics.fact
    for each row when (new.amount = -666) execute function analytics.stand_still();
"""
STANDING = """
select pid from pg_stat_activity
where datname = 'ezwallet_analytics' and wait_event_type = 'Lock' and wait_event = 'advisory'
"""


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of one replica each, which these tests may hurt."""
    suite = make_suite(replicas=1)
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


@pytest.mark.timeout(300)
def test_what_ends_its_process_five_times_is_a_dead_letter_and_its_neighbours_are_not(
    own: Suite,
) -> None:
    person = Person(own)
    (wallet,) = person.get("/v1/accounts")["items"]
    admin = psycopg.connect(
        host=str(own.postgres.socket), port=own.postgres.port, user="ezwallet_admin",
        password=own.postgres.password_file.read_text(), dbname="ezwallet_analytics",
        autocommit=True,
    )  # fmt: skip

    def spend(*amounts: str) -> None:
        for amount in amounts:
            body = {"accountId": wallet["id"], "amount": money(amount)}
            person.post("/v1/transactions", body)

    def spent(amount: int, seconds: float) -> None:
        eventually(
            lambda: value(person.get("/v1/reports/summary")["expenses"]), seconds=seconds,
            until=lambda found: found == amount,
        )  # fmt: skip

    with admin:
        admin.execute(TRAP)
        admin.execute("select pg_advisory_lock(666)")
        spend("-1.00", "-6.66", "-2.00", "-3.00")
        # Once among others, once with its message, three times alone.
        for ended in range(5):
            eventually(lambda: admin.execute(STANDING).fetchall(), seconds=60)
            begun = "select begun from analytics.parked_event where aggregate like '% entry'"
            assert admin.execute(begun).fetchall() == ([(ended - 1,)] if ended > 1 else [])
            os.kill(own.pid("ezwallet-analytics-1"), signal.SIGKILL)
            # Its backend would wait on.
            admin.execute(f"select pg_terminate_backend(pid) from ({STANDING}) as standing")
            eventually(lambda: not admin.execute(STANDING).fetchall(), seconds=30)
        spent(6, 60)
        # What came beside it needs not wait for its end.
        dead = "select aggregate, error from analytics.dead_letter"
        eventually(
            lambda: admin.execute(dead).fetchall(), seconds=30,
            until=lambda found: found == [("journal", "begun 3 times and never ended")],
        )  # fmt: skip
        # Others that came again are applied one after the other.
        parked = "select aggregate, begun from analytics.parked_event"
        eventually(lambda: admin.execute(parked).fetchall(), 30, until=lambda found: not found)
        # It goes on, and counts what it buried.
        spend("-4.00")
        spent(10, 30)
        port = own.executables.admin_ports()["ezwallet-analytics-1"]
        # The figures are brought up to date every few seconds.
        buried = 'ezwallet_consumer_buried_total{consumer="analytics-ledger-journal"} 1'
        url = f"http://127.0.0.1:{port}/metrics"
        eventually(lambda: buried in httpx.get(url, trust_env=False).text, seconds=30)
