"""Quotes: what is refused, which rate they fix and for how long, and whom they tell of."""

import math
import uuid
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from actions import balance_of as balance
from actions import current, valid_iban, wallet
from client import Person, eventually, money, value
from conftest import hurt_suite
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]
#: These tests write past the ledger, whose books others verify.
suite = pytest.fixture(scope="module")(hurt_suite)

EXPONENTS = {"EUR": 2, "USD": 2, "JPY": 0}


@pytest.fixture
def payer(suite: Suite) -> Person:
    """Somebody with a current account of 100.00 EUR."""
    person = Person(suite)
    person.euro = current(person, "EUR", "100.00")["id"]
    return person


@pytest.fixture
def payee(suite: Suite) -> Person:
    """Somebody else, with a current account in EUR."""
    person = Person(suite, firstName="Augusta", lastName="King")
    person.account = current(person, "EUR")
    return person


def psql(suite: Suite, statement: str) -> str:
    return suite.postgres.psql(database="ezwallet_ledger", sql=statement)


def end(suite: Suite, quote: dict[str, Any]) -> None:
    """As though the quote's minute were over."""
    psql(
        suite,
        "update ledger.quote set expires_at = now() - interval '1 second' "
        f"where id = '{quote['id']}'",
    )


def seconds_ahead(instant: str) -> float:
    return (datetime.fromisoformat(instant) - datetime.now(UTC)).total_seconds()


def pointers(problem: dict[str, Any]) -> list[str]:
    return sorted(error["pointer"] for error in problem["errors"])


def books(*people: Person) -> list[Any]:
    """All that somebody has: what a refusal leaves as it is."""
    return [
        list(person.pages(path, **options))
        for person in people
        for path, options in [("/v1/accounts", {"closed": "true"}), ("/v1/transactions", {})]
    ]


def minor(amount: dict[str, str]) -> int:
    return int(amount["amount"].replace(".", ""))


def rates(person: Person) -> dict[str, Fraction]:
    """Units of each currency for one euro, as published."""
    table = person.get("/v1/exchange-rates", base="EUR")["rates"]
    return {code: Fraction(rate) for code, rate in table.items()} | {"EUR": Fraction(1)}


# What is refused


def test_what_the_payer_has_not_is_not_quoted(payer: Person) -> None:
    dollars, other = wallet(payer, "USD"), current(payer, "EUR")["id"]
    hold = {"fromAccountId": payer.euro, "toAccountId": other, "amount": money("40.00")}
    payer.post("/v1/transfers", hold | {"hold": True})
    # A cent more than the 60.00 come to that are not held, in dollars.
    cents = math.floor(6_000 * rates(payer)["USD"]) + 1
    before = books(payer)
    for target, amount in [
        ({"toAccountId": other}, money("60.01")),
        ({"toAccountId": dollars}, money("60.01")),
        ({"toCurrency": "USD"}, money("60.01")),
        ({"toAccountId": dollars}, money(f"{cents // 100}.{cents % 100:02d}", "USD")),
    ]:
        body = {"fromAccountId": payer.euro, "amount": amount} | target
        payer.problem("POST", "/v1/quotes", 409, "insufficient-funds", json=body)
        payer.post("/v1/quotes", body | {"amount": money("60.00")})
    # A wallet may owe.
    body = {"fromAccountId": dollars, "toAccountId": other, "amount": money("5.00", "USD")}
    payer.post("/v1/quotes", body)
    assert books(payer) == before


