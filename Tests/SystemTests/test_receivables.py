"""What somebody paid for others: it leaves their account, and their share alone is spent."""

import uuid
from decimal import Decimal

import pytest

from actions import at_once, category, contents, current, psql, ready, record, sealed, verify
from client import Person, eventually, money, value
from erasures import delete
from follower import Follower
from receivables import Payer, today
from statements import statement
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "analytics", "notifications", "groups"]
OPENED = Decimal(1000)


@pytest.fixture
def payer(suite: Suite) -> Payer:
    return Payer(suite)


def fresh() -> str:
    return str(uuid.uuid4())


def spent(person: Person, name: str) -> Decimal:
    envelopes = person.get("/v1/budgets", month=today()[:7])["items"]
    return next(value(one["spent"]) for one in envelopes if one["categoryId"] == name)


def reported(person: Person) -> tuple[Decimal, Decimal]:
    summary = person.get("/v1/reports/summary")
    return value(summary["income"]), value(summary["expenses"])


def tells(payer: Payer, income: Decimal | int, expenses: Decimal | int) -> None:
    """Reports, which follow what the ledger tells."""
    eventually(lambda: reported(payer.ada), 30, until=lambda sums: sums == (income, expenses))


def test_what_is_paid_for_five_is_spent_by_ones_share_alone(payer: Payer) -> None:
    food = category(payer.ada)
    made = payer.posted("100.00", "20.00", categoryId=food)
    assert made["amount"] == money("-100.00") and made["receivable"] == money("-80.00")
    assert made["lines"] == [{"categoryId": food, "amount": money("-20.00")}]
    assert (made["name"], made["date"], made["categoryId"]) == ("Dinner", today(), food)
    assert "settles" not in made
    assert payer.stands() == (900, 80)
    assert payer.counted() == (OPENED, 20) and spent(payer.ada, food) == 20
    groups = payer.ada.get("/v1/transactions", groupBy="category")["groups"]
    assert next(value(one["out"]) for one in groups if one["key"] == food) == 20
    days = {"from": today(), "to": today()}
    assert b"-100.00" in statement(payer.ada, payer.purse, "csv", **days)
    tells(payer, OPENED, 20)


def test_the_receivable_is_in_the_feed_and_the_export_and_in_no_list(payer: Payer) -> None:
    payer.posted("100.00", "20.00")
    owed = payer.receivable()
    listed = [one["id"] for one in payer.ada.pages("/v1/accounts", closed="true")]
    assert owed not in listed
    follower = Follower(payer.ada)
    follower.catch_up()
    assert follower.copy["account"][owed]["kind"] == "receivable"
    assert follower.copy["account"][owed]["balance"] == money("80.00")
    # It comes again with whatever moves on it.
    payer.clear("30.00")
    follower.catch_up()
    assert follower.copy["account"][owed]["balance"] == money("50.00")
    payer.posted("10.00", "0.00")
    follower.catch_up()
    assert follower.copy["account"][owed]["balance"] == money("60.00")
    export = payer.ada.call("POST", "/v1/users/me/exports", 202)
    lists, _ = contents(payer.ada, ready(payer.ada, export))
    (kept,) = [one for one in lists["accounts"] if one["id"] == owed]
    assert kept["balance"] == money("60.00") and kept["kind"] == "receivable"
    claims = sorted(value(one["claim"]) for one in lists["transactions"] if one.get("claim"))
    assert claims == [-80, -10, 30]
    assert len(lists["receivable-postings"]) == 3


def test_nothing_else_is_booked_on_a_receivable(payer: Payer) -> None:
    payer.posted("100.00", "20.00")
    owed, ada = payer.receivable(), payer.ada
    ada.problem("GET", f"/v1/accounts/{owed}", 404, "not-found")
    ada.problem("PATCH", f"/v1/accounts/{owed}", 404, "not-found", json={"name": "Mine"})
    ada.problem("DELETE", f"/v1/accounts/{owed}", 404, "not-found")
    path = f"/v1/accounts/{owed}/statement?format=csv&from={today()}&to={today()}"
    ada.problem("GET", path, 404, "not-found")
    row = {"accountId": owed, "amount": money("-1.00")}
    ada.problem("POST", "/v1/transactions", 422, "invalid-body", json=row)
    for source, target in ((owed, payer.purse), (payer.purse, owed)):
        body = {"fromAccountId": source, "toAccountId": target, "amount": money("1.00")}
        ada.problem("POST", "/v1/transfers", 409, "account-kind", json=body)
    body = {"kind": "receivable", "currency": "EUR", "name": "Another"}
    assert ada.send("POST", "/v1/accounts", json=body).status_code == 422
    payer.refused(fresh(), 422, "invalid-body", accountId=owed)
    # Nor is it an account that is left to anybody.
    for one in ada.pages("/v1/accounts"):
        if one["id"] != payer.purse:
            ada.call("DELETE", f"/v1/accounts/{one['id']}", 204)
    ada.problem("DELETE", f"/v1/accounts/{payer.purse}", 409, "last-account")
    assert payer.stands() == (900, 80)


