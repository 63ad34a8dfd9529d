"""The ledger's reports: balances, envelopes, places, payees and a forecast, exact and of this
moment; of a child for its parents alone."""

import datetime
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from actions import Shared, category, current, record, wallet
from client import Person, eventually, money, value
from conftest import make_suite
from families import ME, Family, join, proved, purse
from faults import without
from receivables import Payer
from recurrences import begin, today
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "analytics", "notifications"]
REPORTS = "/v1/reports"
KINDS = ["balances", "budgets", "forecast", "payees", "places"]
DUOMO = {"lat": 45.464203, "lon": 9.189982, "label": "Piazza del Duomo"}
NEAR = {"lat": 45.464101, "lon": 9.190301}
OPERA = {"lat": -33.856784, "lon": 151.215297}
MAY = {"from": "2024-05-01", "to": "2024-05-31"}


def report(person: Person, kind: str, **query: Any) -> dict[str, Any]:
    return person.get(f"{REPORTS}/{kind}", **query)


def amounts(totals: list[dict[str, str]]) -> list[str]:
    return [one["amount"] for one in totals]


def pointers(problem: dict[str, Any]) -> list[str]:
    return [one["pointer"] for one in problem["errors"]]


def test_without_data_every_report_is_empty_and_valid(person: Person) -> None:
    nothing = money("0.00")
    balances = report(person, "balances")
    assert (balances["from"], balances["to"]) == (f"{today():%Y-%m-01}", f"{today():%Y-%m-%d}")
    assert [one["balance"] for one in balances["points"]] == [nothing] * today().day
    assert [one["name"] for one in balances["accounts"]] == ["Default"]
    payees = report(person, "payees")
    assert payees["items"] == [] and payees["total"] == nothing and payees["unconverted"] == []
    assert payees["rest"] == {"items": 0, "amount": nothing, "count": 0, "percent": "0"}
    places = report(person, "places")
    assert places["type"] == "FeatureCollection" and places["features"] == []
    (only,) = report(person, "budgets")["items"]
    assert (only["name"], only["spent"], only["previous"]) == ("Others", nothing, nothing)
    forecast = report(person, "forecast")
    assert forecast["items"] == [] and forecast["balance"]["expected"] == nothing
    for direction in ("income", "expenses", "net"):
        assert set(map(str, forecast[direction].values())) == {str(nothing)}


def test_balances_are_told_by_day_by_account_by_currency_and_together(person: Person) -> None:
    one, other = wallet(person), wallet(person, "USD")
    record(person, one, "100.00", date="2024-04-30")
    record(person, one, "-30.00", date="2024-05-02")
    given = {"accountId": other, "amount": money("50.00", "USD"), "date": "2024-05-02"}
    person.post("/v1/transactions", given)
    record(person, one, "-1.00", date="2024-06-01")
    days = {"from": "2024-05-01", "to": "2024-05-03"}
    told = report(person, "balances", **days)
    rate = person.get("/v1/exchange-rates", base="USD", date="2024-05-02")
    shown = Decimal(70) + (50 * Decimal(rate["rates"]["EUR"])).quantize(Decimal("0.01"))
    assert [point["from"] for point in told["points"]] == [f"2024-05-0{n}" for n in (1, 2, 3)]
    held = {one["accountId"]: one for one in told["accounts"]}
    assert amounts(held[one]["balances"]) == ["100.00", "70.00", "70.00"]
    assert amounts(held[other]["balances"]) == ["0.00", "50.00", "50.00"]
    assert held[one]["opening"] == money("100.00")
    assert told["opening"]["balance"] == money("100.00") and told["opening"]["to"] == "2024-04-30"
    assert [one["currency"] for one in told["currencies"]] == ["EUR", "USD"]
    assert told["points"][0]["balance"] == money("100.00")
    assert value(told["points"][1]["balance"]) == shown
    chosen = report(person, "balances", **days, accountId=one)
    assert [account["accountId"] for account in chosen["accounts"]] == [one]
    assert amounts([point["balance"] for point in chosen["points"]]) == ["100.00", "70.00", "70.00"]
    most = {"from": "2024-02-10", "to": "2024-12-31", "interval": "quarter"}
    year = report(person, "balances", accountId=one, **most)
    assert [(point["from"], point["to"]) for point in year["points"]] == [
        ("2024-02-10", "2024-03-31"), ("2024-04-01", "2024-06-30"), ("2024-07-01", "2024-09-30"),
        ("2024-10-01", "2024-12-31"),
    ]  # fmt: skip
    assert amounts(year["accounts"][0]["balances"]) == ["0.00", "69.00", "69.00", "69.00"]
    assert value(person.get(f"/v1/accounts/{one}")["balance"]) == 69


