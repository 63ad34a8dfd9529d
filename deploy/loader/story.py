"""What people do with their money: who earns, pays, buys and sends what, day by day."""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

#: Name, division of COICOP, colour, symbol, type.
CATEGORIES = [
    ("Salary", None, 0x2E7D32, "work", "income"),
    ("Groceries", "01", 0x7CB342, "basket", "expense"),
    ("Housing", "04", 0x6D4C41, "home", "expense"),
    ("Transport", "07", 0x1E88E5, "bus", "expense"),
    ("Leisure", "09", 0x8E24AA, "film", "expense"),
    ("Eating out", "11", 0xFB8C00, "fork", "expense"),
    ("Health", "06", 0xE53935, "heart", "expense"),
    ("Clothes", "03", 0x00897B, "shirt", "expense"),
]
#: Category: weight, median in cents, spread, merchants.
PURCHASES = {
    "Groceries": (40, 3200, 0.6, ["Esselunga", "Rewe", "Lidl", "Carrefour", "Café & Brot"]),
    "Transport": (18, 900, 0.9, ["Trenitalia", "BVG", "Shell", "Taxi München"]),
    "Leisure": (12, 1800, 0.8, ["Cinema Lux", "Spotify", "Thalia", "Stadio"]),
    "Eating out": (20, 1500, 0.6, ["Da Luigi", "Döner am Eck", "寿司 一番", "Bäckerei Kurz"]),
    "Health": (5, 2400, 0.7, ["Apotheke am Markt", "Dr. Rossi"]),
    "Clothes": (5, 5500, 0.6, ["Zara", "C&A", "Second Hand Nord"]),
}
EMPLOYERS = ["Acme S.p.A.", "Stadtwerke", "Universität", "Rossi & Figli", "Klinikum Nord"]
TAGS = ["holiday", "work", "kids", "gift", "Überraschung", "sport"]
#: Millionths of a degree.
PLACES = [
    ("Milano", 45_464_200, 9_190_000), ("Berlin", 52_520_000, 13_405_000),
    ("Lisboa", 38_722_300, -9_139_300), ("München", 48_137_100, 11_575_400),
]  # fmt: skip


@dataclass
class Account:
    """An account as the loader keeps it, as of the last transaction."""

    id: str
    owner: Person
    kind: str
    currency: str
    exponent: int
    name: str
    balance: int = 0
    sequence: int = 0


@dataclass
class Person:
    """Somebody and what they have."""

    user: str
    name: str
    others: str = ""
    others_coicop: str | None = None
    categories: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    main: Account | None = None
    savings: Account | None = None
    abroad: Account | None = None
    cash: Account | None = None
    salary: int = 0
    rent: int = 0
    payday: int = 27
    employer: str = ""
    friends: list[Person] = field(default_factory=list)


@dataclass(frozen=True)
class Record:
    """Money from or to the outside world."""

    account: Account
    amount: int
    day: datetime.date
    category: tuple[str, str | None]
    name: str
    description: str | None = None
    tags: tuple[str, ...] = ()
    place: tuple[str, int, int] | None = None
    lines: tuple[tuple[tuple[str, str | None], int], ...] = ()


@dataclass(frozen=True)
class Transfer:
    """Money from an account to another one."""

    source: Account
    target: Account
    debit: int
    day: datetime.date
    reference: str | None = None


def settle(person: Person, chance: random.Random) -> None:
    """What a person earns and pays each month."""
    person.salary = round(chance.lognormvariate(7.8, 0.35)) * 100
    person.rent = round(person.salary * chance.uniform(0.2, 0.35))
    person.payday = chance.randint(24, 28)
    person.employer = chance.choice(EMPLOYERS)


def monthly(person: Person, day: datetime.date, chance: random.Random) -> Iterator[object]:
    """What comes on this day of each month."""
    main = person.main
    if day.day == person.payday:
        yield Record(main, person.salary, day, person.categories["Salary"], person.employer,
                     f"Salary {day:%Y-%m}")  # fmt: skip
    if day.day == 1 and main.balance >= person.rent:
        yield Record(main, -person.rent, day, person.categories["Housing"], "Landlord", "Rent")
    if day.day == 5 and main.balance >= 9000:
        yield Record(main, -chance.randint(4000, 9000), day, person.categories["Housing"],
                     "Stadtwerke", "Electricity")  # fmt: skip
    if day.day == person.payday and main.balance >= person.salary // 10:
        yield Transfer(main, person.savings, person.salary // 10, day, "Saving")
    if person.abroad and day.day == 15 and main.balance >= 20_000:
        yield Transfer(main, person.abroad, chance.randint(5_000, 20_000), day)


def purchase(person: Person, day: datetime.date, chance: random.Random) -> object:
    """Something that is bought, or money for a friend."""
    main = person.main
    if chance.random() < 0.03:
        amount = chance.randint(5, 80) * 100
        if main.balance >= amount:
            friend = chance.choice(person.friends)
            reference = chance.choice(["Dinner", "Thanks!", None])
            return Transfer(main, friend.main, amount, day, reference)
    name = chance.choices(list(PURCHASES), [row[0] for row in PURCHASES.values()])[0]
    _, median, spread, merchants = PURCHASES[name]
    amount = max(50, round(median * chance.lognormvariate(0, spread)))
    account = person.cash if chance.random() < 0.15 or main.balance < amount else main
    if person.abroad and person.abroad.balance >= amount and chance.random() < 0.05:
        account = person.abroad
    category = person.categories[name]
    lines: tuple = ()
    if chance.random() < 0.03:
        part = amount // 3
        lines = ((category, part - amount), (person.categories["Leisure"], -part))
        if category == person.categories["Leisure"]:
            lines = ()
    return Record(
        account, -amount, day, category, chance.choice(merchants),
        "by card" if chance.random() < 0.1 else None,
        tuple(chance.sample(TAGS, chance.randint(1, 2))) if chance.random() < 0.15 else (),
        chance.choice(PLACES) if chance.random() < 0.1 else None,
        lines,
    )  # fmt: skip


def story(people: list[Person], total: int, months: int, seed: int) -> Iterator[object]:
    """Records and transfers in the order of their days; they make `total` transactions."""
    chance = random.Random(f"story {seed}")
    end = datetime.date.today() - datetime.timedelta(days=1)
    days = months * 365 // 12
    made = 0
    for number in range(days):
        day = end - datetime.timedelta(days=days - 1 - number)
        quota = total * (number + 1) // days
        for person in people:
            if number == 0 and made < total:
                made += 1
                amount = person.salary
                yield Record(person.main, amount, day, (person.others, person.others_coicop),
                             "Opening balance")  # fmt: skip
            for step in monthly(person, day, chance):
                if made + 2 <= total:
                    made += 2 if isinstance(step, Transfer) else 1
                    yield step
        while made < quota:
            step = purchase(chance.choice(people), day, chance)
            if isinstance(step, Transfer) and made + 2 > total:
                continue
            made += 2 if isinstance(step, Transfer) else 1
            yield step