def test_whoever_paid_for_the_others_alone_has_spent_nothing(payer: Payer) -> None:
    food = category(payer.ada)
    made = payer.posted("50.00", "0.00", categoryId=food)
    assert made["receivable"] == money("-50.00") and "lines" not in made
    assert made["categoryId"] == food and spent(payer.ada, food) == 0
    assert payer.stands() == (950, 50) and payer.counted() == (OPENED, 0)
    record(payer.ada, payer.purse, "-1.00")
    tells(payer, OPENED, 1)
    # The category goes, and it stands in «Others».
    payer.ada.call("DELETE", f"/v1/categories/{food}?transactions=delete", 204)
    moved = eventually(lambda: payer.read(made["id"]), until=lambda one: one["categoryId"] != food)
    assert moved["receivable"] == money("-50.00") and payer.stands() == (949, 50)


def test_whoever_paid_for_themselves_alone_is_owed_nothing(payer: Payer) -> None:
    posting = fresh()
    made = payer.read(payer.post(posting, "50.00", "50.00")["transactionId"])
    assert "receivable" not in made and payer.receivable() == ""
    assert payer.stands() == (950, 0) and payer.counted() == (OPENED, 50)
    change = {"amount": money("-60.00")}
    path = f"/v1/transactions/{made['id']}"
    payer.ada.problem("PATCH", path, 409, "part-of-expense", json=change)
    payer.post(posting, "60.00", "20.00", version=2)
    assert payer.stands() == (940, 40)
    payer.post(posting, "60.00", "60.00", version=3)
    assert payer.stands() == (940, 0) and payer.counted() == (OPENED, 60)
    tells(payer, OPENED, 60)


def test_a_version_is_posted_once_and_a_higher_one_in_its_place(payer: Payer) -> None:
    posting, food = fresh(), category(payer.ada)
    first = payer.post(posting, "100.00", "20.00", categoryId=food)
    assert first["version"] == 1 and first["accountId"] == payer.purse
    assert payer.post(posting, "100.00", "20.00") == first
    # The same version says the same, whatever else is asked.
    assert payer.post(posting, "7.00", "3.00") == first
    assert payer.stands() == (900, 80)
    other = current(payer.ada, "EUR", "500.00")["id"]
    second = payer.post(posting, "60.00", "40.00", version=3, accountId=other, name="Lunch")
    assert second == first | {"accountId": other, "version": 3}
    made = payer.read(first["transactionId"])
    assert (made["amount"], made["receivable"]) == (money("-60.00"), money("-20.00"))
    assert made["accountId"] == other and made["name"] == "Lunch" and made["version"] == 2
    # Of an edit that names none, the category stays.
    assert made["lines"] == [{"categoryId": food, "amount": money("-40.00")}]
    assert payer.stands() == (1000, 20) and payer.balance(other) == 440
    payer.refused(posting, 409, "posting-outdated", version=2)
    assert payer.inside.get(payer.path(posting)) == {"state": "posted", "posted": second}
    assert spent(payer.ada, food) == 40
    tells(payer, OPENED + 500, 40)


def test_an_edit_may_go_to_another_currency(payer: Payer) -> None:
    posting = fresh()
    payer.post(posting, "100.00", "20.00")
    dollars = current(payer.ada, "USD", "100.00")["id"]
    body = payer.expense("30.00", "10.00", version=2, accountId=dollars)
    body |= {"paid": money("30.00", "USD"), "share": money("10.00", "USD")}
    payer.inside.call("PUT", payer.path(posting), 200, json=body)
    assert payer.stands() == (1000, 0) and payer.open("USD") == 20
    payer.withdraw(posting)
    assert payer.open("USD") == 0 and payer.balance(dollars) == 100


