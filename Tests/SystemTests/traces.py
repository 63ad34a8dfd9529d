"""Where something of a person could still lie: every table of every database, and the stream."""

import base64
import json
import socket
from collections.abc import Iterable

from suite.suite import Suite

DATABASES = ["auth", "ledger", "groups", "analytics", "notifications"]

#: Every row of every table as text; bytes stand in it in hexadecimal.
ROWS = """
select format(
    'select %L, count(*) from %I.%I as row where row::text ilike any (%L)',
    table_schema || '.' || table_name, table_schema, table_name, '{wanted}')
from information_schema.tables
where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
"""


def in_databases(suite: Suite, needles: Iterable[str]) -> list[str]:
    """The tables that hold any of the texts, with the number of rows."""
    forms = [form for one in needles for form in (one, one.encode().hex())]
    wanted = "{" + ",".join(f'"%{form}%"' for form in forms) + "}"
    found = []
    for name in DATABASES:
        database = f"ezwallet_{name}"
        queries = suite.postgres.psql(
            "-c", ROWS.format(wanted=wanted.replace("'", "''")), database=database
        ).splitlines()
        assert len(queries) > 8, f"too few tables in {database}"
        answer = suite.postgres.psql("-c", "\nunion all ".join(queries), database=database)
        found += [f"{name}: {row}" for row in answer.splitlines() if not row.endswith("|0")]
    return found


class Broker:
    """As much of NATS's protocol as asking takes."""

    def __init__(self, suite: Suite):
        self.socket = socket.create_connection(("127.0.0.1", suite.ports["NATS"]), 5)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        self.socket.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\nSUB told 1\r\n')

    def ask(self, subject: str, body: dict) -> dict:
        """One call of JetStream's own interface."""
        data = json.dumps(body).encode()
        self.socket.sendall(f"PUB {subject} told {len(data)}\r\n".encode() + data + b"\r\n")
        while not (line := self.file.readline()).startswith(b"MSG"):
            if line.startswith(b"PING"):
                self.socket.sendall(b"PONG\r\n")
        answer = self.file.read(int(line.split()[-1]) + 2)
        return json.loads(answer)

    def close(self) -> None:
        self.file.close()
        self.socket.close()


def in_stream(suite: Suite, needles: Iterable[str]) -> list[str]:
    """The messages of the stream that hold any of the texts."""
    wanted = [one.lower().encode() for one in needles]
    broker = Broker(suite)
    try:
        state = broker.ask("$JS.API.STREAM.INFO.EZWALLET", {})["state"]
        found = []
        for sequence in range(state["first_seq"], state["last_seq"] + 1):
            answer = broker.ask("$JS.API.STREAM.MSG.GET.EZWALLET", {"seq": sequence})
            if "message" not in answer:
                continue
            message = answer["message"]
            data = base64.b64decode(message.get("data", "")).lower()
            if any(one in data for one in wanted):
                found.append(f"{message['subject']}: {data[:300]!r}")
        return found
    finally:
        broker.close()


def drop_subject(suite: Suite, user: str) -> None:
    """Removes what the stream holds on a person's own subject."""
    broker = Broker(suite)
    try:
        wanted = {"filter": f"ezwallet.auth.user.{user}"}
        answer = broker.ask("$JS.API.STREAM.PURGE.EZWALLET", wanted)
        assert answer["success"], answer
    finally:
        broker.close()


def on_subject(suite: Suite, user: str) -> list[str]:
    """The types of the events that the stream still holds on a person's own subject."""
    broker = Broker(suite)
    try:
        subject = f"ezwallet.auth.user.{user}"
        info = broker.ask("$JS.API.STREAM.INFO.EZWALLET", {"subjects_filter": subject})
        count = info["state"].get("subjects", {}).get(subject, 0)
        last = broker.ask("$JS.API.STREAM.MSG.GET.EZWALLET", {"last_by_subj": subject})
        if "message" not in last:
            return []
        data = json.loads(base64.b64decode(last["message"]["data"]))
        return [data["type"]] * count
    finally:
        broker.close()
