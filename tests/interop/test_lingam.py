"""lingam: one orientation for its own result and for ours."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import permutations

import numpy as np
import pytest

from daglock import DAGLock
from daglock.interop import to_lingam
from daglock.simulate import linear_sem
from tests.interop.models import NAMES, model, truth

pytestmark = pytest.mark.handoff("lingam")


def test_a_real_fit_of_lingam_points_the_same_way() -> None:
    """Uniform noise, so that DirectLiNGAM finds every direction by itself."""
    X = linear_sem(truth(), 5000, noise="uniform", rng=0)
    theirs = import_module("lingam").DirectLiNGAM(random_state=0).fit(X).adjacency_matrix_
    ours = to_lingam(DAGLock("equal", random_state=0).fit(X))
    np.testing.assert_array_equal(np.abs(ours) > 0.2, truth().T != 0)
    np.testing.assert_array_equal(np.abs(theirs) > 0.2, np.abs(ours) > 0.2)
    np.testing.assert_allclose(ours, theirs, atol=0.06)


def test_total_effects_of_lingam_are_those_of_the_model() -> None:
    calculate_total_effect = import_module("lingam.utils").calculate_total_effect
    fitted = model(noise="equal")
    B = to_lingam(fitted)
    total = np.linalg.inv(np.eye(8) - truth())
    for i, j in permutations(range(8), 2):
        assert calculate_total_effect(B, i, j) == pytest.approx(total[i, j], abs=1e-9)


def test_a_picture_by_lingam_has_our_edges() -> None:
    make_dot = import_module("lingam.utils").make_dot
    source = make_dot(to_lingam(model(noise="equal")), list(NAMES), lower_limit=0.0).source
    drawn = set(re.findall(r"^\s*(\w+) -> (\w+) \[label=", source, re.MULTILINE))
    expected = {(NAMES[i], NAMES[j]) for i, j in np.argwhere(truth() != 0)}
    assert drawn == expected
