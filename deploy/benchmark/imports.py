"""A bank statement of 10,000 lines: read into a preview, then taken in."""

import asyncio
import json
import random
import statistics
import time
import uuid

from benchmark.people import PASSWORD, Connection
from benchmark.rounds import ROUNDS, Report, say
from benchmark.transfers import Books
from suite.suite import Suite

LINES = 10_000
#: From the commit's call until it is done.
COMMIT_SECONDS_MAX = 2.0
PAYEES = ["Esselunga", "Rewe Markt GmbH", "Trenitalia", "Stadtwerke", "Döner am Eck", "Acme S.p.A."]


def statement(chance: random.Random) -> tuple[bytes, int]:
    """A CSV file of a year, and what its rows come to in cents."""
    amounts = [chance.choice((-1, -1, -1, 3)) * chance.randrange(1, 9_000) for _ in range(LINES)]
    rows = "".join(
        f"2025-{1 + number * 12 // LINES:02d}-{1 + number % 28:02d},{chance.choice(PAYEES)},"
        f"Card {chance.randrange(10**6):06d},{amount / 100:.2f}\n"
        for number, amount in enumerate(amounts)
    )
    return f"Date,Payee,Description,Amount\n{rows}".encode(), sum(amounts)


async def take_in(suite: Suite, content: bytes) -> tuple[float, float, str]:
    """Seconds of the upload and of the commit, and the balance in the end."""
    connection = await Connection(suite).open()
    email = f"import-{uuid.uuid4().hex[:8]}@example.org"
    answer = await connection.post("/v1/users", {"email": email, "password": PASSWORD})
    token = answer.get("session", answer)["accessToken"]
    body = {"kind": "wallet", "currency": "EUR", "name": "Bank"}
    account = (await connection.post("/v1/accounts", body, token))["id"]

    async def upload() -> dict:
        status, said = await connection.call(
            "POST", f"/v1/imports?accountId={account}", content, token, "application/octet-stream"
        )
        if status != 201:
            raise RuntimeError(f"upload: {status}: {said.decode()}")
        return json.loads(said)

    begin = time.perf_counter()
    preview = await upload()
    uploaded = time.perf_counter() - begin
    if preview["rowCount"] != LINES or preview["errors"]:
        raise RuntimeError(f"upload: {preview}")
    path = f"/v1/imports/{preview['id']}"
    begin = time.perf_counter()
    status, said = await connection.call("POST", f"{path}/commit", token=token)
    while status in (200, 202):
        state = json.loads(said)["state"]
        if state != "committing":
            break
        await asyncio.sleep(0.01)
        status, said = await connection.call("GET", path, token=token)
    committed = time.perf_counter() - begin
    if status != 200 or state != "committed":
        raise RuntimeError(f"commit: {status}: {said.decode()}")
    # The same file again adds nothing.
    if (again := await upload())["duplicates"] != LINES:
        raise RuntimeError(f"uploaded again: {again}")
    balance = (await connection.get(f"/v1/accounts/{account}", token))["balance"]["amount"]
    connection.writer.close()
    return uploaded, committed, balance


def measure_imports(suite: Suite, report: Report) -> None:
    """Each round by a new person; the peer is the bound."""
    books = Books(suite)
    count = "select count(*) from ledger.money_transaction"
    suite.postgres.psql("-c", "checkpoint")
    uploads, commits = [], []
    for turn in range(ROUNDS + 1):
        content, total = statement(random.Random(turn))
        before = books.number(count)
        uploaded, committed, balance = asyncio.run(take_in(suite, content))
        booked = books.number(count) - before
        if booked != LINES or round(float(balance) * 100) != total:
            raise RuntimeError(f"{booked} booked, {balance} of {total} cents")
        say(f"  uploaded in {uploaded:.2f} s, committed in {committed:.2f} s, {booked} booked")
        if turn > 0:
            uploads.append(uploaded)
            commits.append(committed)
    name = f"import of {LINES:,} lines"
    report.add(f"{name}: commit / bound", statistics.median(commits), COMMIT_SECONDS_MAX, "s")
    report.add(
        f"{name}: upload and preview / the same", statistics.median(uploads), COMMIT_SECONDS_MAX,
        "s",
    )  # fmt: skip
