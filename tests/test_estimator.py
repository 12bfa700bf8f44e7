"""DAGLock on plain arrays: attributes that agree, parameters that are checked, X left alone."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from daglock import DAGLock
from daglock.errors import ConvergenceWarning, InvalidDataError, InvalidParameterError
from daglock.estimator import n_threads
from daglock.graph import dag_to_cpdag, is_dag
from daglock.knowledge import Masks, knowledge_masks
from daglock.moments import Moments
from daglock.simulate import erdos_renyi, linear_sem
from daglock.solution import Status
from daglock.typing import Array
from tests.graph.enumeration import equivalent_dags, essential_graph


@cache
def truth_and_table() -> tuple[Array, Array]:
    W = erdos_renyi(8, 8, rng=2)
    X = linear_sem(W, 1000, rng=3)
    X.flags.writeable = False  # whoever writes to it fails
    return W, X


@pytest.mark.parametrize("noise", ["auto", "equal", "unequal"])
def test_fit_and_fit_moments_agree(noise: str) -> None:
    _, X = truth_and_table()
    by_rows = DAGLock(noise, random_state=0, n_restarts=2).fit(X)
    by_moments = DAGLock(noise, random_state=0, n_restarts=2).fit_moments(Moments.from_data(X))
    assert by_rows.weights_.tobytes() == by_moments.weights_.tobytes()
    assert by_rows.topological_order_.tobytes() == by_moments.topological_order_.tobytes()
    assert by_rows.certificate_.score == by_moments.certificate_.score


@pytest.mark.parametrize("noise", ["equal", "unequal"])
def test_attributes_agree_with_each_other(noise: str) -> None:
    W, X = truth_and_table()
    model = DAGLock(noise, random_state=0).fit(X)
    weights, adjacency = model.weights_, model.adjacency_matrix_
    assert weights.shape == (8, 8)
    np.testing.assert_array_equal(model.to_sparse().toarray(), weights)
    np.testing.assert_array_equal(adjacency, weights != 0)
    assert adjacency.dtype.kind == "i"
    position = np.argsort(model.topological_order_)
    i, j = np.nonzero(weights)
    assert (position[i] < position[j]).all()
    assert model.certificate_.is_dag
    assert model.certificate_.verify(Moments.from_data(X))
    assert model.n_features_in_ == 8
    assert model.noise_model_ == noise
    assert model.status_ is Status.CONVERGED
    assert model.message_.startswith("Finished")
    if noise == "equal":
        np.testing.assert_array_equal(adjacency, W != 0)
        np.testing.assert_array_equal(model.identified_, adjacency)
        np.testing.assert_array_equal(model.cpdag_, dag_to_cpdag(W))
        assert len(set(model.noise_variances_)) == 1
        np.testing.assert_allclose(weights, W, atol=0.15)
        np.testing.assert_allclose(model.noise_variances_, 1.0, rtol=0.2)
    else:
        np.testing.assert_array_equal(model.cpdag_, dag_to_cpdag(W))
        assert set(np.unique(model.cpdag_)) == {0, 1, 2}
        residuals = (X - X.mean(axis=0)) @ (np.eye(8) - weights)
        np.testing.assert_allclose(model.noise_variances_, residuals.var(axis=0))


def test_weights_are_the_effects_on_the_scale_of_the_data() -> None:
    _, X = truth_and_table()
    scale = 10.0 ** np.arange(-4, 4)
    model = DAGLock("unequal", random_state=0).fit(X * scale)
    plain = DAGLock("unequal", random_state=0).fit(X)
    expected = plain.weights_ * scale / scale[:, None]
    np.testing.assert_allclose(model.weights_, expected, rtol=1e-9)
    np.testing.assert_allclose(model.noise_variances_, plain.noise_variances_ * scale**2)


def test_auto_takes_the_noise_model_of_the_better_score() -> None:
    W, X = truth_and_table()
    assert DAGLock(random_state=0).fit(X).noise_model_ == "equal"
    deviations = np.sqrt(np.geomspace(0.05, 20.0, 8))
    Y = linear_sem(W, 1000, noise_variances=deviations**2, rng=2)
    model = DAGLock(random_state=0).fit(Y)
    assert model.noise_model_ == "unequal"
    scores = model.learned_.scores
    assert scores["unequal"] < scores["equal"]
    alone = DAGLock("equal", random_state=0).fit(Y).learned_.scores["equal"]
    assert scores["equal"] == pytest.approx(alone)


def test_x_is_not_modified_and_lists_are_taken() -> None:
    _, X = truth_and_table()
    before = X.copy()
    model = DAGLock("equal", n_restarts=0).fit(X, y=np.zeros(len(X)))
    np.testing.assert_array_equal(X, before)
    again = DAGLock("equal", n_restarts=0).fit(X.tolist())
    np.testing.assert_array_equal(model.adjacency_matrix_, again.adjacency_matrix_)
    np.testing.assert_allclose(model.weights_, again.weights_, rtol=1e-12)


def test_not_fitted() -> None:
    model = DAGLock()
    for name in (
        "weights_",
        "adjacency_matrix_",
        "cpdag_",
        "identified_",
        "topological_order_",
        "certificate_",
        "noise_model_",
        "noise_variances_",
        "status_",
        "message_",
    ):
        with pytest.raises(NotFittedError):
            getattr(model, name)
    with pytest.raises(NotFittedError):
        model.to_sparse()
    with pytest.raises(NotFittedError):
        model.effect("a", "b")


def test_what_only_another_sort_of_fit_has_is_not_there() -> None:
    """Whoever looks with hasattr or inspect is told so; whoever asks is told why."""
    model = DAGLock(n_restarts=0).fit(truth_and_table()[1])
    for name, why in (("curves_", "curved=True"), ("changes_", "regimes=")):
        assert not hasattr(model, name)
        assert getattr(model, name, None) is None
        with pytest.raises(InvalidParameterError, match=why):
            getattr(model, name)
        with pytest.raises(AttributeError, match=why):
            getattr(model, name)
        assert not hasattr(DAGLock(), name)
    assert hasattr(model, "edges_")
    assert "edges_" in dict(inspect.getmembers(model))
    assert {"fit", "edges_", "learned_", "noise"} <= set(dir(model))


def test_names_are_listed_without_working_anything_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell lists them for each key that is pressed; `confidence_` takes seconds."""
    model = DAGLock(n_restarts=0).fit(truth_and_table()[1])
    monkeypatch.setattr(DAGLock, "bootstrap", None)
    assert "confidence_" in dir(model)
    assert model._confidence is None


