"""`python3 -m benchmark`: what deploy/bench calls."""

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from benchmark.batches import measure_batches
from benchmark.contention import measure_held, measure_hot
from benchmark.identity import measure_identity
from benchmark.idle import measure_idle
from benchmark.imports import measure_imports
from benchmark.lists import measure_lists
from benchmark.proxy import measure_proxy, measure_service
from benchmark.rounds import Report, say
from benchmark.transfers import measure_transfers
from suite.suite import Suite

ROOT = Path(__file__).resolve().parent.parent.parent
PARTS = [
    "idle", "proxy", "service", "identity", "transfers", "batches", "hot", "held", "imports",
    "lists",
]  # fmt: skip


def main() -> None:
    """Starts a suite of its own with fsync on, measures, and leaves nothing behind."""
    parser = argparse.ArgumentParser(prog="deploy/bench")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this; repeatable")
    parser.add_argument("--seconds", type=int, default=5, help="of one round (default 5)")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release")
    options = parser.parse_args()
    # Ended from outside, it leaves no suite running either.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: ended"))
    parts = options.part or PARTS
    # Not in /tmp, which may be memory: the log is to reach a disk.
    folder = Path(tempfile.mkdtemp(prefix="ezwallet-bench-", dir="/var/tmp")).resolve()
    folder.chmod(0o755)
    suite = Suite(folder, options.binaries.resolve())
    # Everything comes from one address.
    suite.executables.extra["gateway"] = {"EZWALLET_RATE_PER_SECOND": "0"}
    suite.executables.extra["auth"] = {"EZWALLET_REGISTRATIONS_PER_ADDRESS_MAX": "0"}
    suite.executables.extra["ledger"] = {"EZWALLET_RATES_URL": "off"}
    try:
        say("starting the suite")
        suite.up()
        report = Report(options.json)
        if "idle" in parts:
            measure_idle(suite, report)
        if "proxy" in parts:
            measure_proxy(suite, report, options.seconds)
        if "service" in parts:
            measure_service(suite, report, options.seconds)
        if "identity" in parts:
            measure_identity(suite, report, options.seconds)
        if "transfers" in parts:
            measure_transfers(suite, report, options.seconds)
        if "batches" in parts:
            measure_batches(suite, report, options.seconds)
        if "hot" in parts:
            measure_hot(suite, report, options.seconds)
        if "held" in parts:
            measure_held(suite, report)
        if "imports" in parts:
            measure_imports(suite, report)
        if "lists" in parts:
            measure_lists(suite, report)
    finally:
        suite.remove()


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, KeyboardInterrupt) as error:
        sys.exit(f"bench: {error}")
