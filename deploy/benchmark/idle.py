"""Resident memory of each executable at rest, and how soon it is ready."""

import re
import statistics
import time
from pathlib import Path

from benchmark.bench import Bench
from benchmark.load import Running
from benchmark.proxy import answers
from suite.ports import free_ports

RESIDENT_MIB_MAX = 25.0
READY_MILLISECONDS_MAX = 100.0


def measure_idle(bench: Bench) -> None:
    """Each executable started beside the running suite, in turn; the peer is the bound."""
    suite, report = bench.suite, bench.report
    for name in [*suite.executables.services(), "gateway"]:
        told = (
            suite.executables.gateway() if name == "gateway" else suite.executables.service(name, 1)
        )
        ready: list[float] = []
        resident: list[float] = []
        for _ in range(bench.extent.rounds):
            port, internal, admin = free_ports(3)
            fresh = {
                "EZWALLET_LISTEN": f"127.0.0.1:{port}",
                "EZWALLET_ADMIN_LISTEN": f"127.0.0.1:{admin}",
            } | ({"EZWALLET_INTERNAL_LISTEN": f"127.0.0.1:{internal}"} if name == "gateway" else {})
            program = suite.executables.program(name, 9, told | fresh)
            begin = time.perf_counter()
            running = Running(program, port, suite.folder / "log" / f"bench-{name}.log")
            try:
                while not answers(admin, "/readyz"):
                    if time.perf_counter() - begin > 10:
                        raise RuntimeError(f"ezwallet-{name} is not ready within 10 s")
                    time.sleep(0.001)
                ready.append((time.perf_counter() - begin) * 1000)
                time.sleep(2.0)
                status = Path(f"/proc/{running.process.pid}/status").read_text()
                resident.append(int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024)
            finally:
                running.stop()
        report.add(
            f"ezwallet-{name}, resident at rest / bound", statistics.median(resident),
            RESIDENT_MIB_MAX, "MiB",
        )  # fmt: skip
        report.add(
            f"ezwallet-{name}, ready after start / bound", statistics.median(ready),
            READY_MILLISECONDS_MAX, "ms",
        )  # fmt: skip
