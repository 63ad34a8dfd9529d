"""Imports as a person has them: every file, every format, previews, rules, own transfers."""

import io
import os
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import bankstatementparser
import mt940 as mt940_parser
import ofxparse
import pytest

from actions import balance, wallet
from client import Person, value
from imports import BYTES, commit, lines, mt940, preview, withdraw

NEEDS = ["gateway", "auth", "ledger"]
GIRO, SAVINGS = "DE02120300000000202051", "DE02500105170137075030"

#: What the real files come to: the account to ask for, its currency, and its closing balance; with
#: a mark where it does not tie, and without it the refusal.
FILES: dict[str, list[tuple[str | None, str, str | None]]] = {
    "mt940/abnamro.sta": [(None, "EUR", "!1849.75")],
    "mt940/february_30.sta": [(None, "EUR", "1194.00")],
    "mt940/mt940.sta": [
        ("45050050/76198810", "EUR", None),
        ("10020030/1234567", "EUR", "4387.95"),
        ("BPHKPLPK/320000546101", "PLN", "50040.00"),
    ],
    "mt940/postfinance.sta": [(None, "CHF", "!159.60")],
    "mt940/rabobank-iban.sta": [(None, "EUR", "930.00")],
    "mt940/sns.sta": [(None, "EUR", "1209.56")],
    "mt940/sparkassen.sta": [(None, "EUR", None)],
    "mt940/sepa_mt9401.sta": [
        ("50880050/0194774600888", "EUR", "-1237628.23"),
        ("50880050 0194781300888", "EUR", "-100854.45"),
    ],
    "camt053/example-a.xml": [
        ("NL14SNSB0012345678", "EUR", "661.69"),
        ("NL78SNSB0022446688", "EUR", "1660.87"),
    ],
    "ofx/bank_medium.ofx": [(None, "CAD", "382.34")],
    "ofx/bank_small.ofx": [(None, "CAD", None)],
    "ofx/checking.ofx": [(None, "USD", "100.99")],
    "ofx/multiple_accounts.ofx": [("9100", "USD", "111.00"), ("9200", "USD", "222.00")],
    "ofx/ofx-v102-empty-tags.ofx": [(None, "AUD", "12.34")],
    "ofx/suncorp.ofx": [(None, "AUD", "1234.12")],
    # Its only row cannot be read, and is told as such.
    "ofx/decimal_error.ofx": [(None, "CAD", "0.00")],
}


@pytest.mark.parametrize("name", FILES)
def test_every_real_file_ties_or_is_refused_with_its_line(
    person: Person, statements: Path, name: str
) -> None:
    content = (statements / name).read_bytes()
    for number, currency, closing in FILES[name]:
        account = wallet(person, currency)
        query = {"accountNumber": number} if number else {}
        if closing is None:
            problem = person.problem(
                "POST", "/v1/imports", 422, "unreadable-file", content=content, headers=BYTES,
                params={"accountId": account} | query,
            )  # fmt: skip
            assert problem["detail"].startswith("line ")
            assert lines(person, account) == []
            continue
        one = preview(person, account, content, **query)
        if closing.startswith("!"):
            assert one["balanceFault"]["line"] == 27 and one["closing"]["amount"] == closing[1:]
            continue
        assert "balanceFault" not in one
        if "opening" in one:
            total = sum((value(row["amount"]) for row in one["rows"]), value(one["opening"]))
            assert total == value(one["closing"]) == Decimal(closing)
        commit(person, one)
        assert balance(person, account) == Decimal(closing)
        # The same file once more adds nothing.
        again = preview(person, account, content, **query)
        assert again["duplicates"] == again["rowCount"]
        assert not any(row["included"] for row in again["rows"])
        commit(person, again)
        assert balance(person, account) == Decimal(closing)
        # Taken back, nothing is left.
        for taken in (again, one):
            withdraw(person, taken)
        assert balance(person, account) == 0
        assert lines(person, account) == []


