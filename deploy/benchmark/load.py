"""wrk, pgbench and nginx, run as a person would."""

import re
import subprocess
from pathlib import Path

from benchmark.processors import children, used
from suite.plan import Program
from suite.ports import free_ports


def wrk(url: str, connections: int, seconds: int, threads: int, *more: str) -> tuple[float, str]:
    """Requests per second and everything that wrk said; any answer that is no 2xx is an error."""
    done = subprocess.run(
        ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", *more,
         url],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    if "Non-2xx" in done.stdout or re.search(r"Socket errors: .*[1-9]", done.stdout):
        raise RuntimeError(f"wrk {url}:\n{done.stdout}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout).group(1)), done.stdout


class Nginx:
    """Two nginx of one folder: a static answer, and a proxy before any upstream."""

    def __init__(self, folder: Path):
        self.folder = folder / "nginx"
        self.folder.mkdir(exist_ok=True)

    def start(self, name: str, workers: int, server: str, http: str = "") -> "Running":
        """One nginx with `workers` workers; `server` is the inside of its server block."""
        (port,) = free_ports(1)
        configuration = self.folder / f"{name}.conf"
        configuration.write_text(
            f"daemon off; worker_processes {workers}; pid {self.folder}/{name}.pid;\n"
            f"error_log {self.folder}/{name}.log; worker_rlimit_nofile 8192;\n"
            "events { worker_connections 4096; multi_accept on; }\n"
            f"http {{ access_log off; keepalive_requests 1000000000; {http}\n"
            f"server {{ listen 127.0.0.1:{port}; {server} }} }}\n"
        )
        program = Program(name=f"nginx-{name}", command=["nginx", "-c", str(configuration)])
        return Running(program, port, self.folder / f"{name}.out")


class Running:
    """A process of the bench, ended by `stop`."""

    def __init__(self, program: Program, port: int, log: Path):
        self.port = port
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                program.command,
                env={"PATH": "/usr/local/bin:/usr/bin:/usr/sbin:/bin"} | program.environment,
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip

    def processor_seconds(self) -> float:
        """What it and its children have used of the processor, in and out of the kernel."""
        pids = [self.process.pid, *children(self.process.pid)]
        return sum(told.itself for pid in pids if (told := used(pid)))

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
