"""Whether what works behind the writes has caught up: sealing, search, relay, consumers.

Each question is answered from an index, as it is asked twenty times a second while they work.
"""

import time
from collections.abc import Callable

from benchmark.books import Books
from suite.suite import Suite

ASKED_EVERY_SECONDS = 0.05
SECONDS_MAX = 300.0
#: Of the events told last so many are looked for where they go: others came before them.
LAST_EVENTS = 2_000

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
"""

#: Of each account the last that it has told.
TOLD = f"""
select aggregate, max(sequence)
from (select * from ledger.outbox order by id desc limit {LAST_EVENTS}) as last
where aggregate like 'account:%'
group by aggregate
"""

#: Of money that came from others its payee is told.
RECEIVED = f"""
select 'event:' || event_id, 0
from (select * from ledger.outbox order by id desc limit {LAST_EVENTS}) as last
where type = 'wallet.transaction.posted.v1' and payload->>'transferId' is not null
    and payload->>'ownTransfer' = 'false' and payload->'amount'->>'amount' not like '-%'
"""


def is_sealed(suite: Suite) -> bool:
    """Whether the journal is sealed, and its words are found."""
    books = Books(suite)
    return books.is_true(SEALED) and books.is_true(SEARCHABLE)


def has_applied(suite: Suite, service: str, told: str) -> Callable[[], bool]:
    """Whether a consumer is where the last events are, as soon as those are all told."""
    rows = [line.split("|") for line in Books(suite).session.rows(told)]
    if not rows:
        return lambda: True
    wanted = ", ".join(f"('{aggregate}', {sequence})" for aggregate, sequence in rows)
    behind = (
        f"select not exists (select from (values {wanted}) as told (aggregate, sequence) "
        f"where not exists (select from {service}.inbox where producer = 'ledger' "
        "and inbox.aggregate = told.aggregate and inbox.sequence >= told.sequence))"
    )
    return lambda: Books(suite, service).is_true(behind)


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
    for service, told in (("analytics", TOLD), ("notifications", RECEIVED)):
        wait(has_applied(suite, service, told), service)
    wait(lambda: is_sealed(suite), "sealing or search")
    return time.monotonic() - begin
