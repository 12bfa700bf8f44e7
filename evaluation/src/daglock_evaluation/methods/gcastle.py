"""NOTEARS and GOLEM (package ``gcastle``), linear, with their defaults, on the CPU.

GOLEM computes in single precision. After its threshold it takes the weakest edges away until no
cycle is left; NOTEARS does not.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from daglock.graph import is_dag
from daglock.typing import Array
from daglock_evaluation.methods.method import Answer, Method

# Defaults of the package; for GOLEM-NV, which has none, what its documentation names.
LAMBDA_NOTEARS, LAMBDA_EV, LAMBDA_NV = 0.1, 2e-2, 2e-3
STEPS = 100_000


@contextmanager
def silence() -> Iterator[None]:
    """Keep the package's messages back: it logs its progress to everyone's logger."""
    before = logging.root.manager.disable
    logging.disable(logging.INFO)
    try:
        yield
    finally:
        logging.disable(before)


def answer(model: Any) -> Answer:
    """Return the graph of a model, and what its weights were before the threshold."""
    raw = np.asarray(model.weight_causal_matrix)
    return Answer(np.asarray(model.causal_matrix), int(np.count_nonzero(raw)), is_dag(raw))


def run_notears(X: Array, seed: int, lambda1: float) -> Answer:
    """Run NOTEARS with least squares."""
    with silence():
        model = import_module("castle.algorithms").Notears(lambda1=lambda1, loss_type="l2")
        model.learn(X)
    return answer(model)


def run_golem_ev(X: Array, seed: int, num_iter: int) -> Answer:
    """Run GOLEM for equal noise variances."""
    with silence():
        return answer(_golem(X, seed, num_iter, equal_variances=True, lambda_1=LAMBDA_EV))


def run_golem_nv(X: Array, seed: int, num_iter: int) -> Answer:
    """Run GOLEM for unequal noise variances, from what it finds for equal ones."""
    with silence():
        first = _golem(X, seed, num_iter, equal_variances=True, lambda_1=LAMBDA_EV)
        start = np.asarray(first.weight_causal_matrix)
        more = {"equal_variances": False, "lambda_1": LAMBDA_NV, "B_init": start}
        return answer(_golem(X, seed, num_iter, **more))


def _golem(X: Array, seed: int, num_iter: int, **options: Any) -> Any:
    """Return a model that was fitted."""
    golem = import_module("castle.algorithms").GOLEM
    # PyTorch's compiler, which its Adam loads, makes a folder for itself and leaves it behind.
    with TemporaryDirectory() as folder, patch.dict(os.environ, TORCHINDUCTOR_CACHE_DIR=folder):
        import_module("torch._dynamo")
    model = golem(num_iter=num_iter, seed=seed, device_type="cpu", **options)
    model.learn(X - X.mean(axis=0))
    return model


def _golem_method(name: str, label: str, run: Any, marker: str) -> Method:
    """Return a variant of GOLEM."""
    return Method(
        *(name, label, "dag", run, "vermilion", marker, "gcastle"),
        scaling="centred, as the method has no intercept and the package leaves it to the caller",
        options={"num_iter": STEPS},
        warm_up={"num_iter": 10},
    )


METHODS = (
    Method(
        *("notears", "NOTEARS", "dag", run_notears, "vermilion", "s", "gcastle"),
        scaling="centred by the package",
        options={"lambda1": LAMBDA_NOTEARS},
    ),
    _golem_method("golem-ev", "GOLEM-EV", run_golem_ev, "D"),
    _golem_method("golem-nv", "GOLEM-NV, from GOLEM-EV", run_golem_nv, "d"),
)
