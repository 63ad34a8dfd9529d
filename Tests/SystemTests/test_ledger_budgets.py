"""Envelopes: allocated, spent, rolled over, overspent and told of."""

import uuid
from decimal import Decimal

import pytest

from actions import wallet
from client import Person, eventually, money, value
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "notifications"]


def category(person: Person) -> str:
    return person.post("/v1/categories", {"name": f"c {uuid.uuid4().hex[:8]}"})["id"]


def allocate(person: Person, name: str, amount: str, **fields: str) -> dict:
    path = f"/v1/budgets/{name}/allocations"
    return person.post(path, {"amount": money(amount)} | fields)


def envelope(person: Person, name: str, month: str | None = None) -> dict:
    found = person.get("/v1/budgets", **({"month": month} if month else {}))
    return next(item for item in found["items"] if item["categoryId"] == name)


def spend(person: Person, name: str, amount: str, **fields: object) -> dict:
    return person.post("/v1/transactions", {"amount": money(amount), "categoryId": name} | fields)


def figures(found: dict) -> list[Decimal]:
    return [value(found[name]) for name in ("rolledOver", "allocated", "spent", "available")]


def told(person: Person, kind: str) -> list[dict]:
    return [item for item in person.get("/v1/notifications")["items"] if item["kind"] == kind]


def test_every_category_has_an_envelope_from_nothing(person: Person) -> None:
    page = person.get("/v1/budgets")
    assert page["month"] == page["from"][:7]
    (others,) = page["items"]
    assert figures(others) == [0, 0, 0, 0]
    assert others["percent"] is None


def test_what_is_left_rolls_over_into_the_next_month(person: Person) -> None:
    food = category(person)
    answer = allocate(person, food, "100.00", month="2026-01")
    assert figures(answer) == [0, 100, 0, 100] and answer["percent"] == "0"
    assert answer["alerts"] == []
    spend(person, food, "-30.00", date="2026-01-31")
    spend(person, food, "-20.50", date="2026-02-01")
    assert figures(envelope(person, food, "2026-01")) == [0, 100, 30, 70]
    february = envelope(person, food, "2026-02")
    assert figures(february) == [70, 0, Decimal("20.50"), Decimal("49.50")]
    assert february["percent"] == "29.3"
    assert figures(envelope(person, food, "2026-03")) == [Decimal("49.50"), 0, 0, Decimal("49.50")]
    # A change of what is long over is in every month behind it.
    spend(person, food, "-9.50", date="2026-01-02")
    assert figures(envelope(person, food, "2026-03"))[0] == 40
    allocate(person, food, "-15.00", month="2026-01")
    assert figures(envelope(person, food, "2026-03"))[0] == 25


def test_a_month_begins_where_its_owner_has_it_begin(person: Person) -> None:
    food = category(person)
    allocate(person, food, "10.00", month="2026-01")
    spend(person, food, "-1.00", date="2026-01-14")
    spend(person, food, "-2.00", date="2026-01-15")
    spend(person, food, "-4.00", date="2026-02-14")
    assert figures(envelope(person, food, "2026-01"))[2] == 3
    person.call("PATCH", "/v1/users/me", 200, json={"monthStart": 15})
    found = eventually(
        lambda: person.get("/v1/budgets", month="2026-01"),
        until=lambda page: page["from"] == "2026-01-15",
    )
    assert found["to"] == "2026-02-14"
    assert figures(envelope(person, food, "2026-01")) == [0, 10, 6, 4]


def test_other_currencies_count_at_their_days_rate(person: Person) -> None:
    food = category(person)
    yen = wallet(person, "JPY")
    allocate(person, food, "100.00", month="2026-10")
    person.post(
        "/v1/transactions",
        {
            "amount": money("-17568", "JPY"), "accountId": yen, "categoryId": food,
            "date": "2026-10-31",
        },
    )  # fmt: skip
    # 175.68 yen for one euro on the 30th, the last day that was published by then.
    assert figures(envelope(person, food, "2026-10")) == [0, 100, 100, 0]
    refused = person.problem(
        "POST", f"/v1/budgets/{food}/allocations", 422, "currency-mismatch",
        json={"amount": money("5", "JPY")},
    )  # fmt: skip
    assert refused
    # With another currency of totals what was allocated stays what it was.
    person.call("PATCH", "/v1/users/me", 200, json={"currency": "JPY"})
    found = eventually(
        lambda: envelope(person, food, "2026-10"),
        until=lambda found: found["spent"]["currency"] == "JPY",
    )
    assert found["spent"]["amount"] == "17568"
    assert abs(Decimal(found["allocated"]["amount"]) - 17_568) < 2_000


