"""10,000 lines of a bank taken in; 50,000 previewed, committed and taken back beside COPY."""

import asyncio
import json
import random
import statistics
import time
import uuid
from collections.abc import Callable

from benchmark.bench import Bench
from benchmark.books import Books
from benchmark.followers import caught_up
from benchmark.people import PASSWORD, Connection
from benchmark.rounds import say
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


async def with_wallet(connection: Connection) -> tuple[str, str]:
    """The token of a new person, and a wallet of theirs."""
    email = f"import-{uuid.uuid4().hex[:8]}@example.org"
    answer = await connection.post("/v1/users", {"email": email, "password": PASSWORD})
    token = answer.get("session", answer)["accessToken"]
    body = {"kind": "wallet", "currency": "EUR", "name": "Bank"}
    return token, (await connection.post("/v1/accounts", body, token))["id"]


async def until_done(
    connection: Connection, token: str, method: str, one: str, under_way: str
) -> float:
    """Seconds from the call that commits an import, or takes it back, until that is done."""
    path = f"/v1/imports/{one}"
    begin = time.perf_counter()
    call = f"{path}/commit" if method == "POST" else path
    status, said = await connection.call(method, call, token=token)
    while status == 202 or (status == 200 and json.loads(said)["state"] == under_way):
        await asyncio.sleep(0.01)
        status, said = await connection.call("GET", path, token=token)
    took = time.perf_counter() - begin
    # Taking back answers 204 where it is done at once.
    state = json.loads(said)["state"] if status == 200 else status
    if state not in (("committed",) if method == "POST" else ("withdrawn", 204)):
        raise RuntimeError(f"{method} {call}: {status}: {said.decode()}")
    return took


async def take_in(suite: Suite, content: bytes) -> tuple[float, float, str]:
    """Seconds of the upload and of the commit, and the balance in the end."""
    connection = await Connection(suite).open()
    token, account = await with_wallet(connection)

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
    committed = await until_done(connection, token, "POST", preview["id"], "committing")
    # The same file again adds nothing.
    if (again := await upload())["duplicates"] != LINES:
        raise RuntimeError(f"uploaded again: {again}")
    balance = (await connection.get(f"/v1/accounts/{account}", token))["balance"]["amount"]
    connection.writer.close()
    return uploaded, committed, balance


#: Rows of a preview that is measured alone.
ROWS = 50_000
#: As it is for the application that reads it.
KINDS = {"csv": "text/csv", "ofx": "application/x-ofx", "camt053": "application/xml",
         "mt940": "text/plain"}  # fmt: skip


def file_of(kind: str, chance: random.Random) -> bytes:
    """A file of `ROWS` rows in a format, whose balances tie."""
    rows = [
        (f"2025-{1 + at * 12 // ROWS:02d}-{1 + at % 28:02d}", chance.choice(PAYEES),
         f"Card {chance.randrange(10**6):06d}", chance.randrange(-9_000, 9_000) or 1)
        for at in range(ROWS)
    ]  # fmt: skip
    total = sum(amount for *_, amount in rows)
    if kind == "csv":
        told = "".join(f"{day},{who},{what},{cents / 100:.2f}\n" for day, who, what, cents in rows)
        return f"Date,Payee,Description,Amount\n{told}".encode()
    if kind == "ofx":
        told = "".join(
            f"<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{day.replace('-', '')}<TRNAMT>{cents / 100:.2f}"
            f"<FITID>{at}<NAME>{who}<MEMO>{what}</STMTTRN>\n"
            for at, (day, who, what, cents) in enumerate(rows)
        )
        return (
            "OFXHEADER:100\nCHARSET:UTF-8\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR"
            "<BANKACCTFROM><BANKID>1<ACCTID>77<ACCTTYPE>CHECKING</BANKACCTFROM><BANKTRANLIST>"
            f"{told}</BANKTRANLIST><LEDGERBAL><BALAMT>{total / 100:.2f}<DTASOF>20251231</LEDGERBAL>"
            "</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
        ).encode()
    side = "CRDT" if total >= 0 else "DBIT"
    if kind == "camt053":
        told = "".join(
            f'<Ntry><Amt Ccy="EUR">{abs(cents) / 100:.2f}</Amt>'
            f"<CdtDbtInd>{'CRDT' if cents > 0 else 'DBIT'}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>"
            f"<BookgDt><Dt>{day}</Dt></BookgDt><AcctSvcrRef>{at}</AcctSvcrRef><NtryDtls><TxDtls>"
            f"<RltdPties><Cdtr><Pty><Nm>{who}</Nm></Pty></Cdtr></RltdPties>"
            f"<RmtInf><Ustrd>{what}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>\n"
            for at, (day, who, what, cents) in enumerate(rows)
        )

        def held(code: str, cents: int, side: str, day: str) -> str:
            return (
                f'<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">'
                f"{abs(cents) / 100:.2f}</Amt><CdtDbtInd>{side}</CdtDbtInd><Dt><Dt>{day}</Dt></Dt>"
                "</Bal>"
            )

        return (
            '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">'
            "<BkToCstmrStmt><GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>1</Id><Acct><Id>"
            "<IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>"
            f"{held('OPBD', 0, 'CRDT', '2025-01-01')}{held('CLBD', total, side, '2025-12-31')}"
            f"{told}</Stmt></BkToCstmrStmt></Document>"
        ).encode()
    told = "".join(
        f":61:{day[2:].replace('-', '')}{'C' if cents > 0 else 'D'}"
        f"{abs(cents) // 100},{abs(cents) % 100:02d}NTRFNONREF\n:86:166?00CARD?20{what}?32{who}\n"
        for day, who, what, cents in rows
    )
    return (
        ":20:X\n:25:DE02120300000000202051\n:28C:1/1\n:60F:C250101EUR0,00\n"
        f"{told}:62F:{side[0]}251231EUR{abs(total) // 100},{abs(total) % 100:02d}\n-\n"
    ).encode()


