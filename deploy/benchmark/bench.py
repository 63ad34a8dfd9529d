"""What every part is given: the suite, the report, and how much of everything."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from benchmark import rounds
from benchmark.people import Person, make
from benchmark.pgbench import Pgbench
from benchmark.processors import Meter
from benchmark.rounds import Report
from suite.suite import Suite


@dataclass(frozen=True)
class Extent:
    """How much is measured."""

    rounds: int = rounds.ROUNDS
    seconds: int = 5
    people: int = 125
    accounts_each: int = 800
    transfers_stored: int = 200_000
    facts: int = 10_000_000
    fact_people: int = 100_000


#: For whoever works on one figure: less of everything, so ratios are not those of the whole.
QUICK = Extent(
    rounds=1, seconds=2, people=30, accounts_each=300, transfers_stored=10_000,
    facts=700_000, fact_people=5_000,
)  # fmt: skip


@dataclass
class Bench:
    """Shared by the parts, which run one after the other."""

    suite: Suite
    report: Report
    extent: Extent

    @cached_property
    def people(self) -> list[Person]:
        """Many, with many funded accounts each; made when first asked for."""
        return asyncio.run(make(self.suite, self.extent.people, self.extent.accounts_each))

    @cached_property
    def pgbench(self) -> Pgbench:
        """The peer of whatever commits, whose tables are filled once."""
        return Pgbench(self.suite)

    def meter(self) -> Meter:
        """A fresh one."""
        return Meter(self.suite)

    def turns(self, *measures: Callable[[], Any]) -> list[list[Any]]:
        return rounds.turns(*measures, rounds=self.extent.rounds)

    def medians(self, *measures: Callable[[], float]) -> list[float]:
        return rounds.medians(*measures, rounds=self.extent.rounds)

    def settle(self, service: str = "ledger") -> None:
        """Statistics of what was made for the measurement, and no page left to write."""
        self.suite.postgres.psql("-c", "analyze", database=f"ezwallet_{service}")
        self.suite.postgres.psql("-c", "checkpoint")
