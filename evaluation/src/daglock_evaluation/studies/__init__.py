"""Measurements behind docs/theory.md: what the parts and the price of an edge buy."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from daglock import DAGLock
from daglock.errors import DataWarning
from daglock.typing import Array

T = TypeVar("T")


def progress(items: Iterable[T], label: str) -> Iterator[T]:
    """Go through the items, saying on a terminal which one it is."""
    items = list(items)
    show = sys.stderr.isatty()
    for count, item in enumerate(items, start=1):
        if show:
            print(f"\r{label}: {count} of {len(items)} ", end="", file=sys.stderr, flush=True)
        yield item
    if show:
        print("\r" + " " * (len(label) + 30) + "\r", end="", file=sys.stderr, flush=True)


def each(make: Callable[[int], object], first: int, count: int, label: str) -> Array:
    """Return what is made of so many seeds from the first one on, a row each."""
    return np.array([make(seed) for seed in progress(range(first, first + count), label)])


def fitted(model: DAGLock, X: Any, **more: Any) -> DAGLock:
    """Fit a model; what daglock warns of in data is what is drawn here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return model.fit(X, **more)


def change(before: Array, after: Array) -> tuple[str, str]:
    """Return the mean difference and its standard error."""
    gain = after - before
    error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else np.nan
    return f"{gain.mean():+.1f}", f"{error:.1f}"


def mean_and_error(values: Array | list[float]) -> str:
    """Write a mean with its standard error; a dash where some value is not known."""
    if np.isnan(values).any():
        return "-"
    return f"{np.mean(values):.1f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.1f}"
