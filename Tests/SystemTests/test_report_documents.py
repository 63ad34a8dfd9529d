"""Reports as CSV, PDF, SVG and PNG: what they say is what JSON says, in the reader's language, with
names that their owners have chosen, whatever these are."""

import csv
import io
import struct
from collections.abc import Iterable
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import pytest
from pypdf import PdfReader

from actions import Group, at_once
from client import Person, eventually, money, value
from conftest import make_admin
from families import Family
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger", "groups", "analytics"]
KINDS = ["summary", "categories", "trends", "cash-flow"]
LEDGERS = ["balances", "budgets", "payees", "places", "forecast"]
TYPES = {
    "csv": "text/csv; charset=utf-8", "pdf": "application/pdf", "svg": "image/svg+xml",
    "png": "image/png",
}  # fmt: skip
MAY = {"from": "2024-05-01", "to": "2024-05-31"}
#: What people may call a category.
NAMES = ["=1+1", '"quoted", with; all', "قهوة في الزاوية", "<script>alert(1)</script>",
         "👩\u200d👧" * 20, "W" * 60, "Bread & butter"]  # fmt: skip


def document(api: Any, path: str, kind: str, **params: Any) -> bytes:
    answer = api.send("GET", path, params=params | {"format": kind})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == TYPES[kind]
    use = "inline" if kind in ("svg", "png") else "attachment"
    name = path.rpartition("/")[2]
    told = answer.headers["content-disposition"]
    assert told.startswith(f'{use}; filename="{name}-') and told.endswith(f'.{kind}"')
    return answer.content


def table(api: Any, path: str, **params: Any) -> list[dict[str, str]]:
    """The lines of a table, by the names of their columns."""
    answer = api.send("GET", path, params=params | {"format": "csv"})
    assert answer.status_code == 200, answer.text
    text = answer.content.decode("utf-8")
    assert text.startswith("\ufeff") and text.endswith("\r\n")
    rows = list(csv.reader(io.StringIO(text[1:], newline="")))
    assert all(len(row) == len(rows[0]) for row in rows)
    # Nothing of a user's is a formula.
    assert not [cell for row in rows for cell in row if cell[:1] in "=+@\t\r" and cell]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def read(content: bytes) -> tuple[PdfReader, str]:
    reader = PdfReader(io.BytesIO(content), strict=True)
    return reader, "\n".join(page.extract_text() for page in reader.pages)


def check_picture(content: bytes, kind: str) -> None:
    """That it is one, and asks nobody for anything."""
    if kind == "png":
        assert content[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", content[16:24]) == (1280, 720)
        return
    for element in ElementTree.fromstring(content).iter():
        assert element.tag.startswith("{http://www.w3.org/2000/svg}"), element.tag
        assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "a")
        for name, text in element.attrib.items():
            assert not name.startswith("on"), name
            if name.endswith("href"):
                assert text.startswith(("#", "data:image/png;base64,")), text


def check_all(
    api: Any, path: str, kinds: Iterable[str] = KINDS, **params: Any
) -> dict[str, str]:  # fmt: skip
    """Every form of some reports, of analytics' where left out; the texts of the pages."""
    texts = {}
    for kind in kinds:
        for form in ("svg", "png"):
            check_picture(document(api, f"{path}/{kind}", form, **params), form)
        reader, texts[kind] = read(document(api, f"{path}/{kind}", "pdf", **params))
        assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
        assert table(api, f"{path}/{kind}", **params)
    return texts


class Shopper(Person):
    """Somebody who has bought something of each name, and earned once."""

    def __init__(self, suite: Suite, **fields: Any):
        super().__init__(suite, **fields)
        self.categories = {}
        for index, name in enumerate(NAMES):
            self.categories[name] = self.post("/v1/categories", {"name": name})["id"]
            self.spend(self.categories[name], f"-{(index + 1) * 1000}.01", index + 2)
        self.spend(self.categories[NAMES[0]], "12345.67", 20)
        eventually(
            lambda: self.get("/v1/reports/summary", **MAY),
            until=lambda told: told["count"] == len(NAMES) + 1,
        )

    def spend(self, category: str, amount: str, day: int) -> None:
        self.post(
            "/v1/transactions",
            {"amount": money(amount), "date": f"2024-05-{day:02}", "categoryId": category},
        )


@pytest.fixture(scope="module")
def shopper(suite: Suite) -> Shopper:
    return Shopper(suite, language="it")


