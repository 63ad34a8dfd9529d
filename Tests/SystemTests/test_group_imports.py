"""Exports of other apps taken into a group: who is who, to the cent, once, and privately."""

import csv
import io
import random
import time
import uuid
from decimal import Decimal

import pytest

from actions import Group, at_once
from client import Person, eventually, money, value
from group_imports import BYTES, HEAD, PATH, Export, commit, preview
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "notifications"]


@pytest.fixture
def group(suite: Suite) -> Group:
    return Group(suite)


def names(group: Group) -> list[str]:
    members = group.ada.get(f"{group.path}/members")["items"]
    called = {one["id"]: one["displayName"] for one in members}
    return [called[member] for member in group.members]


def standing(group: Group, currency: str) -> dict[str, Decimal]:
    return {one: sum for one, sum in group.balances(currency, group.ada).items() if sum}


def of_people(one: dict, balances: list[Decimal]) -> dict[str, Decimal]:
    places = [person.get("memberId") for person in one["people"]]
    return {place: sum for place, sum in zip(places, balances, strict=True) if sum}


def kinds(person: Person) -> list[str]:
    lines = person.get("/v1/notifications", limit=200)["items"]
    return [one["kind"] for one in lines if not one["kind"].startswith("invitation-")]


def count(group: Group) -> tuple[int, int, int]:
    expenses = len(list(group.ada.pages(f"{group.path}/expenses", limit=200)))
    settlements = len(list(group.ada.pages(f"{group.path}/settlements", limit=200)))
    return expenses, settlements, len(group.ada.get(f"{group.path}/members", limit=200)["items"])


def test_a_trip_comes_in_with_its_people_and_ties_to_the_cent(group: Group) -> None:
    ada, bob, _ = names(group)
    food = group.ada.post(f"{group.path}/categories", {"name": "GROCERIES"})["id"]
    trip = Export([ada.upper(), bob, "Dora"])
    trip.row("Bread", "30.00", ["20.00", "-10.00", "-10.00"], kind="Groceries")
    trip.row("Bread", "30.00", ["20.00", "-10.00", "-10.00"], kind="Groceries")
    trip.row("Riad", "100.00", ["30.00", "20.00", "-50.00"], kind="Hotel")
    trip.row("Bob paid Ada", "15.00", ["-15.00", "15.00", "0.00"], kind="Payment")
    trip.row("Tea", "500", ["-500", "0", "500"], "JPY")
    one = preview(group.ada, group.id, trip.text)
    assert one["format"] == "splitwise" and one["state"] == "preview" and one["ties"]
    assert (one["rowCount"], one["expenseCount"], one["settlementCount"]) == (5, 4, 1)
    assert one["duplicates"] == 0 and one["errors"] == []
    proposed = [person.get("memberId") for person in one["people"]]
    assert proposed == [group.of_ada, group.of_bob, None]
    assert one["balances"][2]["stated"] == one["balances"][2]["balances"]
    assert count(group) == (0, 0, 3)
    path = f"{PATH}/{one['id']}"
    assert group.ada.get(path) == one
    told = group.ada.problem("POST", f"{path}/commit", 409, "people-not-mapped")
    assert "Dora" in told["detail"]
    group.ada.call("PATCH", path, 200, json={"people": [{"name": "Dora", "guest": True}]})
    done = commit(group.ada, one)
    assert commit(group.ada, one) == done
    assert count(group) == (4, 1, 4)
    for currency, sums in trip.balances.items():
        assert standing(group, currency) == of_people(done, sums)
    expenses = group.ada.get(f"{group.path}/expenses", limit=200)["items"]
    riad = next(one for one in expenses if one["name"] == "Riad")
    assert riad["date"] == "2023-01-05" and riad["split"]["kind"] == "exact"
    assert [value(one["amount"]) for one in riad["paidBy"]] == [60, 40]
    assert [value(one["amount"]) for one in riad["shares"]] == [30, 20, 50]
    assert riad["categoryId"] == group.id
    assert sum(one["categoryId"] == food for one in expenses) == 2
    (settled,) = group.ada.get(f"{group.path}/settlements")["items"]
    (payment,) = settled["payments"]
    assert (payment["fromMemberId"], payment["toMemberId"]) == (group.of_bob, group.of_ada)
    # Others are told, once.
    for person in (group.bob, group.cleo):
        eventually(lambda person=person: "group-imported" in kinds(person))
        assert kinds(person) == ["group-imported"]
    assert kinds(group.ada) == []
    # An imported expense is as any other.
    place = f"{group.path}/expenses/{riad['id']}"
    group.bob.call("PATCH", place, 200, json={"name": "Palace"})
    group.bob.call("DELETE", place, 204)


