"""What is open between two people, over all groups that they share."""

import uuid
from decimal import Decimal

import pytest

from actions import Group, at_once
from client import Person, eventually, mails, money, value
from erasures import delete
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "ledger", "notifications", "analytics"]


def friends(person: Person) -> dict[str, dict[str, Decimal]]:
    return {
        one["userId"]: {total["currency"]: value(total) for total in one["totals"]}
        for one in person.pages("/v1/friends", limit=1)
    }


def test_a_friends_balance_is_the_sum_over_all_groups(suite: Suite) -> None:
    group = Group(suite)
    ada, bob, cleo = group.ada, group.bob, group.cleo
    assert friends(ada) == {bob.id: {}, cleo.id: {}}
    group.expense("9.00")
    group.expense("300", "JPY")
    other = ada.post("/v1/groups", {"name": "Two", "currency": "EUR"})["id"]
    path = f"/v1/groups/{other}"
    asked = ada.post(f"{path}/invitations", {"username": bob.username})["id"]
    bob.post(f"/v1/invitations/{asked}/acceptance", status=200)
    mine = next(one["id"] for one in ada.get(f"{path}/members")["items"] if one["me"])
    body = {
        "name": "Tea", "amount": money("5.00"),
        "split": {"kind": "equal", "parts": [{"memberId": mine}]},
    }  # fmt: skip
    bob.post(f"{path}/expenses", body)
    assert friends(ada) == {
        bob.id: {"EUR": Decimal(-2), "JPY": Decimal(100)},
        cleo.id: {"EUR": Decimal(3), "JPY": Decimal(100)},
    }
    assert friends(bob)[ada.id] == {"EUR": Decimal(2), "JPY": Decimal(-100)}
    (told,) = [one for one in ada.get("/v1/friends")["items"] if one["userId"] == bob.id]
    assert told["displayName"] == bob.username
    assert {one["groupId"] for one in told["balances"]} == {group.id, other}
    # Even over all is even, though not in each.
    body["amount"] = money("3.00")
    body["split"]["parts"] = [{"memberId": mine}]
    ada.call("DELETE", f"{path}/expenses/{ada.get(f'{path}/expenses')['items'][0]['id']}", 204)
    bob.post(f"{path}/expenses", body)
    assert friends(ada)[bob.id] == {"JPY": Decimal(100)}
    bob.call("DELETE", f"{group.path}/members/me", 204, params={"force": "true"})
    # What is open in a group that one of the two has left is open still.
    assert friends(ada)[bob.id] == {"JPY": Decimal(100)}
    assert friends(bob) == {ada.id: {"JPY": Decimal(-100)}}
    assert friends(Person(suite)) == {}


def test_who_has_left_with_something_open_is_a_friend_until_it_is_settled(suite: Suite) -> None:
    group = Group(suite)
    ada, bob, cleo = group.ada, group.bob, group.cleo
    group.expense("9.00")
    bob.call("DELETE", f"{group.path}/members/me", 204, params={"force": "true"})
    # Bob and Cleo owe each other nothing, and share nothing any more.
    assert friends(ada) == {bob.id: {"EUR": Decimal(3)}, cleo.id: {"EUR": Decimal(3)}}
    assert friends(bob) == {ada.id: {"EUR": Decimal(-3)}}
    assert friends(cleo) == {ada.id: {"EUR": Decimal(-3)}}
    old = bob.username
    bob.call("PATCH", "/v1/users/me", 200, json={"firstName": "Robert"})
    (told,) = [one for one in ada.get("/v1/friends")["items"] if one["userId"] == bob.id]
    assert told["displayName"] == old
    assert [one["groupId"] for one in told["balances"]] == [group.id]
    ada.post(f"{group.path}/settlements", {"withMemberId": group.of_bob})
    assert friends(ada) == {cleo.id: {"EUR": Decimal(3)}} and friends(bob) == {}
    # Whoever is erased is nobody's friend, whatever is open.
    ada.call("DELETE", f"{group.path}/members/me", 204, params={"force": "true"})
    assert friends(cleo) == {ada.id: {"EUR": Decimal(-3)}}
    delete(ada)
    eventually(lambda: friends(cleo), until=lambda found: found == {})


