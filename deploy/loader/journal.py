"""Journal rows in the form in which the posting function writes them, by COPY."""

import hashlib
import io
import random
import subprocess
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from loader.rates import Rates
from loader.story import Account, Record, Transfer

COPIES = {
    "loaded":
        "id, kind, actor_id, day, recorded_at, debit_account, credit_account, currency, amount, "
        "debit_seq, credit_seq, transactions, versions",
    "ledger.further_movement":
        "entry_id, number, debit_account, credit_account, currency, amount, debit_seq, credit_seq",
    "ledger.transfer_terms":
        "id, from_account, to_account, from_transaction, to_transaction, debit_amount, "
        "credit_amount, quote_id, reference, rate_numerator, rate_denominator, rate_day, "
        "rate_source, salt, reference_hash",
    "ledger.money_transaction":
        "id, version, entry_id, money_entry_id, account_id, user_id, amount, seq, day, "
        "category_id, coicop, name, description, transfer_id, own_transfer, recorded_at, is_split, "
        "tags, latitude, longitude, place, salt, words_hash",
    "ledger.transaction_line":
        "transaction_id, version, place, user_id, day, category_id, coicop, amount",
    "ledger.transaction_tag": "user_id, tag, day, transaction_id",
    "moved": "account_id, amount, movements",
}  # fmt: skip

#: What stands at each end of a run of rows; a balance follows in the same transaction.
PREPARE = """
create temporary table moved (account_id uuid, amount bigint, movements bigint);
create temporary table loaded as select * from ledger.entry limit 0;
set synchronous_commit = off;
"""
#: An entry comes last, for its leaf covers what it made: the expression is that of the posting
#: function (0006_posting/11_write.sql).
SETTLE = """
analyze loaded;
insert into ledger.entry (id, kind, actor_id, day, recorded_at, debit_account, credit_account,
    currency, amount, debit_seq, credit_seq, transactions, versions, leaf)
select e.id, e.kind, e.actor_id, e.day, e.recorded_at, e.debit_account, e.credit_account,
    e.currency, e.amount, e.debit_seq, e.credit_seq, e.transactions, e.versions,
    sha256(record_send(row(
        e.id, e.kind, e.actor_id, e.day, e.recorded_at, e.reverses, e.debit_account,
        e.credit_account, e.currency, e.amount, e.debit_seq, e.credit_seq, e.transactions,
        e.versions, (
            select string_agg(record_send(row(
                m.number, m.debit_account, m.credit_account, m.currency, m.amount,
                m.debit_seq, m.credit_seq)), '' order by m.number)
            from ledger.further_movement as m where m.entry_id = e.id), (
            select string_agg(record_send(row(
                t.entry_id, t.money_entry_id, t.account_id, t.user_id, t.amount, t.seq, t.day,
                t.category_id, t.coicop, t.transfer_id, t.own_transfer, t.import_id,
                t.recorded_at, t.is_split, t.recurrence_id, t.words_hash,
                case when t.is_split then (
                    select string_agg(record_send(row(
                        l.place, l.user_id, l.day, l.category_id, l.coicop, l.amount)),
                        '' order by l.place)
                    from ledger.transaction_line as l
                    where l.transaction_id = t.id and l.version = t.version
                ) end)), '' order by named.place)
            from unnest(e.transactions, e.versions) with ordinality as named (id, version, place)
            join ledger.money_transaction as t on t.id = named.id and t.version = named.version), (
            select record_send(row(
                f.from_account, f.to_account, f.from_transaction, f.to_transaction,
                f.debit_amount, f.credit_amount, f.quote_id, f.rate_numerator,
                f.rate_denominator, f.rate_day, f.rate_source, f.reference_hash, f.expires_at))
            from ledger.transfer_terms as f where f.id = e.id),
        null::uuid)))
from loaded as e order by e.recorded_at;
update ledger.balance as b set amount = b.amount + m.amount, sequence = b.sequence + m.movements
from moved as m where m.account_id = b.account_id;
truncate moved, loaded;
commit;
"""


def null(value: object) -> str:
    """A column of COPY's text form; no text of ours holds what would need an escape."""
    return "\\N" if value is None else str(value)


def account_id(account: object) -> object:
    """That of a person's account; a system account is given by it."""
    return account.id if isinstance(account, Account) else account