def test_the_same_file_again_and_a_longer_one_add_what_is_new(group: Group) -> None:
    ada, bob, cleo = names(group)
    trip = Export([ada, bob, cleo])
    for _ in range(2):
        trip.row("Bread", "3.00", ["2.00", "-1.00", "-1.00"])
    commit(group.ada, preview(group.ada, group.id, trip.text))
    again = preview(group.ada, group.id, trip.text)
    assert again["duplicates"] == 2
    commit(group.ada, again)
    assert count(group)[0] == 2
    trip.row("Bread", "3.00", ["2.00", "-1.00", "-1.00"])
    trip.row("Wine", "9.00", ["-9.00", "9.00", "0.00"])
    # Whom Splitwise has since, it has with a column of zeros.
    longer = Export([*trip.names, "Zoe"])
    longer.rows = [f"{row},0.00" for row in trip.rows]
    longer.balances = {"EUR": [*trip.balances["EUR"], Decimal("0.00")]}
    third = preview(group.bob, group.id, longer.text)
    assert third["duplicates"] == 2
    done = commit(group.bob, third)
    assert count(group) == (4, 0, 3)
    assert standing(group, "EUR") == of_people(done, longer.balances["EUR"])


def test_what_does_not_tie_or_cannot_be_read_is_not_taken_in(group: Group) -> None:
    trip = Export(names(group))
    trip.row("Bread", "3.00", ["2.00", "-1.00", "-1.00"])
    good = trip.text
    other = good.replace("EUR,2.00,-1.00,-1.00\n\n", "EUR,2.00,-2.00,0.00\n\n")
    wrong = preview(group.ada, group.id, other)
    assert not wrong["ties"]
    told = group.ada.problem("POST", f"{PATH}/{wrong['id']}/commit", 409, "balances-do-not-tie")
    assert trip.names[1] in told["detail"]
    cut = preview(group.ada, group.id, good[: good.index("2024-02-01")])
    group.ada.problem("POST", f"{PATH}/{cut['id']}/commit", 409, "balances-do-not-tie")
    odd = good.replace(
        "\n\n2024",
        "\n2023-01-09,Taxi,General,?,EUR,0.00,0.00,0.00"
        "\n2023-01-09,Settle all balances,Payment,0.00,EUR,0.00,0.00,0.00\n\n2024",
    )
    unread = preview(group.ada, group.id, odd)
    assert [one["line"] for one in unread["errors"]] == [4] and unread["ties"]
    # A row that moves nothing is no error.
    assert [one["line"] for one in unread["notes"]] == [5]
    assert "moves no money" in unread["notes"][0]["detail"]
    path = f"{PATH}/{unread['id']}"
    group.ada.problem("POST", f"{path}/commit", 409, "import-has-errors")
    assert count(group)[0] == 0
    group.ada.call("PATCH", path, 200, json={"leaveOutErrors": True})
    commit(group.ada, unread)
    assert count(group)[0] == 1


