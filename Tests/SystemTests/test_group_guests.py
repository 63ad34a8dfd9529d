"""Guests of groups: members without an account, whose place somebody may claim."""

import random
from typing import Any

import pytest

from actions import Group
from client import Person, eventually, money, value
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "notifications", "ledger"]


@pytest.fixture
def group(suite: Suite) -> Group:
    return Group(suite)


def test_a_guest_who_is_a_member_is_merged_and_parted_again(group: Group) -> None:
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Bobby"})["id"]
    ada, bob, cleo = group.members
    path = f"{group.path}/expenses"

    def part(members: list[str], payers: list[str], cents: int, **more: Any) -> dict[str, Any]:
        whole = cents * len(payers)
        paid = [{"memberId": one, "amount": money(f"{cents / 100:.2f}")} for one in payers]
        split = {"kind": "equal", "parts": [{"memberId": one} for one in members]}
        body = {"name": "x", "amount": money(f"{whole / 100:.2f}"), "paidBy": paid, "split": split}
        return group.ada.post(path, body | more)

    everybody = [ada, bob, cleo, guest]
    for _ in range(12):
        bearers = chance.sample(everybody, chance.randint(1, 4))
        payers = chance.sample(everybody, chance.randint(1, 3))
        part(bearers, payers, chance.choice([1, 1, -1]) * chance.randint(1, 5000))
    both = part(everybody, [bob, guest], 1000)
    again = part(everybody, [ada], 900, recurrence={"every": 1, "unit": "month"})
    settlements = f"{group.path}/settlements"
    part([guest], [bob], 7000)
    between = group.bob.post(settlements, {"withMemberId": guest, "amount": money("1.00")})
    before = group.balances("EUR")
    link = group.ada.post(f"{group.path}/invitations", {"link": {"memberId": guest}})["link"]
    address = f"/v1/invitation-links/{link['token']}/acceptance"
    assert group.bob.post(address, status=200)["memberCount"] == 3
    after = group.balances("EUR")
    wanted = {one: before[one] for one in (ada, cleo)} | {bob: before[bob] + before[guest]}
    assert {one: sum for one, sum in after.items() if sum or one in wanted} == wanted, seed
    merged = group.cleo.get(f"{path}/{both['id']}")
    assert [one["memberId"] for one in merged["paidBy"]] == [bob]
    assert {one["memberId"]: value(one["amount"]) for one in merged["shares"]}[bob] == 10
    assert merged["split"]["kind"] == "exact"
    history = group.cleo.get(f"{path}/{both['id']}/history")["items"]
    assert [one["action"] for one in history] == ["changed", "added"]
    assert group.ada.get(f"{settlements}/{between['id']}")["state"] == "void"
    to_come = group.ada.get(f"{group.path}/recurrences/{again['recurrenceId']}")
    assert guest not in str(to_come)
    eventually(
        lambda: [one["kind"] for one in group.cleo.get("/v1/notifications")["items"]],
        until=lambda kinds: "guest-merged" in kinds,
    )
    undo = f"{group.path}/members/{guest}/undo"
    Person(group.suite).problem("POST", undo, 404, "not-found")
    group.cleo.post(undo, status=204)
    assert group.balances("EUR") == before, seed
    parted = group.cleo.get(f"{path}/{both['id']}")
    assert (parted["paidBy"], parted["split"]) == (both["paidBy"], both["split"])
    assert group.ada.get(f"{settlements}/{between['id']}")["state"] == "recorded"
    assert guest in str(group.ada.get(f"{group.path}/recurrences/{again['recurrenceId']}"))
    group.cleo.problem("POST", undo, 404, "not-found")


def test_guests_bear_and_pay_and_are_nobody(group: Group) -> None:
    path = f"{group.path}/members"
    guest = group.ada.post(path, {"displayName": "Grandma"})
    assert "userId" not in guest and "role" not in guest and not guest["me"]
    body = {
        "name": "Cake", "amount": money("8.00"),
        "paidBy": [{"memberId": guest["id"], "amount": money("8.00")}],
        "split": {
            "kind": "equal",
            "parts": [{"memberId": guest["id"]}, {"memberId": group.member[group.ada.id]}],
        },
    }  # fmt: skip
    group.bob.post(f"{group.path}/expenses", body)
    assert group.balances("EUR")[guest["id"]] == 4
    named = group.bob.call("PATCH", f"{path}/{guest['id']}", 200, json={"displayName": "Oma"})
    assert named == guest | {"displayName": "Oma"}
    ada = f"{path}/{group.member[group.ada.id]}"
    for target, change, pointer in (
        (ada, {"displayName": "X"}, "/displayName"), (ada, {"role": "viewer"}, "/role"),
        (ada, {"displayName": ""}, "/displayName"), (ada, {"role": "king"}, "/role"),
    ):  # fmt: skip
        problem = group.bob.problem("PATCH", target, 422, "invalid-body", json=change)
        assert [one["pointer"] for one in problem["errors"]] == [pointer]
    both = {"role": "viewer", "displayName": "X"}
    problem = group.bob.problem("PATCH", ada, 422, "invalid-body", json=both)
    assert [one["pointer"] for one in problem["errors"]] == ["/role", "/displayName"]
    group.ada.problem("DELETE", f"{path}/{guest['id']}", 409, "unsettled-balance")
    group.ada.post(f"{group.path}/settlements", {"withMemberId": guest["id"]})
    group.ada.call("DELETE", f"{path}/{guest['id']}", 204)
    assert group.ada.get(group.path)["memberCount"] == 3


