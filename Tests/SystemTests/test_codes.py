"""One-time codes through the gateway: guessed from everywhere, answered at once, sent again."""

import uuid

from actions import at_once
from client import Api, Person, eventually, mail_text, mails, outbox, sms_code
from suite.suite import Suite

NEEDS = ["gateway", "auth", "notifications"]


def new_phone() -> str:
    return "+39333" + f"{uuid.uuid4().int % 10**7:07d}"


def ask(api: Api, phone: str) -> dict:
    body = {"purpose": "phone-verification", "phone": phone}
    return api.post("/v1/challenges", body, status=202)


def test_guesses_at_both_replicas_are_three(suite: Suite, visitor: Api) -> None:
    phone = new_phone()
    challenge = ask(visitor, phone)
    path = f"/v1/challenges/{challenge['id']}/answers"
    code = sms_code(suite, phone)
    # A visitor each, so that connections go to every replica.
    guesses = [f"{(int(code) + 1 + index) % 10**6:06d}" for index in range(30)]
    answers = at_once(
        30, lambda index: Api(suite).send("POST", path, json={"code": guesses[index]})
    )
    assert {answer.status_code for answer in answers} <= {409, 422}
    while True:
        answer = visitor.send("POST", path, json={"code": "abcdef"})
        if answer.status_code == 409:
            break
        assert answer.json()["code"] == "wrong-code"
    eventually(lambda: outbox(suite, phone, "sms"), until=lambda all: len(all) == 3)
    late = visitor.problem(
        "POST", path, 409, "challenge-exhausted", json={"code": sms_code(suite, phone, count=3)}
    )
    assert "resendsLeft" not in late
    body = {"purpose": "phone-verification", "phone": phone}
    for _ in range(4):
        visitor.problem("POST", "/v1/challenges", 429, "too-many-requests", json=body)


def test_twenty_right_answers_give_one_proof_that_is_used_once(suite: Suite, visitor: Api) -> None:
    phone = new_phone()
    path = f"/v1/challenges/{ask(visitor, phone)['id']}/answers"
    code = sms_code(suite, phone)
    answers = at_once(20, lambda _: Api(suite).send("POST", path, json={"code": code}))
    right = [answer for answer in answers if answer.status_code == 200]
    assert len(right) == 1 and {a.status_code for a in answers} <= {200, 409, 422}
    token = right[0].json()["phoneToken"]
    Person(suite, phone=phone, phoneToken=token)
    body = {
        "email": f"{uuid.uuid4().hex}@example.org", "password": "correct-horse-battery-7",
        "phone": phone, "phoneToken": token,
    }  # fmt: skip
    answer = visitor.send("POST", "/v1/users", json=body)
    assert answer.status_code in (409, 422), answer.text


def test_a_step_up_is_answered_by_its_own_session(suite: Suite, person: Person) -> None:
    challenge = person.post("/v1/challenges", {"purpose": "step-up"}, status=202)
    assert challenge["channel"] == "email" and person.email not in challenge["to"]
    found = eventually(
        lambda: [m for m in mails(suite, person.email) if "code" in m["Subject"].lower()]
    )
    code = next(word for word in mail_text(found[-1]).split() if word.isdigit())
    path = f"/v1/challenges/{challenge['id']}/answers"
    for other in (Api(suite), Person(suite)):
        other.problem("POST", path, 404, "not-found", json={"code": code})
    answer = person.post(path, {"code": code})
    person.take(answer)
    person.get("/v1/users/me")
    person.problem("POST", path, 409, "challenge-exhausted", json={"code": code})


def test_known_and_unknown_phones_are_answered_alike(suite: Suite, visitor: Api) -> None:
    phone = new_phone()
    path = f"/v1/challenges/{ask(visitor, phone)['id']}/answers"
    proof = visitor.call("POST", path, 200, json={"code": sms_code(suite, phone)})
    Person(suite, phone=phone, phoneToken=proof["phoneToken"])
    known, unknown = ask(visitor, phone), ask(visitor, new_phone())
    assert known.keys() == unknown.keys()
    for name in ("purpose", "channel", "resendsLeft"):
        assert known[name] == unknown[name]
