"""Transactions as a person has them: every field, what is wrong by its pointer, many at once,
changes and their history, deletions and their undoing, and the search."""

import threading
import uuid
from decimal import Decimal
from typing import Any

from actions import category, current, held, rows_of, wallet
from actions import record as recorded
from client import Api, Person, eventually, money
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]
PLACE = {"lat": 45.464203, "lon": 9.189982, "label": "Piazza del Duomo"}


def pointers(problem: dict[str, Any]) -> list[str]:
    return sorted(error["pointer"] for error in problem["errors"])


def fresh(suite: Suite) -> Person:
    return Person(suite, currency="EUR")


def line(category_id: str, amount: str, currency: str = "EUR") -> dict[str, Any]:
    return {"categoryId": category_id, "amount": money(amount, currency)}


def change(person: Person, row: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return person.call("PATCH", f"/v1/transactions/{row['id']}", 200, json=fields)


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def record(*arguments: Any, **fields: Any) -> dict[str, Any]:
    """A transaction without what is told beside it."""
    return without(recorded(*arguments, **fields), "alerts", "budgetRemaining")


def test_every_field_is_kept(ada: Person) -> None:
    account, food, fun = wallet(ada, "EUR"), category(ada), category(ada)
    body = {
        "accountId": account, "amount": money("-30.00"), "name": "Mercato", "date": "2024-05-06",
        "lines": [line(food, "-25.50"), line(fun, "-4.50")], "description": "both of us",
        "location": PLACE, "tags": ["Trip", " Città "],
    }  # fmt: skip
    made = without(ada.post("/v1/transactions", body), "alerts")
    assert made["tags"] == ["Trip", "Città"] and made["location"] == PLACE
    assert made["lines"] == body["lines"] and made["categoryId"] == food
    assert ada.get(f"/v1/transactions/{made['id']}") == made
    assert rows_of(ada, account) == [made]
    assert held(ada, account) == -30
    plain = ada.post("/v1/transactions", {"accountId": account, "amount": money("0.00")})
    assert plain["name"] == "Others" and plain["tags"] == [] and "lines" not in plain
    for name in ("lines", "location", "description", "budgetRemaining2", "folderId"):
        assert name not in plain


def test_a_currency_of_three_digits_and_one_of_none(ada: Person) -> None:
    food, fun = category(ada), category(ada)
    for currency, whole, parts in [
        ("KWD", "-1.001", ["-1.000", "-0.001"]),
        ("JPY", "-100", ["-99", "-1"]),
    ]:
        account = wallet(ada, currency)
        lines = [line(food, parts[0], currency), line(fun, parts[1], currency)]
        body = {"accountId": account, "amount": money(whole, currency), "lines": lines}
        assert ada.post("/v1/transactions", body)["lines"] == lines


def test_what_is_wrong_is_named(ada: Person) -> None:
    account, food, fun = wallet(ada, "EUR"), category(ada), category(ada)
    nobody = str(uuid.uuid4())
    good = {"accountId": account, "amount": money("-10.00")}
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"lines": [line(food, "-9.00"), line(fun, "-2.00")]}, ["/lines"]),
        ({"lines": [line(food, "-5.00"), line(food, "-5.00")]}, ["/lines/1/categoryId"]),
        ({"lines": [line(food, "-10.00"), line(fun, "0.00")]}, ["/lines/1/amount/amount"]),
        ({"lines": [line(food, "-10.00", "USD")]}, ["/lines/0/amount/currency"]),
        ({"lines": [line(nobody, "-10.00")]}, ["/lines/0/categoryId"]),
        ({"lines": [line(food, "-10.00")], "categoryId": food}, ["/categoryId"]),
        ({"lines": []}, ["/lines"]),
        ({"categoryId": nobody}, ["/categoryId"]),
        ({"accountId": nobody}, ["/accountId"]),
        ({"amount": money("-10.00", "USD")}, ["/amount/currency"]),
        ({"folderId": nobody}, ["/folderId"]),
        ({"tags": ["a", "b", "A"]}, ["/tags/2"]),
        ({"tags": ["x" * 41, " ", "ok"]}, ["/tags/0", "/tags/1"]),
        ({"tags": [str(n) for n in range(21)]}, ["/tags"]),
        ({"location": {"lat": 91, "lon": -181}}, ["/location/lat", "/location/lon"]),
        ({"location": {"lat": 1}}, ["/location/lon"]),
        ({"recurrence": {"every": 0, "unit": "day"}}, ["/recurrence/every"]),
        ({"tags": ["a\u0007"]}, ["/tags/0"]),
        ({"name": "", "description": "x" * 2001}, ["/description", "/name"]),
    ]
    for fields, expected in cases:
        answer = ada.send("POST", "/v1/transactions", json=good | fields)
        assert answer.status_code == 422, (fields, answer.text)
        assert pointers(answer.json()) == expected, (fields, answer.text)
    assert rows_of(ada, account) == []


