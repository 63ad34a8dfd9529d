"""A group's categories, the filters of its expenses, its totals, and where it was."""

import random
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import pytest

from actions import Group
from client import Person, eventually, money, value
from histories import kilometres
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


def test_categories_of_a_group_have_two_levels(group: Group) -> None:
    path = f"{group.path}/categories"
    food = group.ada.post(path, {"name": "Food", "type": "expense"})
    assert food["type"] == "expense" and "parentId" not in food and not food["important"]
    sweets = group.bob.post(path, {"name": "Sweets", "parentId": food["id"]})
    assert (sweets["parentId"], sweets["type"]) == (food["id"], "both")
    below = {"name": "Cake", "parentId": sweets["id"]}
    group.ada.problem("POST", path, 409, "category-depth", json=below)
    group.ada.problem(
        "PATCH", f"{path}/{food['id']}", 409, "category-depth", json={"parentId": group.id}
    )
    for one in (food, sweets):
        same = {"parentId": one["id"]}
        group.ada.problem("PATCH", f"{path}/{one['id']}", 409, "category-depth", json=same)
    others = Group(group.suite)
    stranger = others.ada.post(f"{others.path}/categories", {"name": "Food"})["id"]
    for method, where in (("POST", path), ("PATCH", f"{path}/{sweets['id']}")):
        body = {"name": "Cake", "parentId": stranger}
        problem = group.ada.problem(method, where, 422, "invalid-body", json=body)
        assert [one["pointer"] for one in problem["errors"]] == ["/parentId"]
    top = group.cleo.call("PATCH", f"{path}/{sweets['id']}", 200, json={"parentId": None})
    assert "parentId" not in top
    moved = {"parentId": group.id, "type": "income"}
    assert group.cleo.call("PATCH", f"{path}/{food['id']}", 200, json=moved) == food | moved
    group.cleo.call("PATCH", f"{path}/{sweets['id']}", 200, json={"parentId": group.id})
    group.cleo.call("PATCH", f"{path}/{food['id']}", 200, json={"parentId": None})
    group.cleo.call("PATCH", f"{path}/{sweets['id']}", 200, json={"parentId": food["id"]})
    # Whatever goes leaves what was below it.
    group.ada.call("DELETE", f"{path}/{food['id']}", 204)
    (left,) = [one for one in group.ada.get(path)["items"] if not one["default"]]
    assert left["id"] == sweets["id"] and "parentId" not in left


def test_a_category_is_labelled_once_others_too(group: Group) -> None:
    path = f"{group.path}/categories"
    rent = group.ada.post(path, {"name": "Rent"})["id"]
    for one in (rent, group.id):
        label = f"{path}/{one}/important"
        group.bob.problem("DELETE", label, 409, "not-important")
        stale = {"If-Match": '"77"'}
        group.bob.problem("PUT", label, 412, "precondition-failed", headers=stale)
        assert group.bob.call("PUT", label, 200)["important"] is True
        group.cleo.problem("PUT", label, 409, "already-important")
    assert all(one["important"] for one in group.ada.get(path)["items"])
    group.ada.call("DELETE", f"{path}/{rent}/important", 204)
    assert [one["important"] for one in group.ada.get(path)["items"]] == [True, False]
    Person(group.suite).problem("PUT", f"{path}/{rent}/important", 404, "not-found")


