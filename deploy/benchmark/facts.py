"""People and what they book, told to analytics alone: by the stream, as auth and the ledger tell.

No other follower of the journal may run, and the ledger may book nothing meanwhile: what is told
here takes the places behind its newest.
"""

import datetime
import json
import random
import time
import uuid
from dataclasses import dataclass, field

from benchmark.books import Books
from benchmark.broker import Broker
from benchmark.followers import NEWEST
from suite.suite import Suite, wait_until

#: As a relay packs them at most.
ROWS = 512
#: So many may wait to be applied: the broker keeps what is young.
AHEAD_MAX = 100_000
BEGIN, DAYS = datetime.date(2023, 1, 1), 731
DIVISIONS = [f"{number:02d}" for number in range(1, 13)]
AREAS = ["IT-RM", "IT-MI", "FR-75", "DE-BE", "ES-M", "IT-NA", "FR-13", "DE-HH"]
#: Spaces of ids, so that nobody has one of the suite's own.
PEOPLE, ACCOUNTS, CATEGORIES, TRANSACTIONS = (number << 96 for number in range(0xB1, 0xB5))


def name_of(space: int, number: int) -> str:
    """The nth id of a space, of the form of all ids."""
    return str(uuid.UUID(int=space | 7 << 76 | 2 << 62 | number))


@dataclass(frozen=True)
class Who:
    """In whose name is booked."""

    user: str
    account: str
    categories: list[str]


def person(number: int) -> Who:
    """The nth of the crowd."""
    names = [name_of(CATEGORIES, number * 16 + place) for place in range(len(DIVISIONS))]
    return Who(name_of(PEOPLE, number), name_of(ACCOUNTS, number), names)


@dataclass
class Teller:
    """Tells analytics, and knows how far it is."""

    suite: Suite
    seed: int = 2026
    place: int = 0
    told: int = 0
    chance: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.broker = Broker(self.suite)
        self.analytics = Books(self.suite, "analytics")
        self.place = Books(self.suite).number(NEWEST)
        self.chance = random.Random(f"facts {self.seed}")

    def people(self, count: int) -> None:
        """Registers a crowd, evenly over areas and ages."""
        before = self.analytics.number("select count(*) from analytics.person")
        now = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
        for number in range(count):
            user = name_of(PEOPLE, number)
            born = datetime.date(1940 + number // len(AREAS) % 68, 1 + number % 12, 15)
            body = {
                "userId": user, "username": f"crowd{number}", "email": f"c{number}@example.org",
                "dateOfBirth": str(born), "area": AREAS[number % len(AREAS)], "language": "en",
                "timeZone": "UTC", "currency": "EUR", "registeredAt": now, "roles": ["user"],
            }  # fmt: skip
            self.publish(
                "auth", f"auth.user.{user}", "user.registered", f"user:{user}", 1, body, now
            )
        self.broker.settle()
        everybody = f"select count(*) >= {before + count} from analytics.person"
        wait_until(lambda: self.analytics.is_true(everybody), 900, "people are not taken up")

    def publish(
        self, service: str, subject: str, kind: str, aggregate: str, sequence: int, body: dict,
        now: str,
    ) -> None:  # fmt: skip
        """One event, alone in its message."""
        name = str(uuid.uuid4())
        envelope = {
            "specversion": "1.0", "id": name, "source": f"/ezwallet/{service}", "type": kind,
            "time": now, "datacontenttype": "application/json", "aggregate": aggregate,
            "sequence": sequence, "data": body,
        }  # fmt: skip
        text = json.dumps(envelope, separators=(",", ":")).encode()
        self.broker.publish(f"ezwallet.{subject}", name, text)

    def book(self, rows: list[tuple[Who, int, int]]) -> None:
        """One message: whose, how many days after the beginning, which division."""
        first, count = self.place + 1, len(rows)
        last = self.place = self.place + count
        now = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
        names = [name_of(TRANSACTIONS, number) for number in range(first, last + 1)]
        body = {
            "coversFrom": [first], "coversThrough": [last], "place": list(range(first, last + 1)),
            "entryId": names, "transactionId": names, "version": [1] * count,
            "kind": ["posted"] * count, "userId": [who.user for who, _, _ in rows],
            "accountId": [who.account for who, _, _ in rows], "accountKind": ["wallet"] * count,
            "amount": [-self.chance.randrange(100, 20_000) for _ in rows],
            "currency": ["EUR"] * count,
            "day": [str(BEGIN + datetime.timedelta(day)) for _, day, _ in rows],
            "categoryId": [who.categories[division] for who, _, division in rows],
            "coicop": [DIVISIONS[division] for _, _, division in rows],
            "ownTransfer": [False] * count, "recordedAt": [now] * count,
        }  # fmt: skip
        self.publish(
            "ledger", "journal.ledger", "wallet.postings.v1", "journal:ledger", last, body, now
        )
        self.told += count

    def crowd(self, people: int, count: int, days: range = range(DAYS)) -> None:
        """So many bookings of so many people, by random, day after day."""
        chance, whos = self.chance, [person(number) for number in range(people)]
        divisions = range(len(DIVISIONS))
        for begin in range(0, count, ROWS):
            self.book(
                [
                    (chance.choice(whos), days[at * len(days) // count], chance.choice(divisions))
                    for at in range(begin, min(begin + ROWS, count))
                ]
            )
            while self.place - self.mark() > AHEAD_MAX:
                time.sleep(0.05)
        self.caught_up()

    def one(self, who: Who, count: int) -> None:
        """So many bookings of one person over the same days."""
        for begin in range(0, count, ROWS):
            numbers = range(begin, min(begin + ROWS, count))
            self.book([(who, at * DAYS // count, at % len(DIVISIONS)) for at in numbers])
        self.caught_up()

    def mark(self) -> int:
        """The place up to which everything is applied."""
        return self.analytics.number(
            "select coalesce((select mark from analytics.journal_mark "
            "where producer = 'ledger'), 0)"
        )

    def caught_up(self, seconds: float = 300) -> None:
        """Returns once all of it is applied."""
        self.broker.settle()
        wait_until(lambda: self.mark() >= self.place, seconds, "analytics has not caught up")
