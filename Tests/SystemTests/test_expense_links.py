"""Shared expenses in their payers' own ledgers: seen by them alone, as they are shared, and moved
by nobody else's doing."""

import uuid

from actions import at_once, balance_of, contents, current, ready, record
from client import Person, eventually, money, value
from expense_links import Shared, finish, groups_psql, notices, under_way
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]


def test_what_one_paid_is_posted_with_what_the_others_owe(suite: Suite) -> None:
    shared = Shared(suite)
    category = shared.ada.post("/v1/categories", {"name": "Eating out"})["id"]
    key, body = str(uuid.uuid4()), shared.body(ownCategoryId=category)
    made = shared.ada.post(shared.path, body, key=key)
    link = made["link"]
    assert link["state"] == "current" and link["accountId"] == shared.purse["id"]
    assert link["ownCategoryId"] == category
    assert shared.ada.send("POST", shared.path, json=body, key=key).json() == made
    (row,) = shared.rows()
    assert row["id"] == link["transactionId"] and value(row["amount"]) == -30
    assert value(row["receivable"]) == -20 and shared.left() == 970
    assert row["name"] == "Dinner"
    # It is seen by its owner alone.
    assert shared.ada.get(shared.at(made)) == made
    assert shared.ada.get(shared.path)["items"] == [made]
    for one in (shared.bob, shared.group.cleo):
        assert "link" not in one.get(shared.at(made))
        assert "link" not in one.get(shared.path)["items"][0]
    item = shared.ada.get(f"{shared.at(made)}/history")["items"][0]
    assert "link" not in item["expense"]
    assert shared.group.balances("EUR")[shared.group.of_ada] == 20


def test_money_that_came_back_lowers_what_was_spent_and_what_is_owed(suite: Suite) -> None:
    shared = Shared(suite)
    shared.add()
    back = shared.add("-60.00")
    assert back["link"]["state"] == "current" and shared.left() == 1030
    row = next(one for one in shared.rows() if one["id"] == back["link"]["transactionId"])
    # 20.00 are Ada's own; the others were owed 20.00 of theirs before, and are owed 20.00 now.
    assert value(row["amount"]) == 60 and value(row["settles"]) == 40
    assert value(row["lines"][0]["amount"]) == 20
    assert shared.group.balances("EUR")[shared.group.of_ada] == -20
    # An edit posts it again, and its deletion takes it back.
    shared.ada.call("PATCH", shared.at(back), 200, json={"amount": money("-30.00")})
    assert shared.state(back) == "current" and shared.left() == 1000
    shared.ada.call("DELETE", shared.at(back), 204)
    eventually(lambda: shared.left() == 970)


def test_what_is_paid_back_clears_what_is_owed(suite: Suite) -> None:
    shared = Shared(suite)
    shared.add()
    key = str(uuid.uuid4())
    body = {"withMemberId": shared.group.of_bob, "accountId": shared.purse["id"]}
    path = f"{shared.group.path}/settlements"
    made = shared.ada.post(path, body, key=key)
    assert value(made["payments"][0]["amount"]) == 10 and made["state"] == "recorded"
    assert made["link"]["state"] == "current"
    assert shared.ada.send("POST", path, json=body, key=key).json() == made
    assert shared.left() == 980
    cleared = next(row for row in shared.rows() if row["id"] == made["link"]["transactionId"])
    assert value(cleared["amount"]) == 10
    assert shared.ada.get(path)["items"] == [made]
    assert "link" not in shared.bob.get(path)["items"][0]
    # For who is owed, in one currency, and not beside a transfer.
    debt = {"withMemberId": shared.group.of_ada, "accountId": current(shared.bob, "EUR")["id"]}
    shared.ada.post(shared.path, shared.body())
    problem = shared.bob.problem("POST", path, 422, "invalid-body", json=debt, key=key)
    assert [one["pointer"] for one in problem["errors"]] == ["/accountId"]
    both = debt | {"fromAccountId": debt["accountId"]}
    problem = shared.bob.problem("POST", path, 422, "invalid-body", json=both, key=key[::-1])
    assert [one["pointer"] for one in problem["errors"]] == ["/accountId"]
    shared.group.expense("30.00", "USD")
    key = str(uuid.uuid4())
    problem = shared.ada.problem("POST", path, 422, "invalid-body", json=body, key=key)
    assert [one["pointer"] for one in problem["errors"]] == ["/amount"]