def test_lists_refuse_what_they_do_not_know(ada: Person) -> None:
    for query in [
        "near=45,9", "near=91,9,1", "near=45,9,0", "near=45,9,1e3", "expand=all", "groupBy=year",
        "expand=", "sort=name", "limit=0", "limit=201", "cursor=x", "folderId=1", "tag=", "nope=1",
        "minAmount=-1", "from=2024-02-30", "direction=both",
    ]:  # fmt: skip
        ada.problem("GET", f"/v1/transactions?{query}", 400, "invalid-query")
    other = fresh(ada.suite)
    other.post("/v1/accounts", {"currency": "USD"})
    for query in ["sort=amount", "sort=-amount", "minAmount=1", "maxAmount=1"]:
        other.problem("GET", f"/v1/transactions?{query}", 422, "currency-mismatch")


def test_a_batch_is_all_or_nothing(ada: Person) -> None:
    account, food, key = current(ada, "EUR", "10.00")["id"], category(ada), str(uuid.uuid4())
    path = "/v1/transactions/batches"

    def row(amount: str, **fields: Any) -> dict[str, Any]:
        return {"accountId": account, "amount": money(amount), "date": "2024-01-01"} | fields

    poor = [row("-5.00"), row("-4.00"), row("-3.00"), row("20.00")]
    problem = ada.problem("POST", path, 409, "insufficient-funds", json={"transactions": poor})
    assert pointers(problem) == ["/transactions/2/amount"]
    nobody = str(uuid.uuid4())
    bad = [row("1.00"), row("2.00", categoryId=nobody), row("3.00", lines=[line(nobody, "3.00")])]
    problem = ada.problem("POST", path, 422, "invalid-body", json={"transactions": bad})
    assert pointers(problem) == [
        "/transactions/1/categoryId", "/transactions/2/lines/0/categoryId"
    ]  # fmt: skip
    bad = [row("1.00"), row("2.00", tags=["a", "A"]), {"amount": money("x")}]
    problem = ada.problem("POST", path, 422, "invalid-body", json={"transactions": bad})
    assert pointers(problem) == ["/transactions/2/amount/amount"]
    bad = [row("1.00"), row("2.00", tags=["a", "A"])]
    problem = ada.problem("POST", path, 422, "invalid-body", json={"transactions": bad})
    assert pointers(problem) == ["/transactions/1/tags/1"]
    for size in (0, 1001):
        rows = {"transactions": [row("0.01")] * size}
        ada.problem("POST", path, 422, "invalid-body", json=rows)
    assert held(ada, account) == 10 and len(rows_of(ada, account)) == 1

    good = {"transactions": [row("-0.01", name=f"n{n}", categoryId=food) for n in range(1000)]}
    first = ada.send("POST", path, json=good, key=key)
    again = ada.send("POST", path, json=good, key=key)
    assert first.status_code == again.status_code == 201, first.text[:500]
    assert first.json() == again.json() and again.headers["idempotency-replayed"] == "true"
    assert [item["name"] for item in first.json()["items"]] == [f"n{n}" for n in range(1000)]
    assert held(ada, account) == 0 and len(rows_of(ada, account)) == 1001
    ada.problem("POST", path, 422, "idempotency-key-reused", json={"transactions": [row("1.00")]},
                key=key)  # fmt: skip
    refused = {"transactions": poor}
    key = str(uuid.uuid4())
    for amount in ("0.01", "100.00", "1.00"):
        problem = ada.problem("POST", path, 409, "insufficient-funds", json=refused, key=key)
        assert pointers(problem) == ["/transactions/0/amount"]
        record(ada, account, amount)
    refused = {"transactions": [row("-5.00"), row("-97.00"), row("-3.00")]}
    key = str(uuid.uuid4())
    for amount in ("100.00", "1.00"):
        problem = ada.problem("POST", path, 409, "insufficient-funds", json=refused, key=key)
        assert pointers(problem) == ["/transactions/1/amount"]
        record(ada, account, amount)
    large = {"transactions": [row("1.00", description="x" * 2000)] * 530}
    assert ada.send("POST", path, json=large, retry=False).status_code == 413


