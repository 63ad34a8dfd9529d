"""OpenID providers for tests: a real one as a process, and one that lies as it is told."""

import base64
import contextlib
import hashlib
import http.server
import json
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from client import Api
from conftest import CLIENT_ID, CLIENT_SECRET, PROVIDER_PORTS
from suite.suite import Suite


@contextlib.contextmanager
def real_provider(**users: dict[str, Any]) -> Iterator[str]:
    """oidc-provider-mock of PyPI as a process of its own, with keys of its own."""
    port = PROVIDER_PORTS["real"]
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), "--require-nonce",
               "true"]  # fmt: skip
    for subject, claims in users.items():
        command += ["--user-claims", json.dumps({"sub": subject} | claims)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 30
        with httpx.Client(trust_env=False) as probe:
            while True:
                try:
                    probe.get(address + "/.well-known/openid-configuration").raise_for_status()
                    break
                except httpx.HTTPError:
                    assert process.poll() is None and time.monotonic() < deadline
                    time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(10)


def b64(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Hostile:
    """A provider that answers what a test wants; by default, what is right."""

    def __init__(self) -> None:
        self.issuer = f"http://127.0.0.1:{PROVIDER_PORTS['hostile']}"
        self.rsa = rsa.generate_private_key(65537, 2048)
        self.ec = ec.generate_private_key(ec.SECP256R1())
        self.codes: dict[str, dict[str, Any]] = {}
        self.challenges: dict[str, str] = {}
        self.mint: Callable[[dict[str, Any]], str] = self.token
        self.requests: list[str] = []
        self.forms: list[dict[str, str]] = []
        self.checks_challenges = True
        self.delay, self.status = 0.0, 200

    def keys(self) -> dict[str, Any]:
        """Its key set."""
        one = json.loads(RSAAlgorithm.to_jwk(self.rsa.public_key()))
        two = json.loads(ECAlgorithm.to_jwk(self.ec.public_key()))
        return {"keys": [one | {"kid": "r", "use": "sig"}, two | {"kid": "e", "alg": "ES256"}]}

    def token(self, claims: dict[str, Any], algorithm: str = "RS256", **headers: Any) -> str:
        """A token signed by one of its keys."""
        key: Any = self.rsa if algorithm == "RS256" else self.ec
        kid = {"kid": "r" if algorithm == "RS256" else "e"}
        return jwt.encode(claims, key, algorithm, headers=kid | headers)

    def claims(self, nonce: str, **other: Any) -> dict[str, Any]:
        """What an ID token says."""
        now = int(time.time())
        return {
            "iss": self.issuer, "aud": CLIENT_ID, "sub": uuid.uuid4().hex, "iat": now,
            "exp": now + 300, "nonce": nonce,
        } | other  # fmt: skip

    def answer(self, path: str, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        """What a request gets."""
        self.requests.append(path)
        if path == "/.well-known/openid-configuration":
            return 200, {
                "issuer": self.issuer, "jwks_uri": self.issuer + "/keys",
                "authorization_endpoint": self.issuer + "/authorize?tenant=7",
                "token_endpoint": self.issuer + "/token",
                "token_endpoint_auth_methods_supported": ["client_secret_basic"],
                "authorization_response_iss_parameter_supported": True,
                "id_token_signing_alg_values_supported": ["RS256", "ES256", "none", "HS256"],
            }  # fmt: skip
        if path == "/keys":
            return 200, self.keys()
        self.forms.append(form)
        time.sleep(self.delay)
        if self.status != 200:
            return self.status, {"error": "server_error"}
        scheme, _, pair = authorization.partition(" ")
        told = base64.b64decode(pair, validate=True).decode().split(":")
        # Each part is encoded as a form's (RFC 6749, 2.3.1).
        assert scheme == "Basic" and told[1] != CLIENT_SECRET
        assert [urllib.parse.unquote_plus(part) for part in told] == [CLIENT_ID, CLIENT_SECRET]
        claims = self.codes.pop(form["code"], None)
        challenge = b64(hashlib.sha256(form["code_verifier"].encode()).digest())
        is_theirs = self.challenges.pop(form["code"], None) == challenge
        if claims is None or (self.checks_challenges and not is_theirs):
            return 400, {"error": "invalid_grant"}
        access = uuid.uuid4().hex
        return 200, {"access_token": access, "token_type": "Bearer", "id_token": self.mint(claims)}

    @contextlib.contextmanager
    def running(self) -> Iterator["Hostile"]:
        """Listens while the block runs."""
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def respond(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
                form = dict(urllib.parse.parse_qsl(body))
                status, tree = provider.answer(
                    self.path, form, self.headers.get("authorization", "")
                )
                data = json.dumps(tree).encode()
                with contextlib.suppress(OSError):
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)

            do_GET = do_POST = respond  # noqa: N815

            def log_message(self, *_: Any) -> None:
                """Nothing."""

        server = http.server.ThreadingHTTPServer(("127.0.0.1", PROVIDER_PORTS["hostile"]), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class Browser(Api):
    """A browser on our page: keeps the sign-in's cookie, follows redirects by hand."""

    def __init__(self, suite: Suite, token: str | None = None):
        super().__init__(suite, token)
        self.cookie: str | None = None

    def go(self, path: str, **params: Any) -> httpx.Response:
        """A navigation."""
        headers = {"Cookie": f"__Host-oidc-state={self.cookie}"} if self.cookie else {}
        answer = self.send("GET", path, headers=headers, retry=False, params=params)
        self.http.cookies.clear()
        for line in answer.headers.get_list("set-cookie"):
            name, _, rest = line.partition("=")
            assert name == "__Host-oidc-state"
            for attribute in ("Path=/", "Secure", "HttpOnly", "SameSite=Lax"):
                assert attribute in rest.split("; ")
            self.cookie = rest.partition(";")[0]
        return answer

    def begin(self, provider: str, **params: Any) -> dict[str, str]:
        """What the provider is asked."""
        answer = self.go(f"/v1/identity-providers/{provider}/authorize", **params)
        assert answer.status_code == 303, answer.text
        self.location = answer.headers["location"]
        return query(self.location)

    def come_back(self, provider: str, **params: Any) -> dict[str, str]:
        """What the client is told."""
        answer = self.go(f"/v1/identity-providers/{provider}/callback", **params)
        assert answer.status_code == 303, answer.text
        assert answer.headers["cache-control"] == "no-store"
        self.location = answer.headers["location"]
        return query(self.location)

    def with_cookie(self) -> dict[str, str]:
        """What a call of the page carries."""
        return {"Cookie": f"__Host-oidc-state={self.cookie}"} if self.cookie else {}

    def log_in(self, code: str, status: int = 201, **fields: str) -> Any:
        """Takes the code for a session."""
        body = {"oidcCode": code} | fields
        return self.call(
            "POST", "/v1/sessions", status, json=body, headers=self.with_cookie()
        )  # fmt: skip


def query(address: str) -> dict[str, str]:
    """The parameters of an address."""
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))


def consent(location: str, subject: str) -> dict[str, str]:
    """Somebody signs in at the real provider; what it sends back."""
    with httpx.Client(trust_env=False) as there:
        assert there.get(location).status_code == 200
        answer = there.post(location, data={"sub": subject})
    assert answer.status_code == 302, answer.text
    return query(answer.headers["location"])


def sign_in(browser: Browser, provider: Hostile, **claims: Any) -> dict[str, str]:
    """The whole way by the hostile provider; what the client is told."""
    params = {name: claims.pop(name) for name in ("redirectUri", "codeChallenge", "link")
              if name in claims}  # fmt: skip
    asked = browser.begin("hostile", **params)
    code = give_code(provider, asked, **claims)
    return browser.come_back("hostile", code=code, state=asked["state"], iss=provider.issuer)


def give_code(provider: Hostile, asked: dict[str, str], **claims: Any) -> str:
    """A code of the hostile provider for a request."""
    code = uuid.uuid4().hex
    provider.codes[code] = provider.claims(asked["nonce"], **claims)
    provider.challenges[code] = asked["code_challenge"]
    return code
