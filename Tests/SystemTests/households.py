"""A household's envelopes: what parents do with them, and what follows by the definitions."""

import datetime
import random
from collections import defaultdict
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from actions import category, wallet
from client import Person, money, value
from families import ME, Family

BUDGET = f"{ME}/budget"
ENVELOPES = f"{BUDGET}/envelopes"
TRANSFERS = f"{ME}/budget-transfers"


def envelope(parent: Person, name: str = "Food") -> str:
    return parent.post(ENVELOPES, {"name": name})["id"]


def place(
    parent: Person, one: str, into: str, month: str | None = None, method: str = "PUT"
) -> Any:
    path = f"{ENVELOPES}/{into}/categories/{one}"
    return parent.call(method, path, 204, params={"month": month} if month else None)


def allocate(parent: Person, into: str, amount: str, **fields: str) -> Any:
    return parent.post(f"{ENVELOPES}/{into}/allocations", {"amount": money(amount)} | fields)


def seen(parent: Person, one: str, month: str | None = None) -> dict[str, Any]:
    found = parent.get(BUDGET, **({"month": month} if month else {}))
    return next(item for item in found["items"] if item["envelope"]["id"] == one)


def figures(found: dict[str, Any]) -> list[Decimal]:
    return [value(found[name]) for name in ("rolledOver", "allocated", "spent", "available")]


def by_parent(found: dict[str, Any]) -> dict[str | None, Decimal]:
    return {one.get("userId"): value(one["spent"]) for one in found["spentBy"]}


def spend(
    parent: Person, amount: str, one: str, currency: str = "EUR", **fields: Any
) -> dict[str, Any]:
    body = {"amount": money(f"-{amount}", currency), "categoryId": one} | fields
    return parent.post("/v1/transactions", body)


def month_before(count: int = 1) -> str:
    day = datetime.datetime.now(datetime.UTC).date()
    first = day.year * 12 + day.month - 1 - count
    return f"{first // 12:04}-{first % 12 + 1:02}"