def test_payees_are_one_however_they_are_written_beside_the_month_before(person: Person) -> None:
    account, food, fun = wallet(person), category(person), category(person)
    split = {"lines": [
        {"categoryId": food, "amount": money("-6.00")},
        {"categoryId": fun, "amount": money("-4.00")},
    ]}  # fmt: skip
    for amount, day, name, more in (
        ("-30.00", "2024-05-01", "Shop", {"categoryId": food}), ("-5.00", "2024-05-20", "SHOP", {}),
        ("-10.00", "2024-05-31", "Bar", split), ("7.00", "2024-05-03", "Shop", {}),
        ("-11.00", "2024-04-30", "shop", {}), ("-99.00", "2024-06-01", "Shop", {}),
    ):  # fmt: skip
        record(person, account, amount, date=day, name=name, **more)
    told = report(person, "payees", **MAY)
    assert told["total"] == money("45.00") and told["count"] == 3
    assert told["items"] == [
        {
            "name": "SHOP", "amount": money("35.00"), "count": 2, "percent": "77.8",
            "previous": money("11.00"),
        },
        {
            "name": "Bar", "amount": money("10.00"), "count": 1, "percent": "22.2",
            "previous": money("0.00"),
        },
    ]  # fmt: skip
    assert told["previous"] == {
        "from": "2024-04-01", "to": "2024-04-30", "total": money("11.00"), "count": 1,
        "unconverted": [],
    }  # fmt: skip
    first = report(person, "payees", **MAY, limit=1)
    assert first["rest"] == {
        "items": 1, "amount": money("10.00"), "count": 1, "percent": "22.2",
    }  # fmt: skip
    assert amounts([one["amount"] for one in report(person, "payees", **MAY, categoryId=food)[
        "items"]]) == ["30.00", "6.00"]  # fmt: skip
    some = report(person, "payees", **MAY, minAmount="5", maxAmount="6.00")
    assert [(one["name"], one["amount"]["amount"]) for one in some["items"]] == [
        ("Bar", "6.00"), ("SHOP", "5.00"),
    ]  # fmt: skip
    income = report(person, "payees", **MAY, direction="in")
    assert [one["amount"] for one in income["items"]] == [money("7.00")]
    # To the cent what analytics tells of the same days, once it has heard.
    eventually(
        lambda: report(person, "summary", **MAY), 30,
        until=lambda one: (one["expenses"], one["count"]) == (told["total"], 4),
    )  # fmt: skip


def test_an_edit_a_deletion_and_its_undoing_are_told_at_once(person: Person) -> None:
    account = wallet(person)
    one = record(person, account, "-10.00", date="2024-05-02", name="Bar", location=DUOMO)["id"]

    def told() -> list[Any]:
        payees, places = report(person, "payees", **MAY), report(person, "places", **MAY)
        assert payees["total"] == places["total"]
        balance = report(person, "balances", **MAY, interval="month")["points"][0]["balance"]
        assert value(balance) == -value(payees["total"])
        names = [item["name"] for item in payees["items"]]
        return [payees["total"]["amount"], names, len(places["features"])]

    assert told() == ["10.00", ["Bar"], 1]
    person.call("PATCH", f"/v1/transactions/{one}", 200, json={"amount": money("-12.00")})
    assert told() == ["12.00", ["Bar"], 1]
    person.call("PATCH", f"/v1/transactions/{one}", 200, json={"name": "Inn", "location": OPERA})
    assert told() == ["12.00", ["Inn"], 1]
    gone = person.call("DELETE", f"/v1/transactions/{one}", 200)["id"]
    assert told() == ["0.00", [], 0]
    person.call("POST", f"/v1/transactions/deletions/{gone}/undo", 200)
    assert told() == ["12.00", ["Inn"], 1]


def test_places_are_geojson_of_about_a_hundred_metres(person: Person) -> None:
    account = wallet(person)
    for amount, place in (("-1.00", DUOMO), ("-2.50", NEAR), ("-9.00", OPERA)):
        record(person, account, amount, date="2024-05-05", location=place)
    record(person, account, "-40.00", date="2024-05-05")
    answer = person.send("GET", f"{REPORTS}/places", params=MAY)
    assert answer.headers["content-type"].startswith("application/geo+json")
    told = answer.json()
    assert told["total"] == money("12.50") and told["count"] == 3
    assert [one["geometry"] for one in told["features"]] == [
        {"type": "Point", "coordinates": [151.215, -33.857]},
        {"type": "Point", "coordinates": [9.19, 45.464]},
    ]
    assert told["features"][1]["properties"] == {
        "label": "Piazza del Duomo", "amount": money("3.50"), "count": 2, "percent": "28",
        "previous": money("0.00"),
    }  # fmt: skip


