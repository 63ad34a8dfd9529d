"""What analytics keeps is what its owners have: where it is not, `verify` names it, and `rebuild`
corrects it while everybody goes on writing, whatever dies meanwhile."""

import os
import random
import signal
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator
from decimal import Decimal

import psycopg
import pytest

from actions import Group
from client import Api, Person, eventually, money, value
from conftest import make_suite
from erasures import completed, delete
from faults import connect, surely
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES
PERIOD = {"from": "2020-01-01", "to": "2020-12-31"}


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of one replica each, which these tests may hurt."""
    suite = make_suite(replicas=1)
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


@pytest.fixture
def damage(own: Suite) -> Iterator[psycopg.Connection]:
    """Analytics' database, for what no service would do."""
    connection = connect(own, "ezwallet_analytics")
    connection.autocommit = True
    with connection:
        yield connection


class Life:
    """Somebody's books, and a group's."""

    def __init__(self, suite: Suite):
        self.group = Group(suite)
        self.person = self.group.ada
        self.path = f"/v1/reports/groups/{self.group.id}"
        self.food = self.person.post("/v1/categories", {"name": "Eating"})["id"]
        body = {"name": "Bread", "parentId": self.food}
        self.bread = self.person.post("/v1/categories", body)["id"]
        rent = self.person.post(f"{self.group.path}/categories", {"name": "Home"})["id"]
        body = {"name": "Heat", "parentId": rent}
        self.heat = self.person.post(f"{self.group.path}/categories", body)["id"]
        self.spent, self.shared = Decimal(0), Decimal(0)
        self.transactions = [self.spend(f"{n}.50", self.bread) for n in range(1, 6)]
        for transaction in self.transactions[:2]:
            body = {"amount": money("-7.00")}
            old = self.person.get(f"/v1/transactions/{transaction}")
            self.person.call("PATCH", f"/v1/transactions/{transaction}", 200, json=body)
            self.spent += 7 + value(old["amount"])
        self.expenses = [self.share(f"{n}.00") for n in range(1, 4)]

    def spend(self, amount: str, category: str) -> str:
        body = {"amount": money(f"-{amount}"), "categoryId": category, "date": "2020-02-29"}
        status, made = surely(self.person, "POST", "/v1/transactions", body)
        assert status == 201, made
        self.spent += Decimal(amount)
        return made["id"]

    def share(self, amount: str) -> str:
        split = {"kind": "equal", "parts": [{"memberId": one} for one in self.group.members]}
        body = {"name": "Rent", "amount": money(amount), "split": split, "date": "2020-02-29",
                "categoryId": self.heat}  # fmt: skip
        status, made = surely(self.person, "POST", f"{self.group.path}/expenses", body)
        assert status == 201, made
        self.shared += Decimal(amount)
        return made["id"]

    def check(self, with_group: bool = True) -> None:
        """Reports are what was booked."""
        both = [("/v1/reports", self.spent), (self.path, self.shared)]
        for path, sum in both if with_group else both[:1]:
            told = eventually(
                lambda path=path: self.person.get(f"{path}/summary", **PERIOD),
                until=lambda told, sum=sum: value(told["expenses"]) == sum,
            )
            assert value(told["income"]) == 0


@pytest.fixture(scope="module")
def life(own: Suite) -> Life:
    return Life(own)


def differences(suite: Suite) -> str:
    """What `verify` tells; nothing, where all is well."""
    try:
        return suite.command("analytics", "verify").removeprefix("all is as its owners have it\n")
    except RuntimeError as told:
        assert "differences" in str(told), told
        return str(told)


