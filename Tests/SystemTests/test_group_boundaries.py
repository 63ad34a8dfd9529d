"""What groups keep to where somebody means them harm, or has bad luck."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from actions import Group
from client import Person, eventually, money
from faults import connect
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "notifications"]


@pytest.fixture
def group(suite: Suite) -> Group:
    return Group(suite)


def psql(suite: Suite, statement: str) -> str:
    return suite.postgres.psql("-At", "-c", statement, database="ezwallet_groups").strip()


def role_of(group: Group, person: Person) -> str:
    members = group.ada.get(f"{group.path}/members")["items"]
    return next(one["role"] for one in members if one.get("userId") == person.id)


def kinds(person: Person, kind: str) -> list[dict[str, Any]]:
    lines = person.get("/v1/notifications", limit=200)["items"]
    return [one for one in lines if one["kind"] == kind]


def test_a_link_is_shown_to_who_may_let_people_in(group: Group) -> None:
    path = f"{group.path}/invitations"
    lost = group.bob.post(path, {"link": {}})
    group.ada.call("PATCH", group.path, 200, json={"roles": True})
    made = group.ada.post(path, {"link": {}})
    assert [one["id"] for one in group.ada.get(path)["items"] if "link" in one] == [made["id"]]
    # A viewer or editor sees that it is there. Bob's ended when he might send it no more.
    for who in (group.bob, group.cleo):
        seen = {one["id"]: "link" in one for one in who.get(path)["items"]}
        assert seen == {made["id"]: False}
    # Nor is it drawn for them.
    drawn = {
        who.id: [who.send("GET", f"{path}/{one['id']}/picture").status_code for one in (made, lost)]
        for who in (group.ada, group.bob, group.cleo)
    }
    assert list(drawn.values()) == [[200, 404], [404, 404], [404, 404]]


def test_who_comes_back_as_a_viewer_is_one(group: Group) -> None:
    group.ada.call("PATCH", group.path, 200, json={"roles": True})
    cleo = f"{group.path}/members/{group.member[group.cleo.id]}"
    group.ada.call("PATCH", cleo, 200, json={"role": "viewer"})
    link = group.ada.post(f"{group.path}/invitations", {"link": {}})["link"]["token"]
    group.cleo.call("DELETE", f"{group.path}/members/me", 204)
    group.cleo.post(f"/v1/invitation-links/{link}/acceptance", status=200)
    assert role_of(group, group.cleo) == "viewer"
    # Nor does an admin who went come back as one.
    bob = f"{group.path}/members/{group.member[group.bob.id]}"
    group.ada.call("PATCH", bob, 200, json={"role": "admin"})
    group.bob.call("DELETE", f"{group.path}/members/me", 204)
    group.bob.post(f"/v1/invitation-links/{link}/acceptance", status=200)
    assert role_of(group, group.bob) == "editor"


def test_no_link_lets_in_whoever_was_removed(group: Group) -> None:
    path = f"{group.path}/invitations"
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Grandma"})["id"]
    links = [group.ada.post(path, {"link": {}}), group.bob.post(path, {"link": {}})]
    group.ada.call("DELETE", f"{group.path}/members/{guest}", 204)
    assert len(group.ada.get(path)["items"]) == 2
    group.ada.call("DELETE", f"{group.path}/members/{group.member[group.bob.id]}", 204)
    assert group.ada.get(path)["items"] == []
    for one in links:
        address = f"/v1/invitation-links/{one['link']['token']}/acceptance"
        group.bob.problem("POST", address, 404, "not-found")


def test_places_of_those_who_left_are_counted(group: Group) -> None:
    psql(
        group.suite,
        "insert into groups.member (group_id, id, display_name, left_at)"
        f" select '{group.id}', gen_random_uuid(), 'x', now() from generate_series(1, 997)",
    )
    problem = group.ada.problem(
        "POST", f"{group.path}/members", 422, "invalid-body", json={"displayName": "One more"}
    )
    assert problem["errors"][0]["code"] == "too-many"
    link = group.ada.post(f"{group.path}/invitations", {"link": {}})["link"]["token"]
    address = f"/v1/invitation-links/{link}/acceptance"
    Person(group.suite).problem("POST", address, 422, "invalid-body")
    # Whoever has a place has it still.
    group.bob.call("DELETE", f"{group.path}/members/me", 204)
    group.bob.post(address, status=200)


def test_no_place_is_claimed_for_who_is_erased(group: Group) -> None:
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Grandma"})["id"]
    gone = uuid.uuid4()
    psql(group.suite, f"insert into groups.erased_user values ('{gone}', now())")
    with pytest.raises(Exception, match="erased"):
        psql(group.suite, f"update groups.member set user_id = '{gone}' where id = '{guest}'")


def test_an_invitation_that_was_taken_back_is_not_accepted_with_another(group: Group) -> None:
    mother, child = Person(group.suite), Person(group.suite)
    child.verify_email()
    mother.post("/v1/families", {})
    body = {"email": child.email, "role": "parent"}
    sent = mother.post("/v1/families/me/invitations", body)["id"]
    # While the answer waits for the family, a parent takes it back and asks for a child.
    path = f"/v1/invitations/{sent}/acceptance"
    waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
    with ThreadPoolExecutor(1) as pool, connect(group.suite, "ezwallet_groups") as held:
        held.execute("select 1 from groups.family for no key update")
        answering = pool.submit(lambda: child.send("POST", path))
        eventually(lambda: psql(group.suite, waiting), until=lambda count: count != "0")
        held.execute(
            "update groups.invitation set state = 'withdrawn', answered_at = now() where id = %s",
            [sent],
        )
        held.execute(
            "insert into groups.invitation (id, family_id, family_role, name, invited_by,"
            " email_folded, invitee) select gen_random_uuid(), family_id, 'child', name,"
            " invited_by, email_folded, invitee from groups.invitation where id = %s",
            [sent],
        )
        held.commit()
    assert answering.result().status_code == 404
    assert child.send("GET", "/v1/families/me").status_code == 404


def test_who_is_dropped_from_an_expense_is_told(group: Group) -> None:
    expense = group.expense("9.00")
    ada, bob, cleo = group.members
    alone = {"kind": "exact", "parts": [{"memberId": bob, "value": "9.00"}]}
    group.ada.call("PATCH", f"{group.path}/expenses/{expense['id']}", 200, json={"split": alone})
    (line,) = eventually(lambda: kinds(group.cleo, "expense-changed"))
    assert line["amount"] == money("9.00")


def test_a_limit_that_is_raised_tells_again(group: Group) -> None:
    path = f"{group.path}/thresholds"
    limit = group.ada.post(path, {"amount": money("10.00")})["id"]
    group.expense("11.00")
    eventually(lambda: kinds(group.bob, "threshold-crossed"))
    group.ada.call("PATCH", f"{path}/{limit}", 200, json={"amount": money("20.00")})
    group.expense("10.00")
    told = eventually(
        lambda: kinds(group.bob, "threshold-crossed"), until=lambda lines: len(lines) == 2
    )
    assert {one["amount"]["amount"] for one in told} == {"10.00", "20.00"}
    # A lower one has been crossed before, and nobody is told of it again.
    group.ada.call("PATCH", f"{path}/{limit}", 200, json={"amount": money("5.00")})
    group.expense("1.00", name="Last")
    eventually(lambda: len(kinds(group.bob, "expense-added")), until=lambda count: count == 3)
    assert len(kinds(group.bob, "threshold-crossed")) == 2


def test_without_simplified_debts_no_other_debt_goes_with_a_payment(suite: Suite) -> None:
    group = Group(suite)
    group.ada.call("PATCH", group.path, 200, json={"simplifyDebts": False})
    ada, bob, cleo = group.members
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Dora"})["id"]
    for payer, bearer in ((ada, bob), (bob, cleo), (cleo, ada), (ada, guest)):
        body = {
            "name": "x", "amount": money("3.00"),
            "paidBy": [{"memberId": payer, "amount": money("3.00")}],
            "split": {"kind": "equal", "parts": [{"memberId": bearer}]},
        }  # fmt: skip
        group.ada.post(f"{group.path}/expenses", body)
    group.ada.post(f"{group.path}/settlements", {"withMemberId": guest})
    assert len(group.ada.get(f"{group.path}/balances")["debts"]) == 3


def test_a_place_is_told_with_all_its_currencies_or_not(group: Group) -> None:
    psql(
        group.suite,
        "set session_replication_role = replica;"
        " insert into groups.expense (group_id, id, name, amount, currency, day, added_by,"
        " latitude, longitude, payer_ids, paid, bearer_ids, borne, share_values)"
        f" select '{group.id}', gen_random_uuid(), 'x', 100, currency, current_date,"
        f" '{group.of_ada}', place * 1000, 0, array['{group.of_ada}'::uuid], '{{100}}',"
        f" array['{group.of_ada}'::uuid], '{{100}}', '{{}}'"
        " from generate_series(1, 700) place, unnest(array['EUR', 'USD']) currency"
        " where place > 1 or currency = 'EUR'",
    )
    places = group.ada.get(f"{group.path}/positions", groupBy="place")["features"]
    assert 0 < len(places) <= 1000
    by_place: dict[str, int] = {}
    for one in places:
        key = str(one["geometry"]["coordinates"])
        by_place[key] = by_place.get(key, 0) + len(one["properties"]["totals"])
    assert sorted(by_place.values()) == [1] + [2] * (len(places) - 1)
