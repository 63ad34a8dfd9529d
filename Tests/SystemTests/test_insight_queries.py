"""Queries for everybody's figures, and those that a chief operating officer keeps, under fire."""

import json
import os
import signal
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from actions import at_once
from client import Api, Person, eventually, mail_text, mails
from conftest import make_admin
from suite.executables import EXECUTABLES
from suite.suite import Suite

NEEDS = EXECUTABLES
QUERIES, SAVED = "/v1/insights/queries", "/v1/insights/saved-queries"
TOTAL = {"measures": ["total"]}


@pytest.fixture(scope="module")
def officer(suite: Suite) -> Api:
    return make_admin(suite, "coo")


def ask(officer: Api, query: dict[str, Any]) -> dict[str, Any]:
    return officer.post(QUERIES, query, status=200)


def keep(officer: Api, query: dict[str, Any], name: str | None = None) -> dict[str, Any]:
    return officer.post(SAVED, {"name": name or uuid.uuid4().hex, "query": query})


def places(problem: dict[str, Any]) -> dict[str, str]:
    return {one["pointer"]: one["code"] for one in problem["errors"]}


def test_nobody_but_an_officer_asks_or_keeps_anything(suite: Suite, person: Person) -> None:
    admin, some = make_admin(suite), str(uuid.uuid4())
    for one in (person, admin):
        one.problem("POST", QUERIES, 403, "forbidden", json=TOTAL)
        one.problem("POST", SAVED, 403, "forbidden", json={"name": "x", "query": TOTAL})
        for method, path in [
            ("GET", SAVED), ("GET", f"{SAVED}/{some}"), ("DELETE", f"{SAVED}/{some}"),
            ("GET", f"{SAVED}/{some}/answer"),
        ]:  # fmt: skip
            one.problem(method, path, 403, "forbidden")


#: What is wrong with each, and what is named of it.
HOSTILE: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"measures": "total"}, {"/measures": "wrong-type"}),
    ({"measures": [1, None, {}]}, {f"/measures/{n}": "wrong-type" for n in range(3)}),
    ({"measures": [[[[]]]]}, {"/measures/0": "wrong-type"}),
    (TOTAL | {"dimensions": {"category": 1}}, {"/dimensions": "wrong-type"}),
    (TOTAL | {"dimensions": ["user", "email"]},
     {"/dimensions/0": "unknown-value", "/dimensions/1": "unknown-value"}),
    (TOTAL | {"filters": {"area": ["IT' or 1=1 --"], "user": ["x"]}},
     {"/filters/area/0": "invalid-value", "/filters/user": "unknown-field"}),
    (TOTAL | {"filters": {"area": ["IT-\u2028x", "%", "IT-", "it", ""]}},
     {f"/filters/area/{n}": "invalid-value" for n in range(5)}),
    (TOTAL | {"filters": {"month": ["2024-13", "2024"], "currency": ["XXXX"]}},
     {"/filters/month/0": "invalid-month", "/filters/month/1": "invalid-month",
      "/filters/currency/0": "unknown-currency"}),
    (TOTAL | {"filters": {"area": ["IT"] * 51}}, {"/filters/area": "too-many"}),
    (TOTAL | {"limit": 10**30}, {"/limit": "out-of-range"}),
    (TOTAL | {"limit": 1.5}, {"/limit": "not-whole"}),
    (TOTAL | {"order": [{"by": "users"}, {"by": "email"}]},
     {"/order/0/by": "unknown-value", "/order/1/by": "unknown-value"}),
    (TOTAL | {"order": [{"by": {}, "descending": "yes"}, 1]},
     {"/order/0/by": "wrong-type", "/order/0/descending": "wrong-type", "/order/1": "wrong-type"}),
    (TOTAL | {"in": "JPY"}, {"/in": "unknown-value"}),
    (TOTAL | {"from": "2024-02-01", "to": "2024-01-31"}, {"/to": "out-of-range"}),
    ({"measures": ["total", "funnel"]}, {"/measures/1": "conflict"}),
    ({"measures": ["active"], "filters": {"area": ["IT", "FR"]}}, {"/filters/area": "too-many"}),
]  # fmt: skip