def test_who_takes_their_settlement_away_takes_its_clearing_back(suite: Suite) -> None:
    shared = Shared(suite)
    shared.add()
    made = shared.settle("5.00")
    assert shared.left() == 975
    path = f"{shared.group.path}/settlements/{made['id']}"
    # What is spent cannot be given back, and the settlement stays.
    record(shared.ada, shared.purse["id"], "-973.00")
    shared.ada.problem("DELETE", path, 409, "insufficient-funds")
    assert shared.ada.get(path)["link"]["state"] == "current"
    record(shared.ada, shared.purse["id"], "8.00")
    # Nor is it taken back for who may not take the settlement away.
    shared.ada.call("PUT", f"{shared.group.path}/archive", 200)
    shared.ada.problem("DELETE", path, 409, "group-archived")
    shared.ada.call("DELETE", f"{shared.group.path}/archive", 200)
    assert shared.ada.get(path)["link"]["state"] == "current" and shared.left() == 10
    shared.ada.call("DELETE", path, 204)
    assert shared.left() == 5
    # Whoever else takes one away moves nobody's money.
    again = shared.settle("5.00")
    shared.bob.call("DELETE", f"{shared.group.path}/settlements/{again['id']}", 204)
    finish(suite)
    assert shared.left() == 10


def test_whatever_is_refused_leaves_neither(suite: Suite) -> None:
    shared = Shared(suite, "20.00")
    shared.refused(409, "insufficient-funds")
    foreign = current(shared.ada, "USD", "100.00")
    theirs = current(shared.bob, "EUR", "100.00")
    stranger = str(uuid.uuid4())
    for fields, pointer in (
        ({"accountId": foreign["id"]}, "/accountId"),
        ({"accountId": theirs["id"]}, "/accountId"),
        ({"accountId": stranger}, "/accountId"),
        ({"ownCategoryId": stranger, "amount": "9.00"}, "/ownCategoryId"),
        ({"recurrence": {"every": 1, "unit": "month"}}, "/accountId"),
        ({"paidBy": [{"memberId": shared.group.of_bob, "amount": money("30.00")}]}, "/accountId"),
        ({"accountId": None, "ownCategoryId": stranger}, "/ownCategoryId"),
    ):
        problem = shared.refused(422, "invalid-body", **fields)
        assert [one["pointer"] for one in problem["errors"]] == [pointer], (fields, problem)
    # Every fault at once.
    problem = shared.refused(
        422, "invalid-body", categoryId=stranger,
        paidBy=[{"memberId": shared.group.of_bob, "amount": money("30.00")}],
    )  # fmt: skip
    pointers = {one["pointer"] for one in problem["errors"]}
    assert pointers == {"/categoryId", "/accountId"}
    assert shared.expenses() == [] and not under_way(suite, shared.group)
    assert balance_of(shared.ada, shared.purse) == 20
    assert groups_psql(
        suite, f"select count(*) from groups.ledger_link where group_id = '{shared.group.id}'"
    ) == "0"  # fmt: skip


