"""Taking turns, medians, and the lines that are printed."""

import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

#: Rounds that count; `--quick` makes it one.
ROUNDS = 5


@dataclass(frozen=True)
class Run:
    """One round: how many requests a second, and what they cost."""

    rate: float
    requests: int
    #: Of the processor, by kind of process; of the followers until they had caught up, too.
    seconds: dict[str, float] = field(default_factory=dict)
    #: Of the whole machine, neighbours included.
    machine: float = 0.0
    p99: float = 0.0
    #: How long the followers had to work on after the load's end.
    behind: float | None = None

    def microseconds(self, kind: str) -> float:
        """The processor time that one kind of process took for a request."""
        return self.seconds.get(kind, 0.0) / self.requests * 1e6

    @property
    def cost(self) -> float:
        """The processor time of a request, in us."""
        return sum(map(self.microseconds, self.seconds))


@dataclass(frozen=True)
class Line:
    """One figure beside its peer's; `ratio` is ours over the peer's."""

    name: str
    ours: float
    #: Absent where the peer has nothing of the kind.
    peer: float | None
    ratio: float | None
    unit: str


class Report:
    """Prints each line as soon as it is known."""

    def __init__(self, as_json: bool, verbose: bool = False):
        self.as_json, self.verbose = as_json, verbose
        if not as_json:
            print(f"{'':80} {'ours':>12} {'peer':>12} {'ratio':>7}")

    def add(self, name: str, ours: float, peer: float | None, unit: str) -> None:
        line = Line(
            name, round(ours, 3), round(peer, 3) if peer else None,
            round(ours / peer, 3) if peer else None, unit,
        )  # fmt: skip
        if self.as_json:
            print(json.dumps(asdict(line), ensure_ascii=False), flush=True)
        else:
            peers = f"{line.peer:12,.1f} {line.ratio:7.2f}" if peer else " " * 20
            print(f"{line.name:80} {line.ours:12,.1f} {peers}  {unit}", flush=True)

    def rates(
        self, name: str, peer_name: str, ours: list[Run], peer: list[Run], unit: str = "per second"
    ) -> None:
        """A rate, the processor time of a request, and how far behind the followers were."""

        def medians(of: Callable[[Run], float]) -> tuple[float, float]:
            return (
                statistics.median(map(of, ours)),
                statistics.median(map(of, peer)),
            )

        full = f"{name} / {peer_name}"
        self.add(full, *medians(lambda run: run.rate), unit)
        self.add(f"{full}, processor", *medians(lambda run: run.cost), "µs")
        if self.verbose:
            kinds = {kind for run in [*ours, *peer] for kind in run.seconds}
            for kind in sorted(kinds):
                told = medians(lambda run, kind=kind: run.microseconds(kind))
                if any(round(one, 1) for one in told):
                    self.add(f"{name}: {kind}", *told, "µs")
            told = medians(lambda run: run.machine / run.requests * 1e6)
            self.add(f"{name}: the machine, neighbours too", *told, "µs")
        behind = [run.behind for run in ours if run.behind is not None]
        if behind:
            self.add(f"{name}: followers caught up after", statistics.median(behind), None, "s")


def say(text: str) -> None:
    """Progress and remarks, apart from the figures."""
    print(text, file=sys.stderr, flush=True)


def turns(*measures: Callable[[], Any], rounds: int = ROUNDS) -> list[list[Any]]:
    """What each found, all measured in turns, after one turn that does not count."""
    found: list[list[Any]] = [[] for _ in measures]
    for turn in range(rounds + 1):
        for results, measure in zip(found, measures, strict=True):
            result = measure()
            if turn > 0:
                results.append(result)
    return found


def medians(*measures: Callable[[], float], rounds: int = ROUNDS) -> list[float]:
    """The median of each."""
    return [statistics.median(results) for results in turns(*measures, rounds=rounds)]
