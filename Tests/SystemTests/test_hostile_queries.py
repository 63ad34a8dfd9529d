"""Whatever is asked for, of each call that has a query: an answer or a refusal that names what is
wrong, soon, and no process ends by it."""

import random
import time
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from client import Api
from conftest import make_admin
from suite.executables import EXECUTABLES
from suite.suite import Suite
from things import Things

NEEDS = EXECUTABLES
SECONDS_MAX = 5.0
#: What no parameter expects; `{}` is a value that it takes.
HOSTILE = [
    "", "%00", "%ff%fe", "%ed%a0%80", "%F0%9F%92%B6" * 200, "%E2%80%AE{}", "%20{}",
    "{}%0d%0aX:%20y",
    "' or 1=1 --", "{{}}[](*.$^\\", "-1", "9223372036854775808", "1e400", "NaN", "0x10", "true",
    "0001-01-01", "9999-12-31", "2024-02-30", "10000-01-01", "0000-00", "9999-12", "-0001-01",
    "00000000-0000-0000-0000-000000000000", "a" * 6_000, ",".join("{}" for _ in range(600)),
    ",".join(f"v{number}" for number in range(1_200)), "," * 3_000, "..%2f..%2fetc%2fpasswd",
]  # fmt: skip


@pytest.fixture(scope="module")
def things(suite: Suite) -> Things:
    return Things(suite)


def questions(api: Api, things: Things) -> Iterator[tuple[str, list[dict]]]:
    """Each call that only reads and has a query, where there is something, and its parameters."""
    for path, operations in api.get("/openapi.json")["paths"].items():
        operation = operations.get("get", {})
        told = [one for one in operation.get("parameters", []) if one["in"] == "query"]
        if told and operation["operationId"] not in STREAMS:
            place = things.places.get(things.root(path) or "", {})
            if "{" not in path or place:
                yield path.format(**place), told


#: What has no end.
STREAMS = {"watchNotifications"}


def sample(parameter: dict) -> str:
    """A value that it takes."""
    schema = parameter["schema"]
    schema = schema.get("items", schema)
    return str(schema.get("enum", schema.get("examples", ["EUR"]))[0])


def asked(told: list[dict], seed: int) -> Iterator[str]:
    """Each value in a parameter, all parameters hostile at once, and one named again and again."""
    rng = random.Random(seed)
    for parameter in told:
        good = quote(sample(parameter))
        for value in rng.sample(HOSTILE, 3):
            yield f"{parameter['name']}={value.replace('{}', good)}"
        yield "&".join([f"{parameter['name']}={good}"] * 400)
    for _ in range(3):
        yield "&".join(f"{one['name']}={rng.choice(HOSTILE)}" for one in told)[:7_000]


def test_every_query_is_answered_or_refused(suite: Suite, visitor: Api, things: Things) -> None:
    before = {program.name: suite.pid(program.name) for program in suite.programs}
    officer, admin = make_admin(suite, "coo"), make_admin(suite, "admin")
    seed = random.randrange(1 << 32)
    wrong, tried = [], 0
    for path, told in questions(visitor, things):
        one = officer if "/insights" in path else admin if "/admin" in path else things.ada
        for query in asked(told, seed):
            begin = time.monotonic()
            answer = one.send("GET", f"{path}?{query}")
            took = time.monotonic() - begin
            refusal = answer.headers.get("content-type", "").startswith("application/problem+json")
            is_wrong = answer.status_code >= 500 or (answer.status_code >= 400) != refusal
            if is_wrong or took > SECONDS_MAX:
                wrong.append((path, query[:200], answer.status_code, took, answer.text[:300]))
            tried += 1
    assert not wrong, f"seed {seed}: {len(wrong)} of {tried}\n" + "\n".join(map(str, wrong[:20]))
    assert tried > 1_000, tried
    assert {program.name: suite.pid(program.name) for program in suite.programs} == before
