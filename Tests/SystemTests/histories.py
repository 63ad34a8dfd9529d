"""The model of an account's history."""

import math
import random
import unicodedata
import uuid
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from actions import category, current, wallet
from client import Person, money
from suite.suite import Suite

WORDS = ["Bar", "Caffè", "mercato", "Märkte", "treno", "train", "ombra", "Ökodorf", "zoo"]
TAGS = ["Trip", "casa", "Città", "x y"]
#: What is told beside a transaction.
APART = ("createdAt", "group", "alerts", "budgetRemaining")


def folded(text: str) -> str:
    plain = unicodedata.normalize("NFD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in folded(text)).split()


def cents(amount: int) -> dict[str, str]:
    sign, size = ("-" if amount < 0 else ""), abs(amount)
    return money(f"{sign}{size // 100}.{size % 100:02d}")


def units(sum_of_money: dict[str, str]) -> int:
    return int(sum_of_money["amount"].replace(".", ""))


@dataclass
class Row:
    id: str
    account: str
    amount: int
    day: str
    name: str
    category: str
    lines: list[tuple[str, int]] | None = None
    description: str | None = None
    tags: list[str] = field(default_factory=list)
    location: tuple[float, float] | None = None
    version: int = 1
    #: In whose books it is; nobody's name where there is one person.
    owner: str = ""

    @property
    def labels(self) -> set[str]:
        return {one for one, _ in self.lines} if self.lines else {self.category}

    def view(self) -> dict[str, Any]:
        view: dict[str, Any] = {
            "id": self.id, "accountId": self.account, "amount": cents(self.amount),
            "date": self.day, "name": self.name, "categoryId": self.category, "tags": self.tags,
            "version": self.version,
        }  # fmt: skip
        if self.lines:
            view["lines"] = [{"categoryId": one, "amount": cents(n)} for one, n in self.lines]
        if self.description is not None:
            view["description"] = self.description
        if self.location:
            view["location"] = {"lat": self.location[0], "lon": self.location[1]}
        return view


def seen(view: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in view.items() if name not in APART}


def kilometres(one: tuple[float, float], other: tuple[float, float]) -> float:
    lat, lon = math.radians(one[0] - other[0]), math.radians(one[1] - other[1])
    shrunk = math.cos(math.radians(one[0])) * math.cos(math.radians(other[0]))
    half = math.sin(lat / 2) ** 2 + shrunk * math.sin(lon / 2) ** 2
    return 2 * 6371.0088 * math.asin(min(1, math.sqrt(half)))


class Model:
    """What a person should see; amounts in cents of one currency."""

    def __init__(self, person: Person, chance: random.Random):
        self.person, self.chance = person, chance
        self.categories = [category(person) for _ in range(4)]
        self.current = current(person, "EUR")["id"]
        self.accounts = [self.current, wallet(person, "EUR"), wallet(person, "EUR")]
        self.rows: dict[str, Row] = {}
        self.deleted: list[tuple[str, list[Row]]] = []

    def balance(self, account: str) -> int:
        return sum(row.amount for row in self.rows.values() if row.account == account)

    # What is asked.

    def fields(self) -> dict[str, Any]:
        """A random body, whose lines may not be what is allowed."""
        chance = self.chance
        amount = chance.choice([chance.randint(-5000, 5000), chance.randint(-20, 20)])
        day = date(2024, 1, 1) + timedelta(days=chance.randint(0, 40))
        body: dict[str, Any] = {
            "amount": cents(amount), "accountId": chance.choice(self.accounts), "date": str(day),
            "name": " ".join(chance.sample(WORDS, 2)),
        }  # fmt: skip
        if chance.random() < 0.3 and amount not in (0, 1, -1):
            first = chance.choice([1, amount + 7 or 1, amount - 1])
            if first not in (0, amount):
                pair = chance.sample(self.categories, 2)
                body["lines"] = [
                    {"categoryId": pair[0], "amount": cents(first)},
                    {"categoryId": pair[1], "amount": cents(amount - first)},
                ]
        if "lines" not in body:
            body["categoryId"] = chance.choice(self.categories)
        if chance.random() < 0.4:
            body["tags"] = chance.sample(TAGS, chance.randint(1, 3))
        if chance.random() < 0.4:
            place = (round(chance.uniform(44, 46), 6), round(chance.uniform(8, 10), 6))
            body["location"] = {"lat": place[0], "lon": place[1]}
        if chance.random() < 0.3:
            body["description"] = chance.choice(WORDS)
        return body

    def row(self, body: dict[str, Any], identifier: str) -> Row:
        lines = [(one["categoryId"], units(one["amount"])) for one in body.get("lines", [])]
        place = body.get("location")
        return Row(
            identifier, body["accountId"], units(body["amount"]), body["date"], body["name"],
            lines[0][0] if lines else body["categoryId"], lines or None,
            body.get("description"), body.get("tags", []),
            (place["lat"], place["lon"]) if place else None,
        )  # fmt: skip

    def view(self, row: Row) -> dict[str, Any]:
        """What is told of it."""
        return row.view()

    def check(self, answer: Any, expected: int) -> bool:
        assert answer.status_code == expected, (answer.text, expected)
        return expected < 300

    # Operations.

    def record(self) -> None:
        body = self.fields()
        fits = self.fits([(body["accountId"], units(body["amount"]))])
        answer = self.person.send("POST", "/v1/transactions", json=body)
        if self.check(answer, 201 if fits else 409):
            self.keep(answer.json(), body)

    def keep(self, view: dict[str, Any], body: dict[str, Any]) -> None:
        row = self.row(body, view["id"])
        assert seen(view) == self.view(row)
        self.rows[row.id] = row

    def fits(self, steps: list[tuple[str, int]]) -> bool:
        """One after another, the account that may not never falls below zero."""
        balance = self.balance(self.current)
        for account, amount in steps:
            if account == self.current:
                balance += amount
                if amount < 0 and balance < 0:
                    return False
        return True

    def batch(self) -> None:
        bodies = [self.fields() for _ in range(self.chance.randint(1, 12))]
        fits = self.fits([(body["accountId"], units(body["amount"])) for body in bodies])
        path, key = "/v1/transactions/batches", str(uuid.uuid4())
        answer = self.person.send("POST", path, json={"transactions": bodies}, key=key)
        if self.check(answer, 201 if fits else 409):
            for view, body in zip(answer.json()["items"], bodies, strict=True):
                self.keep(view, body)
        again = self.person.send("POST", path, json={"transactions": bodies}, key=key)
        assert again.status_code == answer.status_code
        assert not fits or again.json() == answer.json()

    def change(self) -> None:
        if not self.rows:
            return
        old = self.chance.choice(list(self.rows.values()))
        full = self.fields()
        names = self.chance.sample(sorted(full), self.chance.randint(0, len(full)))
        body = {name: full[name] for name in names}
        if "lines" in body and "amount" not in body:
            body.pop("lines")
        new = self.changed(old, body)
        if new is None:
            expected = 422
        elif (new.account, new.amount, new.day) == (old.account, old.amount, old.day):
            expected = 200
        else:
            after = self.balance(self.current)
            after += new.amount * (new.account == self.current)
            after -= old.amount * (old.account == self.current)
            expected = 200 if after >= 0 else 409
        answer = self.person.send("PATCH", f"/v1/transactions/{old.id}", json=body)
        if self.check(answer, expected) and new is not None:
            if replace(new, version=old.version) != old:
                new = replace(new, version=old.version + 1)
            assert seen(answer.json()) == self.view(new)
            self.rows[old.id] = new

    def changed(self, old: Row, body: dict[str, Any]) -> Row | None:
        new = replace(old)
        new.account = body.get("accountId", old.account)
        new.amount = units(body["amount"]) if "amount" in body else old.amount
        new.day, new.name = body.get("date", old.day), body.get("name", old.name)
        new.description = body.get("description", old.description)
        new.tags = body.get("tags", old.tags)
        if "location" in body:
            new.location = (body["location"]["lat"], body["location"]["lon"])
        if "lines" in body:
            new.lines = [(one["categoryId"], units(one["amount"])) for one in body["lines"]]
            new.category = new.lines[0][0]
        elif "categoryId" in body:
            new.lines, new.category = None, body["categoryId"]
        elif old.lines and new.amount != old.amount:
            return None
        return new

    def delete(self) -> None:
        if not self.rows:
            return
        count = self.chance.choice([1, 1, 2, 5, 20])
        gone = self.chance.sample(list(self.rows.values()), min(count, len(self.rows)))
        after = self.balance(self.current) - sum(
            row.amount for row in gone if row.account == self.current
        )
        fits = after >= 0 or not any(r.account == self.current and r.amount > 0 for r in gone)
        if len(gone) == 1:
            answer = self.person.send("DELETE", f"/v1/transactions/{gone[0].id}")
            expected = 200
        else:
            body = {"ids": [row.id for row in gone]}
            answer = self.person.send("POST", "/v1/transactions/deletions", json=body)
            expected = 201
        if self.check(answer, expected if fits else 409):
            for row in gone:
                del self.rows[row.id]
            self.deleted.append((answer.json()["id"], gone))

    def undo(self) -> None:
        if not self.deleted:
            return
        place = self.chance.randrange(len(self.deleted))
        identifier, gone = self.deleted[place]
        after = self.balance(self.current) + sum(
            row.amount for row in gone if row.account == self.current
        )
        answer = self.person.send("POST", f"/v1/transactions/deletions/{identifier}/undo")
        if self.check(answer, 200 if after >= 0 else 409):
            del self.deleted[place]
            for row in gone:
                self.rows[row.id] = replace(row, version=row.version + 1)

    # Lists.

    def query(self) -> dict[str, Any]:
        chance, query = self.chance, {}
        if chance.random() < 0.3:
            query["from"] = str(date(2024, 1, 1) + timedelta(days=chance.randint(0, 40)))
        if chance.random() < 0.3:
            query["to"] = str(date(2024, 1, 1) + timedelta(days=chance.randint(0, 40)))
        if chance.random() < 0.3:
            query["categoryId"] = chance.sample(self.categories, chance.randint(1, 2))
        if chance.random() < 0.3:
            query["accountId"] = chance.sample(self.accounts, chance.randint(1, 2))
        if chance.random() < 0.25:
            query["tag"] = [one.upper() for one in chance.sample(TAGS, chance.randint(1, 2))]
        if chance.random() < 0.25:
            query["minAmount"] = cents(chance.randint(0, 3000))["amount"]
        if chance.random() < 0.25:
            query["maxAmount"] = cents(chance.randint(0, 3000))["amount"]
        if chance.random() < 0.25:
            query["direction"] = chance.choice(["in", "out"])
        if chance.random() < 0.2:
            texts = [one[: chance.randint(2, 4)] for one in chance.sample(WORDS + TAGS, 1)]
            query["query"] = " ".join(texts)
        if chance.random() < 0.2:
            query["near"] = f"{chance.uniform(44, 46):.3f},{chance.uniform(8, 10):.3f},60"
        query["sort"] = chance.choice(["-date", "date", "-amount", "amount"])
        query["limit"] = chance.choice([1, 7, 50, 200])
        if chance.random() < 0.3:
            query["groupBy"] = chance.choice(["category", "day", "month"])
        return query

    def meets(self, row: Row, query: dict[str, Any]) -> bool:
        texts = [row.name, row.description or "", *row.tags]
        index = [word for text in texts for word in words(text)]
        tags = {one.casefold() for one in row.tags}
        near = [float(part) for part in query.get("near", "0,0,0").split(",")]
        far = row.location is None or kilometres((near[0], near[1]), row.location) > near[2]
        return (
            query.get("from", "0") <= row.day <= query.get("to", "9")
            and ("categoryId" not in query or bool(row.labels & set(query["categoryId"])))
            and ("accountId" not in query or row.account in query["accountId"])
            and ("tag" not in query or bool(tags & {one.casefold() for one in query["tag"]}))
            and abs(row.amount) >= units({"amount": query.get("minAmount", "0")})
            and abs(row.amount) <= units({"amount": query.get("maxAmount", "9999999")})
            and ("direction" not in query or (row.amount >= 0) == (query["direction"] == "in"))
            and all(any(w.startswith(p) for w in index) for p in words(query.get("query", "")))
            and ("near" not in query or not far)
        )

    def listed(self, query: dict[str, Any]) -> list[tuple[str | None, Row]]:
        sort, grouping = query["sort"], query.get("groupBy")
        rows = [row for row in self.rows.values() if self.meets(row, query)]
        by_day = sort in ("date", "-date")
        rows.sort(
            key=lambda row: (row.day if by_day else row.amount, row.id), reverse=sort[0] == "-"
        )
        if grouping is None:
            return [(None, row) for row in rows]
        grouped: list[tuple[str | None, Row]] = []
        for row in rows:
            if grouping == "category":
                wanted = set(query.get("categoryId", row.labels))
                grouped += [(one, row) for one in row.labels & wanted]
            else:
                grouped.append((row.day if grouping == "day" else row.day[:7], row))
        descending = grouping != "category" and sort != "date"
        return sorted(grouped, key=lambda pair: str(pair[0]), reverse=descending)

    def compare(self) -> None:
        query = self.query()
        expected = self.listed(query)
        if query["limit"] < 7:
            query["limit"] = max(query["limit"], len(expected) // 12 + 1)
        found = list(self.person.pages("/v1/transactions", **query))
        assert [(one.get("group"), seen(one)) for one in found] == [
            (group, self.view(row)) for group, row in expected
        ], query
        if "groupBy" in query:
            self.compare_groups(query, expected)

    def compare_groups(self, query: dict[str, Any], expected: list[tuple[Any, Row]]) -> None:
        sums: dict[str, list[int]] = {}
        for group, row in expected:
            total = sums.setdefault(group, [0, 0, 0])
            parts = dict(row.lines or [])
            amount = row.amount
            if query["groupBy"] == "category":
                amount = parts.get(group, row.amount)
            total[0] += 1
            total[1 if amount >= 0 else 2] += abs(amount)
        page = self.person.get("/v1/transactions", **query)
        assert page.get("groups", []) == [
            {"key": key, "count": count, "in": cents(incoming), "out": cents(outgoing)}
            for key, (count, incoming, outgoing) in sums.items()
        ], query


class SharedModel(Model):
    """Two wallets that Ada shares: Eve edits and comes and goes, Vic sees; each has books."""

    def __init__(self, suite: Suite, chance: random.Random):
        super().__init__(Person(suite, currency="EUR"), chance)
        self.ada, self.eve, self.vic = self.person, *(Person(suite, currency="EUR") for _ in "ev")
        self.own = {self.ada.id: self.categories, self.eve.id: [category(self.eve) for _ in "abc"]}
        self.categories = [one for found in self.own.values() for one in found]
        self.accounts, self.current = self.accounts[1:], ""
        self.asked, self.is_in = 0, False
        self.join(self.vic, "viewer")
        self.come_or_go()
        self.undoing: dict[str, Person] = {}

    def join(self, guest: Person, role: str) -> None:
        for account in self.accounts:
            body = {"username": guest.username, "role": role}
            asked = self.ada.post(f"/v1/accounts/{account}/members", body)
            guest.post(f"/v1/invitations/{asked['id']}/acceptance", status=200)

    def come_or_go(self) -> None:
        if self.is_in:
            for account in self.accounts:
                self.eve.call("DELETE", f"/v1/accounts/{account}/members/me", 204)
        elif self.asked < 5:
            self.asked += 1
            self.join(self.eve, "editor")
        else:
            return
        self.is_in = not self.is_in

    def whoever(self, *more: Person) -> None:
        self.person = self.chance.choice([self.ada, *more, *([self.eve] if self.is_in else [])])

    def view(self, row: Row) -> dict[str, Any]:
        booked = {} if row.owner == self.person.id else {"bookedFor": row.owner}
        return row.view() | booked

    def fields(self) -> dict[str, Any]:
        everybodys, self.categories = self.categories, self.own[self.person.id]
        body = super().fields()
        self.categories = everybodys
        return body

    def row(self, body: dict[str, Any], identifier: str) -> Row:
        return replace(super().row(body, identifier), owner=self.person.id)

    def changed(self, old: Row, body: dict[str, Any]) -> Row | None:
        new = super().changed(old, body)
        if new is not None and ("lines" in body or "categoryId" in body):
            # Whoever puts it into categories of their own has it in their books.
            new.owner = self.person.id
        # It stays where those see it in whose books it is.
        left = new is not None and new.owner == self.eve.id and not self.is_in
        return None if left and new.account != old.account else new

    def record(self) -> None:
        self.whoever()
        super().record()

    def batch(self) -> None:
        self.whoever()
        super().batch()

    def change(self) -> None:
        self.whoever()
        super().change()

    def delete(self) -> None:
        self.whoever()
        before = len(self.deleted)
        super().delete()
        if len(self.deleted) > before:
            self.undoing[self.deleted[-1][0]] = self.person

    def undo(self) -> None:
        if not self.is_in:
            return
        if self.deleted:
            place = self.chance.randrange(len(self.deleted))
            identifier, gone = self.deleted.pop(place)
            self.person = self.undoing[identifier]
            self.person.call("POST", f"/v1/transactions/deletions/{identifier}/undo", 200)
            for row in gone:
                self.rows[row.id] = replace(row, version=row.version + 1)

    def compare(self) -> None:
        self.whoever(self.vic)
        super().compare()
        if not self.is_in:
            assert not list(self.eve.pages("/v1/transactions", accountId=self.accounts))
