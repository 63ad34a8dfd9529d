"""Groups from outside: who may what, what is refused and how, and what a repeated call gets."""

import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from actions import Group
from client import Person, eventually, mail_text, mails, money, value
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "notifications"]


@pytest.fixture(scope="module")
def group(suite: Suite) -> Group:
    return Group(suite)


def test_a_group_is_listed_found_and_read_by_its_members(suite: Suite) -> None:
    ada = Person(suite, currency="USD")
    names = [f"Trip {number}" for number in range(5)]
    made = [ada.post("/v1/groups", {"name": name}) for name in names]
    assert {one["currency"] for one in made} == {"USD"} and not any(one["personal"] for one in made)
    listed = list(ada.pages("/v1/groups", limit=2))
    assert [one["name"] for one in listed][:5] == names[::-1] and len(listed) == 6
    assert [one["name"] for one in ada.get("/v1/groups", query="TRIP 3")["items"]] == ["Trip 3"]
    assert ada.get("/v1/groups", query="%")["items"] == []
    answer = ada.send("GET", f"/v1/groups/{made[0]['id']}")
    assert answer.json() == made[0] and answer.headers["etag"]
    assert ada.send("GET", "/v1/groups/nonsense").status_code == 404


def test_a_person_makes_1000_groups_at_most(suite: Suite) -> None:
    ada = Person(suite)
    made = ada.post("/v1/groups", {"name": "First"})
    suite.postgres.psql(
        "-c",
        "insert into groups.expense_group (id, name, currency, created_by)"
        f" select gen_random_uuid(), 'Many', 'EUR', created_by from groups.expense_group,"
        f" generate_series(1, 999) where id = '{made['id']}'",
        database="ezwallet_groups",
    )
    told = ada.problem("POST", "/v1/groups", 422, "invalid-body", json={"name": "More"})
    assert [error["code"] for error in told["errors"]] == ["too-many"]


def test_invitations_are_asked_once_answered_once_and_told(suite: Suite) -> None:
    ada, bob = Person(suite, firstName="Ada", lastName="Byron"), Person(suite)
    group = f"/v1/groups/{ada.post('/v1/groups', {'name': 'Club'})['id']}"
    path = f"{group}/invitations"
    sent = ada.post(path, {"username": bob.username.upper()})
    assert sent["invitee"] == bob.username.upper() and sent["invitedBy"] == "Ada Byron"
    ada.problem("POST", path, 409, "already-invited", json={"username": bob.username})
    ada.problem("POST", path, 409, "already-member", json={"username": ada.username})
    ada.problem("POST", path, 404, "user-not-found", json={"username": "nobody-at-all"})
    ada.problem("POST", path, 422, "invalid-body", json={"email": "no address"})
    ada.problem("POST", path, 422, "invalid-body", json={})
    bob.problem("POST", path, 404, "not-found", json={"username": ada.username})
    (listed,) = ada.get(path)["items"]
    assert listed == sent
    (mine,) = bob.get("/v1/invitations")["items"]
    assert "invitee" not in mine and mine["id"] == sent["id"]
    answer = f"/v1/invitations/{sent['id']}"
    ada.problem("POST", f"{answer}/acceptance", 404, "not-found")
    bob.call("POST", f"{answer}/rejection", 204)
    bob.problem("POST", f"{answer}/acceptance", 404, "not-found")
    assert bob.get("/v1/invitations")["items"] == [] and ada.get(path)["items"] == []
    assert bob.send("GET", group).status_code == 404
    (told,) = eventually(
        lambda: [
            one
            for one in ada.get("/v1/notifications")["items"]
            if one["kind"] == "invitation-answered"
        ]
    )
    assert told["accepted"] is False and told["userId"] == bob.id and "rejected" in told["text"]
    again = ada.post(path, {"username": bob.username})
    key = str(uuid.uuid4())
    accepted = [
        bob.send("POST", f"/v1/invitations/{again['id']}/acceptance", key=key) for _ in range(2)
    ]
    assert [one.status_code for one in accepted] == [200, 200]
    assert accepted[1].headers["idempotency-replayed"] == "true"
    assert accepted[0].json() == accepted[1].json()
    assert accepted[0].json()["group"]["memberCount"] == 2
    ada.problem("POST", path, 409, "already-member", json={"username": bob.username})
    names = [one["displayName"] for one in bob.get(f"{group}/members")["items"]]
    assert names == ["Ada Byron", bob.username]


