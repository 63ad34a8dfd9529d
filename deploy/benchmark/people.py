"""Many people with many funded accounts, made through the public API."""

import asyncio
import json
import ssl
import uuid
from dataclasses import dataclass, field
from pathlib import Path

from benchmark.rounds import say
from suite.suite import Suite

CONNECTIONS = 64
#: Of batches that fund: each is work for a while.
BATCH_CONNECTIONS, BATCH_ELEMENTS = 4, 1000
PASSWORD = "correct-horse-battery-7"


class Connection:
    """One keep-alive connection to the gateway."""

    def __init__(self, suite: Suite):
        self.port = suite.ports["GATEWAY"]
        self.trust = ssl.create_default_context(cafile=str(suite.folder / "tls" / "ca.pem"))

    async def open(self) -> "Connection":
        self.reader, self.writer = await asyncio.open_connection(
            "localhost", self.port, ssl=self.trust
        )
        return self

    async def call(
        self, method: str, path: str, content: bytes = b"", token: str = "",
        kind: str = "application/json",
    ) -> tuple[int, bytes]:  # fmt: skip
        """One call: the status and the body of its answer."""
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
        if method != "GET":
            head += (
                f"Content-Type: {kind}\r\nIdempotency-Key: {uuid.uuid4()}\r\n"
                f"Content-Length: {len(content)}\r\n"
            )
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        self.writer.write(head.encode() + b"\r\n" + content)
        status, *headers = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        length = next(
            int(line.split(":")[1]) for line in headers if line.lower().startswith("content-length")
        )
        return int(status.split()[1]), await self.reader.readexactly(length)

    async def post(self, path: str, body: dict, token: str = "") -> dict:
        """One POST that must make something."""
        status, answer = await self.call("POST", path, json.dumps(body).encode(), token)
        if status != 201:
            raise RuntimeError(f"{path}: {status}: {answer.decode()}")
        return json.loads(answer)

    async def get(self, path: str, token: str) -> dict:
        """One GET that must find something."""
        status, answer = await self.call("GET", path, token=token)
        if status != 200:
            raise RuntimeError(f"{path}: {status}: {answer.decode()}")
        return json.loads(answer)


@dataclass
class Person:
    """Somebody with a session and current accounts."""

    token: str
    accounts: list[str] = field(default_factory=list)
    #: Of the same accounts, in the same order.
    ibans: list[str] = field(default_factory=list)


async def shared_out(suite: Suite, work: list, carry_out, connections: int = CONNECTIONS) -> None:
    """Carries out each piece of work over so many connections."""

    async def worker() -> None:
        connection = await Connection(suite).open()
        while work:
            await carry_out(connection, work.pop())
        connection.writer.close()

    await asyncio.gather(*(worker() for _ in range(connections)))


async def make(suite: Suite, people: int, accounts_each: int) -> list[Person]:
    """Registers everyone, opens and funds the accounts."""
    made: list[Person] = []

    async def register(connection: Connection, number: int) -> None:
        email = f"bench{number}-{uuid.uuid4().hex[:6]}@example.org"
        answer = await connection.post("/v1/users", {"email": email, "password": PASSWORD})
        made.append(Person(answer.get("session", answer)["accessToken"]))

    async def open_account(connection: Connection, of: tuple[Person, int]) -> None:
        person, number = of
        body = {"kind": "current", "currency": "EUR", "name": f"Account {number}"}
        account = await connection.post("/v1/accounts", body, person.token)
        person.accounts.append(account["id"])
        person.ibans.append(account["iban"])

    async def fund(connection: Connection, of: tuple[Person, list[str]]) -> None:
        person, accounts = of
        amount = {"amount": "1000.00", "currency": "EUR"}
        rows = [{"accountId": account, "amount": amount} for account in accounts]
        await connection.post("/v1/transactions/batches", {"transactions": rows}, person.token)

    await shared_out(suite, list(range(people)), register)
    say(f"  {people} people registered; opening {people * accounts_each} accounts")
    work = [(person, number) for number in range(accounts_each) for person in made]
    await shared_out(suite, work, open_account)
    funded = [
        (person, person.accounts[place : place + BATCH_ELEMENTS])
        for person in made
        for place in range(0, accounts_each, BATCH_ELEMENTS)
    ]
    await shared_out(suite, funded, fund, BATCH_CONNECTIONS)
    return made


def write(people: list[Person], file: Path) -> Path:
    """As `postings.lua` reads them: a line is a token and accounts to choose two from."""
    file.write_text("".join(f"{one.token} {' '.join(one.accounts)}\n" for one in people))
    return file


def write_payees(people: list[Person], file: Path) -> Path:
    """As `postings.lua` reads them: in the same order, a line is a person's IBANs."""
    file.write_text("".join(f"{' '.join(one.ibans)}\n" for one in people))
    return file
