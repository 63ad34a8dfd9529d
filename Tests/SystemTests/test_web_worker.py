"""The service worker: the shell opens without a network, and a new build waits for typed text."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from web import Files, build, chromium, context

NEEDS: list[str] = []


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("web"))


@pytest.fixture
def files(built: Path, tmp_path: Path) -> Files:
    """A copy, for a test changes it."""
    return Files(Path(shutil.copytree(built, tmp_path / "dist")))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def installed(page: Page) -> None:
    page.wait_for_function(
        "async () => (await navigator.serviceWorker.ready).active.state === 'activated'"
        " && navigator.serviceWorker.controller"
    )


@pytest.mark.timeout(120)
def test_shell_opens_without_a_network(browser: Browser, files: Files) -> None:
    with files.served() as address:
        page = context(browser, "phone").new_page()
        page.goto(f"{address}/sign-in")
        installed(page)
        page.context.set_offline(True)
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Welcome")
        page.goto(f"{address}/sign-up")
        expect(page.get_by_label("First name")).to_be_visible()
        page.context.close()


@pytest.mark.timeout(120)
def test_removal_worker_removes_itself(browser: Browser, files: Files) -> None:
    with files.served() as address:
        page = context(browser, "phone").new_page()
        page.goto(f"{address}/sign-in")
        installed(page)
        shutil.copy(files.folder / "removal.js", files.folder / "worker.js")
        page.evaluate("async () => (await navigator.serviceWorker.getRegistration()).update()")
        page.wait_for_function(
            "async () => !(await navigator.serviceWorker.getRegistrations()).length"
            " && !(await caches.keys()).length"
        )
        page.context.close()


@pytest.mark.timeout(120)
def test_new_build_waits_until_pages_are_left(browser: Browser, files: Files) -> None:
    with files.served() as address:
        page = context(browser, "phone").new_page()
        page.goto(f"{address}/sign-in")
        installed(page)
        page.get_by_label("Email or username").fill("giulia")
        worker = files.folder / "worker.js"
        worker.write_text(worker.read_text() + "\n// another build")
        page.evaluate("async () => (await navigator.serviceWorker.getRegistration()).update()")
        page.wait_for_function(
            "async () => (await navigator.serviceWorker.getRegistration()).waiting !== null"
        )
        expect(page.get_by_label("Email or username")).to_have_value("giulia")
        page.context.close()
