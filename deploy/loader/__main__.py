"""`python3 -m loader`: what deploy/load calls."""

import argparse
import sys
import time
from pathlib import Path

from loader.load import Plan, load
from suite.suite import Suite

ROOT = Path(__file__).resolve().parent.parent.parent


def main() -> None:
    """Loads into a running suite."""
    parser = argparse.ArgumentParser(prog="deploy/load")
    parser.add_argument("--users", type=int, default=1000, help="people (default 1000)")
    parser.add_argument("--transactions", type=int, default=1_000_000, help="(default 1000000)")
    parser.add_argument("--months", type=int, default=24, help="how far back (default 24)")
    parser.add_argument("--seed", type=int, default=1, help="another one makes other people")
    parser.add_argument(
        "--events", action="store_true", help="tell of accounts and categories, too"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / ".local")
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release")
    options = parser.parse_args()
    if options.users < 2 or options.months < 1 or options.transactions < options.users:
        parser.error("at least 2 users, 1 month, and a transaction for each")
    suite = Suite(options.folder.resolve(), options.binaries.resolve())
    if suite.supervisor() is None:
        sys.exit("deploy/load: nothing runs here; deploy/up starts it")
    begin = time.monotonic()
    plan = Plan(options.users, options.transactions, options.months, options.seed, options.events)
    loaded = load(suite, plan, say=lambda text: print(f"  {text}", file=sys.stderr, flush=True))
    print(
        f"{loaded.transactions} transactions of {options.users} people in {loaded.entries} entries "
        f"with {loaded.movements} movements, {time.monotonic() - begin:.0f} s; "
        f"{loaded.email(1)} and the others log in with {loaded.password}"
    )


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, KeyboardInterrupt) as error:
        sys.exit(f"deploy/load: {error}")
