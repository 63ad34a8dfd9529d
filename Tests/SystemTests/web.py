"""The web client as the gateway serves it: its built files with their headers, in real Chromium."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Route,
    sync_playwright,
)

from browser import FLAGS

ROOT = Path(__file__).resolve().parent.parent.parent
TYPES = {
    ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png",
    ".woff2": "font/woff2", ".webmanifest": "application/manifest+json",
}  # fmt: skip
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types worker"
)
#: A phone and a desktop of the design.
SIZES = {"phone": (360, 780), "desktop": (1280, 800)}


def build(folder: Path) -> Path:
    """Builds what ships to a folder of the caller's own."""
    subprocess.run([ROOT / "deploy" / "build-web", folder], check=True, cwd=ROOT)
    return folder


def build_components() -> Path:
    """Builds what ships and the page of components."""
    subprocess.run([ROOT / "deploy" / "build-web", "--components"], check=True, cwd=ROOT)
    return ROOT / ".local" / "web" / "components"


class Files:
    """What the gateway answers for each path that is not the API's."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.routes = json.loads((folder / "routes.json").read_text())

    def is_route(self, path: str) -> bool:
        given = path.split("/")
        return any(
            len(given) == len(route.split("/"))
            and all(
                want.startswith("{") or want == got
                for want, got in zip(route.split("/"), given, strict=True)
            )
            for route in self.routes
        )

    def found(self, path: str) -> tuple[bytes, dict[str, str]] | None:
        """The body and headers of a path; nothing for one that is not the client's."""
        file = self.folder / ("index.html" if self.is_route(path) else path[1:])
        if not file.is_file() or file.suffix not in TYPES:
            return None
        is_hashed = path.startswith("/assets/")
        return file.read_bytes(), {
            "content-type": TYPES[file.suffix],
            "cache-control": "public, max-age=31536000, immutable" if is_hashed else "no-cache",
            "content-security-policy": POLICY,
            "x-content-type-options": "nosniff",
        }

    def answer(self, route: Route) -> None:
        """Answers a page's request; those of the API go on to the gateway."""
        path = urlsplit(route.request.url).path
        if path.startswith(("/v1/", "/.well-known/")):
            return route.fallback()
        found = self.found(path)
        if found is None:
            return route.fulfill(status=404, body="")
        return route.fulfill(body=found[0], headers=found[1])

    @contextmanager
    def served(self) -> Iterator[str]:
        """A real server on loopback, for the service worker; nobody is signed in there."""
        files = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = urlsplit(self.path).path
                found = files.found(path)
                if found is None:
                    return self.reply(404, b"", {})
                body, headers = found
                name = "index.html" if files.is_route(path) else path[1:]
                less = files.folder / f"{name}.br"
                if less.is_file() and "br" in self.headers.get("accept-encoding", ""):
                    body, headers = less.read_bytes(), headers | {"content-encoding": "br"}
                return self.reply(200, body, headers)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                problem = {"code": "unauthenticated", "detail": "Sign in.", "traceId": "0"}
                kind = {"content-type": "application/problem+json"}
                self.reply(401, json.dumps(problem).encode(), kind)

            def reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


class Reports(list[str]):
    """What the console said, and the policy's violations."""

    def listen(self, page: Page) -> None:
        page.on("console", self.take)
        page.on("pageerror", lambda error: self.append(str(error)))

    def take(self, said: ConsoleMessage) -> None:
        # Tests that answer for the gateway block the worker, whose own calls they do not see.
        if said.type in ("error", "warning") and "Service Worker registration" not in said.text:
            self.append(said.text)


@contextmanager
def chromium() -> Iterator[Browser]:
    program = shutil.which("chromium")
    assert program, "chromium is needed: deploy/test installs it"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


def context(browser: Browser, size: str, theme: str = "light", **more: object) -> BrowserContext:
    width, height = SIZES[size]
    return browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=theme, locale="en-GB",
        ignore_https_errors=True, reduced_motion="reduce", has_touch=size == "phone", **more,
    )  # fmt: skip
