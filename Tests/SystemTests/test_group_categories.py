"""A group's categories, the filters of its expenses, its totals, and where it was."""

import random
from decimal import Decimal
from typing import Any

import pytest

from actions import Group
from client import Person, money, value
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "ledger"]


@pytest.fixture
def group(suite: Suite) -> Group:
    return Group(suite)


def test_a_group_has_categories_of_its_own(group: Group) -> None:
    path = f"{group.path}/categories"
    (others,) = group.bob.get(path)["items"]
    assert others["default"] and others["name"] == "Others"
    rent = group.ada.send("POST", path, json={"name": "Rent"})
    assert rent.status_code == 201 and rent.headers["location"].endswith(rent.json()["id"])
    assert rent.json()["coicop"] == "04" and not rent.json()["default"]
    group.bob.problem("POST", path, 409, "category-name-taken", json={"name": "RENT"})
    palette = group.ada.get("/v1/palette")
    assert rent.json()["color"] == palette["colors"][0]
    food = group.bob.post(path, {"name": "Food", "symbol": "cart", "coicop": "01"})
    assert [one["name"] for one in group.cleo.get(path)["items"]] == ["Food", "Others", "Rent"]
    one = f"{path}/{food['id']}"
    group.bob.problem("PATCH", one, 409, "category-name-taken", json={"name": "rent"})
    group.bob.problem(
        "PATCH", one, 412, "precondition-failed", json={"name": "x"}, headers={"If-Match": '"7"'}
    )
    changed = group.cleo.call("PATCH", one, 200, json={"name": "Meals", "coicop": None})
    assert changed["name"] == "Meals" and "coicop" not in changed and changed["symbol"] == "cart"
    for target in (f"{path}/{others['id']}",):
        group.ada.problem("PATCH", target, 409, "default-category", json={"name": "x"})
        group.ada.problem("DELETE", target, 409, "default-category")
    for bad, pointer in (({"name": ""}, "/name"), ({"name": "x", "symbol": "none"}, "/symbol")):
        problem = group.ada.problem("POST", path, 422, "invalid-body", json=bad)
        assert [error["pointer"] for error in problem["errors"]] == [pointer]
    Person(group.suite).problem("GET", path, 404, "not-found")


def test_what_was_in_a_category_that_goes_is_in_others(group: Group) -> None:
    path = f"{group.path}/expenses"
    food = group.ada.post(f"{group.path}/categories", {"name": "Food"})["id"]
    body = {"name": "Bread", "amount": money("3.00"), "categoryId": food}
    made = [group.ada.post(path, body) for _ in range(2)]
    assert {one["categoryId"] for one in made} == {food}
    group.ada.call("DELETE", f"{path}/{made[1]['id']}", 204)
    group.bob.call("DELETE", f"{group.path}/categories/{food}", 204)
    assert group.ada.get(f"{path}/{made[0]['id']}")["categoryId"] == group.id
    back = group.ada.call("POST", f"{path}/{made[1]['id']}/undo", 200)
    assert back["categoryId"] == group.id
    problem = group.ada.problem("POST", path, 422, "invalid-body", json=body)
    assert problem["errors"][0]["pointer"] == "/categoryId"
    plain = group.ada.post(path, {"name": "x", "amount": money("1.00")})
    assert plain["categoryId"] == group.id and plain["tags"] == [] and "location" not in plain


