"""What is open between two people, over all groups that they share."""

from decimal import Decimal

from actions import Group
from client import Person, money, value
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups"]


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
    assert friends(ada)[bob.id] == {"EUR": Decimal(-3)}
    assert friends(Person(suite)) == {}
