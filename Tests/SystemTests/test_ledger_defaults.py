"""What the ledger takes where a request leaves it out, what is changed of accounts and categories,
when an account closes, and lists that change while they are read."""

import random
import uuid
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from actions import category, current, held, record, rows_of, wallet
from client import Person, eventually, money
from conftest import hurt_suite
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]
#: One of these tests writes past the ledger, whose books others verify.
suite = pytest.fixture(scope="module")(hurt_suite)


def pointers(problem: dict[str, Any]) -> list[str]:
    return sorted(error["pointer"] for error in problem["errors"])


def change(person: Person, path: str, **fields: Any) -> dict[str, Any]:
    return person.call("PATCH", path, 200, json=fields)


def named(text: str) -> str:
    """A name that nobody else has."""
    return f"{text} {uuid.uuid4().hex[:8]}"


# Deletions


def test_a_deletion_is_undone_for_ten_minutes_and_not_later(suite: Suite, ada: Person) -> None:
    account, path = current(ada, "EUR")["id"], "/v1/transactions/deletions"
    kept = record(ada, account, "1.00")
    lost = [record(ada, account, amount)["id"] for amount in ("2.00", "4.00", "8.00")]
    back = record(ada, account, "16.00")["id"]
    deletions = [
        ada.call("DELETE", f"/v1/transactions/{lost[0]}", 200), ada.post(path, {"ids": lost[1:]}),
        ada.call("DELETE", f"/v1/transactions/{back}", 200),
    ]  # fmt: skip
    now = datetime.now(UTC)
    for deletion in deletions:
        ahead = datetime.fromisoformat(deletion["undoUntil"]) - now
        assert abs(ahead.total_seconds() - 600) < 5, deletion
    for deletion, seconds in zip(deletions, (-1, -1, 30), strict=True):
        suite.postgres.psql(
            database="ezwallet_ledger",
            sql=f"update ledger.deletion set undo_until = now() + interval '{seconds} seconds' "
            f"where id = '{deletion['id']}'",
        )

    def told() -> list[Any]:
        paths = [f"/v1/transactions/{one}/history" for one in lost]
        return [ada.get(f"/v1/accounts/{account}"), *(ada.get(one)["items"] for one in paths)]

    before = told()
    for deletion in deletions[:2]:
        for _ in range(2):
            ada.problem("POST", f"{path}/{deletion['id']}/undo", 409, "undo-expired")
    assert told() == before and held(ada, account) == 1
    assert [row["id"] for row in rows_of(ada, account)] == [kept["id"]]
    for one in lost:
        ada.problem("GET", f"/v1/transactions/{one}", 404, "not-found")
    # Half a minute before its end it is time yet.
    ada.call("POST", f"{path}/{deletions[2]['id']}/undo", 200)
    assert held(ada, account) == 17


# What is left out of a transaction

ZONES = {"Pacific/Kiritimati": 14, "Pacific/Pago_Pago": -11}


def day_at(hours: int) -> str:
    """The civil day so many hours ahead of UTC."""
    return (datetime.now(UTC) + timedelta(hours=hours)).date().isoformat()


def undated(person: Person, hours: int) -> set[str]:
    """Days other than today there that rows without one got."""
    row, begun = {"amount": money("-1.00")}, day_at(hours)
    made = [person.post("/v1/transactions", row) for _ in range(4)]
    for _ in range(4):
        dated = row | {"date": "2024-02-29"}
        batch = person.post("/v1/transactions/batches", {"transactions": [row, dated]})["items"]
        assert batch[1]["date"] == "2024-02-29"
        made.append(batch[0])
    return {one["date"] for one in made} - {begun, day_at(hours)}


def test_a_day_left_out_is_today_where_the_person_is(suite: Suite) -> None:
    east, west = people = [Person(suite) for _ in ZONES]
    for person, zone in zip(people, ZONES, strict=True):
        change(person, "/v1/users/me", timeZone=zone)
    for person, hours in zip(people, ZONES.values(), strict=True):
        eventually(
            lambda who=person, ahead=hours: undated(who, ahead),
            seconds=30,
            until=lambda wrong: not wrong,
        )
    # They are 25 hours apart: at no moment is it one day for both. Each loop of each replica knows
    # people for ten seconds, and not all may have been asked above.
    row = {"amount": money("-1.00")}
    made = eventually(
        lambda: [one.post("/v1/transactions", row) for one in (east, west)],
        until=lambda made: made[0]["date"] > made[1]["date"],
    )
    for person, one in zip(people, made, strict=True):
        assert person.get(f"/v1/transactions/{one['id']}")["date"] == one["date"]