def answer_told(asker: Person, invitation: str) -> dict:
    (told,) = eventually(
        lambda: [
            one
            for one in asker.get("/v1/notifications")["items"]
            if one["kind"] == "invitation-answered" and one["invitationId"] == invitation
        ]
    )
    return told


@pytest.mark.parametrize("answer", ["acceptance", "rejection"])
@pytest.mark.parametrize("kind", ["group", "family", "wallet", "folder"])
def test_whoever_has_asked_reads_who_answered_what_and_to_what(
    suite: Suite, kind: str, answer: str
) -> None:
    ada, bob = Person(suite), Person(suite, firstName="Bob", lastName="Jones")
    for one in (ada, bob):
        one.verify_email()
    if kind == "family":
        thing = ada.post("/v1/families", {"name": "Byron"})["id"]
        path, body = "/v1/families/me", {"email": bob.email, "role": "parent"}
    else:
        root = {"group": "groups", "wallet": "accounts", "folder": "folders"}[kind]
        thing = ada.post(f"/v1/{root}", {"name": "Byron"})["id"]
        path, body = f"/v1/{root}/{thing}", {"username": bob.username}
    sent = ada.post(f"{path}/{'members' if kind == 'wallet' else 'invitations'}", body)
    asked = f"/v1/invitations/{sent['id']}"
    assert ada.get(asked) == sent and sent["state"] == "open"
    hidden = {"invitee", "link"}
    mine = {key: value for key, value in sent.items() if key not in hidden}
    assert bob.get(asked) == mine
    ada.problem("GET", f"/v1/invitations/{uuid.uuid4()}", 404, "not-found")
    Person(suite).problem("GET", asked, 404, "not-found")
    assert bob.send("POST", f"{asked}/{answer}").is_success
    bob.problem("GET", asked, 404, "not-found")
    # Who says no to an address does not tell whose it is.
    is_named = answer == "acceptance" or "username" in body
    told = answer_told(ada, sent["id"])
    assert told.get("userId") == (bob.id if is_named else None)
    named = {"wallet": "accountId"}.get(kind, f"{kind}Id")
    assert told[named] == thing and told["invitationId"] == sent["id"]
    assert told["accepted"] is (answer == "acceptance")
    read = ada.get(f"/v1/invitations/{told['invitationId']}")
    state = {"acceptance": "accepted", "rejection": "rejected"}[answer]
    name = "Bob Jones" if is_named else None
    assert (read["state"], read.get("answeredBy"), read["name"]) == (state, name, "Byron")
    assert read["answeredAt"] >= read["createdAt"]


def test_what_was_asked_of_a_group_is_not_read_by_who_has_left_it(suite: Suite) -> None:
    group = Group(suite)
    dora = Person(suite)
    sent = group.bob.post(f"{group.path}/invitations", {"username": dora.username})
    path = f"/v1/invitations/{sent['id']}"
    dora.call("POST", f"{path}/rejection", 204)
    assert group.bob.get(path)["answeredBy"] == dora.username
    group.ada.problem("GET", path, 404, "not-found")
    group.bob.call("DELETE", f"{group.path}/members/me", 204)
    group.bob.problem("GET", path, 404, "not-found")


