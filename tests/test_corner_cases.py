"""Cases in which something that daglock said was once false."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import daglock
from daglock import DAGLock, Knowledge, Moments
from daglock.criteria.criterion import gradient_residual
from daglock.engine import learn
from daglock.errors import ConvergenceWarning, DataWarning
from daglock.graph import WeightedDAG
from daglock.knowledge import Masks
from daglock.report import words
from daglock.simulate import erdos_renyi, linear_sem
from daglock.ties import canonical_order
from daglock.typing import Array


def chain(seed: int = 0, n: int = 500) -> dict[str, Array]:
    """a -> b, and c."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    return {"a": a, "b": a + 0.5 * rng.normal(size=n), "c": 2.0 * rng.normal(size=n)}


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_tiers_that_name_a_column_that_is_set_aside(noise: str, tmp_path: Path) -> None:
    columns = chain()
    frame = pd.DataFrame({**columns, "z": columns["c"]})
    with pytest.warns(DataWarning, match="z is a copy of c"):
        model = DAGLock(noise, knowledge=Knowledge(tiers=[["z"], ["a"]])).fit(frame)
    order = list(model.topological_order_)
    assert order.index("z") < order.index("a")
    assert model.certificate_.verify(model.moments_)
    model.save(tmp_path / "model.npz")
    assert daglock.load(tmp_path / "model.npz").set_aside_ == ("z",)


def test_what_precedes_what_by_way_of_a_column_that_is_set_aside() -> None:
    rng = np.random.default_rng(0)
    z, y = rng.normal(size=(2, 500))
    x = rng.normal(size=500) + y
    before = np.zeros((4, 4), dtype=np.bool_)
    before[0, 3] = before[3, 1] = True
    with pytest.warns(DataWarning, match="zzz is a copy of zz"):
        model = DAGLock("equal", knowledge=Masks(before=before)).fit(
            pd.DataFrame({"x": x, "y": y, "zz": z, "zzz": z})
        )
    assert model.weights_.loc["y", "x"] == 0.0
    assert model.certificate_.verify(model.moments_)


@pytest.mark.parametrize("seed", range(20))
def test_the_score_is_that_of_the_columns_that_were_searched(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=60)
    b = 0.45 * a + rng.normal(size=60)
    c = 0.4 * b + rng.normal(size=60)
    rest = learn(Moments.from_data(np.column_stack([a, b, c])), noise="equal", ebic_gamma=0.5)
    moments = Moments.from_data(np.column_stack([a, b, c, 10.0 * a]))
    learned = learn(moments, noise="equal", ebic_gamma=0.5)
    assert learned.certificate.verify(moments)
    assert learned.certificate.score == pytest.approx(rest.certificate.score)
    np.testing.assert_allclose(learned.noise_variances[:3], rest.noise_variances)
    assert learned.noise_variances[3] == pytest.approx(moments.cov[3, 3])


def test_the_order_does_not_depend_on_where_columns_that_are_set_aside_stand() -> None:
    columns = chain()
    frame = pd.DataFrame({**columns, "z": columns["a"], "y": columns["c"]})
    orders = []
    for names in ("abczy", "zybca", "abcyz"):
        with pytest.warns(DataWarning):
            orders.append(list(DAGLock("unequal").fit(frame[list(names)]).topological_order_))
    assert orders[0] == orders[1] == orders[2]


def test_a_value_off_the_grid_counts_wherever_its_row_stands() -> None:
    rng = np.random.default_rng(1)
    parts = rng.normal(0.0, 10.0, size=(20_000, 2))
    X = np.column_stack([parts, parts.sum(axis=1).round()])
    assert Moments.from_data(X).resolution[2] == pytest.approx(1.0)
    for row in (0, 1, 9_999, 19_998):
        Y = X.copy()
        Y[row, 2] += 0.123456789
        assert Moments.from_data(Y).resolution[2] == 0.0


