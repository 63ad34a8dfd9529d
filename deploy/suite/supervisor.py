"""Keeps the programs of a plan running: `python3 -m suite.supervisor FOLDER`.

Each program has a log in `log/<name>.log`, which only the owner may read; the supervisor's own
lines in it are JSON, as the services' lines are. Each program has a process id in
`run/<name>.pid`. One that ends is started again at once, then after 0.2 s, 0.4 s … 10 s while it
keeps ending within 10 s. SIGHUP reads the plan again: what left it or changed is stopped, what is
new is started, and then the plan's digest is written to `run/applied`. SIGTERM stops all, the last
started first. Should the supervisor itself be killed, its programs end with it.
"""

import ctypes
import fcntl
import json
import os
import pwd
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from suite.files import append_private
from suite.plan import Program, plan_digest, read_plan

BACK_OFF_MAX_SECONDS = 10.0
STEADY_SECONDS = 10.0
STOP_SECONDS = 20.0
PR_SET_PDEATHSIG = 1
SIGNALS = {signal.SIGCHLD, signal.SIGHUP, signal.SIGTERM, signal.SIGINT}
libc = ctypes.CDLL(None, use_errno=True)


def line(level: str, message: str, program: str, **facts: str | None) -> bytes:
    """A line of the log in the services' own form."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    head = {"ts": now, "level": level, "service": "supervisor", "message": message}
    return json.dumps(head | {"program": program} | facts).encode() + b"\n"


class Child:
    """A program, and its process while it has one."""

    def __init__(self, program: Program, folder: Path):
        self.program = program
        self.pid_file = folder / "run" / f"{program.name}.pid"
        self.log = folder / "log" / f"{program.name}.log"
        self.process: subprocess.Popen | None = None
        self.started_at = 0.0
        self.due_at = 0.0
        self.failures = 0

    def start(self) -> None:
        program, stop = self.program, getattr(signal, self.program.stop_signal)

        def prepare() -> None:
            libc.prctl(PR_SET_PDEATHSIG, int(stop), 0, 0, 0)
            signal.pthread_sigmask(signal.SIG_SETMASK, set())

        user = {}
        if program.user:
            entry = pwd.getpwnam(program.user)
            groups = os.getgrouplist(program.user, entry.pw_gid)
            user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": groups}
        base = {name: os.environ[name] for name in ("PATH", "LANG", "TZ") if name in os.environ}
        self.started_at = time.monotonic()
        with append_private(self.log) as log:
            try:
                self.process = subprocess.Popen(
                    program.command, env=base | program.environment, stdin=subprocess.DEVNULL,
                    stdout=log, stderr=log, cwd="/", start_new_session=True, preexec_fn=prepare,
                    **user,
                )  # fmt: skip
            except OSError as error:
                log.write(line("error", "program not started", program.name, cause=error.strerror))
                self.ended()
                return
        temporary = self.pid_file.with_suffix(".new")
        temporary.write_text(f"{self.process.pid}\n")
        temporary.rename(self.pid_file)

    def ended(self) -> None:
        """Notes the end of the process and when to start it again."""
        self.process = None
        self.pid_file.unlink(missing_ok=True)
        now = time.monotonic()
        self.failures = 0 if now - self.started_at > STEADY_SECONDS else self.failures + 1
        pause = 0.0 if self.failures <= 1 else 0.1 * 2 ** min(self.failures - 1, 10)
        self.due_at = now + min(pause, BACK_OFF_MAX_SECONDS)

    def reap(self) -> bool:
        """Whether the process has ended since the last look."""
        if self.process is None or self.process.poll() is None:
            return False
        with append_private(self.log) as log:
            status = str(self.process.returncode)
            log.write(line("warning", "program ended", self.program.name, status=status))
        self.ended()
        return True


def stop(children: list[Child]) -> None:
    """Ends processes in the given order of asking, by force after `STOP_SECONDS`."""
    for child in children:
        if child.process:
            child.process.send_signal(getattr(signal, child.program.stop_signal))
    deadline = time.monotonic() + STOP_SECONDS
    for child in children:
        if not child.process:
            continue
        try:
            child.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.process.kill()
            child.process.wait()
        child.process = None
        child.pid_file.unlink(missing_ok=True)


def stop_in_layers(children: list[Child]) -> None:
    """Ends the last started first, and each layer before what it stands on."""
    for layer in reversed(sorted({layer_of(child) for child in children})):
        stop([child for child in reversed(children) if layer_of(child) == layer])


def layer_of(child: Child) -> int:
    """Database, broker and sinks below the services, the gateway above."""
    name = child.program.name
    if name.startswith("ezwallet-gateway"):
        return 2
    return 1 if name.startswith("ezwallet-") else 0


def follow(plan: Path, folder: Path, children: list[Child]) -> list[Child]:
    """The children of the plan as it stands now; what changed is stopped here."""
    wanted = read_plan(plan)
    kept = {child.program.name: child for child in children if child.program in wanted}
    stop_in_layers([child for child in children if child.program not in wanted])
    return [kept.get(program.name) or Child(program, folder) for program in wanted]


def supervise(folder: Path) -> None:
    """Runs until SIGTERM."""
    lock = (folder / "run" / "supervisor.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit("another supervisor runs in this folder")
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    for stale in (folder / "run").glob("*.pid"):
        stale.unlink()
    pid_file = folder / "run" / "supervisor.pid"
    pid_file.write_text(f"{os.getpid()}\n")
    plan = folder / "run" / "plan.json"
    followed, children = plan_digest(plan), follow(plan, folder, [])
    while True:
        now = time.monotonic()
        for child in children:
            if child.process is None and child.due_at <= now:
                child.start()
        (folder / "run" / "applied").write_text(followed)
        due = [child.due_at - now for child in children if child.process is None]
        received = signal.sigtimedwait(SIGNALS, max(0.0, min(due, default=60.0)))
        if received is None:
            continue
        if received.si_signo in (signal.SIGTERM, signal.SIGINT):
            stop_in_layers(children)
            pid_file.unlink(missing_ok=True)
            return
        if received.si_signo == signal.SIGHUP:
            followed, children = plan_digest(plan), follow(plan, folder, children)
        for child in children:
            child.reap()


if __name__ == "__main__":
    supervise(Path(sys.argv[1]))
