"""Categories: labels, the palette, the built-in set, names, levels, and what goes with them."""

import uuid

import pytest

from actions import wallet
from client import Person, eventually, money, value
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]


def make(person: Person, **fields: object) -> dict:
    return person.post("/v1/categories", {"name": f"c {uuid.uuid4().hex[:8]}"} | fields)


def others(person: Person) -> dict:
    return next(found for found in person.pages("/v1/categories") if found["default"])


def test_names_are_trimmed_before_they_are_compared(person: Person) -> None:
    made = person.post("/v1/categories", {"name": "\u2003Café\u00a0"})
    assert made["name"] == "Café"
    for twin in [" Café ", "CAFE\u0301", "café\u200b "]:
        person.problem(
            "POST", "/v1/categories", 409, "category-name-taken", json={"name": twin}
        )  # fmt: skip
    for unseen in ["\u200b", " \u2060 ", "\u2800"]:
        told = person.problem(
            "POST", "/v1/categories", 422, "invalid-body", json={"name": unseen}
        )  # fmt: skip
        assert told["errors"][0]["code"] == "blank"
    # Counted as it is stored.
    long = "e\u0301" * 60
    assert person.post("/v1/categories", {"name": long})["name"] == "é" * 60


def test_a_person_has_500_categories_at_most(suite: Suite, person: Person) -> None:
    there = len(list(person.pages("/v1/categories")))
    suite.postgres.psql(
        "-c",
        "insert into ledger.category (id, user_id, name, name_folded, color)"
        f" select gen_random_uuid(), '{person.id}', 'many ' || n, 'many ' || n, 0"
        f" from generate_series(1, {499 - there}) n",
        database="ezwallet_ledger",
    )
    last = make(person)
    told = person.problem("POST", "/v1/categories", 422, "invalid-body", json={"name": "More"})
    assert [error["code"] for error in told["errors"]] == ["too-many"]
    person.call("DELETE", f"/v1/categories/{last['id']}", 204)
    make(person)


def test_a_label_is_put_on_once_and_taken_off_once(person: Person) -> None:
    food = make(person)
    path = f"/v1/categories/{food['id']}/important"
    assert food["important"] is False
    person.problem("DELETE", path, 409, "not-important")
    assert person.call("PUT", path, 200)["important"] is True
    person.problem("PUT", path, 409, "already-important")
    assert person.get(f"/v1/categories/{food['id']}")["important"] is True
    person.call("DELETE", path, 204)
    assert person.get(f"/v1/categories/{food['id']}")["important"] is False
    stale = person.send("PUT", path, headers={"If-Match": '"1"'})
    assert stale.status_code == 412
    person.problem("PUT", f"/v1/categories/{uuid.uuid4()}/important", 404, "not-found")


def test_others_takes_the_label_and_nothing_else(person: Person) -> None:
    path = f"/v1/categories/{others(person)['id']}"
    assert person.call("PUT", f"{path}/important", 200)["important"] is True
    person.problem("PATCH", path, 409, "default-category", json={"name": "Mine"})
    person.problem("DELETE", path, 409, "default-category")
    assert others(person)["name"] == "Others"


def test_the_palette_offers_what_categories_are_made_of(person: Person) -> None:
    palette = person.get("/v1/palette")
    assert len(set(palette["colors"])) == len(palette["colors"]) > 10
    offered = palette["categories"]
    # One at least of each division of COICOP, and something to earn.
    assert {item.get("coicop") for item in offered} >= {f"{n:02d}" for n in range(1, 16)}
    assert any(item["type"] == "income" for item in offered)
    for item in offered:
        made = person.post("/v1/categories", item)
        assert {name: made[name] for name in item} == item
    # By its name alone the division is known, in the other language too.
    other = Person(person.suite)
    assert other.post("/v1/categories", {"name": "GROCERIES"})["coicop"] == "01"
    assert other.post("/v1/categories", {"name": "Ristoranti"})["coicop"] == "11"
    assert "coicop" not in other.post("/v1/categories", {"name": "My own"})
    wrong = other.problem(
        "POST", "/v1/categories", 422, "invalid-body", json={"name": "x", "symbol": "no-such"}
    )
    assert wrong["errors"][0]["pointer"] == "/symbol"


def test_the_next_free_colour_is_taken(person: Person) -> None:
    colors = person.get("/v1/palette")["colors"]
    first, second = make(person), make(person, color=colors[2])
    assert (first["color"], second["color"]) == (colors[0], colors[2])
    assert [make(person)["color"] for _ in range(2)] == [colors[1], colors[3]]


