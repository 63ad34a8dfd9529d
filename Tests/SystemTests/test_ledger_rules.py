"""The ledger's rules at their edges: what is replayed, taken back, closed and removed."""

import base64
import json
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from actions import (
    HUGE,
    category,
    current,
    extreme,
    held,
    import_file,
    ofx,
    record,
    rows_of,
    wallet,
)
from actions import balance_of as balance
from client import Api, Person, eventually, money, value
from conftest import make_admin
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]
FILE = {"Content-Type": "application/octet-stream"}


def statement(*amounts: str, balance: str, days: str = "202403") -> bytes:
    rows = [(f"{days}{1 + i:02d}", amount, f"r{days}{i}") for i, amount in enumerate(amounts)]
    return ofx(rows, "EUR", balance)


def upload(person: Person, account: str, content: bytes, **options: object) -> dict:
    path = f"/v1/imports?accountId={account}"
    return person.call("POST", path, 201, content=content, headers=FILE, **options)


def test_a_repeated_key_replays_though_the_category_is_gone(ada: Person) -> None:
    account, chosen, key = wallet(ada, "EUR"), category(ada), str(uuid.uuid4())
    body = {"accountId": account, "amount": money("-3.00"), "categoryId": chosen}
    first = ada.send("POST", "/v1/transactions", json=body, key=key)
    ada.call("DELETE", f"/v1/categories/{chosen}", 204)
    again = ada.send("POST", "/v1/transactions", json=body, key=key)
    assert first.status_code == again.status_code == 201, again.text
    assert first.json()["id"] == again.json()["id"]
    fresh = ada.send("POST", "/v1/transactions", json=body)
    assert fresh.status_code == 422
    assert fresh.json()["errors"][0]["pointer"] == "/categoryId"


def test_one_key_and_another_file_is_refused(ada: Person) -> None:
    account, key = wallet(ada, "EUR"), str(uuid.uuid4())
    content = statement("-1.00", balance="5.00")
    first = upload(ada, account, content, key=key)
    assert upload(ada, account, content, key=key)["id"] == first["id"]
    path = f"/v1/imports?accountId={account}"
    other = statement("-2.00", balance="5.00")
    ada.problem(
        "POST", path, 422, "idempotency-key-reused", content=other, headers=FILE, key=key
    )  # fmt: skip


def test_an_import_taken_back_leaves_nothing_and_comes_again(ada: Person) -> None:
    account = wallet(ada, "EUR")
    content = statement("10.00", "-2.50", "0.00", balance="100.00")
    for _ in range(2):
        done = import_file(ada, account, content)
        assert done["duplicates"] == 0 and held(ada, account) == 100
        assert len(rows_of(ada, account)) == 3
        ada.call("DELETE", f"/v1/imports/{done['id']}", 204)
        ada.call("DELETE", f"/v1/imports/{done['id']}", 204)
        assert held(ada, account) == 0 and rows_of(ada, account) == []
        ada.problem("POST", f"/v1/imports/{done['id']}/commit", 409, "import-state")


def test_an_opening_is_set_only_where_nothing_was(ada: Person) -> None:
    account = wallet(ada, "EUR")
    record(ada, account, "7.00")
    import_file(ada, account, statement("-1.00", balance="500.00"))
    assert held(ada, account) == 6
    faulty = wallet(ada, "EUR")
    # A row that cannot be read is told, and the balance is what the bank says all the same.
    done = import_file(ada, faulty, statement("-1.00", "x", balance="500.00"))
    assert len(done["errors"]) == 1 and held(ada, faulty) == 500


def test_an_undo_after_the_import_was_taken_back_is_refused(ada: Person) -> None:
    account = wallet(ada, "EUR")
    content = statement("4.00", "6.00", balance="10.00")
    done = import_file(ada, account, content)
    row = rows_of(ada, account)[0]
    deletion = ada.call("DELETE", f"/v1/transactions/{row['id']}", 200)
    undo = f"/v1/transactions/deletions/{deletion['id']}/undo"
    ada.call("DELETE", f"/v1/imports/{done['id']}", 204)
    ada.problem("POST", undo, 409, "undo-expired")
    import_file(ada, account, content)
    assert held(ada, account) == 10 and len(rows_of(ada, account)) == 2


def test_the_same_file_committed_twice_at_once_comes_once(suite: Suite, ada: Person) -> None:
    account = wallet(ada, "EUR")
    amounts = [f"{n}.01" for n in range(1, 29)]
    content = statement(*amounts, balance="1000.00")
    previews = [upload(ada, account, content)["id"] for _ in range(4)]

    def commit(identifier: str) -> None:
        Api(suite, ada.token).send("POST", f"/v1/imports/{identifier}/commit")

    threads = [threading.Thread(target=commit, args=(one,)) for one in previews]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    states = eventually(
        lambda: [ada.get(f"/v1/imports/{one}") for one in previews],
        seconds=30,
        until=lambda found: {one["state"] for one in found} == {"committed"},
    )
    assert sorted(one["duplicates"] for one in states) == [0, 28, 28, 28]
    assert held(ada, account) == 1000 and len(rows_of(ada, account)) == 28