def test_whatever_is_wrong_is_named_where_it_stands(officer: Api) -> None:
    for query, wrong in HOSTILE:
        problem = officer.problem("POST", QUERIES, 422, "invalid-body", json=query)
        assert places(problem).items() >= wrong.items(), query
        if query != TOTAL | {"in": "JPY"}:
            # One that can never be answered is not kept either.
            problem = officer.problem(
                "POST", SAVED, 422, "invalid-body", json={"name": "x", "query": query}
            )
            kept = {f"/query{pointer}": code for pointer, code in wrong.items()}
            assert places(problem).items() >= kept.items(), query
    problem = officer.problem(
        "POST", QUERIES, 422, "unknown-measure", json={"measures": ["total", "adClicks"]}
    )
    assert places(problem) == {"/measures/1": "unknown-value"}


@pytest.mark.parametrize("count", [200, 201, 1_000])
def test_of_hundreds_of_faults_two_hundred_are_named(officer: Api, count: int) -> None:
    faults = {f"x{number}": 1 for number in range(count)}
    for query in [
        TOTAL | faults, TOTAL | {"filters": faults}, {"measures": ["x"] * count},
        {"measures": [f"m{number}" for number in range(count)]},
        TOTAL | {"dimensions": ["x"] * count}, TOTAL | {"order": [{}] * count},
        TOTAL | {"order": [{"by": "x"}] * count}, TOTAL | {"filters": {"area": ["x"] * count}},
    ]:  # fmt: skip
        for path, body in [(QUERIES, query), (SAVED, {"name": "x", "query": query})]:
            problem = officer.problem("POST", path, 422, "invalid-body", json=body)
            assert len(problem["errors"]) == 200, query.keys()


def test_what_is_huge_or_deep_is_refused_before_it_is_read(officer: Api) -> None:
    headers = {"Content-Type": "application/json"}
    for content, status in [
        (b'{"measures":["' + b"x" * (70 << 10) + b'"]}', 413),
        (b'{"measures":' + b"[" * 5_000 + b"]" * 5_000 + b"}", 400),
        (b'{"measures":["total"],"measures":["users"]}', 400),
        (b'{"measures":["total"', 400), (b"[]", 422), (b"null", 422), (b"7", 422),
    ]:  # fmt: skip
        for path in (QUERIES, SAVED):
            answer = officer.send("POST", path, content=content, headers=headers)
            assert answer.status_code == status, (path, content[:40], answer.text)
            assert answer.headers["content-type"].startswith("application/problem+json")


def test_a_period_without_end_is_answered_or_refused(officer: Api) -> None:
    whole = {"from": "0001-01-01", "to": "9999-12-31"}
    all_of_it = {"dimensions": ["month", "category", "area", "age-band"], "limit": 1}
    for query in (TOTAL | whole, TOTAL | whole | all_of_it):
        answer = ask(officer, query)
        assert answer["spending"]["to"] == "9999-12-31" and len(answer["spending"]["cells"]) <= 1
        assert "not-released" in [note["reason"] for note in answer["explanation"]["notes"]]
    problem = officer.problem(
        "POST", QUERIES, 422, "invalid-body", json=whole | {"measures": ["active"]}
    )
    assert places(problem) == {"/to": "out-of-range"}


