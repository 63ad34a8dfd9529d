"""Passkeys, whose answers are made and judged a second time by libraries that are not ours."""

import uuid
from typing import Any

import pytest
import webauthn
from webauthn.helpers.exceptions import InvalidAuthenticationResponse, InvalidRegistrationResponse

from authenticator import ELIGIBLE, PRESENT, VERIFIED, Authenticator, Key, Leaf, binary
from client import Api, Person, eventually, mail_text, mails, session_of
from suite.suite import Suite

NEEDS = ["gateway", "auth"]
pytestmark = pytest.mark.usefixtures("forgotten_failures")
ALGORITHMS = [-7, -8, -257]


def handle(person: Person) -> bytes:
    return uuid.UUID(person.id).bytes


def begin(person: Person) -> dict[str, Any]:
    return person.post("/v1/passkeys/options")


def judge(options: dict[str, Any], credential: dict[str, Any], origin: str) -> Any:
    """The same registration by py_webauthn; None where it refuses."""
    try:
        return webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=binary(options["publicKey"]["challenge"]),
            expected_rp_id="localhost",
            expected_origin=origin,
            require_user_verification=True,
        )
    except InvalidRegistrationResponse:
        return None


def register(person: Person, authenticator: Authenticator, **how: Any) -> Any:
    """Registers with both; what the other library keeps of it."""
    options = begin(person)
    credential = authenticator.create(options["publicKey"]["challenge"], **how)
    verdict = judge(options, credential, authenticator.origin)
    assert verdict, "py_webauthn refuses it"
    person.post("/v1/passkeys", {"challengeId": options["challengeId"], "credential": credential})
    return verdict


def challenge(api: Api, **fields: Any) -> dict[str, Any]:
    return api.post("/v1/sessions/passkey-options", fields)


def answer(options: dict[str, Any], authenticator: Authenticator) -> dict[str, Any]:
    credential = authenticator.get(options["publicKey"]["challenge"])
    return {"challengeId": options["challengeId"], "credential": credential}


def log_in(api: Api, authenticator: Authenticator, **fields: Any) -> dict[str, Any]:
    body = {"passkey": answer(challenge(api, **fields), authenticator)}
    return session_of(api.post("/v1/sessions", body))


@pytest.fixture
def authenticator(suite: Suite, person: Person) -> Authenticator:
    return Authenticator(origin=suite.address, user=handle(person))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("attestation", ["none", "self", "certificate", "model"])
def test_both_verifiers_take_it(
    suite: Suite, visitor: Api, person: Person, algorithm: int, attestation: str
) -> None:
    model = uuid.uuid4().bytes
    soft = Authenticator(
        origin=suite.address, user=handle(person), key=Key(algorithm), aaguid=model, count=1
    )
    leaf = Leaf(model=model if attestation == "model" else None)
    how: dict[str, Any] = {
        "none": {}, "self": {"attestation": "packed"},
        "certificate": {"attestation": "packed", "leaf": leaf},
        "model": {"attestation": "packed", "leaf": leaf},
    }[attestation]  # fmt: skip
    theirs = register(person, soft, **how)
    assert theirs.credential_id == soft.id and theirs.user_verified
    soft.count = 2
    options = challenge(visitor)
    body = answer(options, soft)
    verified = webauthn.verify_authentication_response(
        credential=body["credential"],
        expected_challenge=binary(options["publicKey"]["challenge"]),
        expected_rp_id="localhost",
        expected_origin=suite.address,
        credential_public_key=theirs.credential_public_key,
        credential_current_sign_count=1,
        require_user_verification=True,
    )
    assert verified.new_sign_count == 2
    session = visitor.post("/v1/sessions", {"passkey": body})
    assert Api(suite, session["accessToken"]).get("/v1/users/me")["id"] == person.id


BAD_LEAVES = {
    "no country": Leaf(subject=Leaf().subject[1:]),
    "no organisation": Leaf(subject=Leaf().subject[:1] + Leaf().subject[2:]),
    "another unit": Leaf(
        subject=(*Leaf().subject[:2], (Leaf().subject[2][0], "Other"), Leaf().subject[3])
    ),
    "no name": Leaf(subject=Leaf().subject[:3]),
    "an authority": Leaf(authority=True),
    "no constraints": Leaf(authority=None),
    "another model": Leaf(model=bytes(range(16))),
    "a short model": Leaf(model=bytes(15)),
    "a critical model": Leaf(model=bytes(16), model_is_critical=True),
}


@pytest.mark.parametrize("name", BAD_LEAVES)
def test_a_certificate_that_breaks_a_rule_is_refused(
    person: Person, authenticator: Authenticator, name: str
) -> None:
    options = begin(person)
    credential = authenticator.create(
        options["publicKey"]["challenge"], "packed", leaf=BAD_LEAVES[name]
    )
    problem = person.problem(
        "POST", "/v1/passkeys", 422, "invalid-passkey",
        json={"challengeId": options["challengeId"], "credential": credential},
    )  # fmt: skip
    assert problem["reason"] == "invalid-attestation"


