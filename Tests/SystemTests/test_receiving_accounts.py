"""Where people are paid what others owe them: one account a currency, their own or a bank's."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from actions import at_once, current, wallet
from client import Api, Person, money
from conftest import make_suite
from erasures import completed, delete
from faults import without
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups"]
PATH = "/v1/receiving-accounts"
#: Examples of the SWIFT registry, of other banks.
IBANS = ["DE89370400440532013000", "GB29NWBK60161331926819", "NO9386011117947",
         "MT84MALT011000012345MTLCAST001S"]  # fmt: skip
BANK = {"iban": IBANS[0], "name": "Ada Lovelace"}


@pytest.fixture
def ada(suite: Suite) -> Person:
    return Person(suite)


def name(person: Api, currency: str = "EUR", **choice: Any) -> dict[str, Any]:
    return person.call("PUT", f"{PATH}/{currency}", 200, json=choice)


def faults(person: Api, choice: dict[str, Any], currency: str = "EUR") -> set[tuple[str, str]]:
    problem = person.problem("PUT", f"{PATH}/{currency}", 422, "invalid-body", json=choice)
    return {(one["pointer"], one["code"]) for one in problem["errors"]}


def shown(person: Person) -> list[dict[str, Any]]:
    page = person.get(PATH)
    assert "nextCursor" not in page
    return [{key: one[key] for key in one if key != "namedAt"} for one in page["items"]]


def test_one_account_a_currency_of_either_form(ada: Person) -> None:
    assert shown(ada) == []
    own = current(ada, "EUR")
    named = name(ada, accountId=own["id"])
    assert named == {"currency": "EUR", "accountId": own["id"], "namedAt": named["namedAt"]}
    dollars = name(ada, "USD", **BANK)
    assert dollars == {"currency": "USD", "namedAt": dollars["namedAt"]} | BANK
    euros = {"currency": "EUR", "accountId": own["id"]}
    assert shown(ada) == [euros, {"currency": "USD"} | BANK]
    # Another takes its place, whole.
    again = name(ada, **BANK)
    assert "accountId" not in again and again["namedAt"] > named["namedAt"]
    assert shown(ada) == [{"currency": "EUR"} | BANK, {"currency": "USD"} | BANK]
    ada.call("DELETE", f"{PATH}/USD", 204)
    ada.problem("DELETE", f"{PATH}/USD", 404, "not-found")
    assert shown(ada) == [{"currency": "EUR"} | BANK]


def test_a_deposit_takes_payments_and_wallets_do_not(ada: Person) -> None:
    source = current(ada, "EUR", "50.00")["id"]
    body = {"fromAccountId": source, "currency": "EUR", "amount": money("10.00")}
    deposit = ada.post("/v1/deposits", body)["account"]
    assert name(ada, accountId=deposit["id"])["accountId"] == deposit["id"]
    cash = wallet(ada)
    assert faults(ada, {"accountId": cash}) == {("/accountId", "conflict")}
    # Every reason at once.
    ada.call("DELETE", f"/v1/accounts/{cash}", 204)
    problem = ada.problem("PUT", f"{PATH}/USD", 422, "invalid-body", json={"accountId": cash})
    assert [one["code"] for one in problem["errors"]] == [
        "conflict", "currency-mismatch", "conflict"
    ]  # fmt: skip
    closed = current(ada, "EUR")["id"]
    ada.call("DELETE", f"/v1/accounts/{closed}", 204)
    assert faults(ada, {"accountId": closed}) == {("/accountId", "conflict")}
    assert faults(ada, {"accountId": source}, "USD") == {("/accountId", "currency-mismatch")}
    assert shown(ada) == [{"currency": "EUR", "accountId": deposit["id"]}]


@pytest.mark.parametrize("iban", IBANS)
def test_an_iban_is_kept_as_it_is_compared(ada: Person, iban: str) -> None:
    grouped = " ".join(iban[at : at + 4] for at in range(0, len(iban), 4))
    for written in (iban, grouped, grouped.lower()):
        assert name(ada, "CHF", iban=written, name="Ada")["iban"] == iban


def test_a_number_with_a_wrong_digit_is_no_iban(ada: Person) -> None:
    """ISO 7064: one wrong digit, or two neighbours in each other's place, are always found."""
    digits = list(IBANS[0])
    for _ in range(30):
        at = random.randrange(2, len(digits))
        wrong = digits.copy()
        wrong[at] = random.choice([one for one in "0123456789" if one != digits[at]])
        choice = {"iban": "".join(wrong), "name": "Ada"}
        assert faults(ada, choice) == {("/iban", "invalid-value")}, choice
    for bad in ("XX89370400440532013000", "DE8937040044053201300", "DE89370400440532013000 0",
                "DE00370400440532013000", "ＤＥ89370400440532013000"):  # fmt: skip
        assert faults(ada, {"iban": bad, "name": "Ada"}) == {("/iban", "invalid-value")}, bad
    assert shown(ada) == []


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, {("/accountId", "required")}),
        ({"iban": IBANS[0]}, {("/name", "required")}),
        ({"name": "Ada"}, {("/iban", "required")}),
        ({"iban": "DE89370400440532013001"}, {("/iban", "invalid-value"), ("/name", "required")}),
        ({"accountId": "{own}", "name": "Ada"}, {("/accountId", "conflict")}),
        ({"accountId": "{own}"} | BANK, {("/accountId", "conflict")}),
        (
            {"accountId": "{own}", "iban": "DE89370400440532013001"},
            {("/accountId", "conflict"), ("/iban", "invalid-value")},
        ),
        (BANK | {"name": "x" * 71}, {("/name", "too-long")}),
        (BANK | {"name": " \u3000"}, {("/name", "blank")}),
        (BANK | {"name": "Ada\nSCT"}, {("/name", "invalid-character")}),
        (BANK | {"iban": "DE89", "name": ""}, {("/iban", "too-short"), ("/name", "too-short")}),
        ({"accountId": "x", "bic": "x"}, {("/accountId", "invalid-id"), ("/bic", "unknown-field")}),
    ],
)
def test_every_bad_field_is_named(ada: Person, choice: dict, expected: set) -> None:
    own = current(ada, "EUR")["id"]
    said = {key: own if one == "{own}" else one for key, one in choice.items()}
    assert faults(ada, said) == expected
    assert shown(ada) == []


