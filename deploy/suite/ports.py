"""Free loopback ports below 32768, where the kernel hands out none for outgoing connections."""

import os
import random
import socket
from pathlib import Path

LOWEST, HIGHEST = 18000, 32000
#: What was handed out: a port that is chosen is taken only later.
handed_out: set[int] = set()


def own_range() -> tuple[int, int]:
    """Where to choose: tests that run beside each other choose apart."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    count = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    size = (HIGHEST - LOWEST) // count
    return LOWEST + int(worker) * size, LOWEST + (int(worker) + 1) * size


def is_free(port: int) -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket() as probe:
        # As servers do: what only lingers in TIME_WAIT is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_ports(count: int) -> list[int]:
    """Neighbouring free ports, from a random place, so that parallel runs seldom meet."""
    lowest, highest = own_range()
    for _ in range(200):
        first = random.randrange(lowest, highest - count)
        chosen = range(first, first + count)
        if handed_out.isdisjoint(chosen) and all(is_free(port) for port in chosen):
            handed_out.update(chosen)
            return list(chosen)
    raise RuntimeError(f"no {count} neighbouring free ports between {lowest} and {highest}")


def recorded_ports(file: Path, names: list[str], fixed: dict[str, int]) -> dict[str, int]:
    """The ports of a folder: read from its file, or chosen once and written there."""
    ports: dict[str, int] = {}
    if file.exists():
        for line in file.read_text().splitlines():
            name, _, value = line.partition("=")
            ports[name] = int(value)
    ports.update(fixed)
    missing = [name for name in names if name not in ports]
    ports.update(zip(missing, free_ports(len(missing)), strict=True) if missing else [])
    file.write_text("".join(f"{name}={ports[name]}\n" for name in names))
    return {name: ports[name] for name in names}
