"""Statements on paper: any script, read aloud in order, and made where nothing else can break."""

import io
import os
import re
import time
import unicodedata
from collections import Counter
from decimal import Decimal
from itertools import accumulate
from pathlib import Path

import httpx
import pytest
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject

from actions import psql, resident
from client import Person, eventually, money, value
from conftest import hurt_suite
from statements import LONG, fill, ids_of, long_account, statement
from suite.suite import Suite

#: These tests write past the ledger, whose books others verify.
suite = pytest.fixture(scope="module")(hurt_suite)

NEEDS = ["auth", "ledger"]
MIB = 1 << 20
MAY = {"from": "2024-05-01", "to": "2024-05-31"}
#: What is set and read back line by line: the long account's month, or three days of it.
MANY = LONG if os.environ.get("EZWALLET_DEEP") else LONG | {"to": "2024-05-03"}
__all__ = ["long_account"]

SCRIPTS = {
    "latin": "Café Größe", "arabic": "قهوة في الزاوية", "hebrew": "בית קפה בפינה",
    "chinese": "街角的咖啡館", "japanese": "街角のコーヒー", "korean": "커피 한 잔",
    "devanagari": "कोने पर कॉफी", "greek": "Ελληνικός καφές", "cyrillic": "Кофе на углу",
    "thai": "กาแฟร้อน",
}  # fmt: skip


def read(content: bytes) -> tuple[PdfReader, str]:
    reader = PdfReader(io.BytesIO(content), strict=True)
    return reader, "\n".join(page.extract_text() for page in reader.pages)


def tree(reader: PdfReader) -> tuple[Counter[str], list[str]]:
    """How many elements of each kind the structure has, and the ways down to them."""
    found: Counter[str] = Counter()
    ways: set[str] = set()
    waiting = [(reader.trailer["/Root"]["/StructTreeRoot"], "")]
    while waiting:
        element, way = waiting.pop()
        element = element.get_object() if isinstance(element, IndirectObject) else element
        if isinstance(element, ArrayObject):
            waiting += [(kid, way) for kid in element]
        elif isinstance(element, DictionaryObject) and element.get("/Type") != "/MCR":
            if "/S" in element:
                found[element["/S"][1:]] += 1
                way = f"{way}/{element['/S'][1:]}"
                ways.add(way)
            if "/K" in element:
                waiting.append((element["/K"], way))
    return found, sorted(ways)


@pytest.fixture(scope="module")
def ada(suite: Suite) -> Person:
    return Person(suite, firstName="Ada", lastName="Byron")


def test_it_says_what_happened(ada: Person) -> None:
    account = ada.post("/v1/accounts", {"kind": "current", "name": "Household"})
    for day, amount, name in [
        ("2024-04-30", "1234.50", "Salary"), ("2024-05-02", "-12.34", "Coffee, final office"),
        ("2024-05-31", "100.00", "Refund"),
    ]:  # fmt: skip
        ada.post("/v1/transactions", {
            "amount": money(amount), "accountId": account["id"], "date": day, "name": name,
            "description": f"about {name}",
        })  # fmt: skip
    answer = ada.send("GET", f"/v1/accounts/{account['id']}/statement", params=MAY)
    assert answer.headers["content-type"] == "application/pdf"
    assert 'filename="statement-2024-05-01-2024-05-31.pdf"' in answer.headers["content-disposition"]
    reader, text = read(answer.content)
    spaced = " ".join(account["iban"][at : at + 4] for at in range(0, 34, 4)).strip()
    for wanted in [
        "Account statement", "Ada Byron", "Household (EUR)", spaced, "May 1, 2024 – May 31, 2024",
        "Opening balance €1,234.50", "Money in €100.00", "Money out -€12.34",
        "Closing balance €1,322.16", "Date Description Amount Balance", "Coffee, final office",
        "about Refund", "-12.34 1,222.16", "100.00 1,322.16", "Page 1",
    ]:  # fmt: skip
        assert wanted in text, (wanted, text)
    assert "Salary" not in text
    root = reader.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] and root["/Lang"] == "en"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert reader.metadata.title.startswith("Account statement – Household")
    kinds, ways = tree(reader)
    assert kinds["H1"] == 1 and kinds["Table"] == 1 and kinds["TR"] == 3
    assert kinds["TH"] == 4 and kinds["TD"] == 8
    assert [way for way in ways if way.endswith(("TH", "TD"))] == [
        "/Document/Sect/Table/TR/TD", "/Document/Sect/Table/TR/TH"
    ]  # fmt: skip


