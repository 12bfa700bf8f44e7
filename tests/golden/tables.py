"""The tables behind the golden files: made with NumPy alone, so that nothing in daglock moves them.

Values are rounded: logarithms and sines end in other bits on another processor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from daglock.typing import Array

Shape = str
NOISES = {
    "gaussian": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.uniform(-1.7, 1.7, n),
    "skewed": lambda rng, n: rng.standard_normal(n) ** 2 - 1.0,
    "heavy": lambda rng, n: rng.standard_normal(n) * np.where(rng.random(n) < 0.1, 5.0, 0.7),
}


def graph(d: int, edges: int, rng: np.random.Generator, low: float, high: float) -> Array:
    """Return the weights of a random DAG, W[i, j] of i -> j, in the order of its nodes."""
    i, j = np.triu_indices(d, 1)
    some = rng.permutation(len(i))[:edges]
    W = np.zeros((d, d))
    W[i[some], j[some]] = rng.uniform(low, high, len(some)) * rng.choice([-1.0, 1.0], len(some))
    return W


def columns_of(
    seed: int,
    d: int,
    n: int,
    edges: int,
    *,
    weights: tuple[float, float] = (0.5, 1.0),
    noise: str = "gaussian",
    equal: bool = False,
    bend: float = 0.0,
) -> Array:
    """Draw rows of a random graph; columns come in a random order."""
    rng = np.random.default_rng([seed, d, n, edges])
    W = graph(d, edges, rng, *weights)
    scale = np.ones(d) if equal else rng.uniform(0.5, 1.5, d)
    X = np.zeros((n, d))
    for j in range(d):
        straight = X @ W[:, j]
        bent = np.cos(1.5 * X) @ np.abs(W[:, j])
        X[:, j] = (1.0 - bend) * straight + 2.0 * bend * bent + scale[j] * NOISES[noise](rng, n)
    return np.asarray(X[:, rng.permutation(d)].round(6))


def named(X: Array, names: Sequence[str] | None = None) -> pd.DataFrame:
    """Return a frame; by default columns are a, b, c, ..."""
    letters = [chr(ord("a") + k) if k < 26 else f"v{k}" for k in range(X.shape[1])]
    return pd.DataFrame(X, columns=list(names or letters))


def levels(x: Array, cuts: Sequence[float], words: Sequence[str]) -> NDArray[np.object_]:
    """Cut a column into levels."""
    return np.array(words, dtype=object)[np.searchsorted(np.quantile(x, cuts), x)]


def categorical(seed: int, d: int, n: int, edges: int, most: int = 4) -> pd.DataFrame:
    """Return a frame of categories alone."""
    rng = np.random.default_rng([seed, 1])
    X = columns_of(seed, d, n, edges)
    frame = {}
    for j in range(d):
        k = int(rng.integers(2, most + 1))
        cuts = np.sort(rng.uniform(0.15, 0.85, k - 1))
        frame[f"q{j}"] = levels(X[:, j], cuts.tolist(), [f"l{i}" for i in range(k)])
    return pd.DataFrame(frame)


def mixed(seed: int, d: int, n: int, edges: int, every: int = 2) -> pd.DataFrame:
    """Return a frame in which every second column, or third, has levels."""
    rng = np.random.default_rng([seed, 2])
    frame = named(columns_of(seed, d, n, edges))
    for j in range(0, d, every):
        k = int(rng.integers(2, 5))
        cuts = np.linspace(0, 1, k + 1)[1:-1].tolist()
        name = frame.columns[j]
        frame[name] = levels(frame[name].to_numpy(), cuts, ["low", "mid", "high", "top"][:k])
    return frame


def with_gaps(frame: pd.DataFrame, seed: int, share: float) -> pd.DataFrame:
    """Return the frame with some cells gone at random."""
    rng = np.random.default_rng([seed, 3])
    return frame.mask(rng.random(frame.shape) < share)


def in_regimes(
    seed: int,
    d: int,
    n: int,
    edges: int,
    targets: Sequence[int],
    kind: str = "perfect",
    shifts: float = 0.0,
) -> pd.DataFrame:
    """Return rows of a plain regime and one for each target, with the regime of each row."""
    rng = np.random.default_rng([seed, 4])
    W, scale = graph(d, edges, rng, 0.6, 1.2), rng.uniform(0.5, 1.5, d)
    parts = []
    for g, target in enumerate([-1, *targets]):
        X, offset = np.zeros((n, d)), shifts * rng.standard_normal(d)
        for j in range(d):
            weight = W[:, j] * (0.0 if j == target and kind == "perfect" else 1.0)
            weight = weight * (0.3 if j == target and kind == "imperfect" else 1.0)
            own = scale[j] * rng.standard_normal(n)
            X[:, j] = X @ weight + own * (1.5 if j == target else 1.0) + offset[j]
            X[:, j] += 2.0 * (j == target and kind in ("shift", "perfect"))
        part = named(X.round(6))
        part["regime"] = "plain" if target < 0 else f"on {part.columns[target]}"
        parts.append(part.assign(batch=f"b{g}"))
    return pd.concat(parts, ignore_index=True)


def clinic(seed: int, n: int) -> pd.DataFrame:
    """Return patients: ages, codes, grades, laboratory values with tails, dates, rare events."""
    rng = np.random.default_rng([seed, 5])
    age = rng.integers(20, 90, n)
    sex = rng.choice(["f", "m"], n)
    weight = (60 + 0.1 * age + 12 * (sex == "m") + rng.normal(0, 8, n)).round(1)
    dose = (2 * weight + rng.normal(0, 20, n)).round(0)
    marker = np.exp(0.01 * dose + 0.02 * age + rng.normal(0, 0.5, n)).round(2)
    pain = np.clip((0.05 * age - 0.01 * dose + rng.normal(4, 1.5, n)).round(0), 0, 10)
    died = (rng.random(n) < 0.02 + 0.0005 * age).astype(int)
    return pd.DataFrame(
        {
            "patient": [f"P{k:05d}" for k in range(n)],
            "admitted": pd.date_range("2020-01-01", periods=n, freq="D").strftime("%Y-%m-%d"),
            "age": age,
            "sex": sex,
            "weight_kg": weight,
            "dose": dose,
            "marker": marker,
            "pain": pain.astype(int),
            "died": died,
        }
    )