def test_what_another_does_moves_nobodys_money(suite: Suite) -> None:
    shared = Shared(suite)
    made = shared.add()
    body = {"amount": money("60.00")}
    assert "link" not in shared.bob.call("PATCH", shared.at(made), 200, json=body)
    assert shared.state(made) == "outdated" and shared.left() == 970
    (line,) = eventually(lambda: notices(shared.ada))
    assert line["groupId"] == shared.group.id and line["amount"] == money("30.00")
    assert "{" not in line["text"] and not notices(shared.bob)
    # As it was it is posted as it is.
    shared.bob.call("PATCH", shared.at(made), 200, json={"amount": money("30.00")})
    assert shared.state(made) == "current"
    # What is no money outdates nothing.
    shared.bob.call("PATCH", shared.at(made), 200, json={"name": "Supper", "tags": ["t"]})
    assert shared.state(made) == "current"
    shared.bob.call("PATCH", shared.at(made), 200, json=body)
    renewed = shared.ada.call(
        "PUT", f"{shared.at(made)}/link", 200, json={"accountId": shared.purse["id"]}
    )
    assert renewed["state"] == "current" and shared.left() == 940
    shared.bob.call("DELETE", shared.at(made), 204)
    assert shared.left() == 940
    eventually(lambda: notices(shared.ada), until=lambda lines: len(lines) == 3)
    shared.ada.call("DELETE", f"{shared.at(made)}/link", 204)
    assert shared.left() == 1000 and shared.rows() == []


def test_own_edits_take_it_along_and_own_deletions_take_it_back(suite: Suite) -> None:
    shared = Shared(suite)
    made = shared.add()
    changed = shared.ada.call("PATCH", shared.at(made), 200, json={"amount": money("60.00")})
    assert changed["link"]["state"] == "current" and shared.left() == 940
    assert changed["link"]["transactionId"] == made["link"]["transactionId"]
    (row,) = shared.rows()
    assert value(row["receivable"]) == -40
    shared.ada.call("DELETE", shared.at(made), 204)
    assert shared.left() == 1000 and shared.rows() == []
    back = shared.ada.call("POST", f"{shared.at(made)}/undo", 200)
    assert back["link"]["state"] == "current" and shared.left() == 940
    # Whoever did not pay for it any more has nothing posted of it.
    paid = [{"memberId": shared.group.of_bob, "amount": money("60.00")}]
    moved = shared.ada.call("PATCH", shared.at(made), 200, json={"paidBy": paid})
    assert "link" not in moved and shared.left() == 1000
    assert not notices(shared.ada)


def test_more_than_there_is_leaves_it_outdated_and_says_why(suite: Suite) -> None:
    shared = Shared(suite, "40.00")
    made = shared.add()
    changed = shared.ada.call("PATCH", shared.at(made), 200, json={"amount": money("90.00")})
    assert changed["amount"] == money("90.00")
    assert changed["link"]["state"] == "outdated"
    assert changed["link"]["reason"] == "insufficient-funds" and shared.left() == 10
    path, body = f"{shared.at(made)}/link", {"accountId": shared.purse["id"]}
    shared.ada.problem("PUT", path, 409, "insufficient-funds", json=body)
    income = {"accountId": shared.purse["id"], "amount": money("100.00")}
    shared.ada.post("/v1/transactions", income)
    assert shared.ada.call("PUT", path, 200, json=body)["state"] == "current"
    assert shared.left() == 50


def test_what_is_paid_back_in_part_stays_and_says_so(suite: Suite) -> None:
    shared = Shared(suite)
    made = shared.add()
    shared.settle("10.00")
    path = f"{shared.at(made)}/link"
    shared.ada.problem("DELETE", path, 409, "already-settled")
    assert shared.state(made) == "current" and shared.left() == 980
    # The expense is the group's, and is what its members make it.
    changed = shared.ada.call("PATCH", shared.at(made), 200, json={"amount": money("60.00")})
    assert changed["link"]["state"] == "outdated"
    assert changed["link"]["reason"] == "already-settled" and shared.left() == 980
    shared.ada.call("DELETE", shared.at(made), 204)
    assert shared.left() == 980 and shared.expenses() == []
    eventually(lambda: notices(shared.ada))


