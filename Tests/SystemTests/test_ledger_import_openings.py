"""What an account was opened with, and where it differs from its statements."""

from decimal import Decimal

from actions import balance, wallet
from client import Person
from imports import commit, lines, mt940, preview, withdraw

NEEDS = ["gateway", "auth", "ledger"]


def test_the_closing_balance_ties_though_a_row_is_left_out(person: Person) -> None:
    content = mt940(
        "1", "C240101EUR100,",
        [("240105D10,", "A", "one"), ("240106D20,", "B", "two")], "C240131EUR70,",
    )  # fmt: skip
    account = wallet(person)
    one = preview(person, account, content)
    person.call(
        "PATCH", f"/v1/imports/{one['id']}", 200, json={"rows": [{"line": 7, "included": False}]}
    )
    commit(person, one)
    assert balance(person, account) == Decimal("70.00")
    assert len(lines(person, account)) == 1


def test_an_older_statement_after_a_newer_one_sets_the_opening(person: Person) -> None:
    def month(opening: str, row: str, closing: str) -> bytes:
        return mt940("DE02120300000000202051", opening, [(row, "NONREF", "x")], closing)

    newer = month("C240229EUR90,00", "240305D20,00", "C240331EUR70,00")
    older = month("C240131EUR100,00", "240205D10,00", "C240229EUR90,00")
    later = month("C240430EUR65,00", "240505D5,00", "C240531EUR60,00")
    account = wallet(person)
    commit(person, preview(person, account, newer))
    one = preview(person, account, older)
    assert one["errors"] == [] and commit(person, one)["errors"] == []
    assert balance(person, account) == Decimal("70.00")
    # April is missing: the preview says by how much, and so does the commit.
    gap = preview(person, account, later)
    [note] = gap["errors"]
    assert "differs by 5.00 EUR" in note["detail"] and gap["errorCount"] == 1
    assert commit(person, gap)["errors"] == [note]
    april = month("C240331EUR70,00", "240405D5,00", "C240430EUR65,00")
    assert commit(person, preview(person, account, april))["errors"] == []
    assert balance(person, account) == Decimal("60.00")
    withdraw(person, one)
    assert balance(person, account) == Decimal("60.00")