def test_a_guest_is_claimed_once_with_all_that_is_open(group: Group) -> None:
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Grandma"})["id"]
    body = {
        "name": "Cake", "amount": money("8.00"),
        "split": {"kind": "equal", "parts": [{"memberId": guest}, {"memberId": group.of_ada}]},
    }  # fmt: skip
    group.ada.post(f"{group.path}/expenses", body)
    path = f"{group.path}/invitations"
    links = [group.ada.post(path, {"link": {"memberId": guest}})["link"] for _ in range(2)]
    assert links[0]["memberId"] == guest and links[0]["usesLeft"] == 1
    dora, eve = Person(group.suite), Person(group.suite)
    first = f"/v1/invitation-links/{links[0]['token']}/acceptance"
    assert dora.post(first, status=200)["memberCount"] == 4
    for link in links:
        other = f"/v1/invitation-links/{link['token']}/acceptance"
        assert eve.send("POST", other).status_code == 404
    (me,) = [one for one in dora.get(f"{group.path}/members")["items"] if one["me"]]
    assert me["id"] == guest and me["displayName"] == dora.username
    assert group.balances("EUR")[guest] == -4
    dora.post(f"{group.path}/settlements", {"withMemberId": group.of_ada})
    # Whoever left has a place of their own, and gets no other.
    other = group.ada.post(f"{group.path}/members", {"displayName": "Grandpa"})["id"]
    link = group.ada.post(path, {"link": {"memberId": other}})["link"]
    dora.call("DELETE", f"{group.path}/members/me", 204)
    address = f"/v1/invitation-links/{link['token']}/acceptance"
    dora.problem("POST", address, 409, "already-member")


def merge(group: Group, guest: str) -> None:
    """Bob is the guest."""
    link = group.ada.post(f"{group.path}/invitations", {"link": {"memberId": guest}})["link"]
    group.bob.post(f"/v1/invitation-links/{link['token']}/acceptance", status=200)


def of_guest(group: Group, guest: str, amount: str = "8.00") -> dict[str, Any]:
    """An expense of Ada's that the guest and Bob bear."""
    parts = [{"memberId": one} for one in (guest, group.of_bob)]
    body = {"name": "x", "amount": money(amount), "split": {"kind": "equal", "parts": parts}}
    return group.ada.post(f"{group.path}/expenses", body)


def test_a_deleted_expense_names_the_member_after_a_merge(group: Group) -> None:
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Bobby"})["id"]
    one, other = (of_guest(group, guest) for _ in range(2))
    paths = [f"{group.path}/expenses/{each['id']}" for each in (one, other)]
    for path in paths:
        group.ada.call("DELETE", path, 204)
    merge(group, guest)
    back = group.cleo.post(f"{paths[0]}/undo", status=200)
    assert {part["memberId"]: value(part["amount"]) for part in back["shares"]} == {group.of_bob: 8}
    balances = group.balances("EUR")
    assert balances[group.of_bob] == -8 and not balances.get(guest)
    actions = [step["action"] for step in group.cleo.get(f"{paths[0]}/history")["items"]]
    assert actions[0] == "restored" and actions[-1] == "added"
    # Parted again, the other one names the guest; the restored one has changed since.
    group.cleo.post(f"{group.path}/members/{guest}/undo", status=204)
    back = group.cleo.post(f"{paths[1]}/undo", status=200)
    assert (back["paidBy"], back["split"]) == (other["paidBy"], other["split"])
    balances = group.balances("EUR")
    assert (balances[group.of_bob], balances[guest]) == (-12, -4)


def test_a_merge_is_not_undone_once_its_member_has_left(group: Group, suite: Suite) -> None:
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Bobby"})["id"]
    merge(group, guest)
    group.bob.call("DELETE", f"{group.path}/members/me", 204)
    undo = f"{group.path}/members/{guest}/undo"
    group.cleo.problem("POST", undo, 409, "member-has-left")
    which = f"group_id = '{group.id}'"
    sql = f"update groups.guest_merge set merged_at = now() - interval '11 min' where {which}"
    suite.postgres.psql("-c", sql, database="ezwallet_groups")
    group.cleo.problem("POST", undo, 409, "undo-expired")
