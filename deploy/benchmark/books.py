"""What the databases hold, asked in sessions of the superuser that last as long as the bench."""

import functools
import os
import subprocess
from dataclasses import dataclass

from suite.suite import Suite


class Session:
    """A psql that is asked again and again: one backend, which the meter knows and leaves out."""

    def __init__(self, suite: Suite, database: str):
        server = suite.postgres
        self.process = subprocess.Popen(
            [
                str(server.programs / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
                "-h", str(server.socket), "-p", str(server.port), "-U", "ezwallet_admin",
                "-d", database,
            ],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"PATH": os.environ["PATH"], "PGPASSWORD": server.password_file.read_text()},
        )  # fmt: skip
        # Young tables have no statistics: what is asked again and again is looked up at once.
        self.rows("set enable_seqscan = off")

    def rows(self, query: str) -> list[str]:
        """The lines of an answer, columns parted by a bar."""
        self.process.stdin.write(f"{query};\n\\echo end of the answer\n")
        self.process.stdin.flush()
        lines: list[str] = []
        while (line := self.process.stdout.readline()) != "end of the answer\n":
            if not line:
                raise RuntimeError(f"psql: {' '.join(lines)}")
            lines.append(line.rstrip("\n"))
        return lines


@functools.cache
def session_of(suite: Suite, database: str) -> Session:
    """The one of a database."""
    return Session(suite, database)


@dataclass(frozen=True)
class Sums:
    """What all accounts come to."""

    #: Each account counts its own movements.
    movements: int
    amount: int


class Books:
    """What a service's database holds, read to be held against the answers."""

    def __init__(self, suite: Suite, service: str = "ledger"):
        self.session = session_of(suite, f"ezwallet_{service}")

    def number(self, query: str) -> int:
        (found,) = self.session.rows(query)
        return int(found)

    def is_true(self, query: str) -> bool:
        return self.session.rows(query) == ["t"]

    def sums(self) -> Sums:
        """Of the people's accounts."""
        (found,) = self.session.rows(
            "select coalesce(sum(sequence), 0), coalesce(sum(amount), 0) from ledger.balance"
        )
        return Sums(*map(int, found.split("|")))
