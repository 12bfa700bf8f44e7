"""The shape of the noise inside the class, beside DirectLiNGAM; what replicates cost."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from time import process_time
from typing import Any, get_args

import numpy as np

from daglock import DAGLock
from daglock.errors import MissingExtraError
from daglock.metrics import compare
from daglock.simulate import erdos_renyi, linear_sem
from daglock.simulate.sem import Noise
from daglock.typing import Array
from daglock_evaluation.harness.case import standardise
from daglock_evaluation.harness.process import timed
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import each, progress

ROWS = (300, 1000)
THRESHOLDS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
NOISES = tuple(sorted(get_args(Noise), key=lambda noise: noise == "gaussian"))
REPLICATES = 100


def beside_lingam(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Compare directed distances and time, standardised ER graphs of degree 2."""
    try:
        lingam = import_module("lingam").DirectLiNGAM
    except ImportError as missing:
        raise MissingExtraError("This study needs lingam: pip install lingam") from missing
    head = (
        *("noise", "class only", "with shape", "identified", "DirectLiNGAM"),
        *("at its best threshold", "times slower"),
    )
    for d in sizes or [20, 50]:
        for n in ROWS:
            rows: list[tuple[str, ...]] = [head]
            for noise in NOISES:
                make, what = partial(_one, lingam, d, n, noise), f"{noise}, d = {d}, n = {n}"
                *distances, seconds, theirs = each(make, 0, seeds or 10, what).mean(axis=0)
                cells = [f"{value:.2f}" for value in distances]
                rows.append((noise, *cells, f"{theirs / seconds:.0f}"))
            yield Table(f"SHD, d = {d}, n = {n}, {seeds or 10} graphs", rows)


def _one(lingam: Any, d: int, n: int, noise: Noise, seed: int) -> tuple[float, ...]:
    """Return the distances, what is identified by shape, and seconds of both."""
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, d, rng=seed)
    X = linear_sem(W, n, noise, rng.uniform(0.5, 2.0, d), rng=seed + 1000)
    X = standardise(X)
    plain = DAGLock("unequal", shape="ignore").fit(X)
    shaped, _, seconds = timed(lambda: DAGLock("unequal").fit(X))
    other, _, theirs = timed(lambda: lingam().fit(X))
    B = np.asarray(other.adjacency_matrix_).T
    best = min(_distance(W, np.where(np.abs(B) > limit, B, 0.0)) for limit in THRESHOLDS)
    by_shape = float(np.mean(shaped.edges_["identified_by"] == "shape"))
    distances = (_distance(W, plain.weights_), _distance(W, shaped.weights_))
    return (*distances, by_shape, _distance(W, B), best, seconds, theirs)


def _distance(truth: Array, found: Array) -> float:
    """Return the structural Hamming distance."""
    return float(compare(truth, found).shd)


def replicates(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Compare the time of a hundred replicates, and of all of `assess`, with that of one fit."""
    rows: list[tuple[str, ...]] = [("d", "fit, s", "replicates, fits", "assess, fits")]
    for d in sizes or [20, 50, 100]:
        times = []
        for seed in progress(range(seeds or 10), f"d = {d}"):
            W = erdos_renyi(d, 2 * d, rng=seed)
            X = linear_sem(W, 1000, noise_variances=np.linspace(0.5, 2.0, d), rng=seed)
            model = DAGLock("unequal").fit(X)  # compiles
            began = process_time()
            model.fit(X)
            fitted = process_time()
            found = model.bootstrap(REPLICATES, rng=0, progress=False)
            drawn = process_time()
            model.assess(bootstrap=found)
            times.append((fitted - began, drawn - fitted, process_time() - fitted))
        fit, bootstrap, assess = np.mean(times, axis=0)
        rows.append((str(d), f"{fit:.3f}", f"{bootstrap / fit:.1f}", f"{assess / fit:.1f}"))
    yield Table("A hundred replicates, n = 1000, two edges a node", rows)
