"""Every component of the web client in all its states: accessible, within its width, silent."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from web import SIZES, Files, Reports, build_components, chromium, context

NEEDS: list[str] = []
ADDRESS = "https://localhost:1"
#: Where screenshots go, for people who look at them.
SHOTS = os.environ.get("EZWALLET_WEB_SHOTS")


@pytest.fixture(scope="module")
def files() -> Files:
    return Files(build_components())


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def open_page(
    browser: Browser, files: Files, size: str, theme: str, query: str = "",
    wait: str = ".figure svg",
) -> Page:  # fmt: skip
    page = context(browser, size, theme).new_page()
    page.said = Reports()
    page.said.listen(page)
    page.route(f"{ADDRESS}/**", files.answer)
    tile = (files.folder / "icon-192.png").read_bytes()
    page.route(
        f"{ADDRESS}/tiles/**", lambda route: route.fulfill(content_type="image/png", body=tile)
    )
    page.goto(f"{ADDRESS}/components.html{query}")
    page.wait_for_selector(wait)
    return page


def shot(page: Page, name: str, whole: bool = True) -> None:
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=whole)


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]


def overflowing(page: Page) -> list[str]:
    """Elements that stick out of the page to the right, and whom nothing cuts or scrolls."""
    return page.evaluate(
        """() => [...document.querySelectorAll('body *')].filter(one => {
            if (one.getBoundingClientRect().right <= innerWidth + 1) return false;
            for (let up = one; up; up = up.parentElement)
                if (/auto|scroll|hidden|clip/.test(getComputedStyle(up).overflowX)
                    || up.matches('.unseen, svg')) return false;
            return true;
        }).map(one => one.outerHTML.slice(0, 120))"""
    )


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_components_are_accessible(browser: Browser, files: Files, size: str, theme: str) -> None:
    page = open_page(browser, files, size, theme)
    shot(page, f"components-{size}-{theme}")
    assert violations(page) == []
    assert overflowing(page) == []
    assert page.said == []
    page.context.close()


@pytest.mark.parametrize("kind", ["sheet", "confirm"])
@pytest.mark.parametrize("size", SIZES)
def test_dialog_takes_and_returns_focus(
    browser: Browser, files: Files, size: str, kind: str
) -> None:
    page = open_page(browser, files, size, "light", f"?open={kind}")
    page.wait_for_selector("dialog[open]")
    assert page.evaluate("document.querySelector('dialog').contains(document.activeElement)")
    shot(page, f"{kind}-{size}", whole=False)
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")
    page.context.close()


@pytest.mark.parametrize("language", ["it", "de", "fr", "es", "ro"])
def test_other_languages_do_not_overflow(browser: Browser, files: Files, language: str) -> None:
    page = open_page(browser, files, "phone", "light", f"?language={language}")
    assert page.evaluate("document.documentElement.lang") == language
    assert overflowing(page) == []
    page.context.close()


def test_money_field_says_what_it_understood(browser: Browser, files: Files) -> None:
    page = open_page(browser, files, "phone", "light")
    field = page.get_by_label("Price")
    field.fill("12+7,50")
    assert page.get_by_text("That is €19.50.").is_visible()
    field.fill("1.2345")
    assert page.get_by_text("EUR has 2 decimals only.").is_visible()
    page.context.close()


def test_form_focuses_the_first_field_with_an_error(browser: Browser, files: Files) -> None:
    page = open_page(browser, files, "desktop", "light")
    page.get_by_role("button", name="Save", exact=True).last.click()
    page.wait_for_function("document.activeElement.name === '/name'")
    page.context.close()


def test_chart_is_walked_by_keyboard(browser: Browser, files: Files) -> None:
    page = open_page(browser, files, "desktop", "light")
    walk = page.get_by_label("Walk through: Money in and out by month")
    walk.focus()
    assert walk.get_attribute("aria-valuetext") == "Nov: In €1,942.00, Out €986.00"
    page.keyboard.press("ArrowLeft")
    assert (walk.get_attribute("aria-valuetext") or "").startswith("Oct:")
    shot(page, "chart-focused", whole=False)
    page.context.close()


def test_toast_shows_its_undo(browser: Browser, files: Files) -> None:
    page = open_page(browser, files, "phone", "dark")
    page.get_by_role("button", name="Show a toast").click()
    assert page.locator(".toast").get_by_role("button", name="Undo").is_visible()
    assert violations(page) == []
    shot(page, "toast", whole=False)
    page.context.close()


@pytest.mark.parametrize("size", SIZES)
def test_list_of_10000_draws_24_rows_at_most(browser: Browser, files: Files, size: str) -> None:
    page = open_page(browser, files, size, "light", "?long=10000", wait="main li")
    for part in (0, 0.31, 0.5, 0.999, 1):
        seen = page.evaluate(
            """async part => {
                scrollTo(0, part * document.body.scrollHeight);
                for (let turn = 0; turn < 3; turn++) await new Promise(requestAnimationFrame);
                return [...document.querySelectorAll('main li')].map(one => [
                    Number(one.ariaPosInSet), Number(one.ariaSetSize),
                    one.getBoundingClientRect().top, one.textContent])
            }""",
            part,
        )
        assert 10 <= len(seen) <= 24
        assert [row[0] for row in seen] == list(range(seen[0][0], seen[0][0] + len(seen)))
        assert all(row[1] == 10_000 and f"Number {row[0]}" in row[3] for row in seen)
        # What is seen is filled with rows.
        height = SIZES[size][1]
        assert min(row[2] for row in seen) < 130 and max(row[2] for row in seen) > height - 200
    page.context.close()


def test_text_flows_at_320_pixels_and_at_twice_its_size(browser: Browser, files: Files) -> None:
    page = open_page(browser, files, "phone", "light")
    page.set_viewport_size({"width": 320, "height": 640})
    assert overflowing(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    page.wait_for_timeout(300)
    assert overflowing(page) == []
    page.context.close()