def test_nobody_pays_others_from_a_wallet_nor_by_closed_accounts(
    payer: Person, payee: Person
) -> None:
    cash, closed = wallet(payer, "EUR"), wallet(payer, "EUR")
    payer.post("/v1/transactions", {"accountId": cash, "amount": money("50.00")})
    payer.call("DELETE", f"/v1/accounts/{closed}", 204)
    gone = current(payee, "EUR")
    payee.call("DELETE", f"/v1/accounts/{gone['id']}", 204)
    before = books(payer, payee)
    theirs = {"toIban": payee.account["iban"]}
    for source, target, code in [
        (cash, theirs, "account-kind"),
        (closed, {"toAccountId": payer.euro}, "account-closed"),
        (closed, {"toCurrency": "EUR"}, "account-closed"),
        (payer.euro, {"toAccountId": closed}, "account-closed"),
        (payer.euro, {"toIban": gone["iban"]}, "account-closed"),
    ]:
        for amount in ({}, {"amount": money("1.00")}):
            body = {"fromAccountId": source} | target | amount
            payer.problem("POST", "/v1/quotes", 409, code, json=body)
    # To one's own account a wallet pays, and others from a current one.
    for source, target in [(cash, {"toAccountId": payer.euro}), (payer.euro, theirs)]:
        payer.post("/v1/quotes", {"fromAccountId": source, "amount": money("1.00")} | target)
    assert books(payer, payee) == before


def test_a_number_that_nobody_has_is_unknown(payer: Person, payee: Person) -> None:
    iban = payee.account["iban"]
    wrong = iban[:2] + f"{(int(iban[2:4]) + 1) % 97:02d}" + iban[4:]
    # The same bank's, with the last digits of nobody's account and the right check digits.
    nobody = iban[:-4] + f"{(int(iban[-4:]) + 1) % 10_000:04d}"
    nobody = next(
        found
        for check in range(2, 99)
        if valid_iban(found := nobody[:2] + f"{check:02d}" + nobody[4:])
    )
    assert not valid_iban(wrong) and nobody != iban
    for text in (wrong, nobody, "DE89370400440532013000", "XX" + iban[2:], "0" * 20):
        body = {"fromAccountId": payer.euro, "toIban": text, "amount": money("1.00")}
        payer.problem("POST", "/v1/quotes", 422, "unknown-iban", json=body)
        payer.problem("POST", "/v1/transfers", 422, "unknown-iban", json=body)
    body = {"fromAccountId": payer.euro, "toIban": iban, "amount": money("1.00")}
    assert payer.post("/v1/quotes", body)["payee"]


def test_what_has_no_rate_or_comes_to_nothing_is_not_quoted(payer: Person) -> None:
    euro, dinar, yen = (wallet(payer, currency) for currency in ("EUR", "KWD", "JPY"))
    assert "KWD" not in rates(payer)
    before = books(payer)
    for source, target, amount in [
        (euro, {"toAccountId": dinar}, money("1.00")),
        (euro, {"toCurrency": "KWD"}, money("1.000", "KWD")),
        (dinar, {"toAccountId": euro}, money("1.000", "KWD")),
        (dinar, {"toAccountId": yen}, money("1", "JPY")),
    ]:
        body = {"fromAccountId": source} | target
        payer.problem("POST", "/v1/quotes", 422, "rate-unavailable", json=body)
        body = body | {"amount": amount}
        payer.problem("POST", "/v1/quotes", 422, "rate-unavailable", json=body)
    one = money("1", "JPY")
    for target in ({"toAccountId": euro}, {"toCurrency": "EUR"}):
        body = {"fromAccountId": yen, "amount": one} | target
        payer.problem("POST", "/v1/quotes", 422, "amount-too-small", json=body)
    # So it is where the transfer says the amount.
    quote = payer.post("/v1/quotes", {"fromAccountId": yen, "toAccountId": euro})
    body = {"quoteId": quote["id"], "amount": one}
    payer.problem("POST", "/v1/transfers", 422, "amount-too-small", json=body)
    assert books(payer) == before
    # The other way round one is enough: the debit is rounded up.
    body = {"fromAccountId": yen, "toAccountId": euro, "amount": money("0.01")}
    assert minor(payer.post("/v1/quotes", body)["amount"]) > 0


