"""Step 8: what a chief operating officer sees of everybody, and what nobody sees of anybody."""

import io
from collections import defaultdict
from decimal import Decimal

import pytest
from pypdf import PdfReader

from client import Api, Person, eventually, money, value
from conftest import make_admin
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "analytics"]
#: A day long past, so that no other test's transactions are in the period.
DAY = "2023-05-17"
PERIOD = {"from": "2023-05-01", "to": "2023-05-31", "groupBy": "category"}


def category(person: Person, coicop: str) -> str:
    body = {"name": f"Division {coicop}", "coicop": coicop}
    return person.post("/v1/categories", body)["id"]


class Crowd:
    """Twelve users who buy food, eleven who travel, three who pay for education."""

    def __init__(self, suite: Suite):
        self.people = [Person(suite) for _ in range(12)]
        self.totals: dict[str, Decimal] = defaultdict(Decimal)
        self.categories: dict[tuple[str, str], str] = {}
        for index, person in enumerate(self.people):
            self.spend(person, "01", Decimal("10.01") + index)
            if index < 11:
                self.spend(person, "07", Decimal("3.33"))
            if index < 3:
                self.spend(person, "10", Decimal("500.00"))

    def spend(self, person: Person, coicop: str, amount: Decimal) -> None:
        key = (person.id, coicop)
        if key not in self.categories:
            self.categories[key] = category(person, coicop)
        body = {"amount": money(f"-{amount}"), "date": DAY, "categoryId": self.categories[key]}
        person.post("/v1/transactions", body)
        self.totals[coicop] += amount

    def release(self, suite: Suite) -> None:
        """Tells everybody's figures once analytics has all that was booked."""
        query = f"select count(*) from analytics.fact where day = '{DAY}' and not is_reversed"
        eventually(
            lambda: int(suite.postgres.psql("-c", query, database="ezwallet_analytics")),
            until=lambda count: count == 26,
        )
        suite.command("analytics", "release")


@pytest.fixture(scope="module")
def crowd(suite: Suite) -> Crowd:
    crowd = Crowd(suite)
    crowd.release(suite)
    return crowd


@pytest.fixture(scope="module")
def officer(suite: Suite) -> Api:
    return make_admin(suite, role="coo")


def cells(officer: Api) -> dict[str, dict]:
    answer = officer.get("/v1/insights/spending", **PERIOD)
    return {cell["category"]: cell for cell in answer["cells"]}


def test_the_figures_equal_the_ledgers(crowd: Crowd, officer: Api) -> None:
    found = cells(officer)
    assert found["01"]["users"] == 12
    assert value(found["01"]["total"]) == crowd.totals["01"]
    assert found["01"]["count"] == 12
    assert value(found["01"]["median"]) == Decimal("15.51")
    assert value(found["01"]["p90"]) == Decimal("20.01")


def test_a_category_of_three_users_is_suppressed(crowd: Crowd, officer: Api) -> None:
    answer = officer.send("GET", "/v1/insights/spending", params=PERIOD)
    assert "1500.00" not in answer.text
    cell = cells(officer)["10"]
    assert cell["suppressed"] is True and "total" not in cell and "users" not in cell


def test_days_stand_for_their_months_and_few_look_like_nobody(crowd: Crowd, officer: Api) -> None:
    days = {**PERIOD, "from": "2023-05-03", "to": "2023-05-16"}
    answer = officer.get("/v1/insights/spending", **days)
    assert (answer["from"], answer["to"]) == (PERIOD["from"], PERIOD["to"])
    found = {cell.pop("category"): cell for cell in answer["cells"]}
    assert found["01"]["users"] == 12
    assert found["10"] == found["12"], "nobody has paid for the twelfth"


