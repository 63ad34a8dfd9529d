"""A household's budget: envelopes that the parents share, filled by what any of them books."""

import random
import uuid
from decimal import Decimal
from typing import Any

import pytest

from actions import at_once, category, contents, ready, wallet
from client import Api, Person, eventually, money, value
from conftest import hurt_suite
from erasures import delete
from families import ME, Family, join, proved
from faults import connect, restart
from households import (
    BUDGET,
    ENVELOPES,
    TRANSFERS,
    History,
    allocate,
    by_parent,
    envelope,
    figures,
    month_before,
    place,
    seen,
    spend,
)
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "notifications"]
#: What each call that takes a body is asked with.
BODIES = {
    "makeHouseholdEnvelope": {"name": "x"}, "changeHouseholdEnvelope": {"name": "x"},
    "allocateHouseholdBudget": {"amount": money("1.00")},
    "transferHouseholdBudget": {
        "fromEnvelopeId": str(uuid.uuid4()), "toEnvelopeId": str(uuid.uuid4()),
        "amount": money("1.00"),
    },
}  # fmt: skip


@pytest.fixture
def family(suite: Suite) -> Family:
    return Family(suite)


def told(person: Person) -> list[dict[str, Any]]:
    lines = person.get("/v1/notifications", limit=200)["items"]
    return [line for line in lines if line["kind"] == "household-exceeded"]


def test_what_any_parent_books_fills_the_envelope(family: Family) -> None:
    mother, father = family.mother, family.father
    food = envelope(mother)
    groceries, eating = category(mother), category(father)
    place(mother, groceries, food)
    place(father, eating, food)
    allocate(father, food, "100.00")
    spend(mother, "30.00", groceries)
    spend(father, "12.50", eating)
    spend(father, "70.00", category(father))
    for one in (mother, father):
        found = seen(one, food)
        assert figures(found) == [0, 100, Decimal("42.50"), Decimal("57.50")]
        assert found["percent"] == "42.5"
        assert by_parent(found) == {mother.id: 30, father.id: Decimal("12.50")}
    shown = mother.get(BUDGET)
    assert shown["month"] == shown["from"][:7] and shown["from"].endswith("-01")
    assert shown["currency"] == "EUR"
    # A refund counts against what was spent.
    mother.post("/v1/transactions", {"amount": money("5.00"), "categoryId": groceries})
    assert figures(seen(father, food))[2] == Decimal("37.50")


def test_a_parent_sees_sums_of_another_and_nothing_more(family: Family) -> None:
    mother, father = family.mother, family.father
    food, secret = envelope(mother), uuid.uuid4().hex[:12]
    hers = mother.post("/v1/categories", {"name": f"c {secret}"})["id"]
    place(mother, hers, food)
    made = spend(mother, "3.00", hers, name=f"n {secret}")["id"]
    for path in (BUDGET, ENVELOPES):
        text = father.send("GET", path).text
        assert secret not in text and hers not in text and made not in text
        assert hers in mother.send("GET", path).text
    assert by_parent(seen(father, food)) == {mother.id: 3}
    # Nobody speaks for another's category.
    for method in ("PUT", "DELETE"):
        father.problem(method, f"{ENVELOPES}/{food}/categories/{hers}", 404, "not-found")
    assert seen(mother, food)["envelope"]["categoryIds"] == [hers]


def calls(api: Api) -> list[tuple[str, str, Any]]:
    """Every call of the document below a family's budget."""
    found = []
    for path, operations in api.get("/openapi.json")["paths"].items():
        if path.startswith(BUDGET):
            for method, operation in operations.items():
                found.append((method.upper(), path, BODIES.get(operation.get("operationId"))))
    assert len(found) == 9
    return found