def test_a_quote_has_one_target_and_a_sum_in_a_currency_of_the_two(
    payer: Person, payee: Person
) -> None:
    targets = {
        "toIban": payee.account["iban"], "toAccountId": wallet(payer, "USD"), "toCurrency": "USD"
    }  # fmt: skip
    for left_out in (set(), {"toIban"}, {"toAccountId"}, {"toCurrency"}, set(targets)):
        body = {name: to for name, to in targets.items() if name not in left_out}
        body |= {"fromAccountId": payer.euro, "amount": money("1.00")}
        problem = payer.problem("POST", "/v1/quotes", 422, "invalid-body", json=body)
        assert pointers(problem) == ["/toIban"]
    for name, to in targets.items():
        body = {"fromAccountId": payer.euro, name: to, "amount": money("1.00")}
        payer.post("/v1/quotes", body)
        body["amount"] = money("1.00", "CHF")
        payer.problem("POST", "/v1/quotes", 422, "currency-mismatch", json=body)
        for amount in ("0.00", "-1.00"):
            body["amount"] = money(amount)
            problem = payer.problem("POST", "/v1/quotes", 422, "invalid-body", json=body)
            assert all(pointer.startswith("/amount") for pointer in pointers(problem))
    theirs = {"fromAccountId": payee.account["id"], "toAccountId": payer.euro}
    problem = payer.problem("POST", "/v1/quotes", 422, "invalid-body", json=theirs)
    assert pointers(problem) == ["/fromAccountId"]


# What a quote fixes


@pytest.mark.parametrize(
    ("source", "target", "amount"),
    [
        ("EUR", "USD", money("33.33")), ("EUR", "USD", money("33.33", "USD")),
        ("USD", "JPY", money("77.77", "USD")), ("USD", "JPY", money("7777", "JPY")),
        ("JPY", "EUR", money("9999", "JPY")), ("JPY", "EUR", money("12.34")),
        ("EUR", "EUR", money("0.01")),
    ],
)  # fmt: skip
def test_a_sum_that_comes_later_moves_by_the_quotes_rate(
    suite: Suite, source: str, target: str, amount: dict[str, str]
) -> None:
    ada, bob = Person(suite), Person(suite)
    start = "500.00" if EXPONENTS[source] else "50000"
    mine, theirs = current(ada, source, start), current(bob, target)
    quote = ada.post("/v1/quotes", {"fromAccountId": mine["id"], "toIban": theirs["iban"]})
    assert quote["payee"] and quote["currency"] == target
    assert not {"amount", "converted"} & quote.keys()
    table = rates(ada)
    rate = table[target] / table[source]
    if source == target:
        assert "rate" not in quote
    else:
        assert abs(Fraction(quote["rate"]["value"]) - rate) <= Fraction(1, 2 * 10**12)
    # What the payer gives is rounded up, what the payee gets down.
    rate *= Fraction(10) ** (EXPONENTS[target] - EXPONENTS[source])
    if amount["currency"] == source:
        debit, credit = minor(amount), math.floor(minor(amount) * rate)
    else:
        debit, credit = math.ceil(minor(amount) / rate), minor(amount)
    made = ada.post("/v1/transfers", {"quoteId": quote["id"], "amount": amount})
    assert (minor(made["debit"]), minor(made["credit"])) == (debit, credit)
    assert (made["debit"]["currency"], made["credit"]["currency"]) == (source, target)
    spent = (Decimal(start) - balance(ada, mine)).scaleb(EXPONENTS[source])
    assert (spent, balance(bob, theirs).scaleb(EXPONENTS[target])) == (debit, credit)
    # The same with the sum in the quote.
    body = {"fromAccountId": mine["id"], "toIban": theirs["iban"], "amount": amount}
    told = ada.post("/v1/quotes", body)
    assert (minor(told["amount"]), minor(told["converted"])) == (debit, credit)
    again = ada.post("/v1/transfers", {"quoteId": told["id"]})
    assert (again["debit"], again["credit"]) == (made["debit"], made["credit"])


