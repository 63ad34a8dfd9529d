"""The attacks on access tokens, through the gateway: 401 each, and no service believes one."""

import base64
import hashlib
import hmac
import json
import time
import uuid
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm

from client import Api, Person
from suite.suite import Suite

NEEDS = ["gateway", "auth", "ledger"]
PATHS = ["/v1/users/me", "/v1/accounts"]


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def b64json(tree: Any) -> str:
    return b64(json.dumps(tree, separators=(",", ":")).encode())


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def forgeries(good: str, jwk: dict[str, Any], other: str) -> dict[str, str]:
    """Tokens made of a good one and what everybody can read."""
    head, body, signature = good.split(".")
    header, claims = json.loads(unb64(head)), json.loads(unb64(body))
    kid, now = header["kid"], int(time.time())
    # Only the rest is wrong: it says that it is an access token.
    basic = {"kid": kid, "typ": header["typ"]}
    curve, modulus = ec.generate_private_key(ec.SECP256R1()), rsa.generate_private_key(65537, 2048)
    own = json.loads(ECAlgorithm.to_jwk(curve.public_key()))

    def signed(headers: dict[str, Any], **changes: Any) -> str:
        return jwt.encode(claims | changes, curve, "ES256", headers=basic | headers)

    def mac(secret: bytes) -> str:
        text = b64json(basic | {"alg": "HS256"}) + "." + body
        return text + "." + b64(hmac.digest(secret, text.encode(), hashlib.sha256))

    point = unb64(jwk["x"]) + unb64(jwk["y"])
    raw = bytearray(unb64(signature))
    raw[5] ^= 1
    found = {
        "alg none": b64json(basic | {"alg": "none"}) + "." + body + ".",
        "alg none, signed": b64json(basic | {"alg": "none"}) + "." + body + "." + signature,
        "alg nOnE": b64json(basic | {"alg": "nOnE"}) + "." + body + ".",
        "HS256 by the point": mac(point),
        "HS256 by the JWK": mac(json.dumps(jwk).encode()),
        "HS256 by nothing": mac(b""),
        "RS256": jwt.encode(claims, modulus, "RS256", headers=basic),
        "a foreign key": signed({}),
        "a foreign key as jwk": signed({"jwk": own}),
        "a foreign key at jku": signed({"jku": "http://127.0.0.1:1/keys"}),
        "a foreign key at x5u": signed({"x5u": "http://127.0.0.1:1/cert"}),
        "critical": signed({"crit": ["exp"]}),
        "another person": head + "." + b64json(claims | {"sub": other}) + "." + signature,
        "more rights": head + "." + b64json(claims | {"roles": ["admin"]}) + "." + signature,
        "a longer life": head + "." + b64json(claims | {"exp": now + 10**6}) + "." + signature,
        "a changed header": b64json(header | {"x": 1}) + "." + body + "." + signature,
        "no signature": head + "." + body + ".",
        "no signature, no dot": head + "." + body,
        "a cut signature": good[:-8],
        "a changed signature": head + "." + body + "." + b64(bytes(raw)),
        "zeros": head + "." + body + "." + b64(bytes(64)),
        "longer": good + "AAAA",
        "padded": good + "=",
        "another part": good + "." + signature,
        "no token": "x.y.z",
        "huge": head + "." + b64(b"{" + b" " * 8_000 + b"}") + "." + signature,
        "expired": signed({}, exp=now - 10),
    }
    for name in ("../../../../dev/null", "' or 1=1 --", "\u0000", "\n", "a" * 900, kid + " "):
        found[f"kid {name[:12]!r}"] = signed({"kid": name})
    return found


def test_every_forged_token_is_refused(suite: Suite, visitor: Api, person: Person) -> None:
    (jwk, *_) = visitor.get("/.well-known/jwks.json")["keys"]
    header = jwt.get_unverified_header(person.token)
    jwk = next(
        (k for k in visitor.get("/.well-known/jwks.json")["keys"] if k["kid"] == header["kid"]), jwk
    )
    for name, token in forgeries(person.token, jwk, str(uuid.uuid4())).items():
        for path in PATHS:
            answer = visitor.send("GET", path, headers={"Authorization": f"Bearer {token}"})
            assert answer.status_code == 401, (name, path, answer.text)
            assert answer.json()["code"] == "unauthenticated", name
            answer = visitor.send("GET", path, headers={"Cookie": f"__Host-access={token.strip()}"})
            assert answer.status_code == 401, (name, path)
    for path in PATHS:
        person.get(path)


@pytest.mark.parametrize(
    "headers",
    [
        {"X-EZWallet-User": "T"},
        {"X-EZWallet-User": "T", "Authorization": "Bearer T"},
        {"X-EZWallet-Gateway": "T", "X-EZWallet-Client-Address": "10.0.0.1"},
        {"Authorization": "Basic T"},
        {"Authorization": "T"},
        {"Authorization": "Bearer T,T"},
        {"Authorization": "DPoP T"},
    ],
)
def test_a_good_token_counts_in_its_own_place_alone(
    visitor: Api, person: Person, headers: dict[str, str]
) -> None:
    told = {name: value.replace("T", person.token) for name, value in headers.items()}
    answer = visitor.send("GET", "/v1/users/me", headers=told)
    # Who comes from outside never acts for somebody: the gateway strips it.
    if headers.get("Authorization") == "Bearer T":
        assert answer.json()["id"] == person.id
    else:
        assert answer.status_code == 401, answer.text


def test_a_token_in_the_query_counts_for_nothing(visitor: Api, person: Person) -> None:
    answer = visitor.send("GET", f"/v1/users/me?access_token={person.token}")
    assert answer.status_code in (400, 401)