def test_names_are_once_whatever_their_case(person: Person) -> None:
    make(person, name="Straße")
    person.problem("POST", "/v1/categories", 409, "category-name-taken", json={"name": "STRASSE"})
    second = make(person)
    person.problem(
        "PATCH", f"/v1/categories/{second['id']}", 409, "category-name-taken",
        json={"name": "strasse"},
    )  # fmt: skip


def test_what_was_below_comes_up(person: Person) -> None:
    above = make(person)
    below = make(person, parentId=above["id"])
    person.problem(
        "POST", "/v1/categories", 409, "category-depth",
        json={"name": "third", "parentId": below["id"]},
    )  # fmt: skip
    person.call("DELETE", f"/v1/categories/{above['id']}", 204)
    assert "parentId" not in person.get(f"/v1/categories/{below['id']}")
    person.problem("GET", f"/v1/categories/{above['id']}", 404, "not-found")


@pytest.mark.timeout(120)
@pytest.mark.parametrize("disposal", ["reassign", "delete"])
def test_a_category_with_very_many_goes_at_once(person: Person, disposal: str) -> None:
    account = wallet(person, "EUR")
    food, count = make(person)["id"], 1_200
    for _ in range(count // 400):
        person.post(
            "/v1/transactions/batches",
            {
                "transactions": [
                    {"amount": money("-0.01"), "accountId": account, "categoryId": food}
                    for _ in range(400)
                ]
            },
        )
    person.call("DELETE", f"/v1/categories/{food}", 204, params={"transactions": disposal})
    person.problem("GET", f"/v1/categories/{food}", 404, "not-found")

    def left() -> int:
        return len(list(person.pages("/v1/transactions", categoryId=food, limit=200)))

    eventually(left, seconds=60, until=lambda found: found == 0)
    kept = list(person.pages("/v1/transactions", accountId=account, limit=200))
    assert len(kept) == (count if disposal == "reassign" else 0)
    balance = value(person.get(f"/v1/accounts/{account}")["balance"])
    assert balance == (-12 if disposal == "reassign" else 0)


def test_a_deletion_that_would_overdraw_is_refused(person: Person) -> None:
    pay = make(person)["id"]
    account = person.post("/v1/accounts", {"kind": "current"})["id"]
    record = {"accountId": account, "amount": money("10.00"), "categoryId": pay}
    person.post("/v1/transactions", record)
    person.post("/v1/transactions", {"accountId": account, "amount": money("-1.00")})
    person.problem("DELETE", f"/v1/categories/{pay}?transactions=delete", 409, "insufficient-funds")
    assert person.get(f"/v1/categories/{pay}")["id"] == pay


def test_a_transfers_sides_outlive_their_category_and_go_to_others(person: Person) -> None:
    one = person.post("/v1/accounts", {"kind": "current", "currency": "EUR", "name": "One"})["id"]
    two = person.post("/v1/accounts", {"kind": "current", "currency": "EUR", "name": "Two"})["id"]
    rent, default = make(person)["id"], others(person)["id"]
    bought = person.post(
        "/v1/transactions", {"accountId": one, "amount": money("50.00"), "categoryId": rent}
    )
    person.post("/v1/transactions", {"accountId": one, "amount": money("30.00")})
    body = {"fromAccountId": one, "toAccountId": two, "amount": money("12.00")}
    transfer = person.post("/v1/transfers", body)["id"]

    def sides() -> list[dict]:
        rows = person.pages("/v1/transactions")
        return [row for row in rows if row.get("transferId") == transfer]

    for side in sides():
        person.call("PATCH", f"/v1/transactions/{side['id']}", 200, json={"categoryId": rent})
    assert [side["categoryId"] for side in sides()] == [rent, rent]
    person.call("DELETE", f"/v1/categories/{rent}", 204, params={"transactions": "delete"})
    moved = eventually(sides, until=lambda rows: all(row["categoryId"] == default for row in rows))
    assert sorted(value(row["amount"]) for row in moved) == [-12, 12]
    eventually(lambda: person.send("GET", f"/v1/transactions/{bought['id']}").status_code == 404)
    balances = [value(person.get(f"/v1/accounts/{account}")["balance"]) for account in (one, two)]
    assert balances == [18, 12]
    assert person.get(f"/v1/transfers/{transfer}")["state"] == "posted"