def test_what_is_withdrawn_is_gone_for_good(payer: Payer) -> None:
    posting = fresh()
    made = payer.post(posting, "100.00", "20.00")
    for _ in range(2):
        payer.withdraw(posting)
        assert payer.stands() == (1000, 0) and payer.state(posting) == "withdrawn"
    payer.ada.problem("GET", f"/v1/transactions/{made['transactionId']}", 404, "not-found")
    for version in (1, 2):
        payer.refused(posting, 409, "posting-withdrawn", version=version)
    never = fresh()
    payer.inside.problem("GET", payer.path(never), 404, "not-found")
    payer.withdraw(never)
    assert payer.inside.get(payer.path(never)) == {"state": "withdrawn"}
    payer.refused(never, 409, "posting-withdrawn")
    tells(payer, OPENED, 0)


def test_a_clearing_is_no_income(payer: Payer) -> None:
    payer.posted("100.00", "20.00")
    clearing = fresh()
    back = payer.clear("80.00", clearing)
    assert (back["amount"], back["settles"]) == (money("80.00"), money("80.00"))
    assert "lines" not in back and "receivable" not in back and back["name"] == "Bob"
    assert payer.clear("80.00", clearing) == back and payer.clear("7.00", clearing) == back
    assert payer.stands() == (980, 0) and payer.counted() == (OPENED, 20)
    # Whoever pays back more than is open is owed in turn.
    payer.clear("5.00")
    assert payer.stands() == (985, -5)
    for _ in range(2):
        payer.inside.call("DELETE", payer.cleared_at(clearing), 204)
    assert payer.stands() == (905, 75)
    body = {"accountId": payer.purse, "amount": money("1.00"), "date": today(), "name": "Bob"}
    path = payer.cleared_at(clearing)
    payer.inside.problem("PUT", path, 409, "posting-withdrawn", json=body)
    late = payer.cleared_at(fresh())
    payer.inside.call("DELETE", late, 204)
    payer.inside.problem("PUT", late, 409, "posting-withdrawn", json=body)
    tells(payer, OPENED, 20)


def test_a_transfer_clears_what_is_open_and_the_rest_is_income(payer: Payer) -> None:
    bob = Person(payer.suite)
    pocket = current(bob, "EUR", "500.00")["id"]
    before = payer.settle(bob, pocket, "10.00")
    assert "settles" not in before and payer.stands() == (1010, 0)
    payer.posted("100.00", "20.00")
    part = payer.settle(bob, pocket, "30.00")
    assert part["amount"] == money("30.00") == part["settles"] and "lines" not in part
    assert payer.stands() == (940, 50)
    rest = payer.settle(bob, pocket, "70.00")
    assert rest["settles"] == money("50.00")
    assert [value(one["amount"]) for one in rest["lines"]] == [20]
    assert payer.stands() == (1010, 0)
    assert payer.counted() == (OPENED + 30, 20)
    # It says what it is for, and stays a side of a transfer.
    path = f"/v1/transactions/{part['id']}"
    food = category(payer.ada)
    kept = payer.ada.call("PATCH", path, 200, json={"categoryId": food})
    assert kept["settles"] == money("30.00") and kept["categoryId"] == food
    payer.ada.problem("DELETE", path, 409, "part-of-transfer")
    path = f"/v1/transactions/{rest['id']}"
    again = payer.ada.call("PATCH", path, 200, json={"categoryId": food})
    assert again["lines"] == [{"categoryId": food, "amount": money("20.00")}]
    assert again["settles"] == money("50.00")
    payer.clear("5.00")
    over = payer.settle(bob, pocket, "10.00")
    assert "settles" not in over and payer.stands() == (1025, -5)
    tells(payer, OPENED + 40, 20)
    told = eventually(
        lambda: [one for one in payer.ada.get("/v1/notifications")["items"]
                 if one["kind"] == "transfer-received"],
        until=lambda lines: len(lines) == 4,
    )  # fmt: skip
    assert sorted(value(one["amount"]) for one in told) == [10, 10, 30, 70]


