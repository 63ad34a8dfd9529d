"""`python3 -m suite up|down|run`: what deploy/up, deploy/down and deploy/run call."""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from suite.executables import EXECUTABLES
from suite.plan import read_plan
from suite.ports import is_free
from suite.suite import Suite

ROOT = Path(__file__).resolve().parent.parent.parent


def told(name: str, work: Callable[[], None]) -> None:
    """Runs a step and prints it with its time."""
    begin = time.monotonic()
    print(f"  {name} … ", end="", flush=True)
    work()
    print(f"{time.monotonic() - begin:.1f} s", flush=True)


def run(folder: Path, name: str = "", *words: str) -> None:
    """Becomes an executable of the suite, in the environment that its first replica has."""
    programs = {program.name: program for program in read_plan(folder / "run" / "plan.json")}
    program = programs.get(f"ezwallet-{name}-1")
    if program is None:
        sys.exit(f"no {name} is started here: deploy/up starts it")
    environment = {"PATH": os.environ["PATH"]} | program.environment
    os.execve(program.command[0], [*program.command, *words], environment)


def main() -> None:
    """Parses the command line and carries it out."""
    folder = Path(os.environ.get("EZWALLET_SUITE_FOLDER", ROOT / ".local"))
    parser = argparse.ArgumentParser(prog="suite")
    parser.add_argument("command", choices=["up", "down", "run"])
    parser.add_argument("--demo", action="store_true")
    parser.add_argument("--folder", type=Path, default=folder)
    parser.add_argument("--binaries", type=Path, default=ROOT / ".build" / "release")
    parser.add_argument("words", nargs="*", help="of `run`: the executable and its command")
    options = parser.parse_args()
    if options.command == "run":
        run(options.folder.resolve(), *options.words)
    gateway = int(os.environ.get("EZWALLET_PORT", "8443"))
    suite = Suite(
        options.folder.resolve(), options.binaries.resolve(), fixed_ports={"GATEWAY": gateway},
        step=told,
    )  # fmt: skip
    if options.command == "down":
        told("stopping", suite.down)
        return
    if suite.supervisor() is None and not is_free(gateway):
        sys.exit(f"port {gateway} is taken: EZWALLET_PORT=… deploy/up takes another")
    suite.up()
    absent = [name for name in EXECUTABLES if not suite.executables.present(name)]
    if options.demo and absent:
        print(f"  demo data … left out: it needs {', '.join(absent)}, which this tree has not")
    elif options.demo:
        from suite.demo import load

        told("demo data", lambda: load(suite))
    authority = suite.folder / "tls" / "ca.pem"
    print(f"\nEZWallet answers on {suite.address}. Try:")
    print(f"  curl --cacert {authority} {suite.address}/openapi.json")
    print("  logs: .local/log   mails and SMS: .local/outbox   stop: deploy/down   tour: README.md")


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"\n{error}")
