"""What is open between two people, over all groups that they share."""

import uuid
from decimal import Decimal

from actions import Group, at_once
from client import Person, eventually, money, value
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
    second = f"/v1/groups/{ada.call('PUT', path, 200)['id']}"
    bob.call("DELETE", f"{second}/members/me", 204)
    left = ada.get(second)
    assert (left["pair"], left["name"], left["memberCount"]) == (False, bob.username, 1)
    assert f"/v1/groups/{ada.call('PUT', path, 201)['id']}" != second


def test_nobody_is_paired_with_a_stranger_or_themselves(suite: Suite) -> None:
    ada, eve = Person(suite), Person(suite)
    for other in (eve.id, ada.id, str(uuid.uuid4()), "x"):
        ada.problem("PUT", f"/v1/friends/{other}/group", 404, "not-found")
    group = Group(suite)
    pair = group.ada.call("PUT", f"/v1/friends/{group.bob.id}/group", 201)["id"]
    delete(group.bob)
    eventually(lambda: group.ada.get(f"/v1/groups/{pair}"), until=lambda one: not one["pair"])
    assert group.bob.username not in group.ada.send("GET", f"/v1/groups/{pair}").text