def test_expenses_are_deleted_with_their_category(group: Group) -> None:
    path = f"{group.path}/expenses"
    food = group.ada.post(f"{group.path}/categories", {"name": "Food"})["id"]
    kept = group.expense("9.00")
    before = group.ada.get(f"{group.path}/balances")
    parts = [{"memberId": one} for one in group.members]
    rows = []
    for number in range(7):
        currency = ("EUR", "USD")[number % 2]
        body = {
            "name": "Bread", "amount": money(f"{number + 1}.00", currency), "categoryId": food,
            "split": {"kind": "equal", "parts": parts},
        }  # fmt: skip
        rows.append((group.ada, group.bob)[number % 2].post(path, body))
    gone = rows.pop()
    group.ada.call("DELETE", f"{path}/{gone['id']}", 204)
    where = f"{group.path}/categories/{food}"
    group.bob.problem("DELETE", where, 400, "invalid-query", params={"transactions": "keep"})
    group.bob.call("DELETE", where, 204, params={"transactions": "delete"})
    assert [one["id"] for one in group.ada.pages(path)] == [kept["id"]]
    assert group.ada.get(f"{group.path}/balances") == before
    totals = {
        one["group"]["currency"]: value(one["group"])
        for one in group.ada.get(f"{group.path}/totals")["totals"]
    }
    assert totals == {"EUR": 9}
    # Those who bore a part are told of each, and each can be undone, in «Others».
    eventually(
        lambda: [
            one
            for one in group.cleo.get("/v1/notifications", limit=200)["items"]
            if one["kind"] == "expense-removed"
        ],
        until=lambda told: len(told) == 7,
    )
    for one in rows:
        history = group.cleo.get(f"{path}/{one['id']}/history")["items"]
        assert [step["action"] for step in history] == ["removed", "added"]
        assert history[1]["expense"] == one
        back = group.ada.call("POST", f"{path}/{one['id']}/undo", 200)
        assert back["categoryId"] == group.id and back["amount"] == one["amount"]
    sums = {key: value for key, value in group.balances("EUR").items() if value}
    assert sum(sums.values()) == 0 and sums != {}


def test_many_expenses_are_deleted_with_their_category(group: Group) -> None:
    food = group.ada.post(f"{group.path}/categories", {"name": "Food"})["id"]
    body = {"name": "Bread", "amount": money("1.00"), "categoryId": food}
    made = group.ada.post(f"{group.path}/expenses", body)
    # As many as an import brings: beyond what is taken away at once.
    group.suite.postgres.psql(
        "-c", f"""
        create function pg_temp.copies() returns void language sql as $$
            insert into groups.expense (group_id, id, name, amount, currency, day, category_id,
                added_by, payer_ids, paid, bearer_ids, borne, share_values)
            select group_id, gen_random_uuid(), name, amount, currency, day, category_id, added_by,
                array[added_by], array[amount], array[added_by], array[amount], '{{}}'
            from groups.expense, generate_series(1, 450) where id = '{made["id"]}';
            update groups.group_total set amount = amount + 45000 where group_id = '{group.id}';
        $$;
        select pg_temp.copies();
        """, database="ezwallet_groups",
    )  # fmt: skip
    assert sum(1 for _ in group.ada.pages(f"{group.path}/expenses", limit=200)) == 451
    where = f"{group.path}/categories/{food}"
    group.bob.call("DELETE", where, 204, params={"transactions": "delete"})
    assert group.ada.get(f"{group.path}/expenses")["items"] == []
    assert group.ada.get(f"{group.path}/totals")["totals"] == []
    assert group.ada.get(f"{group.path}/expenses/{made['id']}/history")["items"][0]["action"] == (
        "removed"
    )


PLACES = ((45.464211, 9.191383), (45.4643, 9.19), (45.5, 9.2), (-33.9, 151.2))


