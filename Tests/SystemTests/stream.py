"""The server-sent events of somebody's feed."""

import contextlib
import json
import queue
import threading

import httpx

from client import Api, Person


class Stream:
    """The server-sent events of somebody, read in a thread until it ends."""

    def __init__(self, person: Person, last: str | None = None):
        self.api = Api(person.suite, person.token)
        self.events: queue.Queue[tuple[str, dict]] = queue.Queue()
        self.open = threading.Event()
        self.last = last
        threading.Thread(target=self.read, daemon=True).start()
        assert self.open.wait(10), "the stream does not open"

    def read(self) -> None:
        with contextlib.suppress(httpx.TransportError):  # closed from the other thread
            self.follow()

    def follow(self) -> None:
        headers = {"Authorization": f"Bearer {self.api.token}", "Accept": "text/event-stream"}
        if self.last:
            headers["Last-Event-ID"] = self.last
        identifier, data = "", []
        with self.api.http.stream(
            "GET", "/v1/notifications/stream", headers=headers, timeout=60
        ) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            self.open.set()
            for line in answer.iter_lines():
                if line.startswith("id:"):
                    identifier = line[3:].strip()
                elif line.startswith("data:"):
                    data.append(line[5:].strip())
                elif not line and data:
                    self.events.put((identifier, json.loads("\n".join(data))))
                    data = []

    def next(self, kind: str, seconds: float = 15) -> tuple[str, dict]:
        """The next event of a kind."""
        while True:
            identifier, event = self.events.get(timeout=seconds)
            if event.get("kind") == kind:
                return identifier, event

    def close(self) -> None:
        self.api.http.close()
