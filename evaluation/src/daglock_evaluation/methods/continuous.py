"""Weights by continuous optimisation: DAGMA (``dagma``), NOTEARS and GOLEM (``gcastle``).

All are linear, with their defaults, on the CPU; DAGMA also with λ tuned on graphs apart. GOLEM
computes in single precision. After its threshold it takes the weakest edges away until no cycle is
left; the others do not.
"""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from daglock.graph import threshold
from daglock.typing import Array
from daglock_evaluation.methods import Answer, Method

# Defaults of the packages; for GOLEM-NV, which has none, what its documentation names.
LAMBDA_DAGMA, LAMBDA_NOTEARS, LAMBDA_EV, LAMBDA_NV = 0.03, 0.1, 2e-2, 2e-3
THRESHOLD, STEPS = 0.3, 100_000
# Those next to the default first: the first of equals is taken.
GRID = (0.03, 0.02, 0.05, 0.01, 0.1, 0.005)


class _StoppedError(Exception):
    """DAGMA has used up what it was given."""


def fit_dagma(
    X: Array, *, stop: Callable[[int], bool] = lambda steps: False, **options: Any
) -> tuple[Array | None, int]:
    """Return the weights before any threshold, and the steps; no weights where it was stopped.

    The package knows no limit, so that its steps are counted; `stop` is asked before each.
    """
    model = import_module("dagma.linear").DagmaLinear(loss_type="l2")
    update, steps, W = model._adam_update, 0, None

    def counted(*arguments: Any) -> Any:
        nonlocal steps
        if stop(steps):
            raise _StoppedError
        steps += 1
        return update(*arguments)

    model._adam_update = counted
    s = [1.0, 0.9, 0.8, 0.7, 0.6]  # the default, which a run may change for the next
    with redirect_stderr(io.StringIO()), suppress(_StoppedError):
        W = np.asarray(model.fit(X, w_threshold=0.0, s=s, **options))
    return W, steps


def run_dagma(X: Array, seed: int, lambda1: float, **options: Any) -> Answer:
    """Run DAGMA, which centres the table, and cut as it does by default."""
    raw, _ = fit_dagma(X, lambda1=lambda1, **options)
    assert raw is not None
    return Answer.cut(threshold(raw, THRESHOLD), raw)


@contextmanager
def silence() -> Iterator[None]:
    """Keep the messages of gcastle back: it logs its progress to everyone's logger."""
    before = logging.root.manager.disable
    logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)


def run_notears(X: Array, seed: int, lambda1: float) -> Answer:
    """Run NOTEARS with least squares."""
    with silence():
        model = import_module("castle.algorithms").Notears(lambda1=lambda1, loss_type="l2")
        model.learn(X)
    return _answer(model)


def run_golem(X: Array, seed: int, num_iter: int, *, equal: bool) -> Answer:
    """Run GOLEM for equal noise variances; for unequal ones, from what it finds for equal ones."""
    with silence():
        model = _golem(X, seed, num_iter, equal_variances=True, lambda_1=LAMBDA_EV)
        if not equal:
            start = np.asarray(model.weight_causal_matrix)
            more = {"equal_variances": False, "lambda_1": LAMBDA_NV, "B_init": start}
            model = _golem(X, seed, num_iter, **more)
    return _answer(model)


def _golem(X: Array, seed: int, num_iter: int, **options: Any) -> Any:
    """Return a model that was fitted."""
    golem = import_module("castle.algorithms").GOLEM
    # PyTorch's compiler, which its Adam loads, makes a folder for itself and leaves it behind.
    with TemporaryDirectory() as folder, patch.dict(os.environ, TORCHINDUCTOR_CACHE_DIR=folder):
        import_module("torch._dynamo")
    model = golem(num_iter=num_iter, seed=seed, device_type="cpu", **options)
    model.learn(X - X.mean(axis=0))
    return model


def _answer(model: Any) -> Answer:
    """Return the graph of a model of gcastle, and what its weights were before the threshold."""
    return Answer.cut(np.asarray(model.causal_matrix), np.asarray(model.weight_causal_matrix))


_DAGMA = Method(
    *("dagma", "DAGMA", "dag", run_dagma, "orange", "D", "dagma", "centred by the package"),
    options={"lambda1": LAMBDA_DAGMA},
    warm_up={"T": 1, "warm_iter": 20, "max_iter": 20},
)
_GOLEM = Method(
    *("golem-ev", "GOLEM-EV", "dag", partial(run_golem, equal=True), "vermilion", "D", "gcastle"),
    scaling="centred, as the method has no intercept and the package leaves it to the caller",
    options={"num_iter": STEPS},
    warm_up={"num_iter": 10},
)
METHODS = (
    _DAGMA,
    replace(
        _DAGMA,
        name="dagma-tuned",
        label="DAGMA, λ tuned",
        colour="yellow",
        marker="d",
        grid=tuple({"lambda1": value} for value in GRID),
    ),
    Method(
        *("notears", "NOTEARS", "dag", run_notears, "vermilion", "s", "gcastle"),
        scaling="centred by the package",
        options={"lambda1": LAMBDA_NOTEARS},
    ),
    _GOLEM,
    replace(
        _GOLEM,
        name="golem-nv",
        label="GOLEM-NV, from GOLEM-EV",
        run=partial(run_golem, equal=False),
        marker="d",
    ),
)