def test_a_batch_may_recur(ada: Person) -> None:
    account = wallet(ada, "EUR")
    rule = {"every": 1, "unit": "month"}
    body = {"accountId": account, "amount": money("-1.00"), "recurrence": rule}
    made = ada.post("/v1/transactions", body)
    both = ada.post("/v1/transactions/batches", {"transactions": [body, body]})["items"]
    ids = {row["recurrenceId"] for row in [made, *both]}
    assert len(ids) == 3
    for identifier in ids:
        assert ada.get(f"/v1/recurrences/{identifier}")["accountId"] == account


def test_a_change_takes_every_field(ada: Person) -> None:
    first, second = wallet(ada, "EUR"), wallet(ada, "EUR")
    food, fun = category(ada), category(ada)
    row = record(ada, first, "-10.00", name="one", date="2024-01-01")
    assert change(ada, row) == row
    fields: dict[str, Any] = {
        "name": "two", "description": "d", "categoryId": food, "tags": ["x"], "location": PLACE
    }  # fmt: skip
    words = change(ada, row, **fields)
    assert without(words, "version") == without(row, "version") | fields
    assert words["version"] == 2 and change(ada, row, **fields) == words
    booked = change(ada, row, amount=money("-20.00"), accountId=second, date="2024-02-02")
    assert booked["version"] == 3 and booked["tags"] == ["x"] and booked["location"] == PLACE
    assert held(ada, first) == 0 and held(ada, second) == -20
    assert rows_of(ada, first) == [] and rows_of(ada, second) == [booked]
    split = change(ada, row, lines=[line(food, "-5.00"), line(fun, "-15.00")])
    assert split["categoryId"] == food and len(split["lines"]) == 2
    problem = ada.problem(
        "PATCH", f"/v1/transactions/{row['id']}", 422, "invalid-body",
        json={"amount": money("-21.00")},
    )  # fmt: skip
    assert pointers(problem) == ["/lines"]
    whole = change(ada, row, categoryId=fun, amount=money("-21.00"))
    assert "lines" not in whole and whole["categoryId"] == fun and held(ada, second) == -21
    cleared = change(
        ada, row, description=None, tags=None, location=None, categoryId=None, name=None
    )  # fmt: skip
    assert cleared["name"] == "Others" and cleared["tags"] == []
    assert "description" not in cleared and "location" not in cleared
    for field in ("amount", "accountId", "date"):
        ada.problem(
            "PATCH", f"/v1/transactions/{row['id']}", 422, "invalid-body", json={field: None}
        )  # fmt: skip
    dollars = wallet(ada, "USD")
    ada.problem(
        "PATCH", f"/v1/transactions/{row['id']}", 422, "currency-mismatch",
        json={"accountId": dollars},
    )  # fmt: skip
    moved = change(ada, row, accountId=dollars, amount=money("-22.00", "USD"))
    assert moved["accountId"] == dollars and held(ada, second) == 0 and held(ada, dollars) == -22
    ada.problem("PATCH", f"/v1/transactions/{uuid.uuid4()}", 404, "not-found", json={})
    stranger = fresh(ada.suite)
    stranger.problem("PATCH", f"/v1/transactions/{row['id']}", 404, "not-found", json={})


