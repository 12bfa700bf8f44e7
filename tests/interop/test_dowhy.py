"""DoWhy: from a table to an effect and to an intervention, both known."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock
from daglock.interop import to_dowhy, undecided
from daglock.simulate import linear_sem
from tests.interop.models import MEANS, NAMES, needs, truth

pytestmark = needs("dowhy")
PAIRS = [("Bar", "V7"), ("Author", "V8"), ("Author", "V6"), ("V5", "V7"), ("Goal", "V7")]


@cache
def table() -> pd.DataFrame:
    X = linear_sem(truth(), 5000, rng=0) + MEANS
    return pd.DataFrame(X, columns=list(NAMES))


@cache
def fitted() -> DAGLock:
    return DAGLock(random_state=0).fit(table())


def true_effect(treatment: str, outcome: str) -> float:
    total = np.linalg.inv(np.eye(8) - truth())
    return float(total[NAMES.index(treatment), NAMES.index(outcome)])


@pytest.mark.parametrize(("treatment", "outcome"), PAIRS)
def test_effects_are_the_true_ones(treatment: str, outcome: str) -> None:
    from dowhy import CausalModel

    assert undecided(fitted(), treatment, outcome) == []
    causal = CausalModel(
        data=table(), treatment=treatment, outcome=outcome, graph=to_dowhy(fitted())
    )
    estimand = causal.identify_effect()
    estimate = causal.estimate_effect(estimand, method_name="backdoor.linear_regression")
    assert estimate.value == pytest.approx(true_effect(treatment, outcome), abs=0.05)
