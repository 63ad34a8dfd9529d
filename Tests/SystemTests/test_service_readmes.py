"""What the READMEs say of variables, held against what the executables read."""

import re
import subprocess
from pathlib import Path

import pytest

from conftest import BINARIES, ROOT
from suite.executables import EXECUTABLES

#: `EZWALLET_CLIENT_…_SECRET` and `EZWALLET_OIDC_<NAME>_ISSUER` stand for many.
NAME = re.compile(r"EZWALLET_[A-Z0-9_]+(?:(?:…|<NAME>)[A-Z0-9_]*)?")
READMES = sorted(
    path for path in ROOT.glob("Services/*/README.md") if path.parent.name.lower() in EXECUTABLES
)
#: Read by scripts, by tests, and by whoever starts the executables.
ELSEWHERE = {"EZWALLET_BINARIES"}


def variables(executable: str) -> set[str]:
    """What it reads, by its own help."""
    done = subprocess.run(
        [BINARIES / f"ezwallet-{executable}", "--help"], capture_output=True, text=True, check=True
    )
    return set(NAME.findall(done.stdout))


def matches(named: str, known: set[str]) -> bool:
    """Whether a name, or what it stands for, is known."""
    pattern = re.sub("…|<NAME>", "(?:[A-Z0-9_]+|<NAME>)", named)
    return any(re.fullmatch(pattern, one) for one in known)


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.name)
def test_every_variable_that_is_named_is_read(readme: Path) -> None:
    text = readme.read_text()
    known = variables(readme.parent.name.lower())
    wrong = {one for one in NAME.findall(text) if not matches(one, known | ELSEWHERE)}
    assert not wrong


@pytest.mark.parametrize("executable", EXECUTABLES)
def test_every_variable_that_is_read_is_documented(executable: str) -> None:
    texts = [ROOT / "README.md", ROOT / "Services" / executable.capitalize() / "README.md"]
    told = set(NAME.findall("".join(path.read_text() for path in texts if path.exists())))
    known = variables(executable)
    assert len(known) > 10
    missing = {one for one in known if not matches(one, told)}
    assert not missing
