"""Statements, read by parsers that are not ours: every format says what the account says."""

import codecs
import csv
import datetime
import io
import random
import re
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
import xmlschema
from lxml import etree
from ofxparse import OfxParser
from ofxtools.Parser import OFXTree

from actions import psql, resident
from client import Api, Person, money, value
from conftest import hurt_suite
from journals import file_of
from statements import LONG, fill, ids_of, long_account, statement
from suite.suite import Suite

#: These tests write past the ledger, whose books others verify.
suite = pytest.fixture(scope="module")(hurt_suite)

NEEDS = ["auth", "ledger"]
MIB = 1 << 20
CAMT = "{urn:iso:std:iso:20022:tech:xsd:camt.053.001.08}"
__all__ = ["long_account"]
FORMULA = "=+-@\t\r\n＝＋－＠"


def lines_of_csv(content: bytes) -> list[dict[str, str]]:
    assert content.startswith(codecs.BOM_UTF8), "Excel takes it for Windows-1252"
    text = content.decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    for row in rows:
        for name in ("name", "description", "category"):
            rest = row[name].lstrip("'")
            if rest != row[name] and rest[:1] and rest[0] in FORMULA:
                row[name] = row[name][1:]
            else:
                assert row[name][:1] not in FORMULA or not row[name]
    return rows


@pytest.fixture(scope="module")
def schema(statements_folder: Path) -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(statements_folder / "xsd" / "camt.053.001.08.xsd")


@pytest.fixture(scope="module")
def statements_folder() -> Path:
    import os

    from conftest import STATEMENTS

    folder = STATEMENTS / "statements"
    if not folder.exists() and os.environ.get("EZWALLET_REQUIRE_TEST_DATA") != "1":
        pytest.skip(f"no {folder}: EZWALLET_TEST_DATA names the folder of test data")
    return folder


class Camt:
    """What an independent reader finds in a camt.053."""

    def __init__(self, content: bytes, schema: xmlschema.XMLSchema):
        schema.validate(io.BytesIO(content))
        self.root = etree.fromstring(content).find(f".//{CAMT}Stmt")
        self.balances = {
            self.text(one, "Tp/CdOrPrtry/Cd"): self.amount(one) for one in self.all("Bal")
        }
        self.entries = self.all("Ntry")

    def all(self, path: str) -> list[etree._Element]:
        return self.root.findall(self.full(path))

    @staticmethod
    def full(path: str) -> str:
        return "/".join(CAMT + name for name in path.split("/"))

    def text(self, element: etree._Element, path: str) -> str:
        return element.findtext(self.full(path)) or ""

    def amount(self, element: etree._Element) -> Decimal:
        sign = -1 if self.text(element, "CdtDbtInd") == "DBIT" else 1
        return sign * Decimal(self.text(element, "Amt"))


def ofx(content: bytes) -> object:
    tree = OFXTree()
    tree.parse(io.BytesIO(content))
    return tree.convert().statements[0]


class Shop:
    """Somebody with a wallet and a current account, and what happened on them in two months."""

    def __init__(self, suite: Suite):
        self.person, self.other = Person(suite, firstName="Ada", lastName="Byron"), Person(suite)
        self.wallet = self.person.post(
            "/v1/accounts", {"name": "Cash", "openingBalance": money("100.00")}
        )["id"]
        self.current = self.person.post("/v1/accounts", {"kind": "current", "name": "Bank"})["id"]
        grain = random.Random(3)
        self.expected: dict[str, list[tuple[str, Decimal, str]]] = {
            self.wallet: [], self.current: []
        }  # fmt: skip
        for number in range(60):
            account = self.wallet if number % 2 else self.current
            sign = "" if account == self.current else grain.choice(["", "-"])
            amount = f"{sign}{grain.randrange(1, 9999)}.{grain.randrange(100):02d}"
            day = datetime.date(2024, 1, 1) + datetime.timedelta(days=grain.randrange(60))
            made = self.person.post("/v1/transactions", {
                "amount": money(amount), "accountId": account, "date": str(day),
                "name": f"Row {number}, \"quoted\"", "description": f"line\nof {number} <&>",
            })  # fmt: skip
            if number % 7 == 0:
                self.person.call("DELETE", f"/v1/transactions/{made['id']}", 200)
            else:
                self.expected[account].append((str(day), Decimal(amount), made["id"]))

    def before(self, account: str, day: str) -> Decimal:
        start = Decimal("100.00") if account == self.wallet else Decimal(0)
        return start + sum(amount for when, amount, _ in self.expected[account] if when < day)

    def within(self, account: str, first: str, last: str) -> list[tuple[str, Decimal, str]]:
        return sorted(
            (one for one in self.expected[account] if first <= one[0] <= last),
            key=lambda one: (one[0], one[2]),
        )


