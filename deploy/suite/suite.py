"""The suite in one folder: prepared, migrated, started, waited for, stopped."""

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from suite import ports as port_module
from suite.executables import Executables, port_names
from suite.files import append_private, make_authority, secret
from suite.plan import Program, plan_digest, read_plan, write_plan
from suite.postgres import Postgres, home_for, server_user

FOLDERS = ["run", "log", "outbox", "secrets", "tls"]
READY_SECONDS = 90.0
#: A server that is asked for its health must never be asked through an outside proxy.
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def silently(_name: str, work: Callable[[], None]) -> None:
    """Runs a step without a word."""
    work()


class Suite:
    """Everything that runs, its ports, logs and process ids, under one folder."""

    def __init__(
        self, folder: Path, binaries: Path, *, replicas: int = 2,
        fixed_ports: dict[str, int] | None = None, fast: bool = False,
        step: Callable[[str, Callable[[], None]], None] = silently,
    ):  # fmt: skip
        self.folder, self.step = folder, step
        for name in FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "secrets").chmod(0o700)
        self.ports = port_module.recorded_ports(
            folder / "ports.env", port_names(replicas), fixed_ports or {}
        )
        self.postgres = Postgres(folder, self.ports["POSTGRES"], fast)
        self.executables = Executables(folder, binaries, self.ports, replicas)
        self.programs: list[Program] = []

    @property
    def address(self) -> str:
        """Where the gateway answers."""
        return f"https://localhost:{self.ports['GATEWAY']}"

    def up(self) -> None:
        """Starts what does not run yet and returns once all of it is ready."""
        self.step("certificates and secrets", lambda: make_authority(self.folder / "tls"))
        self.step("PostgreSQL, NATS, mail and SMS sinks", self.start_base)
        self.step("databases and roles", self.make_databases)
        self.step("migrations", self.migrate)
        self.step("services and gateway", self.start_services)

    def start_base(self) -> None:
        """Starts what the services stand on."""
        self.postgres.prepare()
        self.programs = [self.postgres.program(), self.nats(), self.sink()]
        if self.supervisor():
            # What runs already stays until its own step looks at it.
            base = {program.name for program in self.programs}
            plan = read_plan(self.folder / "run" / "plan.json")
            self.programs += [program for program in plan if program.name not in base]
        self.apply()
        self.postgres.wait()

    def nats(self) -> Program:
        """The broker, with its store beside the database's."""
        store = home_for(self.folder, "nats")
        server = shutil.which("nats-server", path="/usr/local/bin:/usr/bin:/usr/sbin:/bin")
        if not server:
            raise RuntimeError("nats-server is missing: apt-get install nats-server")
        return Program(
            name="nats-server-1",
            command=[
                server, "--addr", "127.0.0.1", "--port", str(self.ports["NATS"]),
                "--jetstream", "--store_dir", str(store),
            ],
            user=server_user(),
        )  # fmt: skip

    def sink(self) -> Program:
        """The stand-in for mail servers and the SMS provider."""
        return Program(
            name="sink-1",
            command=[
                sys.executable, "-m", "suite.sink", "--smtp", str(self.ports["SMTP"]),
                "--http", str(self.ports["SMS"]), "--outbox", str(self.folder / "outbox"),
            ],
            environment={"PYTHONPATH": str(Path(__file__).parent.parent)},
        )  # fmt: skip

    def make_databases(self) -> None:
        """Makes the database of each service, and renews its roles' passwords."""
        for service in self.executables.services():
            self.postgres.make_database(service)

    def migrate(self) -> None:
        """Brings each database to what its service expects."""
        for service in self.executables.services():
            self.command(service, "migrate", environment=self.executables.migration(service))

    def command(
        self, service: str, *arguments: str, environment: dict[str, str] | None = None
    ) -> str:
        """Runs a service's command in its environment and returns what it printed."""
        told = environment or self.executables.service(service, 1)
        done = subprocess.run(
            [str(self.executables.binaries / f"ezwallet-{service}"), *arguments],
            env={"PATH": os.environ["PATH"]} | told, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            said = (done.stdout + done.stderr).strip()
            raise RuntimeError(f"ezwallet-{service} {' '.join(arguments)}: {said}")
        return done.stdout

    def start_services(self) -> None:
        """Starts every replica and the gateway, and waits for them."""
        self.programs = self.programs[:3] + self.executables.programs()
        self.apply()
        self.wait_ready()

    def apply(self) -> None:
        """Hands the plan to the supervisor and returns when it has followed it."""
        plan, applied = self.folder / "run" / "plan.json", self.folder / "run" / "applied"
        write_plan(plan, self.programs)
        running = self.supervisor()
        if running:
            os.kill(running, signal.SIGHUP)
        else:
            applied.unlink(missing_ok=True)
            self.start_supervisor()
        digest = plan_digest(plan)
        wait_until(
            lambda: applied.exists() and applied.read_text() == digest,
            60,
            "the plan is not followed",
        )

    def start_supervisor(self) -> None:
        """Starts the one process that starts all others."""
        with append_private(self.folder / "log" / "supervisor.log") as log:
            subprocess.Popen(
                [sys.executable, "-m", "suite.supervisor", str(self.folder)],
                env={"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parent.parent)},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd="/",
            )  # fmt: skip
        wait_until(lambda: self.supervisor() is not None, 10, "the supervisor did not start")

    def supervisor(self) -> int | None:
        """The process id of this folder's supervisor, if it runs."""
        try:
            pid = int((self.folder / "run" / "supervisor.pid").read_text())
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            return None
        # The file may be older than the machine's last start: believe it only with its folder.
        return pid if str(self.folder).encode() in words and b"suite.supervisor" in words else None

    def pid(self, program: str) -> int:
        """The process id of a program such as `ezwallet-ledger-1`."""
        return int((self.folder / "run" / f"{program}.pid").read_text())

    def is_ready(self, program: str) -> bool:
        """Whether a replica says that it is ready."""
        port = self.executables.admin_ports()[program]
        try:
            with direct.open(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def wait_ready(self, seconds: float = READY_SECONDS) -> None:
        """Returns once every replica is ready; else names the first that is not, and its log."""
        deadline = time.monotonic() + seconds
        for program in self.executables.admin_ports():
            while not self.is_ready(program):
                if time.monotonic() > deadline:
                    raise RuntimeError(f"{program} is not ready:\n{self.log_tail(program)}")
                time.sleep(0.05)

    def log_tail(self, program: str, lines: int = 15) -> str:
        """The end of a program's log."""
        log = self.folder / "log" / f"{program}.log"
        return "\n".join(log.read_text().splitlines()[-lines:]) if log.exists() else "no log"

    def down(self) -> None:
        """Stops everything and returns once it has ended."""
        pid = self.supervisor()
        if pid is None:
            return
        os.kill(pid, signal.SIGTERM)
        wait_until(lambda: not running(pid), 90, "the supervisor does not stop")

    def remove(self) -> None:
        """Stops everything and leaves nothing behind."""
        self.down()
        for name in ("postgres", "nats"):
            shutil.rmtree((self.folder / name).resolve(), ignore_errors=True)
        shutil.rmtree(self.postgres.socket, ignore_errors=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def service_secret(self, name: str) -> str:
        """A secret of this suite, for tests that play a service."""
        return secret(self.folder / "secrets", name).read_text()


def running(pid: int) -> bool:
    """Whether a process still runs; one that waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], seconds: float, complaint: str) -> None:
    """Returns once the condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(complaint)
        time.sleep(0.02)