def test_hundreds_of_faults_are_answered_at_once(group: Group) -> None:
    bad = "\n".join(f"2023-13-{n},x,y,?,EUR,a,b" for n in range(9_000))
    one = preview(group.ada, group.id, f"{HEAD},Ada,Bob\n2023-01-01,a,b,2.00,EUR,1,-1\n{bad}\n")
    assert one["errorCount"] == 9_000 and len(one["errors"]) == 200 and one["rowCount"] == 1
    assert one["errors"][0]["line"] == 3 and one["errors"][-1]["line"] == 202
    path = f"{PATH}/{one['id']}"
    people = [{"name": f"N{n}", "memberId": str(uuid.uuid4())} for n in range(50)]
    people += [{"name": "Ada"}, {"name": "Bob", "guest": True, "memberId": group.of_bob}]
    told = group.ada.problem("PATCH", path, 422, "invalid-body", json={"people": people})
    assert len(told["errors"]) == 102
    twice = [{"name": one, "memberId": group.of_bob} for one in ("Ada", "Bob")]
    told = group.ada.problem("PATCH", path, 422, "invalid-body", json={"people": twice})
    places = {one["pointer"] for one in told["errors"]}
    assert places == {"/people/0/memberId", "/people/1/memberId"}


def test_what_is_no_export_is_refused_with_its_reason(group: Group) -> None:
    def refuse(text: bytes, code: str, status: int = 422, **query: str) -> None:
        group.ada.problem(
            "POST", PATH, status, code, content=text, headers=BYTES,
            params={"groupId": group.id} | query,
        )  # fmt: skip

    refuse(b"Date,Amount\n2023-01-01,1.00\n", "unknown-format")
    refuse(b"", "unknown-format")
    refuse(b"\xff\x00%PDF" * 100, "unknown-format")
    trip = Export(["Ada", "Bob"])
    trip.row("Bread", "2.00", ["1.00", "-1.00"])
    refuse(trip.text.encode(), "unknown-format", format="tricount")
    refuse(trip.text.encode(), "invalid-query", 400, format="excel")
    trip.rows *= 10_001
    refuse(trip.text.encode(), "unreadable-file")
    refuse(b"x" * (5 * 1024 * 1024 + 1), "body-too-large", 413)
    (personal,) = [one for one in group.ada.get("/v1/groups")["items"] if one["personal"]]
    refuse(trip.text.encode(), "default-group", 409, groupId=personal["id"])


def test_an_import_is_its_senders_alone_while_they_may_write(suite: Suite, group: Group) -> None:
    trip = Export(names(group))
    trip.row("Bread", "3.00", ["2.00", "-1.00", "-1.00"])
    stranger = Person(suite)
    at = {"groupId": group.id}
    stranger.problem("POST", PATH, 404, "not-found", content=trip.text, headers=BYTES, params=at)
    one = preview(group.bob, group.id, trip.text)
    path = f"{PATH}/{one['id']}"
    calls = [("GET", path, None), ("PATCH", path, {}), ("POST", f"{path}/commit", None),
             ("DELETE", path, None)]  # fmt: skip
    for person in (stranger, group.ada, group.cleo):
        for method, place, body in calls:
            person.problem(method, place, 404, "not-found", json=body)
    group.bob.call("DELETE", f"{group.path}/members/me", 204)
    for method, place, body in calls:
        group.bob.problem(method, place, 404, "not-found", json=body)
    group.bob.problem("POST", PATH, 404, "not-found", content=trip.text, headers=BYTES, params=at)
    assert count(group)[0] == 0
    # One's own goes when it is told to.
    mine = preview(group.ada, group.id, trip.text)
    group.ada.call("DELETE", f"{PATH}/{mine['id']}", 204)
    group.ada.problem("GET", f"{PATH}/{mine['id']}", 404, "not-found")


