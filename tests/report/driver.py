"""A headless Chromium for the tests of the report."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # as root there is none
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--force-device-scale-factor=1",
    "--window-size=1280,900",
)


@contextmanager
def chromium(profile: Path) -> Iterator[WebDriver]:
    """Start a browser; skip where there is none, unless DAGLOCK_REQUIRE_BROWSER=1 forbids that."""
    binary = next(filter(None, map(shutil.which, _CHROMIUMS)), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        missing = "Chromium" if binary is None else "chromedriver"
        reason = f"The report is not tested in a browser: {missing} is not installed."
        if os.environ.get("DAGLOCK_REQUIRE_BROWSER") == "1":
            pytest.fail(f"{reason} DAGLOCK_REQUIRE_BROWSER=1 asks for it.")
        pytest.skip(f"{reason} Debian: apt install chromium chromium-driver.")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for option in (*_OPTIONS, f"--user-data-dir={profile}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    try:
        browser.set_page_load_timeout(120)
        browser.set_script_timeout(60)
        yield browser
    finally:
        browser.quit()


class Page:
    """A report in the browser, and what a person does with it."""

    def __init__(self, browser: WebDriver, file: Path) -> None:
        self.browser = browser
        self._log("browser")
        self._log("performance")
        self.address = file.as_uri()
        browser.get(self.address)
        self.run("document.documentElement.style.scrollBehavior = 'auto'")

    def _log(self, kind: str) -> list[dict[str, Any]]:
        """Return what was logged since the last call."""
        return list(self.browser.execute("getLog", {"type": kind})["value"])

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script and return what it returns."""
        return self.browser.execute_script(script, *arguments)

    def find(self, selector: str) -> WebElement:
        """Return the first element."""
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        """Return all elements."""
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def node(self, v: int) -> WebElement:
        """Return the box of a variable."""
        return self.find(f'.node[data-node="{v}"]')

    def edge(self, e: int) -> WebElement:
        """Return the line of an edge."""
        return self.find(f'.edge[data-edge="{e}"]')

    def edges(self) -> list[WebElement]:
        """Return the lines of all edges."""
        return self.all("#edge-layer .edge")

    def box(self, element: WebElement) -> tuple[float, float, float, float]:
        """Return left, top, right and bottom of an element in the window."""
        left, top, right, bottom = self.run(
            """const b = arguments[0].getBoundingClientRect();
            return [b.left, b.top, b.right, b.bottom]""",
            element,
        )
        return left, top, right, bottom

    def point_of(self, line: WebElement, share: float) -> tuple[float, float]:
        """Return where a point of a line is in the window; 0 is its start, 1 its end."""
        x, y = self.run(
            """const [line, share] = arguments;
            const p = line.getPointAtLength(share * line.getTotalLength());
            const q = p.matrixTransform(line.getScreenCTM());
            return [q.x, q.y]""",
            line,
            share,
        )
        return x, y

    def dispatch(
        self, element: WebElement, kind: str, event: str = "Event", **options: Any
    ) -> None:
        """Send an event to an element, wherever the pointer is."""
        self.run(
            """const [element, kind, event, options] = arguments;
            element.dispatchEvent(new window[event](kind, options))""",
            element,
            kind,
            event,
            {"bubbles": True, "cancelable": True, **options},
        )

    def click(self, element: WebElement) -> None:
        """Click where the element is, as a person does."""
        self.show(element)
        ActionChains(self.browser).move_to_element(element).click().perform()

    def show(self, element: WebElement) -> None:
        """Scroll so that the middle of the element is in the middle of the window."""
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        for key in keys:
            ActionChains(self.browser).send_keys(key).perform()

    def point_at(self, x: float, y: float) -> None:
        """Move the pointer to a place in the window."""
        actions = ActionBuilder(self.browser)
        move: Callable[[int, int], object] = actions.pointer_action.move_to_location
        move(round(x), round(y))
        actions.perform()

    def drag(self, x: float, y: float, dx: int, dy: int) -> None:
        """Press the button at a place in the window, move, let go."""
        self.point_at(x, y)
        ActionChains(self.browser).click_and_hold().move_by_offset(dx, dy).release().perform()

    def wait(self, condition: Callable[[], object]) -> None:
        """Wait until something holds."""
        WebDriverWait(self.browser, 20).until(lambda _: condition())

    def severe(self) -> list[str]:
        """Return the errors in the console."""
        return [entry["message"] for entry in self._log("browser") if entry["level"] == "SEVERE"]

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for, but for data in the page itself."""
        messages = [json.loads(entry["message"])["message"] for entry in self._log("performance")]
        sent = [m["params"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        # the browser itself also loads pages, its empty tab for example
        mine = [m["request"]["url"] for m in sent if m["documentURL"].startswith(self.address)]
        return [url for url in mine if not url.startswith("data:")]

    def panel(self, key: str) -> list[tuple[str, float, float]]:
        """Return names, standardised and raw values of a list in the panel, all of it."""
        for more in self.all("#panel .more"):
            self.run("arguments[0].click()", more)
        rows = self.run(
            """return [...document.querySelectorAll(`#panel [data-list="${arguments[0]}"] li`)].map(
            (li) => [li.querySelector("button").textContent,
                     Number(li.querySelector(".value").title),
                     Number(li.querySelector(".raw").title)])""",
            key,
        )
        return [(name, float(standardised), float(raw)) for name, standardised, raw in rows]