def test_a_link_ends_with_the_transaction_that_its_owner_deletes(suite: Suite) -> None:
    shared = Shared(suite)
    made = shared.add()
    transaction = made["link"]["transactionId"]

    def becomes(state: str) -> dict:
        return eventually(
            lambda: shared.link(made) or {}, until=lambda link: link.get("state") == state
        )

    def delete() -> str:
        deleted = shared.ada.post("/v1/transactions/deletions", {"ids": [transaction]})
        assert "transactionId" not in becomes("ended") and shared.left() == 1000
        listed = shared.ada.get(shared.path)["items"][0]["link"]
        assert listed["state"] == "ended" and "transactionId" not in listed
        return f"/v1/transactions/deletions/{deleted['id']}/undo"

    shared.ada.call("POST", delete(), 200)
    assert becomes("current")["transactionId"] == transaction and shared.left() == 970
    # An edit posts nothing that its owner has deleted; their own word does, as the same.
    undo = delete()
    shared.ada.call("PATCH", shared.at(made), 200, json={"amount": money("60.00")})
    assert shared.state(made) == "ended" and shared.left() == 1000
    body = {"accountId": shared.purse["id"]}
    link = shared.ada.call("PUT", f"{shared.at(made)}/link", 200, json=body)
    assert (link["state"], link["transactionId"]) == ("current", transaction)
    shared.ada.problem("POST", undo, 409, "undo-expired")
    assert shared.left() == 940 and shared.state(made) == "current"
    # What clears a settlement, too; taken away, it takes along what there was.
    settled = shared.settle("5.00")
    path = f"{shared.group.path}/settlements/{settled['id']}"
    shared.ada.call("DELETE", f"/v1/transactions/{settled['link']['transactionId']}", 200)
    eventually(lambda: shared.ada.get(path)["link"], until=lambda link: link["state"] == "ended")
    shared.bob.call("DELETE", path, 204)
    finish(suite)
    assert shared.left() == 940


def test_a_link_is_made_later_by_any_payer_for_their_own_part(suite: Suite) -> None:
    shared = Shared(suite)
    pocket = current(shared.bob, "EUR", "100.00")
    paid = [
        {"memberId": shared.group.of_ada, "amount": money("25.00")},
        {"memberId": shared.group.of_bob, "amount": money("5.00")},
    ]
    body = shared.body(paidBy=paid)
    del body["accountId"]
    made = shared.group.cleo.post(shared.path, body)
    path = f"{shared.at(made)}/link"
    for one, account in ((shared.ada, shared.purse), (shared.bob, pocket)):
        for _ in range(2):
            link = one.call("PUT", path, 200, json={"accountId": account["id"]})
            assert link["state"] == "current"
            assert shared.link(made, one) == link
    assert shared.left() == 975 and balance_of(shared.bob, pocket) == 95
    # Bob bears 10 and has paid 5: that is spent, and nothing is owed to him.
    (row,) = [row for row in shared.bob.get("/v1/transactions")["items"] if row["name"] == "Dinner"]
    assert value(row["amount"]) == -5 and "receivable" not in row
    theirs = {"accountId": current(shared.group.cleo, "EUR", "9.00")["id"]}
    problem = shared.group.cleo.problem("PUT", path, 422, "invalid-body", json=theirs)
    assert [one["pointer"] for one in problem["errors"]] == ["/accountId"]
    shared.group.cleo.problem("DELETE", path, 404, "not-found")
    stranger = Person(suite)
    stranger.problem("PUT", path, 404, "not-found", json=theirs)
    stranger.problem("DELETE", path, 404, "not-found")
    # From another account of hers.
    other = current(shared.ada, "EUR", "50.00")
    moved = shared.ada.call("PUT", path, 200, json={"accountId": other["id"]})
    assert moved["accountId"] == other["id"]
    assert shared.left() == 1000 and balance_of(shared.ada, other) == 25


def test_what_its_owner_deleted_in_the_ledger_is_posted_again(suite: Suite) -> None:
    shared = Shared(suite)
    made = shared.add()
    shared.ada.call("DELETE", f"/v1/transactions/{made['link']['transactionId']}", 200)
    assert shared.left() == 1000
    body = {"accountId": shared.purse["id"]}
    link = shared.ada.call("PUT", f"{shared.at(made)}/link", 200, json=body)
    assert link["state"] == "current" and shared.left() == 970


