"""The suite that the system tests talk to: real servers, a temporary folder, free ports."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "deploy"))
sys.path.insert(0, str(Path(__file__).parent))

from suite.suite import Suite  # noqa: E402

BINARIES = Path(os.environ.get("EZWALLET_BINARIES", ROOT / ".build" / "debug"))


def make_suite(**options: object) -> Suite:
    """A suite in a folder of its own, which the database server's user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="ezw-", dir="/tmp")).resolve()
    folder.chmod(0o755)
    return Suite(folder, BINARIES.resolve(), fast=True, **options)


@pytest.fixture(scope="session")
def bare_suite() -> Iterator[Suite]:
    """PostgreSQL, NATS and the sinks alone."""
    suite = make_suite()
    try:
        suite.start_base()
        yield suite
    finally:
        suite.remove()