def test_an_invitation_by_address_is_seen_by_who_has_proved_it(suite: Suite) -> None:
    ada, bob = Person(suite), Person(suite)
    body = {"name": "Post", "invitations": [{"email": bob.email.upper()}]}
    ada.post("/v1/groups", body)
    assert bob.get("/v1/invitations")["items"] == []
    # The domain in its one form, the local part as it was written.
    local, domain = bob.email.split("@")
    (mail,) = eventually(lambda: mails(suite, f"{local.upper()}@{domain}"))
    assert "Post" in mail["subject"] and ada.username in mail_text(mail)
    bob.verify_email()
    (mine,) = bob.get("/v1/invitations")["items"]
    bob.post(f"/v1/invitations/{mine['id']}/acceptance", status=200)


def test_every_bad_invitation_of_a_new_group_is_named(ada: Person, person: Person) -> None:
    one = {"username": ada.username}
    for invitations, pointers in (
        ([one, one], ["/invitations/1"]),
        ([{"username": person.username}], ["/invitations/0"]),
        ([{}, {"email": "nobody"}], ["/invitations/0/username", "/invitations/1/email"]),
        ([one | {"email": ada.email}], ["/invitations/0/email"]),
    ):
        body = {"name": "Bad", "invitations": invitations}
        problem = person.problem("POST", "/v1/groups", 422, "invalid-body", json=body)
        assert [error["pointer"] for error in problem["errors"]] == pointers
    assert len(person.get("/v1/groups")["items"]) == 1


def test_expenses_are_paged_filtered_and_removed_by_any_member(suite: Suite) -> None:
    group = Group(suite)
    path = f"{group.path}/expenses"
    for number in range(7):
        body = {
            "name": f"Thing {number}",
            "amount": money("3.00"),
            "date": f"2026-01-{10 + number // 2}",
            "description": "for the flat" if number == 3 else "",
        }
        (group.ada if number % 2 else group.bob).post(path, body)
    listed = list(group.cleo.pages(path, limit=2))
    names = [one["name"] for one in listed]
    assert names == [f"Thing {number}" for number in (6, 5, 4, 3, 2, 1, 0)]
    assert len(group.ada.get(path, mine="true")["items"]) == 3
    some = group.ada.get(path, **{"from": "2026-01-11", "to": "2026-01-11"})["items"]
    assert [one["name"] for one in some] == ["Thing 3", "Thing 2"]
    assert [one["name"] for one in group.ada.get(path, query="FLAT")["items"]] == ["Thing 3"]
    assert group.ada.send("GET", path, params={"cursor": "x"}).status_code == 400
    one = f"{path}/{listed[0]['id']}"
    answer = group.cleo.send("GET", one)
    assert answer.json() == listed[0] and answer.headers["etag"] == '"1"'
    stale = {"If-Match": '"7"'}
    group.cleo.problem("DELETE", one, 412, "precondition-failed", headers=stale)
    group.cleo.call("DELETE", one, 204, headers={"If-Match": '"1"'})
    assert group.cleo.send("GET", one).status_code == 404
    assert group.cleo.send("DELETE", one).status_code == 404


def test_a_split_of_every_kind_and_several_payers(suite: Suite) -> None:
    group = Group(suite)
    ada, bob, cleo = group.members

    def add(kind: str, *parts: tuple[str, str]) -> dict:
        body = {
            "name": kind,
            "amount": money("100.00"),
            "paidBy": [
                {"memberId": ada, "amount": money("60.00")},
                {"memberId": bob, "amount": money("40.00")},
            ],
            "split": {
                "kind": kind,
                "parts": [{"memberId": member, "value": number} for member, number in parts],
            },
        }
        made = group.ada.post(f"{group.path}/expenses", body)
        assert made["split"] == body["split"] and made["paidBy"] == body["paidBy"]
        return [one["amount"]["amount"] for one in made["shares"]]

    assert add("exact", (cleo, "99.99"), (bob, "0.01")) == ["99.99", "0.01"]
    third = "33.333333"
    assert add("percent", (ada, third), (bob, third), (cleo, "33.333334")) == [
        "33.33", "33.33", "33.34",
    ]  # fmt: skip
    assert add("shares", (cleo, "1"), (ada, "0.5")) == ["66.67", "33.33"]
    answer = group.cleo.get(f"{group.path}/balances")
    balances = group.balances("EUR")
    assert sum(balances.values()) == 0 and balances[cleo] == -Decimal("200.00")
    for list_of_debts in (answer["debts"], answer["simplified"]):
        owed = sum(value(one["amount"]) for one in list_of_debts if one["fromMemberId"] == cleo)
        assert owed == Decimal("200.00")
    assert all(one["expenseIds"] for one in answer["debts"])


