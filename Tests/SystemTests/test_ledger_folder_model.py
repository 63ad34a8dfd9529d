"""Folders of several people, by a model of who sees what."""

import random
from decimal import Decimal
from typing import Any

import pytest

from actions import category, folder, join
from client import Person, value
from folders import inside, put, record, take
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]


@pytest.mark.parametrize("seed", range(3))
def test_every_member_sees_what_a_model_says(suite: Suite, seed: int) -> None:
    """Random histories: who is in, whose categories, what was put where; each reader asks after
    each step, by day, by amount and with a filter."""
    chance = random.Random(seed)
    people = [Person(suite) for _ in range(3)]
    owner = people[0]
    places = [folder(owner, f"F{number}") for number in range(2)]
    access: dict[tuple[int, str], str] = {(0, place): "owner" for place in places}
    rows: dict[str, dict[str, Any]] = {}
    labels = {number: [category(person) for _ in range(2)] for number, person in enumerate(people)}
    brought: set[tuple[str, str]] = set()

    def visible(number: int, place: str) -> set[str]:
        if (number, place) not in access:
            return set()
        return {
            name for name, row in rows.items()
            if (row["who"], place) in access
            and (row["folder"] == place or (place, row["category"]) in brought)
        }  # fmt: skip

    for step in range(60):
        number, place = chance.randrange(3), chance.choice(places)
        person = people[number]
        may = access.get((number, place))
        action = chance.choice(["record"] * 3 + ["put", "take", "category", "member", "label"])
        if action == "record":
            filed = place if may in ("owner", "write") and chance.random() < 0.7 else None
            label = chance.choice(labels[number])
            amount = f"{chance.choice([-1, 1]) * chance.randrange(1, 900) / 100:.2f}"
            fields = {"folderId": filed} if filed else {}
            day = f"2026-10-{chance.randrange(1, 28):02}"
            made = record(person, amount, categoryId=label, date=day, **fields)
            rows[made] = {"who": number, "folder": filed, "category": label,
                          "amount": Decimal(amount)}  # fmt: skip
        elif action == "put" and may in ("owner", "write"):
            own = [name for name, row in rows.items() if row["who"] == number]
            if own:
                name = chance.choice(own)
                put(person, place, name)
                rows[name]["folder"] = place
        elif action == "take" and may in ("owner", "write"):
            there = [name for name in visible(number, place) if rows[name]["folder"] == place]
            if there:
                name = chance.choice(sorted(there))
                take(person, place, name)
                rows[name]["folder"] = None
        elif action == "category" and may in ("owner", "write"):
            label = chance.choice(labels[number])
            method = "DELETE" if (place, label) in brought else "PUT"
            person.call(method, f"/v1/folders/{place}/categories/{label}", 204)
            brought ^= {(place, label)}
        elif action == "label":
            own = [name for name, row in rows.items() if row["who"] == number]
            if own:
                name, label = chance.choice(own), chance.choice(labels[number])
                person.call("PATCH", f"/v1/transactions/{name}", 200, json={"categoryId": label})
                rows[name]["category"] = label
        elif action == "member" and number != 0:
            if may:
                owner.call("DELETE", f"/v1/folders/{place}/members/{person.id}", 204)
                del access[number, place]
                brought -= {(place, label) for label in labels[number]}
            else:
                right = chance.choice(["read", "write"])
                join(owner, place, person, right)
                access[number, place] = right
        reader, asked = chance.randrange(3), chance.choice(places)
        wanted = visible(reader, asked)
        note = (seed, step, action, reader)
        assert inside(people[reader], asked) == wanted, note
        assert inside(people[reader], asked, sort="-amount") == wanted, note
        income = {name for name in wanted if rows[name]["amount"] > 0}
        assert inside(people[reader], asked, direction="in") == income, note
        if (reader, asked) in access:
            totals = people[reader].get(f"/v1/folders/{asked}")["totals"]
            assert sum(one["count"] for one in totals) == len(wanted), note
            sums = [value(one["in"]) - value(one["out"]) for one in totals]
            assert sum(sums) == sum(rows[name]["amount"] for name in wanted), note
