"""scikit-learn's own checks of an estimator, every one of them.

One is skipped by scikit-learn itself unless SCIPY_ARRAY_API is set before SciPy is imported:
check_array_api_input, which is about arrays of other libraries than NumPy.
"""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from daglock import DAGLock


@pytest.mark.filterwarnings("ignore::daglock.errors.DataWarning")
@parametrize_with_checks(
    [
        DAGLock(),
        DAGLock("unequal", n_restarts=2),
        DAGLock(missing="drop"),
        DAGLock(missing="model"),
    ]
)
def test_scikit_learn(estimator: DAGLock, check: Any) -> None:
    check(estimator)
