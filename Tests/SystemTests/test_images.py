"""The images' builder has what it needs: the package resolves from exactly what it is given."""

import fnmatch
import json
import shutil
import subprocess
from pathlib import Path

from conftest import ROOT
from suite.executables import EXECUTABLES


def is_sent(path: str) -> bool:
    """Whether .dockerignore lets a file into the build: the last line that speaks of it decides."""
    parts = path.split("/")
    sent = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        wanted = pattern.removeprefix("!").strip("/")
        anywhere = wanted.removeprefix("**/")
        candidates = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        if anywhere != wanted:
            candidates = parts
        if any(fnmatch.fnmatchcase(one, anywhere) for one in candidates):
            sent = pattern.startswith("!")
    return sent


def copied() -> list[tuple[str, str]]:
    """What the builder copies from the build's context before it builds, and where to."""
    pairs = []
    for line in (ROOT / "deploy" / "Dockerfile").read_text().splitlines():
        words = line.split()
        if words[:2] == ["RUN", "swift"]:
            return pairs
        if words[:1] == ["COPY"] and not words[1].startswith("--"):
            pairs += [(source, words[-1]) for source in words[1:-1]]
    raise AssertionError("the Dockerfile builds nothing")


def test_the_package_resolves_from_what_the_builder_is_given(tmp_path: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    for source, target in copied():
        files = [
            path for path in tracked
            if (path == source or path.startswith(f"{source}/")) and is_sent(path)
        ]  # fmt: skip
        assert files, f"{source} is not sent to the builder"
        for path in files:
            if not (ROOT / path).exists():
                continue
            place = tmp_path / target.removeprefix("./").rstrip("/")
            rest = path.removeprefix(source).lstrip("/")
            place = place / rest if rest else place / Path(path).name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, place)
    described = subprocess.run(
        ["swift", "package", "--package-path", str(tmp_path), "describe", "--type", "json"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert described.returncode == 0, described.stderr
    targets = json.loads(described.stdout)["targets"]
    names = {target["name"] for target in targets}
    assert {f"ezwallet-{name}" for name in EXECUTABLES} <= names
    assert not [target["name"] for target in targets if target["type"] == "test"]
