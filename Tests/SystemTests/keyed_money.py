"""What the ledger refuses and makes under a key."""

from actions import HUGE, current, document, record
from client import Person, money
from keyed import Refusal, name, picture

RAW = {"Content-Type": "application/octet-stream"}
CSV = b"date,name,amount\n2024-03-01,Kiosk,-1.00\n"


def account(ada: Person, _: Person) -> Refusal:
    called = name()
    taken = ada.post("/v1/accounts", {"name": called})["id"]
    return Refusal(
        ada, "/v1/accounts", "account-name-taken", said={"json": {"name": called}},
        mend=lambda: ada.call("DELETE", f"/v1/accounts/{taken}", 204),
    )  # fmt: skip


def category(ada: Person, _: Person) -> Refusal:
    called = name()
    taken = ada.post("/v1/categories", {"name": called})["id"]
    return Refusal(
        ada, "/v1/categories", "category-name-taken", said={"json": {"name": called}},
        mend=lambda: ada.call("DELETE", f"/v1/categories/{taken}", 204),
    )  # fmt: skip


def subcategory(ada: Person, _: Person) -> Refusal:
    top, other = (ada.post("/v1/categories", {"name": name()})["id"] for _ in range(2))
    path = f"/v1/categories/{top}"
    ada.call("PATCH", path, 200, json={"parentId": other})
    return Refusal(
        ada, "/v1/categories", "category-depth",
        said={"json": {"name": name(), "parentId": top}},
        mend=lambda: ada.call("PATCH", path, 200, json={"parentId": None}),
    )  # fmt: skip


def folder(ada: Person, _: Person) -> Refusal:
    rich = Person(ada.suite)
    first = rich.post("/v1/folders", {"name": name()})["id"]
    ada.suite.postgres.psql(
        "-c", "with made as (insert into ledger.folder (id, user_id, name) "
        f"select gen_random_uuid(), '{rich.id}', 'f' from generate_series(1, 499) returning id) "
        "insert into ledger.folder_member (folder_id, user_id, access) "
        f"select id, '{rich.id}', 'owner' from made", database="ezwallet_ledger",
    )  # fmt: skip
    return Refusal(
        rich, "/v1/folders", "too-many-folders", said={"json": {"name": name()}},
        mend=lambda: rich.call("DELETE", f"/v1/folders/{first}", 204),
    )  # fmt: skip


def rule(ada: Person, _: Person) -> Refusal:
    rich = Person(ada.suite)
    food = rich.post("/v1/categories", {"name": name()})["id"]
    body = {"match": {"field": "name", "contains": name()}, "categoryId": food}
    first = rich.post("/v1/import-rules", body)["id"]
    ada.suite.postgres.psql(
        "-c", "insert into ledger.import_rule (id, user_id, priority, field, operator, pattern, "
        f"pattern_folded, category_id) select gen_random_uuid(), '{rich.id}', n, 'name', "
        f"'contains', 'x', 'x', '{food}' from generate_series(1, 199) n",
        database="ezwallet_ledger",
    )  # fmt: skip
    return Refusal(
        rich, "/v1/import-rules", "too-many-import-rules", said={"json": body},
        mend=lambda: rich.call("DELETE", f"/v1/import-rules/{first}", 204),
    )  # fmt: skip


def standing_order(ada: Person, _: Person) -> Refusal:
    """As many as one may have, until one goes."""
    rich = Person(ada.suite)
    one, other = current(rich, "EUR"), current(rich, "EUR")
    body = {
        "fromAccountId": one["id"], "toAccountId": other["id"], "amount": money("1.00"),
        "recurrence": {"every": 1, "unit": "month"}, "startDate": "2999-01-01",
    }  # fmt: skip
    first = rich.post("/v1/standing-orders", body)["id"]
    ada.suite.postgres.psql(
        "-c", "insert into ledger.standing_order (id, user_id, from_account, to_account, is_own, "
        "currency, to_currency, amount, every, unit, anchor, next_number, is_proved) "
        f"select gen_random_uuid(), '{rich.id}', '{one['id']}', '{other['id']}', true, 'EUR', "
        "'EUR', 1, 1, 'month', '2999-01-01', 0, true from generate_series(1, 499)",
        database="ezwallet_ledger",
    )  # fmt: skip
    return Refusal(
        rich, "/v1/standing-orders", "too-many-standing-orders", said={"json": body},
        mend=lambda: rich.call("DELETE", f"/v1/standing-orders/{first}", 204),
    )  # fmt: skip


