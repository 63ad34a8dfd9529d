"""What people do in the tests, one call each."""

import concurrent.futures
import io
import json
import os
import subprocess
import time
import urllib.parse
import uuid
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pyotp
from pypdf import PdfWriter

from client import Api, Person, eventually, money, value
from faults import connect
from suite.suite import Suite

EXPORTS = "/v1/users/me/exports"
#: The most that an account holds of a currency with four digits after the point.
HUGE = "922337203685477.5807"


def at_once(count: int, call) -> list:
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda index: call(index), range(count)))


def ready(person: Person, export: dict, seconds: float = 60.0) -> dict:
    path = f"{EXPORTS}/{export['id']}"
    return eventually(lambda: person.get(path), seconds, until=lambda one: one["state"] == "ready")


def contents(person: Person, export: dict) -> tuple[dict[str, list], bytes]:
    """The lists of the file, by name."""
    answer = person.send("GET", f"{EXPORTS}/{export['id']}/file")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    assert archive.testzip() is None
    lists = {name.removesuffix(".json"): json.loads(archive.read(name))
             for name in archive.namelist()}  # fmt: skip
    return lists, answer.content


def document() -> bytes:
    kept = io.BytesIO()
    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    writer.write(kept)
    return kept.getvalue()


def path_of(transaction: str) -> str:
    return f"/v1/transactions/{transaction}/attachments"


def add(person: Api, transaction: str, content: bytes, **options: object) -> dict:
    return person.call("POST", path_of(transaction), 201, content=content, **options)


def psql(suite: Suite, statement: str) -> str:
    return suite.postgres.psql("-At", "-c", statement, database="ezwallet_ledger").strip()


def sealed(suite: Suite) -> bool:
    """Whether every entry stands in a block."""
    left = psql(
        suite,
        "select count(*) from ledger.entry where place >= coalesce((select number_below from "
        "ledger.chain_block order by height desc limit 1), 0)",
    )
    return left == "0"


def resident(pid: int, name: str = "VmRSS") -> int:
    """Bytes that a process has in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(name)


def folder(person: Person, name: str = "Holidays") -> str:
    return person.post("/v1/folders", {"name": name})["id"]


def invite(owner: Person, folder: str, guest: Person, access: str) -> dict[str, Any]:
    body = {"username": guest.username, "access": access}
    return owner.post(f"/v1/folders/{folder}/invitations", body)


def join(owner: Person, folder: str, guest: Person, access: str) -> None:
    accept(guest, invite(owner, folder, guest, access)["id"])


def wallet(person: Person, currency: str = "EUR") -> str:
    body = {"kind": "wallet", "currency": currency, "name": f"Bank {os.urandom(4).hex()}"}
    return person.post("/v1/accounts", body)["id"]


def record(person: Person, account: str, amount: str, **fields: object) -> dict:
    body = {"accountId": account, "amount": money(amount)} | fields
    return person.post("/v1/transactions", body)


def category(person: Person) -> str:
    return person.post("/v1/categories", {"name": f"c {uuid.uuid4().hex[:8]}"})["id"]


def rows_of(person: Person, account: str) -> list[dict]:
    return list(person.pages("/v1/transactions", accountId=account, limit=200))


def held(person: Person, account: str) -> Decimal:
    return balance(person, account)


def extreme(person: Person, sign: str = "") -> str:
    """A wallet with the most that one can hold, or owe, by amounts that can be sent."""
    most = money(f"{sign}10000000000000.0000", "CLF")
    body = {"currency": "CLF", "openingBalance": most, "name": uuid.uuid4().hex[:8]}
    account = person.post("/v1/accounts", body)["id"]
    row = {"accountId": account, "amount": most}
    rest = row | {"amount": money(f"{sign}2337203685477.5807", "CLF")}
    person.post("/v1/transactions/batches", {"transactions": [row] * 91 + [rest]})
    assert person.get(f"/v1/accounts/{account}")["balance"] == money(sign + HUGE, "CLF")
    return account


class Shared:
    """A wallet of Ada's, which Eve edits and Vic sees; Sam is a stranger."""

    def __init__(self, suite: Suite):
        self.ada, self.eve, self.vic, self.sam = (Person(suite) for _ in range(4))
        body = {"kind": "wallet", "currency": "EUR", "name": "Trip"}
        self.id = self.ada.post("/v1/accounts", body)["id"]
        self.path = f"/v1/accounts/{self.id}"
        self.join(self.eve, "editor")
        self.join(self.vic, "viewer")

    def invite(self, person: Person, role: str) -> dict[str, Any]:
        body = {"username": person.username, "role": role}
        return self.ada.post(f"{self.path}/members", body)

    def join(self, person: Person, role: str) -> None:
        invitation = self.invite(person, role)
        accept(person, invitation["id"])

    def record(self, who: Person, amount: str = "-1.00", **fields: Any) -> dict[str, Any]:
        body = {"accountId": self.id, "amount": money(amount)} | fields
        return who.post("/v1/transactions", body)

    def roles(self, reader: Person | None = None) -> dict[str, str]:
        members = (reader or self.ada).get(f"{self.path}/members")["items"]
        return {one["userId"]: one["role"] for one in members}