def test_the_budget_is_the_parents_alone(family: Family) -> None:
    mother, father, child = family.mother, family.father, family.child
    other = proved(mother.suite)
    other.post("/v1/families", {})
    food, hers = envelope(mother), category(mother)
    place(mother, hers, food)
    stranger = proved(mother.suite)
    father.call("DELETE", f"{ME}/members/me", 204)
    for method, template, body in calls(mother):
        path = template.replace("{id}", food).replace("{categoryId}", hers)
        key = {"key": str(uuid.uuid4())} if method == "POST" else {}
        child.problem(method, path, 403, "parents-only", json=body, **key)
        for one in (stranger, father):
            one.problem(method, path, 404, "not-found", json=body, **key)
        answer = Api(mother.suite).send(method, path, json=body, **key)
        assert answer.status_code == 401
        if "{id}" in template:
            # Nor does a parent of one family know an envelope of another's.
            own = {"key": str(uuid.uuid4())} if method == "POST" else {}
            path = template.replace("{id}", food).replace("{categoryId}", category(other))
            other.problem(method, path, 404, "not-found", json=body, **own)
    assert other.get(BUDGET)["items"] == [] and seen(mother, food)


def test_a_category_counts_from_its_month_on(family: Family) -> None:
    mother = family.mother
    food, fun = envelope(mother), envelope(mother, "Fun")
    one, last, before = category(mother), month_before(1), month_before(2)
    for month, amount in ((before, "1.00"), (last, "2.00")):
        spend(mother, amount, one, date=f"{month}-15")
    spend(mother, "4.00", one)
    place(mother, one, food)
    for into in (food, fun):
        allocate(mother, into, "10.00", month=before)
    assert figures(seen(mother, food)) == [10, 0, 4, 6]
    place(mother, one, food, last)
    assert figures(seen(mother, food)) == [8, 0, 4, 4]
    # In one envelope at a time: what counted in the months before stays there.
    place(mother, one, fun)
    assert figures(seen(mother, food)) == [8, 0, 0, 8]
    assert figures(seen(mother, fun)) == [10, 0, 4, 6]
    assert seen(mother, fun)["envelope"]["categoryIds"] == [one]
    assert seen(mother, food)["envelope"]["categoryIds"] == []
    assert seen(mother, food, last)["envelope"]["categoryIds"] == [one]
    path = f"{ENVELOPES}/{food}/categories/{one}"
    mother.problem("DELETE", path, 404, "not-found")
    place(mother, one, fun, method="DELETE")
    assert figures(seen(mother, fun)) == [10, 0, 0, 10]
    assert figures(seen(mother, food)) == [8, 0, 0, 8]
    place(mother, one, food, last, method="DELETE")
    assert figures(seen(mother, food)) == [10, 0, 0, 10]
    problem = mother.problem("PUT", f"{path}?month=1200-01", 400, "invalid-query")
    assert problem["errors"][0]["pointer"] == "query:month"


def test_envelopes_have_names_of_their_own_and_take_their_sums_along(family: Family) -> None:
    mother, father = family.mother, family.father
    body = {"name": "Food", "color": "#123456", "symbol": "cart", "coicop": "01"}
    made = mother.send("POST", ENVELOPES, json=body)
    assert made.status_code == 201, made.text
    food = made.json()["id"]
    assert made.json() == body | {"id": food, "categoryIds": []}
    assert father.get(ENVELOPES)["items"] == [made.json()]
    father.problem("POST", ENVELOPES, 409, "envelope-name-taken", json={"name": "FOOD"})
    fun = envelope(father, "Fun")
    path = f"{ENVELOPES}/{fun}"
    father.problem("PATCH", path, 409, "envelope-name-taken", json={"name": "food"})
    stale = {"If-Match": '"7"'}
    father.problem("PATCH", path, 412, "precondition-failed", json={"name": "x"}, headers=stale)
    changed = father.call("PATCH", path, 200, json={"name": "Play", "symbol": None})
    assert changed["name"] == "Play" and "symbol" not in changed
    assert [one["name"] for one in mother.get(ENVELOPES)["items"]] == ["Food", "Play"]
    one = category(mother)
    place(mother, one, fun)
    allocate(mother, fun, "5.00")
    spend(mother, "1.00", one)
    mother.call("DELETE", path, 204)
    mother.problem("DELETE", path, 404, "not-found")
    again = envelope(mother, "Play")
    assert figures(seen(mother, again)) == [0, 0, 0, 0]
    place(mother, one, again)
    assert figures(seen(mother, again))[2] == 1
    for number in range(98):
        envelope(mother, f"e {number}")
    problem = mother.problem("POST", ENVELOPES, 422, "invalid-body", json={"name": "more"})
    assert problem["errors"][0]["code"] == "too-many"