def test_two_people_share_expenses_without_a_group_of_others(suite: Suite) -> None:
    group = Group(suite)
    ada, bob, cleo = group.ada, group.bob, group.cleo
    path = f"/v1/friends/{bob.id}/group"
    answers = at_once(
        6, lambda index: (ada, bob)[index % 2].send(
            "PUT", f"/v1/friends/{(bob, ada)[index % 2].id}/group"
        )
    )  # fmt: skip
    assert sorted(one.status_code for one in answers) == [200] * 5 + [201]
    assert len({one.json()["id"] for one in answers}) == 1
    made = ada.call("PUT", path, 200)
    assert made["pair"] and made["name"] == bob.username and made["memberCount"] == 2
    pair = f"/v1/groups/{made['id']}"
    assert bob.get(pair)["name"] == ada.username
    assert [one["id"] for one in bob.pages("/v1/groups", query=ada.username)] == [made["id"]]
    # It is a group: expenses, balances, settlements, and nobody else's.
    mine = next(one["id"] for one in ada.get(f"{pair}/members")["items"] if one["me"])
    body = {
        "name": "Tea", "amount": money("5.00"),
        "split": {"kind": "equal", "parts": [{"memberId": mine}]},
    }  # fmt: skip
    bob.post(f"{pair}/expenses", body)
    assert friends(ada)[bob.id] == {"EUR": Decimal(-5)}
    cleo.problem("GET", pair, 404, "not-found")
    for method, rest, wanted in (
        ("POST", "/invitations", {"username": cleo.username}),
        ("POST", "/invitations", {"link": {}}), ("POST", "/members", {"displayName": "Guest"}),
    ):  # fmt: skip
        ada.problem(method, pair + rest, 409, "pair-group", json=wanted)
    settings = ada.call("PATCH", pair, 200, json={"currency": "USD"})
    assert settings["pair"] and settings["name"] == bob.username
    assert bob.get(pair)["name"] == ada.username
    # Named, it is a group as any other, and the two have none to themselves.
    named = ada.call("PATCH", pair, 200, json={"name": "Us two"})
    assert not named["pair"] and bob.get(pair)["name"] == "Us two"
    ada.post(f"{pair}/members", {"displayName": "Guest"})
    assert ada.call("PUT", path, 201)["id"] != made["id"]
    # Whoever goes leaves the other a group with their name.
    second = f"/v1/groups/{bob.call('PUT', f'/v1/friends/{ada.id}/group', 200)['id']}"
    bob.call("DELETE", f"{second}/members/me", 204)
    left = ada.get(second)
    assert (left["pair"], left["name"], left["memberCount"]) == (False, bob.username, 1)
    assert f"/v1/groups/{ada.call('PUT', path, 201)['id']}" != second


def asked_into(ada: Person, bob: Person) -> tuple[str, str]:
    """A pair's path, and the invitation of the other."""
    made = ada.call("PUT", f"/v1/friends/{bob.id}/group", 201)
    assert made["pair"] and made["memberCount"] == 1
    (asked,) = [one for one in bob.get("/v1/invitations")["items"] if one["groupId"] == made["id"]]
    assert asked["name"] == ada.username and asked["inviterId"] == ada.id
    return f"/v1/groups/{made['id']}", asked["id"]


def debt(ada: Person, pair: str, amount: str = "500.00") -> dict:
    """An expense of Ada's that the other bears."""
    members = ada.get(f"{pair}/members")["items"]
    other = next((one["id"] for one in members if not one["me"]), members[0]["id"])
    parts = [{"memberId": other, "value": amount}]
    return {"name": "Tea", "amount": money(amount), "split": {"kind": "exact", "parts": parts}}