def test_a_kept_query_is_its_owners_alone(suite: Suite, officer: Api) -> None:
    name = f"Straße {uuid.uuid4().hex[:8]}"
    query = {
        "measures": ["total", "users"], "dimensions": ["category", "area"],
        "filters": {"area": ["IT", "unknown"]}, "order": [{"by": "total", "descending": True}],
        "limit": 20,
    }  # fmt: skip
    made = keep(officer, query, name)
    path = f"{SAVED}/{made['id']}"
    assert made["query"] == query and made["name"] == name
    officer.problem(
        "POST", SAVED, 409, "saved-query-name-taken",
        json={"name": name.upper(), "query": TOTAL},
    )  # fmt: skip
    read = officer.send("GET", path)
    assert read.json() == made and read.headers["etag"] == '"1"'
    assert made in officer.get(SAVED)["items"]
    other = make_admin(suite, "coo")
    assert other.get(SAVED)["items"] == []
    for method, target in [("GET", path), ("DELETE", path), ("GET", f"{path}/answer")]:
        other.problem(method, target, 404, "not-found")
    other.problem("PATCH", path, 404, "not-found", json={"name": "mine"})
    # By whoever has seen it last.
    stale = {"If-Match": '"0"'}
    officer.problem("PATCH", path, 412, "precondition-failed", json={"name": "x"}, headers=stale)
    officer.problem("DELETE", path, 412, "precondition-failed", headers=stale)
    problem = officer.problem("PATCH", path, 422, "unknown-measure",
                              json={"query": {"measures": ["clicks"]}})  # fmt: skip
    assert places(problem) == {"/query/measures/0": "unknown-value"}
    headers = {"If-Match": '"1"'}
    changed = officer.send("PATCH", path, json={"query": TOTAL}, headers=headers)
    assert changed.status_code == 200 and changed.headers["etag"] == '"2"'
    assert changed.json()["query"] == TOTAL and changed.json()["name"] == name
    assert officer.get(f"{path}/answer") == ask(officer, TOTAL)
    officer.call("DELETE", path, 204, headers={"If-Match": '"2"'})
    officer.problem("GET", path, 404, "not-found")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"measures":["total","adClicks"]}', "unknown-measure"),
        ('{"measures":["total"],"dimensions":["planet"],"filters":{"area":["IT"]}}',
         "invalid-body"),
        ("[]", "invalid-body"),
    ],
)  # fmt: skip
def test_a_query_of_another_version_is_seen_and_refused_and_removed(
    suite: Suite, officer: Api, text: str, code: str
) -> None:
    made = keep(officer, TOTAL)
    path = f"{SAVED}/{made['id']}"
    sql(suite, f"update analytics.saved_query set query = '{text}' where id = '{made['id']}'")
    seen = officer.get(path)
    assert seen["name"] == made["name"] and seen["unreadable"] == text and "query" not in seen
    assert seen in officer.get(SAVED)["items"]
    assert officer.problem("GET", f"{path}/answer", 422, code)["errors"]
    named = officer.call("PATCH", path, 200, json={"name": uuid.uuid4().hex})
    assert named["unreadable"] == text
    officer.call("DELETE", path, 204)
    officer.problem("GET", path, 404, "not-found")


def test_of_two_changes_at_once_one_wins(officer: Api) -> None:
    for _ in range(10):
        path = f"{SAVED}/{keep(officer, TOTAL)['id']}"
        names = [uuid.uuid4().hex, uuid.uuid4().hex]

        def rename(number: int, path: str = path, names: list[str] = names) -> int:
            body, headers = {"name": names[number]}, {"If-Match": '"1"'}
            return officer.send("PATCH", path, json=body, headers=headers).status_code

        said = at_once(2, rename)
        assert sorted(said) == [200, 412]
        read = officer.send("GET", path)
        assert read.headers["etag"] == '"2"' and read.json()["name"] == names[said.index(200)]

        def end(number: int, path: str = path) -> int:
            method, body = [("PATCH", {"query": TOTAL | {"limit": 7}}), ("DELETE", None)][number]
            return officer.send(method, path, json=body, headers={"If-Match": '"2"'}).status_code

        said = at_once(2, end)
        assert said in ([200, 412], [404, 204])
        assert officer.send("GET", path).status_code == (200 if said[0] == 200 else 404)


