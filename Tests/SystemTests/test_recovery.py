"""A forgotten password, by mail, at two replicas."""

import uuid

from actions import at_once
from client import Api, Person, eventually, mail_text, mails
from recoveries import NEXT, begin, mailed_code
from suite.suite import Suite

NEEDS = ["gateway", "auth", "notifications"]


def test_a_password_is_recovered_once_and_every_session_ends(
    suite: Suite, visitor: Api, person: Person
) -> None:
    other = begin(visitor, person.email)
    recovery = begin(visitor, person.email)
    code = mailed_code(suite, person.email, recovery)
    path = f"/v1/password-recoveries/{recovery}"
    answers = at_once(20, lambda _: Api(suite).send("POST", f"{path}/answers", json={"code": code}))
    right = [answer for answer in answers if answer.status_code == 200]
    assert len(right) == 1 and {a.status_code for a in answers} == {200, 409}
    body = {"recoveryToken": right[0].json()["recoveryToken"], "newPassword": person.password}
    visitor.problem("PUT", f"{path}/password", 422, "same-password", json=body)
    done = at_once(
        5, lambda _: Api(suite).send("PUT", f"{path}/password", json=body | {"newPassword": NEXT})
    )
    assert sorted(answer.status_code for answer in done) == [204, 409, 409, 409, 409]
    late = {"code": mailed_code(suite, person.email, other)}
    visitor.problem(
        "POST", f"/v1/password-recoveries/{other}/answers", 409, "recovery-expired", json=late
    )
    eventually(lambda: person.send("GET", "/v1/users/me").status_code == 401, seconds=4)
    visitor.post("/v1/sessions", {"identifier": person.email, "password": NEXT})
    eventually(lambda: [m for m in mails(suite, person.email) if "recovery" in mail_text(m)])


def test_known_and_unknown_addresses_answer_alike(
    suite: Suite, visitor: Api, person: Person
) -> None:
    told = []
    for email in (person.email, f"{uuid.uuid4().hex}@example.org"):
        recovery = begin(visitor, email)
        path = f"/v1/password-recoveries/{recovery}/answers"
        answers = [visitor.send("POST", path, json={"code": "abcdefgh"}) for _ in range(4)]
        told.append([(a.status_code, a.json()["code"], a.json().get("triesLeft")) for a in answers])
    assert told[0] == told[1]
    assert told[0] == [
        (422, "wrong-code", 2), (422, "wrong-code", 1), (409, "recovery-expired", None),
        (409, "recovery-expired", None),
    ]  # fmt: skip


def test_a_password_is_changed_by_its_owner(suite: Suite, visitor: Api, person: Person) -> None:
    other = visitor.post("/v1/sessions", {"identifier": person.email, "password": person.password})
    path = "/v1/users/me/password"
    wrong = {"currentPassword": "wrong-horse-7", "newPassword": NEXT}
    person.problem("PUT", path, 422, "wrong-password", json=wrong)
    same = {"currentPassword": person.password, "newPassword": person.password}
    person.problem("PUT", path, 422, "same-password", json=same)
    weak = {"currentPassword": person.password, "newPassword": "12345678"}
    problem = person.problem("PUT", path, 422, "invalid-body", json=weak)
    assert problem["errors"][0]["code"] == "weak-password" and problem["errors"][0]["detail"]
    changed = {"currentPassword": person.password, "newPassword": NEXT}
    renewed = person.call("PUT", path, 200, json=changed)
    person.get("/v1/users/me")
    Api(suite, renewed["accessToken"]).get("/v1/users/me")
    gone = Api(suite, other["accessToken"])
    eventually(lambda: gone.send("GET", "/v1/users/me").status_code == 401, seconds=4)
    visitor.post("/v1/sessions", {"identifier": person.email, "password": NEXT})