class Model:
    """What the parents have booked, allocated and said, and what follows by the definitions."""

    def __init__(self, reader: Person):
        self.reader = reader
        #: By transaction: whose, the day, the currency, and amounts by category.
        self.items: dict[str, tuple[str, str, str, list[tuple[str, Decimal]]]] = {}
        self.allocated: dict[str, dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
        self.placed: dict[str, dict[str, str | None]] = defaultdict(dict)
        self.rates: dict[str, Decimal] = {}

    def place(self, one: str, month: str, into: str | None) -> None:
        said = self.placed[one]
        for later in [known for known in said if known >= month]:
            del said[later]
        said[month] = into

    def where(self, one: str, month: str) -> str | None:
        said = self.placed[one]
        return said[max(known)] if (known := [m for m in said if m <= month]) else None

    def shown(self, amount: Decimal, currency: str, day: str) -> Decimal:
        if currency == "EUR":
            return amount
        if day not in self.rates:
            found = self.reader.get("/v1/exchange-rates", base="EUR", date=day)
            self.rates[day] = Decimal(found["rates"][currency])
        return (amount / self.rates[day]).quantize(Decimal("0.01"), ROUND_HALF_EVEN)

    def spent(self, into: str, month: str) -> dict[str, Decimal]:
        """By parent; what one has booked of a category in a day is converted at once."""
        sums: dict[tuple[str, str, str, str], Decimal] = defaultdict(Decimal)
        for whose, day, currency, lines in self.items.values():
            for one, amount in lines:
                if day[:7] == month and self.where(one, month) == into:
                    sums[whose, one, currency, day] -= amount
        found: dict[str, Decimal] = defaultdict(Decimal)
        for (whose, _, currency, day), amount in sums.items():
            found[whose] += self.shown(amount, currency, day)
        return dict(found)

    def figures(self, into: str, month: str) -> list[Decimal]:
        given = {m: amount for m, amount in self.allocated[into].items() if m <= month}
        rolled = sum((amount for m, amount in given.items() if m < month), Decimal())
        first = min(given, default=month)
        months = {day[:7] for _, day, _, _ in self.items.values()}
        for one in months:
            if first <= one < month:
                rolled -= sum(self.spent(into, one).values())
        allocated = given.get(month, Decimal())
        spent = sum(self.spent(into, month).values(), Decimal())
        return [rolled, allocated, spent, rolled + allocated - spent]


class History:
    """What two parents do in any order."""

    def __init__(self, family: Family, chance: random.Random):
        self.parents = [family.mother, family.father]
        self.chance, self.model = chance, Model(family.mother)
        self.envelopes = [envelope(family.mother, f"e {n}") for n in range(3)]
        self.own = {one.id: [category(one) for _ in range(3)] for one in self.parents}
        self.accounts = {one.id: [wallet(one, c) for c in ("EUR", "USD")] for one in self.parents}
        self.months = [month_before(back) for back in (3, 2, 1, 0, -1)]
        self.undoable: list[tuple[Person, str, str, Any]] = []

    def amount(self) -> Decimal:
        return Decimal(self.chance.randrange(-9_000, 2_000)) / 100 or Decimal("-0.01")

    def day(self) -> str:
        return f"{self.chance.choice(self.months)}-{self.chance.randrange(1, 29):02}"

    def book(self) -> None:
        one, day = self.chance.choice(self.parents), self.day()
        number = self.chance.randrange(2)
        currency, amount = ("EUR", "USD")[number], self.amount()
        body = {"amount": money(f"{amount:.2f}", currency), "date": day,
                "accountId": self.accounts[one.id][number]}  # fmt: skip
        two = self.chance.sample(self.own[one.id], 2)
        if self.chance.random() < 0.3 and amount < Decimal("-0.02"):
            part = Decimal(self.chance.randrange(int(amount * 100) + 1, 0)) / 100
            lines = [(two[0], part), (two[1], amount - part)]
            body["lines"] = [
                {"categoryId": name, "amount": money(f"{of:.2f}", currency)} for name, of in lines
            ]
        else:
            lines = [(two[0], amount)]
            body["categoryId"] = two[0]
        made = one.post("/v1/transactions", body)["id"]
        self.model.items[made] = (one.id, day, currency, lines)

    def some(self) -> tuple[Person, str] | None:
        if not self.model.items:
            return None
        name = self.chance.choice(sorted(self.model.items))
        (one,) = (one for one in self.parents if one.id == self.model.items[name][0])
        return one, name

    def edit(self) -> None:
        if not (found := self.some()):
            return
        one, name = found
        whose, day, currency, lines = self.model.items[name]
        if len(lines) == 1 and self.chance.random() < 0.5:
            to, amount = self.chance.choice(self.own[whose]), self.amount()
            change: dict[str, Any] = {"categoryId": to, "amount": money(f"{amount:.2f}", currency)}
            lines = [(to, amount)]
        else:
            day = self.day()
            change = {"date": day}
        one.call("PATCH", f"/v1/transactions/{name}", 200, json=change)
        self.model.items[name] = (whose, day, currency, lines)

    def delete(self) -> None:
        if found := self.some():
            one, name = found
            gone = one.call("DELETE", f"/v1/transactions/{name}", 200)["id"]
            self.undoable.append((one, gone, name, self.model.items.pop(name)))

    def undo(self) -> None:
        if self.undoable:
            one, gone, name, item = self.undoable.pop()
            one.post(f"/v1/transactions/deletions/{gone}/undo", status=200)
            self.model.items[name] = item

    def place(self) -> None:
        one, month = self.chance.choice(self.parents), self.chance.choice(self.months)
        name, into = self.chance.choice(self.own[one.id]), self.chance.choice(self.envelopes)
        if self.chance.random() < 0.6:
            place(one, name, into, month)
            self.model.place(name, month, into)
        elif self.model.where(name, month) == into:
            place(one, name, into, month, "DELETE")
            self.model.place(name, month, None)
        else:
            path = f"{ENVELOPES}/{into}/categories/{name}?month={month}"
            one.problem("DELETE", path, 404, "not-found")

    def allocate(self) -> None:
        into, month = self.chance.choice(self.envelopes), self.chance.choice(self.months)
        amount = self.amount()
        allocate(self.chance.choice(self.parents), into, f"{amount:.2f}", month=month)
        self.model.allocated[into][month] += amount

    def transfer(self) -> None:
        source, target = self.chance.sample(self.envelopes, 2)
        month, amount = self.chance.choice(self.months), abs(self.amount())
        body = {"fromEnvelopeId": source, "toEnvelopeId": target, "month": month,
                "amount": money(f"{amount:.2f}")}  # fmt: skip
        answer = self.chance.choice(self.parents).post(TRANSFERS, body)
        self.model.allocated[source][month] -= amount
        self.model.allocated[target][month] += amount
        assert figures(answer["from"]) == self.model.figures(source, month)
        assert figures(answer["to"]) == self.model.figures(target, month)

    def check(self, note: Any) -> None:
        reader, month = self.chance.choice(self.parents), self.chance.choice(self.months)
        page = reader.get(BUDGET, month=month)
        assert [item["envelope"]["id"] for item in page["items"]] == self.envelopes, note
        for item in page["items"]:
            into = item["envelope"]["id"]
            assert figures(item) == self.model.figures(into, month), (note, month, into)
            assert by_parent(item) == self.model.spent(into, month), (note, month, into)
            own = {one for one in self.own[reader.id] if self.model.where(one, month) == into}
            assert set(item["envelope"]["categoryIds"]) == own, (note, month, into)