def begin(suite: Suite, *words: str) -> subprocess.Popen:
    """A command of analytics that goes on beside what follows."""
    return subprocess.Popen(
        [str(suite.executables.binaries / "ezwallet-analytics"), *words],
        env={"PATH": os.environ["PATH"]} | suite.executables.service("analytics", 1),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@pytest.mark.timeout(300)
def test_each_damage_is_named_and_two_rebuilds_correct_it_while_writers_go_on(
    own: Suite, life: Life, damage: psycopg.Connection
) -> None:
    life.check()
    assert differences(own) == ""
    first, second, third, *_ = life.transactions
    stranger = uuid.uuid4()
    changed = "update analytics.fact set {} where transaction_id = %s and not is_reversed"
    damage.execute("delete from analytics.fact where transaction_id = %s", [first])
    damage.execute(changed.format("amount = -99999"), [second])
    damage.execute(
        "insert into analytics.fact select user_id, %s, version, part, is_reversed, account_id, "
        "account_kind, day, amount, currency, category_id, coicop from analytics.fact "
        "where transaction_id = %s",
        [stranger, third],
    )
    damage.execute("delete from analytics.group_expense where expense_id = %s", [life.expenses[0]])
    damage.execute("update analytics.category set parent_id = gen_random_uuid() "
                   "where category_id = %s", [life.bread])  # fmt: skip
    damage.execute("update analytics.group_category set parent_id = gen_random_uuid() "
                   "where category_id = %s", [life.heat])  # fmt: skip
    damage.execute("update analytics.person set area = 'XX' where user_id = %s", [life.person.id])
    damage.execute("update analytics.report_cell set amount = amount - 123456 "
                   "where owner_id = %s", [life.group.id])  # fmt: skip
    told = differences(own)
    for one in (
        f"transaction {first} version 2 part 0: -7.00 EUR in ledger, missing here",
        f"transaction {second} version 2 part 0: -7.00 EUR in ledger, -999.99 EUR here",
        f"transaction {stranger} version 1 part 0: unknown in ledger, -3.50 EUR here",
        f"fact of {life.person.id}, 2020-02 EUR: ",
        f"expense {life.expenses[0]} of group {life.group.id}: 2020-02-29 1.00 EUR",
        f"category {life.bread} of person {life.person.id}: division ",
        f"parent {life.food} in ledger, division ",
        f"category {life.heat} of group {life.group.id}: ",
        f"person {life.person.id}: another area",
        f"cell of {life.person.id}, 2020-02 EUR: ",
        f"cell of {life.group.id}, 2020-02 EUR: ",
    ):
        assert one in told, f"{one} is not in {told}"

    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            life.spend("0.01", life.food)
            life.share("0.03")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for rebuild in [begin(own, "rebuild") for _ in range(2)]:
            said, _ = rebuild.communicate(timeout=120)
            assert rebuild.returncode == 0, said
        assert differences(own) == ""
    finally:
        stop.set()
        writer.join()
    life.check()
    assert differences(own) == ""


@pytest.mark.timeout(300)
def test_whatever_dies_in_the_middle_a_rebuild_begun_again_ends_as_one_that_lived(
    own: Suite, life: Life, damage: psycopg.Connection
) -> None:
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    for number in range(200):
        life.spend("0.01", life.food if number % 2 else life.bread)
    damage.execute(
        "truncate analytics.fact, analytics.report_cell, analytics.person, analytics.category, "
        "analytics.group_expense, analytics.group_category, analytics.first_step"
    )
    for victim in ("rebuild", "ezwallet-ledger-1", "ezwallet-groups-1", "ezwallet-analytics-1"):
        running = begin(own, "rebuild")
        time.sleep(chance.uniform(0.02, 0.4))
        os.kill(running.pid if victim == "rebuild" else own.pid(victim), signal.SIGKILL)
        life.spend("0.01", life.food)
        said, _ = running.communicate(timeout=120)
        # It waits for whoever is away, and ends well.
        assert victim == "rebuild" or running.returncode == 0, f"seed {seed}: {victim}: {said}"
    own.wait_ready()
    assert own.command("analytics", "rebuild").endswith("differences corrected\n")
    life.check()
    assert differences(own) == "", f"seed {seed}"
    steps = "select step from analytics.first_step where user_id = %s order by step"
    assert damage.execute(steps, [life.person.id]).fetchall() == [("group",), ("transaction",)]


@pytest.mark.timeout(300)
def test_who_is_erased_meanwhile_does_not_come_back(own: Suite, damage: psycopg.Connection) -> None:
    person = Person(own)
    for _ in range(20):
        person.post("/v1/transactions", {"amount": money("-1.00"), "date": "2020-03-01"})
    count = "select count(*) from analytics.fact where user_id = %s"
    eventually(lambda: damage.execute(count, [person.id]).fetchone() == (20,))
    stop = threading.Event()

    def rebuild() -> None:
        while not stop.is_set():
            damage.execute("delete from analytics.fact where user_id = %s and random() < 0.3",
                           [person.id])  # fmt: skip
            own.command("analytics", "rebuild")

    rebuilder = threading.Thread(target=rebuild)
    rebuilder.start()
    try:
        completed(own, delete(person))
    finally:
        stop.set()
        rebuilder.join()
    own.command("analytics", "rebuild")
    for table in ("fact", "person", "category", "wallet_member"):
        rows = damage.execute(f"select from analytics.{table} where user_id = %s", [person.id])
        assert not rows.fetchall(), table
    rows = damage.execute("select from analytics.report_cell where owner_id = %s", [person.id])
    assert not rows.fetchall()
    assert differences(own) == ""


def test_a_recount_is_of_everybody_or_of_one(
    own: Suite, life: Life, damage: psycopg.Connection
) -> None:
    wrong = "update analytics.report_cell set amount = amount + 1"
    damage.execute(wrong)
    assert own.command("analytics", "recount", "--person", str(uuid.uuid4())) == (
        "0 cells corrected\n"
    )
    own.command("analytics", "recount", "--person", life.person.id)
    life.check(with_group=False)
    assert f"cell of {life.group.id}" in differences(own)
    own.command("analytics", "recount")
    assert differences(own) == ""
    with pytest.raises(RuntimeError, match="usage"):
        own.command("analytics", "recount", "--person", "all")


def test_snapshots_are_for_services_alone(own: Suite, life: Life) -> None:
    for path in ("users", "accounts", "categories", "wallet-members", "group-categories",
                 "group-expenses"):  # fmt: skip
        assert life.person.send("GET", f"/internal/snapshots/{path}").status_code == 404
    port = own.executables.ports["GATEWAY_INTERNAL"]
    nobody = Api(own)
    for path in ("snapshots/users", "snapshots/categories", "snapshots/wallet-members"):
        answer = nobody.http.get(f"http://127.0.0.1:{port}/internal/{path}")
        assert answer.status_code == 401
