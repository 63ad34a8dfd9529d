"""Messages for the stream, as a relay publishes them: each by its name, and acknowledged."""

import socket

from suite.suite import Suite

#: So many are on their way at most.
WINDOW = 64
SECONDS_MAX = 30


class Broker:
    """One connection to the broker, spoken to in its own protocol."""

    def __init__(self, suite: Suite):
        self.socket = socket.create_connection(("127.0.0.1", suite.ports["NATS"]), SECONDS_MAX)
        self.file = self.socket.makefile("rb")
        self.line()
        self.open = 0
        self.socket.sendall(
            b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\n'
            b"SUB _INBOX.bench 1\r\n"
        )

    def line(self) -> bytes:
        said = self.file.readline()
        if not said or said.startswith(b"-ERR"):
            raise RuntimeError(f"the broker says {said.decode().strip() or 'nothing any more'}")
        return said

    def publish(self, subject: str, name: str, body: bytes) -> None:
        """Sends one, once there is room in the window."""
        while self.open >= WINDOW:
            self.take()
        head = f"NATS/1.0\r\nNats-Msg-Id: {name}\r\n\r\n".encode()
        sizes = f"{len(head)} {len(head) + len(body)}"
        self.socket.sendall(
            f"HPUB {subject} _INBOX.bench {sizes}\r\n".encode() + head + body + b"\r\n"
        )
        self.open += 1

    def settle(self) -> None:
        """Returns once all of them are stored."""
        while self.open:
            self.take()

    def take(self) -> None:
        """One acknowledgement."""
        said = self.line()
        if said.startswith(b"PING"):
            self.socket.sendall(b"PONG\r\n")
        if not said.startswith((b"MSG", b"HMSG")):
            return
        told = self.file.read(int(said.split()[-1]) + 2)
        if b'"seq"' not in told:
            raise RuntimeError(f"the broker does not store: {told.decode().strip()}")
        self.open -= 1