@pytest.fixture(scope="module")
def shop(suite: Suite) -> Shop:
    return Shop(suite)


PERIODS = [
    ("2024-01-01", "2024-01-31"), ("2024-02-01", "2024-02-29"), ("2024-01-10", "2024-01-10"),
    ("2023-01-01", "2023-12-31"), ("2024-01-01", "2024-12-31"), ("2030-01-01", "2031-01-01"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "last"), PERIODS)
def test_every_format_ties(shop: Shop, schema: xmlschema.XMLSchema, first: str, last: str) -> None:
    days = {"from": first, "to": last}
    for account in (shop.wallet, shop.current):
        expected = shop.within(account, first, last)
        opening = shop.before(account, first)
        closing = opening + sum(amount for _, amount, _ in expected)
        rows = lines_of_csv(statement(shop.person, account, "csv", **days))
        assert [(r["date"], Decimal(r["amount"]), r["id"]) for r in rows] == expected
        balance = opening
        for row in rows:
            balance += Decimal(row["amount"])
            assert Decimal(row["balance"]) == balance and row["currency"] == "EUR"
        assert balance == closing

        camt = Camt(statement(shop.person, account, "camt053", **days), schema)
        assert camt.balances == {"OPBD": opening, "CLBD": closing}
        found = [
            (camt.text(e, "BookgDt/Dt"), camt.amount(e),
             str(uuid.UUID(camt.text(e, "NtryRef")))) for e in camt.entries
        ]  # fmt: skip
        assert found == expected

        content = statement(shop.person, account, "ofx", **days)
        parsed = ofx(content)
        assert parsed.ledgerbal.balamt == closing and parsed.curdef == "EUR"
        assert parsed.ballist is None, "libofx fails at it"
        assert [(str(t.dtposted.date()), t.trnamt, t.fitid) for t in parsed.transactions] \
            == expected  # fmt: skip
        other = OfxParser.parse(io.BytesIO(content)).account.statement
        assert [t.amount for t in other.transactions] == [amount for _, amount, _ in expected]
        assert other.balance == closing


def test_balances_are_those_of_the_account(shop: Shop) -> None:
    for account in (shop.wallet, shop.current):
        rows = lines_of_csv(
            statement(shop.person, account, "csv", **{"from": "2020-01-01", "to": "2099-12-31"})
        )
        now = value(shop.person.get(f"/v1/accounts/{account}")["balance"])
        assert Decimal(rows[-1]["balance"]) == now


def test_the_last_month_is_there_by_default(suite: Suite) -> None:
    person = Person(suite)
    last = datetime.datetime.now(datetime.UTC).date().replace(day=1) - datetime.timedelta(days=1)
    made = person.post("/v1/transactions", {"amount": money("-3.00"), "date": str(last)})
    person.post("/v1/transactions", {"amount": money("-4.00")})
    account = made["accountId"]
    rows = lines_of_csv(statement(person, account, "csv"))
    assert [row["id"] for row in rows] == [made["id"]]
    answer = person.send("HEAD", f"/v1/accounts/{account}/statement", params={"format": "csv"})
    assert answer.status_code == 200 and not answer.content
    assert answer.headers["content-type"].startswith("text/csv")
    name = f"statement-{last.replace(day=1)}-{last}.csv"
    assert f'filename="{name}"' in answer.headers["content-disposition"]