def test_seventy_characters_are_a_name_whatever_they_are(ada: Person) -> None:
    for letter in ("x", "é", "\u0958", "\U0001f600"):
        long = letter * 70
        assert name(ada, **BANK | {"name": long})["name"] == long


def test_nobody_names_anothers_account(suite: Suite, ada: Person) -> None:
    bob = Person(suite)
    bobs = current(bob, "EUR")["id"]
    unknown = {("/accountId", "unknown-reference")}
    assert faults(ada, {"accountId": bobs}) == unknown
    assert faults(ada, {"accountId": "01890000-0000-7000-8000-000000000000"}) == unknown
    # What is shared is another's still.
    shared = wallet(bob)
    sent = bob.post(f"/v1/accounts/{shared}/members", {"username": ada.username, "role": "editor"})
    ada.post(f"/v1/invitations/{sent['id']}/acceptance", status=200)
    assert faults(ada, {"accountId": shared}) == unknown
    name(bob, accountId=bobs)
    assert shown(ada) == [] and shown(bob) == [{"currency": "EUR", "accountId": bobs}]
    ada.problem("DELETE", f"{PATH}/EUR", 404, "not-found")
    nobody = Api(suite)
    for method, path in (("GET", PATH), ("PUT", f"{PATH}/EUR"), ("DELETE", f"{PATH}/EUR")):
        nobody.problem(method, path, 401, "unauthenticated")


def test_a_currency_that_is_none_is_absent(ada: Person) -> None:
    for currency in ("XXX0", "EU", "eur", "ZZZ", "%00", "EUR%0A"):
        ada.problem("PUT", f"{PATH}/{currency}", 404, "not-found", json=BANK)
        ada.problem("DELETE", f"{PATH}/{currency}", 404, "not-found")


def test_of_many_at_once_the_whole_of_one_stays(ada: Person) -> None:
    choices = [{"iban": IBANS[one % 4], "name": f"Ada {one}"} for one in range(20)]
    answers = at_once(20, lambda one: ada.send("PUT", f"{PATH}/EUR", json=choices[one]))
    assert {one.status_code for one in answers} == {200}
    (left,) = shown(ada)
    assert {"iban": left["iban"], "name": left["name"]} in choices


def test_it_goes_with_its_owner(suite: Suite, ada: Person) -> None:
    name(ada, **BANK)
    completed(suite, delete(ada))
    held = suite.postgres.psql(
        "-At", "-c", f"select count(*) from groups.receiving_account where user_id = '{ada.id}'",
        database="ezwallet_groups",
    )  # fmt: skip
    assert held.strip() == "0"


@pytest.fixture(scope="module")
def own() -> Iterator[Suite]:
    """A suite of one replica each, which these tests may hurt."""
    suite = make_suite(replicas=1)
    try:
        suite.up()
        yield suite
    finally:
        suite.remove()


@pytest.mark.timeout(120)
def test_without_the_ledger_only_ibans_are_named(own: Suite) -> None:
    ada = Person(own)
    account = current(ada, "EUR")["id"]
    without(own, "ezwallet-ledger-1")
    refused = ada.send("PUT", f"{PATH}/EUR", json={"accountId": account}, retry=False)
    assert refused.status_code == 503 and shown(ada) == []
    name(ada, **BANK)
    own.apply()
    own.wait_ready(30)
    assert name(ada, accountId=account)["accountId"] == account


def test_a_stale_etag_changes_nothing(ada: Person) -> None:
    one = f"{PATH}/EUR"
    none = {"If-Match": '"2026-01-01T00:00:00Z"'}
    ada.problem("PUT", one, 412, "precondition-failed", json=BANK, headers=none)
    ada.problem("DELETE", one, 404, "not-found", headers=none)
    first = ada.send("PUT", one, json=BANK)
    old = {"If-Match": first.headers["etag"]}
    assert old["If-Match"] == f'"{first.json()["namedAt"]}"'
    other = BANK | {"name": "Augusta"}
    second = ada.send("PUT", one, json=other, headers=old)
    assert second.status_code == 200 and second.headers["etag"] != first.headers["etag"]
    ada.problem("PUT", one, 412, "precondition-failed", json=BANK, headers=old)
    ada.problem("DELETE", one, 412, "precondition-failed", headers=old)
    assert ada.get(PATH)["items"] == [second.json()]
    ada.call("DELETE", one, 204, headers={"If-Match": second.headers["etag"]})
    # One that is named anew is not the one that was.
    ada.call("PUT", one, 200, json=other)
    ada.problem(
        "DELETE", one, 412, "precondition-failed", headers={"If-Match": second.headers["etag"]}
    )