def test_viewers_look_and_take_nothing_in(group: Group) -> None:
    trip = Export(names(group))
    trip.row("Bread", "3.00", ["2.00", "-1.00", "-1.00"])
    one = preview(group.bob, group.id, trip.text)
    group.ada.call("PATCH", group.path, 200, json={"roles": True})
    path = f"{group.path}/members/{group.of_bob}"
    group.ada.call("PATCH", path, 200, json={"role": "viewer"})
    at = f"{PATH}/{one['id']}"
    for method, place in (("GET", at), ("POST", f"{at}/commit"), ("DELETE", at)):
        group.bob.problem(method, place, 403, "forbidden")
    group.bob.problem(
        "POST", PATH, 403, "forbidden", content=trip.text, headers=BYTES,
        params={"groupId": group.id},
    )  # fmt: skip
    # An editor may take it in, but only admins bring guests.
    group.ada.call("PATCH", path, 200, json={"role": "editor"})
    group.bob.call("PATCH", at, 200, json={"people": [{"name": trip.names[2], "guest": True}]})
    group.bob.problem("POST", f"{at}/commit", 403, "forbidden")
    # A group that is put away shows what was sent, and takes nothing in.
    group.ada.call("PUT", f"{group.path}/archive", 200)
    assert group.bob.get(at)["state"] == "preview"
    group.bob.problem("POST", f"{at}/commit", 409, "group-archived")
    group.bob.call("DELETE", at, 204)
    assert count(group) == (0, 0, 3)


def test_two_commits_at_once_add_once(group: Group) -> None:
    trip = Export([*names(group), "Dora"])
    trip.fill(300, random.Random(7))
    one, other = (preview(group.ada, group.id, trip.text) for _ in range(2))
    for each in (one, other):
        people = [{"name": "Dora", "guest": True}]
        group.ada.call("PATCH", f"{PATH}/{each['id']}", 200, json={"people": people})
    paths = [f"{PATH}/{each['id']}/commit" for each in (one, other) * 2]
    answers = at_once(4, lambda number: group.ada.send("POST", paths[number]))
    assert [answer.status_code for answer in answers] == [200] * 4, [one.text for one in answers]
    assert count(group) == (one["expenseCount"], one["settlementCount"], 4)
    done = group.ada.get(f"{PATH}/{one['id']}")
    other = group.ada.get(f"{PATH}/{other['id']}")
    assert sorted([done["duplicates"], other["duplicates"]]) == [0, one["rowCount"]]
    (dora,) = [
        member["id"]
        for member in group.ada.get(f"{group.path}/members")["items"]
        if member["displayName"] == "Dora"
    ]
    places = [*group.members, dora]
    for currency, sums in trip.balances.items():
        wanted = {place: sum for place, sum in zip(places, sums, strict=True) if sum}
        assert standing(group, currency) == wanted


@pytest.mark.alone
def test_ten_thousand_rows_are_taken_in_within_some_seconds(group: Group) -> None:
    trip = Export(names(group))
    trip.fill(10_000, random.Random(11))
    began = time.monotonic()
    one = preview(group.ada, group.id, trip.text)
    read = time.monotonic()
    done = commit(group.ada, one)
    ended = time.monotonic()
    print(f"\n{one['rowCount']} rows: read {read - began:.2f} s, taken in {ended - read:.2f} s")
    assert one["rowCount"] == len(trip.rows) and one["ties"]
    assert ended - read < 15
    eventually(lambda: kinds(group.bob) == ["group-imported"])
    print(f"told after {time.monotonic() - ended:.2f} s more")
    for currency, sums in trip.balances.items():
        assert standing(group, currency) == of_people(done, sums)


def test_tricount_comes_in_too(group: Group) -> None:
    ada, bob, _ = names(group)
    text = (
        "Titre,Montant,Devise,Date & heure,Catégorie,Payé par,"
        f"Impacté à {ada},Impacté à {bob},Impacté à Zoé\n"
        f"Pain,10.00,EUR,14/07/2023 12:00,Courses,{ada},-3.33,-3.33,-3.34\n"
        "Vin,8.00,EUR,02/07/2023 12:00,,Zoé,-8.00,,\n"
    )
    one = preview(group.ada, group.id, text)
    assert one["format"] == "tricount" and one["ties"] and one["balances"][0]["stated"] == []
    path = f"{PATH}/{one['id']}"
    group.ada.call("PATCH", path, 200, json={"people": [{"name": "Zoé", "guest": True}]})
    done = commit(group.ada, one)
    sums = [Decimal("-1.33"), Decimal("-3.33"), Decimal("4.66")]
    assert standing(group, "EUR") == of_people(done, sums)