def test_it_speaks_the_users_language(suite: Suite) -> None:
    person = Person(suite, language="it")
    account = person.post("/v1/accounts", {"name": "Contanti", "currency": "JPY"})["id"]
    person.post("/v1/transactions", {
        "amount": money("-1500", "JPY"), "accountId": account, "date": "2024-05-02"})  # fmt: skip
    reader, text = read(statement(person, account, "pdf", **MAY))
    for wanted in ["Estratto conto", "Saldo iniziale", "Saldo finale -1500 JPY", "2 mag 2024",
                   "Pagina 1"]:  # fmt: skip
        assert wanted in text.replace("\xa0", " ").replace("-1.500", "-1500"), (wanted, text)
    assert reader.trailer["/Root"]["/Lang"] == "it"
    _, empty = read(statement(person, account, "pdf", **{"from": "2023-01-01", "to": "2023-01-31"}))
    assert "Nessun movimento in questo periodo." in empty


@pytest.mark.parametrize(("language", "title", "page"), [
    ("de-AT", "Kontoauszug", "Seite 1"), ("hu", "Számlakivonat", "1. oldal"),
    ("nn-NO", "Kontoutskrift", "Side 1"),
])  # fmt: skip
def test_it_speaks_more_languages(suite: Suite, language: str, title: str, page: str) -> None:
    person = Person(suite, language=language)
    account = person.post("/v1/accounts", {"name": "Cash"})["id"]
    person.post("/v1/transactions", {
        "amount": money("-1500.25"), "accountId": account, "date": "2024-10-28"})  # fmt: skip
    reader, text = read(statement(
        person, account, "pdf", **{"from": "2024-10-01", "to": "2024-10-31"}
    ))  # fmt: skip
    assert title in text and page in text
    # No day is cut.
    assert "2024" in text and "…" not in text


def test_any_script_can_be_read(suite: Suite, ada: Person) -> None:
    account = ada.post("/v1/accounts", {"name": "Scripts"})["id"]
    for name in SCRIPTS.values():
        ada.post("/v1/transactions", {
            "amount": money("-1.00"), "accountId": account, "date": "2024-05-02", "name": name,
        })  # fmt: skip
    _, text = read(statement(ada, account, "pdf", **MAY))
    # It also takes marks above letters for gaps between them.
    compact = re.sub(r"\s+", "", text)
    for script, name in SCRIPTS.items():
        for word in name.split():
            forms = {word}
            if unicodedata.bidirectional(word[0]) in ("R", "AL"):
                # This reader gives them letter by letter as they stand.
                forms.add(word[::-1])
            assert any(form in compact for form in forms), (script, word, text)


def test_odd_texts_harm_nothing(suite: Suite, ada: Person) -> None:
    """As imports may have left them; a long one has more lines than a page."""
    account = ada.post("/v1/accounts", {"name": "Odd"})["id"]
    one = ada.post(
        "/v1/transactions",
        {"amount": money("-1.00"), "accountId": account, "date": "2024-05-05"},
    )["id"]
    texts = [
        ("", ""), ("\x01\x1f\x7f", "\u202e\u2066"), ("<b>&amp;</b>", "%s %n \\ ( ) <<>>"),
        ("\ufffe\uffff", "\n\n\n"), ("W" * 3000, "漢" * 2000), ("a\nb\tc", "word " * 4000),
        ("🧾👩\u200d👧", "e" + "\u0301" * 500), ("ع" * 500, "न" * 700), ("\u2028x", "\ufeff"),
    ]  # fmt: skip
    fill(suite, account, one, texts * 6)
    assert len(ids_of(suite, account)) == len(texts) * 6
    reader, text = read(statement(ada, account, "pdf", **MAY))
    assert text.count("-1.00") >= len(texts) * 6 and "%s %n" in text
    assert f"Page {len(reader.pages)}" in text
    assert f"-{len(texts) * 6}.00" in text


