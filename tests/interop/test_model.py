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
from tests.interop.models import NAMES, OPEN, ORIENTED, model, truth

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
    assert {(e.source, e.target) for e in edges if e.oriented} == ORIENTED
    open_edges = {frozenset((e.source, e.target)) for e in edges if not e.oriented}
    assert open_edges == {frozenset(pair) for pair in OPEN}
    assert all(e.oriented for e in edges_of(model(noise="equal")))


def test_weights_are_those_of_the_data_and_of_standardised_data() -> None:
    S = model().moments_.cov
    W = truth()
    for edge in edges_of(model()):
        i, j = NAMES.index(edge.source), NAMES.index(edge.target)
        if edge.oriented:
            assert edge.weight == pytest.approx(W[i, j])
        # the scale does not matter to the learner: what it finds on correlations is standardised
        assert edge.standardised_weight == pytest.approx(edge.weight * np.sqrt(S[i, i] / S[j, j]))


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