def test_every_report_comes_in_every_form(shopper: Shopper) -> None:
    texts = check_all(shopper, "/v1/reports", **MAY)
    # Headings, days and sums are in the reader's language.
    assert "Riepilogo" in texts["summary"] and "Pagina 1" in texts["summary"]
    assert "12.345,67" in texts["summary"] and "1 mag 2024 – 31 mag 2024" in texts["summary"]
    assert "Per categoria – Uscite" in texts["categories"] and "7.000,01" in texts["categories"]
    assert "Bread & butter" in texts["categories"] and "<script>" in texts["categories"]
    compact = "".join(texts["categories"].split())
    for word in ["قهوة", "الزاوية"]:
        # This reader gives them letter by letter as they stand.
        assert word in compact or word[::-1] in compact
    assert "Flusso di cassa" in texts["cash-flow"] and "Cumulato" in texts["cash-flow"]
    assert "Andamento" in texts["trends"]
    by = document(shopper, "/v1/reports/trends", "pdf", by="category", interval="week", **MAY)
    assert "Bread & butter" in read(by)[1]
    income = read(document(shopper, "/v1/reports/categories", "pdf", direction="in", **MAY))[1]
    assert "Per categoria – Entrate" in income and "Bread" not in income


def test_tables_are_what_json_says(shopper: Shopper) -> None:
    told = shopper.get("/v1/reports/categories", **MAY)
    rows = table(shopper, "/v1/reports/categories", **MAY)
    names = {one: name for name, one in shopper.categories.items()}
    found = [row for row in rows if row["row"] == "category"]
    assert [row["categoryId"] for row in found] == [one["categoryId"] for one in told["items"]]
    for row, one in zip(found, told["items"], strict=True):
        assert row["category"].removeprefix("'") == names[row["categoryId"]]
        assert (row["amount"], row["percent"]) == (one["amount"]["amount"], one["percent"])
        assert row["net"] == one["net"]["amount"]
    (total,) = (row for row in rows if row["row"] == "total")
    assert Decimal(total["amount"]) == sum(Decimal(row["amount"]) for row in found)
    assert total["net"] == told["net"]["amount"]
    days = table(shopper, "/v1/reports/trends", by="category", **MAY)
    points = [row for row in days if row["row"] == "point"]
    assert len(points) == 31 * len(NAMES)
    flow = shopper.get("/v1/reports/cash-flow", **MAY)
    rows = [row for row in table(shopper, "/v1/reports/cash-flow", **MAY) if row["row"] == "point"]
    for row, one in zip(rows, flow["points"], strict=True):
        for name in ("inflow", "outflow", "net", "cumulative"):
            assert row[name] == one[name]["amount"]
        assert (row["from"], row["to"]) == (one["from"], one["to"])


def test_without_data_charts_are_empty_and_documents_valid(person: Person) -> None:
    texts = check_all(person, "/v1/reports")
    assert "Summary" in texts["summary"] and "By category" in texts["categories"]
    # A grey pie, and no label but the chart's title.
    picture = document(person, "/v1/reports/categories", "svg")
    assert b"rgb(74.9019" in picture
    shown = [one for one in ElementTree.fromstring(picture).iter() if one.tag.endswith("}use")]
    assert len(shown) == len("Money out")
    texts = check_all(person, "/v1/reports", LEDGERS)
    assert "Forecast" in texts["forecast"] and "Others" not in texts["payees"]


def test_the_ledgers_reports_come_in_every_form(shopper: Shopper) -> None:
    texts = check_all(shopper, "/v1/reports", LEDGERS[:-1], **MAY)
    texts |= check_all(shopper, "/v1/reports", LEDGERS[-1:])
    assert "Saldo finale" in texts["balances"] and "Default" in texts["balances"]
    assert "Speso" in texts["budgets"] and "Bread & butter" in texts["budgets"]
    assert "Per beneficiario – Uscite" in texts["payees"] and "28.000,07" in texts["payees"]
    assert "Per luogo" in texts["places"] and "Previsione" in texts["forecast"]


