"""Where transactions were: GeoJSON of what the list shows and has a location, by the list's
filters, pages and rights; and the map service to draw it with."""

import os
import random
import uuid
from typing import Any

import pytest

from actions import Shared, category, folder, join, record, wallet
from client import Api, Person, money
from histories import Model, SharedModel
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]
PATH = "/v1/transactions/positions"
STEPS = int(os.environ.get("EZWALLET_HISTORY_STEPS", "220")) // 2
DUOMO = {"lat": 45.464203, "lon": 9.189982, "label": "Piazza del Duomo"}
OPERA = {"lat": -33.856784, "lon": 151.215297}


def positions(person: Person, **query: Any) -> list[dict[str, Any]]:
    """Every feature, page by page."""
    found: list[dict[str, Any]] = []
    while True:
        page = person.get(PATH, **query)
        assert page["type"] == "FeatureCollection"
        assert set(page) - {"nextCursor"} == {"type", "features"}
        assert len(page["features"]) <= query.get("limit", 50)
        found += page["features"]
        if "nextCursor" not in page:
            return found
        query["cursor"] = page["nextCursor"]


def ids(person: Person, **query: Any) -> list[str]:
    return [one["id"] for one in positions(person, **query)]


def feature(row: dict[str, Any]) -> dict[str, Any]:
    """What is told of a row of the list that has a location."""
    place = row["location"]
    told = {name: row[name] for name in ("name", "date", "amount", "accountId", "categoryId")}
    if "label" in place:
        told["label"] = place["label"]
    return {
        "type": "Feature", "id": row["id"], "properties": told,
        "geometry": {"type": "Point", "coordinates": [place["lon"], place["lat"]]},
    }  # fmt: skip


def listed(person: Person, **query: Any) -> list[dict[str, Any]]:
    """What the list says."""
    rows = person.pages("/v1/transactions", **query | {"limit": 200})
    return [feature(row) for row in rows if "location" in row]


def test_located_ones_are_told_newest_first_with_the_longitude_first(person: Person) -> None:
    account, food = wallet(person, "EUR"), category(person)
    assert positions(person) == []
    old = record(person, account, "-1.00", date="2024-01-01", location=OPERA, name="Opera")
    record(person, account, "-2.00", date="2024-01-02")
    fine = {"lat": 45.4642034, "lon": 9.1899821, "label": "Piazza del Duomo"}
    new = record(person, account, "-3.00", date="2024-01-03", location=fine, categoryId=food)
    record(person, account, "-4.00", date="2024-01-04", name="no place")
    same = record(person, account, "5.00", date="2024-01-01", location={"lat": 90, "lon": -180})
    answer = person.send("GET", PATH)
    assert answer.headers["content-type"].startswith("application/geo+json")
    assert answer.json() == {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "id": new["id"],
                "geometry": {"type": "Point", "coordinates": [9.189982, 45.464203]},
                "properties": {
                    "name": new["name"], "date": "2024-01-03", "amount": money("-3.00"),
                    "accountId": account, "categoryId": food, "label": "Piazza del Duomo",
                },
            },
            {
                "type": "Feature",
                "id": same["id"],
                "geometry": {"type": "Point", "coordinates": [-180, 90]},
                "properties": {
                    "name": "Others", "date": "2024-01-01", "amount": money("5.00"),
                    "accountId": account, "categoryId": same["categoryId"],
                },
            },
            {
                "type": "Feature",
                "id": old["id"],
                "geometry": {"type": "Point", "coordinates": [151.215297, -33.856784]},
                "properties": {
                    "name": "Opera", "date": "2024-01-01", "amount": money("-1.00"),
                    "accountId": account, "categoryId": old["categoryId"],
                },
            },
        ],
    }  # fmt: skip