def test_a_transfer_answers_both_and_is_done_once(family: Family) -> None:
    mother = family.mother
    food, fun = envelope(mother), envelope(mother, "Fun")
    allocate(mother, food, "10.00")
    body = {"fromEnvelopeId": food, "toEnvelopeId": fun, "amount": money("4.00")}
    answer = mother.post(TRANSFERS, body)
    assert answer["alerts"] == [] and figures(answer["from"])[3] == 6
    assert figures(answer["to"])[3] == 4 and answer["to"]["envelope"]["id"] == fun
    key, more = str(uuid.uuid4()), body | {"amount": money("7.00")}
    first, again = (mother.send("POST", TRANSFERS, json=more, key=key) for _ in range(2))
    assert first.status_code == again.status_code == 201 and first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert first.json()["alerts"] == ["budget-negative"]
    path, key = f"{ENVELOPES}/{fun}/allocations", str(uuid.uuid4())
    said = {"amount": money("2.00")}
    first, again = (mother.send("POST", path, json=said, key=key) for _ in range(2))
    assert first.json() == again.json() and figures(seen(mother, fun))[3] == 13
    mother.problem(
        "POST", path, 422, "idempotency-key-reused", json={"amount": money("3.00")}, key=key
    )
    assert figures(seen(mother, food))[3] == -1
    for changed, pointer in (
        ({"toEnvelopeId": food}, "/toEnvelopeId"),
        ({"fromEnvelopeId": str(uuid.uuid4())}, "/fromEnvelopeId"),
        ({"amount": money("0.00")}, "/amount/amount"), ({"month": "1200-01"}, "/month"),
    ):  # fmt: skip
        problem = mother.problem("POST", TRANSFERS, 422, "invalid-body", json=body | changed)
        assert problem["errors"][0]["pointer"] == pointer
    dollars = {"amount": money("1.00", "USD")}
    mother.problem("POST", TRANSFERS, 422, "currency-mismatch", json=body | dollars)
    mother.problem("POST", path, 422, "currency-mismatch", json=dollars)


def test_all_parents_are_told_once_a_crossing(family: Family) -> None:
    mother, father = family.mother, family.father
    food, one = envelope(mother), category(father)
    place(father, one, food)
    allocate(mother, food, "20.00")
    spend(father, "15.00", one)
    made = [spend(father, amount, one)["id"] for amount in ("6.00", "1.00")]
    for parent in (mother, father):
        (line,) = eventually(lambda parent=parent: told(parent))
        assert line["envelopeId"] == food and value(line["amount"]) == 20
        assert "budget of €20.00" in line["text"]
    assert not told(family.child)
    for transaction in made:
        father.call("DELETE", f"/v1/transactions/{transaction}", 200)
    # What is back is told anew when it is gone again; the watch has seen it in between.
    eventually(lambda: alerts(family), until=lambda count: count == 0)
    spend(father, "5.01", one)
    for parent in (mother, father):
        eventually(lambda parent=parent: told(parent), until=lambda lines: len(lines) == 2)
    # A category that brings more than there is tells, too.
    fun, played = envelope(mother, "Fun"), category(mother)
    allocate(mother, fun, "1.00")
    spend(mother, "2.00", played)
    place(mother, played, fun)
    eventually(lambda: told(father), until=lambda lines: lines[0]["envelopeId"] == fun)


def test_a_day_that_no_budget_reaches_holds_up_nobody(family: Family) -> None:
    mother, father = family.mother, family.father
    food, one = envelope(mother), category(mother)
    place(mother, one, food)
    allocate(mother, food, "5.00")
    mother.post(f"/v1/budgets/{one}/allocations", {"amount": money("5.00")})
    spend(mother, "1.00", one, date="9999-12-15")
    spend(mother, "6.00", one)
    eventually(lambda: told(father))
    eventually(
        lambda: [line for line in mother.get("/v1/notifications")["items"]
                 if line["kind"] == "budget-exceeded"]
    )  # fmt: skip
    query = "select count(*) from ledger.household_touched where family_id = %s"
    eventually(lambda: count(family, query) == 0)


