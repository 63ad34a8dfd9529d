"""Everything held on somebody in one file, and nothing of anybody else."""

import json
import os
import re
import signal
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest

from actions import EXPORTS, contents, current, ready
from client import Api, Person, eventually, mails, money, value
from erasures import Busy
from families import ME, Limited
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES


@pytest.mark.timeout(120)
def test_the_file_is_what_the_api_shows(suite: Suite) -> None:
    busy = Busy(suite)
    person = busy.person
    export = person.post(EXPORTS, status=202)
    done = ready(person, export)
    lists, raw = contents(person, export)
    assert done["size"] == len(raw) and done["expiresAt"] > done["readyAt"]

    (profile,) = lists["profile"]
    me = person.get("/v1/users/me")
    for name in ("id", "email", "username", "firstName", "lastName", "dateOfBirth", "phone"):
        assert profile[name] == me[name], name
    assert not [name for name in profile if "hash" in name.lower()]
    assert {one["id"] for one in lists["sessions"]} == {
        one["id"] for one in person.pages("/v1/sessions")
    }
    shown = {one["id"]: one for one in person.pages("/v1/transactions", limit=200)}
    # What an editor recorded on the person's wallet is in the editor's books.
    (by_friend,) = lists["transactions-by-others"]
    others = shown.pop(by_friend["id"])
    assert others["bookedFor"] == busy.friend.id
    for name in ("amount", "date", "accountId", "version"):
        assert by_friend[name] == others[name], name
    told = {one["id"]: one for one in lists["transactions"]}
    assert told.keys() == shown.keys() and len(told) == len(lists["transactions"])
    for key, one in shown.items():
        for name in ("amount", "date", "accountId", "categoryId", "name", "version"):
            assert told[key][name] == one[name], (name, told[key], one)
    accounts = {
        one["id"]: one["balance"]
        for one in person.pages("/v1/accounts") if one["role"] == "owner"
    }  # fmt: skip
    assert {one["id"]: one["balance"] for one in lists["accounts"]} == accounts
    for account, balance in accounts.items():
        lines = [one for one in told.values() if one["accountId"] == account]
        openings = [one for one in lists["accounts"] if one["id"] == account]
        assert len(openings) == 1 and balance["currency"]
        if openings[0]["kind"] == "current":
            assert sum(value(one["amount"]) for one in lines) == value(balance)
    assert len(lists["transaction-history"]) == 2
    assert {one["id"] for one in lists["categories"]} == {
        one["id"] for one in person.pages("/v1/categories")
    }
    assert [one["direction"] for one in lists["transfers"]].count("out") == 2
    assert [one["reference"] for one in lists["standing-orders"]] == [f"O {busy.text}"]
    assert len(lists["imports"]) == 4 and len(lists["groups"]) == 2
    shared = {one["id"]: one for one in lists["expenses"] if one["name"] == "Rent"}
    assert len(shared) == 2
    bread = [one for one in lists["expenses"] if one["name"] == "Bread"]
    assert {one["category"] for one in bread} == {"Food"}
    standing, gone = sorted(bread, key=lambda one: "removedAt" in one)
    assert standing["amount"] == money("3.00") and "removedAt" not in standing
    assert gone["amount"] == money("2.00") and gone["removedAt"] >= gone["createdAt"]
    assert [
        (one["id"], one["version"], one["action"], one["amount"])
        for one in sorted(lists["expense-history"], key=lambda one: (one["id"], one["version"]))
    ] == [
        (standing["id"], 1, "added", money("2.00")),
        (standing["id"], 2, "changed", money("3.00")),
        (gone["id"], 1, "added", money("2.00")),
        (gone["id"], 2, "removed", money("2.00")),
    ]
    (limit,) = lists["thresholds"]
    assert limit["amount"] == money("500.00") and limit["groupId"] == gone["groupId"]
    (said,) = lists["comments"]
    assert said["text"] == f"said {busy.text}" and said["expenseId"] == standing["id"]
    (family,) = lists["family"]
    assert (family["name"], family["role"]) == (f"F {busy.text}", "parent")
    (approval,) = lists["approvals"]
    assert (approval["state"], approval["reason"]) == ("declined", f"no {busy.text}")
    (again,) = lists["expense-recurrences"]
    assert again["name"] == "Rent" and again["amount"] == money("30.00") and again["active"]
    for one in shared.values():
        assert one["share"] == money("15.00")
    (bank,) = lists["receiving-accounts"]
    assert (bank["currency"], bank["name"]) == ("EUR", f"A {busy.text}")
    assert len(lists["invitations-sent"]) == 4 and len(lists["invitations-received"]) == 3
    assert [one["role"] for one in lists["invitations-sent"] if "accountId" in one] == ["editor"]
    assert lists["notifications"] and lists["preferences"] and lists["report-facts"]
    sums = [one for one in walk(lists) if {"amount", "currency"} <= one.keys()]
    assert len(sums) > 10 and "minorUnits" not in json.dumps(lists)
    for one in sums:
        assert re.fullmatch(r"-?(0|[1-9][0-9]*)\.[0-9]{2}", one["amount"]), one
    # Nothing of the friend but the public name under which they were invited, and their line.
    everything = json.dumps(lists)
    assert busy.friend.email not in everything and busy.friend.id not in everything
    (mail,) = eventually(
        lambda: [one for one in mails(suite, person.email) if "data are ready" in one["subject"]]
    )
    assert person.id not in mail.as_string()

    stranger = Person(suite)
    for path in (f"{EXPORTS}/{export['id']}", f"{EXPORTS}/{export['id']}/file"):
        stranger.problem("GET", path, 404, "not-found")
        Api(suite).problem("GET", path, 401, "unauthenticated")
    # Sealed where it lies.
    held = suite.postgres.psql(
        "-c", "select count(*) from auth.export_piece where position("
        "'profile.json' in encode(sealed, 'escape')) > 0", database="ezwallet_auth",
    )  # fmt: skip
    assert held.strip() == "0"
    expire(suite, export)
    person.problem("GET", f"{EXPORTS}/{export['id']}/file", 404, "not-found")