def test_what_cannot_be_asked_is_refused(shop: Shop, suite: Suite) -> None:
    path = f"/v1/accounts/{shop.wallet}/statement"
    for params in [
        {"from": "2024-02-02", "to": "2024-02-01"}, {"from": "2024-02-30"}, {"format": "doc"},
        {"until": "2024-01-01"},
    ]:  # fmt: skip
        shop.person.problem("GET", path, 400, "invalid-query", params=params)
    shop.other.problem("GET", path, 404, "not-found")
    shop.person.problem("GET", "/v1/accounts/none/statement", 404, "not-found")
    Api(suite).problem("GET", path, 401, "unauthenticated")


def test_a_transfer_shows_its_other_side(suite: Suite, schema: xmlschema.XMLSchema) -> None:
    ada = Person(suite, firstName="Ada", lastName="Byron")
    bob = Person(suite, firstName="Robert", lastName="Brown")
    ours = ada.post("/v1/accounts", {"kind": "current", "name": "Ours"})
    theirs = bob.post("/v1/accounts", {"kind": "current", "name": "Theirs"})
    ada.post("/v1/transactions", {"amount": money("50.00"), "accountId": ours["id"]})
    ada.post("/v1/transfers", {
        "fromAccountId": ours["id"], "toIban": theirs["iban"], "amount": money("20.00"),
        "reference": "Rent & more",
    })  # fmt: skip
    days = {"from": "2024-01-01"}
    for person, account, other, name, amount in [
        (ada, ours, theirs, "Ro••• Br•••", "-20.00"), (bob, theirs, ours, "Ada Byron", "20.00"),
    ]:  # fmt: skip
        row = lines_of_csv(statement(person, account["id"], "csv", **days))[-1]
        assert row["counterparty IBAN"] == other["iban"] and row["amount"] == amount
        assert row["name"] == name and row["description"] == "Rent & more"
        camt = Camt(statement(person, account["id"], "camt053", **days), schema)
        side = "Cdtr" if amount.startswith("-") else "Dbtr"
        details = camt.entries[-1].find(Camt.full("NtryDtls/TxDtls"))
        assert camt.text(details, f"RltdPties/{side}Acct/Id/IBAN") == other["iban"]
        assert camt.text(details, f"RltdPties/{side}/Pty/Nm") == name
        assert camt.text(details, "RmtInf/Ustrd") == "Rent & more"
        assert ofx(statement(person, account["id"], "ofx", **days)).transactions[-1].trntype \
            == "XFER"  # fmt: skip


def test_a_closed_account_still_has_one(suite: Suite) -> None:
    person = Person(suite)
    account = person.post("/v1/accounts", {"name": "Old"})["id"]
    made = person.post("/v1/transactions", {
        "amount": money("-1.00"), "accountId": account, "date": "2024-05-05"})  # fmt: skip
    person.call("DELETE", f"/v1/accounts/{account}", 204)
    rows = lines_of_csv(
        statement(person, account, "csv", **{"from": "2024-05-01", "to": "2024-05-31"})
    )
    assert [row["id"] for row in rows] == [made["id"]]


LETTERS = [
    *"abcXYZ09 '\"=+-@,;<>&\\", "\t", "\n", "\r", "\x01", "\x0b", "\x1f", "\x7f", "\x85", "\xa0",
    "é", "e\u0301", "ß", "א", "ב", "ع", "ر", "\u200f", "\u202e", "\u2028", "न", "म", "्", "ते",
    "漢", "字", "가", "\ufeff", "\ufffe", "\uffff", "\ufffd", "🧾", "👩\u200d👧", "]]>", "<!--",
    "&amp;",
]  # fmt: skip