def alerts(family: Family) -> int:
    query = """
        select count(*) from ledger.household_alert as a
        join ledger.household_envelope as e on e.id = a.envelope_id
        where e.family_id = %s
        """
    return count(family, query)


def count(family: Family, query: str) -> int:
    with connect(family.mother.suite, "ezwallet_ledger") as database:
        return database.execute(query, (family.made["id"],)).fetchone()[0]


def test_who_leaves_leaves_a_sum_and_takes_the_rest(family: Family) -> None:
    mother, father = family.mother, family.father
    food, one, hers = envelope(mother), category(father), category(mother)
    place(father, one, food, month_before())
    place(mother, hers, food)
    allocate(mother, food, "100.00", month=month_before())
    dollars = wallet(father, "USD")
    for amount in ("7.77", "9.99"):
        spend(father, amount, one, "USD", accountId=dollars, date=f"{month_before()}-10")
    late = spend(father, "20.00", one)["id"]
    spend(mother, "3.00", hers)
    before = seen(mother, food)
    assert by_parent(before) == {father.id: 20, mother.id: 3}
    father.call("DELETE", f"{ME}/members/me", 204)
    found = eventually(lambda: seen(mother, food), until=lambda now: None in by_parent(now))
    assert figures(found) == figures(before)
    assert by_parent(found) == {mother.id: 3, None: 20}
    kept = seen(mother, food, month_before())
    # What comes now, or changes, is theirs alone; so it is for whoever comes back.
    spend(father, "50.00", one)
    father.call("PATCH", f"/v1/transactions/{late}", 200, json={"amount": money("-1.00")})
    assert seen(mother, food) == found
    join(mother, father, "parent")
    assert seen(father, food)["envelope"]["categoryIds"] == []
    assert figures(seen(father, food)) == figures(before)
    place(father, one, food, month_before())
    # Of the months until then nothing counts twice.
    assert by_parent(seen(mother, food)) == {mother.id: 3, None: 20}
    assert figures(seen(mother, food, month_before())) == figures(kept)
    following = month_before(-1)
    spend(father, "5.00", one, date=f"{following}-01")
    assert by_parent(seen(mother, food, following)) == {father.id: 5}


def test_nothing_counts_that_is_put_in_while_its_parent_leaves(family: Family) -> None:
    father, food = family.father, envelope(family.mother)
    own = [category(father) for _ in range(11)]
    place(father, own[0], food)

    def act(number: int) -> int:
        if number == 5:
            return father.send("DELETE", f"{ME}/members/me").status_code
        path = f"{ENVELOPES}/{food}/categories/{own[number]}"
        return father.send("PUT", path).status_code

    answers = at_once(11, act)
    assert set(answers) <= {204, 404} and answers[5] == 204
    query = "select count(*) from ledger.household_category where family_id = %s"
    eventually(lambda: count(family, query) == 0)
    father.problem("PUT", f"{ENVELOPES}/{food}/categories/{own[0]}", 404, "not-found")
    assert count(family, query) == 0


def test_what_is_allocated_at_once_adds_up(family: Family) -> None:
    food, fun = envelope(family.mother), envelope(family.mother, "Fun")
    parents, ends = (family.mother, family.father), ("fromEnvelopeId", "toEnvelopeId")

    def act(number: int) -> None:
        parent = parents[number % 2]
        if number % 4 < 2:
            allocate(parent, food, "1.00")
        else:
            pair = (food, fun) if number % 8 < 4 else (fun, food)
            parent.post(TRANSFERS, {"amount": money("0.10")} | dict(zip(ends, pair, strict=True)))

    at_once(16, act)
    assert [figures(seen(family.mother, one))[1] for one in (food, fun)] == [8, 0]