def test_what_is_settled_in_part_is_neither_edited_nor_taken_back(payer: Payer) -> None:
    posting = fresh()
    made = payer.post(posting, "100.00", "20.00")["transactionId"]
    clearing = fresh()
    payer.clear("0.01", clearing)
    payer.refused(posting, 409, "already-settled", "100.00", "30.00", version=2)
    payer.inside.problem("DELETE", payer.path(posting), 409, "already-settled")
    payer.ada.problem("DELETE", f"/v1/transactions/{made}", 409, "already-settled")
    problem = payer.ada.problem(
        "POST", "/v1/transactions/deletions", 409, "already-settled", json={"ids": [made]}
    )
    assert [one["pointer"] for one in problem["errors"]] == ["/ids/0"]
    assert payer.stands() == (Decimal("900.01"), Decimal("79.99"))
    assert payer.inside.get(payer.path(posting))["posted"]["version"] == 1
    # Words are the owner's all the same.
    path = f"/v1/transactions/{made}"
    changed = payer.ada.call("PATCH", path, 200, json={"name": "Pizza", "tags": ["friends"]})
    assert changed["name"] == "Pizza" and changed["receivable"] == money("-80.00")
    # What was paid back is had back first; together, too.
    back = payer.inside.call("PUT", payer.cleared_at(clearing), 200, json={
        "accountId": payer.purse, "amount": money("0.01"), "date": today(), "name": "Bob",
    })["transactionId"]  # fmt: skip
    deletion = payer.ada.post("/v1/transactions/deletions", {"ids": [made, back]})
    assert payer.stands() == (1000, 0)
    payer.ada.call("POST", f"/v1/transactions/deletions/{deletion['id']}/undo", 200)
    assert payer.stands() == (Decimal("900.01"), Decimal("79.99"))


def test_the_owner_says_what_it_was_and_not_what_was_paid(payer: Payer) -> None:
    food, fun = category(payer.ada), category(payer.ada)
    made = payer.posted("100.00", "20.00", categoryId=food)
    path = f"/v1/transactions/{made['id']}"
    other = current(payer.ada, "EUR", "500.00")["id"]
    for change in (
        {"amount": money("-20.00")}, {"accountId": other}, {"date": "2024-01-01"},
    ):  # fmt: skip
        payer.ada.problem("PATCH", path, 409, "part-of-expense", json=change)
    changed = payer.ada.call("PATCH", path, 200, json={"categoryId": fun, "description": "By car"})
    assert changed["lines"] == [{"categoryId": fun, "amount": money("-20.00")}]
    lines = [
        {"categoryId": food, "amount": money("-15.00")},
        {"categoryId": fun, "amount": money("-5.00")},
    ]
    assert payer.ada.call("PATCH", path, 200, json={"lines": lines})["lines"] == lines
    problem = payer.ada.problem(
        "PATCH", path, 422, "invalid-body", json={"lines": [lines[0] | {"amount": made["amount"]}]}
    )
    assert [one["pointer"] for one in problem["errors"]] == ["/lines"]
    assert spent(payer.ada, food) == 15 and spent(payer.ada, fun) == 5
    assert payer.stands() == (900, 80)
    # A category that goes takes the share along, and no more.
    payer.ada.call("DELETE", f"/v1/categories/{fun}?transactions=delete", 204)
    eventually(lambda: payer.read(made["id"])["lines"], until=lambda left: len(left) == 2
               and all(one["categoryId"] != fun for one in left))  # fmt: skip
    assert payer.stands() == (900, 80) and payer.counted() == (OPENED + 500, 20)
    tells(payer, OPENED + 500, 20)


def test_a_deletion_takes_both_movements_back_and_undo_brings_both(payer: Payer) -> None:
    postings = [fresh(), fresh()]
    ids = [payer.post(one, "100.00", "20.00")["transactionId"] for one in postings]
    deletion = payer.ada.post("/v1/transactions/deletions", {"ids": ids})
    assert payer.stands() == (1000, 0)
    assert [payer.state(one) for one in postings] == ["deleted", "deleted"]
    undo = f"/v1/transactions/deletions/{deletion['id']}/undo"
    payer.ada.call("POST", undo, 200)
    assert payer.stands() == (800, 160) and payer.counted() == (OPENED, 40)
    assert [payer.state(one) for one in postings] == ["posted", "posted"]
    again = payer.ada.call("DELETE", f"/v1/transactions/{ids[0]}", 200)
    # The same version does not post it again, a higher one does, and undo comes too late for both.
    payer.post(postings[0], "100.00", "20.00")
    assert payer.state(postings[0]) == "deleted" and payer.stands() == (900, 80)
    payer.post(postings[0], "50.00", "20.00", version=2)
    assert payer.stands() == (850, 110)
    late = f"/v1/transactions/deletions/{again['id']}/undo"
    payer.ada.problem("POST", late, 409, "undo-expired")
    gone = payer.ada.call("DELETE", f"/v1/transactions/{ids[1]}", 200)
    payer.withdraw(postings[1])
    path = f"/v1/transactions/deletions/{gone['id']}/undo"
    payer.ada.problem("POST", path, 409, "undo-expired")
    assert payer.stands() == (950, 30)
    tells(payer, OPENED, 20)


