"""Screens of the web client against the running suite: sign up, add, find, delete, take back.

The gateway's own serving of files is not built yet: the browser answers them as it will, and every
call goes to the gateway, with its cookies.
"""

import os
import re
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from client import Person
from suite.suite import Suite
from web import Files, Reports, build, chromium, context

NEEDS = ["gateway", "auth", "ledger", "analytics"]
PASSWORD = "correct-horse-battery-7"  # noqa: S105
SHOTS = os.environ.get("EZWALLET_WEB_SHOTS")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(build(tmp_path_factory.mktemp("web")))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def open_page(browser: Browser, suite: Suite, files: Files, size: str, theme: str) -> Page:
    page = context(browser, size, theme, service_workers="block").new_page()
    page.said = Reports()
    page.said.listen(page)
    page.route(f"{suite.address}/**", files.answer)
    return page


def sign_up(page: Page, suite: Suite) -> str:
    email = f"w{uuid.uuid4().hex[:12]}@example.org"
    page.goto(f"{suite.address}/sign-up")
    page.get_by_label("First name").fill("Giulia")
    page.get_by_label("Last name").fill("Rossi")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create an account").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Giulia", timeout=20_000)
    return email


def add(page: Page, amount: str, category: str, name: str) -> None:
    page.get_by_role("link", name="Add", exact=True).locator("visible=true").first.click()
    page.get_by_label("Amount", exact=True).fill(amount)
    if not page.get_by_role("button", name=category, exact=True).is_visible():
        page.get_by_role("button", name="All", exact=True).click()
    page.get_by_role("button", name=category, exact=True).click()
    chip = page.locator("dialog").get_by_role("button", name="Name", exact=True)
    if chip.is_visible():
        chip.click()
    page.get_by_label("Name", exact=True).and_(page.locator("input")).fill(name)
    page.get_by_role("button", name=re.compile("^Save €")).click()
    expect(page.locator("dialog[open]")).to_have_count(0)


def shot(page: Page, name: str) -> None:
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}.png")


def check(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    nodes = [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]
    assert nodes == []


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("size", "theme"), [("phone", "light"), ("desktop", "dark")])
def test_expense_is_added_found_and_taken_back(
    browser: Browser, suite: Suite, files: Files, size: str, theme: str
) -> None:
    page = open_page(browser, suite, files, size, theme)
    page.goto(f"{suite.address}/")
    expect(page.get_by_role("button", name="Sign in", exact=True)).to_be_visible(timeout=20_000)
    shot(page, f"sign-in-{size}")
    check(page)
    page.said.clear()
    sign_up(page, suite)
    add(page, "23,50", "Restaurants", "Bar Luce")
    add(page, "12+7.50", "Groceries", "Esselunga")
    expect(page.get_by_text("Esselunga")).to_be_visible()
    expect(page.get_by_text("−€19.50").first).to_be_visible()
    spent = page.get_by_role("region", name=re.compile("Spent in"))
    expect(spent.locator("[data-size=xl]")).to_have_text("€43.00", timeout=10_000)
    shot(page, f"home-{size}")
    check(page)
    page.get_by_role("link", name="All transactions").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Transactions")
    page.get_by_role("link", name=re.compile("Bar Luce")).click()
    shot(page, f"transactions-{size}")
    check(page)
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("Deleted")
    expect(page.get_by_role("link", name=re.compile("Bar Luce"))).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name=re.compile("Bar Luce"))).to_be_visible()
    assert page.said == []
    page.context.close()


@pytest.mark.timeout(120)
def test_expense_added_offline_is_sent_later(browser: Browser, suite: Suite, files: Files) -> None:
    page = open_page(browser, suite, files, "phone", "light")
    sign_up(page, suite)
    page.get_by_role("link", name="Add", exact=True).last.click()
    expect(page.get_by_label("Amount", exact=True)).to_be_visible()
    shot(page, "add-phone")
    check(page)
    page.context.set_offline(True)
    page.get_by_role("button", name="7", exact=True).click()
    page.get_by_role("button", name="Save €7.00").click()
    expect(page.get_by_text("Saved here, sent later")).to_be_visible()
    expect(page.get_by_text("1 not sent yet")).to_be_visible()
    shot(page, "offline-phone")
    with page.expect_response("**/v1/changes**", timeout=30_000):
        page.context.set_offline(False)
    expect(page.get_by_text("1 not sent yet")).to_have_count(0)
    expect(page.get_by_text("−€7.00").first).to_be_visible()
    # The device knows it now: the page opens without a network and shows it.
    page.wait_for_timeout(500)
    page.context.set_offline(True)
    page.reload()
    expect(page.locator(".tx", has_text="−€7.00")).to_be_visible()
    page.get_by_role("link", name="All transactions").click()
    expect(page.locator(".tx", has_text="−€7.00")).to_be_visible()
    page.context.close()