def test_any_text_comes_back(suite: Suite, schema: xmlschema.XMLSchema) -> None:
    """As imports and others may have left them: whatever PostgreSQL keeps as a text."""
    person, seed = Person(suite), random.randrange(1 << 30)
    print("seed", seed)
    grain = random.Random(seed)
    account = person.post("/v1/accounts", {"name": "Texts"})["id"]
    one = person.post(
        "/v1/transactions",
        {"amount": money("-1.00"), "accountId": account, "date": "2024-05-05"},
    )["id"]
    texts = [
        tuple("".join(grain.choices(LETTERS, k=grain.choice([0, 1, 2, 9, 60, 300])))
              for _ in range(2)) for _ in range(400)
    ]  # fmt: skip
    fill(suite, account, one, texts)
    days = {"from": "2024-05-01", "to": "2024-05-31"}
    rows = lines_of_csv(statement(person, account, "csv", **days))
    kept = {row["id"]: (row["name"], row["description"]) for row in rows}
    expected = dict(zip(ids_of(suite, account), texts, strict=True))
    assert kept == expected, seed

    def xml(text: str) -> str:
        return re.sub("[\x01-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", text)

    camt = Camt(statement(person, account, "camt053", **days), schema)
    assert len(camt.entries) == len(texts)
    for entry in camt.entries:
        name, description = expected[str(uuid.UUID(camt.text(entry, "NtryRef")))]
        assert camt.text(entry, "AddtlNtryInf") == xml(name)[:500], seed
        pieces = entry.findall(Camt.full("NtryDtls/TxDtls/RmtInf/Ustrd"))
        assert "".join(piece.text for piece in pieces) == xml(description), seed

    def line(text: str) -> str:
        return xml(re.sub("[\x00-\x20\x7f]+", " ", text).strip(" "))

    content = statement(person, account, "ofx", **days)
    found = {t.fitid: t for t in ofx(content).transactions}
    plain = etree.fromstring(content)
    for element in plain.iter("STMTTRN"):
        name, description = expected[element.findtext("FITID")]
        short = line(name)[:32]
        assert element.findtext("NAME") == (short or "-"), seed
        assert (element.findtext("EXTDNAME") or short) == line(name)[:100], seed
        assert (element.findtext("MEMO") or "") == line(description)[:255], seed
    assert set(found) == set(expected), seed


def watched(suite: Suite, kind: str, read: Callable[[], bytes]) -> bytes:
    """What is read, once each program that it passes through has stayed small."""
    programs = ["ezwallet-ledger-1", "ezwallet-ledger-2", "ezwallet-gateway-1"]
    pids = [suite.pid(name) for name in programs]
    for pid in pids:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    before = [resident(pid) for pid in pids]
    content = read()
    added = [resident(pid, "VmHWM") - start for pid, start in zip(pids, before, strict=True)]
    print(kind, f"{len(content) / MIB:.1f} MiB,", [f"+{size / MIB:.1f} MiB" for size in added])
    assert sum(added) < 16 * MIB
    return content


@pytest.mark.parametrize("kind", ["csv", "camt053", "ofx"])
def test_a_hundred_thousand_lines_take_little_memory(
    suite: Suite, long_account: tuple[Person, str], schema: xmlschema.XMLSchema, kind: str
) -> None:
    person, account = long_account
    statement(person, account, kind, **{"from": "2024-05-01", "to": "2024-05-01"})
    content = watched(suite, kind, lambda: statement(person, account, kind, **LONG))
    balance = value(person.get(f"/v1/accounts/{account}")["balance"])
    counted: dict[str, Callable[[], tuple[int, Decimal]]] = {
        "csv": lambda: counted_csv(content),
        "camt053": lambda: counted_camt(content, schema),
        "ofx": lambda: counted_ofx(content),
    }
    assert counted[kind]() == (100_000, balance)