def test_an_account_left_out_is_the_oldest_that_is_open(person: Person) -> None:
    (default,) = person.get("/v1/accounts")["items"]
    accounts = [default["id"], wallet(person, "EUR"), current(person, "EUR")["id"]]
    wallet(person, "EUR")
    row = {"amount": money("1.00")}
    for oldest in accounts:
        made = [person.post("/v1/transactions", row)]
        made += person.post("/v1/transactions/batches", {"transactions": [row, row]})["items"]
        assert [one["accountId"] for one in made] == [oldest] * 3
        if oldest != accounts[-1]:
            person.call("DELETE", f"/v1/accounts/{oldest}", 204)
    assert [held(person, account) for account in accounts] == [3, 3, 3]


def test_a_name_left_out_is_the_categorys(ada: Person) -> None:
    account = wallet(ada, "EUR")
    food, fun = (ada.post("/v1/categories", {"name": named(name)}) for name in ("Food", "Fun"))
    row = {"accountId": account, "amount": money("-1.00")}
    made = ada.post("/v1/transactions", row | {"categoryId": food["id"]})
    assert made["name"] == food["name"]
    lines = [
        {"categoryId": one["id"], "amount": money(amount)}
        for one, amount in [(fun, "-0.40"), (food, "-0.60")]
    ]
    rows = [
        row | {"categoryId": fun["id"]}, row, row | {"categoryId": food["id"], "name": "Mine"},
        row | {"lines": lines}, row | {"categoryId": food["id"]},
    ]  # fmt: skip
    items = ada.post("/v1/transactions/batches", {"transactions": rows})["items"]
    expected = [fun["name"], "Others", "Mine", fun["name"], food["name"]]
    assert [one["name"] for one in items] == expected
    mine, plain = (f"/v1/transactions/{items[index]['id']}" for index in (2, 1))
    assert change(ada, mine, name=None)["name"] == food["name"]
    change(ada, plain, name="Called so")
    assert change(ada, plain, name=None)["name"] == "Others"
    change(ada, plain, name="Called so")
    assert change(ada, plain, name=None, categoryId=fun["id"])["name"] == fun["name"]
    assert ada.get(mine)["name"] == food["name"] and ada.get(plain)["name"] == fun["name"]


# Accounts


def test_an_open_accounts_name_is_taken_whatever_the_case(person: Person) -> None:
    first = person.post("/v1/accounts", {"name": "Straße"})["id"]
    second = person.post("/v1/accounts", {"kind": "current", "name": "Other"})["id"]
    taken = (409, "account-name-taken")
    for name in ("Straße", "STRASSE", "default", "oTHER"):
        for kind in ("wallet", "current"):
            person.problem("POST", "/v1/accounts", *taken, json={"name": name, "kind": kind})
    for name in ("STRASSE", "DEFAULT"):
        person.problem("PATCH", f"/v1/accounts/{second}", *taken, json={"name": name})
    assert person.get(f"/v1/accounts/{second}")["name"] == "Other"
    # One's own is not taken, nor is another person's.
    assert change(person, f"/v1/accounts/{first}", name="STRASSE")["name"] == "STRASSE"
    Person(person.suite).post("/v1/accounts", {"name": "Straße"})
    person.call("DELETE", f"/v1/accounts/{first}", 204)
    assert change(person, f"/v1/accounts/{second}", name="Straße")["name"] == "Straße"
    person.call("DELETE", f"/v1/accounts/{second}", 204)
    third = person.post("/v1/accounts", {"name": "straSSe"})
    assert third["name"] == "straSSe" and third["id"] not in (first, second)
    assert len(person.get("/v1/accounts")["items"]) == 2


def test_what_no_account_is_opened_with_is_named(person: Person) -> None:
    before = person.get("/v1/accounts", closed="true")
    euro, dollars = money("5.00"), money("5.00", "USD")
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"kind": "current", "currency": "EUR", "openingBalance": euro}, ["/openingBalance"]),
        ({"kind": "current", "openingBalance": money("-5.00")}, ["/openingBalance"]),
        ({"kind": "wallet", "openingBalance": dollars}, ["/openingBalance/currency"]),
        ({"currency": "USD", "openingBalance": euro}, ["/openingBalance/currency"]),
        ({"kind": "deposit"}, ["/kind"]),
        ({"kind": "allowance", "currency": "EUR"}, ["/kind"]),
        ({"kind": "outside"}, ["/kind"]),
        ({"currency": "XYZ"}, ["/currency"]),
        ({"kind": "deposit", "openingBalance": dollars}, ["/kind"]),
    ]
    for body, expected in cases:
        answer = person.problem("POST", "/v1/accounts", 422, "invalid-body", json=body)
        assert pointers(answer) == expected, body
    assert person.get("/v1/accounts", closed="true") == before
    opened = person.post("/v1/accounts", {"currency": "USD", "openingBalance": dollars})
    assert opened["kind"] == "wallet" and opened["balance"] == opened["available"] == dollars