def test_a_file_of_several_accounts_lists_them(person: Person, statements: Path) -> None:
    content = (statements / "camt053" / "example-a.xml").read_bytes()
    problem = person.problem(
        "POST", "/v1/imports", 422, "account-number-required", content=content, headers=BYTES,
        params={"accountId": wallet(person)},
    )  # fmt: skip
    assert problem["accountNumbers"] == ["NL14SNSB0012345678", "NL78SNSB0022446688"]


def test_mt940_is_read_as_another_parser_reads_it(person: Person, statements: Path) -> None:
    for name in ("february_30", "rabobank-iban", "sns"):
        file = statements / "mt940" / f"{name}.sta"
        theirs = sorted(
            (Decimal(one.data["amount"].amount), one.data["date"].month)
            for one in mt940_parser.parse(str(file))
            if "amount" in one.data
        )
        one = preview(person, wallet(person), file.read_bytes())
        ours = sorted((value(row["amount"]), int(row["date"][5:7])) for row in one["rows"])
        assert [amount for amount, _ in ours] == [amount for amount, _ in theirs], name


def test_camt_is_read_as_another_parser_reads_it(person: Person, statements: Path) -> None:
    file = statements / "camt053" / "example-a.xml"
    theirs = bankstatementparser.CamtParser(str(file)).parse()
    amounts = []
    for number in ("NL14SNSB0012345678", "NL78SNSB0022446688"):
        one = preview(person, wallet(person), file.read_bytes(), accountNumber=number)
        amounts += [value(row["amount"]) for row in one["rows"]]
    assert sorted(amounts) == sorted(Decimal(str(one)) for one in theirs["Amount"])


def test_ofx_is_read_as_another_parser_reads_it(person: Person, statements: Path) -> None:
    for name, currency in (("bank_medium", "CAD"), ("checking", "USD"), ("suncorp", "AUD")):
        content = (statements / "ofx" / f"{name}.ofx").read_bytes()
        theirs = ofxparse.OfxParser.parse(io.BytesIO(content)).account.statement
        one = preview(person, wallet(person, currency), content)
        assert [value(row["amount"]) for row in one["rows"]] == [
            row.amount for row in theirs.transactions
        ]
        assert [date.fromisoformat(row["date"]) for row in one["rows"]] == [
            row.date.date() for row in theirs.transactions
        ]
        assert value(one["closing"]) == theirs.balance


def test_a_csv_gets_its_mapping(person: Person) -> None:
    content = (
        "Auszug;;;\nwann;wer;wieviel;wozu\n03.04.2024;Bäcker;-1.234,56;Brot\n"
        "04.04.2024;Chef;2.000,00;Lohn\n05.04.2024;Kiosk;-1,00;Zeitung\n"
    ).encode("latin-1")
    account = wallet(person)
    one = preview(person, account, content)
    assert one["format"] == "csv" and one["rows"] == [] and one["errors"][0]["line"] == 1
    path = f"/v1/imports/{one['id']}"
    bad = person.problem(
        "PATCH", path, 422, "invalid-body", json={"mapping": {"date": "nie", "amount": "wieviel"}}
    )
    assert bad["errors"][0]["pointer"] == "/mapping/date"
    mapping = {"date": "wann", "amount": 3, "name": "wer", "description": "wozu"}
    read = person.call("PATCH", path, 200, json={"mapping": mapping})
    assert [row["amount"]["amount"] for row in read["rows"]] == ["-1234.56", "2000.00", "-1.00"]
    assert [row["line"] for row in read["rows"]] == [3, 4, 5]
    assert read["rows"][0]["name"] == "Bäcker" and read["rows"][0]["date"] == "2024-04-03"
    assert read["columns"] == ["wann", "wer", "wieviel", "wozu"]
    assert read["mapping"]["decimal"] == "," and read["mapping"]["headerRows"] == 2
    # A row is left out by its line, and taken in again by its number.
    rows = [{"line": 4, "included": False}, {"line": 5, "included": False}]
    left = person.call("PATCH", path, 200, json={"rows": rows})
    assert [row["included"] for row in left["rows"]] == [True, False, False]
    left = person.call("PATCH", path, 200, json={"rows": [{"row": 3, "included": True}]})
    assert [row["included"] for row in left["rows"]] == [True, False, True]
    for rows, pointer in (
        ([{"line": 99, "included": False}], "/rows/0/line"),
        ([{"included": False}], "/rows/0/line"),
        ([{"row": 4, "included": False}], "/rows/0/row"),
        ([{"row": 1, "categoryId": wallet(person)}], "/rows/0/categoryId"),
    ):
        bad = person.problem("PATCH", path, 422, "invalid-body", json={"rows": rows})
        assert bad["errors"][0]["pointer"] == pointer
    stale = person.send("PATCH", path, json={"rows": []}, headers={"If-Match": '"1"'})
    assert stale.status_code == 412
    commit(person, one)
    assert balance(person, account) == Decimal("-1235.56")
    person.problem("PATCH", path, 409, "import-state", json={"rows": []})
    other = preview(person, wallet(person), mt940("1", "C240101EUR0,", [], "C240101EUR0,"))
    person.problem(
        "PATCH", f"/v1/imports/{other['id']}", 422, "invalid-body", json={"mapping": mapping}
    )