def test_an_erased_parent_leaves_a_sum(family: Family) -> None:
    mother, father = family.mother, family.father
    food, one = envelope(mother), category(father)
    place(father, one, food)
    spend(father, "20.00", one)
    delete(father)
    found = eventually(lambda: seen(mother, food), until=lambda now: None in by_parent(now))
    assert by_parent(found) == {None: 20}
    for table in ("household_parent", "household_category"):
        query = f"select count(*) from ledger.{table} where family_id = %s and user_id <> %s"
        with connect(mother.suite, "ezwallet_ledger") as database:
            found = database.execute(query, (family.made["id"], mother.id)).fetchone()
        assert found == (0,), table


def test_the_familys_end_deletes_all_of_it(family: Family) -> None:
    mother = family.mother
    food, one = envelope(mother), category(mother)
    place(mother, one, food)
    allocate(mother, food, "5.00")
    mother.call("DELETE", ME, 204)
    mother.problem("GET", BUDGET, 404, "not-found")
    mother.post("/v1/families", {})
    assert mother.get(BUDGET)["items"] == []
    for table in ("household_parent", "household_category", "household_envelope"):
        query = f"select count(*) from ledger.{table} where family_id = %s"
        eventually(lambda query=query: count(family, query) == 0)
    # The category is free for the envelopes of another family.
    again = envelope(mother)
    place(mother, one, again)
    assert seen(mother, again)["envelope"]["categoryIds"] == [one]


def test_the_export_tells_which_categories_count_where(family: Family) -> None:
    father = family.father
    food, one = envelope(family.mother), category(father)
    place(father, one, food, "2026-02")
    export = father.post("/v1/users/me/exports", status=202)
    lists, _ = contents(father, ready(father, export))
    (rows,) = (rows for name, rows in lists.items() if name.endswith("household-categories"))
    assert rows == [
        {
            "categoryId": one, "month": "2026-02", "familyId": family.made["id"],
            "envelopeId": food, "envelope": "Food",
        }
    ]  # fmt: skip


def test_a_category_that_is_deleted_counts_as_others_do(family: Family) -> None:
    mother = family.mother
    food, one = envelope(mother), category(mother)
    place(mother, one, food)
    spend(mother, "4.00", one)
    mother.call("DELETE", f"/v1/categories/{one}", 204)
    assert figures(seen(mother, food))[2] == 0
    assert seen(mother, food)["envelope"]["categoryIds"] == []
    (others,) = (o["id"] for o in mother.get("/v1/categories")["items"] if o["default"])
    place(mother, others, food)
    assert figures(seen(mother, food))[2] == 4


#: One whose replicas may be killed.
hurt = pytest.fixture(scope="module")(hurt_suite)


def test_a_leaving_is_told_though_the_ledger_was_away(hurt: Suite) -> None:
    family = Family(hurt)
    mother, father = family.mother, family.father
    food, one = envelope(mother), category(father)
    place(father, one, food)
    spend(father, "2.00", one)
    for replica in (1, 2):
        restart(hurt, f"ezwallet-ledger-{replica}")
    father.call("DELETE", f"{ME}/members/me", 204)
    found = eventually(lambda: seen(mother, food), until=lambda now: None in by_parent(now))
    assert by_parent(found) == {None: 2}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.timeout(240)
def test_envelopes_are_those_of_a_model_that_keeps_nothing(suite: Suite, seed: int) -> None:
    chance = random.Random(seed)
    history = History(Family(suite), chance)
    # The parents' own months, and currencies, have nothing to do with it.
    change = {"monthStart": 15, "currency": "USD"}
    history.parents[1].call("PATCH", "/v1/users/me", 200, json=change)
    acts = [history.book, history.edit, history.delete, history.undo, history.place,
            history.allocate, history.transfer]  # fmt: skip
    weights = [5, 2, 1, 1, 3, 2, 1]
    for step in range(120):
        (act,) = chance.choices(acts, weights)
        act()
        if step % 3 == 0:
            history.check((seed, step, act.__name__))
    for _ in range(10):
        history.check((seed, "end"))