def test_expenses_are_filtered_and_sorted_as_a_model_says(suite: Suite) -> None:
    seed = random.randrange(10**9)
    chance = random.Random(seed)
    group = Group(suite)
    path = f"{group.path}/expenses"
    names = ("Food", "Rent")
    categories = [group.ada.post(f"{group.path}/categories", {"name": one})["id"] for one in names]
    rows = []
    for number in range(40):
        body: dict[str, Any] = {
            "name": f"Thing {number}", "date": f"2026-01-{chance.randint(1, 9):02}",
            "amount": chance.choice([
                money(f"{chance.randint(1, 20)}.00"), money(str(chance.randint(1, 20)), "JPY")
            ]),
        }  # fmt: skip
        if chance.random() < 0.7:
            body["categoryId"] = chance.choice([*categories, group.id])
        if chance.random() < 0.5:
            body["tags"] = chance.sample([" sea ", "sun", "snow"], 2)
        rows.append(chance.choice([group.ada, group.bob]).post(path, body))
    for _ in range(40):
        params: dict[str, Any] = {"sort": chance.choice(["-date", "date", "-amount", "amount"])}
        wanted = list(rows)
        is_by_amount = "amount" in params["sort"]
        if chance.random() < 0.4:
            params["minAmount"], is_by_amount = str(chance.randint(1, 20)), True
            wanted = [one for one in wanted if value(one["amount"]) >= int(params["minAmount"])]
        if chance.random() < 0.3:
            params["currency"] = chance.choice(["EUR", "JPY"])
        currency = params.get("currency", "EUR" if is_by_amount else None)
        if currency:
            wanted = [one for one in wanted if one["amount"]["currency"] == currency]
        if chance.random() < 0.4:
            params["categoryId"] = chance.sample([*categories, group.id], chance.randint(1, 2))
            wanted = [one for one in wanted if one["categoryId"] in params["categoryId"]]
        if chance.random() < 0.3:
            params["tag"] = chance.choice(["sea", "sun"])
            wanted = [one for one in wanted if params["tag"] in one["tags"]]
        if chance.random() < 0.3:
            params["from"] = f"2026-01-{chance.randint(1, 9):02}"
            wanted = [one for one in wanted if one["date"] >= params["from"]]
        if chance.random() < 0.3:
            params["mine"] = "true"
            wanted = [one for one in wanted if one["addedBy"] == group.of_ada]

        def place(one: dict[str, Any], by_amount: bool = "amount" in params["sort"]) -> tuple:
            return (value(one["amount"]) if by_amount else one["date"], one["id"])

        wanted.sort(key=place, reverse=params["sort"].startswith("-"))
        found = list(group.ada.pages(path, limit=chance.randint(1, 15), **params))
        assert found == wanted, f"seed {seed}: {params}"
    group.ada.problem(
        "GET", path, 400, "invalid-query", params={"minAmount": "1.001", "currency": "EUR"}
    )


def test_totals_are_the_sums_of_what_was_spent(suite: Suite) -> None:
    seed = random.randrange(10**9)
    chance = random.Random(seed)
    group = Group(suite)
    food = group.ada.post(f"{group.path}/categories", {"name": "Food"})["id"]
    expected: dict[tuple, list] = {}
    for _ in range(25):
        payers = chance.sample(group.members, chance.randint(1, 2))
        cents = [chance.randint(1, 999) for _ in payers]
        currency = chance.choice(["EUR", "USD"])
        bearers = chance.sample(group.members, chance.randint(1, 3))
        body: dict[str, Any] = {
            "name": "x", "amount": money(f"{sum(cents) / 100:.2f}", currency),
            "date": f"2026-0{chance.randint(1, 3)}-1{chance.randint(0, 9)}",
            "paidBy": [
                {"memberId": one, "amount": money(f"{part / 100:.2f}", currency)}
                for one, part in zip(payers, cents, strict=True)
            ],
            "split": {"kind": "equal", "parts": [{"memberId": one} for one in bearers]},
        }  # fmt: skip
        if chance.random() < 0.5:
            body["categoryId"] = food
        made = group.ada.post(f"{group.path}/expenses", body)
        paid = {one["memberId"]: value(one["amount"]) for one in made["paidBy"]}
        share = {one["memberId"]: value(one["amount"]) for one in made["shares"]}
        # What others owe for it of what was paid: whoever paid more than they bear is owed that.
        mine = min(paid.get(group.of_bob, Decimal(0)), share.get(group.of_bob, Decimal(0)))
        for key in ((currency, None), (currency, made["categoryId"]), (currency, made["date"][:7])):
            sums = expected.setdefault(key, [0, Decimal(0), Decimal(0), Decimal(0)])
            sums[0] += 1
            sums[1] += value(made["amount"])
            sums[2] += mine
            sums[3] += share.get(group.of_bob, Decimal(0))
    gone = group.expense("50.00")
    group.ada.call("DELETE", f"{group.path}/expenses/{gone['id']}", 204)
    found = {}
    for grouping in (None, "category", "month"):
        params = {"groupBy": grouping} if grouping else {}
        for one in group.bob.get(f"{group.path}/totals", **params)["totals"]:
            key = (one["group"]["currency"], one.get("categoryId") or one.get("month"))
            found[key] = [one["count"], *(value(one[name]) for name in ("group", "mine", "share"))]
    assert found == expected, f"seed {seed}"
    january = group.bob.get(f"{group.path}/totals", **{"from": "2026-01-01", "to": "2026-01-31"})[
        "totals"
    ]
    assert sum(one["count"] for one in january) == sum(
        sums[0] for key, sums in expected.items() if key[1] == "2026-01"
    )


