"""The table of OWASP ASVS items names every item once, and tests that exist."""

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
TABLE = (Path(__file__).parent / "ASVS.md").read_text()

#: How many items of levels 1 and 2 each section of ASVS 5.0.0 has, and which are of level 3 alone.
SECTIONS = {
    "6.1": (3, []), "6.2": (12, []), "6.3": (8, [5, 6, 7, 8]), "6.4": (6, [5, 6]),
    "6.5": (8, [6, 7, 8]), "6.6": (4, [4]), "6.7": (2, [1, 2]), "6.8": (4, []),
    "7.1": (3, []), "7.2": (4, []), "7.3": (2, []), "7.4": (5, []), "7.5": (3, [3]),
    "7.6": (2, []), "9.1": (3, []), "9.2": (4, []), "10.1": (2, []), "10.2": (3, [3]),
    "10.3": (5, [5]), "10.4": (16, [12, 13, 14, 15, 16]), "10.5": (5, []), "10.6": (2, []),
    "10.7": (3, []),
}  # fmt: skip


def rows() -> list[tuple[str, str]]:
    found = re.findall(r"^\| ([\d.]+) \| [^|]+ \| (.+) \|$", TABLE, re.MULTILINE)
    assert len(found) == len(re.findall(r"^\| \d", TABLE, re.MULTILINE)), "a row is malformed"
    return found


def test_every_item_of_levels_1_and_2_stands_in_the_table_once() -> None:
    wanted = [
        f"{section}.{number}"
        for section, (count, third) in SECTIONS.items()
        for number in range(1, count + 1)
        if number not in third
    ]
    assert [item for item, _ in rows()] == wanted


def test_every_item_has_a_test_that_exists_or_a_reason() -> None:
    swift = {path.name: path.read_text() for path in TESTS.rglob("*.swift")}
    for item, held in rows():
        tests = re.findall(r"`(test_\w+\.py)::(\w+)`|`(\w+Tests)\.(\w+)`", held)
        assert tests or re.match(r"none|as \d|`Services/Auth/README.md`", held), item
        for file, function, suite, method in tests:
            if file:
                text = (TESTS / "SystemTests" / file).read_text()
                assert f"def {function}(" in text, (item, file, function)
            else:
                holders = [text for text in swift.values() if f"struct {suite}" in text]
                assert any(f"func {method}(" in text for text in holders), (item, suite, method)