def test_what_is_wrong_is_told_by_its_place(payer: Payer, suite: Suite) -> None:
    bob = Person(suite)
    theirs = current(bob, "EUR")["id"]
    shared = bob.post("/v1/accounts", {"kind": "wallet", "currency": "EUR"})["id"]
    body = {"username": payer.ada.username, "role": "editor"}
    invitation = bob.post(f"/v1/accounts/{shared}/members", body)
    payer.ada.post(f"/v1/invitations/{invitation['id']}/acceptance", status=200)
    closed = current(payer.ada, "EUR")["id"]
    payer.ada.call("DELETE", f"/v1/accounts/{closed}", 204)
    for account in (theirs, shared, closed, fresh()):
        told = payer.refused(fresh(), 422, "invalid-body", accountId=account)
        assert told == ["/accountId"]
    told = payer.refused(fresh(), 422, "invalid-body", categoryId=category(bob))
    assert told == ["/categoryId"]
    for paid, share, pointer in (("USD", "USD", "/paid"), ("EUR", "USD", "/share")):
        body = payer.expense("1.00", "1.00")
        body |= {"paid": money("1.00", paid), "share": money("1.00", share)}
        path = payer.path(fresh())
        problem = payer.inside.problem("PUT", path, 422, "invalid-body", json=body)
        assert [one["pointer"] for one in problem["errors"]] == [f"{pointer}/currency"]
    assert payer.refused(fresh(), 422, "invalid-body", "1.00", "1.01") == ["/share/amount"]
    for paid, share, version in (("0.00", "0.00", 1), ("-1.00", "0.01", 1), ("1.00", "0.00", 0)):
        payer.refused(fresh(), 422, "invalid-body", paid, share, version=version)
    payer.refused(fresh(), 409, "insufficient-funds", "1000.01", "0.00")
    never = fresh()
    payer.refused(never, 409, "insufficient-funds", "1000.01", "0.00")
    # What was refused is asked again once there is money.
    record(payer.ada, payer.purse, "0.01")
    payer.post(never, "1000.01", "0.00")
    assert payer.stands() == (0, Decimal("1000.01"))
    body = {"accountId": theirs, "amount": money("1.00"), "date": today(), "name": "Bob"}
    path = payer.cleared_at(fresh())
    payer.inside.problem("PUT", path, 422, "invalid-body", json=body)
    # Nobody but a service gets there.
    body = payer.expense("1.00", "1.00")
    assert payer.ada.send("PUT", payer.path(fresh()), json=body).status_code == 404


def test_a_wallet_may_close_with_a_claim_of_it_open(payer: Payer) -> None:
    purse = payer.ada.post("/v1/accounts", {"kind": "wallet", "currency": "EUR"})["id"]
    posting = fresh()
    payer.post(posting, "100.00", "20.00", accountId=purse)
    payer.ada.call("DELETE", f"/v1/accounts/{purse}", 204)
    payer.inside.problem("DELETE", payer.path(posting), 409, "account-closed")
    assert payer.open() == 80
    payer.clear("80.00")
    assert payer.stands() == (1080, 0)


def test_an_editor_of_a_shared_wallet_takes_no_claim_back(payer: Payer, suite: Suite) -> None:
    eve = Person(suite)
    trip = payer.ada.post("/v1/accounts", {"kind": "wallet", "currency": "EUR"})["id"]
    body = {"username": eve.username, "role": "editor"}
    invitation = payer.ada.post(f"/v1/accounts/{trip}/members", body)
    eve.post(f"/v1/invitations/{invitation['id']}/acceptance", status=200)
    made = payer.posted("100.00", "20.00", accountId=trip)
    path = f"/v1/transactions/{made['id']}"
    assert eve.get(path)["receivable"] == money("-80.00")
    eve.problem("DELETE", path, 403, "forbidden")
    eve.problem("PATCH", path, 409, "part-of-expense", json={"amount": money("-1.00")})
    changed = eve.call("PATCH", path, 200, json={"name": "Trip"})
    assert changed["name"] == "Trip" and changed["bookedFor"] == payer.ada.id
    assert payer.open() == 80