def test_a_change_asks_for_the_version(ada: Person) -> None:
    row = record(ada, wallet(ada, "EUR"), "-10.00")
    path = f"/v1/transactions/{row['id']}"
    tag = ada.send("GET", path).headers["etag"]
    done = ada.send("PATCH", path, json={"name": "x"}, headers={"If-Match": tag})
    assert done.status_code == 200 and done.headers["etag"] != tag
    for method, body in [("PATCH", {"name": "y"}), ("DELETE", None)]:
        ada.problem(
            method, path, 412, "precondition-failed", json=body, headers={"If-Match": tag}
        )  # fmt: skip
    ada.call("DELETE", path, 200, headers={"If-Match": done.headers["etag"]})


def test_an_income_may_shrink_by_what_is_left_of_it(ada: Person) -> None:
    account = current(ada, "EUR")["id"]
    income = record(ada, account, "100.00")
    record(ada, account, "-60.00")
    assert change(ada, income, amount=money("60.00"))["version"] == 2
    assert held(ada, account) == 0
    path = f"/v1/transactions/{income['id']}"
    ada.problem("PATCH", path, 409, "insufficient-funds", json={"amount": money("59.99")})
    ada.problem("PATCH", path, 409, "insufficient-funds", json={"accountId": wallet(ada, "EUR")})
    ada.problem("DELETE", path, 409, "insufficient-funds")
    assert change(ada, income, date="2024-01-01")["version"] == 3
    assert held(ada, account) == 0


def test_the_sides_of_a_transfer_stay_one(ada: Person) -> None:
    source, target = current(ada, "EUR", "10.00"), current(ada, "EUR")
    ada.post(
        "/v1/transfers",
        {"fromAccountId": source["id"], "toAccountId": target["id"], "amount": money("4.00")},
    )
    (side,) = rows_of(ada, target["id"])
    path = f"/v1/transactions/{side['id']}"
    for fields in [
        {"amount": money("5.00")}, {"date": "2024-01-01"}, {"accountId": source["id"]},
        {"location": PLACE}, {"lines": [line(category(ada), "4.00")]},
    ]:  # fmt: skip
        ada.problem("PATCH", path, 409, "part-of-transfer", json=fields)
    food = category(ada)
    done = change(ada, side, name="mine", description="d", categoryId=food, tags=["t"])
    assert done["transferId"] == side["transferId"] and done["categoryId"] == food
    plain = record(ada, target["id"], "1.00")
    ada.problem("DELETE", path, 409, "part-of-transfer")
    problem = ada.problem(
        "POST", "/v1/transactions/deletions", 409, "part-of-transfer",
        json={"ids": [plain["id"], side["id"]]},
    )  # fmt: skip
    assert pointers(problem) == ["/ids/1"]
    assert held(ada, target["id"]) == 5


def test_a_history_tells_everything(ada: Person) -> None:
    account = wallet(ada, "EUR")
    row = record(ada, account, "-10.00", name="one", date="2024-01-01")
    change(ada, row, name="two")
    change(ada, row, amount=money("-11.00"), tags=["x"])
    path = f"/v1/transactions/{row['id']}"
    deletion = ada.call("DELETE", path, 200)
    ada.call("POST", f"/v1/transactions/deletions/{deletion['id']}/undo", 200)
    ada.call("DELETE", path, 200)
    ada.problem("GET", path, 404, "not-found")
    items = ada.get(f"{path}/history")["items"]
    assert [(item["version"], item["action"], item["changed"]) for item in items] == [
        (4, "deleted", []), (4, "restored", []), (3, "deleted", []),
        (3, "changed", ["amount", "tags"]), (2, "changed", ["name"]), (1, "recorded", []),
    ]  # fmt: skip
    assert {item["userId"] for item in items} == {ada.id}
    assert [item["at"] for item in items] == sorted((i["at"] for i in items), reverse=True)
    assert items[-1]["transaction"] == row and items[0]["transaction"]["tags"] == ["x"]
    for limit in (1, 2, 5):
        assert list(ada.pages(f"{path}/history", limit=limit)) == items
    fresh(ada.suite).problem("GET", f"{path}/history", 404, "not-found")