def test_a_table_without_a_header_gets_a_proposal(person: Person) -> None:
    account = wallet(person)
    rows = "05.03.2024;Laden;-12,34\n06.03.2024;Chef;20,00\n"
    one = preview(person, account, rows.encode())
    assert one["rows"] == [] and "mapping" not in one
    proposed = one["proposedMapping"]
    assert (proposed["date"], proposed["amount"], proposed["name"]) == (1, 3, 2)
    path = f"/v1/imports/{one['id']}"
    read = person.call("PATCH", path, 200, json={"mapping": proposed})
    assert "proposedMapping" not in read
    assert [row["amount"]["amount"] for row in read["rows"]] == ["-12.34", "20.00"]
    commit(person, read)
    assert balance(person, account) == Decimal("7.66")


def test_a_line_of_a_balance_is_the_opening_balance(person: Person) -> None:
    text = "Date,Description,Amount\n2024-03-01,Opening balance,500.00\n2024-03-05,Shop,-12.34\n"
    account = wallet(person)
    one = preview(person, account, text.encode())
    assert [row["amount"]["amount"] for row in one["rows"]] == ["-12.34"]
    assert [error["line"] for error in one["errors"]] == [2]
    commit(person, one)
    assert balance(person, account) == Decimal("487.66")
    signs = b"Date,Description,Amount ($)\n2024-03-05,Shop,-12.34\n"
    person.problem(
        "POST", "/v1/imports", 422, "currency-mismatch", content=signs, headers=BYTES,
        params={"accountId": account},
    )  # fmt: skip


def test_what_does_not_tie_is_told(person: Person) -> None:
    content = mt940("1", "C240101EUR100,", [("240105D10,", "A", "one")], "C240131EUR91,")
    fault = preview(person, wallet(person), content)["balanceFault"]
    assert fault["line"] == 7 and "90.00" in fault["detail"]


@pytest.mark.parametrize(("content", "word"), [
    (b"", "empty"), (b"%PDF-1.4\n1 0 obj, 2 0 obj", "PDF"), (b'{"a": 1, "b": 2}', "JSON"),
    (b"<!DOCTYPE html><html></html>", "HTML"), (b"\x89PNG\r\n\x1a\n\x00", "picture"),
])  # fmt: skip
def test_an_unknown_file_is_told_what_it_looks_like(
    person: Person, content: bytes, word: str
) -> None:
    problem = person.problem(
        "POST", "/v1/imports", 422, "unknown-format", content=content, headers=BYTES,
        params={"accountId": wallet(person)},
    )  # fmt: skip
    assert word in problem["detail"] and "OFX" in problem["detail"]


def test_a_forms_upload_is_refused(person: Person) -> None:
    person.problem(
        "POST", "/v1/imports", 415, "unsupported-media-type", content=b"--b\r\n",
        headers={"Content-Type": "multipart/form-data; boundary=b"},
        params={"accountId": wallet(person)},
    )  # fmt: skip


