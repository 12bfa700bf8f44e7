"""What a table tells before a graph is learned: numbers, the right columns, the right words."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

from daglock.datasets import load_sachs
from daglock.diagnostics import diagnose_table
from daglock.diagnostics import table as module
from daglock.diagnostics.table import chance_condition
from daglock.engine import learn
from daglock.moments import Moments
from daglock.simulate import erdos_renyi, linear_sem
from daglock.typing import Array


def rows(n: int = 300, d: int = 6, seed: int = 0) -> Array:
    return linear_sem(erdos_renyi(d, d, rng=seed), n, rng=seed + 1)


def independent(n: int = 1000, d: int = 5) -> Array:
    return np.random.default_rng(0).normal(size=(n, d))


def levels(X: Array, names: list[str] | None = None) -> list[str]:
    found = diagnose_table(Moments.from_data(X, names=names)).sentences()
    return [finding.level for finding in found]


def test_condition_number_and_deviations() -> None:
    X = rows() * [1.0, 1.0, 1e-3, 1.0, 1e4, 1.0]
    found = diagnose_table(Moments.from_data(X))
    assert found.condition_number == pytest.approx(np.linalg.cond(np.corrcoef(X.T)))
    for (name, deviation), j in ((found.smallest_deviation, 2), (found.largest_deviation, 4)):
        assert name == f"x{j}"
        assert deviation == pytest.approx(X[:, j].std())
    assert (found.n, found.d, found.rows_per_column) == (300, 6, 50.0)


def test_all_is_well() -> None:
    assert levels(rows()) == ["good", "good", "note"]


@pytest.mark.parametrize(
    ("noise", "level", "title"),
    [
        (0.5, "good", "No column repeats the others"),
        (0.1, "note", "Columns that overlap"),
        (0.01, "warning", "Columns that nearly repeat others"),
        (0.0, "warning", "Columns that repeat others"),
    ],
)
def test_overlapping_columns_are_named(noise: float, level: str, title: str) -> None:
    X = independent()
    other = X[:, 1] + noise * np.random.default_rng(1).normal(size=1000)
    names = ["age", "dose", "height", "pulse", "sleep", "amount"]
    found = diagnose_table(Moments.from_data(np.column_stack([X, other]), names=names))
    finding = found.about_overlap()
    assert (finding.level, finding.title) == (level, title)
    if noise:
        assert ("dose, amount" in finding.text) == (noise < 0.5)
    else:
        assert "dose is a copy of amount" in finding.text
        assert "learn sets dose aside" in finding.text
    assert found.aside == (() if noise else ("dose",))
    assert found.determined == (() if noise else ("dose", "amount"))
    assert found.overlapping == (("dose", "amount") if 0.0 < noise < 0.5 else ())
    assert (found.condition_number is None) == (noise == 0.0)


def test_few_rows_alone_are_no_overlap() -> None:
    X = np.random.default_rng(0).normal(size=(120, 100))
    found = diagnose_table(Moments.from_data(X))
    assert found.condition_number == pytest.approx(chance_condition(120, 100), rel=0.5)
    assert found.about_overlap().level == "good"
    near = np.column_stack([X[:, :99], X[:, 98] + 0.02 * X[:, 99]])
    assert diagnose_table(Moments.from_data(near)).overlapping == ("x98", "x99")


@pytest.mark.parametrize(("n", "level"), [(60, "good"), (59, "note"), (7, "note"), (6, "warning")])
def test_rows_against_columns(n: int, level: str) -> None:
    assert levels(rows(n))[0] == level


def test_few_rows_are_not_called_copies() -> None:
    found = diagnose_table(Moments.from_data(rows(6)))
    assert found.determined == ()
    assert found.condition_number is None
    assert found.about_overlap().title == "Overlap between columns unknown"
    x = rows(6)
    copies = diagnose_table(Moments.from_data(np.column_stack([x, -x[:, 2]])))
    assert copies.determined == ("x2", "x6")


@pytest.mark.parametrize("ddof", [0, 1])
def test_standardised_columns_are_recognised(ddof: int) -> None:
    X = rows()
    scaled = (X - X.mean(axis=0)) / X.std(axis=0, ddof=ddof)
    for table in (scaled, np.round(scaled, 4)):  # as a file would hold them
        found = diagnose_table(Moments.from_data(table))
        assert found.one_scale
        assert found.about_scale().title == "Columns are standardised"
    assert not diagnose_table(Moments.from_data(X)).one_scale


def test_the_smallest_share_that_makes_an_edge() -> None:
    """Two columns whose R² is just below and just above what is said."""
    moments = Moments.from_data(independent(500, 2))
    share = diagnose_table(moments).detectable
    for factor, n_edges in ((0.98, 0), (1.02, 1)):
        r = np.sqrt(factor * share)
        pair = Moments.from_covariance(np.array([[1.0, r], [r, 1.0]]), n=500)
        assert len(learn(pair, noise="unequal", rng=0).dag.source) == n_edges
    assert diagnose_table(moments, price=0.5).detectable == pytest.approx(1 - np.exp(-0.5))


def test_many_columns_are_not_decomposed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_DENSE", 5)
    found = diagnose_table(Moments.from_data(rows()))
    assert not found.checked
    assert found.condition_number is None
    assert found.about_overlap().title == "Overlap between columns not checked"


def test_sachs() -> None:
    sachs = load_sachs()
    found = diagnose_table(Moments.from_data(sachs.data, names=sachs.names))
    assert found.overlapping == ("Erk", "Akt")
    assert found.stability.standardised == pytest.approx(0.9917, abs=1e-4)
    assert found.largest_deviation[0] == "PKA"


@pytest.mark.parametrize("n", [4, 300])
def test_all_of_it_is_json(n: int) -> None:
    found = diagnose_table(Moments.from_data(rows(n)))
    values = json.loads(json.dumps(asdict(found), allow_nan=False))
    assert values.keys() == vars(found).keys()
    assert values["stability"]["raw_pair"] == list(found.stability.raw_pair)
    assert values["condition_number"] == found.condition_number
