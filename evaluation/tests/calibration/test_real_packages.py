"""The methods as they are called on real tables, where their packages are installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pytest

from daglock_evaluation.calibration.contenders import CONTENDERS, PAIR, TABLE
from daglock_evaluation.harness.sweep import Method

# Arrows into a common effect are "o->" where hidden causes are thought of.
HIDDEN = ("tetrad-fci", "tetrad-gfci")


def skip_without(method: Method) -> None:
    for name in method.packages:
        try:
            version(name)
        except PackageNotFoundError:
            pytest.skip(f"not installed: {name}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "method", [one for one in CONTENDERS if TABLE in one.suites], ids=lambda method: method.name
)
def test_a_common_effect_is_seen(method: Method) -> None:
    skip_without(method)
    E = np.random.default_rng(0).exponential(size=(2000, 4))
    effect = E[:, 0] + E[:, 1] + 0.5 * E[:, 2]
    X = np.column_stack([E[:, 0], effect, E[:, 1], E[:, 3]])
    found = method.run(X.copy())
    directed = {(0, 1), (2, 1)}
    if method.name in HIDDEN:
        assert (found.directed, set(found.undirected)) == ([], {(0, 1), (1, 2)})
    elif method.name == "dagma":  # on standardised columns it may turn them round
        assert directed <= {*found.directed, *(link[::-1] for link in found.directed)}
    else:
        assert directed <= set(found.directed)
        assert not directed & {link[::-1] for link in found.directed}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "method", [one for one in CONTENDERS if PAIR in one.suites], ids=lambda method: method.name
)
def test_an_effect_of_one_column_is_seen(method: Method) -> None:
    skip_without(method)
    rng = np.random.default_rng(0)
    cause = rng.uniform(-1, 1, size=400)
    bent = cause**3 if method.name == "anm" else cause
    effect = bent + (0.05 if method.name == "anm" else 0.5) * rng.uniform(-1, 1, size=400)
    for X, expected in (
        (np.column_stack([cause, effect]), (0, 1)),
        (np.column_stack([effect, cause]), (1, 0)),
    ):
        assert method.run(X.copy()).directed == [expected]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_no_hidden_cause_is_stated(name: str) -> None:
    """Two causes, their effect, and an effect of that: the last arrow can have no other reason."""
    method = next(one for one in CONTENDERS if one.name == name)
    skip_without(method)
    E = np.random.default_rng(1).normal(size=(3000, 4))
    middle = E[:, 0] + E[:, 1] + 0.5 * E[:, 2]
    X = np.column_stack([E[:, 0], E[:, 1], middle, middle + E[:, 3]])
    assert method.run(X.copy()).directed == [(2, 3)]