def helpers(suite: Suite) -> dict[int, int]:
    """The suite's processes that set statements, and what they have in memory."""
    services = {suite.pid(f"ezwallet-ledger-{replica}") for replica in (1, 2)}
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if b"typeset" in words and parent in services:
                    found[int(entry.name)] = resident(int(entry.name), "VmHWM")
            except (OSError, AssertionError):
                continue
    return found


def leaves(tree_of_numbers: DictionaryObject) -> dict[int, ArrayObject]:
    """What a tree of numbers holds, whose leaves must lie within their limits."""
    found: dict[int, ArrayObject] = {}
    for kid in tree_of_numbers["/Kids"]:
        leaf = kid.get_object()
        keys = leaf["/Nums"][::2]
        assert leaf["/Limits"] == [min(keys), max(keys)]
        found |= {int(key): value.get_object()
                  for key, value in zip(keys, leaf["/Nums"][1::2], strict=True)}  # fmt: skip
    return found


@pytest.mark.timeout(400)
def test_every_page_knows_its_elements(long_account: tuple[Person, str]) -> None:
    """More lines than are set at once: the parts are one document."""
    person, account = long_account
    person.http.timeout = 200
    day = {"from": "2024-05-01", "to": "2024-05-01"}
    content = statement(person, account, "pdf", **day)
    rows = statement(person, account, "csv", **day).count(b"\r\n") - 1
    assert rows > 3_000
    reader = PdfReader(io.BytesIO(content), strict=True)
    kinds, _ = tree(reader)
    assert kinds["Document"] == 1 and kinds["Sect"] == 3 and kinds["H1"] == 1
    # Each page has a table, with its own headings.
    assert kinds["Table"] == len(reader.pages) and kinds["TH"] == 4 * len(reader.pages)
    assert kinds["TR"] == rows + len(reader.pages) and kinds["TD"] == 4 * rows
    parents = leaves(reader.trailer["/Root"]["/StructTreeRoot"]["/ParentTree"])
    assert sorted(parents) == list(range(len(reader.pages)))
    for place, page in enumerate(reader.pages):
        assert page["/StructParents"] == place
        for marked, element in enumerate(parents[place]):
            kid = element.get_object()
            assert kid["/K"] == marked and kid["/Pg"].get_object() == page.get_object()
        assert f"Page {place + 1}" in page.extract_text()


#: A cell of the table as a page shows it (what is described is a paragraph in one), and its text.
CELL = re.compile(rb"/TD <<[^>]*>> BDC(.*?)EMC", re.DOTALL)
TEXT = re.compile(rb"\(((?:[^()\\]|\\.)*)\)")


def rows_of(reader: PdfReader) -> list[tuple[str, Decimal, Decimal]]:
    """Day, amount and balance of each row, from what the pages show: a hundred times as fast as
    their whole text."""
    found = []
    for page in reader.pages:
        cells = CELL.findall(page.get_contents().get_data())
        texts = [b"".join(TEXT.findall(cell)).decode("cp1252") for cell in cells]
        for day, amount, balance in zip(texts[::3], texts[1::3], texts[2::3], strict=True):
            numbers = (Decimal(text.replace(",", "")) for text in (amount, balance))
            found.append((day, *numbers))
    return found