def words(*values: str | None) -> str:
    """Each behind its length in bytes."""
    return "".join("-" if value is None else f"{len(value.encode())}:{value}" for value in values)


@dataclass
class Counts:
    """What was written."""

    entries: int = 0
    movements: int = 0
    transactions: int = 0


class Journal:
    """Writes a story into a ledger's database, some thousand entries a transaction."""

    #: Entries of one transaction, and so of a block of the chain at most.
    RUN = 4000

    def __init__(
        self, psql: subprocess.Popen, systems: dict[tuple[str, str], str], rates: Rates, seed: int
    ):
        self.pipe = io.TextIOWrapper(psql.stdin, encoding="utf-8", newline="\n")
        self.systems, self.rates = systems, rates
        # Ids are reproducible but for their time.
        self.chance = random.Random(f"ids {seed}")
        self.counts = Counts()
        self.pipe.write(PREPARE)
        self.begin()

    def begin(self) -> None:
        self.rows: dict[str, list[str]] = {table: [] for table in COPIES}
        self.moved: dict[str, list[int]] = {}
        self.micros = time.time_ns() // 1000
        self.stamp()

    def stamp(self) -> None:
        """The moment of the entries to come."""
        self.micros += 1
        seconds, rest = divmod(self.micros, 1_000_000)
        self.moment = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds)) + f".{rest:06d}+00"

    def id(self) -> str:
        """A UUIDv7 of now."""
        bits = self.micros // 1000 << 80 | 7 << 76 | self.chance.getrandbits(12) << 64
        text = f"{bits | 2 << 62 | self.chance.getrandbits(62):032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def salt(self) -> uuid.UUID:
        """A random UUID."""
        return uuid.UUID(int=self.chance.getrandbits(128), version=4)

    def write(self, story: Iterable[object]) -> Counts:
        """Writes all of it."""
        for step in story:
            if isinstance(step, Record):
                self.record(step)
            else:
                self.transfer(step)
            self.counts.entries += 1
            if len(self.rows["loaded"]) >= self.RUN:
                self.flush()
                self.begin()
        self.flush()
        self.pipe.close()
        return self.counts

    def flush(self) -> None:
        """Sends a transaction."""
        self.rows["moved"] = [
            f"{account}\t{amount}\t{movements}"
            for account, (amount, movements) in self.moved.items()
        ]
        self.pipe.write("begin;\n")
        for table, columns in COPIES.items():
            if rows := self.rows[table]:
                self.pipe.write(f"copy {table} ({columns}) from stdin;\n")
                self.pipe.write("\n".join(rows))
                self.pipe.write("\n\\.\n")
        self.pipe.write(SETTLE)
        self.pipe.flush()

    def entry(
        self, kind: str, actor: str, day: object, transactions: list[str],
        entry: str, move: tuple[object, object, str, int],
    ) -> tuple[object, object]:  # fmt: skip
        """An entry with its first movement; where that stands in the history of each account."""
        debit, credit, currency, amount = move
        debit_seq, credit_seq = self.move(debit, credit, amount)
        versions = ",".join("1" for _ in transactions)
        self.rows["loaded"].append(
            f"{entry}\t{kind}\t{actor}\t{day}\t{self.moment}\t{account_id(debit)}"
            f"\t{account_id(credit)}\t{currency}\t{amount}\t{null(debit_seq)}\t{null(credit_seq)}"
            f"\t{{{','.join(transactions)}}}\t{{{versions}}}"
        )
        return debit_seq, credit_seq

    def move(self, source: object, target: object, amount: int) -> tuple[object, object]:
        """Moves money; where that stands in each account's history, which a system one has not."""
        places: list[object] = []
        for account, sign in ((source, -1), (target, 1)):
            if isinstance(account, Account):
                account.balance += sign * amount
                account.sequence += 1
                change = self.moved.setdefault(account.id, [0, 0])
                change[0] += sign * amount
                change[1] += 1
                places.append(account.sequence)
            else:
                places.append(None)
        self.counts.movements += 1
        return places[0], places[1]

    def record(self, step: Record) -> None:
        self.stamp()
        account, amount = step.account, step.amount
        transaction, entry = self.id(), self.id()
        outside = self.systems["outside", account.currency]
        sides = (outside, account) if amount > 0 else (account, outside)
        seqs = self.entry(
            "record", account.owner.user, step.day, [transaction], entry,
            (*sides, account.currency, abs(amount)),
        )  # fmt: skip
        self.transaction(entry, transaction, account, amount, seqs[amount > 0], step)

    def transfer(self, step: Transfer) -> None:
        self.stamp()
        source, target = step.source, step.target
        own = source.owner is target.owner
        ids = [self.id(), self.id()]
        transfer = self.id()
        rate = None
        credit = step.debit
        if source.currency == target.currency:
            counter = target
        else:
            rate = self.rates.rate(step.day, source, target)
            credit = (
                step.debit
                * rate.numerator
                * 10**target.exponent
                // (rate.denominator * 10**source.exponent)
            )
            counter = self.systems["position", source.currency]
        seqs = self.entry(
            "transfer", source.owner.user, step.day, ids, transfer,
            (source, counter, source.currency, step.debit),
        )  # fmt: skip
        if rate:
            position = self.systems["position", target.currency]
            second = self.move(position, target, credit)
            self.rows["ledger.further_movement"].append(
                f"{transfer}\t2\t{position}\t{target.id}\t{target.currency}\t{credit}\t\\N"
                f"\t{second[1]}"
            )
            seqs = (seqs[0], second[1])
        if rate or step.reference:
            self.terms(step, transfer, ids, credit, rate)
        for transaction, account, other, amount, seq in (
            (ids[0], source, target, -step.debit, seqs[0]),
            (ids[1], target, source, credit, seqs[1]),
        ):
            name = other.name if own else other.owner.name
            side = Record(
                account, amount, step.day,
                (account.owner.others, account.owner.others_coicop), name,
            )  # fmt: skip
            self.transaction(transfer, transaction, account, amount, seq, side, transfer, own)

    def terms(
        self, step: Transfer, transfer: str, ids: list[str], credit: int, rate: object
    ) -> None:
        """What a transfer has beside its entry."""
        salt = self.salt() if step.reference else None
        hashed = None
        if salt:
            text = words(step.reference) + "---0:"
            hashed = "\\\\x" + hashlib.sha256(salt.bytes + text.encode()).hexdigest()
        priced = (self.salt(), *rate) if rate else (None, None, None, None)
        self.rows["ledger.transfer_terms"].append(
            f"{transfer}\t{step.source.id}\t{step.target.id}\t{ids[0]}\t{ids[1]}\t{step.debit}"
            f"\t{credit}\t{null(priced[0])}\t{null(step.reference)}\t{null(priced[1])}"
            f"\t{null(priced[2])}\t{null(priced[3])}\t{null('ECB' if rate else None)}"
            f"\t{null(salt)}\t{null(hashed)}"
        )

    def transaction(
        self, entry: str, transaction: str, account: Account, amount: int, seq: object,
        step: Record, transfer: str | None = None, own: bool = False,
    ) -> None:  # fmt: skip
        """A transaction as its owner sees it."""
        salt = self.salt()
        place, latitude, longitude = step.place or (None, None, None)
        where = "-" if latitude is None else f"{latitude},{longitude}"
        text = words(step.name, step.description, place) + where
        text += f"{len(step.tags)}:" + "\n".join(step.tags)
        hashed = hashlib.sha256(salt.bytes + text.encode()).hexdigest()
        tags = ",".join(f'"{tag}"' for tag in step.tags)
        category, coicop = step.category
        user, day = account.owner.user, step.day
        self.rows["ledger.money_transaction"].append(
            f"{transaction}\t1\t{entry}\t{entry}\t{account.id}\t{user}\t{amount}\t{seq}\t{day}"
            f"\t{category}\t{null(coicop)}\t{null(step.name)}\t{null(step.description)}\t{null(transfer)}"
            f"\t{'t' if own else 'f'}\t{self.moment}\t{'t' if step.lines else 'f'}\t{{{tags}}}"
            f"\t{null(latitude)}\t{null(longitude)}\t{null(place)}\t{salt}\t\\\\x{hashed}"
        )
        for tag in step.tags:
            self.rows["ledger.transaction_tag"].append(
                f"{user}\t{tag.lower()}\t{day}\t{transaction}"
            )
        for number, ((part, part_coicop), share) in enumerate(step.lines, 1):
            self.rows["ledger.transaction_line"].append(
                f"{transaction}\t1\t{number}\t{user}\t{day}\t{part}\t{null(part_coicop)}\t{share}"
            )
        self.counts.transactions += 1
