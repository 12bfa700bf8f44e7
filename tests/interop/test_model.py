"""The model of these tests is what it is said to be, and what is no model is refused."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from daglock import DAGLock
from daglock.errors import InvalidParameterError, MissingExtraError
from daglock.interop import (
    FORMATS,
    convert,
    to_causallearn,
    to_cpdag_networkx,
    to_dowhy,
    to_lingam,
    to_networkx,
    to_pcalg,
    to_pgmpy,
)
from daglock.interop._model import edges_of
from daglock.simulate import linear_sem
from tests.interop.models import IDENTIFIED, NAMES, OPEN, model, truth

OBJECTS = [
    to_causallearn,
    to_cpdag_networkx,
    to_dowhy,
    to_lingam,
    to_networkx,
    to_pcalg,
    to_pgmpy,
]


def test_the_model_has_directed_undirected_and_no_edges() -> None:
    edges = edges_of(model())
    assert {(e.source, e.target) for e in edges if e.claim == "directed"} == IDENTIFIED
    assert {(e.source, e.target) for e in edges if e.identified_by == "class"} == IDENTIFIED
    doubtful = {frozenset((e.source, e.target)) for e in edges if e.claim != "directed"}
    assert doubtful == {frozenset(pair) for pair in OPEN}
    assert sorted(e.claim for e in edges if e.claim != "directed") == ["leaning", "open", "open"]
    assert {e.claim for e in edges_of(model(noise="equal"))} == {"directed"}


def test_weights_are_those_of_the_data_and_of_standardised_data() -> None:
    S = model().moments_.cov
    W = truth()
    for edge in edges_of(model()):
        i, j = NAMES.index(edge.source), NAMES.index(edge.target)
        if edge.identified_by:
            assert edge.weight == pytest.approx(W[i, j])
        # the scale does not matter to the learner: what it finds on correlations is standardised
        assert edge.standardised_weight == pytest.approx(edge.weight * np.sqrt(S[i, i] / S[j, j]))


def test_what_was_not_assessed_is_assessed_first() -> None:
    X = linear_sem(truth(), 500, rng=0)
    plain = DAGLock("unequal", random_state=0).fit(X)
    assert plain._confidence is None
    claims = [edge.claim for edge in edges_of(plain)]
    sure = plain.confidence_
    assert plain._confidence is not None
    assert plain._confidence.n_replicates == 100
    by_ends = dict(zip(zip(sure.source, sure.target, strict=True), sure.claim, strict=True))
    for edge, claim in zip(edges_of(plain), claims, strict=True):
        ends = int(edge.source[1:]), int(edge.target[1:])
        assert claim == by_ends.get(ends, "open")


@pytest.mark.parametrize("function", [*OBJECTS, *FORMATS.values()])
def test_what_is_not_a_fitted_model_is_refused(function: Any) -> None:
    with pytest.raises(NotFittedError):
        function(DAGLock())
    with pytest.raises(InvalidParameterError, match=r"must be a fitted DAGLock; got .* type str"):
        function("model")


def test_unknown_formats_are_refused() -> None:
    for fmt in ("png", "DOT", ""):
        with pytest.raises(InvalidParameterError, match="the formats are dot, graphml, gml, json"):
            convert(model(), fmt)


@pytest.mark.parametrize(
    ("function", "module", "package"),
    [
        (to_pgmpy, "pgmpy.models", "pgmpy"),
        (to_causallearn, "causallearn.graph.Edge", "causal-learn"),
    ],
)
def test_a_missing_package_is_named(
    function: Any, module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=f"needs it: pip install {package}$"):
        function(model())


def test_nothing_of_the_others_is_imported_before_it_is_asked_for() -> None:
    code = (
        "import sys, daglock.interop;"
        "print({'networkx', 'pgmpy', 'causallearn', 'dowhy', 'sklearn'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "set()\n"
