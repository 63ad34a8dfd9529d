"""Headless Chromium with a virtual authenticator, on a page of our own origin."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip

#: What our own pages do: call, and take and give what the authenticator answers.
SCRIPT = """
window.call = async (method, path, body) => {
  const answer = await fetch(path, {
    method, credentials: 'same-origin',
    headers: body === undefined ? {} : {'content-type': 'application/json'},
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.text();
  return {status: answer.status, body: text ? JSON.parse(text) : null};
};
window.create = async options => (await navigator.credentials.create({
  publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
})).toJSON();
window.use = async options => (await navigator.credentials.get({
  publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
})).toJSON();
"""


class Browser:
    """A page of our own, its cookies, and the authenticator plugged in."""

    def __init__(self, page: Page, devtools: CDPSession):
        self.page, self.devtools = page, devtools
        self.authenticator = ""

    def plug(self, **options: Any) -> None:
        """Plugs in an authenticator in the place of the one before."""
        if self.authenticator:
            self.devtools.send(
                "WebAuthn.removeVirtualAuthenticator", {"authenticatorId": self.authenticator}
            )
        settings = {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }  # fmt: skip
        made = self.devtools.send(
            "WebAuthn.addVirtualAuthenticator", {"options": settings | options}
        )
        self.authenticator = made["authenticatorId"]

    def credentials(self) -> list[dict[str, Any]]:
        return self.devtools.send(
            "WebAuthn.getCredentials", {"authenticatorId": self.authenticator}
        )["credentials"]

    def put(self, credential: dict[str, Any]) -> None:
        """Puts a credential in, as somebody with a copy of it would."""
        self.devtools.send(
            "WebAuthn.addCredential",
            {"authenticatorId": self.authenticator, "credential": credential},
        )

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """A call as the page makes it, with its cookies and its origin."""
        answer = self.page.evaluate(
            "([m, p, b]) => window.call(m, p, b === null ? undefined : b)", [method, path, body]
        )
        return answer["status"], answer["body"]

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        return self.page.evaluate("o => window.create(o)", options)

    def use(self, options: dict[str, Any]) -> dict[str, Any]:
        return self.page.evaluate("o => window.use(o)", options)

    def cookies(self) -> dict[str, dict[str, Any]]:
        return {cookie["name"]: cookie for cookie in self.page.context.cookies()}


@contextmanager
def browser(address: str) -> Iterator[Browser]:
    """A browser on an empty page of this origin; every other call goes to the gateway."""
    chromium = shutil.which("chromium")
    assert chromium, "chromium is needed: deploy/test installs it"
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        context = program.new_context(ignore_https_errors=True)
        page = context.new_page()
        page.route(
            f"{address}/page",
            lambda route: route.fulfill(
                content_type="text/html", body=f"<!doctype html><script>{SCRIPT}</script>"
            ),
        )
        page.goto(f"{address}/page")
        devtools = context.new_cdp_session(page)
        devtools.send("WebAuthn.enable", {"enableUI": False})
        yield Browser(page, devtools)
        program.close()