def test_the_sum_stands_in_the_quote_or_beside_it_and_not_in_both(payer: Person) -> None:
    dollars = wallet(payer, "USD")
    before = books(payer)
    for path, target in [
        ("/v1/transfers", {"toAccountId": dollars}), ("/v1/deposits", {"toCurrency": "USD"})
    ]:  # fmt: skip
        body = {"fromAccountId": payer.euro} | target
        bare = {"quoteId": payer.post("/v1/quotes", body)["id"]}
        full = {"quoteId": payer.post("/v1/quotes", body | {"amount": money("1.00")})["id"]}
        beside = {"amount": money("1.00")}
        for wrong in (bare, full | beside):
            problem = payer.problem("POST", path, 422, "invalid-body", json=wrong)
            assert pointers(problem) == ["/amount"]
        wrong = bare | {"amount": money("1.00", "CHF")}
        payer.problem("POST", path, 422, "currency-mismatch", json=wrong)
        assert books(payer) == before
        # Neither quote is used by that.
        made = [payer.post(path, bare | beside), payer.post(path, full)]
        moved = [one.get("transfer", one) for one in made]
        assert moved[0]["debit"] == moved[1]["debit"] == money("1.00")
        assert moved[0]["credit"] == moved[1]["credit"]
        before = books(payer)
    assert balance(payer, {"id": payer.euro}) == 96


def test_a_transfer_tells_the_rate_as_its_quote_told_it(payer: Person, payee: Person) -> None:
    table = payer.get("/v1/exchange-rates", base="EUR")
    theirs = current(payee, "USD")
    body = {"fromAccountId": payer.euro, "toIban": theirs["iban"], "amount": money("10.00")}
    quote = payer.post("/v1/quotes", body)
    rate = quote["rate"]
    assert rate["source"] == "ECB" and rate["day"] == table["day"]
    assert Decimal(rate["value"]) == Decimal(table["rates"]["USD"])
    made = payer.post("/v1/transfers", {"quoteId": quote["id"]})
    assert made["rate"] == rate
    for person in (payer, payee):
        told = person.get(f"/v1/transfers/{made['id']}")
        assert told["rate"] == rate
        assert (told["debit"], told["credit"]) == (quote["amount"], quote["converted"])
    # Within one currency there is none.
    body = {"fromAccountId": payer.euro, "toIban": payee.account["iban"], "amount": money("1.00")}
    plain = payer.post("/v1/transfers", body)
    assert "rate" not in payer.get(f"/v1/transfers/{plain['id']}")


# For how long


def test_a_quote_stands_a_minute_and_costs_nothing(payer: Person, payee: Person) -> None:
    dollars = wallet(payer, "USD")
    for target in [
        {"toIban": payee.account["iban"]}, {"toAccountId": dollars}, {"toCurrency": "JPY"}
    ]:  # fmt: skip
        for amount in ({}, {"amount": money("1.00")}):
            quote = payer.post("/v1/quotes", {"fromAccountId": payer.euro} | target | amount)
            assert abs(seconds_ahead(quote["expiresAt"]) - 60) < 3, quote
            assert quote["fee"] == money("0.00") and quote["fromAccountId"] == payer.euro