def test_an_accounts_icon_is_kept_changed_and_cleared(person: Person) -> None:
    made = person.post("/v1/accounts", {"name": "Cash", "icon": "purse"})
    path = f"/v1/accounts/{made['id']}"
    assert made["icon"] == "purse" and person.get(path) == made
    for fields in [{"icon": "safe"}, {"name": "Coins"}, {"icon": None}, {"icon": "jar"}]:
        changed = change(person, path, **fields)
        expected = made | fields
        made = {key: value for key, value in expected.items() if value is not None}
        assert changed == made == person.get(path), fields
    assert "icon" not in person.post("/v1/accounts", {"name": "Plain"})
    person.call("DELETE", path, 204)
    person.problem("PATCH", path, 409, "account-closed", json={"icon": None})


def test_what_is_held_or_in_a_deposit_keeps_an_account_open(person: Person) -> None:
    empty, full = wallet(person, "EUR"), current(person, "EUR", "10.00")["id"]
    target = current(person, "EUR")["id"]

    def close(account: str, status: int) -> None:
        path = f"/v1/accounts/{account}"
        if status == 409:
            person.problem("DELETE", path, 409, "account-not-empty")
            assert "closedAt" not in person.get(path)
        else:
            person.call("DELETE", path, status)
            assert person.get(path)["closedAt"]

    def move(source: str, **options: Any) -> str:
        body = {"fromAccountId": source, "amount": money("10.00"), "toAccountId": target}
        return person.post("/v1/transfers", body | options)["id"]

    # Nothing is in the wallet; what it owes is only held.
    hold = move(empty, hold=True)
    close(empty, 409)
    person.call("POST", f"/v1/transfers/{hold}/void", 200)
    close(empty, 204)
    hold = move(full, hold=True)
    close(full, 409)
    person.call("POST", f"/v1/transfers/{hold}/capture", 200)
    close(full, 204)
    body = {"fromAccountId": target, "currency": "EUR", "amount": money("10.00")}
    deposit = person.post("/v1/deposits", body)["account"]["id"]
    close(deposit, 409)
    move(deposit)
    close(deposit, 204)
    close(target, 409)


# Categories


def test_every_field_of_a_category_is_changed_and_told(person: Person) -> None:
    symbols, above = person.get("/v1/palette")["symbols"], category(person)
    expected = person.post("/v1/categories", {"name": "Plain"})
    path = f"/v1/categories/{expected['id']}"
    assert not {"symbol", "coicop", "parentId"} & expected.keys() and expected["type"] == "both"
    whole = {
        "name": "Whole", "color": "#00ff7f", "symbol": symbols[1], "type": "expense",
        "coicop": "15", "parentId": above,
    }  # fmt: skip
    for fields in [
        {"name": "Renamed"}, {"color": "#123456"}, {"symbol": symbols[0]}, {"type": "income"},
        {"coicop": "07"}, {"parentId": above}, {}, {"symbol": None}, {"coicop": None},
        {"parentId": None}, whole, {"symbol": None, "coicop": None, "parentId": None},
    ]:  # fmt: skip
        changed = change(person, path, **fields)
        expected = {key: value for key, value in (expected | fields).items() if value is not None}
        assert changed == expected == person.get(path), fields
    for field in ("name", "color", "type"):
        problem = person.problem("PATCH", path, 422, "invalid-body", json={field: None})
        assert pointers(problem) == [f"/{field}"]
    for field, wrong in [("symbol", "no-such"), ("coicop", "16"), ("parentId", str(uuid.uuid4()))]:
        problem = person.problem("PATCH", path, 422, "invalid-body", json={field: wrong})
        assert pointers(problem) == [f"/{field}"]
    assert person.get(path) == expected