def test_every_question_is_in_the_log(suite: Suite, officer: Api) -> None:
    query = TOTAL | {"filters": {"area": ["IT-25"]}, "limit": 7}
    made = keep(officer, query)
    ask(officer, query)
    officer.get(f"{SAVED}/{made['id']}/answer")
    # What is no query is none that was asked.
    officer.problem("POST", QUERIES, 422, "unknown-measure", json={"measures": ["clicks"]})
    told = make_admin(suite).get("/v1/audit", action="insights-read", limit=2)["items"]
    assert [(one["detail"]["path"], json.loads(one["detail"]["query"])) for one in told] == [
        (f"{SAVED}/{{id}}/answer", query),
        (QUERIES, query),
    ]


def test_kept_queries_go_with_their_owner(suite: Suite) -> None:
    officer = make_admin(suite, "coo")
    kept = keep(officer, TOTAL)
    me = officer.get("/v1/users/me")["id"]
    admin = make_admin(suite)
    # An account of money is what could hold it up, and an officer has none.
    admin.call("DELETE", f"/v1/users/{me}", 202)
    query = f"select count(*) from analytics.saved_query where id = '{kept['id']}'"
    eventually(
        lambda: suite.postgres.psql("-c", query, database="ezwallet_analytics"),
        until=lambda count: count == "0",
    )


def sql(suite: Suite, statement: str, service: str = "analytics") -> str:
    found = suite.postgres.psql("-At", "-c", statement, database=f"ezwallet_{service}")
    return found.strip()


def reader(suite: Suite) -> dict[str, Any]:
    """An officer whom notifications knows, with a month that can be told of."""
    officer, person = make_admin(suite, "coo"), Person(suite)
    me = officer.get("/v1/users/me")
    known = "select count(*) from notifications.person where reads_insights and user_id = "
    eventually(lambda: int(sql(suite, f"{known}'{me['id']}'", "notifications")))
    # Somebody has been here for months, and was there today.
    late = f"from analytics.active_month where user_id = '{person.id}'"
    eventually(lambda: int(sql(suite, f"select count(*) {late}")))
    sql(suite, "update analytics.person set registered_on = now() - interval '3 months'"
        f" where user_id = '{person.id}'")  # fmt: skip
    return me


def reports(suite: Suite, me: dict[str, Any]) -> list[Any]:
    return [one for one in mails(suite, me["email"]) if one["Subject"].startswith("Figures")]


def test_that_a_month_is_there_is_mailed_to_an_officer_once(suite: Suite) -> None:
    me = reader(suite)
    heads = "select sequence from {}.{} where aggregate = 'insights:months'"
    heard = heads.format("notifications", "inbox")
    for _ in range(2):
        # As though it were the first month, of which it is then told again.
        sql(suite, "delete from analytics.announced_month")
        suite.command("analytics", "release")
        head = sql(suite, heads.format("analytics", "aggregate_sequence"))
        eventually(lambda: sql(suite, heard, "notifications"), until=head.__eq__)
        suite.command("analytics", "release")
        assert sql(suite, heads.format("analytics", "aggregate_sequence")) == head
    (mail,) = eventually(lambda: reports(suite, me))
    month = sql(suite, "select to_char(max(month), 'YYYY-MM') from analytics.announced_month")
    text = mail_text(mail)
    assert f"/insights?month={month}" in text.replace("\n", "")
    count = f"select count(*) from notifications.message where user_id = '{me['id']}'"
    assert sql(suite, f"{count} and template = 'monthly-report'", "notifications") == "1"
    told = sql(suite, "select payload from analytics.outbox where aggregate = 'insights:months'"
               " order by id desc limit 1")  # fmt: skip
    assert json.loads(told) == {"month": month}


def kin(pid: int) -> Iterator[int]:
    """A process and all that it has begun, which begins no others once it is stopped."""
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from kin(int(child))


