"""Who is in a group, what they may do there, and how they go."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from actions import EXPORTS, Group, contents, ready
from client import Person, eventually, money, value
from erasures import completed, delete
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "notifications", "ledger", "analytics"]


@pytest.fixture
def group(suite: Suite) -> Group:
    return Group(suite)


def personal(person: Person) -> str:
    return next(f"/v1/groups/{one['id']}" for one in person.pages("/v1/groups") if one["personal"])


def test_a_group_is_renamed_where_its_version_is_the_wanted_one(group: Group) -> None:
    before = group.ada.send("GET", group.path)
    assert before.json()["simplifyDebts"] and not before.json()["roles"]
    stale = {"If-Match": '"77"'}
    group.bob.problem(
        "PATCH", group.path, 412, "precondition-failed", json={"name": "X"}, headers=stale
    )
    body = {"name": "Flat 2", "simplifyDebts": False}
    fresh = {"If-Match": before.headers["etag"]}
    after = group.bob.send("PATCH", group.path, json=body, headers=fresh)
    assert after.status_code == 200 and after.headers["etag"] != before.headers["etag"]
    assert after.json() == before.json() | body
    assert group.cleo.get(group.path) == after.json()
    again = group.bob.send("PATCH", group.path, json=body)
    assert again.headers["etag"] == after.headers["etag"]
    for wrong, pointer in (
        ({"name": ""}, "/name"), ({"name": None}, "/name"), ({"currency": "XXQ"}, "/currency"),
        ({"simplifyDebts": 1}, "/simplifyDebts"), ({"personal": True}, "/personal"),
    ):  # fmt: skip
        problem = group.ada.problem("PATCH", group.path, 422, "invalid-body", json=wrong)
        assert [one["pointer"] for one in problem["errors"]] == [pointer]


def test_the_currency_changes_while_no_limit_is_set_in_it(group: Group) -> None:
    assert group.ada.call("PATCH", group.path, 200, json={"currency": "JPY"})["currency"] == "JPY"
    limit = group.ada.post(f"{group.path}/thresholds", {"amount": money("9", "JPY")})
    problem = group.ada.problem("PATCH", group.path, 422, "invalid-body", json={"currency": "EUR"})
    assert problem["errors"][0]["pointer"] == "/currency"
    group.ada.call("DELETE", f"{group.path}/thresholds/{limit['id']}", 204)
    group.ada.call("PATCH", group.path, 200, json={"currency": "EUR"})


def test_what_is_put_away_is_read_and_does_not_change(group: Group) -> None:
    expense = group.expense("9.00")
    archive = f"{group.path}/archive"
    for _ in range(2):
        assert group.bob.call("PUT", archive, 200)["archivedAt"]
    listed = [one["id"] for one in group.ada.pages("/v1/groups")]
    assert group.id not in listed
    assert [one["id"] for one in group.ada.pages("/v1/groups", archived="true")] == [group.id]
    assert len(group.ada.get(f"{group.path}/expenses")["items"]) == 1
    guest = {"displayName": "Grandma"}
    me = group.ada.get(f"{group.path}/members")["items"][1]["id"]
    for method, path, body in (
        ("PATCH", "", {"name": "X"}), ("POST", "/members", guest),
        ("POST", "/expenses", {"name": "x", "amount": money("1.00")}),
        ("DELETE", f"/expenses/{expense['id']}", None),
        ("POST", "/settlements", {"withMemberId": me}),
        ("POST", "/thresholds", {"amount": money("1.00")}),
        ("POST", "/invitations", {"username": group.bob.username}),
        ("PATCH", f"/members/{me}", {"displayName": "x"}),
    ):  # fmt: skip
        group.ada.problem(method, group.path + path, 409, "group-archived", json=body)
    for _ in range(2):
        assert "archivedAt" not in group.cleo.call("DELETE", archive, 200)
    group.expense("3.00")


def test_a_group_of_one_stays_as_it_is(person: Person) -> None:
    path = personal(person)
    for method, rest, body in (
        ("PATCH", "", {"name": "Mine"}), ("DELETE", "", None), ("PUT", "/archive", None),
        ("POST", "/members", {"displayName": "Guest"}), ("DELETE", "/members/me", None),
        ("POST", "/invitations", {"username": person.username}),
    ):  # fmt: skip
        person.problem(method, path + rest, 409, "default-group", json=body)


def test_only_the_last_one_deletes_a_group_and_the_others_leave_it(group: Group) -> None:
    group.ada.problem("DELETE", group.path, 409, "group-not-empty")
    group.ada.post(f"{group.path}/members", {"displayName": "Grandma"})
    for one in (group.bob, group.cleo):
        one.call("DELETE", f"{group.path}/members/me", 204)
        assert one.send("GET", group.path).status_code == 404
    group.ada.call("DELETE", group.path, 204)
    assert group.ada.send("GET", group.path).status_code == 404
    other = Group(group.suite)
    for one in (other.bob, other.ada, other.cleo):
        one.call("DELETE", f"{other.path}/members/me", 204)
    assert other.cleo.send("GET", other.path).status_code == 404


def test_an_open_balance_stops_whoever_goes_unless_it_is_forced(group: Group) -> None:
    group.expense("9.00")
    bob = f"{group.path}/members/{group.member[group.bob.id]}"
    for path in (bob, f"{group.path}/members/me"):
        group.ada.problem("DELETE", path, 409, "unsettled-balance")
    group.ada.call("DELETE", bob, 204, params={"force": "true"})
    assert group.bob.send("GET", group.path).status_code == 404
    assert group.ada.send("DELETE", bob).status_code == 404
    # What is open stays, under a name, and can be settled.
    assert group.balances("EUR", group.ada)[group.of_bob] == -3
    names = group.ada.get(f"{group.path}/members")["items"]
    everybody = group.ada.get(f"{group.path}/members", left="true")["items"]
    (gone,) = [one for one in everybody if one not in names]
    assert gone["displayName"] == group.bob.username and gone["leftAt"] and "userId" not in gone
    group.ada.post(f"{group.path}/settlements", {"withMemberId": gone["id"]})
    assert group.balances("EUR", group.ada).get(gone["id"], 0) == 0
    # Whoever comes back has their own place again.
    sent = group.ada.post(f"{group.path}/invitations", {"username": group.bob.username})
    group.bob.post(f"/v1/invitations/{sent['id']}/acceptance", status=200)
    back = [one for one in group.bob.get(f"{group.path}/members")["items"] if one["me"]]
    assert [one["id"] for one in back] == [gone["id"]]


def test_whoever_is_even_on_the_whole_goes_and_leaves_nothing_open(suite: Suite) -> None:
    group = Group(suite)
    ada, bob, cleo = group.members
    # Cleo owes Bob 6, and Bob owes Ada 6: Bob is even.
    for payer, bearer in ((group.bob, cleo), (group.ada, bob)):
        body = {
            "name": "x", "amount": money("6.00"),
            "split": {"kind": "equal", "parts": [{"memberId": bearer}]},
        }  # fmt: skip
        payer.post(f"{group.path}/expenses", body)
    group.bob.call("DELETE", f"{group.path}/members/me", 204)
    (debt,) = group.ada.get(f"{group.path}/balances")["debts"]
    assert (debt["fromMemberId"], debt["toMemberId"]) == (cleo, ada)
    assert value(debt["amount"]) == 6


def test_without_simplified_debts_everybody_pays_whom_they_owe(suite: Suite) -> None:
    group = Group(suite)
    ada, bob, cleo = group.members
    group.ada.call("PATCH", group.path, 200, json={"simplifyDebts": False})
    for payer, bearer in ((group.bob, cleo), (group.ada, bob)):
        body = {
            "name": "x", "amount": money("6.00"),
            "split": {"kind": "equal", "parts": [{"memberId": bearer}]},
        }  # fmt: skip
        payer.post(f"{group.path}/expenses", body)
    plan = group.ada.get(f"{group.path}/balances")["simplified"]
    ways = sorted((one["fromMemberId"], one["toMemberId"]) for one in plan)
    assert ways == sorted([(cleo, bob), (bob, ada)])
    group.bob.problem("DELETE", f"{group.path}/members/me", 409, "unsettled-balance")
    body = {"withMemberId": ada}
    group.cleo.problem("POST", f"{group.path}/settlements", 409, "nothing-to-settle", json=body)
    group.ada.call("PATCH", group.path, 200, json={"simplifyDebts": True})
    group.cleo.post(f"{group.path}/settlements", body)


def test_what_nobody_speaks_for_any_more_is_settled_by_any_member(group: Group) -> None:
    path, settlements = f"{group.path}/members", f"{group.path}/settlements"
    guests = [group.ada.post(path, {"displayName": name})["id"] for name in ("Oma", "Opa")]
    erased = group.cleo
    sides = [*guests, group.member[erased.id]]
    for payer, bearer in ((0, 1), (2, 0)):
        group.bob.post(
            f"{group.path}/expenses",
            {
                "name": "Cake", "amount": money("8.00"),
                "paidBy": [{"memberId": sides[payer], "amount": money("8.00")}],
                "split": {"kind": "equal", "parts": [{"memberId": sides[bearer]}]},
            },
        )  # fmt: skip
    between = {"memberId": sides[1], "withMemberId": sides[2]}
    problem = group.bob.problem("POST", settlements, 422, "invalid-body", json=between)
    assert [one["pointer"] for one in problem["errors"]] == ["/withMemberId"]
    group.ada.call("DELETE", f"{path}/{sides[1]}", 204, params={"force": "true"})
    delete(erased)
    eventually(lambda: "Deleted user" in str(group.ada.get(path, left="true")))
    assert {sides[1]: -8, sides[2]: 8} == {
        side: amount for side, amount in group.balances("EUR").items() if amount
    }
    assert group.bob.post(settlements, between)["payments"][0]["amount"] == money("8.00")
    assert not any(group.balances("EUR").values())


def test_roles_decide_where_a_group_has_them(group: Group) -> None:
    bob, cleo = (f"{group.path}/members/{group.member[one.id]}" for one in (group.bob, group.cleo))
    group.ada.call("PATCH", group.path, 200, json={"roles": True})
    members = group.ada.get(f"{group.path}/members")["items"]
    assert [one["role"] for one in members] == ["admin", "editor", "editor"]
    group.ada.call("PATCH", cleo, 200, json={"role": "viewer"})
    expense = {"name": "x", "amount": money("1.00")}
    one = group.bob.post(f"{group.path}/expenses", expense)
    for who, method, path, body in (
        (group.cleo, "POST", f"{group.path}/expenses", expense),
        (group.cleo, "DELETE", f"{group.path}/expenses/{one['id']}", None),
        (group.cleo, "POST", f"{group.path}/thresholds", {"amount": money("1.00")}),
        (group.bob, "PATCH", group.path, {"name": "Mine"}),
        (group.bob, "PUT", f"{group.path}/archive", None),
        (group.bob, "DELETE", cleo, None),
        (group.bob, "PATCH", bob, {"role": "admin"}),
        (group.bob, "POST", f"{group.path}/members", {"displayName": "Guest"}),
        (group.bob, "POST", f"{group.path}/invitations", {"username": group.ada.username}),
    ):
        who.problem(method, path, 403, "forbidden", json=body)
    me = f"{group.path}/members/{group.member[group.ada.id]}"
    group.ada.problem("PATCH", me, 409, "last-admin", json={"role": "editor"})
    # The last admin's place goes to whoever edits.
    group.ada.call("DELETE", f"{group.path}/members/me", 204)
    members = group.bob.get(f"{group.path}/members")["items"]
    assert [one["role"] for one in members] == ["admin", "viewer"]
    group.bob.call("PATCH", group.path, 200, json={"roles": False})
    group.cleo.post(f"{group.path}/expenses", expense)


def test_an_invitation_is_taken_back_by_a_member(group: Group) -> None:
    dora = Person(group.suite)
    path = f"{group.path}/invitations"
    sent = group.ada.post(path, {"username": dora.username})
    dora.problem("DELETE", f"{path}/{sent['id']}", 404, "not-found")
    group.bob.call("DELETE", f"{path}/{sent['id']}", 204)
    group.bob.problem("DELETE", f"{path}/{sent['id']}", 404, "not-found")
    assert dora.get("/v1/invitations")["items"] == []
    dora.problem("POST", f"/v1/invitations/{sent['id']}/acceptance", 404, "not-found")
    group.ada.post(path, {"username": dora.username})


def test_strangers_and_those_who_left_see_nothing_of_a_group(group: Group) -> None:
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Grandma"})["id"]
    stranger = Person(group.suite)
    group.bob.call("DELETE", f"{group.path}/members/me", 204)
    for one in (stranger, group.bob):
        for method, path, body in (
            ("GET", "", None), ("PATCH", "", {"name": "x"}), ("DELETE", "", None),
            ("PUT", "/archive", None), ("DELETE", "/archive", None), ("GET", "/members", None),
            ("POST", "/members", {"displayName": "x"}), ("DELETE", "/members/me", None),
            ("PATCH", f"/members/{guest}", {"displayName": "x"}),
            ("DELETE", f"/members/{guest}", None), ("GET", "/expenses", None),
            ("GET", "/balances", None), ("GET", "/settlements", None), ("GET", "/thresholds", None),
            ("GET", "/invitations", None),
        ):  # fmt: skip
            one.problem(method, group.path + path, 404, "not-found", json=body)


def test_a_link_lets_in_as_many_as_it_says_until_it_ends(group: Group) -> None:
    path = f"{group.path}/invitations"
    made = group.ada.post(path, {"link": {"uses": 2}})
    token, link = made["link"]["token"], f"/v1/invitation-links/{made['link']['token']}"
    assert made["link"]["url"].endswith(f"/invitation?token={token}") and "invitee" not in made
    assert group.bob.get(path)["items"] == [made]
    comers = [Person(group.suite) for _ in range(5)]
    seen = comers[0].get(link)
    assert (seen["name"], seen["groupId"], seen["kind"]) == ("Flat", group.id, "group")
    assert "link" not in seen and comers[0].send("GET", group.path).status_code == 404
    group.bob.problem("POST", f"{link}/acceptance", 409, "already-member")
    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(lambda one: one.send("POST", f"{link}/acceptance"), comers))
    assert sorted(one.status_code for one in answers) == [200, 200, 404, 404, 404]
    assert group.ada.get(group.path)["memberCount"] == 5
    assert comers[0].send("GET", link).status_code == 404 and group.ada.get(path)["items"] == []
    # Taken back, run out, and forged.
    many = group.ada.post(path, {"link": {}})
    address = f"/v1/invitation-links/{many['link']['token']}"
    group.bob.call("DELETE", f"{path}/{many['id']}", 204)
    late = group.ada.post(path, {"link": {}})
    group.suite.postgres.psql(
        "-c", f"update groups.invitation set expires_at = now() where id = '{late['id']}'",
        database="ezwallet_groups",
    )  # fmt: skip
    stranger = Person(group.suite)
    forged = token[:-1] + ("A" if token[-1] != "A" else "Q")
    for dead in (address, f"/v1/invitation-links/{late['link']['token']}",
                 f"/v1/invitation-links/{forged}", "/v1/invitation-links/x"):  # fmt: skip
        assert stranger.send("GET", dead).status_code == 404
        assert stranger.send("POST", f"{dead}/acceptance").status_code == 404
    assert group.ada.get(path)["items"] == []


@pytest.mark.parametrize("by", ["username", "email"])
@pytest.mark.parametrize("as_guest", [False, True])
def test_who_comes_by_a_link_is_asked_no_more(group: Group, by: str, as_guest: bool) -> None:
    dora = Person(group.suite)
    dora.verify_email()
    path = f"{group.path}/invitations"
    named = group.bob.post(path, {by: getattr(dora, by)})
    link: dict = {}
    if as_guest:
        guest = group.ada.post(f"{group.path}/members", {"displayName": "Grandma"})["id"]
        link = {"memberId": guest}
    made = group.ada.post(path, {"link": link})
    assert [one["id"] for one in dora.get("/v1/invitations")["items"]] == [named["id"]]
    token = made["link"]["token"]
    dora.post(f"/v1/invitation-links/{token}/acceptance", status=200)
    assert dora.get("/v1/invitations")["items"] == []
    left = [one["id"] for one in group.ada.get(path)["items"]]
    # Whose the address is is not told: for its sender it is as before.
    asked = [(group.ada, made)] + [(group.bob, named)] * (by == "username")
    assert left == ([] if as_guest else [made["id"]]) + [named["id"]] * (by == "email")
    # Each who has asked by name hears of it, once, and of their own.
    for one, invitation in asked:
        (told,) = eventually(
            lambda one=one: [
                line
                for line in one.get("/v1/notifications")["items"]
                if line["kind"] == "invitation-answered" and line.get("userId") == dora.id
            ]
        )
        assert told["accepted"] is True and told["invitationId"] == invitation["id"]


@pytest.mark.parametrize("end", ["leaves", "is removed", "is demoted", "roles begin", "is erased"])
def test_invitations_and_links_end_with_their_senders_right(group: Group, end: str) -> None:
    ada, bob, dora, path = group.ada, group.bob, Person(group.suite), f"{group.path}/invitations"
    dora.verify_email()
    place = f"{group.path}/members/{group.of_bob}"
    if end == "is demoted":
        ada.call("PATCH", group.path, 200, json={"roles": True})
        ada.call("PATCH", place, 200, json={"role": "admin"})
    guest = ada.post(f"{group.path}/members", {"displayName": "Grandma"})["id"]
    asked = [bob.post(path, {by: getattr(dora, by)}) for by in ("username", "email")]
    links = [bob.post(path, {"link": link}) for link in ({}, {"memberId": guest})]
    # What somebody else has sent stays.
    other = ada.post(path, {"email": "somebody@example.org"})
    assert len(dora.get("/v1/invitations")["items"]) == 2
    match end:
        case "leaves":
            bob.call("DELETE", f"{group.path}/members/me", 204)
        case "is removed":
            ada.call("DELETE", place, 204)
        case "is demoted":
            ada.call("PATCH", place, 200, json={"role": "editor"})
        case "roles begin":
            ada.call("PATCH", group.path, 200, json={"roles": True})
        case "is erased":
            completed(group.suite, delete(bob))
    assert dora.get("/v1/invitations")["items"] == []
    for one in asked:
        dora.problem("POST", f"/v1/invitations/{one['id']}/acceptance", 404, "not-found")
    for one in links:
        address = f"/v1/invitation-links/{one['link']['token']}"
        dora.problem("GET", address, 404, "not-found")
        dora.problem("POST", f"{address}/acceptance", 404, "not-found")
        ada.problem("GET", f"{path}/{one['id']}/picture", 404, "not-found")
    assert ada.get(path)["items"] == [other]
    if end != "is erased":
        for one in asked + links:
            bob.problem("GET", f"/v1/invitations/{one['id']}", 404, "not-found")
    if end in ("is demoted", "roles begin"):
        # What has ended does not begin again with the right.
        ada.call("PATCH", place, 200, json={"role": "admin"})
        dora.problem("POST", f"/v1/invitations/{asked[0]['id']}/acceptance", 404, "not-found")
    assert ada.get(group.path)["memberCount"] == (4 if end in ("is demoted", "roles begin") else 3)


def test_who_leaves_and_is_accepted_at_once_is_in_an_order(group: Group) -> None:
    """Whoever came, came before the sender had gone: the change of the group that counts."""
    comers = [Person(group.suite) for _ in range(6)]
    path = f"{group.path}/invitations"
    asked = [group.bob.post(path, {"username": one.username})["id"] for one in comers]
    calls = [lambda: group.bob.send("DELETE", f"{group.path}/members/me")] + [
        lambda one=one, id=id: one.send("POST", f"/v1/invitations/{id}/acceptance")
        for one, id in zip(comers, asked, strict=True)
    ]
    with ThreadPoolExecutor(len(calls)) as pool:
        answers = list(pool.map(lambda call: call(), calls))
    assert answers[0].status_code == 204
    assert {one.status_code for one in answers[1:]} <= {200, 404}
    came = sum(one.status_code == 200 for one in answers)
    assert group.ada.get(group.path)["memberCount"] == 2 + came
    assert group.ada.get(path)["items"] == []


def test_an_archived_group_takes_nobody_in(group: Group) -> None:
    ada, path = group.ada, f"{group.path}/invitations"
    dora, eve = Person(group.suite), Person(group.suite)
    eve.verify_email()
    guest = ada.post(f"{group.path}/members", {"displayName": "Grandma"})["id"]
    asked = [ada.post(path, who)["id"] for who in ({"username": dora.username},
                                                   {"email": eve.email})]  # fmt: skip
    links = [ada.post(path, {"link": link})["link"]["token"] for link in ({}, {"memberId": guest})]
    ada.call("PUT", f"{group.path}/archive", 200)
    ways = [(dora, f"/v1/invitations/{asked[0]}"), (eve, f"/v1/invitations/{asked[1]}")]
    ways += [(dora, f"/v1/invitation-links/{token}") for token in links]
    for one, way in ways:
        one.problem("POST", f"{way}/acceptance", 409, "group-archived")
    assert ada.get(group.path)["memberCount"] == 4
    ada.call("DELETE", f"{group.path}/archive", 200)
    for one, way in ways[:2]:
        one.post(f"{way}/acceptance", status=200)


def test_an_old_invitation_does_not_bring_back_who_was_removed(group: Group) -> None:
    group.bob.verify_email()
    path = f"{group.path}/invitations"
    old = group.cleo.post(path, {"email": group.bob.email})
    group.ada.call("DELETE", f"{group.path}/members/{group.of_bob}", 204)
    assert group.bob.get("/v1/invitations")["items"] == []
    group.bob.problem("POST", f"/v1/invitations/{old['id']}/acceptance", 404, "not-found")
    assert group.cleo.get(path)["items"] == [old]
    new = group.cleo.post(path, {"username": group.bob.username})["id"]
    group.bob.post(f"/v1/invitations/{new}/acceptance", status=200)


def test_nobody_who_has_left_owes_more_by_a_write_of_others(group: Group) -> None:
    ada, bob, path = group.ada, group.bob, f"{group.path}/expenses"
    one = group.expense("9.00")
    gone = group.expense("6.00")
    paid = bob.post(path, {"name": "Tea", "amount": money("6.00"), "split": one["split"]})
    back = ada.post(f"{group.path}/settlements", {"withMemberId": group.of_bob,
                                                  "amount": money("1.00")})  # fmt: skip
    category = ada.post(f"{group.path}/categories", {"name": "Tea"})["id"]
    ada.call("PATCH", f"{path}/{paid['id']}", 200, json={"categoryId": category})
    ada.call("DELETE", f"{group.path}/members/{group.of_bob}", 204, params={"force": "true"})
    before = group.balances("EUR", ada)

    def exact(amount: str, **shares: str) -> dict:
        parts = [{"memberId": getattr(group, f"of_{who}"), "value": part}
                 for who, part in shares.items()]  # fmt: skip
        return {"amount": money(amount), "split": {"kind": "exact", "parts": parts}}

    first, tea = f"{path}/{one['id']}", f"{path}/{paid['id']}"
    for change in (
        exact("9000.00", ada="0.00", bob="9000.00"), {"amount": money("12.00")},
        {"amount": money("9.00", "USD")}, exact("9.00", ada="5.99", bob="3.01"),
        {"paidBy": [{"memberId": group.of_ada, "amount": money("9.00")}]}
        | exact("9.00", bob="9.00"),
    ):  # fmt: skip
        ada.problem("PATCH", first, 409, "member-has-left", json=change)
    # What they paid is not another's, and is not less.
    for change in (
        {"paidBy": [{"memberId": group.of_ada, "amount": money("6.00")}]},
        {"amount": money("3.00")},
    ):
        ada.problem("PATCH", tea, 409, "member-has-left", json=change)
    ada.problem("DELETE", tea, 409, "member-has-left")
    ada.problem(
        "DELETE", f"{group.path}/categories/{category}", 409, "member-has-left",
        params={"transactions": "delete"},
    )  # fmt: skip
    ada.problem("DELETE", f"{group.path}/settlements/{back['id']}", 409, "member-has-left")
    assert group.balances("EUR", ada) == before
    # Words change, and shares fall; what fell does not rise again.
    ada.call("PATCH", first, 200, json={"name": "Rent of May"})
    ada.call("PATCH", first, 200, json=exact("9.00", ada="6.50", bob="2.50"))
    ada.problem("PATCH", first, 409, "member-has-left", json=exact("9.00", ada="6.00", bob="3.00"))
    ada.call("DELETE", f"{path}/{gone['id']}", 204)
    ada.problem("POST", f"{path}/{gone['id']}/undo", 409, "member-has-left")
    # Back in the group they answer for themselves.
    asked = ada.post(f"{group.path}/invitations", {"username": bob.username})["id"]
    bob.post(f"/v1/invitations/{asked}/acceptance", status=200)
    ada.call("PATCH", first, 200, json=exact("9.00", ada="6.00", bob="3.00"))
    ada.post(f"{path}/{gone['id']}/undo", status=200)


def test_a_bad_link_is_refused_by_its_field(group: Group) -> None:
    path = f"{group.path}/invitations"
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Grandma"})["id"]
    past = "2020-01-01T00:00:00Z"
    for body, *pointers in (
        ({"link": {"uses": 0}}, "/link/uses"),
        ({"link": {"expiresAt": past}}, "/link/expiresAt"),
        ({"link": {"expiresAt": "2099-01-01T00:00:00Z"}}, "/link/expiresAt"),
        ({"link": {"memberId": group.of_bob}}, "/link/memberId"),
        ({"link": {"memberId": guest, "uses": 2}}, "/link/uses"),
        ({"link": {}, "username": group.bob.username}, "/link"),
        # All at once.
        ({"link": {"memberId": group.of_bob, "uses": 2, "expiresAt": past}},
         "/link/expiresAt", "/link/memberId", "/link/uses"),
    ):  # fmt: skip
        problem = group.ada.problem("POST", path, 422, "invalid-body", json=body)
        assert [one["pointer"] for one in problem["errors"]] == pointers
    for _ in range(20):
        group.ada.post(path, {"link": {}})
    problem = group.ada.problem("POST", path, 422, "invalid-body", json={"link": {}})
    assert problem["errors"][0]["code"] == "too-many"


def test_a_file_of_who_left_holds_what_they_saw_and_nothing_later(group: Group) -> None:
    group.expense("9.00", name="Before")
    group.bob.call("DELETE", f"{group.path}/members/me", 204, params={"force": "true"})
    later = group.expense("6.00", name="Behind their back", among=[group.of_ada, group.of_cleo])
    assert later["shares"]
    export = ready(group.bob, group.bob.post(EXPORTS, status=202))
    lists, _ = contents(group.bob, export)
    assert [one["name"] for one in lists["expenses"]] == ["Before"]
    (left,) = [one for one in lists["groups"] if not one["personal"]]
    assert left["leftAt"] and left["balances"] == [money("-3.00")]