def test_bad_expenses_name_every_bad_field(group: Group, person: Person) -> None:
    stranger = str(uuid.uuid4())
    body = {
        "name": "Bad",
        "amount": money("10.00"),
        "paidBy": [{"memberId": group.of_ada, "amount": money("10.00", "USD")}],
        "split": {
            "kind": "equal",
            "parts": [{"memberId": group.of_bob}] * 2 + [{"memberId": stranger}],
        },
    }
    path = f"{group.path}/expenses"
    problem = group.ada.problem("POST", path, 422, "invalid-body", json=body)
    assert {(one["pointer"], one["code"]) for one in problem["errors"]} == {
        ("/paidBy/0/amount/currency", "currency-mismatch"),
        ("/split/parts/1/memberId", "duplicate"),
        ("/split/parts/2/memberId", "unknown-reference"),
    }
    good = {"name": "Good", "amount": money("1.00")}
    person.problem("POST", path, 404, "not-found", json=good)
    bad = good | {"amount": money("0.00")}
    group.ada.problem("POST", path, 422, "invalid-body", json=bad)


def test_a_key_has_one_effect_across_replicas(suite: Suite) -> None:
    group = Group(suite)
    path, key = f"{group.path}/expenses", str(uuid.uuid4())
    body = {"name": "Once", "amount": money("9.00")}
    with ThreadPoolExecutor(8) as pool:
        answers = list(
            pool.map(lambda _: group.ada.send("POST", path, key=key, json=body), range(16))
        )
    assert {one.status_code for one in answers} == {201}
    assert len({one.json()["id"] for one in answers}) == 1
    assert len({one.headers["location"] for one in answers}) == 1
    assert sum("idempotency-replayed" not in one.headers for one in answers) == 1
    assert len(group.ada.get(path)["items"]) == 1
    other = body | {"name": "Twice"}
    group.ada.problem("POST", path, 422, "idempotency-key-reused", key=key, json=other)


def test_settlements_are_listed_and_taken_once_of_many(suite: Suite) -> None:
    group = Group(suite)
    group.expense("90.00")
    path = f"{group.path}/settlements"
    body = {"withMemberId": group.of_ada, "amount": money("30.00")}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: group.bob.send("POST", path, json=body), range(8)))
    assert sorted(one.status_code for one in answers) == [201] + [409] * 7
    group.ada.post(path, {"withMemberId": group.of_cleo})
    newest, first = group.bob.get(path)["items"]
    assert newest["recordedBy"] == group.of_ada
    assert newest["payments"] == [
        {"fromMemberId": group.of_cleo, "toMemberId": group.of_ada, "amount": money("30.00")}
    ]
    assert first["payments"][0]["fromMemberId"] == group.of_bob
    assert group.balances("EUR") == dict.fromkeys(group.members, 0)
    for other, code in ((group.of_bob, "conflict"), (str(uuid.uuid4()), "unknown-reference")):
        problem = group.bob.problem("POST", path, 422, "invalid-body", json={"withMemberId": other})
        assert [one["code"] for one in problem["errors"]] == [code]


