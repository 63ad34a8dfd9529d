"""Statements of accounts, and rows that no call would write."""

import uuid

import pytest

from actions import psql
from client import Api, Person, money
from suite.suite import Suite

#: The month of a long account.
LONG = {"from": "2024-05-01", "to": "2024-05-31"}


def statement(person: Api, account: str, kind: str, **days: object) -> bytes:
    answer = person.send("GET", f"/v1/accounts/{account}/statement", params={"format": kind} | days)
    assert answer.status_code == 200, answer.text
    return answer.content


def fill(suite: Suite, account: str, like: str, texts: list[tuple[str, str]]) -> None:
    """Rows like one, with texts that no call would take."""
    script = [f"delete from ledger.money_transaction where account_id = '{account}' "
              f"and id <> '{like}';"]  # fmt: skip
    for place, (name, description) in enumerate(texts):
        row = quoted(name), quoted(description)
        identifier = f"'00000000-0000-7000-8000-{place:012x}'"
        script.append(f"""
            insert into ledger.money_transaction
            select (jsonb_populate_record(t, jsonb_build_object(
                'id', {identifier}, 'seq', t.seq + {place} + 1))).*
            from ledger.money_transaction as t
            where id = '{like}' and reversed_by is null;
            update ledger.money_transaction set name = {row[0]}, description = {row[1]}
            where id = {identifier};""")
    script.append(f"delete from ledger.money_transaction where id = '{like}';")
    run_script(suite, "begin;" + "".join(script) + settle(account) + "commit;")


def settle(account: str) -> str:
    return f"""
        update ledger.balance set amount = (
            select coalesce(sum(amount), 0) from ledger.money_transaction
            where account_id = '{account}' and reversed_by is null)
        where account_id = '{account}';"""


def quoted(text: str) -> str:
    return "convert_from('\\x" + text.encode().hex() + "', 'UTF8')"


def run_script(suite: Suite, script: str) -> None:
    file = suite.folder / f"{uuid.uuid4()}.sql"
    file.write_text(script)
    file.chmod(0o644)
    suite.postgres.psql("-q", "-v", "ON_ERROR_STOP=1", "-f", str(file), database="ezwallet_ledger")
    file.unlink()


def ids_of(suite: Suite, account: str) -> list[str]:
    return psql(suite, f"select id from ledger.money_transaction where account_id = '{account}' "
                       "and reversed_by is null order by id").split()  # fmt: skip


@pytest.fixture(scope="module")
def long_account(suite: Suite) -> tuple[Person, str]:
    """An account of 100,000 lines, all of one month."""
    person = Person(suite)
    account = person.post("/v1/accounts", {"name": "Long"})["id"]
    like = person.post("/v1/transactions", {
        "amount": money("-1.00"), "accountId": account, "date": "2024-05-05", "name": "Coffee",
        "description": "At the corner, with milk",
    })["id"]  # fmt: skip
    run_script(
        suite,
        f"""
        insert into ledger.money_transaction
        select added.* from ledger.money_transaction as t, generate_series(1, 99999) as n,
            jsonb_populate_record(t, jsonb_build_object(
                'id', md5(n::text)::uuid, 'seq', t.seq + n, 'amount', n % 2000 - 999,
                'day', date '2024-05-01' + n % 31)) as added
        where t.id = '{like}';
        {settle(account)}
        analyze ledger.money_transaction;""",
    )
    return person, account