@pytest.mark.parametrize("kind", ["csv", "journal"])
def test_files_of_all_rows_take_little_memory(
    suite: Suite, long_account: tuple[Person, str], kind: str
) -> None:
    person, account = long_account
    file_of(person, kind, **{"from": "2024-05-01", "to": "2024-05-01"})
    text = watched(suite, kind, lambda: file_of(person, kind).encode()).decode()
    held = value(person.get(f"/v1/accounts/{account}")["balance"])
    if kind == "csv":
        amounts = [Decimal(row["amount"]) for row in csv.DictReader(io.StringIO(text))]
    else:
        amounts = [
            Decimal(line.split("  ")[-1].removesuffix(" EUR"))
            for line in text.splitlines() if line.startswith("    Assets:Long  ")
        ]  # fmt: skip
    assert (len(amounts), sum(amounts)) == (100_000, held)


def counted_csv(content: bytes) -> tuple[int, Decimal]:
    rows = lines_of_csv(content)
    assert sum(Decimal(row["amount"]) for row in rows) == Decimal(rows[-1]["balance"])
    return len(rows), Decimal(rows[-1]["balance"])


def counted_camt(content: bytes, schema: xmlschema.XMLSchema) -> tuple[int, Decimal]:
    # All of it is of one form: the reader of schemas takes minutes for so many.
    root = etree.fromstring(content)
    etree.XMLSchema(etree.parse(schema.filepath.removeprefix("file://"))).assertValid(root)
    sums = Decimal(0)
    for entry in root.iter(f"{CAMT}Ntry"):
        sign = -1 if entry.findtext(f"{CAMT}CdtDbtInd") == "DBIT" else 1
        sums += sign * Decimal(entry.findtext(f"{CAMT}Amt"))
    return len(list(root.iter(f"{CAMT}Ntry"))), sums


def counted_ofx(content: bytes) -> tuple[int, Decimal]:
    root = etree.fromstring(content)
    amounts = [Decimal(element.text) for element in root.iter("TRNAMT")]
    assert sum(amounts) == Decimal(root.findtext(".//LEDGERBAL/BALAMT"))
    return len(amounts), sum(amounts)


def test_a_failure_in_the_middle_breaks_the_connection(
    suite: Suite, long_account: tuple[Person, str]
) -> None:
    import httpx

    person, account = long_account
    broken = 0
    for _ in range(5):
        read = 0
        try:
            with person.http.stream(
                "GET", f"/v1/accounts/{account}/statement", params={"format": "camt053"} | LONG,
                headers={"Authorization": f"Bearer {person.token}"},
            ) as answer:  # fmt: skip
                assert answer.status_code == 200
                for piece in answer.iter_raw():
                    if not read:
                        psql(
                            suite,
                            """
                            select pg_terminate_backend(pid) from pg_stat_activity
                            where usename = 'ezwallet_ledger_service'
                                and xact_start is not null and pid <> pg_backend_pid()""",
                        )
                    read += len(piece)
        except (httpx.RemoteProtocolError, httpx.ReadError):
            broken += 1
        else:
            assert read > 40_000_000, "a part was given for the whole"
    assert broken


def test_amounts_beyond_a_format_are_refused(suite: Suite) -> None:
    person = Person(suite)
    account = person.post("/v1/accounts", {"name": "Rich"})["id"]
    most = {"amount": money("10000000000000.00"), "accountId": account, "date": "2024-05-05"}
    for _ in range(2):
        person.post("/v1/transactions/batches", {"transactions": [most] * 1_000})
    path = f"/v1/accounts/{account}/statement"
    person.problem(
        "GET", path, 422, "amount-too-large", params={"format": "camt053", "from": "2024-05-01"}
    )
    rows = lines_of_csv(statement(person, account, "csv", **{"from": "2024-05-01"}))
    assert rows[-1]["balance"] == "20000000000000000.00"
    assert ofx(statement(person, account, "ofx", **{"from": "2024-05-01"})).ledgerbal.balamt \
        == Decimal("20000000000000000.00")  # fmt: skip
