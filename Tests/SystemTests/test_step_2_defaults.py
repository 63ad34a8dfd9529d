"""Step 2: what everybody has from the start, by the event or by the first call."""

import pytest

from client import Person
from suite.suite import Suite

NEEDS = ["gateway", "auth"]


@pytest.mark.needs("ledger", "groups")
def test_the_first_call_finds_the_wallet_the_category_and_the_personal_group(
    suite: Suite,
) -> None:
    # Asked at once, which is before the event for at least some of them.
    for _ in range(5):
        newcomer = Person(suite, currency="JPY")
        (wallet,) = newcomer.get("/v1/accounts")["items"]
        assert (wallet["name"], wallet["kind"]) == ("Default", "wallet")
        assert wallet["balance"] == {"amount": "0", "currency": "JPY"}
        assert "Others" in [one["name"] for one in newcomer.get("/v1/categories")["items"]]
        assert len(newcomer.get("/v1/groups")["items"]) == 1


@pytest.mark.needs("ledger")
def test_the_defaults_are_made_without_any_call_too(suite: Suite) -> None:
    from client import eventually

    newcomer = Person(suite)

    def count(database: str, query: str) -> str:
        return suite.postgres.psql("-c", query, database=database)

    eventually(
        lambda: count(
            "ezwallet_ledger",
            f"select count(*) from ledger.account where user_id = '{newcomer.id}'",
        ),
        until=lambda found: found == "1",
    )


@pytest.mark.needs("ledger")
def test_the_defaults_are_never_doubled_by_event_and_call(suite: Suite, ada: Person) -> None:
    import time

    ada.get("/v1/accounts")
    time.sleep(1.0)
    assert len(ada.get("/v1/accounts")["items"]) == 1
    assert [one["name"] for one in ada.get("/v1/categories")["items"]].count("Others") == 1


@pytest.mark.needs("groups")
def test_the_personal_group_is_made_once_by_event_and_call(suite: Suite) -> None:
    from client import eventually

    def count(person: Person) -> str:
        query = f"select count(*) from groups.expense_group where personal_of = '{person.id}'"
        return suite.postgres.psql("-c", query, database="ezwallet_groups")

    silent = Person(suite)
    for _ in range(5):
        (personal,) = Person(suite, currency="JPY").get("/v1/groups")["items"]
        assert personal["personal"] and personal["currency"] == "JPY"
    eventually(lambda: count(silent), until=lambda found: found == "1")
    (personal,) = silent.get("/v1/groups")["items"]
    assert personal["currency"] == "EUR" and count(silent) == "1"