def test_a_debt_between_two_needs_the_others_word_once(suite: Suite) -> None:
    group = Group(suite)
    ada, bob = group.ada, group.bob
    pair, asked = asked_into(ada, bob)
    ada.problem("POST", f"{pair}/expenses", 409, "not-agreed", json=debt(ada, pair))
    bob.problem("GET", pair, 404, "not-found")
    # Asked once; after a no the first may ask again.
    assert ada.call("PUT", f"/v1/friends/{bob.id}/group", 200)["memberCount"] == 1
    assert [one["id"] for one in ada.get(f"{pair}/invitations")["items"]] == [asked]
    bob.call("POST", f"/v1/invitations/{asked}/rejection", 204)
    ada.problem("POST", f"{pair}/expenses", 409, "not-agreed", json=debt(ada, pair))
    ada.call("PUT", f"/v1/friends/{bob.id}/group", 200)
    (again,) = bob.get("/v1/invitations")["items"]
    bob.post(f"/v1/invitations/{again['id']}/acceptance", status=200)
    assert ada.get(pair)["memberCount"] == 2
    ada.post(f"{pair}/expenses", debt(ada, pair))
    assert friends(bob)[ada.id] == {"EUR": Decimal(-500)}


@pytest.mark.parametrize("by", ["a block", "a refusal"])
@pytest.mark.parametrize("is_named", [False, True])
def test_no_new_debt_comes_from_whom_one_refuses(suite: Suite, by: str, is_named: bool) -> None:
    group = Group(suite)
    ada, bob = group.ada, group.bob
    pair, asked = asked_into(ada, bob)
    bob.post(f"/v1/invitations/{asked}/acceptance", status=200)
    first = ada.post(f"{pair}/expenses", debt(ada, pair, "5.00"))["id"]
    gone = ada.post(f"{pair}/expenses", debt(ada, pair, "3.00"))["id"]
    again = debt(ada, pair, "1.00") | {"recurrence": {"every": 1, "unit": "month"}}
    recurrence = ada.post(f"{pair}/expenses", again)["recurrenceId"]
    if is_named:
        ada.call("PATCH", pair, 200, json={"name": "Us two"})
        ada.post(f"{pair}/members", {"displayName": "Guest"})
    path = f"/v1/blocks/{ada.id}" if by == "a block" else f"/v1/friends/{ada.id}/group"
    ada.call("DELETE", f"{pair}/expenses/{gone}", 204)
    for _ in range(2):
        bob.call("PUT" if by == "a block" else "DELETE", path, 204)
    for who in (ada, bob):
        who.problem("POST", f"{pair}/expenses", 409, "not-agreed", json=debt(who, pair))
    for body in (
        debt(ada, pair) | {"accountId": ada.get("/v1/accounts")["items"][0]["id"]},
        debt(ada, pair) | {"recurrence": {"every": 1, "unit": "day"}},
    ):
        ada.problem("POST", f"{pair}/expenses", 409, "not-agreed", json=body)
    raised = {key: one for key, one in debt(ada, pair, "9.00").items() if key != "name"}
    ada.problem("PATCH", f"{pair}/expenses/{first}", 409, "not-agreed", json=raised)
    ada.problem("POST", f"{pair}/expenses/{gone}/undo", 409, "not-agreed")
    ada.problem("PATCH", f"{pair}/recurrences/{recurrence}", 409, "not-agreed", json=raised)
    # What is open falls, and is settled.
    ada.call("PATCH", f"{pair}/expenses/{first}", 200, json={"name": "Cake"})
    paid = bob.post(f"{pair}/settlements", {"withMemberId": members(bob, pair)[ada.id]})
    ada.problem("DELETE", f"{pair}/settlements/{paid['id']}", 409, "not-agreed")
    # Where others are, too, each of them is asked for nothing.
    group.expense("9.00")
    if by == "a block":
        bob.call("DELETE", path, 204)
        bob.problem("DELETE", path, 404, "not-found")
    else:
        bob.call("PUT", path, 200 if not is_named else 201)
    ada.post(f"{pair}/expenses", debt(ada, pair, "1.00"))


def members(person: Person, path: str) -> dict[str, str]:
    items = person.get(f"{path}/members")["items"]
    return {one["userId"]: one["id"] for one in items if "userId" in one}


def asking(ada: Person) -> dict[str, tuple[str, dict]]:
    """A group, a wallet, a folder and a family of Ada's: where she asks, and what for."""
    name = {"name": uuid.uuid4().hex[:8]}
    group, wallet, folder = (
        f"/v1/{root}/{ada.post(f'/v1/{root}', name)['id']}"
        for root in ("groups", "accounts", "folders")
    )
    return {
        "group": (f"{group}/invitations", {}),
        "wallet": (f"{wallet}/members", {"role": "viewer"}),
        "folder": (f"{folder}/invitations", {"access": "read"}),
        "family": ("/v1/families/me/invitations", {"role": "parent"}),
    }


