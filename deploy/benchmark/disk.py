"""The disk that a transfer takes, tables and indexes, whatever they are called."""

from benchmark.bench import Bench
from benchmark.books import Books
from benchmark.rounds import Run, say
from benchmark.transfers import Posting, between_own, posting_round, to_others
from suite.suite import Suite

KILOBYTES_MAX = 2.0
#: Of one run of the load.
SECONDS = 10

#: Everything that the service keeps: with indexes, TOAST and maps; a partitioned one by its parts.
SIZES = """
select relname, pg_total_relation_size(pg_class.oid)
from pg_class join pg_namespace on pg_namespace.oid = relnamespace
where nspname = 'ledger' and relkind in ('r', 'm')
order by relname
"""


def sizes(suite: Suite) -> dict[str, int]:
    """Bytes of each table after a checkpoint."""
    suite.postgres.psql("-c", "checkpoint")
    rows = (line.split("|") for line in Books(suite).session.rows(SIZES))
    return {name: int(size) for name, size in rows}


def measure_growth(bench: Bench, posting: Posting, name: str) -> None:
    """By how much all tables of the ledger grow while so many transfers are made."""
    bench.settle()
    before, runs = sizes(bench.suite), list[Run]()
    while (stored := sum(run.requests for run in runs)) < bench.extent.transfers_stored:
        runs.append(posting_round(bench, posting, 64, SECONDS))
    after = sizes(bench.suite)
    grown = {table: size - before.get(table, 0) for table, size in after.items()}
    say(f"  {stored} transfers; bytes of each by table:")
    for table, size in sorted(grown.items(), key=lambda item: -item[1]):
        if size:
            say(f"    {table:28} {size / stored:8.0f}")
    kilobytes = sum(grown.values()) / stored / 1000
    bench.report.add(f"disk that {name} takes / bound", kilobytes, KILOBYTES_MAX, "KB")


def measure_disk(bench: Bench) -> None:
    measure_growth(bench, between_own(bench), "a transfer")
    measure_growth(bench, to_others(bench), "a transfer to others")
