"""Reports over time, of a group and of a child: they are what was booked, and absent to whoever has
no right."""

import random
import uuid
from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from actions import Group
from client import Api, Person, eventually, money, value
from families import Family, purse
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "analytics"]
#: A time long past, with a year's end, a leap day and weeks of two years in it.
FIRST, LAST = date(2019, 12, 11), date(2020, 3, 20)
PERIOD = {"from": str(FIRST), "to": str(LAST)}
INTERVALS = ["day", "week", "month", "quarter", "year"]
KINDS = ["summary", "categories", "trends", "cash-flow"]
DAYS = (LAST - FIRST).days + 1


def name(day: date, interval: str) -> tuple[int, ...]:
    """Which of these a day is in."""
    return {
        "day": (day.toordinal(),),
        "week": tuple(day.isocalendar())[:2],
        "month": (day.year, day.month),
        "quarter": (day.year, (day.month + 2) // 3),
        "year": (day.year,),
    }[interval]


class Books:
    """What somebody has booked: day, category and signed amount of each."""

    def __init__(self, api: Api, path: str = "/v1/reports"):
        self.api, self.path = api, path
        self.rows: dict[str, tuple[date, str, Decimal]] = {}
        self.parents: dict[str, str] = {}

    def report(self, kind: str, **params: Any) -> dict[str, Any]:
        return self.api.get(f"{self.path}/{kind}", **PERIOD | params)

    def expected(self, interval: str) -> dict[tuple[int, ...], list[Decimal]]:
        """Income and expenses of each interval, of those where nothing was, too."""
        sums = {
            name(FIRST + timedelta(days=index), interval): [Decimal(0), Decimal(0)]
            for index in range(DAYS)
        }
        for day, _, amount in self.rows.values():
            sums[name(day, interval)][0 if amount > 0 else 1] += abs(amount)
        return sums

    def drain(self) -> None:
        """Until the newest event is applied."""
        sums = self.expected("year").values()
        income, expenses = sum(one[0] for one in sums), sum(one[1] for one in sums)
        eventually(
            lambda: self.report("summary"),
            until=lambda told: (
                (value(told["income"]), value(told["expenses"]), told["count"])
                == (income, expenses, len(self.rows))
            ),
        )

    def check(self) -> None:
        self.drain()
        for interval in INTERVALS:
            wanted = list(self.expected(interval).values())
            (series,) = self.report("trends", interval=interval)["series"]
            found = [
                [value(point["income"]), value(point["expenses"])] for point in series["points"]
            ]
            assert found == wanted, interval
            days = [(point["from"], point["to"]) for point in series["points"]]
            assert days[0][0] == str(FIRST) and days[-1][1] == str(LAST)
            for (_, end), (start, _) in zip(days, days[1:], strict=False):
                assert date.fromisoformat(end) + timedelta(days=1) == date.fromisoformat(start)
            flow, total = self.report("cash-flow", interval=interval), Decimal(0)
            for point, (income, expenses) in zip(flow["points"], wanted, strict=True):
                total += income - expenses
                assert value(point["cumulative"]) == total
            assert value(flow["net"]) == total
        self.check_categories()

    def check_categories(self) -> None:
        tops: dict[str, list[Decimal]] = defaultdict(lambda: [Decimal(0), Decimal(0)])
        for _, category, amount in self.rows.values():
            tops[self.parents.get(category, category)][0 if amount > 0 else 1] += abs(amount)
        for index, direction in enumerate(["in", "out"]):
            report = self.report("categories", direction=direction)
            found = {one["categoryId"]: value(one["amount"]) for one in report["items"]}
            wanted = {key: sums[index] for key, sums in tops.items() if sums[index]}
            assert found == wanted, direction
            for one in report["items"]:
                income, expenses = tops[one["categoryId"]]
                assert value(one["net"]) == income - expenses
            assert value(report["net"]) == sum(income - spent for income, spent in tops.values())
            percents = [Decimal(one["percent"]) for one in report["items"]]
            assert sum(percents) == (100 if wanted else 0)
            for one in report["items"]:
                parts = one["parts"]
                assert not parts or sum(value(part["amount"]) for part in parts) == value(
                    one["amount"]
                )
                assert not parts or sum(Decimal(part["percent"]) for part in parts) == Decimal(
                    one["percent"]
                )
        told = self.report("trends", interval="month", by="category")["series"]
        found = {one["categoryId"]: [value(one["income"]), value(one["expenses"])] for one in told}
        assert found == dict(tops)


def anything(rng: random.Random, categories: list[str]) -> tuple[date, str, Decimal]:
    day = FIRST + timedelta(days=rng.randrange(DAYS))
    amount = Decimal(rng.randrange(1, 99_999)) / 100
    return day, rng.choice(categories), amount if rng.random() < 0.3 else -amount


def live(person: Person, rng: random.Random, steps: int) -> Books:
    """Books, edits, deletes and takes back."""
    books = Books(person)
    food = person.post("/v1/categories", {"name": "Eating"})["id"]
    bread = person.post("/v1/categories", {"name": "Bread", "parentId": food})["id"]
    fun = person.post("/v1/categories", {"name": "Fun"})["id"]
    books.parents = {bread: food}
    for _ in range(steps):
        row = anything(rng, [food, bread, fun])
        day, category, amount = row
        said = {"date": str(day), "categoryId": category, "amount": money(f"{amount:.2f}")}
        old = rng.choice(sorted(books.rows)) if books.rows else None
        choice = rng.randrange(6)
        if old and choice == 0:
            changed = person.call("PATCH", f"/v1/transactions/{old}", 200, json=said)
            books.rows[changed["id"]] = row
        elif old and choice == 1:
            gone = person.call("DELETE", f"/v1/transactions/{old}", 200)["id"]
            if rng.random() < 0.5:
                person.call("POST", f"/v1/transactions/deletions/{gone}/undo", 200)
            else:
                del books.rows[old]
        else:
            books.rows[person.post("/v1/transactions", said)["id"]] = row
    return books


def test_reports_over_time_are_what_was_booked(suite: Suite) -> None:
    seed = random.randrange(1 << 32)
    books = live(Person(suite), random.Random(seed), 60)
    try:
        books.check()
    except AssertionError as fault:
        raise AssertionError(f"seed {seed}") from fault


def test_filters_narrow_all_of_them_and_the_period_before_stands_beside(suite: Suite) -> None:
    person = Person(suite)
    food = person.post("/v1/categories", {"name": "Eating"})["id"]
    for day, amount in (("2020-01-05", "-3.00"), ("2020-02-05", "-5.00"), ("2020-02-06", "7.00"),
                        ("2020-02-29", "-90.00")):  # fmt: skip
        person.post("/v1/transactions", {"date": day, "amount": money(amount), "categoryId": food})
    eventually(
        lambda: person.get("/v1/reports/summary", **PERIOD), until=lambda one: one["count"] == 4
    )

    def told(**params: Any) -> tuple[Any, ...]:
        all = {"from": "2020-02-01", "to": "2020-02-29"} | params
        summary = person.get("/v1/reports/summary", **all)
        before = summary["previous"]
        assert (before["from"], before["to"]) == ("2020-01-01", "2020-01-31")
        (series,) = person.get("/v1/reports/trends", interval="month", **all)["series"]
        assert series["income"] == summary["income"]
        assert series["expenses"] == summary["expenses"]
        return tuple(
            value(one) for one in (summary["income"], summary["expenses"], before["expenses"])
        )

    assert told() == (7, 95, 3)
    assert told(direction="out") == (0, 95, 3)
    assert told(minAmount="4", maxAmount="7.00") == (7, 5, 0)
    assert told(categoryId=food, maxAmount="5") == (0, 5, 3)
    assert told(categoryId=str(uuid.uuid4())) == (0, 0, 0)
    assert told(accountId=str(uuid.uuid4())) == (0, 0, 0)


def test_nothing_is_an_empty_report(suite: Suite) -> None:
    group = Group(suite)
    for path in ("/v1/reports", f"/v1/reports/groups/{group.id}"):
        books = Books(group.ada, path)
        books.check()
        assert books.report("trends", by="category")["series"] == []
        for kind in KINDS:
            for direction in ("in", "out"):
                params = {} if kind == "cash-flow" else {"direction": direction}
                assert books.report(kind, **params, minAmount="1")["unconverted"] == []


def test_what_is_no_report_is_refused_with_all_that_is_wrong(suite: Suite) -> None:
    person = Person(suite)
    many = [str(uuid.uuid4()) for _ in range(101)]
    for query, names in (
        ({"interval": "hour", "by": "day", "from": "2020-02-30"}, {"interval", "by", "from"}),
        ({"from": "0001-01-01", "to": "9999-12-31"}, {"interval"}),
        ({"from": "2019-01-01", "to": "2020-12-31", "minAmount": "-1"}, {"interval", "minAmount"}),
        ({"from": "2020-02-02", "to": "2020-02-01", "minAmount": "2", "maxAmount": "1"},
         {"to", "maxAmount"}),
        ({"minAmount": "0.001", "maxAmount": "1e3", "folderId": many[0]},
         {"maxAmount", "folderId"}),
        ({"accountId": many, "currency": "EURO"}, {"accountId", "currency"}),
        ({"categoryId": many, "direction": "up"}, {"categoryId", "direction"}),
    ):  # fmt: skip
        told = person.problem("GET", "/v1/reports/trends", 400, "invalid-query", params=query)
        assert {one["pointer"] for one in told["errors"]} == {f"query:{one}" for one in names}


def test_a_groups_reports_are_what_it_spent(suite: Suite) -> None:
    group = Group(suite)
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    books = Books(group.bob, f"/v1/reports/groups/{group.id}")
    food = group.ada.post(f"{group.path}/categories", {"name": "Eating"})["id"]
    bread = group.bob.post(f"{group.path}/categories", {"name": "Bread", "parentId": food})["id"]
    books.parents = {bread: food}
    for _ in range(40):
        day, category, amount = anything(rng, [food, bread, group.id])
        said = {"name": "x", "date": str(day), "amount": money(f"{-amount:.2f}")}
        said |= {} if category == group.id else {"categoryId": category}
        old = rng.choice(sorted(books.rows)) if books.rows else None
        path, choice = f"{group.path}/expenses", rng.randrange(6)
        if old and choice == 0:
            said["categoryId"] = None if category == group.id else category
            group.ada.call("PATCH", f"{path}/{old}", 200, json=said)
            books.rows[old] = (day, category, amount)
        elif old and choice == 1:
            group.cleo.call("DELETE", f"{path}/{old}", 204)
            if rng.random() < 0.5:
                group.bob.call("POST", f"{path}/{old}/undo", 200)
            else:
                del books.rows[old]
        else:
            books.rows[group.ada.post(path, said)["id"]] = (day, category, amount)
    try:
        books.check()
        # What was in a category is in «Others» after it, and what was below it at the top.
        group.ada.call("DELETE", f"{group.path}/categories/{food}", 204)
        books.parents = {}
        for one, (day, category, amount) in books.rows.items():
            books.rows[one] = (day, group.id if category == food else category, amount)
        eventually(
            lambda: books.report("categories")["items"],
            until=lambda items: all(one["categoryId"] != food for one in items),
        )
        books.check()
    except AssertionError as fault:
        raise AssertionError(f"seed {seed}") from fault


def test_a_groups_reports_are_its_members_alone(suite: Suite) -> None:
    group = Group(suite)
    stranger = Person(suite)
    for kind in KINDS:
        path = f"/v1/reports/groups/{group.id}/{kind}"
        group.cleo.get(path)
        stranger.problem("GET", path, 404, "not-found")
        stranger.problem("GET", f"/v1/reports/groups/{uuid.uuid4()}/{kind}", 404, "not-found")
        told = group.ada.problem(
            "GET", path, 400, "invalid-query", params={"accountId": str(uuid.uuid4())}
        )
        assert told["errors"][0]["pointer"] == "query:accountId"
    # It is in the group's currency, as it is now.
    group.ada.call("PATCH", group.path, 200, json={"currency": "JPY"})
    assert group.bob.get(f"/v1/reports/groups/{group.id}/summary")["currency"] == "JPY"
    group.cleo.call("DELETE", f"{group.path}/members/me", 204)
    for kind in KINDS:
        group.cleo.problem("GET", f"/v1/reports/groups/{group.id}/{kind}", 404, "not-found")


@pytest.fixture(scope="module")
def family(suite: Suite) -> Family:
    return Family(suite)


def test_a_childs_reports_are_its_parents(suite: Suite, family: Family) -> None:
    child, seed = family.child, random.randrange(1 << 32)
    books = live(child, random.Random(seed), 20)
    books.drain()
    path = f"/v1/reports/children/{child.id}"
    for kind in KINDS:
        own = child.get(f"/v1/reports/{kind}", **PERIOD)
        for parent in (family.mother, family.father):
            assert parent.get(f"{path}/{kind}", **PERIOD) == own, f"seed {seed}"
    shown = Books(family.mother, path)
    (shown.rows, shown.parents) = (books.rows, books.parents)
    shown.check()
    stranger = Person(suite)
    stranger.post("/v1/families", {"currency": "EUR"})
    purse(child)
    for one, whom in (
        (stranger, child), (child, child), (child, family.mother), (family.mother, family.father),
        (family.mother, family.mother), (family.mother, stranger),
    ):  # fmt: skip
        for kind in KINDS:
            one.problem("GET", f"/v1/reports/children/{whom.id}/{kind}", 404, "not-found")
    # Whoever is no parent any more, and the parent of whoever is no child any more.
    family.father.call("DELETE", "/v1/families/me/members/me", 204)
    family.father.problem("GET", f"{path}/summary", 404, "not-found")
    family.mother.get(f"{path}/summary")
    family.mother.call("DELETE", f"/v1/families/me/members/{child.id}", 204)
    family.mother.problem("GET", f"{path}/summary", 404, "not-found")