@pytest.mark.timeout(120)
def test_list_is_walked_and_emptied_by_keys(browser: Browser, suite: Suite, files: Files) -> None:
    page = open_page(browser, suite, files, "desktop", "light")
    sign_up(page, suite)
    for name in ("First", "Second"):
        page.locator("h1").press("n")
        page.get_by_label("Amount", exact=True).fill("1")
        page.get_by_label("Name", exact=True).fill(name)
        shot(page, "add-desktop")
        check(page)
        page.keyboard.press("Enter")
        expect(page.locator("dialog[open]")).to_have_count(0)
    page.locator("h1").press("g")
    page.keyboard.press("t")
    expect(page.get_by_role("heading", level=1)).to_have_text("Transactions")
    page.get_by_role("link", name=re.compile("Second")).focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("link", name=re.compile("First"))).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.get_by_role("link", name=re.compile("First"))).to_have_count(0)
    expect(page.get_by_role("link", name=re.compile("Second"))).to_be_visible()
    page.context.close()


@pytest.mark.timeout(120)
def test_wrong_password_says_so_once(browser: Browser, suite: Suite, files: Files) -> None:
    page = open_page(browser, suite, files, "phone", "light")
    page.goto(f"{suite.address}/sign-in")
    page.get_by_label("Email or username").fill("nobody@example.org")
    page.get_by_label("Password", exact=True).fill("wrong-horse-battery")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("Wrong email or password", timeout=20_000)
    check(page)
    page.context.close()


@pytest.mark.timeout(120)
def test_ended_session_asks_and_goes_on(browser: Browser, suite: Suite, files: Files) -> None:
    page = open_page(browser, suite, files, "phone", "light")
    email = sign_up(page, suite)
    page.get_by_role("link", name="Add", exact=True).last.click()
    page.get_by_role("button", name="8", exact=True).click()
    page.context.clear_cookies()
    page.get_by_role("button", name="Save €8.00").click()
    dialog = page.get_by_role("dialog", name="Your session has ended")
    expect(dialog).to_be_visible()
    check(page)
    shot(page, "session-ended-phone")
    dialog.get_by_label("Email or username").fill(email)
    dialog.get_by_label("Password", exact=True).fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in", exact=True).click()
    expect(dialog).to_have_count(0, timeout=20_000)
    # What was typed is sent now, once.
    expect(page.get_by_text("Today")).to_be_visible(timeout=20_000)
    expect(page.get_by_text("Not sent yet")).to_have_count(0)
    expect(page.locator(".tx", has_text="−€8.00")).to_have_count(1)
    page.context.close()


@pytest.mark.timeout(120)
def test_sign_out_deletes_what_the_device_keeps(
    browser: Browser, suite: Suite, files: Files
) -> None:
    page = open_page(browser, suite, files, "phone", "light")
    sign_up(page, suite)
    page.get_by_role("button", name="Profile and settings").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("dialog", name="Sign out of this device?")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome", timeout=20_000)
    kept = page.evaluate(
        "async () => [(await indexedDB.databases()).length, localStorage.getItem('ezwallet-user')]"
    )
    assert kept == [0, None]
    page.goto(f"{suite.address}/transactions")
    page.wait_for_url(re.compile("sign-in"))
    page.context.close()


@pytest.mark.timeout(120)
def test_write_that_waits_is_never_sent_as_somebody_else(
    browser: Browser, suite: Suite, files: Files
) -> None:
    other = Person(suite)
    page = open_page(browser, suite, files, "phone", "light")
    sign_up(page, suite)
    lost = f"{suite.address}/v1/transactions"
    page.route(
        lost, lambda route: route.abort() if route.request.method == "POST" else route.fallback()
    )
    page.get_by_role("link", name="Add", exact=True).last.click()
    page.get_by_role("button", name="7", exact=True).click()
    page.get_by_role("button", name="Save €7.00").click()
    expect(page.get_by_text("Saved here, sent later")).to_be_visible()
    page.context.clear_cookies()
    page.goto(f"{suite.address}/sign-in")
    page.unroute(lost)
    page.get_by_label("Email or username").fill(other.email)
    page.get_by_label("Password", exact=True).fill(other.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_text("Nothing here yet")).to_be_visible(timeout=20_000)
    page.wait_for_timeout(1500)
    assert other.get("/v1/transactions")["items"] == []
    assert page.evaluate("async () => (await indexedDB.databases()).map(one => one.name)") == [
        f"ezwallet-{other.id}"
    ]
    page.context.close()