def test_the_same_at_once_is_posted_once(payer: Payer) -> None:
    posting = fresh()
    body = payer.expense("100.00", "20.00")
    path = payer.path(posting)
    answers = at_once(8, lambda _: payer.inside.send("PUT", path, json=body))
    assert {one.status_code for one in answers} == {200}
    assert len({one.text for one in answers}) == 1 and payer.stands() == (900, 80)
    # First claims of one person, at once: one receivable.
    other = Payer(payer.suite)
    at_once(8, lambda _: other.post(fresh(), "10.00", "5.00"))
    assert other.stands() == (920, 40)
    clearing = fresh()
    at_once(8, lambda _: other.clear("7.00", clearing))
    assert other.stands() == (927, 33)


def test_edits_at_once_leave_the_highest(payer: Payer) -> None:
    posting = fresh()

    def edit(version: int) -> int:
        body = payer.expense(f"{version + 1}00.00", "50.00", version=version + 1)
        return payer.inside.send("PUT", payer.path(posting), json=body).status_code

    assert set(at_once(6, edit)) <= {200, 409}
    assert payer.inside.get(payer.path(posting))["posted"]["version"] == 6
    assert payer.stands() == (400, 550)


@pytest.mark.parametrize("_round", range(6))
def test_posting_and_withdrawing_at_once_ends_withdrawn(payer: Payer, _round: int) -> None:
    posting = fresh()

    def act(number: int) -> int:
        if number == 2:
            return payer.inside.send("DELETE", payer.path(posting)).status_code
        body = payer.expense("100.00", "20.00", version=number + 1)
        return payer.inside.send("PUT", payer.path(posting), json=body).status_code

    answers = at_once(4, act)
    assert answers[2] == 204 and set(answers) <= {200, 204, 409}
    assert payer.state(posting) == "withdrawn" and payer.stands() == (1000, 0)


@pytest.mark.parametrize("_round", range(6))
def test_withdrawing_and_having_a_deletion_back_at_once_takes_it_out(
    payer: Payer, _round: int
) -> None:
    posting = fresh()
    made = payer.post(posting, "100.00", "20.00")["transactionId"]
    deletion = payer.ada.call("DELETE", f"/v1/transactions/{made}", 200)
    undo = f"/v1/transactions/deletions/{deletion['id']}/undo"

    def act(number: int) -> int:
        if number == 0:
            return payer.inside.send("DELETE", payer.path(posting)).status_code
        return payer.ada.send("POST", undo).status_code

    answers = at_once(2, act)
    assert answers[0] == 204 and answers[1] in (200, 409)
    assert payer.stands() == (1000, 0)


def test_who_is_owed_can_be_erased_and_the_books_hold(suite: Suite) -> None:
    payer = Payer(suite, "100.00")
    posting = fresh()
    payer.post(posting, "100.00", "20.00")
    owed = payer.receivable()
    delete(payer.ada)
    eventually(
        lambda: psql(suite, f"select name is null, state from ledger.account where id = '{owed}'"),
        30, until=lambda row: row == "t|closed",
    )  # fmt: skip
    assert psql(suite, f"select amount from ledger.balance where account_id = '{owed}'") == "0"
    assert (
        psql(
            suite,
            f"select count(*) from ledger.receivable_posting where user_id = '{payer.ada.id}'",
        )
        == "0"
    )
    body = payer.expense("1.00", "0.00", version=2)
    payer.inside.problem("PUT", payer.path(posting), 404, "not-found", json=body)
    payer.inside.problem("DELETE", payer.path(posting), 404, "not-found")


def test_the_books_prove_themselves(payer: Payer) -> None:
    """Behind all of the above: chain, balances and the trial balance."""
    bob = Person(payer.suite)
    pocket = current(bob, "EUR", "500.00")["id"]
    posting = fresh()
    made = payer.post(posting, "100.00", "20.00")["transactionId"]
    payer.ada.call("PATCH", f"/v1/transactions/{made}", 200, json={"name": "Pizza"})
    payer.settle(bob, pocket, "100.00")
    payer.clear("5.00")
    payer.posted("90.00", "0.00")
    payer.posted("10.00", "10.00")
    eventually(lambda: sealed(payer.suite), 30)
    found = verify(payer.suite)
    assert found.returncode == 0, found.stdout + found.stderr