def test_clone_and_parameters() -> None:
    masks = knowledge_masks(8, required=[(0, 1)])
    model = DAGLock(
        "unequal",
        ebic_gamma=0.5,
        knowledge=masks,
        start="order",
        n_restarts=3,
        time_limit=9.0,
        random_state=4,
        n_jobs=2,
        verbose=1,
    )
    parameters = model.get_params()
    assert parameters["knowledge"] is masks
    assert list(parameters) == sorted(parameters)
    assert len(parameters) == 18
    copy = clone(model)
    assert copy is not model
    assert {k: v for k, v in copy.get_params().items() if k != "knowledge"} == {
        k: v for k, v in parameters.items() if k != "knowledge"
    }
    assert isinstance(copy.knowledge, Masks)
    np.testing.assert_array_equal(copy.knowledge.required, masks.required)
    model.set_params(noise="equal", n_restarts=0)
    assert (model.noise, model.n_restarts) == ("equal", 0)
    assert not hasattr(clone(model.fit(truth_and_table()[1])), "learned_")


def test_repr_shows_what_was_set() -> None:
    assert repr(DAGLock(n_restarts=3)) == "DAGLock(n_restarts=3)"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"noise": "foo"}, "noise must be equal, unequal or auto; got 'foo'"),
        ({"noise": None}, "noise must be equal, unequal or auto; got None"),
        ({"noise": ["equal"]}, "noise must be"),
        ({"ebic_gamma": -1}, "ebic_gamma must be a number >= 0; got -1"),
        ({"ebic_gamma": np.nan}, "ebic_gamma must be a number >= 0; got nan"),
        ({"ebic_gamma": np.inf}, "ebic_gamma must be a number >= 0; got inf"),
        ({"ebic_gamma": "0.5"}, "ebic_gamma must be a number >= 0; got '0.5'"),
        ({"n_restarts": -1}, "n_restarts must be a whole number >= 0; got -1"),
        ({"n_restarts": 2.5}, "n_restarts must be a whole number >= 0; got 2.5"),
        ({"time_limit": -1}, "time_limit must be a number >= 0; got -1"),
        ({"time_limit": np.nan}, "time_limit must be a number >= 0; got nan"),
        ({"time_limit": "1"}, "time_limit must be a number >= 0; got '1'"),
        ({"n_jobs": 0}, "n_jobs must be a whole number other than 0; got 0"),
        ({"n_jobs": 1.5}, "n_jobs must be a whole number other than 0; got 1.5"),
        ({"random_state": -1}, "seed must be a whole number >= 0"),
        ({"random_state": "x"}, "seed must be a whole number >= 0"),
        ({"start": "random"}, "start must be continuous, order, an order"),
        ({"start": np.arange(7)}, r"columns 0 to 7 once.*shape \(7,\)"),
        ({"start": np.zeros(8)}, "columns 0 to 7 once"),
        ({"start": np.arange(1, 9)}, "columns 0 to 7 once"),
        ({"start": np.arange(8) + 0.25}, "columns 0 to 7 once"),
        ({"start": np.full(8, np.nan)}, "columns 0 to 7 once"),
        ({"start": np.zeros((7, 7))}, r"shape \(8, 8\); got an array of shape \(7, 7\)"),
        ({"start": np.zeros((8, 7))}, r"got an array of shape \(8, 7\)"),
        ({"start": np.zeros((2, 8, 8))}, "columns 0 to 7 once"),
        ({"start": np.full((8, 8), np.nan)}, "start must be .* finite"),
        ({"knowledge": knowledge_masks(7, required=[(0, 1)])}, r"masks must have shape \(8, 8\)"),
        ({"knowledge": {"required": [(0, 9)]}}, "required names 9, which is not a column"),
        ({"knowledge": [(0, 1)]}, "knowledge must be a Knowledge, .*, a dictionary"),
        ({"determined": "no"}, "determined must be drop or keep; got 'no'"),
    ],
)
def test_bad_parameters_get_one_clear_sentence(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message) as caught:
        DAGLock(**parameters).fit(truth_and_table()[1])
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_bad_data() -> None:
    _, X = truth_and_table()
    hole = X.copy()
    hole[3, 4] = np.nan
    with pytest.raises(InvalidDataError):
        DAGLock().fit(hole)
    with pytest.raises(InvalidDataError, match="only 'x0' is left without 'x1'"):
        DAGLock().fit(np.column_stack([X[:, 0], np.ones(len(X))]))
    words: Any = [["a"]]
    with pytest.raises(InvalidDataError, match="start must be an array of real numbers"):
        DAGLock(start=words).fit(X)
    rows: Any = X
    with pytest.raises(InvalidParameterError, match=r"Moments\.from_data"):
        DAGLock().fit_moments(rows)