def test_categories_stand_on_two_levels_and_each_has_a_name(person: Person) -> None:
    top, other = (person.post("/v1/categories", {"name": name}) for name in ("Top", "Öl"))
    below = person.post("/v1/categories", {"name": "Below", "parentId": top["id"]})
    refused = [
        (top, {"parentId": other["id"]}, "category-depth"),  # it has one below it
        (top, {"parentId": below["id"]}, "category-depth"),
        (other, {"parentId": other["id"]}, "category-depth"),
        (below, {"parentId": below["id"]}, "category-depth"),
        (other, {"parentId": below["id"]}, "category-depth"),  # a third level
        (other, {"name": "BELOW"}, "category-name-taken"),
        (below, {"name": "öL"}, "category-name-taken"),
        (below, {"name": "others", "parentId": None}, "category-name-taken"),
    ]
    for one, fields, code in refused:
        person.problem("PATCH", f"/v1/categories/{one['id']}", 409, code, json=fields)
    for one in (top, other, below):
        assert person.get(f"/v1/categories/{one['id']}") == one
    # Once it stands alone it goes below another; its own name it may write otherwise.
    change(person, f"/v1/categories/{below['id']}", parentId=other["id"])
    moved = change(person, f"/v1/categories/{top['id']}", parentId=other["id"], name="TOP")
    assert (moved["parentId"], moved["name"]) == (other["id"], "TOP")


# Lists that change while they are read

ORDERS = [
    {"sort": "-date"}, {"sort": "date"}, {"sort": "-amount"}, {"sort": "amount"},
    {"groupBy": "category"}, {"groupBy": "day"}, {"groupBy": "month"},
]  # fmt: skip
Place = tuple[str, str | None]


class Reader:
    """Somebody with rows that share days, amounts and categories, some of them in two."""

    def __init__(self, person: Person, order: dict[str, str]):
        self.person, self.order = person, order
        self.account, self.inserted = wallet(person, "EUR"), 0
        self.chosen = [category(person) for _ in range(5)]
        grain, rows = random.Random(8), []
        for number in range(70):
            cents = grain.randrange(2, 9)
            row: dict[str, Any] = {"amount": money(f"-0.0{cents}"), "accountId": self.account}
            row["date"] = f"2024-0{grain.randrange(1, 5)}-0{grain.randrange(1, 5)}"
            labels = grain.sample(self.chosen[:4], 2)
            if number % 6:
                row["categoryId"] = labels[0]
            else:
                parts = zip(labels, (cents - 1, 1), strict=True)
                row["lines"] = [
                    {"categoryId": label, "amount": money(f"-0.0{part}")} for label, part in parts
                ]
            rows.append(row)
        person.post("/v1/transactions/batches", {"transactions": rows})

    def page(self, **options: Any) -> tuple[list[Place], str | None]:
        page = self.person.get("/v1/transactions", **self.order, **options)
        return [(row["id"], row.get("group")) for row in page["items"]], page.get("nextCursor")

    def insert(self) -> list[str]:
        """A row before all others, and one behind all."""
        self.inserted += 1
        days = [str(date(2025, 1, 1) + timedelta(self.inserted * n)) for n in (1, -1000)]
        fields: list[dict[str, Any]] = [{"date": day} for day in days]
        if "amount" in self.order.get("sort", ""):
            fields = [{"amount": money(f"{sign}{self.inserted}.00")} for sign in ("", "-")]
        if self.order.get("groupBy") == "category":
            # «Others» is the oldest category, the last one the newest.
            fields[1]["categoryId"] = self.chosen[-1]
        if self.order.get("sort") in ("date", "amount"):
            fields.reverse()
        row = {"accountId": self.account, "amount": money("-0.05")}
        return [self.person.post("/v1/transactions", row | one)["id"] for one in fields]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "-".join(order.values()))
def test_a_list_that_changes_while_it_is_read_repeats_and_misses_nothing(
    person: Person, order: dict[str, str]
) -> None:
    reader = Reader(person, order)
    listed, _ = reader.page(limit=200)
    seen, options = [], {"limit": 7}
    gone: set[str] = set()
    before, behind = [], []
    for step in range(100):
        page, cursor = reader.page(**options)
        assert not gone & {row for row, _ in page}
        seen += page
        if not cursor:
            break
        options["cursor"] = cursor
        last, group = seen[-1]
        for place, row in zip((before, behind), reader.insert(), strict=True):
            place.append(row)
        ahead = [row for row, _ in listed if row not in gone | {row for row, _ in seen}]
        doomed: set[str] = set()
        if step % 2:
            # What the cursor stands at, and what would come next.
            doomed = {last, *ahead[:1]}
        elif step == 2 and group:
            # The whole group that the cursor stands in.
            doomed = {row for row, key in listed if key == group} - gone
        if doomed:
            person.post("/v1/transactions/deletions", {"ids": sorted(doomed)})
        gone |= doomed
    assert not cursor
    stayed = [place for place in listed if place[0] not in gone]
    assert len(before) >= 5 and len(gone) >= 6 and len(stayed) >= 30
    assert len(set(seen)) == len(seen)
    assert [place for place in seen if place in set(stayed)] == stayed
    # What came behind the cursor is read, too, and nothing of what came before it.
    assert set(behind) <= {row for row, _ in seen} and not set(before) & {row for row, _ in seen}