def test_a_transfer_may_leave_less_than_nothing(person: Person) -> None:
    food, fun = category(person), category(person)
    allocate(person, food, "10.00")
    body = {"fromCategoryId": food, "toCategoryId": fun, "amount": money("4.00")}
    answer = person.post("/v1/budget-transfers", body)
    assert answer["alerts"] == []
    assert (value(answer["from"]["available"]), value(answer["to"]["available"])) == (6, 4)
    key = str(uuid.uuid4())
    more = body | {"amount": money("7.00")}
    first = person.send("POST", "/v1/budget-transfers", json=more, key=key)
    again = person.send("POST", "/v1/budget-transfers", json=more, key=key)
    assert first.status_code == again.status_code == 201
    assert again.headers["idempotency-replayed"] == "true"
    assert first.json() == again.json()
    assert first.json()["alerts"] == ["budget-negative"]
    assert figures(envelope(person, food)) == [0, -1, 0, -1]
    for changed, pointer in [
        ({"toCategoryId": food}, "/toCategoryId"), ({"fromCategoryId": str(uuid.uuid4())}, "/from"),
        ({"amount": money("0.00")}, "/amount"),
    ]:  # fmt: skip
        found = person.problem(
            "POST", "/v1/budget-transfers", 422, "invalid-body", json=body | changed
        )
        assert found["errors"][0]["pointer"].startswith(pointer)
    person.problem(
        "POST", f"/v1/budgets/{uuid.uuid4()}/allocations", 404, "not-found",
        json={"amount": money("1.00")},
    )  # fmt: skip
    without = person.send(
        "POST", "/v1/budget-transfers", json=body, headers={"Idempotency-Key": ""}
    )
    assert without.status_code == 400


@pytest.mark.timeout(60)
def test_overspending_is_told_once_a_crossing(suite: Suite, person: Person) -> None:
    food = category(person)
    allocate(person, food, "20.00")
    spend(person, food, "-15.00")
    answer = spend(person, food, "-15.00")
    (entry,) = eventually(lambda: told(person, "budget-exceeded"))
    assert entry["categoryId"] == food and entry["amount"] == money("20.00")
    assert "30" in entry["text"]
    spend(person, food, "-1.00")
    # Taken back, and spent again: another crossing.
    person.call("DELETE", f"/v1/transactions/{answer['id']}", 200)
    # They look behind the writes: what is there and gone before they look is not seen.
    standing = f"select count(*) from ledger.budget_alert where user_id = '{person.id}'"
    eventually(
        lambda: suite.postgres.psql("-c", standing, database="ezwallet_ledger"),
        until=lambda count: count == "0",
    )
    again = spend(person, food, "-20.00")
    eventually(lambda: told(person, "budget-exceeded"), until=lambda found: len(found) == 2)
    assert again["alerts"] == ["budget-exceeded"]
    assert again["budgetRemaining"] == money("-16.00")


def test_envelopes_go_with_their_category(person: Person) -> None:
    food, fun = category(person), category(person)
    others = next(c["id"] for c in person.pages("/v1/categories") if c["default"])
    for name in (food, fun):
        allocate(person, name, "10.00", month="2026-03")
        spend(person, name, "-4.00", date="2026-03-03")
    person.call("DELETE", f"/v1/categories/{food}", 204)
    assert figures(envelope(person, others, "2026-03")) == [0, 10, 4, 6]
    person.call("DELETE", f"/v1/categories/{fun}", 204, params={"transactions": "delete"})
    assert figures(envelope(person, others, "2026-03")) == [0, 10, 4, 6]
    assert len(person.get("/v1/budgets")["items"]) == 1


def test_nobody_elses_envelopes_are_seen(person: Person, suite: Suite) -> None:
    food = category(person)
    other = Person(suite)
    other.problem(
        "POST", f"/v1/budgets/{food}/allocations", 404, "not-found",
        json={"amount": money("1.00")},
    )  # fmt: skip
    assert food not in [item["categoryId"] for item in other.get("/v1/budgets")["items"]]