@contextmanager
def frozen(suite: Suite, *programs: str) -> Iterator[None]:
    """They take what comes, and answer nothing."""
    stopped: list[int] = []
    try:
        for program in programs:
            for pid in kin(suite.pid(program)):
                os.kill(pid, signal.SIGSTOP)
                stopped.append(pid)
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.alone
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("programs", "statuses"),
    [
        # Within a call's time they go on where they were.
        (["ezwallet-analytics-1", "ezwallet-analytics-2"], {200, 201, 204}),
        # A key may be told to be somebody else's, who is to be waited for.
        (["postgres-1"], {409}),
    ],
)
def test_who_is_frozen_loses_nothing_and_does_nothing_twice(
    suite: Suite, programs: list[str], statuses: set[int]
) -> None:
    officer = make_admin(suite, "coo")
    changed, removed = (f"{SAVED}/{keep(officer, TOTAL)['id']}" for _ in range(2))
    key, made, named = (str(uuid.uuid4()) for _ in range(3))
    seen = {"headers": {"If-Match": '"1"'}}
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", QUERIES, {"json": TOTAL}), ("GET", f"{changed}/answer", {}), ("GET", SAVED, {}),
        ("POST", SAVED, {"json": {"name": made, "query": TOTAL}, "key": key}),
        ("PATCH", changed, {"json": {"name": named}} | seen), ("DELETE", removed, seen),
    ]  # fmt: skip
    officer.http.timeout = httpx.Timeout(60)

    def ask_once(number: int) -> tuple[float, httpx.Response]:
        method, path, options = calls[number]
        begun = time.monotonic()
        answer = officer.send(method, path, retry=False, **options)
        return time.monotonic() - begun, answer

    with ThreadPoolExecutor(len(calls)) as pool:
        with frozen(suite, *programs):
            asked = [pool.submit(ask_once, number) for number in range(len(calls))]
            # Longer than a service waits for its database.
            time.sleep(7)
        answers = [one.result() for one in asked]
    for (method, path, _), (seconds, answer) in zip(calls, answers, strict=True):
        said = (method, path, seconds, answer.status_code, answer.text)
        assert answer.status_code in statuses | {503, 504} and seconds < 9, said
        if answer.status_code == 409:
            assert answer.json()["code"] == "idempotency-key-in-use", said
    # Each was done once by now, or is done when it is asked for again, or never was.
    assert officer.post(SAVED, calls[3][2]["json"], key=key)["name"] == made
    assert officer.send("PATCH", changed, **calls[4][2]).status_code in (200, 412)
    assert officer.send("DELETE", removed, **seen).status_code in (204, 404)
    items = officer.get(SAVED)["items"]
    assert sorted(one["name"] for one in items) == sorted([made, named])
    assert officer.send("GET", changed).headers["etag"] == '"2"'
    assert officer.get(f"{changed}/answer") == ask(officer, TOTAL)


@pytest.mark.alone
@pytest.mark.timeout(120)
def test_a_month_that_is_told_while_nobody_mails_is_mailed_once(suite: Suite) -> None:
    me = reader(suite)
    with frozen(suite, "ezwallet-notifications-1", "ezwallet-notifications-2"):
        sql(suite, "delete from analytics.announced_month")
        suite.command("analytics", "release")
        # What is published waits for whoever holds it to take it up, or for another.
        time.sleep(3)
    assert len(eventually(lambda: reports(suite, me))) == 1
    head = "select sequence from {}.{} where aggregate = 'insights:months'"
    last = sql(suite, head.format("analytics", "aggregate_sequence"))
    heard = head.format("notifications", "inbox")
    eventually(lambda: sql(suite, heard, "notifications"), until=last.__eq__)
    count = f"select count(*) from notifications.message where user_id = '{me['id']}'"
    assert sql(suite, f"{count} and template = 'monthly-report'", "notifications") == "1"
    assert len(reports(suite, me)) == 1