def test_what_others_owe_and_what_moves_between_own_accounts_counts_nowhere(suite: Suite) -> None:
    payer = Payer(suite)
    person, purse = payer.ada, payer.purse
    payer.posted("100.00", "20.00")
    other = current(person, "EUR")["id"]
    move = {"fromAccountId": purse, "toAccountId": other, "amount": money("50.00")}
    person.post("/v1/transfers", move)
    told = report(person, "payees")
    assert [(one["name"], one["amount"]["amount"]) for one in told["items"]] == [
        ("Dinner", "20.00")
    ]
    balances = report(person, "balances")
    assert {one["accountId"] for one in balances["accounts"]} >= {purse, other}
    assert all(one["name"] for one in balances["accounts"])
    assert value(balances["points"][-1]["balance"]) == 900
    forecast = report(person, "forecast")
    assert forecast["expenses"]["total"] == money("20.00")
    assert value(forecast["balance"]["expected"]) == 900


def test_budgets_are_told_month_by_month(person: Person) -> None:
    food = category(person)
    for month, put in (("2024-04", "50.00"), ("2024-05", "20.00")):
        body = {"amount": money(put), "month": month}
        person.post(f"/v1/budgets/{food}/allocations", body)
    account = wallet(person)
    record(person, account, "-30.00", date="2024-04-10", categoryId=food)
    record(person, account, "-10.00", date="2024-05-10", categoryId=food)
    record(person, account, "-7.00", date="2024-03-10", categoryId=food)
    told = report(person, "budgets", **{"from": "2024-04-20", "to": "2024-05-02"}, categoryId=food)
    assert (told["from"], told["to"]) == ("2024-04-01", "2024-05-31")
    (item,) = told["items"]
    for envelope, month in zip(item["months"], ("2024-04", "2024-05"), strict=True):
        page = person.get("/v1/budgets", month=month)["items"]
        assert envelope == next(one for one in page if one["categoryId"] == food)
    assert [one["percent"] for one in item["months"]] == ["60", "25"]
    assert (told["spent"], told["previous"]) == (money("40.00"), money("7.00"))
    assert amounts([one["available"] for one in told["months"]]) == ["20.00", "30.00"]


def test_a_forecast_is_what_is_booked_and_what_schedules_still_bring(person: Person) -> None:
    account = current(person, "EUR", "1000.00")["id"]
    rent = begin(person, account, "-3.00", 0)
    other = current(person, "EUR")["id"]
    order = {
        "fromAccountId": account, "toAccountId": other, "amount": money("2.00"),
        "recurrence": {"every": 1, "unit": "day"},
        "startDate": f"{today() + datetime.timedelta(days=1)}",
    }  # fmt: skip
    person.post("/v1/standing-orders", order)
    last = (today().replace(day=28) + datetime.timedelta(days=4)).replace(day=1)
    left = (last - today()).days - 1
    told = report(person, "forecast")
    assert told["expenses"] == {
        "booked": money("3.00"), "expected": money(f"{3 * left}.00"),
        "total": money(f"{3 + 3 * left}.00"),
    }  # fmt: skip
    held = {one["accountId"]: one for one in told["accounts"]}
    assert held[account]["today"] == money("997.00")
    assert value(held[account]["expected"]) == 997 - 5 * left
    assert value(held[other]["expected"]) == 2 * left
    assert value(told["balance"]["expected"]) == 997 - 3 * left
    assert [one.get("recurrenceId") for one in told["items"]] == (
        [rent["id"], None] if left else []
    )
    person.call("PATCH", f"/v1/recurrences/{rent['id']}", 200, json={"active": False})
    assert report(person, "forecast")["expenses"]["expected"] == money("0.00")


def test_what_is_wrong_is_told_all_at_once(suite: Suite) -> None:
    ada, eve = Person(suite), Person(suite)
    hers, theirs = wallet(eve), category(eve)
    period = "from=1800-01-01&to=2300-01-01"
    named = f"accountId={hers}&accountId={uuid.uuid4()}"
    path = f"{REPORTS}/payees?{period}&minAmount=-1&{named}&categoryId={theirs}"
    assert pointers(ada.problem("GET", path, 400, "invalid-query")) == [
        "query:from", "query:to", "query:minAmount", "query:accountId", "query:accountId",
        "query:categoryId",
    ]  # fmt: skip
    for query, pointer in (
        ("balances?from=2000-01-01&to=2026-01-01", "query:interval"),
        ("balances?from=2026-02-01&to=2026-01-01", "query:to"),
        ("balances?interval=hour", "query:interval"), ("balances?categoryId=x", "query:categoryId"),
        ("budgets?from=2000-01-01&to=2026-01-01", "query:from"), ("forecast?to=x", "query:to"),
        (f"forecast?accountId={hers}", "query:accountId"), ("places?limit=0", "query:limit"),
        (f"budgets?categoryId={theirs}", "query:categoryId"),
    ):  # fmt: skip
        problem = ada.problem("GET", f"{REPORTS}/{query}", 400, "invalid-query")
        assert pointers(problem) == [pointer], (query, problem)