def test_twins_in_one_file_both_stay(person: Person) -> None:
    twin = ("240105D10,", "NONREF", "coffee")
    content = mt940("1", "C240101EUR0,", [twin, twin], "D240131EUR20,")
    account = wallet(person)
    assert commit(person, preview(person, account, content))["duplicates"] == 0
    assert balance(person, account) == Decimal("-20.00")
    three = mt940("1", "C240101EUR0,", [twin] * 3, "D240131EUR30,")
    again = preview(person, account, three)
    assert again["duplicates"] == 2
    commit(person, again)
    assert balance(person, account) == Decimal("-30.00")


def test_rules_name_categories(person: Person) -> None:
    def make(match: dict[str, Any], name: str, **more: Any) -> dict[str, Any]:
        body = {"match": match, "categoryId": categories[name]} | more
        return person.post("/v1/import-rules", body)

    categories = {
        name: person.post("/v1/categories", {"name": name})["id"] for name in ("Bread", "Pay")
    }
    rule = make({"contains": "BÄCKER", "direction": "out"}, "Bread")
    first = make({"field": "name", "startsWith": "chef"}, "Pay", priority=0)
    assert first["priority"] == 0 and rule["match"]["field"] == "both"
    listed = list(person.pages("/v1/import-rules", limit=1))
    assert [one["id"] for one in listed] == [rule["id"], first["id"]]
    for body, pointer in (
        ({"match": {}, "categoryId": categories["Pay"]}, "/match"),
        ({"match": {"contains": "a", "equals": "b"}, "categoryId": categories["Pay"]}, "/match"),
        ({"match": {"contains": "a"}, "categoryId": rule["id"]}, "/categoryId"),
        (
            {"match": {"contains": "a", "accountId": rule["id"]}, "categoryId": categories["Pay"]},
            "/match/accountId",
        ),
    ):
        bad = person.problem("POST", "/v1/import-rules", 422, "invalid-body", json=body)
        assert bad["errors"][0]["pointer"] == pointer
    content = (
        "Date,Payee,Amount\n2024-01-02,Der bäcker,-1.00\n2024-01-03,Chef GmbH,5.00\n"
        "2024-01-04,bäcker,2.00\n"
    ).encode()
    account = wallet(person)
    one = preview(person, account, content)
    told = [row.get("categoryId") for row in one["rows"]]
    assert told == [categories["Bread"], categories["Pay"], None]
    rows = [{"row": 3, "categoryId": categories["Bread"]}, {"row": 2, "categoryId": None}]
    one = person.call("PATCH", f"/v1/imports/{one['id']}", 200, json={"rows": rows})
    commit(person, one)
    stored = {row["name"]: row["categoryId"] for row in lines(person, account)}
    assert stored["Der bäcker"] == stored["bäcker"] == categories["Bread"]
    assert stored["Chef GmbH"] not in categories.values()
    # Changed, stale, gone; and a stranger sees nothing of it.
    path = f"/v1/import-rules/{rule['id']}"
    answer = person.send("PATCH", path, json={"match": {"equals": "chef gmbh"}, "priority": 7})
    assert answer.status_code == 200 and answer.json()["match"]["equals"] == "chef gmbh"
    stale = person.send("DELETE", path, headers={"If-Match": '"1"'})
    assert stale.status_code == 412
    stranger = Person(person.suite)
    for method in ("GET", "DELETE"):
        stranger.problem(method, path, 404, "not-found")
    person.call("DELETE", path, 204)
    person.problem("GET", path, 404, "not-found")


