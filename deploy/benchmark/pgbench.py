"""TPC-B's likeness by pgbench, the peer of whatever commits."""

import functools
import os
import re
import subprocess

from suite.suite import Suite


class Pgbench:
    """TPC-B's likeness on the same server."""

    def __init__(self, suite: Suite):
        postgres = suite.postgres
        self.program = str(postgres.programs / "pgbench")
        self.options = [
            "-h", str(postgres.socket), "-p", str(postgres.port), "-U", "ezwallet_admin",
        ]  # fmt: skip
        self.environment = {
            "PATH": os.environ["PATH"], "PGPASSWORD": postgres.password_file.read_text(),
        }  # fmt: skip
        postgres.psql("-c", "create database pgbench")
        self.run("-i", "-q", "-s", "50")

    def run(self, *arguments: str) -> str:
        return subprocess.run(
            [self.program, *self.options, *arguments, "pgbench"], env=self.environment,
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip

    def tps(self, seconds: int) -> float:
        said = self.run("-M", "prepared", "-c", "16", "-j", "2", "-n", "-T", str(seconds))
        return float(re.search(r"tps = ([\d.]+)", said).group(1))


@functools.cache
def pgbench_of(suite: Suite) -> Pgbench:
    """The one of a suite, whose tables are filled once."""
    return Pgbench(suite)