def test_without_a_seed_the_same_table_gives_the_same_graph() -> None:
    X = linear_sem(erdos_renyi(40, 80, rng=3), 60, rng=3)
    X /= X.std(axis=0)
    graphs = {DAGLock("unequal").fit(X).weights_.tobytes() for _ in range(4)}
    assert len(graphs) == 1


def test_weights_along_a_direction_that_the_data_leave_open_forge_nothing() -> None:
    rng = np.random.default_rng(0)
    a = rng.normal(size=500)
    y = a + rng.normal(size=500)
    w = y + rng.normal(size=500)
    moments = Moments.from_data(np.column_stack([a, 2.0 * a, y, w]))
    certificate = learn(moments, noise="unequal", determined="keep").certificate
    assert certificate.verify(moments)
    S, far = moments.cov, 2.0**27
    weights = [S[0, 2] / S[0, 0] + far, -far / 2]
    dag = WeightedDAG.from_parents(range(4), [[], [], [0, 1], []], [[], [], weights, []])
    forged = replace(
        certificate,
        dag=dag,
        score=certificate.score - 3.0,
        kkt_residual=gradient_residual(S, dag),
    )
    assert not forged.verify(moments)


def test_directions_that_there_was_no_time_for_are_not_said_to_be_open() -> None:
    X = linear_sem(erdos_renyi(60, 120, rng=0), 2000, rng=1)
    moments = Moments.from_data(X)
    assert learn(moments, noise="equal").dag.oriented.all()
    with pytest.warns(ConvergenceWarning):
        model = DAGLock("equal", time_limit=0.0).fit(X)
    assert not model.learned_.dag.oriented.any()
    assert "not settled in time" in words.identified(model)
    assert "as well" not in words.identified(model)
    assert not any("no loss of fit" in f.text for f in model.diagnostics_.sentences())


def test_a_noise_model_that_the_bic_does_not_prefer_is_not_said_to_be_preferred() -> None:
    said = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = linear_sem(erdos_renyi(8, 8, weights=(0.1, 0.5), rng=rng), 100, rng=rng)
        model = DAGLock().fit((X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0)))
        text = words.noise(model)
        assert "by -" not in text
        said += "does not explain why columns differ in scale" in text
        assert not any("by only -" in f.text for f in model.diagnostics_.sentences())
    assert said > 0


def test_the_report_says_what_was_compared() -> None:
    columns = chain()
    frame = pd.DataFrame({**columns, "t": columns["a"] + columns["c"]})
    with pytest.warns(DataWarning):
        model = DAGLock(knowledge=Knowledge(forbidden=["a -> b"])).fit(frame)
    text = words.trace_text(model)[-1]
    assert "With 3 variables" in text
    assert "no other DAG of the columns that were searched that was allowed has a better" in text


def test_masks_are_saved_with_the_model(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 3))
    X[:, 1] += X[:, 0]
    X[:, 2] += X[:, 1]
    before = np.zeros((3, 3), dtype=np.bool_)
    before[2, 1] = before[1, 0] = True
    model = DAGLock("unequal", knowledge=Masks(before=before)).fit(X)
    model.save(tmp_path / "model.npz")
    back = daglock.load(tmp_path / "model.npz")
    again = back.bootstrap(10, X=X, rng=0, progress=False)
    np.testing.assert_array_equal(
        again.backward, model.bootstrap(10, rng=0, progress=False).backward
    )


def test_many_pairs_of_copies_are_numbered_at_once() -> None:
    """One pair after the other would take minutes."""
    x = np.random.default_rng(0).normal(size=(600, 200))
    S = np.asarray(np.cov(np.column_stack([x, x]).T), dtype=np.float64)
    pairs = canonical_order(S).reshape(-1, 2)
    assert sorted(pairs.ravel().tolist()) == list(range(400))
    assert (pairs[:, 0] + 200 == pairs[:, 1]).all()  # copies side by side, the first one first