def sometimes(
    chance: random.Random, rows: list[dict[str, Any]], categories: list[str], group: Group
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Filters, and what they leave of the rows; some compare amounts, which needs a currency."""
    params: dict[str, Any] = {}
    wanted = list(rows)

    def narrow(name: str, what: Any, meets: Callable[[dict[str, Any]], bool]) -> None:
        params[name] = what
        wanted[:] = [one for one in wanted if meets(one)]

    if chance.random() < 0.5:
        currency = chance.choice(["EUR", "JPY"])
        narrow("currency", currency, lambda one: one["amount"]["currency"] == currency)
        least, most = (chance.randint(1, 20) for _ in range(2))
        if chance.random() < 0.5:
            narrow("minAmount", str(least), lambda one: value(one["amount"]) >= least)
        if chance.random() < 0.5:
            narrow("maxAmount", str(most), lambda one: value(one["amount"]) <= most)
    if chance.random() < 0.4:
        chosen = chance.sample([*categories, group.id], chance.randint(1, 2))
        narrow("categoryId", chosen, lambda one: one["categoryId"] in chosen)
    if chance.random() < 0.3:
        tag = chance.choice(["sea", "sun"])
        narrow("tag", tag, lambda one: tag in one["tags"])
    if chance.random() < 0.3:
        day = f"2026-0{chance.randint(1, 2)}-0{chance.randint(1, 9)}"
        narrow("from", day, lambda one: one["date"] >= day)
    if chance.random() < 0.3:
        narrow("mine", "true", lambda one: one["addedBy"] == group.of_ada)
    if chance.random() < 0.3:
        (lat, lon), far = chance.choice(PLACES), chance.choice([0.05, 1, 20, 20_000])

        def is_near(one: dict[str, Any]) -> bool:
            place = one.get("location")
            return bool(place) and kilometres((lat, lon), (place["lat"], place["lon"])) <= far

        narrow("near", f"{lat},{lon},{far}", is_near)
    return params, wanted


def key_of(one: dict[str, Any], grouping: str) -> str:
    return {"category": one["categoryId"], "day": one["date"], "month": one["date"][:7]}[grouping]


def expenses_anywhere(group: Group, chance: random.Random, categories: list[str]) -> list[dict]:
    rows = []
    for number in range(40):
        body: dict[str, Any] = {
            "name": f"Thing {number}",
            "date": f"2026-0{chance.randint(1, 2)}-{chance.randint(1, 9):02}",
            "amount": chance.choice([
                money(f"{chance.randint(1, 20)}.00"), money(str(chance.randint(1, 20)), "JPY")
            ]),
        }  # fmt: skip
        if chance.random() < 0.7:
            body["categoryId"] = chance.choice([*categories, group.id])
        if chance.random() < 0.5:
            body["tags"] = chance.sample([" sea ", "sun", "snow"], 2)
        if chance.random() < 0.6:
            lat, lon = chance.choice(PLACES)
            body["location"] = {"lat": lat, "lon": lon}
        path = f"{group.path}/expenses"
        rows.append(chance.choice([group.ada, group.bob]).post(path, body))
    return rows


def test_expenses_are_filtered_sorted_and_grouped_as_a_model_says(suite: Suite) -> None:
    seed = random.randrange(10**9)
    chance = random.Random(seed)
    group = Group(suite)
    path = f"{group.path}/expenses"
    names = ("Food", "Rent")
    categories = [group.ada.post(f"{group.path}/categories", {"name": one})["id"] for one in names]
    rows = expenses_anywhere(group, chance, categories)
    for _ in range(60):
        params, wanted = sometimes(chance, rows, categories, group)
        sort = chance.choice(["-date", "date", *(["-amount", "amount"] * ("currency" in params))])

        def place(one: dict[str, Any], sort: str = sort) -> tuple:
            return (value(one["amount"]) if "amount" in sort else one["date"], one["id"])

        wanted.sort(key=place, reverse=sort.startswith("-"))
        grouping = chance.choice([None, "category", "day", "month"])
        if grouping:
            falls = grouping != "category" and sort != "date"
            wanted.sort(key=lambda one: key_of(one, grouping), reverse=falls)  # noqa: B023
            wanted = [one | {"group": key_of(one, grouping)} for one in wanted]
            params["groupBy"] = grouping
        said = params | {"sort": sort}
        found = list(group.ada.pages(path, limit=chance.randint(1, 15), **said))
        assert found == wanted, f"seed {seed}: {said}"
        page = group.ada.get(path, limit=1, **said)
        if not grouping:
            assert "groups" not in page
            continue
        sums: dict[tuple[str, str], list] = {}
        for one in wanted:
            key = (one["group"], one["amount"]["currency"])
            each = sums.setdefault(key, [0, Decimal(0)])
            each[0] += 1
            each[1] += value(one["amount"])
        told = {
            (one["key"], one["out"]["currency"]): [one["count"], value(one["out"])]
            for one in page["groups"]
        }
        assert told == sums, f"seed {seed}: {said}"
        keys = [one["key"] for one in page["groups"]]
        assert keys == sorted(keys, reverse=falls), f"seed {seed}: {said}"
        # Behind the first page those of its rows, each as a whole.
        sums = page["groups"]
        while cursor := page.get("nextCursor"):
            limit = chance.randint(5, 15)
            page = group.ada.get(path, limit=limit, cursor=cursor, **said)
            own = {one["group"] for one in page["items"]}
            assert page["groups"] == [one for one in sums if one["key"] in own], f"seed {seed}"


def test_amounts_of_several_currencies_have_no_order(group: Group) -> None:
    path = f"{group.path}/expenses"
    comparing: tuple[dict[str, str], ...] = (
        {"minAmount": "1"}, {"maxAmount": "9"}, {"sort": "amount"}, {"sort": "-amount"},
    )  # fmt: skip
    first = group.expense("3.00", "USD")
    # All are in one, whichever it is.
    for params in comparing:
        assert group.ada.get(path, **params)["items"] == [first]
    second = group.expense("4.00")
    for params in comparing:
        group.ada.problem("GET", path, 422, "currency-mismatch", params=params)
        assert group.ada.get(path, currency="EUR", **params)["items"] == [second]
    positions = f"{group.path}/positions"
    for by in ({}, {"groupBy": "place"}):
        params = {"minAmount": "1"} | by
        group.ada.problem("GET", positions, 422, "currency-mismatch", params=params)
    group.ada.call("DELETE", f"{path}/{second['id']}", 204)
    assert group.ada.get(path, sort="amount")["items"] == [first]
    for wrong in ("1.001", "-1"):
        for where in (path, positions):
            params = {"minAmount": wrong, "currency": "EUR"}
            group.ada.problem("GET", where, 400, "invalid-query", params=params)
    for wrong in ("45,9", "91,0,1", "45,9,0"):
        group.ada.problem("GET", path, 400, "invalid-query", params={"near": wrong})


def test_what_is_asked_for_is_told_beside_each_expense(group: Group) -> None:
    path = f"{group.path}/expenses"
    food = group.ada.post(f"{group.path}/categories", {"name": "Food", "symbol": "cart"})
    for currency in ("EUR", "USD", "CLF"):
        amount = money("3.0000" if currency == "CLF" else "3.00", currency)
        body = {"name": currency, "amount": amount, "categoryId": food["id"]}
        group.ada.post(path, body)
    plain = group.bob.get(path)
    assert "unconverted" not in plain
    assert all("category" not in one and "converted" not in one for one in plain["items"])
    page = group.bob.get(path, expand="category,converted")
    told = {one["name"]: one for one in page["items"]}
    assert all(one["category"] == food for one in page["items"])
    assert page["unconverted"] == 1 and "converted" not in told["CLF"]
    assert told["EUR"]["converted"] == {"amount": money("3.00")}
    dollars = told["USD"]["converted"]
    exact = 3 * Decimal(dollars["rate"]["value"])
    assert value(dollars["amount"]) == exact.quantize(Decimal("0.01"), ROUND_HALF_EVEN)
    assert dollars["amount"]["currency"] == "EUR"
    group.bob.problem("GET", path, 400, "invalid-query", params={"expand": "money"})


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
    # Narrowed as the list is: each filter leaves the same of both.
    chance = random.Random(seed := random.randrange(10**9))
    food = group.ada.post(f"{group.path}/categories", {"name": "Food"})["id"]
    rows = expenses_anywhere(group, chance, [food])
    for _ in range(30):
        params, wanted = sometimes(chance, rows, [food], group)
        params["query"] = "thing"
        located = {one["id"] for one in wanted if "location" in one}
        pages = group.ada.send("GET", f"{group.path}/positions", params=params | {"limit": 200})
        found = {one["id"] for one in pages.json()["features"]}
        assert found == located, f"seed {seed}: {params}"
        sums = group.ada.get(f"{group.path}/positions", groupBy="place", **params)["features"]
        assert sum(one["properties"]["count"] for one in sums) == len(located), f"seed {seed}"
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