def test_a_statement_of_two_accounts_needs_a_number(ada: Person) -> None:
    account = wallet(ada, "EUR")
    text = statement("1.00", balance="1.00").decode()
    begin, end = text.index("<STMTTRNRS>"), text.index("</BANKMSGSRSV1>")
    second = text[begin:end].replace("<ACCTID>77", "<ACCTID>88").replace("1.00", "2.00")
    both = (text[:end] + second + text[end:]).encode()
    path = f"/v1/imports?accountId={account}"
    refused = ada.problem(
        "POST", path, 422, "account-number-required", content=both, headers=FILE
    )  # fmt: skip
    assert refused["accountNumbers"] == ["77", "88"]
    chosen = ada.call("POST", f"{path}&accountNumber=88", 201, content=both, headers=FILE)
    assert [one["amount"]["amount"] for one in chosen["rows"]] == ["2.00"]
    ada.problem(
        "POST", f"{path}&accountNumber=99", 422, "account-number-required", content=both,
        headers=FILE,
    )  # fmt: skip


def test_a_deletion_is_undone_exactly_and_once(ada: Person) -> None:
    account, chosen = wallet(ada, "EUR"), category(ada)
    made = record(
        ada, account, "-12.34", name="Lunch", description="with Bob", date="2024-02-29",
        categoryId=chosen,
    )  # fmt: skip
    deletion = ada.call("DELETE", f"/v1/transactions/{made['id']}", 200)
    assert held(ada, account) == 0 and rows_of(ada, account) == []
    ada.problem("DELETE", f"/v1/transactions/{made['id']}", 404, "not-found")
    for _ in range(2):
        ada.call("POST", f"/v1/transactions/deletions/{deletion['id']}/undo", 200)
        assert held(ada, account) == Decimal("-12.34")
    (row,) = rows_of(ada, account)
    # What recording it had to tell of budgets stands in that answer alone.
    assert {**row, "version": 1, "alerts": []} == {**made, "version": 1}
    again = ada.call("DELETE", f"/v1/transactions/{made['id']}", 200)
    ada.call("DELETE", f"/v1/categories/{chosen}", 204)
    ada.call("POST", f"/v1/transactions/deletions/{again['id']}/undo", 200)
    assert rows_of(ada, account)[0]["categoryId"] != chosen


def test_anothers_things_are_not_there(ada: Person, person: Person) -> None:
    account = wallet(ada, "EUR")
    made = record(ada, account, "1.00")
    preview = upload(ada, account, statement("1.00", balance="1.00"))
    deletion = ada.call("DELETE", f"/v1/transactions/{made['id']}", 200)
    for method, path in [
        ("GET", f"/v1/transactions/{made['id']}"), ("DELETE", f"/v1/transactions/{made['id']}"),
        ("POST", f"/v1/transactions/deletions/{deletion['id']}/undo"),
        ("GET", f"/v1/imports/{preview['id']}"), ("DELETE", f"/v1/imports/{preview['id']}"),
        ("POST", f"/v1/imports/{preview['id']}/commit"), ("DELETE", f"/v1/accounts/{account}"),
        ("DELETE", f"/v1/categories/{category(ada)}"),
    ]:  # fmt: skip
        person.problem(method, path, 404, "not-found")
    body = {"accountId": account, "amount": money("1.00")}
    theirs = person.send("POST", "/v1/transactions", json=body)
    absent = person.send(
        "POST", "/v1/transactions", json=body | {"accountId": str(uuid.uuid4())}
    )  # fmt: skip
    assert theirs.status_code == absent.status_code == 422
    assert theirs.json()["errors"] == absent.json()["errors"]
    mine = person.get("/v1/accounts")["items"][0]["id"]
    body = {"accountId": mine, "amount": money("1.00"), "categoryId": category(ada)}
    assert person.send("POST", "/v1/transactions", json=body).status_code == 422


@pytest.mark.parametrize("disposal", ["reassign", "delete"])
def test_a_category_goes_with_transfers_and_closed_accounts_in_it(
    ada: Person, disposal: str
) -> None:
    chosen = category(ada)
    child = ada.post("/v1/categories", {"name": uuid.uuid4().hex[:8], "parentId": chosen})["id"]
    one, closed = wallet(ada, "EUR"), wallet(ada, "EUR")
    record(ada, one, "-5.00", categoryId=chosen)
    record(ada, closed, "-7.00", categoryId=chosen)
    kept = record(ada, one, "-1.00", categoryId=child)
    ada.call("DELETE", f"/v1/accounts/{closed}", 204)
    ada.call("DELETE", f"/v1/categories/{chosen}?transactions={disposal}", 204)
    ada.problem("DELETE", f"/v1/categories/{chosen}", 404, "not-found")
    others = {one["id"] for one in ada.pages("/v1/categories") if one["default"]}
    assert held(ada, one) == (-6 if disposal == "reassign" else -1)
    assert len(rows_of(ada, one)) == (2 if disposal == "reassign" else 1)
    moved = rows_of(ada, closed) + [row for row in rows_of(ada, one) if row["id"] != kept["id"]]
    assert {row["categoryId"] for row in moved} == others
    assert ada.get(f"/v1/transactions/{kept['id']}")["categoryId"] == child
    shown = {one["id"]: one for one in ada.pages("/v1/categories")}
    assert "parentId" not in shown[child]


