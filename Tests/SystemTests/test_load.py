"""deploy/load: what it loads is what the ledger would have written."""

import json
import subprocess

import pytest

from actions import psql, sealed
from client import Api
from conftest import make_admin
from loader.load import Plan, load
from suite.executables import EXECUTABLES
from suite.suite import Suite, wait_until

NEEDS = EXECUTABLES
TOTAL = 3_000


@pytest.mark.timeout(180)
def test_what_is_loaded_is_well_formed(suite: Suite) -> None:
    loaded = load(suite, Plan(users=6, transactions=TOTAL, months=12, seed=77, events=True))
    people = [person.user for person in loaded.people]
    listed = "', '".join(people)
    assert loaded.transactions == TOTAL
    count = psql(
        suite, f"select count(*) from ledger.money_transaction where user_id in ('{listed}')"
    )
    assert count == str(TOTAL)
    kinds = psql(
        suite,
        "select count(distinct t.account_id) > 12, bool_or(t.is_split), bool_or(t.tags <> '{}'), "
        "bool_or(t.place is not null), bool_or(t.own_transfer), "
        "bool_or(t.transfer_id is not null and not t.own_transfer), "
        f"bool_and(t.amount <> 0) from ledger.money_transaction as t where user_id in ('{listed}')",
    )
    assert kinds == "t|t|t|t|t|t|t"
    priced = psql(
        suite,
        "select count(*) filter (where source.currency <> target.currency) > 0, "
        "bool_and(coalesce(rate_source = 'ECB', false) = (source.currency <> target.currency)) "
        "from ledger.transfer join ledger.account as source on source.id = from_account "
        "join ledger.account as target on target.id = to_account "
        f"where source.user_id in ('{listed}')",
    )
    assert priced == "t|t"
    wait_until(lambda: sealed(suite), 60, "the entries are not sealed")
    report = json.loads(suite.command("ledger", "verify", "--json"))
    assert report["intact"] and report["entries"] >= loaded.entries
    trial = make_admin(suite).get("/v1/ledger-integrity")
    assert trial["balanced"]
    assert trial["head"]["height"] >= report["verifiedTo"] > 0
    assert trial["verification"]["intact"] and trial["verification"]["by"] == "operator"

    # Its owner sees it all, and it adds up.
    email = loaded.email(1)
    session = Api(suite).post("/v1/sessions", {"identifier": email, "password": loaded.password})
    api = Api(suite, session["accessToken"])
    first = loaded.people[0]
    balances = {
        account["id"]: account["balance"]["amount"] for account in api.get("/v1/accounts")["items"]
    }
    assert len(balances) == 3 + (first.abroad is not None)
    seen, sums = 0, {}
    for row in api.pages("/v1/transactions", limit=100):
        seen += 1
        sums[row["accountId"]] = sums.get(row["accountId"], 0) + cents(row["amount"]["amount"])
    mine = psql(
        suite, f"select count(*) from ledger.money_transaction where user_id = '{first.user}'"
    )
    assert str(seen) == mine
    for account in (first.main, first.savings, first.cash):
        assert sums.get(account.id, 0) == account.balance == cents(balances[account.id])

    # What was told came in order, and what the service tells next goes on from there.
    told = psql(
        suite,
        "select bool_and(o.total = s.sequence and o.total = o.last) from (select aggregate, "
        "count(*) as total, max(sequence) as last from ledger.outbox group by aggregate) as o "
        "join ledger.aggregate_sequence as s using (aggregate) where o.aggregate like 'account:%'",
    )
    assert told == "t"
    made = api.post(
        "/v1/transactions",
        {"accountId": first.main.id, "amount": {"amount": "1.00", "currency": "EUR"}},
    )
    assert made["accountId"] == first.main.id
    wait_until(lambda: sealed(suite), 60, "the entries are not sealed")
    assert json.loads(suite.command("ledger", "verify", "--json"))["intact"]


def cents(amount: str) -> int:
    return round(float(amount) * 100)


def test_a_load_is_not_repeated(suite: Suite) -> None:
    with pytest.raises(RuntimeError, match="loaded already"):
        load(suite, Plan(users=6, transactions=10, months=1, seed=77, events=False))


def test_the_command_says_what_it_needs() -> None:
    from conftest import ROOT

    done = subprocess.run(
        [ROOT / "deploy" / "load", "--users", "1"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "at least 2 users" in done.stderr
