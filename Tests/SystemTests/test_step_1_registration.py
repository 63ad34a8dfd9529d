"""Step 1: a visitor registers, and gets the confirmation mail."""

import uuid

import pytest

from client import Api, Person, eventually, link_token, mails
from suite.suite import Suite

NEEDS = ["gateway", "auth"]


def test_registering_stores_an_argon2id_hash_and_nothing_else(suite: Suite, person: Person) -> None:
    rows = suite.postgres.psql(
        "-c", "select to_jsonb(t)::text from auth.user_account t", database="ezwallet_auth"
    )
    assert "$argon2id$" in rows and person.password not in rows


def test_registering_answers_the_user_and_a_session(person: Person) -> None:
    me = person.get("/v1/users/me")
    assert me["email"] == person.email and me["username"] == person.username
    assert me["id"] == person.id


@pytest.mark.needs("notifications")
def test_the_confirmation_mail_arrives_and_its_link_verifies_the_address(
    suite: Suite, person: Person, visitor: Api
) -> None:
    (mail,) = eventually(lambda: mails(suite, person.email))
    assert mail["Message-ID"] and mail["Date"] and person.email in mail["To"]
    token = link_token(mail)
    visitor.call("POST", f"/v1/email-verifications/{token}", 204)
    assert person.get("/v1/users/me")["emailVerified"] is True
    visitor.problem("POST", f"/v1/email-verifications/{token}", 409, "link-expired")


def test_a_username_is_made_from_the_email(suite: Suite, visitor: Api) -> None:
    name = f"grace{uuid.uuid4().hex[:8]}"
    body = {"email": f"{name}@example.org", "password": "correct-horse-battery-7"}
    answer = visitor.post("/v1/users", body)
    assert name in str(answer)


def test_an_address_registers_once(person: Person, visitor: Api) -> None:
    body = {"email": person.email.upper(), "password": "correct-horse-battery-7"}
    visitor.problem("POST", "/v1/users", 409, "email-taken", json=body)


def test_a_username_registers_once(person: Person, visitor: Api) -> None:
    body = {
        "email": f"{uuid.uuid4().hex}@example.org",
        "password": "correct-horse-battery-7",
        "username": person.username,
    }
    visitor.problem("POST", "/v1/users", 409, "username-taken", json=body)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("email", "not an address"),
        ("password", "password"),
        ("confirmPassword", "another-horse-battery-7"),
        ("currency", "XXQ"),
        ("dateOfBirth", "2024-02-30"),
        ("timeZone", "Europe/Atlantis"),
        ("unknownField", True),
    ],
)
def test_each_wrong_field_is_named(visitor: Api, field: str, wrong: object) -> None:
    body = {"email": f"{uuid.uuid4().hex}@example.org", "password": "correct-horse-battery-7"}
    problem = visitor.send("POST", "/v1/users", json=body | {field: wrong})
    assert problem.status_code == 422, problem.text
    assert [error["pointer"] for error in problem.json()["errors"]] == [f"/{field}"]


def test_all_wrong_fields_are_named_at_once(visitor: Api) -> None:
    body = {"email": "nobody", "password": 7, "currency": "??"}
    problem = visitor.send("POST", "/v1/users", json=body).json()
    pointers = {error["pointer"] for error in problem["errors"]}
    assert pointers == {"/email", "/password", "/currency"}
