"""The second factor by an independent library, and proofs that have to be fresh."""

import concurrent.futures
import uuid
from functools import partial

import httpx
import jwt
import pytest

from actions import at_once, make_stale, switch_on
from client import Api, Person, eventually, mail_text, mails, money, session_of
from faults import connect
from suite.suite import Suite

NEEDS = ["gateway", "auth", "notifications"]


def begin(api: Api, person: Person) -> str:
    body = {"identifier": person.email, "password": person.password}
    challenge = api.post("/v1/sessions", body, status=202)["challenge"]
    assert challenge["channel"] == "totp" and "to" not in challenge
    return f"/v1/challenges/{challenge['id']}/answers"


def answer_one_of(suite: Suite, paths: list[str], code: str, index: int) -> httpx.Response:
    """Answers one of several challenges, by a client of its own."""
    return Api(suite).send("POST", paths[index % len(paths)], json={"code": code})


def claims(session: dict) -> dict:
    return jwt.decode(session["accessToken"], options={"verify_signature": False})


def test_a_code_of_the_app_is_taken_once_by_one(suite: Suite, person: Person) -> None:
    person.verify_email()
    app, codes = switch_on(person)
    assert len(set(codes)) == 10
    for code in (app.now(), codes[0]):
        paths = [begin(Api(suite), person) for _ in range(2)]
        answers = at_once(20, partial(answer_one_of, suite, paths, code))
        right = [answer for answer in answers if answer.status_code == 201]
        assert len(right) == 1, [answer.text for answer in answers]
        said = claims(session_of(right[0].json()))
        assert said["amr"] == ["pwd", "otp", "mfa"] and said["acr"] == "2"
        unlock(suite)
    visitor = Api(suite)
    path = begin(visitor, person)
    visitor.problem("POST", path, 422, "wrong-code", json={"code": codes[0]})
    session = session_of(visitor.post(path, {"code": codes[1]}))
    assert Api(suite, session["accessToken"]).get("/v1/users/me/totp")["recoveryCodesLeft"] == 8
    eventually(lambda: [m for m in mails(suite, person.email) if "recovery code" in mail_text(m)])
    # New codes void the old ones.
    owner = Api(suite, session["accessToken"])
    made = owner.post("/v1/users/me/recovery-codes")["recoveryCodes"]
    assert len(set(made)) == 10 and not set(made) & set(codes)
    path = begin(visitor, person)
    visitor.problem("POST", path, 422, "wrong-code", json={"code": codes[2]})
    visitor.post(path, {"code": made[0]})


def unlock(suite: Suite) -> None:
    """As though a day had passed for all who guess."""
    with connect(suite, "ezwallet_auth") as database:
        database.execute("delete from auth.failed_log_in")


def test_guesses_at_the_app_are_slowed_down_across_challenges(suite: Suite, person: Person) -> None:
    switch_on(person)
    seen: list[str] = []
    for _ in range(4):
        try:
            path = begin(Api(suite), person)
        except AssertionError:
            break
        answers = at_once(5, partial(answer_one_of, suite, [path], "abcdef"))
        seen += [answer.json()["code"] for answer in answers]
    assert set(seen) <= {"wrong-code", "challenge-exhausted", "locked-out"}
    # Six, and a few more where the first waits, of seconds, ended meanwhile.
    assert seen.count("wrong-code") <= 10 and "locked-out" in seen


