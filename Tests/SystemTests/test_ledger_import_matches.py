"""What stands on an account and comes again from a file: doubles, kept or merged, taken back."""

from decimal import Decimal
from typing import Any

import pytest

from actions import balance, wallet
from client import Person, eventually, money
from imports import commit, lines, mt940, preview, withdraw

NEEDS = ["gateway", "auth", "ledger"]


def record(person: Person, account: str, amount: str, name: str, day: str, **more: Any) -> str:
    body = {"accountId": account, "amount": money(amount), "name": name, "date": day} | more
    return person.post("/v1/transactions", body)["id"]


def csv(*rows: str) -> bytes:
    return ("Date,Payee,Description,Amount\n" + "".join(f"{row}\n" for row in rows)).encode()


def export(person: Person, account: str, kind: str) -> bytes:
    answer = person.send(
        "GET", f"/v1/accounts/{account}/statement",
        params={"format": kind, "from": "2024-01-01", "to": "2024-12-31"},
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    return answer.content


def change(person: Person, one: dict[str, Any], *rows: dict[str, Any]) -> dict[str, Any]:
    return person.call("PATCH", f"/v1/imports/{one['id']}", 200, json={"rows": list(rows)})


def state_of(person: Person, account: str) -> list[dict[str, Any]]:
    """What is told of each transaction, but for what changes with any edit."""
    return [
        {name: told for name, told in one.items() if name not in ("version", "updatedAt")}
        for one in lines(person, account)
    ]


def test_an_expense_entered_by_hand_is_told_and_kept(person: Person) -> None:
    account = wallet(person)
    noted = record(person, account, "-12.50", "Pizzeria Gino", "2024-03-04")
    record(person, account, "-12.50", "Bookshop", "2024-03-04")
    one = preview(person, account, csv("2024-03-06,PIZZERIA GINO 4711,Card,-12.50"))
    assert one["duplicates"] == 0
    [row] = one["rows"]
    assert row["matches"] == [
        {"transactionId": noted, "date": "2024-03-04", "name": "Pizzeria Gino", "exact": False}
    ]
    assert "merge" not in row and row["included"] is True
    commit(person, one)
    assert balance(person, account) == Decimal("-37.50")


def test_a_merged_row_keeps_the_words_and_takes_the_day(person: Person) -> None:
    account = wallet(person)
    category = person.post("/v1/categories", {"name": "Out"})["id"]
    more = {"description": "with Bo", "tags": ["Fun"], "categoryId": category}
    noted = record(person, account, "-12.50", "Gino", "2024-03-04", **more)
    income = record(person, account, "100.00", "Chef", "2024-03-08")
    content = csv("2024-03-06,PIZZERIA GINO,Card,-12.50", "2024-03-09,The Chef,Pay,100.00")
    before = state_of(person, account)
    one = preview(person, account, content)
    change(person, one, {"row": 1, "merge": noted}, {"row": 2, "merge": income})
    merged = person.get(f"/v1/imports/{one['id']}")
    assert [row["merge"] for row in merged["rows"]] == [noted, income]
    assert commit(person, one)["duplicates"] == 0
    told = {row["id"]: row for row in lines(person, account)}
    assert set(told) == {noted, income}
    assert told[noted]["date"] == "2024-03-06" and told[income]["date"] == "2024-03-09"
    assert told[noted]["name"] == "Gino" and told[noted]["description"] == "with Bo"
    assert told[noted]["tags"] == ["Fun"] and told[noted]["categoryId"] == category
    # The next file knows them.
    again = preview(person, account, content)
    assert again["duplicates"] == 2 and not any(row["matches"] for row in again["rows"])
    assert balance(person, account) == Decimal("87.50")
    withdraw(person, one)
    assert state_of(person, account) == before
    # And then it knows them no more.
    assert preview(person, account, content)["duplicates"] == 0


def test_what_was_edited_after_the_merge_stays_edited(person: Person) -> None:
    account = wallet(person)
    ids = [record(person, account, "-5.00", "Kiosk", f"2024-03-0{day}") for day in (1, 9)]
    one = preview(person, account, csv("2024-03-02,Kiosk,,-5.00", "2024-03-10,Kiosk,,-5.00"))
    matched = [row["matches"][0]["transactionId"] for row in one["rows"]]
    assert matched == ids
    change(person, one, *({"row": row + 1, "merge": ids[row]} for row in (0, 1)))
    commit(person, one)
    path = f"/v1/transactions/{ids[0]}"
    person.call("PATCH", path, 200, json={"name": "Newspaper", "date": "2024-03-20"})
    person.call("DELETE", f"/v1/transactions/{ids[1]}", 200)
    withdraw(person, one)
    [left] = lines(person, account)
    assert (left["name"], left["date"]) == ("Newspaper", "2024-03-20")


def test_a_merge_can_be_taken_back_and_names_a_match(person: Person) -> None:
    account = wallet(person)
    noted = record(person, account, "-5.00", "Kiosk", "2024-03-01")
    other = record(person, account, "-6.00", "Kiosk", "2024-03-01")
    one = preview(person, account, csv("2024-03-02,Kiosk,,-5.00", "2024-03-03,Kiosk,,-9.00"))
    path = f"/v1/imports/{one['id']}"
    for row, what in ((1, other), (2, noted)):
        rows = [{"row": 2, "included": True}, {"row": row, "merge": what}]
        bad = person.problem("PATCH", path, 422, "invalid-body", json={"rows": rows})
        assert bad["errors"][0]["pointer"] == "/rows/1/merge"
    change(person, one, {"row": 1, "merge": noted})
    told = change(person, one, {"row": 1, "merge": None})
    assert "merge" not in told["rows"][0]
    commit(person, one)
    assert len(lines(person, account)) == 4


def test_a_row_whose_match_has_gone_is_taken_in(person: Person) -> None:
    account = wallet(person)
    noted = record(person, account, "-5.00", "Kiosk", "2024-03-01")
    one = preview(person, account, csv("2024-03-02,Kiosk,,-5.00"))
    change(person, one, {"row": 1, "merge": noted})
    person.call("DELETE", f"/v1/transactions/{noted}", 200)
    assert person.get(f"/v1/imports/{one['id']}")["rows"][0]["matches"] == []
    commit(person, one)
    assert [row["date"] for row in lines(person, account)] == ["2024-03-02"]


def test_the_same_month_in_another_format_is_told_row_by_row(person: Person) -> None:
    account = wallet(person)
    days = [f"2024-03-{day:02d}" for day in range(1, 11)]
    # A coffee each day of one price, beside others.
    content = csv(
        *(f"{day},Café Rio,Card {at},-1.20" for at, day in enumerate(days)),
        *(f"{day},Shop {at},,-{at + 2}.00" for at, day in enumerate(days)),
    )
    first = commit(person, preview(person, account, content))
    known = {(row["date"], row["name"]): row["id"] for row in lines(person, account)}
    entries = [(f"{day[2:].replace('-', '')}D1,20", "NONREF", "CAFÉ RIO") for day in days]
    entries += [
        (f"{day[2:].replace('-', '')}D{at + 2},00", "NONREF", f"SHOP {at} SRL")
        for at, day in enumerate(days)
    ]
    spent = -balance(person, account)
    closing = f"D240331EUR{spent}".replace(".", ",")
    second = preview(person, account, mt940("1", "C240301EUR0,", entries, closing))
    assert second["duplicates"] == 0
    pairs = [(row["row"], row["matches"][0]["transactionId"]) for row in second["rows"]]
    assert sorted(one for _, one in pairs) == sorted(known.values())
    for row in second["rows"]:
        assert row["matches"][0]["date"] == row["date"]
    change(person, second, *({"row": row, "merge": one} for row, one in pairs))
    commit(person, second)
    assert balance(person, account) == -spent and len(lines(person, account)) == 20
    # What the first brought stands by the second once the first is taken back.
    withdraw(person, first)
    assert balance(person, account) == -spent and len(lines(person, account)) == 20
    # Its rows are new to it, and look like what stands.
    third = preview(person, account, content)
    assert third["duplicates"] == 0 and all(row["matches"] for row in third["rows"])
    withdraw(person, second)
    assert lines(person, account) == []


def test_a_new_file_of_the_same_layout_has_no_look_alikes(person: Person) -> None:
    account = wallet(person)
    commit(person, preview(person, account, csv("2024-03-01,Café Rio,,-1.20")))
    one = preview(person, account, csv("2024-03-01,Café Rio,,-1.20", "2024-03-02,Café Rio,,-1.20"))
    assert one["duplicates"] == 1
    assert [row["matches"] for row in one["rows"]] == [[], []]


@pytest.mark.parametrize("kind", ["csv", "ofx", "camt053"])
def test_an_own_export_adds_nothing_to_its_account(person: Person, kind: str) -> None:
    account, other = wallet(person), wallet(person)
    record(person, account, "-12.50", "Gino", "2024-03-04")
    record(person, account, "-12.50", "Gino", "2024-03-04")
    commit(person, preview(person, account, csv("2024-03-05,Shop,,-1.00")))
    transfer = {"fromAccountId": account, "toAccountId": other, "amount": money("2.00")}
    person.post("/v1/transfers", transfer)
    ids = [row["id"] for row in lines(person, account) if row["date"] < "2025"]
    edited = ids[0]
    content = export(person, account, kind)
    person.call("PATCH", f"/v1/transactions/{edited}", 200, json={"date": "2024-05-01"})
    before = balance(person, account)
    one = preview(person, account, content)
    assert one["duplicates"] == one["rowCount"] == len(ids)
    for row in one["rows"]:
        [match] = row["matches"]
        assert match["exact"] is True and match["transactionId"] in ids
    assert commit(person, one)["duplicates"] == len(ids)
    assert balance(person, account) == before
    # What was deleted meanwhile comes back.
    person.call("DELETE", f"/v1/transactions/{edited}", 200)
    again = preview(person, account, content)
    assert again["duplicates"] == len(ids) - 1
    commit(person, again)
    assert balance(person, account) == before


def test_a_deleted_match_is_no_duplicate_at_the_commit(person: Person) -> None:
    account = wallet(person)
    noted = record(person, account, "-12.50", "Gino", "2024-03-04")
    one = preview(person, account, export(person, account, "ofx"))
    assert one["duplicates"] == 1
    person.call("DELETE", f"/v1/transactions/{noted}", 200)
    commit(person, one)
    assert balance(person, account) == Decimal("-12.50")


def test_no_look_alike_of_another_account_or_amount_or_week(person: Person) -> None:
    account, other = wallet(person), wallet(person)
    record(person, other, "-5.00", "Kiosk", "2024-03-02")
    record(person, account, "-5.01", "Kiosk", "2024-03-02")
    record(person, account, "5.00", "Kiosk", "2024-03-02")
    record(person, account, "-5.00", "Kiosk", "2024-03-08")
    one = preview(person, account, csv("2024-03-02,Kiosk,,-5.00"))
    assert one["rows"][0]["matches"] == []


def names(row: dict[str, Any]) -> list[str]:
    return [match["name"] for match in row["matches"]]


def test_an_entry_of_another_name_is_proposed_by_amount_and_day(person: Person) -> None:
    account = wallet(person)
    for name, day in (("Abendessen", 3), ("Kino", 5), ("Kiosk", 1), ("Zoo", 6), ("Museum", 7)):
        record(person, account, "-30.00", name, f"2024-03-0{day}")
    rows = ("2024-03-05,RESTAURANT BELLA,,-30.00", "2024-03-05,KIOSK AM TOR,,-30.00")
    one = preview(person, account, csv(*rows))
    # The nearest days, three at most; the likest name is another row's.
    assert [names(row) for row in one["rows"]] == [["Kino", "Zoo", "Abendessen"], ["Kiosk"]]
    dinner = one["rows"][0]["matches"][2]["transactionId"]
    change(person, one, {"row": 1, "merge": dinner})
    commit(person, one)
    assert balance(person, account) == Decimal("-180.00")


def test_a_row_that_the_bank_writes_anew_is_proposed(person: Person) -> None:
    account = wallet(person)
    first = csv(
        "2024-03-04,Bakery,,-2.00", "2024-03-05,AMZN MKTP,,-9.99", "2024-03-05,Shop,,-5.00",
        "2024-03-06,Gym,,-7.00", "2024-03-12,Kino,,-6.00",
    )  # fmt: skip
    commit(person, preview(person, account, first))
    second = csv(
        "2024-03-04,Bakery,,-2.00", "2024-03-05,AMAZON MARKETPLACE LU,,-9.99",
        "2024-03-07,Shop,,-5.00", "2024-03-06,Gym,,-7.00", "2024-03-08,Gym,,-7.00",
        "2024-03-09,Kino,,-6.00",
    )  # fmt: skip
    one = preview(person, account, second)
    told = [(row["duplicate"], names(row)) for row in one["rows"]]
    # The gym's first row is in the file still; the cinema's day is not covered by it.
    assert told == [
        (True, []), (False, ["AMZN MKTP"]), (False, ["Shop"]), (True, []), (False, []),
        (False, []),
    ]  # fmt: skip
    merged = [
        {"row": row, "merge": one["rows"][row - 1]["matches"][0]["transactionId"]} for row in (2, 3)
    ]
    change(person, one, *merged)
    before = balance(person, account)
    commit(person, one)
    assert balance(person, account) == before - Decimal("13.00")
    assert preview(person, account, second)["duplicates"] == 6
    withdraw(person, one)
    assert balance(person, account) == before and len(lines(person, account)) == 5


def test_a_merge_does_not_turn_an_account_negative(person: Person) -> None:
    """Income on an account that may not go below zero, spent since: it keeps its day."""
    account = person.post(
        "/v1/accounts", {"kind": "current", "currency": "EUR", "name": "Current"}
    )["id"]
    income = record(person, account, "50.00", "Chef", "2024-03-04")
    record(person, account, "-50.00", "Rent", "2024-03-05")
    one = preview(person, account, csv("2024-03-06,Chef,,50.00"))
    change(person, one, {"row": 1, "merge": income})
    commit(person, one)
    assert balance(person, account) == 0 and len(lines(person, account)) == 2
    withdraw(person, one)
    assert balance(person, account) == 0


def test_an_account_remembers_how_its_last_file_was_read(person: Person) -> None:
    account = wallet(person)
    head = "wann;wer;wieviel;wozu\n"
    mapping = {"date": "wann", "amount": "wieviel", "name": "wer", "description": "wozu"}
    one = preview(person, account, f"{head}03.04.2024;Bäcker;-1.234,56;Brot\n".encode())
    assert one["rows"] == [] and "mappingFrom" not in one
    person.call("PATCH", f"/v1/imports/{one['id']}", 200, json={"mapping": mapping})
    # Only what was taken in is remembered.
    again = preview(person, account, f"{head}03.04.2024;Bäcker;-1.234,56;Brot\n".encode())
    assert again["rows"] == []
    commit(person, one)
    content = f"Konto 1;;;\nStand heute;;;\n{head}05.04.2024;Kiosk;-1,50;Zeitung\n".encode()
    found = preview(person, account, content)
    assert found["mappingFrom"] == one["id"] and found["mapping"]["name"] == "wer"
    assert [row["amount"]["amount"] for row in found["rows"]] == ["-1.50"]
    # Another account, or another header, does not.
    assert preview(person, wallet(person), content)["rows"] == []
    assert preview(person, account, content.replace(b"wozu", b"warum"))["rows"] == []


def test_a_mapping_may_part_a_file_by_accounts(person: Person) -> None:
    account = wallet(person)
    head = "wann;wer;wieviel;wo\n"
    rows = "03.04.2024;Bäcker;-1,50;Giro\n04.04.2024;Kiosk;-2,50;Karte\n"
    one = preview(person, account, (head + rows).encode())
    path = f"/v1/imports/{one['id']}"
    mapping = {"date": "wann", "amount": "wieviel", "name": "wer", "account": "wo"}
    refused = person.problem(
        "PATCH", path, 422, "account-number-required", json={"mapping": mapping}
    )
    assert refused["accountNumbers"] == ["Giro", "Karte"]
    said = {"mapping": mapping, "accountNumber": "Karte"}
    read = person.call("PATCH", path, 200, json=said)
    assert [row["amount"]["amount"] for row in read["rows"]] == ["-2.50"]
    # Whose it is read for is remembered: another mapping alone goes on with that.
    again = person.call("PATCH", path, 200, json={"mapping": {**mapping, "description": "wann"}})
    assert [row["amount"]["amount"] for row in again["rows"]] == ["-2.50"]
    alone = person.problem("PATCH", path, 422, "invalid-body", json={"accountNumber": "Giro"})
    assert alone["errors"][0]["pointer"] == "/accountNumber"
    commit(person, read)
    assert balance(person, account) == Decimal("-2.50")


def test_a_file_that_tells_no_account_is_of_the_one_that_is_told(person: Person) -> None:
    account = wallet(person)
    one = preview(person, account, csv("2024-03-05,Shop,,-1.00"), accountNumber="12345")
    assert len(one["rows"]) == 1


def test_an_account_remembers_the_order_of_days(person: Person) -> None:
    account = wallet(person)
    usual = b"Date,Payee,Amount\n03/04/2024,Shop,-1.00\n"
    clear = [b"Date,Payee,Amount\n%s,Shop,-2.00\n" % day for day in (b"25/12/2023", b"12/25/2023")]
    # Guessed in EUR is the day first: what was read so far says the other.
    [guessed] = preview(person, account, usual)["rows"]
    assert guessed["date"] == "2024-04-03"
    first = commit(person, preview(person, account, clear[1]))
    one = preview(person, account, usual)
    assert one["mappingFrom"] == first["id"] and one["rows"][0]["date"] == "2024-03-04"
    # A file that can only be read the other way is.
    other = preview(person, account, clear[0])
    assert other["rows"][0]["date"] == "2023-12-25" and "mappingFrom" not in other
    # Of another layout the order alone is taken over, and again only where nothing else decides.
    layout = b"Date,Merchant,Memo,Amount\n%s,Shop,-,-3.00\n"
    for day, found in ((b"03/04/2024", "2024-03-04"), (b"25/12/2023", "2023-12-25")):
        one = preview(person, account, layout % day)
        assert one["rows"][0]["date"] == found and "mappingFrom" not in one


def test_a_large_import_is_taken_back_in_the_background(person: Person) -> None:
    account = wallet(person)
    count = 6_000
    rows = [f"2024-{1 + at % 12:02d}-{1 + at % 28:02d},Shop {at},,-1.00" for at in range(count)]
    one = commit(person, preview(person, account, csv(*rows)))
    path = f"/v1/imports/{one['id']}"
    answer = person.send("DELETE", path)
    assert answer.status_code in (202, 204), answer.text
    if answer.status_code == 202:
        assert answer.json()["state"] == "withdrawing"
        assert answer.headers["Location"] == path
        # Asked again, it is the same.
        assert person.send("DELETE", path).status_code in (202, 204)
        assert person.get(path)["state"] in ("withdrawing", "withdrawn")
    eventually(lambda: person.get(path)["state"], 60, until=lambda state: state == "withdrawn")
    person.call("DELETE", path, 204)
    assert balance(person, account) == 0 and lines(person, account) == []


def test_what_cannot_be_taken_back_says_why(person: Person) -> None:
    account = person.post("/v1/accounts", {"kind": "current", "currency": "EUR", "name": "Spent"})[
        "id"
    ]
    one = commit(person, preview(person, account, csv("2024-03-06,Chef,,50.00")))
    record(person, account, "-50.00", "Rent", "2024-03-07")
    person.problem("DELETE", f"/v1/imports/{one['id']}", 409, "insufficient-funds")
    told = person.get(f"/v1/imports/{one['id']}")
    assert (told["state"], told["refusal"]) == ("committed", "insufficient-funds")


def test_balances_that_do_not_tie_have_to_be_accepted(person: Person) -> None:
    account = wallet(person)
    one = preview(person, account, csv("2024-03-02,Kiosk,,-5.00"))
    path = f"/v1/imports/{one['id']}"
    assert "balanceFault" not in one and one["acceptBalances"] is False
    # As a reader finds it.
    fault = '{"line": 7, "detail": "the closing balance is 5.87 EUR, but the rows make 4.00 EUR"}'
    person.suite.postgres.psql(
        "-c", f"update ledger.statement_import set balance_fault = '{fault}'"
        f" where id = '{one['id']}'", database="ezwallet_ledger",
    )  # fmt: skip
    assert person.get(path)["balanceFault"]["line"] == 7
    problem = person.problem("POST", f"{path}/commit", 409, "balances-do-not-tie")
    assert "line 7" in problem["detail"] and "4.00 EUR" in problem["detail"]
    for accepts in (True, False, True):
        told = person.call("PATCH", path, 200, json={"acceptBalances": accepts})
        assert told["acceptBalances"] is accepts
        if not accepts:
            person.problem("POST", f"{path}/commit", 409, "balances-do-not-tie")
    commit(person, one)
    assert balance(person, account) == Decimal("-5.00")