def test_a_wallet_that_is_anothers_counts_in_ones_own_books_and_is_held_by_its_owner(
    suite: Suite,
) -> None:
    shared = Shared(suite)
    ada, eve = shared.ada, shared.eve
    shared.record(ada, "-2.00", name="Ada's")
    shared.record(eve, "-5.00", name="Eve's")
    assert [one["name"] for one in report(ada, "payees")["items"]] == ["Ada's"]
    assert [one["name"] for one in report(eve, "payees")["items"]] == ["Eve's"]
    held = [report(one, "balances")["points"][-1]["balance"]["amount"] for one in (ada, eve)]
    assert held == ["-7.00", "0.00"]
    chosen = report(shared.vic, "balances", accountId=shared.id)
    assert chosen["points"][-1]["balance"] == money("-7.00")
    # Whoever has left sees what they recorded there no more.
    eve.call("DELETE", f"{shared.path}/members/me", 204)
    assert report(eve, "payees")["items"] == []
    named = f"{REPORTS}/balances?accountId={shared.id}"
    assert pointers(eve.problem("GET", named, 400, "invalid-query")) == ["query:accountId"]


def test_parents_read_a_childs_reports_and_nobody_else_does(suite: Suite) -> None:
    family = Family(suite)
    mother, father, child = family.mother, family.father, family.child
    account = purse(child)["id"]
    allowance = {"amount": money("20.00")}
    mother.post(f"{ME}/children/{child.id}/allowances", allowance)
    record(child, account, "-4.00", name="Sweets", location=DUOMO)
    # What others share with the child is theirs.
    wide = Shared(suite)
    wide.join(child, "editor")
    wide.record(child, "-1.00", name="Secret", location=OPERA)
    path = f"{REPORTS}/children/{child.id}"
    for parent in (mother, father):
        payees = parent.get(f"{path}/payees")
        assert [(one["name"], one["amount"]["amount"]) for one in payees["items"]] == [
            ("Sweets", "4.00")
        ]
        assert len(parent.get(f"{path}/places")["features"]) == 1
        balances = parent.get(f"{path}/balances")
        assert balances["points"][-1]["balance"] == money("16.00")
        assert value(parent.get(f"{path}/forecast")["balance"]["expected"]) == 16
        assert parent.get(f"{path}/budgets") == report(child, "budgets")
        for kind in KINDS:
            assert "Secret" not in parent.send("GET", f"{path}/{kind}").text
        named = f"{path}/balances?accountId={wide.id}"
        assert pointers(parent.problem("GET", named, 400, "invalid-query")) == ["query:accountId"]
    assert {one["name"] for one in report(child, "payees")["items"]} == {"Sweets", "Secret"}
    stranger, other = Person(suite), proved(suite)
    other.post("/v1/families", {})
    sibling = proved(suite)
    join(mother, sibling, "child")
    purse(sibling)
    for one in (stranger, other, sibling, child):
        for kind in KINDS:
            one.problem("GET", f"{path}/{kind}", 404, "not-found")
    for parent, named in ((mother, father.id), (mother, mother.id), (mother, str(uuid.uuid4()))):
        for kind in KINDS:
            parent.problem("GET", f"{REPORTS}/children/{named}/{kind}", 404, "not-found")
    # The right is asked for anew each time.
    father.call("DELETE", f"{ME}/members/me", 204)
    father.problem("GET", f"{path}/payees", 404, "not-found")
    mother.call("DELETE", f"{ME}/members/{child.id}", 204)
    mother.problem("GET", f"{path}/payees", 404, "not-found")


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of one replica each, which a test may hurt."""
    suite = make_suite(replicas=1)
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


@pytest.mark.timeout(120)
def test_without_groups_nothing_is_told_of_a_child_and_all_of_oneself(own: Suite) -> None:
    family = Family(own)
    mother, child = family.mother, family.child
    path = f"{REPORTS}/children/{child.id}"
    for kind in KINDS:
        mother.get(f"{path}/{kind}")
    without(own, "ezwallet-groups-1")
    for kind in KINDS:
        assert mother.send("GET", f"{path}/{kind}", retry=False).status_code == 503
        report(mother, kind)
    own.apply()
    own.wait_ready(30)
    mother.get(f"{path}/payees")