@pytest.mark.timeout(400)
def test_many_lines_are_all_there_and_take_little_memory(
    suite: Suite, long_account: tuple[Person, str]
) -> None:
    person, account = long_account
    person.http.timeout = 200
    programs = ["ezwallet-ledger-1", "ezwallet-ledger-2", "ezwallet-gateway-1"]
    pids = [suite.pid(name) for name in programs]
    statement(person, account, "pdf", **{"from": "2024-05-01", "to": "2024-05-01"})
    for pid in pids:
        Path(f"/proc/{pid}/clear_refs").write_text("5")
    before = [resident(pid) for pid in pids]
    parts, most, started, first = [], 0, time.monotonic(), 0.0
    with person.http.stream(
        "GET", f"/v1/accounts/{account}/statement", params=MANY,
        headers={"Authorization": f"Bearer {person.token}"},
    ) as answer:  # fmt: skip
        assert answer.status_code == 200
        for part in answer.iter_raw():
            first = first or time.monotonic() - started
            parts.append(part)
            if len(parts) % 50 == 0:
                most = max([most, *helpers(suite).values()])
    content = b"".join(parts)
    added = [resident(pid, "VmHWM") - start for pid, start in zip(pids, before, strict=True)]
    print(f"{len(content) / MIB:.1f} MiB, first after {first:.1f} s, all after "
          f"{time.monotonic() - started:.1f} s, helper {most / MIB:.0f} MiB",
          [f"+{size / MIB:.1f} MiB" for size in added])  # fmt: skip
    assert sum(added) < 16 * MIB and 10 * MIB < most < 120 * MIB
    reader = PdfReader(io.BytesIO(content))
    last = reader.pages[-1].extract_text()
    assert f"Page {len(reader.pages):,}" in last
    assert len(reader.pages) > 200
    # No row is lost or doubled, each balance follows from the one before, and the last closes.
    rows = rows_of(reader)
    there = psql(
        suite,
        "select to_char(day, 'FMMon FMDD, YYYY'), amount from ledger.money_transaction"
        f" where account_id = '{account}' and reversed_by is null and day <= '{MANY['to']}'",
    )
    known = Counter(tuple(line.split("|")) for line in there.splitlines())
    assert len(rows) == known.total() > 9_000
    assert Counter((day, str(int(amount * 100))) for day, amount, _ in rows) == known
    totals = accumulate(amount for _, amount, _ in rows)
    assert not [row for row, total in zip(rows, totals, strict=True) if row[2] != total][:1]
    closing = Decimal(sum(int(amount) * count for (_, amount), count in known.items())) / 100
    assert rows[-1][2] == closing
    assert MANY != LONG or closing == value(person.get(f"/v1/accounts/{account}")["balance"])
    assert f"Closing balance €{closing:,}" in reader.pages[0].extract_text()
    eventually(lambda: not helpers(suite))


def test_a_process_that_dies_breaks_the_connection(
    suite: Suite, long_account: tuple[Person, str]
) -> None:
    import os
    import signal

    person, account = long_account
    killed = False
    with (
        pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)),
        person.http.stream(
            "GET", f"/v1/accounts/{account}/statement", params=LONG,
            headers={"Authorization": f"Bearer {person.token}"},
        ) as answer,
    ):  # fmt: skip
        for _ in answer.iter_raw():
            if not killed:
                killed = True
                for pid in helpers(suite):
                    os.kill(pid, signal.SIGKILL)
    assert killed
    # A reader who goes takes the process along.
    with person.http.stream(
        "GET", f"/v1/accounts/{account}/statement", params=LONG,
        headers={"Authorization": f"Bearer {person.token}"},
    ) as answer:  # fmt: skip
        next(answer.iter_raw())
        assert helpers(suite)
    eventually(lambda: not helpers(suite), 40)


def test_days_are_in_the_persons_format(suite: Suite) -> None:
    person = Person(suite)
    account = person.post("/v1/accounts", {"name": "Cash"})["id"]
    person.post("/v1/transactions", {
        "amount": money("-15.00"), "accountId": account, "date": "2024-05-02"})  # fmt: skip
    person.call("PATCH", "/v1/users/me", 200, json={"dateFormat": "dd.MM.yyyy"})
    time.sleep(2)
    _, text = read(statement(person, account, "pdf", **MAY))
    assert "01.05.2024 – 31.05.2024" in text and "02.05.2024" in text, text