def accept(person: Person, invitation: str, status: int = 200) -> Any:
    return person.post(f"/v1/invitations/{invitation}/acceptance", status=status)


def verify(suite: Suite, *arguments: str, **told: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [suite.executables.binaries / "ezwallet-ledger", "verify", *arguments],
        env={"PATH": os.environ["PATH"]} | suite.executables.service("ledger", 1) | told,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def switch_on(person: Person) -> tuple[pyotp.TOTP, list[str]]:
    """An authenticator app, and the recovery codes."""
    made = person.post("/v1/users/me/totp")
    uri = urllib.parse.urlparse(made["otpauthUri"])
    assert uri.scheme == "otpauth" and uri.netloc == "totp"
    app = pyotp.parse_uri(made["otpauthUri"])
    assert app.secret == made["secret"] and app.issuer == "EZWallet"
    # The step before, so that the current one is still to be used.
    for _ in range(3):
        code = {"code": app.at(time.time() - 30)}
        answer = person.send("POST", "/v1/users/me/totp/confirmation", json=code)
        # Where a step has just ended, that was the one before the step before.
        if answer.status_code == 200:
            return app, answer.json()["recoveryCodes"]
    raise AssertionError(answer.text)


def make_stale(suite: Suite, person: Person) -> None:
    """As though the person had signed in an hour ago."""
    with connect(suite, "ezwallet_auth") as database:
        database.execute(
            "update auth.session set authenticated_at = now() - interval '1 hour' "
            "where user_id = %s", (person.id,),
        )  # fmt: skip
    person.take(person.post("/v1/sessions/refresh", {"refreshToken": person.refresh_token}))


class Inside(Api):
    """A service that calls others on the internal listener, for itself or for a user."""

    def __init__(self, suite: Suite, service: str = "groups"):
        super().__init__(suite)
        port = suite.executables.ports["GATEWAY_INTERNAL"]
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=15, trust_env=False)
        body = {"service": service, "secret": suite.service_secret(f"{service}_client")}
        self.token = self.call("POST", "/internal/service-tokens", 200, json=body)["accessToken"]


def acting(person: Person) -> dict[str, str]:
    """What a service sends beside its token when it acts for somebody."""
    return {"X-EZWallet-User": person.token or ""}


