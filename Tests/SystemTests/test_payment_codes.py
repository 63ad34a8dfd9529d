"""Debts as payments at one's own bank: each line of the code, and who gets one."""

import uuid
from typing import Any

import pytest

from actions import Group, current
from client import Api, Person, eventually, money
from drawings import read
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups"]
RECEIVING = "/v1/receiving-accounts"
BANK = {"iban": "NO9386011117947", "name": "Ada Lovelace"}


@pytest.fixture
def group(suite: Suite) -> Group:
    """Bob and Cleo owe Ada 10.01 each, of an account that she has named."""
    group = Group(suite)
    group.expense("30.02")
    group.ada.call("PUT", f"{RECEIVING}/EUR", 200, json=BANK)
    return group


def path(group: Group, member: str) -> str:
    return f"{group.path}/members/{member}/payment-code"


def lines(person: Person, group: Group, **params: Any) -> list[str]:
    """The code's elements; the text in the other form is the same."""
    at = path(group, params.pop("member", group.of_ada))
    said = read(person.send("GET", at, params=params)).decode()
    text = person.send("GET", at, params=params | {"format": "text"})
    assert text.status_code == 200 and text.headers["content-type"] == "text/plain; charset=utf-8"
    assert text.headers["cache-control"] == "no-store" and text.text == said
    assert len(said.encode()) <= 331
    return said.split("\n")


def problem(person: Api, group: Group, status: int, code: str, **params: Any) -> Any:
    at = path(group, params.pop("member", group.of_ada))
    return person.problem("GET", at, status, code, params=params)


def test_a_code_pays_the_whole_debt(group: Group) -> None:
    shares = group.balances("EUR")
    debt = -shares[group.of_bob]
    assert lines(group.bob, group) == [
        "BCD", "002", "1", "SCT", "", "Ada Lovelace", "NO9386011117947", f"EUR{debt}", "", "",
        "Flat",
    ]  # fmt: skip
    # Asking moves nothing.
    assert group.balances("EUR") == shares


def test_a_part_may_be_paid_and_no_more_than_is_open(group: Group) -> None:
    debt = -group.balances("EUR")[group.of_bob]
    for amount in ("0.01", "4", "4.5", "4.50", str(debt)):
        pays = lines(group.bob, group, amount=amount)[7]
        assert pays.startswith("EUR") and float(pays[3:]) == float(amount) and pays[-3] == "."
    problem(group.bob, group, 422, "settlement-too-large", amount="20.01")
    for bad in ("0", "-1", "0.001", "1e3", "x", "", "1000000000.00", "99999999999999999999"):
        refused = problem(group.bob, group, 400, "invalid-query", amount=bad)
        assert [one["pointer"] for one in refused["errors"]] == ["query:amount"], bad
    problem(group.bob, group, 400, "invalid-query", format="png")
    problem(group.bob, group, 400, "invalid-query", other="1")
    # What is paid is not open any more.
    body = {"withMemberId": group.of_ada, "amount": money("4.00")}
    group.bob.post(f"{group.path}/settlements", body)
    assert lines(group.bob, group)[7] == f"EUR{debt - 4}"
    group.bob.post(f"{group.path}/settlements", {"withMemberId": group.of_ada})
    problem(group.bob, group, 409, "nothing-to-settle")


def test_who_owes_nothing_gets_none(group: Group) -> None:
    problem(group.ada, group, 409, "nothing-to-settle", member=group.of_bob)
    problem(group.ada, group, 409, "nothing-to-settle", member=group.of_ada)
    problem(group.bob, group, 409, "nothing-to-settle", member=group.of_cleo)
    other = Group(group.suite)
    other.expense("30.00", "USD")
    other.ada.call("PUT", f"{RECEIVING}/EUR", 200, json=BANK)
    problem(other.bob, other, 409, "nothing-to-settle")


def test_an_own_account_is_paid_by_its_iban(group: Group) -> None:
    account = current(group.ada, "EUR")
    group.ada.call("PATCH", "/v1/users/me", 200, json={"firstName": "Zoë", "lastName": "Ångström"})
    group.ada.call("PUT", f"{RECEIVING}/EUR", 200, json={"accountId": account["id"]})

    # Groups hears of the name from auth, between any two calls.
    names = eventually(
        lambda: [one["displayName"] for one in group.bob.get(f"{group.path}/members")["items"]],
        until=lambda found: "Zoë Ångström" in found,
    )
    assert names and lines(group.bob, group)[5:7] == ["Zoë Ångström", account["iban"]]
    group.ada.call("DELETE", f"/v1/accounts/{account['id']}", 204)
    problem(group.bob, group, 409, "no-receiving-account")


def test_without_a_named_account_there_is_none(group: Group) -> None:
    group.ada.call("DELETE", f"{RECEIVING}/EUR", 204)
    group.ada.call("PUT", f"{RECEIVING}/USD", 200, json=BANK)
    problem(group.bob, group, 409, "no-receiving-account")
    # Nor is a guest paid at a bank, who has named nothing.
    guest = group.ada.post(f"{group.path}/members", {"displayName": "Dan"})["id"]
    body = {
        "name": "Taxi", "amount": money("8.00"),
        "paidBy": [{"memberId": guest, "amount": money("8.00")}],
        "split": {"kind": "equal", "parts": [{"memberId": group.of_bob}]},
    }  # fmt: skip
    group.bob.call("PATCH", group.path, 200, json={"simplifyDebts": False})
    group.bob.post(f"{group.path}/expenses", body)
    problem(group.bob, group, 409, "no-receiving-account", member=guest)


@pytest.mark.parametrize(
    ("name", "flat", "payee", "about"),
    [
        ("Łukasz Żółć", "Été à Nîmes", "Łukasz Żółć", "Été à Nîmes"),
        ("株式会社" * 17, "旅" * 80, "株式会社" * 17, "旅" * 28),
        ("x" * 70, "y" * 80, "x" * 70, "y" * 80),
        ("A\u200fda", "a\u200fb \u3000c", "Ada", "ab c"),
        ("👩‍🚀" * 20, "👩‍🚀" * 20, "👩‍🚀" * 20, "👩‍🚀" * 6),
    ],
)
def test_any_words_are_read_as_they_are_cut(
    group: Group, name: str, flat: str, payee: str, about: str
) -> None:
    group.ada.call("PUT", f"{RECEIVING}/EUR", 200, json=BANK | {"name": name})
    group.ada.call("PATCH", group.path, 200, json={"name": flat})
    said = lines(group.bob, group)
    assert (len(said), said[5], said[10]) == (11, payee, about)


def test_strangers_get_none(suite: Suite, group: Group) -> None:
    stranger = Person(suite)
    problem(stranger, group, 404, "not-found")
    problem(Api(suite), group, 401, "unauthenticated")
    for member in (str(uuid.uuid4()), "me", "x"):
        problem(group.bob, group, 404, "not-found", member=member)
    own = stranger.post("/v1/groups", {"name": "Own", "currency": "EUR"})["id"]
    at = f"/v1/groups/{own}/members/{group.of_ada}/payment-code"
    stranger.problem("GET", at, 404, "not-found")


def test_who_has_left_is_not_paid_by_what_they_named(group: Group) -> None:
    group.ada.call("DELETE", f"{group.path}/members/me", 204, params={"force": "true"})
    answer = group.bob.send("GET", path(group, group.of_ada))
    assert answer.status_code == 409
    assert answer.json()["code"] in ("no-receiving-account", "nothing-to-settle")