def test_documents_tell_no_more_than_json_does(crowd: Crowd, officer: Api) -> None:
    told = {name: cell for name, cell in cells(officer).items() if not cell["suppressed"]}
    params = PERIOD | {"format": "pdf"}
    answer = officer.send("GET", "/v1/insights/spending", params=params)
    assert answer.headers["content-type"] == "application/pdf"
    reader = PdfReader(io.BytesIO(answer.content), strict=True)
    text = "\n".join(page.extract_text() for page in reader.pages)
    for cell in told.values():
        assert f"{value(cell['total']):,}" in text and f"{value(cell['mean']):,}" in text
    # Each in its line, and the chart says how many it does not show.
    left_out = 16 - len(told)
    assert text.count("Withheld") == left_out + 1 and "As of" in text
    assert f"Withheld: {left_out}" in text
    for hidden in ("500.00", "1,500.00", "2,000.00"):
        assert hidden not in text
    # One slice, which is the whole of what is told.
    assert "100.0%" in "".join(text.split())


def test_a_query_tells_what_the_call_does_in_the_order_asked_for(
    crowd: Crowd, officer: Api
) -> None:
    def ask(**more: object) -> dict:
        query = {"measures": ["total", "users"], "dimensions": ["category"]} | {
            key: PERIOD[key] for key in ("from", "to")
        }
        return officer.post("/v1/insights/queries", query | more, status=200)

    whole = officer.get("/v1/insights/spending", **PERIOD)
    told = ask()
    assert "usage" not in told and "1500.00" not in str(told)
    for cell, shown in zip(whole["cells"], told["spending"]["cells"], strict=True):
        names = ("category", "suppressed", "total", "users")
        assert shown == {name: cell[name] for name in names if name in cell}
    count = sum(not cell["suppressed"] for cell in whole["cells"])
    explained = told["explanation"]
    assert (explained["told"], explained["suppressed"]) == (count, 16 - count)
    assert [note["reason"] for note in explained["notes"]] == ["suppressed"]
    for descending in (True, False):
        order = [{"by": "total", "descending": descending}]
        ordered = ask(order=order)["spending"]["cells"]
        assert sorted(ordered, key=str) == sorted(told["spending"]["cells"], key=str)
        # What is hidden comes last by its keys, however much there is in it.
        assert [cell["suppressed"] for cell in ordered] == [False] * count + [True] * (16 - count)
        hidden = [cell["category"] for cell in ordered[count:]]
        assert hidden == sorted(hidden)
        first = ask(order=order, limit=count + 2)
        assert first["spending"]["cells"] == ordered[: count + 2]
        assert first["explanation"]["told"] == count
        assert "beyond-limit" in [note["reason"] for note in first["explanation"]["notes"]]
    later = ask(**{"to": "2023-07-31"})["explanation"]["notes"]
    assert "Of 3 months 1 are told" in next(
        note["detail"] for note in later if note["reason"] == "not-released"
    )


def test_a_plain_user_sees_no_insights(crowd: Crowd) -> None:
    answer = crowd.people[0].send("GET", "/v1/insights/spending", params=PERIOD)
    assert answer.status_code == 403


def test_an_officer_has_insights_and_nothing_else(officer: Api) -> None:
    assert officer.send("GET", "/v1/accounts").status_code == 403


def test_whoever_watches_sees_no_single_booking(suite: Suite, crowd: Crowd, officer: Api) -> None:
    """Neither before the next release nor with it, of whichever replica is asked."""
    before = officer.get("/v1/insights/spending", **PERIOD)
    crowd.spend(crowd.people[0], "01", Decimal("77.31"))
    query = "select count(*) from analytics.fact where amount = -7731"
    eventually(lambda: int(suite.postgres.psql("-c", query, database="ezwallet_analytics")))
    for _ in range(4):
        assert officer.get("/v1/insights/spending", **PERIOD) == before
    told = {cell["category"] for cell in before["cells"] if not cell["suppressed"]}
    assert told == {"01"}
    suite.command("analytics", "release")
    after = officer.get("/v1/insights/spending", **PERIOD)
    assert after["asOf"] > before["asOf"]
    assert after["cells"] == before["cells"] and after["months"] == before["months"]
    [month] = after["months"]
    assert month["month"] == "2023-05"
    assert before["asOf"] <= month["asOf"] < after["asOf"], "read when it was last taken up"