def ofx(rows: list[tuple[str, str, str]], currency: str, balance: str) -> bytes:
    """A statement of (day, amount, id) rows."""
    listed = "".join(
        f"<STMTTRN><TRNTYPE>OTHER<DTPOSTED>{day}<TRNAMT>{amount}<FITID>{fitid}"
        f"<NAME>row {fitid}</STMTTRN>\n"
        for day, amount, fitid in rows
    )
    return (
        "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:USASCII\n"
        "CHARSET:1252\nCOMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n\n"
        "<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS>"
        f"<CURDEF>{currency}<BANKACCTFROM><BANKID>1<ACCTID>77<ACCTTYPE>CHECKING</BANKACCTFROM>"
        f"<BANKTRANLIST><DTSTART>20240101<DTEND>20241231\n{listed}</BANKTRANLIST>"
        f"<LEDGERBAL><BALAMT>{balance}<DTASOF>20241231</LEDGERBAL>"
        "</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
    ).encode()


def import_file(person: Person, account: str, content: bytes, name: str = "ofx") -> dict:
    """Previews a file, commits it, and returns the committed import."""
    preview = person.call(
        "POST", f"/v1/imports?accountId={account}&format={name}", 201, content=content,
        headers={"Content-Type": "application/octet-stream"},
    )  # fmt: skip
    answer = person.send("POST", f"/v1/imports/{preview['id']}/commit")
    assert answer.status_code in (200, 202), answer.text
    return eventually(
        lambda: person.get(f"/v1/imports/{preview['id']}"),
        seconds=60,
        until=lambda one: one["state"] not in ("preview", "committing"),
    )


def balance(person: Person, account: str) -> Decimal:
    return value(person.get(f"/v1/accounts/{account}")["balance"])


def current(person: Person, currency: str, deposit: str | None = None) -> dict:
    """A current account, with money that came from outside."""
    body = {"kind": "current", "currency": currency, "name": f"C {uuid.uuid4().hex[:8]}"}
    account = person.post("/v1/accounts", body)
    if deposit:
        row = {"accountId": account["id"], "amount": money(deposit, currency)}
        person.post("/v1/transactions", row)
    return account


def balance_of(person: Person, account: dict) -> Decimal:
    return value(person.get(f"/v1/accounts/{account['id']}")["balance"])


def valid_iban(iban: str) -> bool:
    moved = iban[4:] + iban[:4]
    return int("".join(str(int(letter, 36)) for letter in moved)) % 97 == 1


class Group:
    """Three users, of whom Ada invited the others."""

    def __init__(self, suite: Suite):
        self.suite = suite
        self.ada, self.bob, self.cleo = Person(suite), Person(suite), Person(suite)
        invited = [{"username": self.bob.username}, {"email": self.cleo.email}]
        body = {"name": "Flat", "currency": "EUR", "invitations": invited}
        self.cleo.verify_email()
        self.id = self.ada.post("/v1/groups", body)["id"]
        self.path = f"/v1/groups/{self.id}"
        for person in (self.bob, self.cleo):
            (invitation,) = person.get("/v1/invitations")["items"]
            assert invitation["name"] == "Flat" and invitation["groupId"] == self.id
            person.post(f"/v1/invitations/{invitation['id']}/acceptance", status=200)
            assert not person.get("/v1/invitations")["items"]
        members = self.ada.get(f"{self.path}/members")["items"]
        assert len(members) == 3
        self.member = {one["userId"]: one["id"] for one in members}
        self.members = [self.member[one.id] for one in (self.ada, self.bob, self.cleo)]
        self.of_ada, self.of_bob, self.of_cleo = self.members

    def expense(
        self, amount: str, currency: str = "EUR", name: str = "Rent", among: list[str] | None = None
    ) -> dict:
        """One that Ada paid, split equally among all."""
        among = among or self.members
        split = {"kind": "equal", "parts": [{"memberId": member} for member in among]}
        body = {"name": name, "amount": money(amount, currency), "split": split}
        return self.ada.post(f"{self.path}/expenses", body)

    def balances(self, currency: str, reader: Person | None = None) -> dict[str, Decimal]:
        """What each member is owed."""
        answer = (reader or self.bob).get(f"{self.path}/balances")
        return {
            one["memberId"]: next(
                (value(sum) for sum in one["balances"] if sum["currency"] == currency), Decimal(0)
            )
            for one in answer["members"]
        }