def test_who_leaves_keeps_what_is_in_their_books_and_hears_nothing(suite: Suite) -> None:
    shared = Shared(suite)
    made = shared.add()
    leave = {"params": {"force": "true"}}
    shared.ada.call("DELETE", f"{shared.group.path}/members/me", 204, **leave)
    shared.bob.call("PATCH", shared.at(made), 200, json={"name": "Supper"})
    path, body = f"{shared.at(made)}/link", {"accountId": shared.purse["id"]}
    shared.ada.problem("PUT", path, 404, "not-found", json=body)
    shared.ada.problem("DELETE", path, 404, "not-found")
    assert shared.left() == 970 and len(shared.rows()) == 1
    again = Shared(suite)
    other = again.add()
    again.bob.call("PATCH", again.at(other), 200, json={"amount": money("60.00")})
    eventually(lambda: notices(again.ada))
    assert not notices(shared.ada)


def test_a_file_of_ones_own_holds_the_links(suite: Suite) -> None:
    shared = Shared(suite)
    made = shared.add()
    settled = shared.settle("4.00")
    export = ready(shared.ada, shared.ada.post("/v1/users/me/exports", status=202))
    lists, _ = contents(shared.ada, export)
    found = {one.get("expenseId") or one["settlementId"]: one for one in lists["ledger-links"]}
    assert set(found) == {made["id"], settled["id"]}
    link = found[made["id"]]
    assert link["transactionId"] == made["link"]["transactionId"]
    assert link["accountId"] == shared.purse["id"] and link["state"] == "current"
    assert link["amount"] == money("30.00") and link["share"] == money("10.00")


def test_two_at_once_post_once(suite: Suite) -> None:
    shared = Shared(suite)
    key = str(uuid.uuid4())
    answers = at_once(
        6,
        lambda _: shared.ada.send("POST", shared.path, json=shared.body(), key=key, retry=False),
    )
    assert {one.status_code for one in answers} <= {201, 409}
    assert shared.ada.send("POST", shared.path, json=shared.body(), key=key).status_code == 201
    assert shared.left() == 970 and len(shared.expenses()) == 1
    (made,) = shared.expenses()
    path, body = f"{shared.at(made)}/link", {"accountId": shared.purse["id"]}
    shared.bob.call("PATCH", shared.at(made), 200, json={"amount": money("60.00")})
    at_once(6, lambda _: shared.ada.send("PUT", path, json=body))
    finish(suite)
    assert shared.state(made) == "current" and shared.left() == 940
    assert len(shared.rows()) == 1


def test_linking_and_unlinking_at_once_leaves_no_503(suite: Suite) -> None:
    shared = Shared(suite)
    body = shared.body()
    account = {"accountId": body.pop("accountId")}
    made = shared.ada.post(shared.path, body)
    path = f"{shared.at(made)}/link"

    def call(number: int) -> int:
        if number % 2:
            return shared.ada.send("DELETE", path, retry=False).status_code
        return shared.ada.send("PUT", path, json=account, retry=False).status_code

    for _ in range(3):
        linked, unlinked = [], []
        for number, status in enumerate(at_once(16, call)):
            (unlinked if number % 2 else linked).append(status)
        # 404: nothing is linked at that moment.
        assert set(linked) == {200} and set(unlinked) <= {204, 404}, (linked, unlinked)
        assert not under_way(suite, shared.group)
        link = shared.link(made)
        assert link is None or link["state"] == "current", link
        assert shared.left() == (1000 if link is None else 970)
        assert len(shared.rows()) == (0 if link is None else 1)
    shared.ada.call("PUT", path, 200, json=account)
    assert shared.left() == 970
    shared.ada.call("DELETE", path, 204)
    assert shared.left() == 1000 and shared.rows() == []
