"""Taking turns, medians, and the lines that are printed."""

import json
import statistics
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

ROUNDS = 5


@dataclass(frozen=True)
class Line:
    """One figure beside its peer's; `ratio` is ours over the peer's."""

    name: str
    ours: float
    peer: float
    ratio: float
    unit: str


class Report:
    """Prints each line as soon as it is known."""

    def __init__(self, as_json: bool):
        self.as_json = as_json
        if not as_json:
            print(f"{'':52} {'ours':>12} {'peer':>12} {'ratio':>7}")

    def add(self, name: str, ours: float, peer: float, unit: str) -> None:
        line = Line(name, round(ours, 3), round(peer, 3), round(ours / peer, 3), unit)
        if self.as_json:
            print(json.dumps(asdict(line)), flush=True)
        else:
            print(
                f"{line.name:52} {line.ours:12,.1f} {line.peer:12,.1f} {line.ratio:7.2f}  {unit}",
                flush=True,
            )


def say(text: str) -> None:
    """Progress and remarks, apart from the figures."""
    print(text, file=sys.stderr, flush=True)


def medians(*measures: Callable[[], float]) -> list[float]:
    """The median of each, all measured in turns, after one turn that does not count."""
    found: list[list[float]] = [[] for _ in measures]
    for turn in range(ROUNDS + 1):
        for results, measure in zip(found, measures, strict=True):
            result = measure()
            if turn > 0:
                results.append(result)
    return [statistics.median(results) for results in found]
