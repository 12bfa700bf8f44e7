"""Confidence in words: nothing is said to fit that nobody has looked at."""

from __future__ import annotations

from itertools import product

import numpy as np

from daglock import DAGLock, Moments
from daglock.confidence.words import about_fit, misfits, share, verdict
from daglock.typing import Array


def chain(n: int = 400) -> Array:
    rng = np.random.default_rng(0)
    a = rng.standard_normal(n)
    b = a + 0.7 * rng.standard_normal(n)
    return np.column_stack([a, b, b + 0.7 * rng.standard_normal(n)])


def test_the_numbers_of_a_verdict_add_up() -> None:
    kinds = (("directed", ""), ("directed", "knowledge"), ("leaning", "link"), ("open", ""))
    for n in product(range(3), repeat=len(kinds)):
        edges = [kind for kind, k in zip(kinds, n, strict=True) for _ in range(k)]
        said = verdict([claim for claim, _ in edges], [because for _, because in edges])
        numbers = [int(word) for word in said.split() if word.isdigit()]
        assert numbers == [k for k in (sum(n), *n) if k]
        assert ("no reliable arrow" in said) == (bool(edges) and not n[0] + n[1])
        assert ("that you told" in said) == bool(n[1])


def test_without_rows_nobody_has_looked() -> None:
    model = DAGLock(random_state=0).fit_moments(Moments.from_data(chain()))
    sure = model.assess(5)
    assert misfits(sure) is None
    assert "could not be looked at" in about_fit(sure)


def test_lines_that_fit() -> None:
    sure = DAGLock(random_state=0).fit(chain()).assess(5)
    assert sure.in_graph.sum() == 2
    assert about_fit(sure) == "The linear model describes all the links."


def test_curves_are_named() -> None:
    X = chain()
    X[:, 2] = X[:, 0] + X[:, 1] ** 2 + 0.3 * np.random.default_rng(1).standard_normal(len(X))
    sure = DAGLock(random_state=0).fit(X).assess(5)
    bad = misfits(sure)
    assert bad is not None
    assert len(bad)
    assert sure.in_graph[bad].all()
    assert (np.diff(sure.misfit[bad]) <= 0).all()
    assert f"does not describe {len(bad)} of" in about_fit(sure)


def test_codes_are_not_taken_for_rows_that_are_missing() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 400)
    X = np.column_stack([x, np.where(rng.random(400) < 0.8, x, 1 - x)]).astype(float)
    sure = DAGLock(random_state=0).fit(X).assess(5)
    assert sure.in_graph.any()
    assert misfits(sure) is not None


def test_a_share_below_a_bound_stays_below_it() -> None:
    assert [share(p) for p in (0.6499, 0.65, 0.8999, 0.29, 1.0)] == [
        "64%",
        "65%",
        "89%",
        "29%",
        "100%",
    ]