@pytest.mark.timeout(120)
def test_an_allowance_is_in_both_files_and_the_account_in_its_owners(suite: Suite) -> None:
    family = Limited(suite)
    account = current(family.mother, "EUR", "50.00")["id"]
    family.limit((None, "10.00"))
    bought = [family.spend(amount, family.sweets)["id"] for amount in ("2.00", "1.50")]
    family.child.call("DELETE", f"/v1/transactions/{bought[1]}", 200)
    path = f"{ME}/children/{family.child.id}/allowances"
    body = {"amount": money("5.00"), "fromAccountId": account, "name": "Sweets",
            "recurrence": {"every": 1, "unit": "month"}}  # fmt: skip
    made = family.mother.post(path, body, key=str(uuid.uuid4()))["recurrenceId"]
    for person in (family.mother, family.child, family.father):
        export = person.post(EXPORTS, status=202)
        ready(person, export)
        lists = contents(person, export)[0]
        outlays = [
            (one["transactionId"], one["kind"], one.get("categoryId"), value(one["amount"]))
            for one in lists["allowance-outlays"]
        ]
        if person is not family.child:
            assert outlays == []
        else:
            # What was given back stands beside what was counted.
            own = [one for one in outlays if one[1] == "own"]
            assert sorted(own, key=lambda one: one[3]) == [
                (bought[1], "own", family.sweets, Decimal("-1.50")),
                (bought[1], "own", family.sweets, Decimal("1.50")),
                (bought[0], "own", family.sweets, Decimal("2.00")),
            ]
            assert {one["accountId"] for one in lists["allowance-outlays"]} == {family.purse}
        rows = lists["recurring-allowances"]
        if person is family.father:
            assert rows == []
            continue
        (row,) = rows
        of_mother = person is family.mother
        assert (row["id"], row["name"], row["paidByMe"]) == (made, "Sweets", of_mother)
        assert row["amount"] == money("5.00") and row["unit"] == "month" and row["active"]
        assert row.get("fromAccountId") == (account if of_mother else None)


def walk(tree: object) -> Iterator[dict]:
    """Every object in it."""
    if isinstance(tree, dict):
        yield tree
    if isinstance(tree, dict | list):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from walk(part)


def expire(suite: Suite, export: dict) -> None:
    suite.postgres.psql(
        "-c", "update auth.export set expires_at = now() - interval '1 s'"
        f" where id = '{export['id']}'", database="ezwallet_auth",
    )  # fmt: skip


@pytest.mark.timeout(60)
def test_many_requests_make_one_and_five_a_day(suite: Suite) -> None:
    person = Person(suite)
    with ThreadPoolExecutor(20) as pool:
        made = list(pool.map(lambda _: person.post(EXPORTS, status=202)["id"], range(20)))
    # One that was ready before the last of them asked does not count as the one under way.
    assert len(set(made)) <= 2
    ready(person, {"id": made[-1]})
    key = str(uuid.uuid4())
    again = [person.post(EXPORTS, status=202, key=key)["id"] for _ in range(2)]
    assert again[0] == again[1]
    ready(person, {"id": again[0]})
    for _ in range(6):
        answer = person.send("POST", EXPORTS)
        if answer.status_code == 429:
            break
        ready(person, answer.json())
    assert answer.status_code == 429 and int(answer.headers["retry-after"]) > 0


@pytest.mark.timeout(180)
def test_three_thousand_transactions_and_kills_meanwhile(suite: Suite) -> None:
    person = Person(suite)
    account = person.post("/v1/accounts", {"kind": "current", "currency": "EUR", "name": "C"})
    person.post("/v1/transactions", {"accountId": account["id"], "amount": money("9000.00")})

    rows = [
        {"accountId": account["id"], "amount": money(f"-{number % 200 / 100 + 0.01:.2f}"),
         "name": f"Ünïcode № {number}", "description": "x" * 300}
        for number in range(3_000)
    ]  # fmt: skip
    for first in range(0, len(rows), 100):
        batch = rows[first : first + 100]
        person.post("/v1/transactions/batches", {"transactions": batch})
    before = memory(suite)
    export = person.post(EXPORTS, status=202)
    for program in ("ezwallet-auth-1", "ezwallet-ledger-1", "ezwallet-auth-2"):
        time.sleep(0.4)
        os.kill(suite.pid(program), signal.SIGKILL)
    ready(person, export, 120)
    lists, _ = contents(person, export)
    told = [one["id"] for one in lists["transactions"]]
    assert len(told) == 3_001 == len(set(told))
    shown = value(person.get(f"/v1/accounts/{account['id']}")["balance"])
    assert sum(Decimal(one["amount"]["amount"]) for one in lists["transactions"]) == shown
    assert {f"Ünïcode № {number}" for number in range(3_000)} < {
        one["name"] for one in lists["transactions"]
    }
    eventually(lambda: memory(suite), until=lambda now: now < before + 30_000)


def memory(suite: Suite) -> int:
    """The resident memory of auth's larger replica, in KiB."""

    def resident(program: str) -> int:
        try:
            status = Path(f"/proc/{suite.pid(program)}/status").read_text()
        except (OSError, ValueError):
            return 0
        return int(status.split("VmRSS:")[1].split()[0])

    return max(resident("ezwallet-auth-1"), resident("ezwallet-auth-2"))
