"""The web client as the gateway serves it: its built files with their headers, in real Chromium."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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
    ".woff2": "font/woff2", ".webmanifest": "application/manifest+json", ".json": "application/json",
}  # fmt: skip
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types worker"
)
#: A phone and a desktop of the design.
SIZES = {"phone": (360, 780), "desktop": (1280, 800)}


def build(*options: str) -> Path:
    """Builds the client; without options what ships, else the page of components as well."""
    subprocess.run([ROOT / "deploy" / "build-web", *options], check=True, cwd=ROOT)
    return ROOT / ".local" / "web" / ("components" if options else "dist")


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

    def answer(self, route: Route) -> None:
        path = urlsplit(route.request.url).path
        file = self.folder / ("index.html" if self.is_route(path) else path[1:])
        if path.startswith("/v1/") or path.startswith("/.well-known/"):
            route.fallback()
        elif not file.is_file():
            route.fulfill(status=404, body="")
        else:
            headers = {
                "content-type": TYPES[file.suffix],
                "content-security-policy": POLICY,
                "x-content-type-options": "nosniff",
            }
            route.fulfill(body=file.read_bytes(), headers=headers)


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