def test_the_table_of_a_group_is_read_again(suite: Suite, group: Group) -> None:
    add = f"{group.path}/expenses"
    split = {"kind": "exact", "parts": [
        {"memberId": group.of_ada, "value": "10.00"}, {"memberId": group.of_cleo, "value": "20.00"},
    ]}  # fmt: skip
    paid = [{"memberId": group.of_ada, "amount": money("12.00")},
            {"memberId": group.of_bob, "amount": money("18.00")}]  # fmt: skip
    food = group.ada.post(f"{group.path}/categories", {"name": "Food, drink"})["id"]
    group.ada.post(add, {
        "name": '=1+1,"x"', "description": "two\nlines", "amount": money("30.00"), "split": split,
        "paidBy": paid, "categoryId": food, "tags": ["a", "-b"], "date": "2024-01-05",
    })  # fmt: skip
    group.expense("-9.00", name="Deposit back")
    group.expense("700", "JPY")
    debt = {"withMemberId": group.of_ada, "amount": money("100", "JPY")}
    group.bob.post(f"{group.path}/settlements", debt)
    answer = group.bob.send("GET", add, params={"format": "csv", "limit": 1})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    assert "Flat expenses.csv" in answer.headers["content-disposition"]
    assert answer.content.startswith(b"\xef\xbb\xbfdate,kind,name,currency,amount,")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))
    ada, bob, cleo = names(group)
    kinds_of_rows = [row["kind"] for row in rows]
    assert sorted(kinds_of_rows) == ["expense", "expense", "refund", "settlement"]
    first = next(row for row in rows if row["date"] == "2024-01-05")
    assert first["name"] == '\'=1+1,"x"' and first["category"] == "Food, drink"
    assert [first[f"paid by {one}"] for one in (ada, bob, cleo)] == ["12.00", "18.00", ""]
    assert [first[f"share of {one}"] for one in (ada, bob, cleo)] == ["10.00", "", "20.00"]
    back = next(row for row in rows if row["kind"] == "refund")
    assert back["amount"] == "-9.00" and back[f"share of {bob}"] == "-3.00"
    assert rows[-1]["kind"] == "settlement" and rows[-1][f"paid by {bob}"] == rows[-1]["amount"]
    # The list's filters hold for the table.
    for params, count in (({"currency": "JPY"}, 2), ({"to": "2024-02-01"}, 1), ({"tag": "a"}, 1)):
        some = group.ada.send("GET", add, params={"format": "csv"} | params).content
        assert len(list(csv.DictReader(io.StringIO(some.decode("utf-8-sig"))))) == count
    mixed = {"format": "csv", "sort": "amount"}
    group.ada.problem("GET", add, 422, "currency-mismatch", params=mixed)
    Person(suite).problem("GET", add, 404, "not-found", params={"format": "csv"})
    # Taken into another group it leaves the same balances.
    other = group.ada.post("/v1/groups", {"name": "Copy", "currency": "CHF"})["id"]
    one = group.ada.call(
        "POST", PATH, 201, content=answer.content, headers=BYTES, params={"groupId": other}
    )
    assert one["format"] == "ezwallet" and one["errorCount"] == 0 and one["notes"] == []
    people = [{"name": name, "guest": True} for name in (bob, cleo)]
    group.ada.call("PATCH", f"{PATH}/{one['id']}", 200, json={"people": people})
    done = commit(group.ada, one)
    places = {person["name"]: person["memberId"] for person in done["people"]}
    told = group.ada.get(f"/v1/groups/{other}/balances")["members"]
    for currency in ("EUR", "JPY"):
        there = {
            one["memberId"]: sum(
                value(sum_) for sum_ in one["balances"] if sum_["currency"] == currency
            )
            for one in told
        }
        here = standing(group, currency)
        for member, name in zip(group.members, (ada, bob, cleo), strict=True):
            assert there[places[name]] == here.get(member, 0), (currency, name)
    copies = group.ada.get(f"/v1/groups/{other}/expenses")["items"]
    assert '=1+1,"x"' in {copy["name"] for copy in copies}


