"""The table of OWASP ASVS items names every item once, and tests that exist."""

import math
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
TABLE = (Path(__file__).parent / "ASVS.md").read_text()

#: How many items each section of ASVS 5.0.0 has, and which are of level 3 alone, or of 2.1 are not
#: about limits.
SECTIONS = {
    "2.1": (3, [1, 2]), "8.1": (2, []),
    "6.1": (3, []), "6.2": (12, []), "6.3": (8, [5, 6, 7, 8]), "6.4": (6, [5, 6]),
    "6.5": (8, [6, 7, 8]), "6.6": (4, [4]), "6.7": (2, [1, 2]), "6.8": (4, []),
    "7.1": (3, []), "7.2": (4, []), "7.3": (2, []), "7.4": (5, []), "7.5": (3, [3]),
    "7.6": (2, []), "9.1": (3, []), "9.2": (4, []), "10.1": (2, []), "10.2": (3, [3]),
    "10.3": (5, [5]), "10.4": (16, [12, 13, 14, 15, 16]), "10.5": (5, []), "10.6": (2, []),
    "10.7": (3, []), "16.1": (1, []), "16.2": (5, []), "16.3": (4, []), "16.4": (3, []),
    "16.5": (4, [4]),
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


ROOT = TESTS.parent
SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for folder in ("Services", "Shared")
    for path in sorted((ROOT / folder).rglob("*.swift"))
}


def column(document: str, heading: str, place: int = 0) -> list[str]:
    """What stands in a column of the table under a heading, without its marks."""
    part = (ROOT / document).read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("| ")]
    cells = [row.strip("|").split(" | ")[place].strip() for row in rows[1:]]
    return [cell.strip("`") for cell in cells if not cell.startswith("---")]


def test_the_inventory_of_the_log_is_that_of_the_code() -> None:
    events = SOURCES["Shared/ServiceKit/Observation/SecurityEvent.swift"].split("SecuritySender")[0]
    cases = re.findall(r"^    case (\w+)(?: = \"([\w-]+)\")?$", events, re.MULTILINE)
    told = column("Services/LOGGING.md", "Security events")
    assert told == [raw or name for name, raw in cases]
    messages = {"replicas", "name not resolved"}
    pattern = re.compile(
        r"logger\.(?:info|warning|error)\(\s*\"([^\"]+)\"|logger\.log\(\s*[^,]+,\s*\"([^\"]+)\""
        r"|head\(\.warning, \"([^\"]+)\""
    )
    for source in SOURCES.values():
        messages |= {next(filter(None, found)) for found in pattern.findall(source)}
    listed = column("Services/LOGGING.md", "Other lines")
    assert len(listed) == len(set(listed))
    assert set(listed) == messages - {"security event"}


def test_the_limits_that_are_listed_are_those_of_the_code() -> None:
    constants, codes = [], set()
    for heading, places in [
        ("What a person or a group has", (1, 2, 3)), ("How often", (1, 3, 4)),
        ("What one answer holds", (1, 2, 3)),
    ]:  # fmt: skip
        values, refusals, names = (column("Services/LIMITS.md", heading, at) for at in places)
        constants += zip(values, names, strict=True)
        codes |= set(refusals)
    for value, constant in constants:
        file, name = constant.split(": ")
        texts = [text for path, text in SOURCES.items() if path.endswith("/" + file)]
        pattern = rf"static let {name.split('.')[-1]}(?:: \w+)? = ([\d_* ]+)$"
        told = [one for text in texts for one in re.findall(pattern, text, re.MULTILINE)]
        found = [math.prod(int(factor) for factor in one.split("*")) for one in told]
        assert int(value) in found, (constant, found)
    declared = SOURCES["Shared/WalletProtocol/Problems/ErrorCodes.swift"]
    told = (ROOT / "Services/LIMITS.md").read_text()
    for code in re.findall(r'"(too-many-[\w-]+|[\w-]+-exhausted|locked-out)"', declared):
        assert f"`{code}`" in told, code


ROLES = {
    "Operations": ("Shared/WalletProtocol/Endpoints/Endpoint.swift", "enum Right"),
    "Roles of a person": ("Shared/WalletProtocol/Endpoints/Endpoint.swift", "enum Role"),
    "Roles in a wallet": ("Shared/WalletProtocol/Ledger/Members.swift", "enum AccountRole"),
    "Roles in a folder": ("Shared/WalletProtocol/Ledger/Folders.swift", "enum FolderAccess"),
    "Roles in a group": ("Shared/WalletProtocol/Groups/GroupMembers.swift", "enum GroupRole"),
    "Roles in a family": ("Shared/WalletProtocol/Groups/Families.swift", "enum FamilyRole"),
}


def test_the_table_of_rights_has_every_right_and_role() -> None:
    for heading, (file, kind) in ROLES.items():
        body = SOURCES[file].split(f"{kind}:")[1].split("\n}")[0].split("public var")[0]
        cases = set(re.findall(r"^    case (\w+)", body, re.MULTILINE))
        assert set(column("Services/RIGHTS.md", heading)) == cases, heading


def test_every_operation_says_who_may_call_it() -> None:
    operations = 0
    for path, text in SOURCES.items():
        if not path.startswith("Shared/WalletProtocol/"):
            continue
        for made in re.findall(r"= Endpoint<[^(]*>\((.*?)summary:", text, re.DOTALL):
            assert re.search(r"of: \.?\w+,\s*for: \.\w+", made), (path, made)
            operations += 1
    assert operations > 250