def test_a_quote_is_used_in_its_time_once_and_by_its_owner(
    suite: Suite, payer: Person, payee: Person
) -> None:
    def quoted(**target: str) -> dict[str, Any]:
        body = {"fromAccountId": payer.euro, "amount": money("1.00")} | target
        return payer.post("/v1/quotes", body)

    iban, path = payee.account["iban"], "/v1/transfers"
    late, deposit, used, kept = (
        quoted(toIban=iban), quoted(toCurrency="EUR"), quoted(toIban=iban), quoted(toIban=iban)
    )  # fmt: skip
    key = str(uuid.uuid4())
    made = payer.post(path, {"quoteId": used["id"]}, key=key)
    for one in (late, deposit):
        end(suite, one)
    before = books(payer, payee)
    payer.problem("POST", path, 409, "quote-expired", json={"quoteId": late["id"]})
    payer.problem("POST", "/v1/deposits", 409, "quote-expired", json={"quoteId": deposit["id"]})
    payer.problem("POST", path, 409, "quote-used", json={"quoteId": used["id"]})
    for person, quote in [(payee, kept), (payee, used), (payer, {"id": str(uuid.uuid4())})]:
        body = {"quoteId": quote["id"]}
        problem = person.problem("POST", path, 422, "invalid-body", json=body)
        assert [(one["pointer"], one["code"]) for one in problem["errors"]] == [
            ("/quoteId", "unknown-reference")
        ]
    # What was asked for in time is answered again when it is over.
    end(suite, used)
    again = payer.send("POST", path, json={"quoteId": used["id"]}, key=key)
    assert again.status_code == 201 and again.json() == made
    assert again.headers["Idempotency-Replayed"] == "true"
    assert books(payer, payee) == before
    payer.post(path, {"quoteId": kept["id"]})
    assert balance(payer, {"id": payer.euro}) == 98


def test_a_hold_stands_seven_days(payer: Person, payee: Person) -> None:
    body = {
        "fromAccountId": payer.euro, "toIban": payee.account["iban"], "amount": money("1.00")
    }  # fmt: skip
    quote = payer.post("/v1/quotes", body)
    for asked in (body, {"quoteId": quote["id"]}):
        hold = payer.post("/v1/transfers", asked | {"hold": True})
        assert abs(seconds_ahead(hold["expiresAt"]) - 7 * 86_400) < 60, hold
        told = payer.get(f"/v1/transfers/{hold['id']}")
        assert told["state"] == "pending" and told["expiresAt"] == hold["expiresAt"]
    assert value(payer.get(f"/v1/accounts/{payer.euro}")["available"]) == 98


# Whom it goes to

NAMES = [
    ("Augusta", "King", "Au••• Ki•••"), ("李明", None, "李•••"), ("明", "李", "••• •••"),
    ("Jo", "J", "J••• •••"), ("Ada", "Xu", "Ad••• X•••"), ("Mary Jo", "O'H", "Ma••• J••• O'•••"),
    (None, "Żółć", "Żó•••"),
]  # fmt: skip


def test_a_payees_name_is_masked_in_each_part(suite: Suite, payer: Person, payee: Person) -> None:
    def renamed(first: str | None, last: str | None) -> str:
        payee.call("PATCH", "/v1/users/me", 200, json={"firstName": first, "lastName": last})
        name = " ".join(part for part in (first, last) if part) or payee.username
        query = f"select display_name from ledger.person where user_id = '{payee.id}'"
        return eventually(lambda: psql(suite, query), until=lambda found: found == name)

    body = {"fromAccountId": payer.euro, "toIban": payee.account["iban"], "amount": money("1.00")}
    for first, last, expected in [*NAMES, (None, None, f"{payee.username[:2]}•••")]:
        name = renamed(first, last)
        answer = payer.send("POST", "/v1/quotes", json=body)
        assert answer.status_code == 201, answer.text
        quote = answer.json()
        # «J» alone stands in other words, too: whole parts are looked for where names are.
        assert quote["payee"] == expected
        assert not set(name.split()) & set(quote["payee"].split())
        made = payer.post("/v1/transfers", {"quoteId": quote["id"]})
        rows = payer.get("/v1/transactions", accountId=payer.euro)["items"]
        (row,) = [one for one in rows if one.get("transferId") == made["id"]]
        assert not set(name.split()) & set(row["name"].split())
        if len(name) > 3:
            for seen in (quote, made, row):
                assert name not in str(seen)
