"""Log-ins beside argon2id alone, refreshes beside pgbench, and what the check of a token costs."""

import asyncio
import ctypes
import json
import os
import re
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmark.bench import Bench
from benchmark.books import Books
from benchmark.load import wrk
from benchmark.people import PASSWORD, Connection, shared_out
from benchmark.processors import LOAD, load_seconds
from benchmark.rounds import Run, say
from benchmark.transfers import PGBENCH
from suite.suite import Suite

PEOPLE = 200
LOG_IN_CONNECTIONS = 16
REFRESH_CONNECTIONS = 64
#: Of libargon2's argon2id, as auth hashes: passes, KiB, lanes.
PASSES, KIBIBYTES, LANES = 2, 19 * 1024, 1


def hashes(seconds: int) -> Run:
    """Argon2id hashes a second on all cores, by the library alone."""
    hash_raw = ctypes.CDLL("libargon2.so.1").argon2id_hash_raw
    number, size, text = ctypes.c_uint32, ctypes.c_size_t, ctypes.c_char_p
    hash_raw.argtypes = [number, number, number, text, size, text, size, text, size]
    end = time.monotonic() + seconds

    def work(_: int) -> int:
        out, salt, count = ctypes.create_string_buffer(32), os.urandom(16), 0
        while time.monotonic() < end:
            failed = hash_raw(
                PASSES, KIBIBYTES, LANES, PASSWORD.encode(), len(PASSWORD), salt, 16, out, 32
            )
            if failed:
                raise RuntimeError(f"argon2id: {failed}")
            count += 1
        return count

    begin, cores, load = time.monotonic(), os.cpu_count() or 1, load_seconds()
    # The library is called without the interpreter's lock.
    with ThreadPoolExecutor(cores) as pool:
        count = sum(pool.map(work, range(cores)))
    return Run(count / (time.monotonic() - begin), count, {LOAD: load_seconds() - load})


def register(suite: Suite) -> list[str]:
    """The addresses of many people."""
    emails: list[str] = []

    async def one(connection: Connection, number: int) -> None:
        email = f"bench{number}-{uuid.uuid4().hex[:6]}@example.org"
        await connection.post("/v1/users", {"email": email, "password": PASSWORD})
        emails.append(email)

    asyncio.run(shared_out(suite, list(range(PEOPLE)), one))
    return emails


def refresh_tokens(suite: Suite, emails: list[str]) -> list[str]:
    """A session each, for some more than there are connections."""
    tokens: list[str] = []

    async def log_in(connection: Connection, email: str) -> None:
        body = {"identifier": email, "password": PASSWORD}
        tokens.append((await connection.post("/v1/sessions", body))["refreshToken"])

    asyncio.run(shared_out(suite, emails[: REFRESH_CONNECTIONS * 2], log_in))
    return tokens


def checked(said: str, made: int, connections: int) -> int:
    """Holds the database against the answers; what was in flight at the end may count or not."""
    created, refused = (
        int(re.search(rf"{word}: (\d+)", said).group(1)) for word in ("Created", "Refused")
    )
    if refused or not created <= made <= created + connections:
        raise RuntimeError(f"{created} answered, {refused} refused, {made} made")
    return made


def wrk_round(bench: Bench, path: str, connections: int, script: str, query: str) -> Run:
    """One run of wrk, held against what the query counts."""
    books = Books(bench.suite, "auth")
    before = books.number(query)
    file = Path(__file__).parent / script
    with bench.meter() as meter:
        rate, said = wrk(
            bench.suite.address + path, connections, bench.extent.seconds, 2, "-s", str(file)
        )
        time.sleep(1.0)
    made = checked(said, books.number(query) - before, connections)
    return Run(rate, made, meter.ours, meter.machine)


def log_ins(bench: Bench, emails: Path) -> Run:
    """Over everybody."""
    os.environ |= {"EMAILS": str(emails), "PASSWORD": PASSWORD}
    query = "select count(*) from auth.session"
    return wrk_round(bench, "/v1/sessions", LOG_IN_CONNECTIONS, "log_ins.lua", query)


def refreshes(bench: Bench, emails: list[str]) -> Run:
    """Each answer's token is presented next."""
    tokens = bench.suite.folder / "tokens"
    tokens.write_text("\n".join(refresh_tokens(bench.suite, emails)) + "\n")
    os.environ["TOKENS"] = str(tokens)
    query = "select coalesce(sum(refresh_number), 0) from auth.session"
    path = "/v1/sessions/refresh"
    return wrk_round(bench, path, REFRESH_CONNECTIONS, "refreshes.lua", query)


def measure_identity(bench: Bench) -> None:
    """Log-ins, refreshes and tokens, each beside its measure."""
    suite, report, seconds = bench.suite, bench.report, bench.extent.seconds
    emails = register(suite)
    file = suite.folder / "emails"
    file.write_text("\n".join(emails) + "\n")
    pgbench = bench.pgbench
    bench.settle("auth")
    ours, alone = bench.turns(lambda: log_ins(bench, file), lambda: hashes(seconds))
    report.rates("log-ins, 16 connections", "argon2id alone", ours, alone)
    ours, peer = bench.turns(lambda: refreshes(bench, emails), lambda: pgbench.round(seconds))
    report.rates("refreshes, 64 connections", PGBENCH, ours, peer)
    # The log comes before it, on the same output.
    told = json.loads(suite.command("auth", "measure-tokens").splitlines()[-1])
    report.add("check of a token seen before / 5 us", told["cachedMicroseconds"], 5, "us")
    report.add("check of a new token / 150 us", told["newMicroseconds"], 150, "us")
    say("  log-ins and refreshes: the database agrees with the answers")