def test_the_ledgers_tables_are_what_json_says(shopper: Shopper) -> None:
    for kind in LEDGERS:
        query = {} if kind == "forecast" else MAY
        told = shopper.get(f"/v1/reports/{kind}", **query)
        rows = table(shopper, f"/v1/reports/{kind}", **query)
        if kind == "balances":
            found = [row["balance"] for row in rows if row["row"] == "all"]
            points = [told["opening"], *told["points"]]
            assert found == [one["balance"]["amount"] for one in points]
        elif kind == "budgets":
            spent = {row["category"].removeprefix("'"): row for row in rows
                     if row["row"] == "envelope"}  # fmt: skip
            assert set(spent) >= set(NAMES)
            assert {one["name"]: one["spent"]["amount"] for one in told["items"]} == {
                name: row["spent"] for name, row in spent.items()
            }
        elif kind in ("payees", "places"):
            (total,) = (row for row in rows if row["row"] == "total")
            assert total["amount"] == told["total"]["amount"]
        else:
            (net,) = (row for row in rows if row["row"] == "net")
            assert net["total"] == told["net"]["total"]["amount"]
        shopper.problem(
            "GET", f"/v1/reports/{kind}", 400, "invalid-query", params={"format": "exe"}
        )


def test_a_groups_documents_have_its_names_for_members_alone(suite: Suite) -> None:
    group = Group(suite)
    food = group.ada.post(f"{group.path}/categories", {"name": "=Bread, shared"})["id"]
    body = {"name": "x", "date": "2024-05-03", "amount": money("30.00"), "categoryId": food}
    group.ada.post(f"{group.path}/expenses", body)
    group.ada.post(f"{group.path}/expenses", body | {"categoryId": group.id})
    path = f"/v1/reports/groups/{group.id}"
    eventually(
        lambda: group.bob.get(f"{path}/summary", **MAY), until=lambda told: told["count"] == 2
    )
    texts = check_all(group.bob, path, **MAY)
    assert "=Bread, shared" in texts["categories"] and "Others" in texts["categories"]
    rows = table(group.cleo, f"{path}/categories", **MAY)
    names = {row["category"] for row in rows if row["row"] == "category"}
    assert names == {"'=Bread, shared", "Others"}
    for form in TYPES:
        Person(suite).problem("GET", f"{path}/categories", 404, "not-found",
                              params={"format": form})  # fmt: skip


def test_a_childs_documents_are_in_its_parents_language(suite: Suite) -> None:
    family = Family(suite)
    sweets = family.child.post("/v1/categories", {"name": "Sweets"})["id"]
    family.child.post(
        "/v1/transactions",
        {"amount": money("-3.00"), "date": "2024-05-03", "categoryId": sweets},
    )
    family.mother.call("PATCH", "/v1/users/me", 200, json={"language": "de"})
    path = f"/v1/reports/children/{family.child.id}"
    eventually(
        lambda: family.mother.get(f"{path}/summary", **MAY), until=lambda told: told["count"] == 1
    )
    eventually(
        lambda: read(document(family.mother, f"{path}/summary", "pdf", **MAY))[1],
        until=lambda text: "Übersicht" in text,
    )
    texts = check_all(family.mother, path, **MAY)
    assert "Nach Kategorien" in texts["categories"] and "Sweets" in texts["categories"]
    Person(suite).problem("GET", f"{path}/categories", 404, "not-found", params={"format": "pdf"})
    texts = check_all(family.mother, path, LEDGERS[:-1], **MAY)
    texts |= check_all(family.mother, path, LEDGERS[-1:])
    assert "Prognose" in texts["forecast"] and "Sweets" in texts["budgets"]


def test_an_officers_document_of_nothing_is_grey(suite: Suite) -> None:
    officer = make_admin(suite, role="coo")
    params = {"from": "1990-01-01", "to": "1990-03-31", "groupBy": "category"}
    for form in ("svg", "png"):
        check_picture(document(officer, "/v1/insights/spending", form, **params), form)
    _, text = read(document(officer, "/v1/insights/spending", "pdf", **params))
    # A line of each division, and of the chart, which says how many it does not show.
    assert "Insights – Money out" in text and text.count("Withheld") == 17
    assert "Withheld: 16" in text
    officer.problem("GET", "/v1/reports/summary", 403, "forbidden", params={"format": "pdf"})


def test_many_at_once_are_told_to_wait_and_nobody_else_is(suite: Suite, shopper: Shopper) -> None:
    def ask(_: int) -> int:
        params = MAY | {"format": "pdf"}
        path = "/v1/reports/categories"
        answer = shopper.send("GET", path, params=params, retry=False)
        if answer.status_code != 200:
            assert answer.json()["code"] in ("too-many-requests", "unavailable"), answer.text
            assert int(answer.headers["retry-after"]) > 0
        return answer.status_code

    # Of one person's two are made at once by each replica, and sixteen wait for two seconds.
    statuses = at_once(60, ask)
    assert 2 <= statuses.count(200) < 60
    assert value(shopper.get("/v1/reports/summary", **MAY)["income"]) == Decimal("12345.67")