def test_who_is_blocked_invites_to_nothing_and_is_not_told(suite: Suite) -> None:
    group = Group(suite)
    ada, bob, cleo = group.ada, group.bob, group.cleo
    bob.verify_email()
    ada.post("/v1/families", {})
    before, after = asking(ada), asking(ada)
    by = {"username": bob.username}, {"email": bob.email}

    def ask(places: dict[str, tuple[str, dict]]) -> list[dict]:
        return [
            ada.post(path, name | more)
            for kind, (path, more) in places.items()
            for name in (by[1:] if kind == "family" else by)
        ]

    sent = ask(before)
    assert len(bob.get("/v1/invitations")["items"]) == 7
    bob.call("PUT", f"/v1/blocks/{ada.id}", 204)
    assert [one["userId"] for one in bob.pages("/v1/blocks", limit=1)] == [ada.id]
    assert ada.get("/v1/blocks")["items"] == []
    ada.call("DELETE", f"/v1/families/me/invitations/{sent.pop()['id']}", 204)
    told = len(mails(suite, bob.email))
    later = ask(after)
    pair = ada.call("PUT", f"/v1/friends/{bob.id}/group", 201)
    # As for Cleo, who blocks nobody: the same fields, and the same ends.
    twin = ada.post(before["group"][0], {"username": cleo.username})
    assert later[0].keys() == twin.keys() and later[0]["state"] == "open"
    assert ada.get(f"/v1/invitations/{later[0]['id']}") == later[0]
    assert pair.keys() == ada.call("PUT", f"/v1/friends/{cleo.id}/group", 201).keys()
    assert bob.get("/v1/invitations")["items"] == []
    for one in sent + later:
        bob.problem("GET", f"/v1/invitations/{one['id']}", 404, "not-found")
        bob.problem("POST", f"/v1/invitations/{one['id']}/acceptance", 404, "not-found")
        bob.problem("POST", f"/v1/invitations/{one['id']}/rejection", 404, "not-found")
    bob.problem("PUT", f"/v1/friends/{ada.id}/group", 409, "user-blocked")
    eventually(lambda: mails(suite, cleo.email))
    assert len(mails(suite, bob.email)) == told
    # Whoever blocks may ask, and is asked again when the block ends.
    path = f"/v1/groups/{bob.post('/v1/groups', {'name': 'y'})['id']}/invitations"
    asked = bob.post(path, {"username": ada.username})["id"]
    ada.post(f"/v1/invitations/{asked}/acceptance", status=200)
    bob.call("DELETE", f"/v1/blocks/{ada.id}", 204)
    ids = {one["id"] for one in sent + later}
    assert ids < {one["id"] for one in bob.get("/v1/invitations")["items"]}


def test_nobody_is_blocked_who_is_nobody(suite: Suite) -> None:
    ada = Person(suite)
    for other in (ada.id, str(uuid.uuid4()), "x"):
        for method in ("PUT", "DELETE"):
            ada.problem(method, f"/v1/blocks/{other}", 404, "not-found")
        ada.problem("DELETE", f"/v1/friends/{other}/group", 404, "not-found")
    eve = Person(suite)
    ada.call("PUT", f"/v1/blocks/{eve.id}", 204)
    ada.problem("DELETE", f"/v1/friends/{eve.id}/group", 404, "not-found")
    delete(eve)
    eventually(lambda: ada.get("/v1/blocks")["items"], until=lambda found: found == [])


def test_nobody_is_paired_with_a_stranger_or_themselves(suite: Suite) -> None:
    ada, eve = Person(suite), Person(suite)
    for other in (eve.id, ada.id, str(uuid.uuid4()), "x"):
        ada.problem("PUT", f"/v1/friends/{other}/group", 404, "not-found")
    group = Group(suite)
    pair = group.ada.call("PUT", f"/v1/friends/{group.bob.id}/group", 201)["id"]
    delete(group.bob)
    eventually(lambda: group.ada.get(f"/v1/groups/{pair}"), until=lambda one: not one["pair"])
    assert group.bob.username not in group.ada.send("GET", f"/v1/groups/{pair}").text
