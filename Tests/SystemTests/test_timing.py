"""Known and unknown users are answered alike, and after the same time."""

import itertools
import random
import statistics
import uuid
from collections.abc import Callable, Iterator

import pytest

from client import Person
from suite.suite import Suite
from timing import ask

NEEDS = ["gateway", "auth", "notifications"]
pytestmark = pytest.mark.alone

#: Pairs of a known and an unknown user, asked for in turns.
PAIRS = 60
#: Below this a difference is no more than noise shows anyway.
SHARE_MAX = 0.05
#: Standard deviations of the sign test; by chance beyond it once in 15,000 runs.
DEVIATIONS_MAX = 4.0


def addresses() -> Iterator[str]:
    """Loopback addresses of our own: a few attempts each, so that none is slowed down."""
    for third, fourth in itertools.product(range(1, 255), repeat=2):
        for _ in range(4):
            yield f"127.{third}.{fourth}.{uuid.uuid4().int % 250 + 2}"


def shape(answer: object) -> object:
    """What an answer is made of, without its values."""
    if isinstance(answer, dict):
        return {key: shape(item) for key, item in answer.items()}
    if isinstance(answer, list):
        return [shape(answer[0])] if answer else []
    return type(answer).__name__


def log_in(identifier: str) -> dict[str, str]:
    return {"identifier": identifier, "password": "wrong-horse-battery-9"}


def recovery(identifier: str) -> dict[str, str]:
    return {"email": identifier}


def passkey_options(identifier: str) -> dict[str, str]:
    return {"identifier": identifier}


@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/v1/sessions", log_in, 401),
        ("/v1/password-recoveries", recovery, 202),
        ("/v1/sessions/passkey-options", passkey_options, 201),
    ],
    ids=["log-in", "recovery", "passkey-options"],
)
def test_known_and_unknown_users_are_answered_alike_and_as_soon(
    suite: Suite, path: str, body: Callable[[str], dict[str, str]], status: int
) -> None:
    seed = random.randrange(10**9)
    chance = random.Random(seed)
    people = [Person(suite).email for _ in range(PAIRS)]
    source = addresses()
    times: dict[bool, list[float]] = {True: [], False: []}
    shapes = []
    for email in people:
        stranger = f"p{uuid.uuid4().hex[:12]}@example.org"
        turns = [(True, email), (False, stranger)]
        # By chance: with any other order something that repeats falls in, replicas or counters.
        chance.shuffle(turns)
        for is_known, identifier in turns:
            seconds, told, answer = ask(suite, next(source), path, body(identifier))
            assert told == status, answer
            times[is_known].append(seconds)
            shapes.append(shape(answer))
    assert all(one == shapes[0] for one in shapes)
    later = sum(known > unknown for known, unknown in zip(times[True], times[False], strict=True))
    deviations = abs(later - PAIRS / 2) / (PAIRS**0.5 / 2)
    known, unknown = statistics.median(times[True]), statistics.median(times[False])
    share = abs(known - unknown) / min(known, unknown)
    assert deviations < DEVIATIONS_MAX or share < SHARE_MAX, (
        f"known {known * 1e3:.2f} ms, unknown {unknown * 1e3:.2f} ms, known later {later} times "
        f"of {PAIRS}, seed {seed}"
    )