def poor(ada: Person) -> dict:
    """An account that has nothing, and does not go below."""
    return current(ada, "EUR")


def fill(ada: Person, account: dict) -> None:
    record(ada, account["id"], "50.00", name="In")


def without(ada: Person, path: str, account: dict, body: dict, served: int = 201) -> Refusal:
    """Refused until there is money."""
    return Refusal(
        ada, path, "insufficient-funds", said={"json": body}, served=served,
        mend=lambda: fill(ada, account),
    )  # fmt: skip


def transaction(ada: Person, _: Person) -> Refusal:
    account = poor(ada)
    body = {"accountId": account["id"], "amount": money("-5.00"), "name": "Out"}
    return without(ada, "/v1/transactions", account, body)


def transactions(ada: Person, _: Person) -> Refusal:
    account = poor(ada)
    row = {"accountId": account["id"], "amount": money("-5.00"), "name": "Out"}
    return without(ada, "/v1/transactions/batches", account, {"transactions": [row]})


def moving(ada: Person, account: dict) -> dict:
    to = ada.post("/v1/accounts", {"name": name(), "currency": "EUR"})["id"]
    return {"fromAccountId": account["id"], "toAccountId": to, "amount": money("5.00")}


def transfer(ada: Person, _: Person) -> Refusal:
    account = poor(ada)
    return without(ada, "/v1/transfers", account, moving(ada, account))


def transfers(ada: Person, _: Person) -> Refusal:
    account = poor(ada)
    body = {"atomic": True, "transfers": [moving(ada, account)]}
    return without(ada, "/v1/transfers/batches", account, body, served=200)


def quote(ada: Person, _: Person) -> Refusal:
    account = poor(ada)
    return without(ada, "/v1/quotes", account, moving(ada, account))


def deposit(ada: Person, _: Person) -> Refusal:
    account = poor(ada)
    body = {"fromAccountId": account["id"], "currency": "EUR", "amount": money("5.00")}
    return without(ada, "/v1/deposits", account, body)


def capture(ada: Person, _: Person) -> Refusal:
    """Of a hold for an account that has become too full to take it."""
    source, target = (
        ada.post("/v1/accounts", {"name": name(), "currency": "CLF"})["id"] for _ in range(2)
    )
    body = {"fromAccountId": source, "toAccountId": target, "amount": money("1.0000", "CLF")}
    held = ada.post("/v1/transfers", body | {"hold": True})["id"]
    most = {"accountId": target, "amount": money("10000000000000.0000", "CLF")}
    rest = most | {"amount": money("2337203685477.5807", "CLF")}
    ada.post("/v1/transactions/batches", {"transactions": [most] * 92 + [rest]})
    full = ada.get(f"/v1/accounts/{target}")["balance"]
    assert full == money("922337203685477.5807", "CLF") or full == money(HUGE, "CLF"), full
    less = {"accountId": target, "amount": money("-5.0000", "CLF")}
    return Refusal(
        ada, f"/v1/transfers/{held}/capture", "balance-overflow", served=200,
        mend=lambda: ada.post("/v1/transactions", less),
    )  # fmt: skip


def deletion(ada: Person, _: Person) -> Refusal:
    account = poor(ada)
    income = record(ada, account["id"], "5.00", name="In")["id"]
    record(ada, account["id"], "-5.00", name="Out")
    return without(ada, "/v1/transactions/deletions", account, {"ids": [income]})


