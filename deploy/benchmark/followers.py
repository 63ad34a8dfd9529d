"""Whether what works behind the writes has caught up: sealing, search, relay, consumers.

Each question is answered from an index, as it is asked twenty times a second while they work.
"""

import time
from collections.abc import Callable

from benchmark.books import Books
from suite.suite import Suite

ASKED_EVERY_SECONDS = 0.05
SECONDS_MAX = 300.0

SEALED = """
select not exists (
    select from ledger.entry where place >= coalesce(
        (select number_below from ledger.chain_block order by height desc limit 1), 0)
)
"""

SEARCHABLE = """
select not exists (
    select from ledger.entry
    where place > (select mark from ledger.search_state)
)
"""

RELAYED = """
select coalesce((select max(id) from ledger.outbox), 0)
        <= coalesce((select max(mark) from ledger.relay_state), 0)
    and coalesce((select max(place) from ledger.entry), 0)
        <= coalesce((select max(journal_mark) from ledger.relay_state), 0)
"""

NEWEST = "select coalesce(max(place), 0) from ledger.entry"


def is_sealed(suite: Suite) -> bool:
    """Whether the journal is sealed, and its words are found."""
    books = Books(suite)
    return books.is_true(SEALED) and books.is_true(SEARCHABLE)


def has_applied(suite: Suite, service: str, place: int) -> Callable[[], bool]:
    """Whether a consumer of postings is as far as a place of the journal."""
    reached = (
        f"select coalesce((select mark from {service}.journal_mark where producer = 'ledger'), 0) "
        f">= {place}"
    )
    return lambda: Books(suite, service).is_true(reached)


def caught_up(suite: Suite) -> float:
    """Waits until all have, and tells how long that took.

    The relay notes its place once a second: so much it may be too long.
    """
    begin = time.monotonic()

    def wait(condition: Callable[[], bool], who: str) -> None:
        while not condition():
            if time.monotonic() - begin > SECONDS_MAX:
                raise RuntimeError(f"{who} has not caught up within {SECONDS_MAX:.0f} s")
            time.sleep(ASKED_EVERY_SECONDS)

    wait(lambda: Books(suite).is_true(RELAYED), "the relay")
    newest = int(Books(suite).session.rows(NEWEST)[0])
    for service in ("analytics", "notifications"):
        wait(has_applied(suite, service, newest), service)
    wait(lambda: is_sealed(suite), "sealing or search")
    return time.monotonic() - begin
