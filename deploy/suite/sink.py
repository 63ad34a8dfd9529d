"""What stands in for the outside world: an SMTP server and an SMS provider's HTTP endpoint.

Mails and messages become files, the recipient in the name, so that a newcomer can read a code:
`<time>-<recipient>.eml`, `<time>-<recipient>.sms`. An SMS is `POST /messages` with JSON `to` and
`text`; the answer is 201 with an `id`, the same for a repeated `Idempotency-Key`.
"""

import argparse
import json
import re
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

SIZE_MAX = 1 << 20


def deliver(outbox: Path, recipient: str, kind: str, content: bytes) -> str:
    """Writes one message under a name of its own and returns that name."""
    safe = re.sub(r"[^A-Za-z0-9@+._-]", "_", recipient)[:120]
    name = f"{time.time_ns()}-{safe}.{kind}"
    # Not `.eml` yet: a reader's `*.eml` may find hidden files too.
    temporary = outbox / f".{name}.part"
    temporary.write_bytes(content)
    temporary.rename(outbox / name)
    return name


class Mailbox:
    """Takes every mail."""

    def __init__(self, outbox: Path):
        self.outbox = outbox

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        for recipient in envelope.rcpt_tos:
            deliver(self.outbox, recipient, "eml", envelope.content)
        return "250 2.0.0 delivered"


def provider(outbox: Path) -> type[BaseHTTPRequestHandler]:
    """The SMS provider over one outbox."""
    seen: dict[str, str] = {}
    lock = threading.Lock()

    class Provider(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            if length > SIZE_MAX:
                self.close_connection = True
                return self.answer(413, {"error": "too large"})
            try:
                message = json.loads(self.rfile.read(length))
                recipient, text = str(message["to"]), str(message["text"])
            except (ValueError, KeyError, TypeError):
                return self.answer(400, {"error": "JSON with `to` and `text` is wanted"})
            key = self.headers.get("Idempotency-Key")
            with lock:
                name = seen.get(key) if key else None
                if name is None:
                    name = deliver(outbox, recipient, "sms", text.encode())
                    if key:
                        seen[key] = name
            return self.answer(201, {"id": name})

        def answer(self, status: int, body: dict[str, str]) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            """Says nothing: the files say it all, and bodies hold codes."""

    return Provider


def main() -> None:
    """Serves until SIGTERM."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--smtp", type=int, required=True)
    parser.add_argument("--http", type=int, required=True)
    parser.add_argument("--outbox", type=Path, required=True)
    parser.add_argument("--address", default="127.0.0.1")
    options = parser.parse_args()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    mail = Controller(Mailbox(options.outbox), hostname=options.address, port=options.smtp)
    mail.start()
    web = ThreadingHTTPServer((options.address, options.http), provider(options.outbox))
    threading.Thread(target=web.serve_forever, daemon=True).start()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    web.shutdown()
    mail.stop()


if __name__ == "__main__":
    main()
