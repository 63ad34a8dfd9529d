"""The words of a transaction, and how lists find it by them."""

import time
from typing import Any

import pytest

from actions import record, wallet
from client import Person
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]
PLACE = {"lat": 45.464203, "lon": 9.189982, "label": "Piazza del Duomo"}


def fresh(suite: Suite) -> Person:
    return Person(suite, currency="EUR")


def change(person: Person, row: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return person.call("PATCH", f"/v1/transactions/{row['id']}", 200, json=fields)


@pytest.mark.parametrize(
    ("name", "found", "missed"),
    [
        ("Caffè Nero, Zürich", ["caffe", "CAFF zur", "nero", "zürich"], ["affe", "caffe roma"]),
        ("Straße 12", ["strasse", "STRASSE 12", "straße"], ["trasse"]),
        ("東京都の電車", ["東京", "京都", "電車", "東京都の電車"], ["大阪", "車電"]),
        ("Кофе в Москве", ["кофе", "МОСК"], ["осквe"]),
        ("قهوة", ["قهو"], ["هوة"]),
        ("ร้านกาแฟ", ["กาแฟ", "ร้าน"], ["ชา"]),
        ("पानी की बोतल", ["पानी", "बो"], ["नी"]),
        ("Łódź", ["lodz", "łó"], ["odz"]),
        ("🍕 night", ["🍕", "🍕 nig"], ["🍔"]),
        ("L'Aquila 3.50", ["aquila", "l'aq", "3.50"], ["3.51"]),
    ],
)
def test_words_are_found_in_any_script(
    ada: Person, name: str, found: list[str], missed: list[str]
) -> None:
    account = wallet(ada, "EUR")
    row = record(ada, account, "-1.00", name=name)

    def search(text: str) -> list[str]:
        return [r["id"] for r in ada.pages("/v1/transactions", query=text, accountId=account)]

    # At once, and by the index that is made behind the writes.
    for _ in range(2):
        for text in found:
            assert search(text) == [row["id"]], text
        for text in missed:
            assert search(text) == [], text
        wait_for_search(ada)
    change(ada, row, name="else", description="something", tags=["tagged"], location=PLACE)
    for _ in range(2):
        assert search(found[0]) == []
        for text in ["some", "tagg", "piazza duomo", "else"]:
            assert search(text) == [row["id"]], text
        wait_for_search(ada)
    assert fresh(ada.suite).get("/v1/transactions", query="else")["items"] == []


def wait_for_search(person: Person) -> None:
    """Until what was written is taken up: a thing of somebody else's, written later, moves on."""
    record(person, wallet(person, "EUR"), "0.00", name="later")
    time.sleep(0.8)
