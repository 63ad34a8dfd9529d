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

from benchmark.load import wrk
from benchmark.people import PASSWORD, Connection, shared_out
from benchmark.pgbench import pgbench_of
from benchmark.rounds import Report, medians, say
from suite.suite import Suite

PEOPLE = 200
LOG_IN_CONNECTIONS = 16
REFRESH_CONNECTIONS = 64
#: Of libargon2's argon2id, as auth hashes: passes, KiB, lanes.
PASSES, KIBIBYTES, LANES = 2, 19 * 1024, 1


def hashes(seconds: int) -> float:
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

    begin, cores = time.monotonic(), os.cpu_count() or 1
    # The library is called without the interpreter's lock.
    with ThreadPoolExecutor(cores) as pool:
        return sum(pool.map(work, range(cores))) / (time.monotonic() - begin)


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


def count(suite: Suite, query: str) -> int:
    return int(suite.postgres.psql("-c", query, database="ezwallet_auth"))


def checked(said: str, made: int, connections: int) -> None:
    """Holds the database against the answers; what was in flight at the end may count or not."""
    created, refused = (
        int(re.search(rf"{word}: (\d+)", said).group(1)) for word in ("Created", "Refused")
    )
    if refused or not created <= made <= created + connections:
        raise RuntimeError(f"{created} answered, {refused} refused, {made} made")


def log_ins(suite: Suite, emails: Path, seconds: int) -> float:
    """One run of wrk over everybody."""
    query = "select count(*) from auth.session"
    before = count(suite, query)
    os.environ |= {"EMAILS": str(emails), "PASSWORD": PASSWORD}
    script = Path(__file__).parent / "log_ins.lua"
    rate, said = wrk(
        suite.address + "/v1/sessions", LOG_IN_CONNECTIONS, seconds, 2, "-s", str(script)
    )
    time.sleep(1.0)
    checked(said, count(suite, query) - before, LOG_IN_CONNECTIONS)
    return rate


def refreshes(suite: Suite, emails: list[str], seconds: int) -> float:
    """One run of wrk: each answer's token is presented next."""
    tokens = suite.folder / "tokens"
    tokens.write_text("\n".join(refresh_tokens(suite, emails)) + "\n")
    query = "select coalesce(sum(refresh_number), 0) from auth.session"
    before = count(suite, query)
    os.environ["TOKENS"] = str(tokens)
    script = Path(__file__).parent / "refreshes.lua"
    rate, said = wrk(
        suite.address + "/v1/sessions/refresh", REFRESH_CONNECTIONS, seconds, 2, "-s", str(script)
    )
    time.sleep(1.0)
    checked(said, count(suite, query) - before, REFRESH_CONNECTIONS)
    return rate


def measure_identity(suite: Suite, report: Report, seconds: int) -> None:
    """Log-ins, refreshes and tokens, each beside its measure."""
    emails = register(suite)
    file = suite.folder / "emails"
    file.write_text("\n".join(emails) + "\n")
    pgbench = pgbench_of(suite)
    suite.postgres.psql("-c", "analyze", database="ezwallet_auth")
    suite.postgres.psql("-c", "checkpoint")
    ours, alone = medians(lambda: log_ins(suite, file, seconds), lambda: hashes(seconds))
    report.add("log-ins, 16 connections / argon2id alone", ours, alone, "per second")
    ours, peer = medians(lambda: refreshes(suite, emails, seconds), lambda: pgbench.tps(seconds))
    report.add("refreshes, 64 connections / pgbench -c 16 -s 50", ours, peer, "per second")
    # The log comes before it, on the same output.
    told = json.loads(suite.command("auth", "measure-tokens").splitlines()[-1])
    report.add("check of a token seen before / 5 us", told["cachedMicroseconds"], 5, "us")
    report.add("check of a new token / 150 us", told["newMicroseconds"], 150, "us")
    say("  log-ins and refreshes: the database agrees with the answers")
