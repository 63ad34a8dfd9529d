"""What a chief operating officer sees of how the suite is used, by real log-ins, and what an
administrator sees of that."""

import csv
import io

import pytest

from actions import EXPORTS, at_once, import_file, ofx
from client import Api, Person, eventually, money, session_of
from conftest import make_admin
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES
USAGE = "/v1/insights/usage"
#: A month long past, and the one after it, in which nobody else is.
MARCH, APRIL = "2019-03", "2019-04"
PERIOD = {"from": "2019-03-05", "to": "2019-03-05"}


def sql(suite: Suite, statement: str, service: str = "analytics") -> str:
    found = suite.postgres.psql("-At", "-c", statement, database=f"ezwallet_{service}")
    return found.strip()


class Crowd:
    """Twenty-four who register; twelve book, share, read a statement and come again."""

    def __init__(self, suite: Suite):
        self.suite = suite
        self.people = at_once(4, lambda _: [Person(suite) for _ in range(6)])
        self.people = [person for some in self.people for person in some]
        self.ids = ", ".join(f"'{person.id}'" for person in self.people)
        self.busy = self.people[:12]
        at_once(4, lambda number: [self.use(one) for one in self.busy[number * 3 :][:3]])
        # Their wallet is one of a group of one, which is no step.
        self.wait("active_month", 24)
        self.wait("first_step", 24)
        self.wait("file_use", 12)
        self.turn_back(MARCH)
        sql(
            suite, f"update auth.active_day set day = day - 1 where user_id in ({self.ids})", "auth"
        )
        at_once(4, lambda number: [self.come_again(one) for one in self.busy[number * 3 :][:3]])
        self.wait("active_month", 36)
        self.turn_back(APRIL, but=MARCH)
        # Somebody is there on a later day, as every day.
        self.late = Person(suite)
        self.wait("active_month", 1, f"'{self.late.id}'")
        suite.command("analytics", "release")

    def use(self, person: Person) -> None:
        person.post("/v1/transactions", {"amount": money("-1.25")})
        person.post("/v1/groups", {"name": "Club", "currency": "EUR"})
        account = person.get("/v1/accounts")["items"][0]["id"]
        path = f"/v1/accounts/{account}/statement"
        assert person.send("GET", path, params={"format": "csv"}).status_code == 200

    def come_again(self, person: Person) -> None:
        body = {"identifier": person.email, "password": person.password}
        person.take(session_of(Api(self.suite).post("/v1/sessions", body)))

    def wait(self, table: str, count: int, ids: str | None = None) -> None:
        query = f"select count(*) from analytics.{table} where user_id in ({ids or self.ids})"
        eventually(lambda: int(sql(self.suite, query)), until=lambda found: found == count)

    def turn_back(self, month: str, but: str = "0001-01") -> None:
        """As though what was done today had been done on the fifth of the month."""
        whose, day = f"where user_id in ({self.ids})", f"{month}-05"
        for change in [
            f"update analytics.active_month set month = '{month}-01', days = 16 {whose}"
            f" and month <> '{but}-01'",
            f"update analytics.person set registered_on = '{day}' {whose}"
            f" and registered_on > '2020-01-01'",
            f"update analytics.first_step set day = '{day}' {whose} and day > '2020-01-01'",
            f"update analytics.file_use set day = '{day}' {whose} and day > '2020-01-01'",
        ]:
            sql(self.suite, change)


@pytest.fixture(scope="module")
def crowd(suite: Suite) -> Crowd:
    return Crowd(suite)


@pytest.fixture(scope="module")
def officer(suite: Suite) -> Api:
    return make_admin(suite, role="coo")


def users(officer: Api, measure: str, **query: str) -> list[int | None]:
    answer = officer.get(USAGE, measure=measure, **(PERIOD | query))
    assert (answer["from"], answer["to"]) == ("2019-03-01", "2019-03-31")
    return [cell.get("users") for cell in answer["cells"]]


@pytest.mark.timeout(120)
def test_an_officer_sees_who_comes_stays_and_does_what(crowd: Crowd, officer: Api) -> None:
    assert users(officer, "registrations") == [24]
    assert users(officer, "registrations", groupBy="language") == [24]
    (active,) = officer.get(USAGE, measure="active", **PERIOD)["cells"]
    assert (active["users"], active["daily"]) == (24, "0.8")
    assert users(officer, "funnel") == [24, 12, 12, None]
    retention = officer.get(USAGE, measure="retention", **PERIOD)["cells"]
    assert [(cell["later"], cell.get("users")) for cell in retention[:3]] == [
        (0, 24), (1, 12), (2, None),
    ]  # fmt: skip
    assert (retention[1]["of"], retention[1]["percent"]) == (24, "50")
    (exports,) = officer.get(USAGE, measure="exports", groupBy="kind", **PERIOD)["cells"][:1]
    assert (exports["kind"], exports["users"], exports["count"]) == ("csv", 12, 12)
    assert users(officer, "imports") == [None]
    table = officer.send("GET", USAGE, params=PERIOD | {"measure": "funnel", "format": "csv"})
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert [row["users"] for row in rows] == ["24", "12", "12", ""]


def test_whoever_watches_sees_no_single_log_in(suite: Suite, crowd: Crowd, officer: Api) -> None:
    """Neither in the running month, which is not told, nor of one that was."""
    query = {"measure": "active", "from": "2019-03-01"}
    before = officer.get(USAGE, **query)
    assert not [cell for cell in before["cells"] if cell["month"] > "2026-01" and "users" in cell]
    person = Person(suite)
    crowd.wait("active_month", 1, f"'{person.id}'")
    for _ in range(2):
        after = officer.get(USAGE, **query)
        assert after["cells"] == before["cells"]
        suite.command("analytics", "release")


def test_files_are_told_by_their_kinds(suite: Suite, crowd: Crowd) -> None:
    person = crowd.late
    account = person.post("/v1/accounts", {"kind": "wallet", "name": "Purse"})["id"]
    done = import_file(person, account, ofx([("20240105", "-1.25", "a")], "EUR", "-1.25"))
    assert done["state"] == "committed", done
    person.post(EXPORTS, status=202)
    query = (
        "select string_agg(kind || ' ' || format, ', ' order by kind, format) "
        f"from analytics.file_use where user_id = '{person.id}'"
    )
    eventually(lambda: sql(suite, query), until=lambda found: found == "export data, import ofx")


def test_an_administrator_sees_who_asked_what(suite: Suite, crowd: Crowd, officer: Api) -> None:
    admin = make_admin(suite)
    officer.get(USAGE, measure="active", area="IT-RM", **PERIOD)
    officer.get("/v1/insights/spending", groupBy="category", **PERIOD)
    officer.problem("GET", USAGE + "?measure=ad-clicks", 422, "unknown-measure")
    asked = [
        entry["detail"]
        for entry in admin.get("/v1/audit", action="insights-read", limit=3)["items"]
    ]
    days = "from=2019-03-05&to=2019-03-05"
    assert asked == [
        {"path": USAGE, "query": "measure=ad-clicks"},
        {"path": "/v1/insights/spending", "query": f"{days}&groupBy=category"},
        {"path": USAGE, "query": f"measure=active&{days}&area=IT-RM"},
    ]
    assert crowd.people[0].send("GET", USAGE, params={"measure": "active"}).status_code == 403
    assert admin.get("/v1/audit/verification")["intact"]