async def read_in(
    suite: Suite, kind: str, content: bytes, connection: Connection
) -> tuple[float, str, str]:
    """Seconds of a new person's upload, the preview, and the person's token."""
    token, account = await with_wallet(connection)
    begin = time.perf_counter()
    status, said = await connection.call(
        "POST", f"/v1/imports?accountId={account}&format={kind}", content, token, KINDS[kind]
    )
    took = time.perf_counter() - begin
    if status != 201 or (told := json.loads(said))["rowCount"] != ROWS or told["errors"]:
        raise RuntimeError(f"{kind}: {status}: {said[:2000].decode()}")
    return took, told["id"], token


async def previewed(suite: Suite, kind: str, content: bytes) -> tuple[float, str]:
    """Seconds of a new person's upload, and the preview."""
    connection = await Connection(suite).open()
    took, one, _ = await read_in(suite, kind, content, connection)
    connection.writer.close()
    return took, one


async def taken_in_and_back(
    suite: Suite, content: bytes, between: Callable[[str], None]
) -> tuple[str, float, float]:
    """The import, and seconds of its commit and of taking it back, `between` called in between."""
    connection = await Connection(suite).open()
    _, one, token = await read_in(suite, "csv", content, connection)
    committed = await until_done(connection, token, "POST", one, "committing")
    between(one)
    withdrawn = await until_done(connection, token, "DELETE", one, "withdrawing")
    connection.writer.close()
    return one, committed, withdrawn


#: What a preview leaves.
PREVIEWED = {
    "import_row": "select * from ledger.import_row where import_id = '{one}' order by place"
}
#: What an import leaves in the tables of the journal and of search, and what taking it back does:
#: that writes the lines anew which it marks.
LEFT = {
    "entry": "select e.* from ledger.entry as e where e.id in (select entry_id "
    "from ledger.money_transaction where import_id = '{one}')",
    "money_transaction": "select * from ledger.money_transaction where import_id = '{one}'",
    "transaction_search": "select s.* from ledger.transaction_search as s where transaction_id in "
    "(select id from ledger.money_transaction where import_id = '{one}')",
    "imported_row": "select * from ledger.imported_row where import_id = '{one}'",
}
TAKEN_BACK = {
    "money_transaction": "select * from ledger.money_transaction where import_id = '{one}'",
    "entry": "select e.* from ledger.entry as e where e.reverses in (select entry_id "
    "from ledger.money_transaction where import_id = '{one}')",
    "changed": "select c.* from ledger.changed as c where c.id in (select id "
    "from ledger.money_transaction where import_id = '{one}')",
}


