"""Step 6: a group of three, expenses that do not divide, balances, settlement."""

from decimal import Decimal

import pytest

from actions import Group
from client import Person, eventually, money, value
from suite.suite import Suite

NEEDS = ["gateway", "auth", "groups", "notifications"]


@pytest.fixture(scope="module")
def group(suite: Suite) -> Group:
    return Group(suite)


@pytest.mark.parametrize(
    ("amount", "currency"), [("100.00", "EUR"), ("100", "JPY"), ("100.000", "KWD")]
)
def test_an_equal_split_sums_to_the_last_minor_unit(
    group: Group, amount: str, currency: str
) -> None:
    expense = group.expense(amount, currency)
    shares = [value(share["amount"]) for share in expense["shares"]]
    assert sum(shares) == Decimal(amount)
    assert max(shares) - min(shares) == Decimal(1).scaleb(Decimal(amount).as_tuple().exponent)
    balances = group.balances(currency)
    assert sum(balances.values()) == 0
    assert balances[group.of_ada] == -balances[group.of_bob] - balances[group.of_cleo]
    assert {-balances[group.of_bob], -balances[group.of_cleo]} <= set(shares)


def test_the_remainder_falls_by_a_stable_rule(suite: Suite) -> None:
    group = Group(suite)
    first, second = group.expense("100.00"), group.expense("100.00")
    assert first["shares"] == second["shares"]


def test_settling_clears_the_debt(suite: Suite) -> None:
    group = Group(suite)
    group.expense("100.00")
    owed = -group.balances("EUR")[group.of_bob]
    assert owed > 0
    debts = group.bob.get(f"{group.path}/balances")["simplified"]
    assert len(debts) == 2
    group.bob.problem(
        "POST",
        f"{group.path}/settlements",
        422,
        "settlement-too-large",
        json={"withMemberId": group.of_ada, "amount": money(f"{owed + Decimal('0.01')}")},
    )
    group.bob.post(f"{group.path}/settlements", {"withMemberId": group.of_ada})
    eventually(lambda: group.balances("EUR")[group.of_bob] == 0)
    group.bob.problem(
        "POST",
        f"{group.path}/settlements",
        409,
        "nothing-to-settle",
        json={"withMemberId": group.of_ada},
    )


def test_a_stranger_does_not_see_the_group(group: Group, person: Person) -> None:
    for path in (group.path, f"{group.path}/balances", f"{group.path}/expenses"):
        assert person.send("GET", path).status_code == 404
    body = {"name": "Mine", "amount": money("1.00")}
    assert person.send("POST", f"{group.path}/expenses", json=body).status_code == 404


def test_the_personal_group_takes_no_invitation(ada: Person, person: Person) -> None:
    (personal,) = person.get("/v1/groups")["items"]
    assert personal["personal"] is True and personal["memberCount"] == 1
    path = f"/v1/groups/{personal['id']}/invitations"
    person.problem("POST", path, 409, "default-group", json={"username": ada.username})


def test_inviting_somebody_unknown_makes_nothing(person: Person) -> None:
    body = {"name": "Nobody", "invitations": [{"username": "nobody-has-this-name"}]}
    person.problem("POST", "/v1/groups", 404, "user-not-found", json=body)
    assert len(person.get("/v1/groups")["items"]) == 1
