"""Few columns whose gaps cost most rows are named, with what to do, wherever gaps are told of."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.dataset
import pytest

from daglock import DAGLock
from daglock.errors import DataWarning
from daglock.report import words


def with_rare(*shares: float, n: int = 400) -> pd.DataFrame:
    """A chain of six complete columns, and others of which so much is there."""
    rng = np.random.default_rng(0)
    X = np.cumsum(rng.standard_normal((n, 6 + len(shares))), axis=1)
    frame = pd.DataFrame(X, columns=[*"abcdef", *(f"rare {k}" for k in range(len(shares)))])
    for k, share in enumerate(shares):
        frame.loc[rng.random(n) > share, f"rare {k}"] = np.nan
    return frame


def fitted(frame: pd.DataFrame) -> DAGLock:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return DAGLock(missing="model", random_state=0).fit(frame)


@pytest.mark.parametrize("n_rare", [1, 2])
def test_few_columns_that_cost_most_rows_are_named(n_rare: int) -> None:
    model = fitted(with_rare(*[0.1] * n_rare))
    assert model.moments_.n < 200
    (said,) = (text for text in model.learned_.cautions if "few columns cost" in text)
    which = ", ".join(f"rare {k}" for k in range(n_rare))
    assert f"without {which} (" in said
    assert "as if 400 of 400 rows were complete" in said
    assert f"(--drop '{which.replace(', ', ',')}')" in said
    assert said in [finding.text for finding in model.diagnostics_.sentences()]
    assert said in words.warnings(model)


def test_nothing_is_said_where_no_few_columns_would_help() -> None:
    even = with_rare()
    even = even.mask(np.random.default_rng(1).random(even.shape) < 0.4)
    for frame in (even, with_rare(0.8)):
        model = fitted(frame)
        assert model.moments_.missing
        assert not any("few columns cost" in text for text in model.learned_.cautions)
        assert not model.diagnostics_.rare


def test_of_a_source_the_rows_are_those_of_all_of_it(tmp_path: Path) -> None:
    frame = with_rare(0.1, n=1000)
    frame.to_parquet(tmp_path / "rows.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        source = pyarrow.dataset.dataset(tmp_path / "rows.parquet")
        model = DAGLock(missing="model", random_state=0).fit(source)
    assert any("as if 1,000 of 1,000 rows were" in text for text in model.learned_.cautions)