@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        ("wrong-origin", {"origin": "https://localhost"}),
        ("wrong-relying-party", {"party": "example.org"}),
        ("user-not-present", {"flags": VERIFIED}),
        ("user-not-verified", {"flags": PRESENT}),
        ("unsupported-algorithm", {"key": Key(-35)}),
    ],
)
def test_both_verifiers_refuse_it(
    suite: Suite, visitor: Api, person: Person, authenticator: Authenticator, reason: str,
    changes: dict[str, Any],
) -> None:  # fmt: skip
    options = begin(person)
    bent = authenticator.bent(**changes)
    credential = bent.create(options["publicKey"]["challenge"])
    # The other library takes every algorithm that it knows.
    assert judge(options, credential, suite.address) is None or "key" in changes
    body = {"challengeId": options["challengeId"], "credential": credential}
    problem = person.problem("POST", "/v1/passkeys", 422, "invalid-passkey", json=body)
    assert problem["reason"] == reason
    theirs = register(person, authenticator)
    options = challenge(visitor)
    body = answer(options, bent)
    with pytest.raises(InvalidAuthenticationResponse):
        webauthn.verify_authentication_response(
            credential=body["credential"],
            expected_challenge=binary(options["publicKey"]["challenge"]),
            expected_rp_id="localhost",
            expected_origin=suite.address,
            credential_public_key=theirs.credential_public_key,
            credential_current_sign_count=0,
            require_user_verification=True,
        )
    visitor.problem("POST", "/v1/sessions", 401, "wrong-credentials", json={"passkey": body})


def test_five_tries_and_the_challenge_is_exhausted(
    visitor: Api, person: Person, authenticator: Authenticator
) -> None:
    register(person, authenticator)
    options = challenge(visitor)
    wrong = {"passkey": answer(options, authenticator.bent(flags=PRESENT))}
    for _ in range(5):
        visitor.problem("POST", "/v1/sessions", 401, "wrong-credentials", json=wrong)
    right = {"passkey": answer(options, authenticator)}
    visitor.problem("POST", "/v1/sessions", 409, "challenge-exhausted", json=right)
    log_in(visitor, authenticator)


def test_known_and_unknown_names_answer_alike(
    visitor: Api, person: Person, authenticator: Authenticator
) -> None:
    register(person, authenticator)
    nobody = f"{uuid.uuid4().hex}@example.org"
    known = [challenge(visitor, identifier=person.email) for _ in range(2)]
    unknown = [challenge(visitor, identifier=nobody) for _ in range(2)]
    for first, second in (known, unknown):
        assert first["publicKey"]["allowCredentials"] == []
        assert second["publicKey"]["allowCredentials"] == []
        assert first["publicKey"]["challenge"] != second["publicKey"]["challenge"]
    assert known[0].keys() == unknown[0].keys()


@pytest.mark.needs("notifications")
def test_a_copied_authenticator_is_refused_and_mailed(
    suite: Suite, visitor: Api, person: Person, authenticator: Authenticator
) -> None:
    person.verify_email()
    authenticator.count = 5
    register(person, authenticator)
    authenticator.count = 6
    log_in(visitor, authenticator)
    body = {"passkey": answer(challenge(visitor), authenticator)}
    visitor.problem("POST", "/v1/sessions", 401, "wrong-credentials", json=body)

    def told() -> bool:
        texts = [mail_text(mail) for mail in mails(suite, person.email)]
        return any("copy" in text for text in texts) and any("added" in text for text in texts)

    eventually(told)


def test_a_device_is_known_again_until_everything_is_logged_out(
    visitor: Api, person: Person, authenticator: Authenticator
) -> None:
    register(person, authenticator)
    session = log_in(visitor, authenticator)
    device = session["deviceToken"]
    offered = challenge(visitor, deviceToken=device)
    assert [binary(one["id"]) for one in offered["publicKey"]["allowCredentials"]] == [
        authenticator.id
    ]
    assert offered["suggested"]["username"].endswith("***")
    assert person.username not in str(offered)
    person.call("DELETE", "/v1/sessions", 204)
    assert "suggested" not in challenge(visitor, deviceToken=device)


def test_a_passkey_proves_oneself_again(
    suite: Suite, person: Person, authenticator: Authenticator
) -> None:
    register(person, authenticator.bent(flags=PRESENT | VERIFIED | ELIGIBLE))
    body = answer(challenge(person), authenticator.bent(flags=PRESENT | VERIFIED | ELIGIBLE))
    session = person.post("/v1/passkeys/proofs", body)
    Api(suite, session["accessToken"]).post("/v1/passkeys/options")
    stranger = Person(suite)
    options = challenge(stranger)
    assert options["publicKey"]["allowCredentials"] == []
    stranger.problem(
        "POST", "/v1/passkeys/proofs", 422, "invalid-passkey",
        json=answer(options, authenticator),
    )  # fmt: skip


def test_a_passkey_is_listed_and_deleted(
    visitor: Api, person: Person, authenticator: Authenticator
) -> None:
    register(person, authenticator)
    (item,) = person.get("/v1/passkeys")["items"]
    assert item["transports"] == ["internal"] and item["backedUp"] is False
    person.call("DELETE", f"/v1/passkeys/{item['id']}", 204)
    person.call("DELETE", f"/v1/passkeys/{item['id']}", 404)
    assert person.get("/v1/passkeys")["items"] == []
    body = {"passkey": answer(challenge(visitor), authenticator)}
    visitor.problem("POST", "/v1/sessions", 401, "wrong-credentials", json=body)