@pytest.mark.needs("ledger")
def test_a_large_transfer_to_somebody_wants_a_fresh_proof(suite: Suite, person: Person) -> None:
    account = person.post("/v1/accounts", {"kind": "current", "currency": "EUR"})
    body = {"accountId": account["id"], "amount": money("5000.00")}
    person.post("/v1/transactions", body)
    own = person.post("/v1/accounts", {"kind": "current", "currency": "EUR", "name": "Own"})
    payee = Person(suite).post("/v1/accounts", {"kind": "current", "currency": "EUR"})
    make_stale(suite, person)

    def pay(amount: str, **to: str) -> dict:
        return {"fromAccountId": account["id"], "amount": money(amount)} | to

    person.post("/v1/transfers", pay("1000.00", toIban=payee["iban"]))
    person.post("/v1/transfers", pay("1000.01", toAccountId=own["id"]))
    large, key = pay("1000.01", toIban=payee["iban"]), str(uuid.uuid4())
    person.problem("POST", "/v1/transfers", 403, "step-up-required", json=large, key=key)
    person.problem("POST", "/v1/users/me/totp", 403, "step-up-required")
    challenge = person.post("/v1/challenges", {"purpose": "step-up"}, status=202)
    found = eventually(
        lambda: [m for m in mails(suite, person.email) if "code" in m["Subject"].lower()]
    )
    code = next(word for word in mail_text(found[-1]).split() if word.isdigit())
    before = claims({"accessToken": person.token})
    person.take(person.post(f"/v1/challenges/{challenge['id']}/answers", {"code": code}))
    after = claims({"accessToken": person.token})
    assert after["sid"] == before["sid"] and after["auth_time"] > before["auth_time"] + 3000
    person.post("/v1/transfers", large, key=key)
    switch_on(person)


@pytest.mark.needs("ledger")
def test_what_is_sent_within_a_day_is_summed_up(suite: Suite, person: Person) -> None:
    account = person.post("/v1/accounts", {"kind": "current", "currency": "EUR"})
    body = {"accountId": account["id"], "amount": money("5000.00")}
    person.post("/v1/transactions", body)
    payee = Person(suite).post("/v1/accounts", {"kind": "current", "currency": "EUR"})
    make_stale(suite, person)

    def pay(amount: str) -> dict:
        return {"fromAccountId": account["id"], "amount": money(amount), "toIban": payee["iban"]}

    first = str(uuid.uuid4())
    sent = person.post("/v1/transfers", pay("400.00"), key=first)

    def send(index: int) -> httpx.Response:
        api = Api(suite, person.token)
        return api.send("POST", "/v1/transfers", json=pay("110.00"), key=str(uuid.uuid4()))

    # By both replicas at once: five of them are 550, a sixth would be above.
    answers = at_once(20, send)
    assert sorted({answer.status_code for answer in answers}) == [201, 403]
    assert [answer.status_code for answer in answers].count(201) == 5
    person.post("/v1/transfers", pay("50.00"))
    problem = partial(person.problem, "POST", "/v1/transfers", 403, "step-up-required")
    problem(json=pay("0.01"))
    # What was posted is told again, though it could not be asked for any more.
    again = person.send("POST", "/v1/transfers", json=pay("400.00"), key=first)
    assert again.status_code == 201 and again.json()["id"] == sent["id"]
    assert again.headers["Idempotency-Replayed"] == "true"
    person.problem(
        "POST", "/v1/transfers", 422, "idempotency-key-reused", json=pay("400.01"), key=first
    )
    # A proof opens it, for as long as it is fresh.
    session = {"identifier": person.email, "password": person.password}
    person.take(session_of(Api(suite).post("/v1/sessions", session)))
    person.post("/v1/transfers", pay("1200.00"))


@pytest.mark.usefixtures("forgotten_failures")
def test_a_burst_of_log_ins_leaves_the_service_answering(suite: Suite, person: Person) -> None:
    log_in = {"identifier": person.email, "password": person.password}
    sessions = [session_of(Api(suite).post("/v1/sessions", log_in)) for _ in range(10)]

    def guess(index: int) -> int:
        if index % 50 == 0:
            session = {"refreshToken": sessions[index // 50]["refreshToken"]}
            return Api(suite).send("POST", "/v1/sessions/refresh", json=session).status_code
        body = {"identifier": f"{uuid.uuid4().hex}@example.org", "password": "wrong-horse-7"}
        return Api(suite).send("POST", "/v1/sessions", json=body, retry=False).status_code

    with concurrent.futures.ThreadPoolExecutor(60) as pool:
        answers = list(pool.map(guess, range(500)))
    assert {answers[index] for index in range(0, 500, 50)} <= {201}
    assert set(answers) <= {201, 401, 429, 503}