def test_a_file_without_a_currency_is_read_in_the_groups_with_a_note(group: Group) -> None:
    ada, bob, _ = names(group)
    text = (
        f'name,weight,active\n"{ada}",1,1\n"{bob}",3,1\n\nwhat,amount,date,payer_name,owers\n'
        f'Bread,4,2024-01-15,{ada},"{ada},{bob}"\n'
    )
    one = preview(group.ada, group.id, text)
    assert one["format"] == "cospend" and "names no currency" in one["notes"][0]["detail"]
    done = commit(group.ada, one)
    assert standing(group, "EUR") == of_people(done, [Decimal(3), Decimal(-3)])
    named = preview(group.ada, group.id, text.replace("2024", "2023"), currency="USD")
    assert named["notes"] == []
    assert named["balances"][0]["balances"] == [money("3.00", "USD")]
    commit(group.ada, named)
    assert standing(group, "USD") == of_people(done, [Decimal(3), Decimal(-3)])


def test_whoever_exported_from_splitpro_is_the_sender(group: Group) -> None:
    _, bob, _ = names(group)
    text = (
        "Paid By,Name,Category,Amount,Split Type,Expense Date,Currency,You Lent,You Owe,Settlement"
        f"\n{bob},Dinner,Food,60.00,EQUAL,2026-07-01 18:30:00,EUR,0,20.00,0\n"
    )
    one = preview(group.ada, group.id, text)
    assert one["format"] == "splitpro" and "only what the two of you" in one["notes"][0]["detail"]
    assert [person["memberId"] for person in one["people"]] == [group.of_ada, group.of_bob]
    commit(group.ada, one)
    assert standing(group, "EUR") == {group.of_ada: Decimal(-20), group.of_bob: Decimal(20)}


def test_a_limit_that_an_import_crosses_is_told_of_once(group: Group) -> None:
    group.ada.post(f"{group.path}/thresholds", {"amount": {"amount": "50.00", "currency": "EUR"}})
    trip = Export(names(group))
    for day in range(1, 10):
        trip.row("Bread", "9.00", ["6.00", "-3.00", "-3.00"], day=f"2023-01-0{day}")
    one = preview(group.ada, group.id, trip.text)
    commit(group.ada, one)
    eventually(lambda: len(kinds(group.bob)) >= 2)
    assert sorted(kinds(group.bob)) == ["group-imported", "threshold-crossed"]
    assert kinds(group.ada) == ["threshold-crossed"]


def test_as_many_shares_as_a_file_may_have_are_taken_in(suite: Suite) -> None:
    ada = Person(suite)
    group = ada.post("/v1/groups", {"name": "Club", "currency": "EUR"})["id"]
    trip = Export([f"P{n}" for n in range(100)])
    for n in range(990):
        trip.row(f"R{n}", "99.00", ["99.00" if n % 100 == one else "-1.00" for one in range(100)])
    began = time.monotonic()
    one = preview(ada, group, trip.text)
    assert one["ties"] and one["rowCount"] == 990
    path = f"{PATH}/{one['id']}"
    people = [{"name": name, "guest": True} for name in trip.names]
    ada.call("PATCH", path, 200, json={"people": people})
    read = time.monotonic()
    done = commit(ada, one)
    print(f"\n99,000 shares: read {read - began:.2f} s, taken in {time.monotonic() - read:.2f} s")
    balances = ada.get(f"/v1/groups/{group}/balances")
    told = {
        one["memberId"]: sum(value(amount) for amount in one["balances"])
        for one in balances["members"]
    }
    places = [person["memberId"] for person in done["people"]]
    assert [told[place] for place in places] == trip.balances["EUR"]
    trip.rows *= 2
    ada.problem(
        "POST", PATH, 422, "unreadable-file", content=trip.text.encode(), headers=BYTES,
        params={"groupId": group},
    )  # fmt: skip