def test_many_are_deleted_or_none(ada: Person) -> None:
    account = current(ada, "EUR")["id"]
    income = record(ada, account, "10.00")
    spent = [record(ada, account, "-4.00"), record(ada, account, "-5.00")]
    path, ids = "/v1/transactions/deletions", [row["id"] for row in spent]
    problem = ada.problem(
        "POST", path, 409, "insufficient-funds", json={"ids": [ids[0], income["id"]]}
    )  # fmt: skip
    assert pointers(problem) == ["/ids/1"]
    body = {"ids": [ids[0], str(uuid.uuid4()), ids[1], ids[1]]}
    assert pointers(ada.problem("POST", path, 422, "invalid-body", json=body)) == [
        "/ids/1", "/ids/3"
    ]  # fmt: skip
    ada.problem("POST", path, 422, "invalid-body", json={"ids": []})
    assert held(ada, account) == 1
    key = str(uuid.uuid4())
    body = {"ids": [income["id"], *ids]}
    done = ada.send("POST", path, json=body, key=key)
    again = ada.send("POST", path, json=body, key=key)
    assert done.status_code == again.status_code == 201, again.text
    assert done.json() == again.json() and done.json()["count"] == 3
    assert held(ada, account) == 0 and rows_of(ada, account) == []
    undo = f"{path}/{done.json()['id']}/undo"
    for _ in range(2):
        ada.call("POST", undo, 200)
    assert held(ada, account) == 1
    back = {row["id"]: without(row, "version") for row in rows_of(ada, account)}
    assert back == {row["id"]: without(row, "version") for row in [income, *spent]}
    fresh(ada.suite).problem("POST", undo, 404, "not-found")


def test_an_undo_restores_all_but_a_category_that_is_gone(ada: Person) -> None:
    account, food, fun = wallet(ada, "EUR"), category(ada), category(ada)
    split = record(
        ada, account, "-10.00", lines=[line(food, "-4.00"), line(fun, "-6.00")], tags=["a", "B"],
        location=PLACE, description="d", name="n",
    )  # fmt: skip
    plain = record(ada, account, "-1.00", categoryId=food)
    deletion = ada.post("/v1/transactions/deletions", {"ids": [split["id"], plain["id"]]})
    ada.call("DELETE", f"/v1/categories/{food}", 204)
    ada.call("POST", f"/v1/transactions/deletions/{deletion['id']}/undo", 200)
    others = next(c["id"] for c in ada.pages("/v1/categories") if c["default"])
    rows = {row["id"]: row for row in rows_of(ada, account)}
    again = rows[split["id"]]
    assert again["lines"] == [line(others, "-4.00"), line(fun, "-6.00")]
    assert without(again, "version", "lines", "categoryId") == without(
        split, "version", "lines", "categoryId"
    )
    assert rows[plain["id"]]["categoryId"] == others
    assert [row["id"] for row in ada.pages("/v1/transactions", tag="b", accountId=account)] == [
        split["id"]
    ]


def test_a_list_by_groups_adds_up(suite: Suite) -> None:
    eve = fresh(suite)
    account, dollars = wallet(eve, "EUR"), wallet(eve, "USD")
    food, fun = category(eve), category(eve)
    one = record(eve, account, "-10.00", date="2024-01-31", categoryId=food)
    lines = [line(food, "-8.00"), line(fun, "2.00")]
    two = record(eve, account, "-6.00", date="2024-02-01", lines=lines)
    body = {"accountId": dollars, "amount": money("5.00", "USD"), "date": "2024-02-01"}
    three = eve.post("/v1/transactions", body | {"categoryId": fun})
    page = eve.get("/v1/transactions", groupBy="category")
    assert [(r["id"], r["group"]) for r in page["items"]] == [
        (two["id"], food), (one["id"], food), (three["id"], fun), (two["id"], fun)
    ]  # fmt: skip
    assert page["groups"] == [
        {"key": food, "count": 2, "in": money("0.00"), "out": money("18.00")},
        {"key": fun, "count": 1, "in": money("2.00"), "out": money("0.00")},
        {"key": fun, "count": 1, "in": money("5.00", "USD"), "out": money("0.00", "USD")},
    ]
    for limit in (1, 2, 3):
        pages = list(eve.pages("/v1/transactions", groupBy="category", limit=limit))
        assert [r["id"] for r in pages] == [r["id"] for r in page["items"]]
    page = eve.get("/v1/transactions", groupBy="month")
    assert [(g["key"], g["count"]) for g in page["groups"]] == [
        ("2024-02", 1), ("2024-02", 1), ("2024-01", 1)
    ]  # fmt: skip
    assert [r["group"] for r in page["items"]] == ["2024-02", "2024-02", "2024-01"]
    page = eve.get("/v1/transactions", groupBy="day", sort="date")
    assert [g["key"] for g in page["groups"]] == ["2024-01-31", "2024-02-01", "2024-02-01"]


