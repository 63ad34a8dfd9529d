"""Transfers of every kind, as people use them: held, many at once, into a new deposit."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from actions import HUGE, extreme, make_stale
from client import Api, Person, eventually, money, value
from conftest import hurt_suite
from suite.suite import Suite

#: These tests write past the ledger, whose books others verify.
suite = pytest.fixture(scope="module")(hurt_suite)


@pytest.fixture
def payer(suite: Suite) -> Person:
    """Somebody with two current accounts in EUR, a wallet in JPY, and 100.00 EUR."""
    person = Person(suite)
    one = person.post("/v1/accounts", json={"kind": "current", "currency": "EUR", "name": "One"})
    other = person.post("/v1/accounts", json={"kind": "current", "currency": "EUR", "name": "Two"})
    yen = person.post("/v1/accounts", json={"currency": "JPY", "name": "Yen"})
    person.one, person.other, person.yen = one["id"], other["id"], yen["id"]
    person.other_iban = other["iban"]
    person.post("/v1/transactions", json={"accountId": person.one, "amount": money("100.00")})
    return person


def state_of(person: Person, account: str) -> tuple[str, str]:
    told = person.get(f"/v1/accounts/{account}")
    return told["balance"]["amount"], told["available"]["amount"]


def held(person: Person, amount: str) -> dict:
    body = {
        "fromAccountId": person.one, "toIban": person.other_iban, "amount": money(amount),
        "reference": "a deposit for the key", "hold": True,
    }  # fmt: skip
    transfer = person.post("/v1/transfers", json=body)
    assert transfer["state"] == "pending" and transfer["expiresAt"] > transfer["createdAt"]
    return transfer


def test_an_account_for_which_something_is_held_stays_open(payer: Person, suite: Suite) -> None:
    other = Person(suite)
    mine = other.post("/v1/accounts", {"kind": "current", "currency": "EUR"})
    transfer = payer.post("/v1/transfers", json={
        "fromAccountId": payer.one, "toIban": mine["iban"], "amount": money("60.00"), "hold": True,
    })  # fmt: skip
    path = f"/v1/accounts/{mine['id']}"
    other.problem("DELETE", path, 409, "account-not-empty")
    goes = {"password": other.password}
    other.problem("POST", "/v1/users/me/deletion", 409, "accounts-not-empty", json=goes)
    payer.call("POST", f"/v1/transfers/{transfer['id']}/void", 200)
    other.call("DELETE", path, 204)


def test_what_is_held_cannot_be_spent_and_moves_when_it_is_captured(payer: Person) -> None:
    transfer = held(payer, "60.00")
    assert state_of(payer, payer.one) == ("100.00", "40.00")
    assert state_of(payer, payer.other) == ("0.00", "0.00")
    spent = {"accountId": payer.one, "amount": money("-40.01")}
    payer.problem("POST", "/v1/transactions", 409, "insufficient-funds", json=spent)
    payer.problem("DELETE", f"/v1/accounts/{payer.one}", 409, "account-not-empty")
    # It is nobody's transaction yet.
    assert all("transferId" not in item for item in payer.pages("/v1/transactions"))
    key = str(uuid.uuid4())
    path = f"/v1/transfers/{transfer['id']}"
    done = payer.call("POST", path + "/capture", 200, key=key)
    assert done["state"] == "posted" and done["reference"] == "a deposit for the key"
    assert payer.call("POST", path + "/capture", 200, key=key) == done
    payer.problem("POST", path + "/capture", 409, "hold-ended")
    payer.problem("POST", path + "/void", 409, "hold-ended")
    assert state_of(payer, payer.one) == ("40.00", "40.00")
    assert state_of(payer, payer.other) == ("60.00", "60.00")
    sides = [i for i in payer.pages("/v1/transactions") if i.get("transferId") == transfer["id"]]
    assert sorted(value(side["amount"]) for side in sides) == [-60, 60]


def hold_for(payee: Person, payer: Person, amount: str) -> dict:
    """What holds money of the payer for a new account of the payee."""
    account = payee.post("/v1/accounts", json={"kind": "current", "currency": "EUR"})
    return {
        "fromAccountId": payer.one, "toIban": account["iban"], "amount": money(amount),
        "hold": True,
    }  # fmt: skip


def test_the_payee_may_give_a_hold_up_but_not_take_it(payer: Person, suite: Suite) -> None:
    payee = Person(suite)
    body = hold_for(payee, payer, "30.00")
    transfer = payer.post("/v1/transfers", json=body)
    path = f"/v1/transfers/{transfer['id']}"
    payee.problem("POST", path + "/capture", 404, "not-found")
    Person(suite).problem("POST", path + "/void", 404, "not-found")
    assert payee.call("POST", path + "/void", 200)["state"] == "voided"
    assert payer.get(path)["state"] == "voided"
    assert state_of(payer, payer.one) == ("100.00", "100.00")


def test_a_hold_is_given_back_when_its_time_is_over(payer: Person, suite: Suite) -> None:
    transfer = held(payer, "100.00")
    suite.postgres.psql(
        "-c",
        "update ledger.transfer_terms set expires_at = now() - interval '1 second' "
        f"where id = '{transfer['id']}'",
        database="ezwallet_ledger",
    )
    # At once for whoever looks, and soon for the money.
    path = f"/v1/transfers/{transfer['id']}"
    assert payer.get(path)["state"] == "expired"
    payer.problem("POST", path + "/capture", 409, "hold-ended")
    eventually(lambda: state_of(payer, payer.one) == ("100.00", "100.00"))
    assert payer.get(path)["state"] == "expired"


def test_only_one_currency_can_be_held(payer: Person) -> None:
    quote = {"fromAccountId": payer.one, "toAccountId": payer.yen, "amount": money("10.00")}
    body = {"quoteId": payer.post("/v1/quotes", json=quote)["id"], "hold": True}
    payer.problem("POST", "/v1/transfers", 422, "currency-mismatch", json=body)


def test_a_deposit_is_opened_with_its_money_across_currencies(payer: Person) -> None:
    quote = {"fromAccountId": payer.one, "toCurrency": "JPY", "amount": money("50.00")}
    quoted = payer.post("/v1/quotes", json=quote)
    assert quoted["currency"] == "JPY" and quoted["rate"]["source"] == "ECB"
    key = str(uuid.uuid4())
    body = {"quoteId": quoted["id"], "name": "For Japan"}
    opened = payer.post("/v1/deposits", json=body, key=key)
    account = opened["account"]
    assert account["kind"] == "deposit" and account["iban"] and account["name"] == "For Japan"
    assert account["balance"] == quoted["converted"] == opened["transfer"]["credit"]
    assert payer.post("/v1/deposits", json=body, key=key)["account"]["id"] == account["id"]
    payer.problem("POST", "/v1/deposits", 409, "quote-used", json=body)
    # A quote for a deposit is for nothing else, and the other way round.
    quoted = payer.post("/v1/quotes", json=quote | {"amount": money("1.00")})
    payer.problem("POST", "/v1/transfers", 422, "invalid-body", json={"quoteId": quoted["id"]})
    plain = {"fromAccountId": payer.one, "toAccountId": payer.yen, "amount": money("1.00")}
    quoted = payer.post("/v1/quotes", json=plain)
    payer.problem("POST", "/v1/deposits", 422, "invalid-body", json={"quoteId": quoted["id"]})
    # Neither account nor transfer without the other.
    body = {"fromAccountId": payer.one, "currency": "EUR", "amount": money("50.01")}
    payer.problem("POST", "/v1/deposits", 409, "insufficient-funds", json=body)
    body = body | {"amount": money("1.00"), "name": "for JAPAN"}
    payer.problem("POST", "/v1/deposits", 409, "account-name-taken", json=body)
    kinds = [item["kind"] for item in payer.pages("/v1/accounts")]
    assert kinds.count("deposit") == 1
    assert state_of(payer, payer.one) == ("50.00", "50.00")


def test_deposits_opened_at_once_each_get_a_name_and_a_number(payer: Person, suite: Suite) -> None:
    body = {"fromAccountId": payer.one, "currency": "EUR", "amount": money("5.00")}
    with ThreadPoolExecutor(8) as pool:
        clients = [Api(suite, payer.token) for _ in range(8)]
        opened = list(pool.map(lambda api: api.post("/v1/deposits", json=body), clients))
    names = sorted(one["account"]["name"] for one in opened)
    assert names == ["Deposit EUR"] + [f"Deposit EUR {n}" for n in range(2, 9)]
    assert len({one["account"]["iban"] for one in opened}) == 8
    assert state_of(payer, payer.one) == ("60.00", "60.00")


def many(payer: Person, amounts: list[str], **options: object) -> dict:
    transfers = [
        {"fromAccountId": payer.one, "toAccountId": payer.other, "amount": money(amount)}
        for amount in amounts
    ]
    return {"transfers": transfers} | options


def test_many_transfers_are_posted_all_or_not_at_all(payer: Person) -> None:
    body = many(payer, ["10.00"] * 10 + ["0.01", "0.02"])
    key = str(uuid.uuid4())
    for _ in range(2):
        problem = payer.problem(
            "POST", "/v1/transfers/batches", 409, "insufficient-funds", json=body, key=key
        )  # fmt: skip
        assert problem["errors"][0]["pointer"] == "/transfers/10"
    assert state_of(payer, payer.one) == ("100.00", "100.00")
    body["transfers"][3] = {"amount": money("1.00")}
    problem = payer.problem("POST", "/v1/transfers/batches", 422, "invalid-body", json=body)
    pointers = {error["pointer"] for error in problem["errors"]}
    assert "/transfers/3/fromAccountId" in pointers
    key = str(uuid.uuid4())
    body = many(payer, ["10.00"] * 10)
    done = payer.post("/v1/transfers/batches", json=body, key=key, status=200)
    ids = [result["transfer"]["id"] for result in done["results"]]
    assert len(set(ids)) == 10
    assert payer.post("/v1/transfers/batches", json=body, key=key, status=200) == done
    assert state_of(payer, payer.one) == ("0.00", "0.00")
    assert payer.get(f"/v1/transfers/{ids[9]}")["debit"] == money("10.00")


def test_of_many_transfers_each_can_have_an_outcome_of_its_own(payer: Person) -> None:
    body = many(payer, ["60.00", "60.00", "40.00", "0.01"], atomic=False)
    body["transfers"].append({"amount": money("1.00")})
    key = str(uuid.uuid4())
    done = payer.post("/v1/transfers/batches", json=body, key=key, status=200)
    assert [result["status"] for result in done["results"]] == [201, 409, 201, 409, 422]
    assert done["results"][1]["code"] == "insufficient-funds"
    assert payer.post("/v1/transfers/batches", json=body, key=key, status=200) == done
    assert state_of(payer, payer.one) == ("0.00", "0.00")
    body["transfers"].pop()
    payer.problem(
        "POST", "/v1/transfers/batches", 422, "idempotency-key-reused", json=body, key=key
    )


def test_many_transfers_to_others_count_as_one_sum(payer: Person, suite: Suite) -> None:
    payer.post("/v1/transactions", json={"accountId": payer.one, "amount": money("2000.00")})
    payee = Person(suite)
    account = payee.post("/v1/accounts", json={"kind": "current", "currency": "EUR"})
    transfer = {
        "fromAccountId": payer.one, "toIban": account["iban"], "amount": money("100.00")
    }  # fmt: skip
    make_stale(suite, payer)
    for atomic in (True, False):
        body = {"transfers": [transfer] * 11, "atomic": atomic}
        payer.problem("POST", "/v1/transfers/batches", 403, "step-up-required", json=body)
    body = {"transfers": [transfer] * 10}
    payer.post("/v1/transfers/batches", json=body, status=200)
    payer.problem("POST", "/v1/transfers", 403, "step-up-required", json=transfer)


def test_what_is_held_for_others_counts_as_sent(payer: Person, suite: Suite) -> None:
    payer.post("/v1/transactions", json={"accountId": payer.one, "amount": money("5000.00")})
    payee = Person(suite)
    hold = hold_for(payee, payer, "900.00")
    make_stale(suite, payer)
    first = payer.post("/v1/transfers", json=hold)
    problem = ("POST", "/v1/transfers", 403, "step-up-required")
    payer.problem(*problem, json=hold)
    payer.problem(*problem, json=hold | {"hold": False})
    payer.problem(
        "POST", "/v1/transfers/batches", 403, "step-up-required", json={"transfers": [hold]}
    )
    # One's own accounts are nobody else, and what is given up was not sent.
    own = hold | {"toIban": payer.other_iban}
    payer.post("/v1/transfers", json=own)
    payer.call("POST", f"/v1/transfers/{first['id']}/void", 200)
    second = payer.post("/v1/transfers", json=hold)
    payer.call("POST", f"/v1/transfers/{second['id']}/capture", 200)
    payer.problem(*problem, json=hold)


def test_a_wallet_is_never_out_of_bounds_for_what_is_held(payer: Person) -> None:
    deep, least = extreme(payer, "-"), money(f"-{HUGE}", "CLF")
    other = payer.post("/v1/accounts", {"currency": "CLF", "name": "Shallow"})["id"]
    hold = {
        "fromAccountId": deep, "toAccountId": other, "amount": money("0.0002", "CLF"), "hold": True
    }  # fmt: skip
    payer.problem("POST", "/v1/transfers", 409, "balance-overflow", json=hold)
    assert payer.get(f"/v1/accounts/{deep}")["available"] == least
    payer.post("/v1/transactions", json={"accountId": deep, "amount": money("0.0002", "CLF")})
    payer.post("/v1/transfers", json=hold)
    spent = {"accountId": deep, "amount": money("-0.0001", "CLF")}
    payer.problem("POST", "/v1/transactions", 409, "balance-overflow", json=spent)
    assert payer.get(f"/v1/accounts/{deep}")["available"] == least
    assert len(list(payer.pages("/v1/accounts"))) >= 4