def test_a_deletion_that_would_overdraw_removes_no_category(ada: Person) -> None:
    account, chosen = current(ada, "EUR"), category(ada)
    record(ada, account["id"], "10.00", categoryId=chosen)
    record(ada, account["id"], "-4.00")
    path = f"/v1/categories/{chosen}?transactions=delete"
    ada.problem("DELETE", path, 409, "insufficient-funds")
    assert balance(ada, account) == 6
    assert chosen in {one["id"] for one in ada.pages("/v1/categories")}


def test_many_accounts_without_a_name_are_opened_at_once(suite: Suite) -> None:
    person = Person(suite)
    with ThreadPoolExecutor(24) as pool:
        made = list(pool.map(lambda _: person.post("/v1/accounts", {}), range(48)))
    names = {one["name"] for one in made}
    assert names == {"Wallet EUR", *(f"Wallet EUR {number}" for number in range(2, 49))}


def test_the_last_account_and_a_full_one_stay_open(suite: Suite) -> None:
    person = Person(suite)
    (default,) = eventually(lambda: person.get("/v1/accounts")["items"])
    person.problem("DELETE", f"/v1/accounts/{default['id']}", 409, "last-account")
    full = current(person, "EUR", "1.00")
    person.problem("DELETE", f"/v1/accounts/{full['id']}", 409, "account-not-empty")
    person.call("DELETE", f"/v1/accounts/{default['id']}", 204)
    person.call("DELETE", f"/v1/accounts/{default['id']}", 204)
    body = {"accountId": default["id"], "amount": money("1.00")}
    person.problem("POST", "/v1/transactions", 409, "account-closed", json=body)
    person.problem("DELETE", f"/v1/accounts/{full['id']}", 409, "last-account")


def test_names_that_nobody_can_see_are_refused(ada: Person) -> None:
    for path in ("/v1/accounts", "/v1/categories"):
        answer = ada.send("POST", path, json={"name": "\u200b\u00ad"})
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["pointer"] == "/name"
    name = f"Straße {uuid.uuid4().hex[:6]}"
    ada.post("/v1/categories", {"name": name})
    twin = {"name": name.upper()}
    ada.problem("POST", "/v1/categories", 409, "category-name-taken", json=twin)


def test_a_reference_that_grows_when_it_is_composed_is_refused(ada: Person) -> None:
    one, other = current(ada, "EUR", "5.00"), current(ada, "EUR")
    body = {
        "fromAccountId": one["id"], "toAccountId": other["id"], "amount": money("1.00"),
        "reference": "\ufb2c" * 140,
    }  # fmt: skip
    answer = ada.send("POST", "/v1/transfers", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["pointer"] == "/reference"


def test_forged_cursors_are_bad_requests(ada: Person) -> None:
    forged = [
        "x", "%00", *(
            base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
            for text in (
                "null", '"a\\u0000b"', "{}", '{"o":"-date","d":"2024-02-31","a":1,"i":"x"}',
                '{"o":"-date","d":"9999-12-31","a":99999999999999999999,"i":"x"}', "[" * 500,
            )
        ),
    ]  # fmt: skip
    for path in ("/v1/transactions", "/v1/accounts", "/v1/categories"):
        for cursor in forged:
            answer = ada.send("GET", f"{path}?cursor={cursor}")
            assert answer.status_code in (200, 400), (path, cursor, answer.text)
    good = json.dumps("zzz")
    cursor = base64.urlsafe_b64encode(good.encode()).decode().rstrip("=")
    assert ada.send("GET", f"/v1/categories?cursor={cursor}").status_code in (200, 400)


def test_the_books_can_be_read_beyond_64_bits(suite: Suite, ada: Person) -> None:
    admin = make_admin(suite)

    def pesos() -> tuple[Decimal, Decimal]:
        report = admin.get("/v1/ledger-integrity")
        found = [one for one in report["balances"] if one["currency"] == "CLF"]
        assert report["balanced"] is True
        assert all(one["total"]["amount"] == "0.0000" for one in found)
        return tuple(sum(value(one[side]) for one in found) for side in ("users", "system"))

    before = pesos()
    for _ in range(4):
        row = {"accountId": extreme(ada), "amount": money("0.0001", "CLF")}
        ada.problem("POST", "/v1/transactions", 409, "balance-overflow", json=row)
    users, system = pesos()
    assert users - before[0] == before[1] - system == 4 * Decimal(HUGE)
    assert users == -system


def test_accounts_without_a_name_can_be_opened_at_once(suite: Suite, ada: Person) -> None:
    answers = []

    def open_one() -> None:
        body = {"currency": "SEK"}
        answers.append(Api(suite, ada.token).send("POST", "/v1/accounts", json=body))

    threads = [threading.Thread(target=open_one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.status_code for one in answers] == [201] * 8
    assert len({one.json()["name"] for one in answers}) == 8