def test_an_edited_or_deleted_one_is_told_as_it_stands(person: Person) -> None:
    first, second = wallet(person, "EUR"), wallet(person, "EUR")
    one = record(person, first, "-1.00", date="2024-01-01", location=DUOMO)["id"]
    other = record(person, first, "-2.00", date="2024-01-02", location=DUOMO)["id"]
    bare = record(person, first, "-3.00", date="2024-01-03")["id"]

    def change(which: str, **fields: Any) -> None:
        row = person.call("PATCH", f"/v1/transactions/{which}", 200, json=fields)
        assert positions(person) == listed(person)
        if "location" in row:
            assert feature(row) in positions(person)
        else:
            assert which not in ids(person)

    change(one, location=OPERA)
    change(one, date="2024-02-01", amount=money("-9.00"))
    assert ids(person) == [one, other]
    change(bare, location=DUOMO)
    assert ids(person) == [one, bare, other]
    change(one, accountId=second, name="moved")
    assert ids(person, accountId=[second]) == [one]
    assert ids(person, accountId=[first]) == [bare, other]
    change(bare, location=None)
    assert ids(person) == [one, other]
    gone = person.call("DELETE", f"/v1/transactions/{one}", 200)
    assert ids(person) == [other] and positions(person) == listed(person)
    person.call("POST", f"/v1/transactions/deletions/{gone['id']}/undo", 200)
    assert ids(person) == [one, other] and positions(person) == listed(person)


def test_what_others_have_is_not_told(suite: Suite) -> None:
    ada, eve = Person(suite), Person(suite)
    account, trip, food = wallet(ada, "EUR"), folder(ada), category(ada)
    row = record(ada, account, "-1.00", location=DUOMO, folderId=trip, categoryId=food, tags=["x"])
    mine = record(eve, wallet(eve, "EUR"), "-2.00", location=DUOMO, tags=["x"])
    assert ids(ada) == [row["id"]]
    near = f"{DUOMO['lat']},{DUOMO['lon']},1"
    for query in ({}, {"tag": "x"}, {"near": near}, {"direction": "out"}, {"minAmount": "1"}):
        assert ids(eve, **query) == [mine["id"]], query
    for query in ({"accountId": account}, {"folderId": trip}, {"categoryId": food}):
        assert ids(eve, **query) == [], query
    Api(suite).problem("GET", PATH, 401, "unauthenticated")


def test_what_it_does_not_know_is_refused(suite: Suite) -> None:
    ada = Person(suite)
    account = wallet(ada, "EUR")
    for amount in ("-1.00", "-2.00"):
        record(ada, account, amount, location=DUOMO)
    for query in (
        "sort=-date", "groupBy=day", "expand=category", "near=45,9", "limit=0", "limit=201",
        "cursor=x", "folderId=1", "tag=", "nope=1", "minAmount=-1", "from=2024-02-30",
    ):  # fmt: skip
        ada.problem("GET", f"{PATH}?{query}", 400, "invalid-query")
    for query in ({"sort": "-amount"}, {"sort": "date"}, {"groupBy": "day"}):
        page = ada.get("/v1/transactions", limit=1, **query)
        ada.problem("GET", f"{PATH}?cursor={page['nextCursor']}", 400, "invalid-query")
    assert ada.send("POST", PATH, json={}).status_code == 405
    ada.problem("GET", f"/v1/transactions/{uuid.uuid4()}", 404, "not-found")
    wallet(ada, "USD")
    for query in ("minAmount=1", "maxAmount=1"):
        ada.problem("GET", f"{PATH}?{query}", 422, "currency-mismatch")


def test_pages_keep_their_place_while_rows_come_and_go(person: Person) -> None:
    account = wallet(person, "EUR")
    rows = [
        record(person, account, "-1.00", date=f"2024-01-{day:02d}", location=DUOMO)["id"]
        for day in range(1, 8)
    ]
    page = person.get(PATH, limit=3)
    assert [one["id"] for one in page["features"]] == rows[:3:-1]
    newer = record(person, account, "-1.00", date="2024-02-01", location=DUOMO)["id"]
    record(person, account, "-1.00", date="2024-01-02")
    person.call("DELETE", f"/v1/transactions/{rows[0]}", 200)
    assert ids(person, limit=3, cursor=page["nextCursor"]) == rows[3:0:-1]
    assert ids(person, limit=1) == [newer, *rows[:0:-1]]