def copied_rows(suite: Suite, one: str, queries: dict[str, str]) -> tuple[float, int]:
    """Seconds of one transaction of COPY into copies of the tables, and of how many rows."""
    files = {table: suite.postgres.home / f"{table}.copy" for table in queries}
    sql = "".join(
        f"create table ledger.{table}_copy (like ledger.{table} including all);"
        f"copy ({query.format(one=one)}) to '{files[table]}' (format binary);"
        for table, query in queries.items()
    )
    into = "".join(
        f"copy ledger.{table}_copy from '{files[table]}' (format binary);" for table in queries
    )
    counts = " + ".join(f"(select count(*) from ledger.{table}_copy)" for table in queries)
    drops = "".join(f"drop table ledger.{table}_copy;" for table in queries)
    said = suite.postgres.psql(
        database="ezwallet_ledger",
        sql=f"{sql}\n\\timing on\nbegin; {into} commit;\n\\timing off\n"
        f"select 'rows ' || {counts};\n{drops}",
    )
    for file in files.values():
        file.unlink()
    took = sum(float(part.split()[0]) for part in said.split("Time: ")[1:]) / 1e3
    return took, int(said.split("rows ")[1].split()[0])


def measure_commits(bench: Bench) -> None:
    """A commit of 50,000 rows, and taking it back, in turns with COPY of the rows of either."""
    suite = bench.suite
    suite.postgres.psql("-c", "checkpoint")
    found: dict[str, list[float]] = {"commit": [], "COPY": [], "back": [], "COPY back": []}
    for turn in range(bench.extent.rounds + 1):
        peers: list[float] = []

        def copy_left(one: str, peers: list[float] = peers) -> None:
            caught_up(suite)
            took, rows = copied_rows(suite, one, LEFT)
            # All four, and a row each in them.
            if rows != ROWS * len(LEFT):
                raise RuntimeError(f"{rows} rows of {ROWS * len(LEFT)}")
            peers.append(took)

        one, committed, withdrawn = asyncio.run(
            taken_in_and_back(suite, file_of("csv", random.Random(turn)), copy_left)
        )
        caught_up(suite)
        peer, rows = copied_rows(suite, one, TAKEN_BACK)
        if rows != ROWS * len(TAKEN_BACK):
            raise RuntimeError(f"{rows} rows of {ROWS * len(TAKEN_BACK)} taken back")
        say(
            f"  committed in {committed:.2f} s, COPY in {peers[0]:.2f} s; "
            f"taken back in {withdrawn:.2f} s, COPY in {peer:.2f} s"
        )
        if turn > 0:
            for name, took in zip(found, (committed, peers[0], withdrawn, peer), strict=True):
                found[name].append(took)
    for name, peer in (("commit", "COPY"), ("back", "COPY back")):
        told = "commit" if name == "commit" else "taking back"
        bench.report.add(
            f"{told} of {ROWS:,} rows / COPY of what it left", statistics.median(found[name]),
            statistics.median(found[peer]), "s",
        )  # fmt: skip


def measure_previews(bench: Bench) -> None:
    """Each format in turns with the COPY of what it has made."""
    suite = bench.suite
    suite.postgres.psql("-c", "checkpoint")
    for kind in KINDS:
        ours, theirs = [], []
        for turn in range(bench.extent.rounds + 1):
            took, one = asyncio.run(previewed(suite, kind, file_of(kind, random.Random(turn))))
            peer, _ = copied_rows(suite, one, PREVIEWED)
            say(f"  {kind}: preview in {took:.2f} s, COPY in {peer:.2f} s")
            if turn > 0:
                ours.append(took)
                theirs.append(peer)
        bench.report.add(
            f"preview of {ROWS:,} rows, {kind} / COPY of its rows", statistics.median(ours),
            statistics.median(theirs), "s",
        )  # fmt: skip


def measure_imports(bench: Bench) -> None:
    """Each round by a new person; the peer is the bound."""
    suite, report = bench.suite, bench.report
    books = Books(suite)
    count = "select count(*) from ledger.money_transaction"
    suite.postgres.psql("-c", "checkpoint")
    uploads, commits = [], []
    for turn in range(bench.extent.rounds + 1):
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
    measure_commits(bench)
    measure_previews(bench)
