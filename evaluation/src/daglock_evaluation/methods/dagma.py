"""DAGMA (package ``dagma``), linear: with its defaults, and with λ tuned on graphs apart."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from daglock.graph import is_dag, threshold
from daglock.typing import Array
from daglock_evaluation.methods.method import Answer, Method

# Both are the package's defaults.
LAMBDA, THRESHOLD = 0.03, 0.3
# Those next to the default first: the first of equals is taken.
GRID = (0.03, 0.02, 0.05, 0.01, 0.1, 0.005)


class _StoppedError(Exception):
    """DAGMA has used up what it was given."""


def fit(
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


def run(X: Array, seed: int, lambda1: float, **options: Any) -> Answer:
    """Run DAGMA, which centres the table, and cut as it does by default."""
    raw, _ = fit(X, lambda1=lambda1, **options)
    assert raw is not None
    return Answer(threshold(raw, THRESHOLD), int(np.count_nonzero(raw)), is_dag(raw))


DEFAULT = Method(
    *("dagma", "DAGMA", "dag", run, "orange", "D", "dagma", "centred by the package"),
    options={"lambda1": LAMBDA},
    warm_up={"T": 1, "warm_iter": 20, "max_iter": 20},
)
METHODS = (
    DEFAULT,
    replace(
        DEFAULT,
        name="dagma-tuned",
        label="DAGMA, λ tuned",
        grid=tuple({"lambda1": value} for value in GRID),
        colour="yellow",
        marker="d",
    ),
)