def test_any_member_writes_down_what_guests_pay_each_other(suite: Suite) -> None:
    group, other = Group(suite), Group(suite)
    names = ("Dora", "Eric")
    dora, eric = (
        group.ada.post(f"{group.path}/members", {"displayName": name})["id"] for name in names
    )
    foreign = other.ada.post(f"{other.path}/members", {"displayName": "Fay"})["id"]
    group.ada.post(f"{group.path}/expenses", {
        "name": "Tent", "amount": money("9.00"),
        "paidBy": [{"memberId": dora, "amount": money("9.00")}],
        "split": {"kind": "equal", "parts": [{"memberId": eric}]},
    })  # fmt: skip
    path = f"{group.path}/settlements"
    bob, cleo = group.of_bob, group.of_cleo
    one, two = "/memberId", "/withMemberId"
    for body, wrong in (
        # Whoever has an account writes it down themselves.
        ({"memberId": bob, "withMemberId": dora}, {one: "conflict"}),
        ({"memberId": eric, "withMemberId": cleo}, {two: "conflict"}),
        ({"memberId": bob, "withMemberId": cleo}, {one: "conflict", two: "conflict"}),
        ({"memberId": dora, "withMemberId": dora}, {two: "conflict"}),
        ({"memberId": foreign, "withMemberId": dora}, {one: "unknown-reference"}),
        ({"memberId": dora, "withMemberId": foreign}, {two: "unknown-reference"}),
        ({"memberId": "zz", "withMemberId": dora}, {one: "invalid-id"}),
    ):
        problem = group.ada.problem("POST", path, 422, "invalid-body", json=body)
        assert {said["pointer"]: said["code"] for said in problem["errors"]} == wrong, body
    for account in ("fromAccountId", "accountId"):
        body = {"memberId": eric, "withMemberId": dora, account: str(uuid.uuid4())}
        problem = group.ada.problem("POST", path, 422, "invalid-body", json=body)
        assert [said["pointer"] for said in problem["errors"]] == [f"/{account}"]
    sides = {"memberId": eric, "withMemberId": dora}
    Person(suite).problem("POST", path, 404, "not-found", json=sides)
    group.ada.call("PATCH", group.path, 200, json={"roles": True})
    group.ada.call("PATCH", f"{group.path}/members/{cleo}", 200, json={"role": "viewer"})
    group.cleo.problem("POST", path, 403, "forbidden", json=sides)
    before = group.balances("EUR")
    made = group.bob.post(path, sides | {"amount": money("4.00")})
    assert made["recordedBy"] == bob and made["payments"] == [
        {"fromMemberId": eric, "toMemberId": dora, "amount": money("4.00")}
    ]
    # Who pays whom the debt says, and not the order.
    group.ada.post(path, {"memberId": dora, "withMemberId": eric})
    assert group.balances("EUR") == dict.fromkeys([*group.members, dora, eric], 0)
    group.ada.problem("POST", path, 409, "nothing-to-settle", json=sides)
    for settled in group.ada.get(path)["items"]:
        group.ada.call("DELETE", f"{path}/{settled['id']}", 204)
    assert group.balances("EUR") == before
    # Oneself is a side as ever, named or not.
    group.expense("9.00")
    made = group.bob.post(path, {"memberId": bob, "withMemberId": group.of_ada})
    assert made["payments"][0]["fromMemberId"] == bob


def test_limits_are_set_read_and_removed(group: Group, person: Person) -> None:
    path = f"{group.path}/thresholds"
    body = {"amount": money("10.00"), "period": {"unit": "month", "from": "2026-01-31"}}
    made = group.bob.post(path, body)
    assert made["period"] == {"every": 1, "unit": "month", "from": "2026-01-31"}
    assert made["resetsAt"] > "2026-01-31" and made["crossed"] is False
    assert made in group.cleo.get(path)["items"]
    problem = group.ada.problem(
        "POST", path, 422, "invalid-body", json={"amount": money("1.00", "USD")}
    )
    assert problem["errors"][0]["pointer"] == "/amount/currency"
    person.problem("POST", path, 404, "not-found", json=body)
    person.problem("DELETE", f"{path}/{made['id']}", 404, "not-found")
    group.cleo.call("DELETE", f"{path}/{made['id']}", 204)
    assert group.cleo.send("DELETE", f"{path}/{made['id']}").status_code == 404
