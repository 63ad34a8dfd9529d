"""What the supervisor runs: a list of programs in a JSON file."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Program:
    """One process that is kept running; two with equal values are the same one."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    user: str | None = None
    stop_signal: str = "SIGTERM"
    #: Changes when the file on disk does, so that a new build replaces what runs.
    revision: str = ""


def write_plan(path: Path, programs: list[Program]) -> None:
    """Writes the plan whole or not at all."""
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps([asdict(program) for program in programs], indent=1))
    temporary.chmod(0o600)
    temporary.rename(path)


def plan_digest(path: Path) -> str:
    """What tells one plan from another."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_plan(path: Path) -> list[Program]:
    """Reads what `write_plan` wrote."""
    return [Program(**row) for row in json.loads(path.read_text())]
