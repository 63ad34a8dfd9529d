"""An authenticator in software, made of `cryptography` and `cbor2` alone."""

import base64
import datetime
import hashlib
import json
import os
import struct
from dataclasses import dataclass, field, replace
from typing import Any

import cbor2
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.x509.oid import NameOID, ObjectIdentifier

#: id-fido-gen-ce-aaguid.
MODEL = ObjectIdentifier("1.3.6.1.4.1.45724.1.1.4")
PRESENT, VERIFIED, ELIGIBLE, BACKED_UP, ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40


def text(data: bytes) -> str:
    """base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def binary(data: str) -> bytes:
    return base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))


def number(value: int) -> bytes:
    return value.to_bytes((value.bit_length() + 7) // 8, "big")


class Key:
    """A private key, its COSE form and its signatures."""

    def __init__(self, algorithm: int):
        self.algorithm = algorithm
        if algorithm == -7:
            self.private: Any = ec.generate_private_key(ec.SECP256R1())
        elif algorithm == -8:
            self.private = ed25519.Ed25519PrivateKey.generate()
        elif algorithm == -257:
            self.private = rsa.generate_private_key(65537, 2048)
        else:
            self.private = ec.generate_private_key(ec.SECP384R1())

    def cose(self) -> dict[int, Any]:
        public = self.private.public_key()
        if self.algorithm == -8:
            return {1: 1, 3: -8, -1: 6, -2: public.public_bytes_raw()}
        numbers = public.public_numbers()
        if self.algorithm == -257:
            return {1: 3, 3: -257, -1: number(numbers.n), -2: number(numbers.e)}
        size, curve = (32, 1) if self.algorithm == -7 else (48, 2)
        x, y = numbers.x.to_bytes(size, "big"), numbers.y.to_bytes(size, "big")
        return {1: 2, 3: self.algorithm, -1: curve, -2: x, -3: y}

    def sign(self, data: bytes) -> bytes:
        if self.algorithm == -8:
            return self.private.sign(data)
        if self.algorithm == -257:
            return self.private.sign(data, padding.PKCS1v15(), hashes.SHA256())
        digest = hashes.SHA256() if self.algorithm == -7 else hashes.SHA384()
        return self.private.sign(data, ec.ECDSA(digest))


@dataclass(frozen=True)
class Leaf:
    """What an attestation certificate says; each part can be wrong."""

    subject: tuple[tuple[Any, str], ...] = (
        (NameOID.COUNTRY_NAME, "IT"),
        (NameOID.ORGANIZATION_NAME, "Soft Keys"),
        (NameOID.ORGANIZATIONAL_UNIT_NAME, "Authenticator Attestation"),
        (NameOID.COMMON_NAME, "Soft Key 1"),
    )
    authority: bool | None = False
    model: bytes | None = None
    model_is_critical: bool = False

    def der(self, key: Key) -> bytes:
        from cryptography.hazmat.primitives.serialization import Encoding

        issuer = Key(-7)
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(*pair) for pair in self.subject]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Soft Root")]))
            .public_key(key.private.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
        )
        if self.authority is not None:
            builder = builder.add_extension(
                x509.BasicConstraints(ca=self.authority, path_length=None), critical=True
            )
        if self.model is not None:
            builder = builder.add_extension(
                x509.UnrecognizedExtension(MODEL, b"\x04" + bytes([len(self.model)]) + self.model),
                critical=self.model_is_critical,
            )
        return builder.sign(issuer.private, hashes.SHA256()).public_bytes(Encoding.DER)


@dataclass
class Authenticator:
    """One credential, and how its answers are bent."""

    origin: str
    user: bytes
    key: Key = field(default_factory=lambda: Key(-7))
    id: bytes = field(default_factory=lambda: os.urandom(32))
    aaguid: bytes = bytes(16)
    party: str = "localhost"
    flags: int = PRESENT | VERIFIED
    count: int = 0

    def bent(self, **changes: Any) -> "Authenticator":
        return replace(self, **changes)

    def client_data(self, kind: str, challenge: str) -> bytes:
        return json.dumps(
            {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        ).encode()

    def data(self, flags: int) -> bytes:
        return (
            hashlib.sha256(self.party.encode()).digest()
            + bytes([flags])
            + struct.pack(">I", self.count)
        )

    def create(
        self, challenge: str, attestation: str = "none", leaf: Leaf | None = None,
        leaf_key: Key | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """What a browser answers to `navigator.credentials.create`."""
        client = self.client_data("webauthn.create", challenge)
        data = self.data(self.flags | ATTESTED) + self.aaguid
        data += struct.pack(">H", len(self.id)) + self.id + cbor2.dumps(self.key.cose())
        signed = data + hashlib.sha256(client).digest()
        statement: dict[str, Any] = {}
        if attestation == "packed" and leaf:
            attester = leaf_key or Key(-7)
            statement = {
                "alg": attester.algorithm, "sig": attester.sign(signed),
                "x5c": [leaf.der(attester)],
            }  # fmt: skip
        elif attestation == "packed":
            statement = {"alg": self.key.algorithm, "sig": self.key.sign(signed)}
        return {
            "id": text(self.id), "rawId": text(self.id), "type": "public-key",
            "authenticatorAttachment": "platform", "clientExtensionResults": {},
            "response": {
                "clientDataJSON": text(client),
                "attestationObject": text(cbor2.dumps(
                    {"fmt": attestation, "attStmt": statement, "authData": data}
                )),
                "transports": ["internal"],
            },
        }  # fmt: skip

    def get(self, challenge: str) -> dict[str, Any]:
        """What a browser answers to `navigator.credentials.get`."""
        client = self.client_data("webauthn.get", challenge)
        data = self.data(self.flags)
        return {
            "id": text(self.id), "rawId": text(self.id), "type": "public-key",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": text(client),
                "authenticatorData": text(data),
                "signature": text(self.key.sign(data + hashlib.sha256(client).digest())),
                "userHandle": text(self.user),
            },
        }  # fmt: skip