def test_a_failed_fit_keeps_the_last_result() -> None:
    _, X = truth_and_table()
    model = DAGLock("equal", n_restarts=0).fit(X)
    weights = model.weights_
    model.set_params(noise="foo")
    with pytest.raises(InvalidParameterError):
        model.fit(X)
    np.testing.assert_array_equal(model.weights_, weights)


@pytest.mark.parametrize("noise", ["auto", "equal", "unequal"])
def test_out_of_time_is_a_warning_and_a_dag(noise: str) -> None:
    _, X = truth_and_table()
    for fit in (DAGLock.fit, lambda model, X: model.fit_moments(Moments.from_data(X))):
        model = DAGLock(noise, time_limit=0)
        with pytest.warns(ConvergenceWarning, match="time limit was reached") as caught:
            fit(model, X)
        assert [record.filename for record in caught] == [__file__]
        assert model.status_ is Status.TIME_LIMIT
        assert is_dag(model.weights_)
        assert not model.certificate_.locally_optimal
        assert model.certificate_.verify(Moments.from_data(X))


def test_a_required_edge_is_shown_where_its_weight_is_zero() -> None:
    """In a balanced design the two factors are exactly uncorrelated."""
    X = np.array([[1.0, 1.0, 0.1], [1.0, -1.0, 0.3], [-1.0, 1.0, 0.3], [-1.0, -1.0, 0.1]] * 5)
    model = DAGLock("unequal", knowledge=knowledge_masks(3, required=[(0, 1)])).fit(X)
    assert model.weights_[0, 1] == 0.0
    assert model.adjacency_matrix_[0, 1] == 1
    assert model.cpdag_[0, 1] != 0
    assert model.certificate_.verify(Moments.from_data(X))


def test_the_class_is_that_of_the_graph_whatever_margins_leave_open() -> None:
    """By enumeration; with knowledge it is what is left of the class that knowledge allows."""
    withheld = narrowed = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        W = erdos_renyi(5, int(rng.integers(4, 8)), weights=(0.2, 0.6), rng=rng)
        X = linear_sem(W, 150, noise_variances=rng.uniform(0.5, 2.0, 5), rng=rng)
        model = DAGLock("unequal").fit(X)
        members = equivalent_dags(model.adjacency_matrix_)
        np.testing.assert_array_equal(model.cpdag_, essential_graph(members))
        withheld += (model.cpdag_ == 1).sum() > (model.identified_ == 1).sum()
        i, j = rng.choice(5, 2, replace=False).tolist()
        told = DAGLock("unequal", knowledge=knowledge_masks(5, forbidden=[(i, j)])).fit(X)
        members = equivalent_dags(told.adjacency_matrix_)
        possible = [member for member in members if not member[i, j]]
        np.testing.assert_array_equal(told.cpdag_, essential_graph(possible))
        narrowed += len(possible) < len(members)
    assert withheld > 3
    assert narrowed > 3


def test_threads() -> None:
    assert n_threads(None) == 1
    assert n_threads(3) == 3
    assert n_threads(-1) >= 1
    assert n_threads(-(10**6)) == 1


def test_verbose_shows_a_bar_with_the_score(capsys: pytest.CaptureFixture[str]) -> None:
    X = linear_sem(erdos_renyi(20, 20, rng=0), 300, rng=1)
    DAGLock("unequal", n_restarts=4, random_state=0, verbose=1).fit(X)
    captured = capsys.readouterr()
    assert "unequal variances: 100%" in captured.err
    assert "4/4" in captured.err
    assert "score" in captured.err
    assert not captured.out
    DAGLock("unequal", n_restarts=4, random_state=0).fit(X)
    assert capsys.readouterr() == ("", "")