def undoing(ada: Person, _: Person) -> Refusal:
    """The expense cannot come back: what it had cost is spent on something else."""
    account = poor(ada)
    record(ada, account["id"], "5.00", name="In")
    spent = record(ada, account["id"], "-5.00", name="Out")["id"]
    gone = ada.call("DELETE", f"/v1/transactions/{spent}", 200)["id"]
    record(ada, account["id"], "-5.00", name="Else")
    return Refusal(
        ada, f"/v1/transactions/deletions/{gone}/undo", "insufficient-funds", served=200,
        mend=lambda: fill(ada, account),
    )  # fmt: skip


def allocating(ada: Person, path: str, body: dict) -> Refusal:
    """In a currency that is not the person's yet."""
    change = {"currency": "USD"}
    return Refusal(
        ada, path, "currency-mismatch", said={"json": body}, patience=40.0,
        mend=lambda: ada.call("PATCH", "/v1/users/me", 200, json=change),
    )  # fmt: skip


def allocation(ada: Person, _: Person) -> Refusal:
    person = Person(ada.suite, currency="EUR")
    food = person.post("/v1/categories", {"name": name()})["id"]
    body = {"amount": money("5.00", "USD"), "month": "2026-03"}
    return allocating(person, f"/v1/budgets/{food}/allocations", body)


def budget_transfer(ada: Person, _: Person) -> Refusal:
    person = Person(ada.suite, currency="EUR")
    one, two = (person.post("/v1/categories", {"name": name()})["id"] for _ in range(2))
    body = {"fromCategoryId": one, "toCategoryId": two, "amount": money("5.00", "USD"),
            "month": "2026-03"}  # fmt: skip
    return allocating(person, "/v1/budget-transfers", body)


def preview(person: Person, content: bytes = CSV) -> dict:
    (wallet,) = (one["id"] for one in person.get("/v1/accounts")["items"][:1])
    path = f"/v1/imports?accountId={wallet}"
    return person.call("POST", path, 201, content=content, headers=RAW)


def upload(ada: Person, _: Person) -> Refusal:
    """A hundred previews wait."""
    person = Person(ada.suite, currency="EUR")
    made = [preview(person)["id"] for _ in range(100)]
    (wallet,) = (one["id"] for one in person.get("/v1/accounts")["items"][:1])
    return Refusal(
        person, f"/v1/imports?accountId={wallet}", "too-many-imports",
        said={"content": CSV, "headers": RAW},
        mend=lambda: person.call("DELETE", f"/v1/imports/{made[0]}", 204),
    )  # fmt: skip


def commit(ada: Person, _: Person) -> Refusal:
    person = Person(ada.suite, currency="EUR")
    path = f"/v1/imports/{preview(person)['id']}"
    fault = '{"line": 7, "detail": "the balances do not tie"}'
    ada.suite.postgres.psql(
        "-c", f"update ledger.statement_import set balance_fault = '{fault}' "
        f"where id = '{path.rpartition('/')[2]}'", database="ezwallet_ledger",
    )  # fmt: skip
    return Refusal(
        person, f"{path}/commit", "balances-do-not-tie", served=200,
        mend=lambda: person.call("PATCH", path, 200, json={"acceptBalances": True}),
    )  # fmt: skip


def attachment(ada: Person, _: Person) -> Refusal:
    """As many files as one can have."""
    lunch = ada.post("/v1/transactions", {"amount": money("-5.00"), "name": "Lunch"})["id"]
    path = f"/v1/transactions/{lunch}/attachments"
    made = [ada.call("POST", path, 201, content=document())["id"] for _ in range(10)]
    return Refusal(
        ada, path, "too-many-attachments", said={"content": picture()},
        mend=lambda: ada.call("DELETE", f"{path}/{made[0]}", 204),
    )  # fmt: skip
