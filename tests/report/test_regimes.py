"""The section on regimes: there where there are some, safe, and no larger than can be looked at."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from daglock import DAGLock
from daglock.diagnostics.regimes import RegimeSummary
from daglock.report.html import render_report
from daglock.report.regimes import MOST_COLUMNS, MOST_REGIMES, regimes_section
from daglock.report.words import facts, noise
from daglock.table import Table
from tests.report.conftest import HOSTILE


@pytest.fixture(scope="module")
def experiments() -> DAGLock:
    """A chain of three with an experiment on the second."""
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 400))
    labels = np.repeat(["control", "drug"], 200)
    b = np.where(labels == "drug", 3.0 + b, b + a)
    table = Table(np.column_stack([a, b, b + c]), ("a", "b", "c"))
    return DAGLock(random_state=0).fit(table, regimes=labels, targets={"drug": "b"})


def made_up(regimes: tuple[str, ...], columns: tuple[str, ...]) -> RegimeSummary:
    """Shifts that grow, a target in the first regime."""
    n, d = len(regimes), len(columns)
    shifts = np.arange(n * d).reshape(n, d) / (n * d)
    targets = ((columns[0],), *[()] * (n - 1))
    return RegimeSummary(
        regimes, np.full(n, 1234), columns, shifts, np.ones(d, dtype=np.bool_), targets
    )


def test_the_page_has_it_where_there_are_regimes(experiments: DAGLock) -> None:
    page = render_report(experiments, assess=False)
    assert '<a href="#regimes">Regimes</a>' in page
    section = page.split('<section id="regimes"')[1].split("</section>")[0]
    assert "2 regimes, each with means of its own: control (200 rows), drug (200 rows)." in section
    assert "The targets orient 2 edges" in section
    assert section.count("<circle") == 1
    assert "b in drug: +" in section
    assert "a target" in section
    assert "verify(model.moments_)" in page
    assert "400 rows in 2 regimes, 3 columns" in page


def test_the_page_has_none_without(equal: DAGLock) -> None:
    page = render_report(equal)
    assert "Regimes</a>" not in page
    assert '<section id="regimes"' not in page


def test_words_of_the_noise_model(experiments: DAGLock) -> None:
    assert experiments.decisions_.noise_reason.value == "targets of regimes"
    assert noise(experiments).endswith("because regimes act on some columns.")
    assert facts(experiments) == "400 rows in 2 regimes, 3 columns"
    titles = {finding.title: finding for finding in experiments.diagnostics_.sentences()}
    told = titles["A noise variance for each column"].text
    assert "learned from the rows that leave it alone" in told


def test_evidence_is_that_of_experiments(experiments: DAGLock) -> None:
    confidence = experiments.assess(n=20)
    assert confidence.identifies == "regimes"
    said = [words for k in range(2) for name, _, words in confidence.said(k) if name == "regimes"]
    assert said
    assert all("so the experiments and the equivalence class have it" in words for words in said)


def test_summary_and_notebook(experiments: DAGLock) -> None:
    for shown in (experiments.summary(), experiments._repr_html_()):
        assert "2 regimes, each with means of its own" in shown
        assert "Targets: b in drug." in shown


def test_names_of_regimes_stay_text() -> None:
    section = regimes_section(made_up(HOSTILE, HOSTILE))
    assert "<script" not in section
    assert "<img" not in section
    assert "&lt;script&gt;" in section


def test_many_regimes_and_columns() -> None:
    regimes = tuple(f"regime {k}" for k in range(MOST_REGIMES + 40))
    columns = tuple(f"column {k}" for k in range(MOST_COLUMNS + 1))
    section = regimes_section(made_up(regimes, columns))
    assert section.count('class="cell"') == MOST_REGIMES * MOST_COLUMNS
    assert "Not shown: 40 regimes that shift less and 1 column that shifts less." in section
    assert "column 0 in regime 0: +0.00 sd, a target" in section  # though it does not shift
    assert "column 1 in regime 99" not in section


def test_colours_are_those_of_the_shifts() -> None:
    one = made_up(("a", "b"), ("x", "y"))
    shifts = np.array([[-1.0, 0.0], [0.25, 4.0]])
    section = regimes_section(replace(one, shifts=shifts))
    found = re.findall(r'<rect class="(positive|negative)"[^>]*fill-opacity="([\d.]+)"', section)
    assert found == [
        ("negative", "0.50"),
        ("positive", "0.00"),
        ("positive", "0.25"),
        ("positive", "1.00"),
    ]


def test_without_shifts_it_says_why() -> None:
    nothing = np.empty((2, 0))
    told = RegimeSummary(("a", "b"), np.array([5, 7]), (), nothing, np.zeros(0, dtype=np.bool_))
    assert "values are missing" in regimes_section(told)
    assert regimes_section(None) == ""