@pytest.mark.parametrize("kind", [Model, SharedModel], ids=["alone", "shared"])
def test_a_random_history_is_told_as_the_list_tells_it(suite: Suite, kind: type[Model]) -> None:
    seed = int(os.environ.get("EZWALLET_HISTORY_SEED", random.randrange(1 << 32)))
    print(f"seed {seed}")
    chance = random.Random(seed)
    if kind is SharedModel:
        model: Model = SharedModel(suite, chance)
    else:
        model = Model(Person(suite, currency="EUR"), chance)
    told = 0

    def compare() -> None:
        nonlocal told
        if isinstance(model, SharedModel):
            model.whoever(model.vic)
        asked = model.query()
        query = {name: asked[name] for name in asked if name not in ("sort", "groupBy")}
        expected = listed(model.person, **query)
        located = [row for row in model.rows.values() if row.location and model.meets(row, query)]
        located.sort(key=lambda row: (row.day, row.id), reverse=True)
        assert [one["id"] for one in expected] == [row.id for row in located], (seed, query)
        if query["limit"] < 7:
            query["limit"] = max(query["limit"], len(expected) // 12 + 1)
        assert positions(model.person, **query) == expected, (seed, query)
        told += len(expected)

    steps = [model.record] * 4 + [model.batch] * 3 + [model.change] * 5 + [model.delete] * 2
    steps += [model.undo] * 2 + [compare] * 8
    if isinstance(model, SharedModel):
        steps.append(model.come_or_go)
    for _ in range(STEPS):
        chance.choice(steps)()
    for _ in range(10):
        compare()
    assert told > 0, seed


def test_members_of_a_wallet_and_of_a_folder_see_what_the_list_shows_them(suite: Suite) -> None:
    shared = Shared(suite)
    ada, eve, vic, sam = shared.ada, shared.eve, shared.vic, shared.sam
    private = record(ada, wallet(ada, "EUR"), "-7.00", location=OPERA)["id"]
    own = shared.record(ada, "-1.00", location=DUOMO)["id"]
    hers = shared.record(eve, "-2.00", location=OPERA, tags=["taxi"])["id"]
    shared.record(eve, "-3.00")
    for reader, wanted in (
        (ada, {private, own, hers}), (eve, {own, hers}), (vic, {own, hers}), (sam, set()),
    ):  # fmt: skip
        assert positions(reader) == listed(reader)
        assert set(ids(reader, limit=1)) == wanted
        assert set(ids(reader, accountId=shared.id)) == wanted - {private}
        assert set(ids(reader, tag="TAXI")) == wanted & {hers}
    # Whoever has left sees what they recorded there no more.
    eve.call("DELETE", f"{shared.path}/members/me", 204)
    assert positions(eve) == listed(eve) == []
    assert set(ids(vic)) == {own, hers}

    trip = folder(ada)
    join(ada, trip, sam, "read")
    ada.call("PUT", f"/v1/folders/{trip}/transactions/{private}", 204)
    for reader in (ada, sam):
        assert ids(reader, folderId=trip) == [private]
        assert positions(reader, folderId=trip) == listed(reader, folderId=trip)
        assert ids(reader, folderId=trip, near=f"{DUOMO['lat']},{DUOMO['lon']},1") == []
    assert ids(sam) == [] and ids(vic, folderId=trip) == []
    sam.call("DELETE", f"/v1/folders/{trip}/members/me", 204)
    assert ids(sam, folderId=trip) == []


def test_the_map_is_openstreetmaps_unless_another_is_configured(
    person: Person, visitor: Api
) -> None:
    assert person.get("/v1/map") == {
        "tiles": "https://tile.openstreetmap.org/{z}/{x}/{y}.png",
        "attribution": "© OpenStreetMap contributors", "minZoom": 0, "maxZoom": 19,
    }  # fmt: skip
    visitor.problem("GET", "/v1/map", 401, "unauthenticated")
    person.problem("GET", "/v1/map?zoom=1", 400, "invalid-query")
    assert person.send("POST", "/v1/map", json={}).status_code == 405
