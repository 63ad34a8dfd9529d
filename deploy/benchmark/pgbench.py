"""TPC-B's likeness by pgbench, the peer of whatever commits."""

import os
import re
import subprocess

from benchmark.processors import Meter
from benchmark.rounds import Run
from suite.suite import Suite


class Pgbench:
    """TPC-B's likeness on the same server."""

    def __init__(self, suite: Suite):
        self.suite = suite
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

    def round(self, seconds: int) -> Run:
        """One run of it; of the processor, its own and what the server did for it."""
        with Meter(self.suite) as meter:
            said = self.run("-M", "prepared", "-c", "16", "-j", "2", "-n", "-T", str(seconds))
            meter.wait_for_peers()
        done = int(re.search(r"transactions actually processed: (\d+)", said).group(1))
        rate = float(re.search(r"tps = ([\d.]+)", said).group(1))
        return Run(rate, done, meter.peers, meter.machine)
