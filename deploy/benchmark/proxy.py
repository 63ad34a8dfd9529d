"""The gateway and nginx as proxies, a service's answer and nginx's static one."""

import os
from collections.abc import Callable
from functools import partial
from statistics import median

from benchmark.bench import Bench
from benchmark.load import Nginx, Running, wrk
from benchmark.processors import used
from suite.ports import free_ports
from suite.suite import Suite, direct, wait_until

ANSWER = 'default_type application/json; return 200 \'{"items":[],"hello":"world"}\';'
#: Public, so that nothing but forwarding is measured.
PATH = "/.well-known/jwks.json"


def plain_gateway(suite: Suite, upstream: int) -> Running:
    """A gateway without TLS whose every service is one and the same fast upstream."""
    port, internal, admin = free_ports(3)
    told = suite.executables.gateway() | {
        "EZWALLET_LISTEN": f"127.0.0.1:{port}",
        "EZWALLET_INTERNAL_LISTEN": f"127.0.0.1:{internal}",
        "EZWALLET_ADMIN_LISTEN": f"127.0.0.1:{admin}",
        "EZWALLET_LOOPS": str(os.cpu_count()),
    }
    # One client address makes all the load.
    told["EZWALLET_RATE_PER_SECOND"] = "0"
    for name in list(told):
        if name.startswith("EZWALLET_TLS_"):
            del told[name]
        if name.startswith("EZWALLET_UPSTREAM_"):
            told[name] = f"127.0.0.1:{upstream}"
    program = suite.executables.program("gateway", 9, told)
    running = Running(program, port, suite.folder / "log" / "bench-gateway.log")
    try:
        wait_until(lambda: answers(port, PATH), 10, "the gateway does not answer")
    except RuntimeError:
        running.stop()
        raise
    return running


def rate(port: int, path: str, connections: int, seconds: int, threads: int) -> float:
    """Requests per second."""
    return wrk(f"http://127.0.0.1:{port}{path}", connections, seconds, threads)[0]


def rate_and_cost(
    measured: Callable[[], float], used_seconds: Callable[[], float], seconds: int,
    costs: list[float],
) -> float:  # fmt: skip
    """Requests per second; notes the microseconds of the processor that each cost."""
    begun = used_seconds()
    made = measured()
    costs.append((used_seconds() - begun) / (made * seconds) * 1e6)
    return made


def answers(port: int, path: str) -> bool:
    """Whether a server gives a 200."""
    try:
        with direct.open(f"http://127.0.0.1:{port}{path}", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def measure_proxy(bench: Bench) -> None:
    """Small GETs through the gateway and through nginx, to the same upstream."""
    suite, report, seconds = bench.suite, bench.report, bench.extent.seconds
    nginx = Nginx(suite.folder)
    upstream = nginx.start("upstream", 1, f"location / {{ {ANSWER} }}")
    proxy = nginx.start(
        "proxy", os.cpu_count() or 1,
        "location / { proxy_pass http://up; proxy_http_version 1.1;"
        " proxy_set_header Connection ''; proxy_set_header Host $host; }",
        f"upstream up {{ server 127.0.0.1:{upstream.port}; keepalive 256;"
        " keepalive_requests 1000000000; }",
    )  # fmt: skip
    started = [upstream, proxy]
    try:
        gateway = plain_gateway(suite, upstream.port)
        started.append(gateway)
        wait_until(lambda: answers(proxy.port, PATH), 10, "nginx does not answer")
        for connections in (64, 256, 512):
            costs: tuple[list[float], list[float]] = ([], [])
            ours, peer = bench.medians(
                *(
                    partial(
                        rate_and_cost,
                        partial(rate, one.port, PATH, connections, seconds, 2),
                        one.processor_seconds,
                        seconds,
                        noted,
                    )  # fmt: skip
                    for one, noted in zip((gateway, proxy), costs, strict=True)
                )
            )
            name = f"gateway as proxy, {connections} connections / nginx"
            report.add(name, ours, peer, "req/s")
            report.add(f"{name}, processor", *map(median, costs), "µs")
    finally:
        for running in reversed(started):
            running.stop()


def measure_service(bench: Bench) -> None:
    """One service on one loop, an endpoint without database, beside nginx with one worker."""
    suite, report, seconds = bench.suite, bench.report, bench.extent.seconds
    path = "/.well-known/jwks.json"
    port = suite.ports["AUTH_1"]
    with direct.open(f"http://127.0.0.1:{port}{path}") as answer:
        body = answer.read().decode()
    nginx = Nginx(suite.folder)
    (suite.folder / "nginx" / "jwks.json").write_text(body)
    static = nginx.start(
        "static", 1,
        f"root {suite.folder}/nginx; location = {path} {{ try_files /jwks.json =404; }}",
        "open_file_cache max=10; default_type application/json;",
    )  # fmt: skip
    try:
        wait_until(lambda: answers(static.port, path), 10, "nginx does not answer")
        pid = suite.pid("ezwallet-auth-1")
        costs: tuple[list[float], list[float]] = ([], [])
        ours, peer = bench.medians(
            *(
                partial(
                    rate_and_cost,
                    partial(rate, at, path, 64, seconds, 1),
                    used_seconds,
                    seconds,
                    noted,
                )  # fmt: skip
                for at, used_seconds, noted in (
                    (port, lambda: used(pid).itself, costs[0]),
                    (static.port, static.processor_seconds, costs[1]),
                )
            )
        )
        name = "one service, no database, 64 connections / nginx"
        report.add(name, ours, peer, "req/s")
        report.add(f"{name}, processor", *map(median, costs), "µs")
    finally:
        static.stop()
