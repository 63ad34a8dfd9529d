"""Step 5: two current accounts, money in, a transfer across currencies at the ECB's rate."""

import threading
import uuid
from decimal import ROUND_DOWN, ROUND_UP, Decimal

import pytest

from actions import balance_of as balance
from actions import current, valid_iban
from client import Api, Person, money, value
from conftest import make_admin
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]


def test_current_accounts_have_valid_and_different_ibans(ada: Person) -> None:
    first, second = current(ada, "EUR"), current(ada, "USD")
    assert valid_iban(first["iban"]) and valid_iban(second["iban"])
    assert first["iban"] != second["iban"]


def test_a_transfer_across_currencies_uses_the_ecb_rate(ada: Person) -> None:
    euro, dollar = current(ada, "EUR", "1000.00"), current(ada, "USD", "1.00")
    rates = ada.get("/v1/exchange-rates", base="EUR")
    rate = Decimal(rates["rates"]["USD"])
    body = {"fromAccountId": euro["id"], "toAccountId": dollar["id"], "amount": money("100.00")}
    quote = ada.post("/v1/quotes", body)
    assert value(quote["converted"]) == (100 * rate).quantize(Decimal("0.01"), ROUND_DOWN)
    transfer = ada.post("/v1/transfers", {"quoteId": quote["id"], "reference": "for the trip"})
    assert balance(ada, euro) == Decimal("900.00")
    assert balance(ada, dollar) == 1 + value(quote["converted"])
    ada.problem(
        "POST", "/v1/transfers", 409, "quote-used", json={"quoteId": quote["id"]}
    )  # fmt: skip
    assert ada.get(f"/v1/transfers/{transfer['id']}")["id"] == transfer["id"]


def test_an_amount_in_the_targets_currency_rounds_the_debit_up(ada: Person) -> None:
    euro, dollar = current(ada, "EUR", "1000.00"), current(ada, "USD")
    rates = ada.get("/v1/exchange-rates", base="EUR")
    rate = Decimal(rates["rates"]["USD"])
    body = {
        "fromAccountId": euro["id"], "toAccountId": dollar["id"], "amount": money("33.33", "USD"),
    }  # fmt: skip
    ada.post("/v1/transfers", {"quoteId": ada.post("/v1/quotes", body)["id"]})
    debit = (Decimal("33.33") / rate).quantize(Decimal("0.01"), ROUND_UP)
    assert balance(ada, euro) == 1000 - debit and balance(ada, dollar) == Decimal("33.33")


def test_a_converted_amount_of_nothing_is_refused(ada: Person) -> None:
    yen, euro = current(ada, "JPY", "1000"), current(ada, "EUR")
    body = {"fromAccountId": yen["id"], "toAccountId": euro["id"], "amount": money("1", "JPY")}
    ada.problem("POST", "/v1/quotes", 422, "amount-too-small", json=body)


def test_more_than_the_account_holds_is_refused(ada: Person) -> None:
    one, other = current(ada, "EUR", "10.00"), current(ada, "EUR")
    body = {"fromAccountId": one["id"], "toAccountId": other["id"], "amount": money("10.01")}
    ada.problem("POST", "/v1/transfers", 409, "insufficient-funds", json=body)
    assert balance(ada, one) == 10 and balance(ada, other) == 0


def test_a_transfer_without_a_key_is_refused(ada: Person) -> None:
    answer = ada.http.post(
        "/v1/transfers", json={}, headers={"Authorization": f"Bearer {ada.token}"}
    )
    assert answer.status_code == 400 and answer.json()["code"] == "idempotency-key-required"