def test_positions_are_geojson_alone_and_by_place(group: Group) -> None:
    path = f"{group.path}/expenses"
    home = {"lat": 45.464211, "lon": 9.191383, "label": "Duomo"}
    for number, where in enumerate((home, home | {"lat": 45.4643}, {"lat": -33.9, "lon": 151.2})):
        body = {"name": f"At {number}", "amount": money("2.00"), "location": where}
        made = group.ada.post(path, body | {"date": f"2026-01-0{number + 1}"})
        assert made["location"] == where
    group.expense("9.00")
    answer = group.bob.send("GET", f"{group.path}/positions", params={"limit": 2})
    assert answer.headers["content-type"] == "application/geo+json"
    assert answer.json()["type"] == "FeatureCollection"
    rest = group.bob.get(f"{group.path}/positions", cursor=answer.json()["nextCursor"])["features"]
    features = answer.json()["features"] + rest
    assert [one["properties"]["name"] for one in features] == ["At 2", "At 1", "At 0"]
    assert features[2]["geometry"] == {"type": "Point", "coordinates": [9.191383, 45.464211]}
    places = group.bob.get(f"{group.path}/positions", groupBy="place")["features"]
    told = [(one["properties"]["count"], one["geometry"]["coordinates"]) for one in places]
    assert told == [(1, [151.2, -33.9]), (2, [9.191, 45.464])]
    assert places[1]["properties"]["totals"] == [money("4.00")]
    assert places[1]["properties"]["label"] == "Duomo"
    moved = group.ada.call("PATCH", f"{path}/{features[0]['id']}", 200, json={"location": None})
    assert "location" not in moved
    for wrong in ({"lat": 91, "lon": 0}, {"lat": 0, "lon": 181}):
        body = {"name": "x", "amount": money("1.00"), "location": wrong}
        group.ada.problem("POST", path, 422, "invalid-body", json=body)


def test_a_limit_is_changed(group: Group) -> None:
    path = f"{group.path}/thresholds"
    limit = group.ada.post(path, {"amount": money("10.00"), "period": {"unit": "month"}})
    group.expense("9.00")
    one = f"{path}/{limit['id']}"
    changed = group.bob.call("PATCH", one, 200, json={"amount": money("8.00")})
    assert changed["crossed"] and changed["period"] == limit["period"]
    assert changed["resetsAt"] == limit["resetsAt"]
    forever = group.bob.call("PATCH", one, 200, json={"period": None})
    assert "period" not in forever and "resetsAt" not in forever
    assert group.cleo.get(path)["items"] == [forever]
    for wrong, pointer in (
        ({"amount": money("8", "JPY")}, "/amount/currency"), ({"amount": None}, "/amount"),
        ({"period": {"unit": "month", "every": 0}}, "/period/every"),
    ):  # fmt: skip
        problem = group.ada.problem("PATCH", one, 422, "invalid-body", json=wrong)
        assert [error["pointer"] for error in problem["errors"]] == [pointer]
    group.ada.problem("PATCH", f"{path}/{group.id}", 404, "not-found", json={})