def test_an_own_transfer_is_neither_income_nor_expense(suite: Suite) -> None:
    eve = fresh(suite)
    source, target = current(eve, "EUR", "10.00"), current(eve, "EUR")
    body = {"fromAccountId": source["id"], "toAccountId": target["id"], "amount": money("4.00")}
    eve.post("/v1/transfers", body)
    (group,) = eve.get("/v1/transactions", groupBy="category")["groups"]
    assert (group["count"], group["in"], group["out"]) == (3, money("10.00"), money("0.00"))


def test_rows_are_told_with_category_and_converted(suite: Suite) -> None:
    eve = fresh(suite)
    food = category(eve)
    rates = eve.get("/v1/exchange-rates", base="USD", date="2024-03-01")
    for currency, amount in [("EUR", "-1.00"), ("USD", "-3.33"), ("KWD", "1.000")]:
        account = wallet(eve, currency)
        eve.post("/v1/transactions", {
            "accountId": account, "amount": money(amount, currency), "date": "2024-03-02",
            "categoryId": food,
        })  # fmt: skip
    page = eve.get("/v1/transactions", expand="category,converted", sort="date")
    euro, dollar, dinar = page["items"]
    assert {item["category"]["id"] for item in page["items"]} == {food}
    assert euro["converted"] == {"amount": money("-1.00")}
    expected = (Decimal("-3.33") * Decimal(rates["rates"]["EUR"])).quantize(Decimal("0.01"))
    assert dollar["converted"]["amount"] == money(str(expected))
    assert dollar["converted"]["rate"]["day"] == "2024-03-01"
    assert dollar["converted"]["rate"]["source"] == "ECB"
    assert "converted" not in dinar and page["unconverted"] == 1
    assert "category" not in eve.get("/v1/transactions")["items"][0]


def test_one_of_many_at_once_succeeds(suite: Suite, ada: Person) -> None:
    account = current(ada, "EUR", "5.00")["id"]
    row = record(ada, account, "-1.00")
    statuses: list[int] = []

    def delete() -> None:
        api = Api(suite, ada.token)
        statuses.append(api.send("DELETE", f"/v1/transactions/{row['id']}").status_code)

    threads = [threading.Thread(target=delete) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200] + [404] * 19
    assert held(ada, account) == 5


def test_splits_are_counted_by_category_in_reports(suite: Suite) -> None:
    eve = fresh(suite)
    account, food, fun = wallet(eve, "EUR"), category(eve), category(eve)
    lines = [line(food, "-7.25"), line(fun, "-2.75")]
    row = record(eve, account, "-10.00", date="2024-06-05", lines=lines)
    record(eve, account, "-1.00", date="2024-06-06", categoryId=fun)

    def report() -> dict[str, str]:
        page = eve.get(
            "/v1/reports/categories", **{"from": "2024-06-01", "to": "2024-06-30"}, direction="out"
        )
        return {item["categoryId"]: item["amount"]["amount"] for item in page["items"]}

    eventually(report, until=lambda found: found == {food: "7.25", fun: "3.75"})
    change(eve, row, lines=[line(food, "-1.00"), line(fun, "-9.00")])
    eventually(report, until=lambda found: found == {food: "1.00", fun: "10.00"})
    summary = eve.get("/v1/reports/summary", **{"from": "2024-06-01", "to": "2024-06-30"})
    assert summary["count"] == 2
    eve.call("DELETE", f"/v1/transactions/{row['id']}", 200)
    eventually(report, until=lambda found: found == {fun: "1.00"})