def test_own_transfers_become_one_and_two_again(person: Person) -> None:
    giro, savings = wallet(person), wallet(person)
    out = mt940(
        GIRO, "C260101EUR1000,",
        [("260105D500,", "NONREF", f"166?20SVWZ+Sparen?31{SAVINGS}?32Ada"),
         ("260106D9,99", "NONREF", "166?20SVWZ+Brot?32Baker")], "C260131EUR490,01",
    )  # fmt: skip
    into = mt940(
        SAVINGS, "C260101EUR7,", [("260107C500,", "NONREF", "166?20SVWZ+Sparen?32Ada L.")],
        "C260131EUR507,",
    )  # fmt: skip
    commit(person, preview(person, savings, into))
    one = preview(person, giro, out)
    assert one["rows"][0]["transfer"]["accountId"] == savings
    assert "transfer" not in one["rows"][1]
    commit(person, one)
    assert balance(person, giro) == Decimal("490.01")
    assert balance(person, savings) == Decimal("507.00")
    sides = [lines(person, giro)[-1], lines(person, savings)[0]]
    assert sides[0]["transferId"] == sides[1]["transferId"]
    # It cannot be deleted on one side, and goes with its import.
    problem = person.send("DELETE", f"/v1/transactions/{sides[0]['id']}")
    assert problem.status_code == 409
    withdraw(person, one)
    assert balance(person, giro) == 0
    assert balance(person, savings) == Decimal("507.00")
    assert "transferId" not in lines(person, savings)[0]
    # Declined, it stays two rows.
    one = preview(person, giro, out)
    one = person.call(
        "PATCH", f"/v1/imports/{one['id']}", 200, json={"rows": [{"row": 1, "transfer": False}]}
    )
    assert "transfer" not in one["rows"][0]
    commit(person, one)
    assert all("transferId" not in row for row in lines(person, giro) + lines(person, savings))


def test_a_stranger_sees_and_changes_no_import(person: Person) -> None:
    stranger = Person(person.suite)
    one = preview(person, wallet(person), b"Date,Amount\n2024-01-02,1.00\n")
    path = f"/v1/imports/{one['id']}"
    for method, end in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/commit")):
        body = {"json": {"rows": []}} if method == "PATCH" else {}
        stranger.problem(method, path + end, 404, "not-found", **body)
    stranger.problem(
        "POST", "/v1/imports", 404, "not-found", content=b"Date,Amount\n2024-01-02,1.00\n",
        headers=BYTES, params={"accountId": one["accountId"]},
    )  # fmt: skip


def ofx(*months: tuple[str, str, str, str]) -> bytes:
    """A statement of (kind, day, amount, closing) each, all of one number."""
    told = "".join(
        "<STMTTRNRS><STMTRS><CURDEF>EUR<BANKACCTFROM><BANKID>1<ACCTID>77"
        f"<ACCTTYPE>{kind}</BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>OTHER<DTPOSTED>{day}"
        f"<TRNAMT>{amount}<FITID>{day}<NAME>one</STMTTRN></BANKTRANLIST>"
        f"<LEDGERBAL><BALAMT>{closing}<DTASOF>{day}</LEDGERBAL></STMTRS></STMTTRNRS>"
        for kind, day, amount, closing in months
    )
    return f"OFXHEADER:100\n\n<OFX><BANKMSGSRSV1>{told}</BANKMSGSRSV1></OFX>".encode()


def test_months_are_one_statement_and_savings_another(person: Person) -> None:
    months = (
        ("CHECKING", "20240131", "5.00", "15.00"), ("CHECKING", "20240229", "-2.00", "13.00"),
    )  # fmt: skip
    account = wallet(person)
    commit(person, preview(person, account, ofx(*months)))
    assert balance(person, account) == Decimal("13.00")
    both = ofx(*months, ("SAVINGS", "20240229", "1.00", "99.00"))
    problem = person.problem(
        "POST", "/v1/imports", 422, "account-number-required", content=both, headers=BYTES,
        params={"accountId": wallet(person), "accountNumber": "77"},
    )  # fmt: skip
    assert problem["accountNumbers"] == ["77 CHECKING", "77 SAVINGS"]
    one = preview(person, wallet(person), both, accountNumber="77 SAVINGS")
    assert value(one["closing"]) == Decimal("99.00")


@pytest.mark.parametrize("amounts", [("-80.00", "100.00"), ("100.00", "-80.00")])
def test_an_account_above_zero_takes_a_file_in_any_order(
    person: Person, amounts: tuple[str, str]
) -> None:
    body = {"kind": "current", "currency": "EUR", "name": f"Giro {os.urandom(4).hex()}"}
    account = person.post("/v1/accounts", body)["id"]
    rows = "".join(f"2024-01-0{2 + at},{amount},x\n" for at, amount in enumerate(amounts))
    one = preview(person, account, f"Date,Amount,Payee\n{rows}".encode())
    commit(person, one)
    assert balance(person, account) == Decimal("20.00")
    withdraw(person, one)
    assert balance(person, account) == 0


