"""The report of tables with categories, gaps and columns that were left out."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from selenium.webdriver.chrome.webdriver import WebDriver

from daglock import DAGLock
from daglock.errors import DataWarning
from daglock.report.html import render_report, write_report
from daglock.report.payload import make_payload
from tests.report.conftest import believe
from tests.report.driver import Page, chromium
from tests.test_categories import counted_frame, mixed_frame


@pytest.fixture(scope="module")
def mixed() -> DAGLock:
    """Numbers, categories, an identifier, ranks and gaps, with claims of every kind."""
    rng = np.random.default_rng(1)
    frame = mixed_frame()
    frame["cost"] = np.exp(2 * frame["dose"] + rng.normal(size=len(frame)))
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    frame["id"] = [f"p{k}" for k in range(len(frame))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return believe(DAGLock(missing="model", random_state=0).fit(frame))


@pytest.fixture(scope="module")
def counted() -> DAGLock:
    return believe(DAGLock(random_state=0).fit(counted_frame()), 0.97)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    with chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started


def opened(browser: WebDriver, model: DAGLock, folder: Path) -> Page:
    return Page(browser, write_report(model, folder / "report.html"))


def chosen(page: Page, model: DAGLock, name: str) -> str:
    """Choose a variable and return what the panel says of it."""
    page.click(page.node(model.names_.index(name)))
    return str(page.run("return document.getElementById('panel').innerText"))


def test_the_payload_has_kinds_and_levels(mixed: DAGLock, counted: DAGLock) -> None:
    payload = make_payload(mixed)
    at = {name: v for v, name in enumerate(payload["names"])}
    assert not payload["linear"]
    assert payload["kinds"][at["clinic"]] == "categorical"
    assert payload["levels"][at["clinic"]] == ["A", "B", "C", "D"]
    assert payload["levels"][at["dose"]] is None
    assert [name for name in at if payload["category"][at[name]]] == ["group", "clinic", "better"]
    assert payload["deviation"][at["clinic"]] is None
    assert all(make_payload(counted)["category"])
    json.dumps(payload, allow_nan=False)


def test_what_was_left_out_is_missing_or_ranked_is_said_first(mixed: DAGLock) -> None:
    page = render_report(mixed)
    listed = re.search(r'<ul class="verdict warning">(.*?)</ul>', page)
    assert listed is not None
    said = re.findall(r"<li>(.*?)</li>", listed[1])
    assert any("of the cells are missing" in line and "as if" in line for line in said)
    assert any(
        line.startswith("Ranks (normal scores) stand for the values of cost") for line in said
    )
    assert any(line.startswith("Left out, as no variables: id (") for line in said)
    # the certificate is not checked against moments of a table of text
    assert "verify(model.moments_)" in page
    assert "Moments.from_data" not in page
    assert "(blocks of columns)" in page
    assert "mixed variances" not in page


def test_a_plain_table_is_told_of_as_ever(equal: DAGLock) -> None:
    page = render_report(equal)
    assert "Moments.from_data(X)" in page
    assert "|weight| in sd" in page
    assert "(equal variances)" in page
    assert "category" not in re.sub(
        r"<(script|style).*?</\1>|<li class=\"about.*?</li>", "", page, flags=re.S
    )


@pytest.mark.browser
def test_numbers_and_categories_in_the_browser(
    browser: WebDriver, mixed: DAGLock, tmp_path: Path
) -> None:
    page = opened(browser, mixed, tmp_path)
    square = [float(box.get_attribute("rx") or 0) < 2 for box in page.all("#node-layer rect")]
    assert square == mixed.categories().tolist()
    # a strength has no sign, a coefficient has one
    for e, strength in enumerate(mixed.strengths().tolist()):
        assert ("zero" in (page.edge(e).get_attribute("class") or "").split()) == strength
    assert {True, False} == set(mixed.strengths().tolist())
    assert all(item.is_displayed() for item in page.all(".about-strengths, .about-kinds"))
    text = chosen(page, mixed, "clinic")
    assert "categorical: A, B, C, D" in text
    assert "standard deviation" not in text
    assert "variance" not in text
    assert "daglock effect tells of each" in text
    assert not page.all('#panel [data-list^="effects"]')
    text = chosen(page, mixed, "response")
    assert "standard deviation" in text
    assert "of its variance explained" in text
    rows = page.run(
        """return [...document.querySelectorAll("#panel li.effect")].map((row) =>
        [row.querySelector("button").innerText, row.querySelector(".value").innerText,
         row.querySelector(".raw").innerText])"""
    )
    sizes = {name.split()[-1]: (size, raw) for name, size, raw in rows}
    assert re.fullmatch(r"0\.\d+", sizes["clinic"][0])
    assert sizes["clinic"][1] == ""
    assert all(value.startswith("+") for value in sizes["dose"])
    assert no_nonsense(page)


@pytest.mark.browser
def test_counts_in_the_browser(browser: WebDriver, counted: DAGLock, tmp_path: Path) -> None:
    page = opened(browser, counted, tmp_path)
    heads = [head.text.strip("↓ ") for head in page.all("#edge-table th")]
    assert heads == ["Source", "Target", "Strength", "Link", "Direction", "Arrow", "Claim"]
    assert not any(item.is_displayed() for item in page.all(".about-signs, .about-strengths"))
    text = chosen(page, counted, "wet")
    assert "strength of its parents together: 0." in text
    assert "standard" not in text
    assert "+" not in text
    page.click(page.find("#heatmap summary"))
    page.wait(lambda: page.find("#heat-high").text)
    assert page.find("#heat-low").text == "0"
    assert no_nonsense(page)
    assert "Does the linear model fit?" not in page.find("#trust").text
    assert "amounts or labels" not in page.find("#trust").text


def no_nonsense(page: Page) -> bool:
    """Whether nothing on the page, all of it opened, is no number, and nothing failed."""
    page.run("for (const part of document.querySelectorAll('details')) part.open = true")
    shown = page.run("return document.body.innerText")
    return not re.search(r"NaN|\bnull\b|undefined|Infinity", shown) and not page.severe()


@pytest.mark.browser
def test_linear_models_still_have_total_effects(
    browser: WebDriver, equal: DAGLock, tmp_path: Path
) -> None:
    page = opened(browser, equal, tmp_path)
    first = equal.learned_.dag.order[0]
    text = chosen(page, equal, equal.names_[first])
    assert "Total effects from it" in text
    assert "daglock effect" not in text
    assert not any(item.is_displayed() for item in page.all(".about-strengths, .about-kinds"))


@pytest.mark.browser
def test_a_yes_or_no_in_a_table_of_numbers_is_marked(browser: WebDriver, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    dose = rng.standard_normal(600)
    frame = pd.DataFrame({"dose": dose, "pain": dose + rng.standard_normal(600)})
    frame["smoker"] = np.where(rng.random(600) < 0.3, "yes", "no")
    frame["pain"] += frame["smoker"] == "yes"
    model = believe(DAGLock(random_state=0).fit(frame))
    assert model.is_linear_
    assert model.categories().tolist() == [False, False, True]
    text = chosen(opened(browser, model, tmp_path), model, "smoker")
    assert "binary: no, yes" in text
    assert "Total effects from it" in text
