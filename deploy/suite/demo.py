"""Demo data, made through the public API as people would; made once."""

import json
import ssl
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

from suite.suite import Suite

PASSWORD = "correct-horse-battery-7"
PEOPLE = {"ada": "Ada", "bob": "Bob", "cleo": "Cleo"}
STATEMENT = Path(__file__).parent.parent / "demo" / "statement.ofx"


class Refused(RuntimeError):
    """An answer that is no success."""

    def __init__(self, path: str, status: int, code: str):
        super().__init__(f"{path}: {status} {code}")
        self.code = code


class Someone:
    """Calls through the gateway, as somebody or nobody."""

    def __init__(self, suite: Suite, token: str | None = None):
        self.suite, self.token = suite, token
        trust = ssl.create_default_context(cafile=str(suite.folder / "tls" / "ca.pem"))
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trust)
        )

    def call(self, method: str, path: str, body: Any = None, content: bytes | None = None) -> Any:
        headers = {"Idempotency-Key": str(uuid.uuid4())} if method == "POST" else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if content is not None:
            headers["Content-Type"] = "application/octet-stream"
        elif body is not None:
            headers["Content-Type"] = "application/json"
            content = json.dumps(body).encode()
        url = self.suite.address + path
        request = urllib.request.Request(url, data=content, headers=headers, method=method)
        try:
            with self.opener.open(request, timeout=30) as answer:
                said = answer.read()
        except urllib.error.HTTPError as error:
            problem = json.loads(error.read() or b"{}")
            raise Refused(path, error.code, problem.get("code", "")) from error
        return json.loads(said) if said else None

    def post(self, path: str, body: Any = None) -> Any:
        return self.call("POST", path, body)


def euros(amount: str) -> dict[str, str]:
    return {"amount": amount, "currency": "EUR"}


def register(suite: Suite) -> dict[str, Someone] | None:
    """The people of the demo, or None where they are there already."""
    people = {}
    for username, first_name in PEOPLE.items():
        body = {
            "email": f"{username}@example.org",
            "username": username,
            "firstName": first_name,
            "password": PASSWORD,
        }
        try:
            answer = Someone(suite).post("/v1/users", body)
        except Refused as refusal:
            if refusal.code in ("email-taken", "username-taken"):
                return None
            raise
        people[username] = Someone(suite, answer["session"]["accessToken"])
    return people


def load(suite: Suite) -> None:
    """Three people: a statement imported, a transfer, a group with expenses and a threshold."""
    people = register(suite)
    if people is None:
        return
    ada, bob, cleo = people.values()
    bank = ada.post("/v1/accounts", {"name": "Bank", "currency": "EUR"})["id"]
    preview = ada.call("POST", f"/v1/imports?accountId={bank}", content=STATEMENT.read_bytes())
    ada.post(f"/v1/imports/{preview['id']}/commit")
    accounts = {}
    for name, person in people.items():
        account = person.post("/v1/accounts", {"kind": "current", "currency": "EUR"})
        person.post("/v1/transactions", {"accountId": account["id"], "amount": euros("1000.00")})
        accounts[name] = account
    quote = ada.post(
        "/v1/quotes",
        {
            "fromAccountId": accounts["ada"]["id"],
            "toIban": accounts["bob"]["iban"],
            "amount": euros("40.00"),
        },
    )
    ada.post("/v1/transfers", {"quoteId": quote["id"], "reference": "Concert tickets"})
    invitations = [{"username": "bob"}, {"username": "cleo"}]
    body = {"name": "Flat", "currency": "EUR", "invitations": invitations}
    group = f"/v1/groups/{ada.post('/v1/groups', body)['id']}"
    for person in (bob, cleo):
        (invitation,) = person.call("GET", "/v1/invitations")["items"]
        person.post(f"/v1/invitations/{invitation['id']}/acceptance")
    members = [one["id"] for one in ada.call("GET", f"{group}/members")["items"]]
    ada.post(f"{group}/thresholds", {"amount": euros("250.00")})
    split = {"kind": "equal", "parts": [{"memberId": member} for member in members]}
    for person, name, amount in (
        (ada, "Rent", "100.00"),
        (bob, "Groceries", "61.37"),
        (cleo, "Heating", "120.00"),
    ):
        person.post(f"{group}/expenses", {"name": name, "amount": euros(amount), "split": split})
