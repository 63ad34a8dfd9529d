"""However much is wrong with a request at once, it is refused, and no process ends by it."""

import pytest

from client import Api, Person, money
from expense_links import Shared
from families import ME, Family
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES
#: As many as are told, one more, and far more.
COUNTS = [200, 201, 1_000]
#: What anybody may ask.
OPEN = ["/v1/exchange-rates?{}base=zz", "/v1/identity-providers/x/authorize?{}link=zz"]
#: What needs a token, a call of each service.
SIGNED_IN = [
    "/v1/groups?{}limit=zz",
    "/v1/notifications?{}limit=zz",
    "/v1/reports/summary?{}from=zz",
    "/v1/users/me/exports?{}limit=zz",
    "/v1/transactions?{}limit=zz",
]


@pytest.fixture(autouse=True)
def nobody_dies(suite: Suite) -> object:
    """Holds that every program is the one that it was before."""
    before = {program.name: suite.pid(program.name) for program in suite.programs}
    yield
    assert {program.name: suite.pid(program.name) for program in suite.programs} == before


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("path", OPEN)
def test_a_query_of_strangers_faults_is_refused(visitor: Api, path: str, count: int) -> None:
    visitor.problem("GET", path.format("%ff&" * count), 400, "invalid-query")


@pytest.mark.parametrize("count", COUNTS)
def test_a_query_of_faults_is_refused_by_every_service(person: Person, count: int) -> None:
    for path in SIGNED_IN:
        answer = person.send("GET", path.format("%ff&" * count))
        assert answer.status_code in (400, 404, 405), (path, answer.text)
        unknown = "".join(f"x{number}=1&" for number in range(count))
        answer = person.send("GET", path.format(unknown))
        assert answer.status_code in (400, 404, 405), (path, answer.text)


def faulty(count: int) -> list[tuple[str, dict]]:
    """Bodies with at least so many faults, in each shape that bodies have."""
    amount = {"amount": "-1.00", "currency": "EUR"}
    return [
        ("/v1/transactions/batches", {"transactions": [{}] * count}),
        ("/v1/transfers/batches", {"transfers": [1] * count}),
        ("/v1/groups", {"name": "x", "invitations": [{"username": 1}] * count}),
        ("/v1/transactions", {"amount": amount, "lines": [{}] * count}),
        ("/v1/transactions", {"amount": amount, "tags": [1] * count}),
        ("/v1/transactions", {"amount": amount} | {f"x{number}": 1 for number in range(count)}),
        ("/v1/transactions/deletions", {"ids": ["zz"] * count}),
    ]


@pytest.mark.parametrize("count", COUNTS)
def test_a_body_of_faults_is_refused_with_the_first_two_hundred(person: Person, count: int) -> None:
    for path, body in faulty(count):
        problem = person.problem("POST", path, 422, "invalid-body", json=body)
        assert len(problem["errors"]) == 200, (path, len(problem["errors"]))


@pytest.mark.parametrize("count", COUNTS)
def test_an_expense_of_faults_is_refused(person: Person, count: int) -> None:
    group = person.post("/v1/groups", {"name": "Faults"})["id"]
    amount = {"amount": "1.00", "currency": "EUR"}
    for part in (
        {"paidBy": [{}] * count},
        {"split": {"kind": "equal", "parts": [{}] * count}},
    ):
        body = {"name": "x", "amount": amount} | part
        path = f"/v1/groups/{group}/expenses"
        problem = person.problem("POST", path, 422, "invalid-body", json=body)
        assert 200 >= len(problem["errors"]) >= min(count, 200)


def newer(shared: Shared, family: Family) -> list[tuple[Person, str, str, dict]]:
    """Of each newer call who makes it, how, and a body in which nothing is wrong."""
    group, child = shared.group.path, f"{ME}/children/{family.child.id}"
    account = {"accountId": shared.purse["id"]}
    amount = {"amount": money("1.00")}
    envelopes = f"{ME}/budget/envelopes"
    one, two = (family.mother.post(envelopes, {"name": name})["id"] for name in ("a", "b"))
    moved = {"fromEnvelopeId": one, "toEnvelopeId": two}
    link = f"{shared.at(shared.add())}/link"
    return [
        (shared.ada, "POST", shared.path, shared.body()),
        (shared.ada, "PUT", link, account),
        (shared.ada, "POST", f"{group}/settlements",
         account | {"withMemberId": shared.group.of_bob}),
        (family.mother, "POST", f"{child}/allowances",
         amount | {"recurrence": {"every": 1, "unit": "day"}}),
        (family.mother, "PUT", f"{child}/limits", {"limits": []}),
        (family.mother, "POST", envelopes, {"name": "c"}),
        (family.mother, "PATCH", f"{envelopes}/{one}", {"name": "d"}),
        (family.mother, "POST", f"{envelopes}/{one}/allocations", amount),
        (family.mother, "POST", f"{ME}/budget-transfers", amount | moved),
        (family.child, "POST", f"{ME}/approvals", amount | {"name": "x"}),
    ]  # fmt: skip


def test_a_newer_call_of_faults_is_refused_with_the_first_two_hundred(suite: Suite) -> None:
    for person, method, path, body in newer(Shared(suite), Family(suite)):
        for count in COUNTS:
            faults = {f"x{number}": 1 for number in range(count)}
            # On the outside, and where the body has a value of its own.
            wrong = [body | faults]
            wrong += [body | {key: faults} for key, one in body.items() if isinstance(one, dict)]
            wrong += [
                body | {key: [faults, *([{}] * count)]}
                for key, one in body.items()
                if isinstance(one, list)
            ]
            for each in wrong:
                problem = person.problem(method, path, 422, "invalid-body", json=each)
                assert len(problem["errors"]) == 200, (path, len(problem["errors"]))
