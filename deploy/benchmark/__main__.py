"""`python3 -m benchmark`: what deploy/bench calls."""

import argparse
import signal
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmark.analytics import measure_analytics
from benchmark.batches import measure_batches
from benchmark.bench import QUICK, Bench, Extent
from benchmark.contention import measure_held, measure_hot
from benchmark.disk import measure_disk
from benchmark.groups import measure_groups
from benchmark.identity import measure_identity
from benchmark.idle import measure_idle
from benchmark.imports import measure_imports
from benchmark.lists import measure_lists
from benchmark.proxy import measure_proxy, measure_service
from benchmark.rounds import Report, say
from benchmark.transfers import measure_others, measure_records, measure_transfers
from suite.suite import Suite

ROOT = Path(__file__).resolve().parent.parent.parent
PARTS = {
    "idle": measure_idle,
    "proxy": measure_proxy,
    "service": measure_service,
    "identity": measure_identity,
    "transfers": measure_transfers,
    "others": measure_others,
    "records": measure_records,
    "batches": measure_batches,
    "hot": measure_hot,
    "held": measure_held,
    "disk": measure_disk,
    "imports": measure_imports,
    "lists": measure_lists,
    "groups": measure_groups,
    # Last, for it tells analytics of a journal that the ledger does not have.
    "analytics": measure_analytics,
}


def main() -> None:
    """Starts a suite of its own with fsync on, measures, and leaves nothing behind."""
    parser = argparse.ArgumentParser(prog="deploy/bench")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--verbose", action="store_true", help="processor time by process, too")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this; repeatable")
    parser.add_argument(
        "--quick", action="store_true",
        help="less of everything, for whoever works on one part: ratios to compare, not to keep",
    )  # fmt: skip
    parser.add_argument("--seconds", type=int, help="of one round (default 5, quick 2)")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release")
    options = parser.parse_args()
    # Ended from outside, it leaves no suite running either.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: ended"))
    extent = QUICK if options.quick else Extent()
    if options.seconds:
        extent = replace(extent, seconds=options.seconds)
    # Not in /tmp, which may be memory: the log is to reach a disk.
    folder = Path(tempfile.mkdtemp(prefix="ezwallet-bench-", dir="/var/tmp")).resolve()
    folder.chmod(0o755)
    suite = Suite(folder, options.binaries.resolve())
    # Everything comes from one address.
    suite.executables.extra["gateway"] = {"EZWALLET_RATE_PER_SECOND": "0"}
    suite.executables.extra["auth"] = {"EZWALLET_REGISTRATIONS_PER_ADDRESS_MAX": "0"}
    suite.executables.extra["ledger"] = {
        "EZWALLET_RATES_URL": "off",
        # Everybody sends to others thousands of times a day, which nobody does: the sum of a day
        # would be asked for a proof, and be longer from round to round.
        "EZWALLET_STEP_UP_AMOUNT": "0",
    }
    try:
        say("starting the suite")
        suite.up()
        bench = Bench(suite, Report(options.json, options.verbose), extent)
        for name, measure in PARTS.items():
            if not options.part or name in options.part:
                measure(bench)
    finally:
        suite.remove()


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, KeyboardInterrupt) as error:
        sys.exit(f"bench: {error}")
