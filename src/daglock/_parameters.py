"""Checks of parameters: numbers in a range, whole numbers, and matrices of numbers.

And those in the manner of scikit-learn, as the engine takes them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.typing import Array


def require_number(
    name: str,
    value: object,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
    at_most: float = math.inf,
) -> None:
    """Raise InvalidParameterError unless the value is a finite number between the bounds.

    Examples
    --------
    >>> require_number("alpha", 1.0, at_least=0, below=1)
    Traceback (most recent call last):
    daglock.errors.InvalidParameterError: alpha must be a number >= 0 and < 1; got 1.0.
    """
    number = float(value) if isinstance(value, Real) else math.nan
    if math.isfinite(number) and above < number < below and at_least <= number <= at_most:
        return
    bounds = {">": above, ">=": at_least, "<": below, "<=": at_most}
    finite = [f"{sign} {bound:g}" for sign, bound in bounds.items() if math.isfinite(bound)]
    rule = f" {' and '.join(finite)}" if finite else ""
    raise InvalidParameterError(f"{name} must be a number{rule}; got {value!r}.")


def require_integer(name: str, value: object, *, at_least: int) -> None:
    """Raise InvalidParameterError unless the value is a whole number, large enough.

    Examples
    --------
    >>> require_integer("max_inner", 2.5, at_least=1)
    Traceback (most recent call last):
    daglock.errors.InvalidParameterError: max_inner must be a whole number >= 1; got 2.5.
    """
    if not (isinstance(value, Integral) and int(value) >= at_least):
        raise InvalidParameterError(f"{name} must be a whole number >= {at_least}; got {value!r}.")


def require_positive_numbers(name: str, values: object) -> None:
    """Raise InvalidParameterError unless the values are a sequence of numbers above zero."""
    if not isinstance(values, Iterable):
        raise InvalidParameterError(f"{name} must be a sequence of numbers > 0; got {values!r}.")
    for value in values:
        require_number(f"each number of {name}", value, above=0)


def as_numbers(name: str, values: Any) -> Array:
    """Return values as an array of doubles, not copied when it is one already.

    Raises
    ------
    InvalidDataError
        If they are not real numbers, or rows differ in length.
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise TypeError("complex")
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidDataError(f"{name} must be an array of real numbers.") from error


def n_threads(n_jobs: int | None) -> int:
    """Threads for scikit-learn's ``n_jobs``: None is one, -1 all, -2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InvalidParameterError(f"n_jobs must be a whole number other than 0; got {n_jobs!r}.")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def seed_of(random_state: object) -> Any:
    """Return what NumPy's new generators take; scikit-learn's old ones are asked for a seed."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return random_state
