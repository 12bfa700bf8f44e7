"""Parameters in the manner of scikit-learn, as the engine takes them."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Any

import numpy as np

from daglock.errors import InvalidParameterError


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