def test_odd_headers_can_be_kept(person: Person) -> None:
    account = wallet(person)
    for content in (
        b"Date,Na\0me,Amount\0\n2024-01-02,x,1.00\n",
        b'"' + b"\n" * 60 + b'",x\nDate,Payee,Amount\n2024-01-02,x,1.00\n',
    ):
        one = preview(person, account, content, format="csv")
        assert [row["amount"]["amount"] for row in one["rows"]] == ["1.00"]
        again = person.call(
            "PATCH", f"/v1/imports/{one['id']}", 200, json={"mapping": one["mapping"]}
        )
        assert again["rows"] == one["rows"]


def test_all_rows_of_a_preview_can_be_read(person: Person) -> None:
    rows = "".join(f"2024-01-02,-{at}.00,row {at}\n" for at in range(1, 451))
    bad = "".join(f"2024-01-99,{at}.00,bad\n" for at in range(250))
    account = wallet(person)
    one = preview(person, account, f"Date,Amount,Payee\n{rows}{bad}".encode())
    # A page ends at 200 rows, or at the size that an answer may have.
    assert one["rowCount"] == 450 and 100 < len(one["rows"]) <= 200
    assert one["errorCount"] == 250 and len(one["errors"]) == 200
    path = f"/v1/imports/{one['id']}"
    found, page = list(one["rows"]), one
    while "nextCursor" in page:
        page = person.get(path, cursor=page["nextCursor"], limit=99)
        found += page["rows"]
    assert [row["row"] for row in found] == list(range(1, 451))
    other = preview(person, account, b"Date,Amount\n2024-01-02,1.00\n")
    assert "nextCursor" not in other
    for cursor in (one["nextCursor"], "x"):
        person.problem(
            "GET", f"/v1/imports/{other['id']}", 400, "invalid-query", params={"cursor": cursor}
        )


def test_previews_of_a_person_are_bounded(person: Person) -> None:
    account = wallet(person)
    content = b"Date,Amount\n2024-01-02,1.00\n"
    kept = [preview(person, account, content) for _ in range(100)]
    person.problem(
        "POST", "/v1/imports", 409, "too-many-imports", content=content, headers=BYTES,
        params={"accountId": account},
    )  # fmt: skip
    person.call("DELETE", f"/v1/imports/{kept[0]['id']}", 204)
    preview(person, account, content)


@pytest.mark.parametrize("kind", ["csv", "camt053", "ofx"])
def test_what_is_exported_comes_back_with_its_words(person: Person, kind: str) -> None:
    words = [
        ("Bread & butter", "at the corner"), ("=1+1", "-5"), ("x" * 90, "Some words. " * 15),
        ("漢字 <b>", "Straße"),
    ]  # fmt: skip
    content = "Date,Payee,Description,Amount\n" + "".join(
        f"2024-01-0{at + 1},{name},{text},{at + 1}.00\n" for at, (name, text) in enumerate(words)
    )
    first, second = wallet(person), wallet(person)
    commit(person, preview(person, first, content.encode()))
    answer = person.send(
        "GET", f"/v1/accounts/{first}/statement",
        params={"format": kind, "from": "2024-01-01", "to": "2024-12-31"},
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    commit(person, preview(person, second, answer.content))
    told = [
        [(row["date"], row["name"], row["description"]) for row in lines(person, account)]
        for account in (first, second)
    ]
    assert told[0] == told[1] and len(told[0]) == len(words)


def test_20_mib_are_the_most(person: Person) -> None:
    account = wallet(person)
    rows = b"2024-01-02,1.00," + b"a" * 72 + b"\n"
    body = b"Date,Amount,Payee\n" + rows * (20 * 1024 * 1024 // len(rows) + 1)
    answer = person.send(
        "POST", "/v1/imports", content=body, headers=BYTES, params={"accountId": account}
    )
    assert answer.status_code == 413, answer.text
    answer = person.send(
        "POST", "/v1/imports", content=body[: 20 * 1024 * 1024 - 100], headers=BYTES,
        params={"accountId": account},
    )  # fmt: skip
    # More rows than are taken: refused with the line.
    assert answer.status_code == 422 and "200,000" in answer.json()["detail"], answer.text