def test_the_same_key_replays_and_another_body_is_refused(ada: Person) -> None:
    one, other = current(ada, "EUR", "10.00"), current(ada, "EUR")
    body = {"fromAccountId": one["id"], "toAccountId": other["id"], "amount": money("4.00")}
    key = str(uuid.uuid4())
    first = ada.send("POST", "/v1/transfers", json=body, key=key)
    again = ada.send("POST", "/v1/transfers", json=body, key=key)
    assert first.status_code == again.status_code == 201
    assert first.headers["Location"] == again.headers["Location"]
    assert first.json()["id"] == again.json()["id"]
    assert again.headers["Idempotency-Replayed"] == "true"
    changed = body | {"amount": money("5.00")}
    ada.problem(
        "POST", "/v1/transfers", 422, "idempotency-key-reused", json=changed, key=key
    )  # fmt: skip
    assert balance(ada, one) == 6


def test_one_key_from_many_clients_moves_the_money_once(suite: Suite, ada: Person) -> None:
    one, other = current(ada, "EUR", "10.00"), current(ada, "EUR")
    body = {"fromAccountId": one["id"], "toAccountId": other["id"], "amount": money("1.00")}
    key, answers = str(uuid.uuid4()), []

    def post() -> None:
        answers.append(Api(suite, ada.token).send("POST", "/v1/transfers", json=body, key=key))

    threads = [threading.Thread(target=post) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = {answer.json()["id"] for answer in answers if answer.status_code == 201}
    assert len(made) == 1 and {answer.status_code for answer in answers} <= {201, 409}
    assert balance(ada, one) == 9


def test_anothers_account_is_not_there(ada: Person, person: Person) -> None:
    theirs = current(person, "EUR", "10.00")
    mine = current(ada, "EUR")
    assert ada.send("GET", f"/v1/accounts/{theirs['id']}").status_code == 404
    body = {"fromAccountId": theirs["id"], "toAccountId": mine["id"], "amount": money("1.00")}
    answer = ada.send("POST", "/v1/transfers", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["code"] == "unknown-reference"


def test_money_goes_to_another_person_by_iban(ada: Person, person: Person) -> None:
    mine, theirs = current(ada, "EUR", "10.00"), current(person, "EUR")
    body = {"fromAccountId": mine["id"], "toIban": theirs["iban"], "amount": money("2.50")}
    quote = ada.post("/v1/quotes", body)
    assert quote["payee"]
    ada.post("/v1/transfers", {"quoteId": quote["id"]})
    assert balance(person, theirs) == Decimal("2.50")
    (row,) = person.get("/v1/transactions", accountId=theirs["id"])["items"]
    assert row["transferId"]


@pytest.mark.timeout(60)
def test_the_trial_balance_is_zero_in_every_currency(suite: Suite, ada: Person) -> None:
    current(ada, "KWD", "1.234")
    admin = make_admin(suite)
    report = admin.get("/v1/ledger-integrity")
    sums = report["balances"]
    assert {one["currency"] for one in sums} >= {"EUR", "USD", "KWD"}
    assert report["balanced"] is True and all(value(one["total"]) == 0 for one in sums), sums


@pytest.mark.timeout(60)
def test_what_exchanging_brings_or_costs_is_told(suite: Suite, ada: Person) -> None:
    """Positions move by what is exchanged, and are worth what roundings against the payer leave."""
    admin = make_admin(suite)

    def seen() -> tuple[dict[str, Decimal], dict]:
        report = admin.get("/v1/ledger-integrity")
        found = {one["currency"]: value(one["position"]) for one in report["balances"]}
        return found, report.get("exchange")

    source, target = current(ada, "EUR", "100.00"), current(ada, "JPY", "1000")
    body = {"fromAccountId": source["id"], "toAccountId": target["id"], "amount": money("10.01")}

    def exchange() -> Decimal:
        quote = ada.post("/v1/quotes", body)
        ada.post("/v1/transfers", {"quoteId": quote["id"]})
        return value(quote["converted"])

    exchange()
    before, worth = seen()
    credit = sum(exchange() for _ in range(3))
    after, gain = seen()
    assert after["EUR"] - before["EUR"] == Decimal("30.03")
    assert after["JPY"] - before["JPY"] == -credit
    assert not gain["unconverted"]
    # Less than a yen of each is rounded away.
    assert 0 <= value(gain["gain"]) - value(worth["gain"]) < Decimal("0.06")
