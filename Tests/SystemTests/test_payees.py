"""A transfer's payee is told of it, in the feed and the open stream; nobody else is."""

import uuid

import pytest

from client import Person, eventually, money
from stream import Stream
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "notifications"]


@pytest.fixture(scope="module")
def ada(suite: Suite) -> Person:
    """Somebody with two accounts and 100.00 EUR on the first."""
    ada = Person(suite)
    ada.accounts = [
        ada.post("/v1/accounts", {"kind": "current", "currency": "EUR"}) for _ in range(2)
    ]
    body = {"accountId": ada.accounts[0]["id"], "amount": money("100.00")}
    ada.post("/v1/transactions", body)
    return ada


@pytest.fixture
def bob(suite: Suite) -> Person:
    bob = Person(suite)
    bob.account = bob.post("/v1/accounts", {"kind": "current", "currency": "EUR"})
    return bob


def told(person: Person) -> list[dict]:
    return person.get("/v1/notifications")["items"]


def send(payer: Person, iban: str, amount: str, **more: object) -> dict:
    body = {"fromAccountId": payer.accounts[0]["id"], "toIban": iban, "amount": money(amount)}
    return payer.post("/v1/transfers", body | more)


@pytest.mark.timeout(90)
def test_the_payee_hears_of_it_in_stream_and_feed_once(ada: Person, bob: Person) -> None:
    stream = Stream(bob)
    send(ada, bob.account["iban"], "12.30", reference="for the dinner")
    identifier, event = stream.next("transfer-received")
    stream.close()
    assert event["amount"] == money("12.30") and event["accountId"] == bob.account["id"]
    assert "12.30" in event["text"]
    (mine,) = told(bob)
    assert mine["id"] == event["id"] == identifier
    send(ada, bob.account["iban"], "0.70")
    eventually(
        lambda: [item["amount"] for item in told(bob)],
        until=lambda found: found == [money("0.70"), money("12.30")],
    )
    assert not told(ada)


@pytest.mark.timeout(90)
def test_only_what_arrives_from_others_is_told(ada: Person, bob: Person) -> None:
    """Own transfers, plain transactions, other versions and undone ones are nobody's news."""
    send(ada, ada.accounts[1]["iban"], "5.00")
    body = {"accountId": bob.account["id"], "amount": money("7.00")}
    bob.post("/v1/transactions", body)
    # Held money has not come.
    held = send(ada, bob.account["iban"], "1.00", hold=True)
    ada.call("POST", f"/v1/transfers/{held['id']}/void", 200)
    send(ada, bob.account["iban"], "2.00")
    eventually(lambda: told(bob), until=lambda found: len(found) == 1)
    (side,) = [item for item in bob.pages("/v1/transactions") if "transferId" in item]
    bob.call("PATCH", f"/v1/transactions/{side['id']}", 200, json={"name": "Rent"})
    kept = send(ada, bob.account["iban"], "3.00", hold=True)
    ada.call("POST", f"/v1/transfers/{kept['id']}/capture", 200, key=str(uuid.uuid4()))
    eventually(
        lambda: [item["amount"] for item in told(bob)],
        until=lambda found: found == [money("3.00"), money("2.00")],
    )
    assert not told(ada)
