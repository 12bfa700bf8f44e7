"""Moments of a real Spark's data frames: those of their rows."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock, Moments
from daglock.errors import ClusterError, InvalidDataError
from daglock.simulate import linear_sem
from daglock.sources import as_source
from tests.spark.needs import needs

pytestmark = [
    needs("pyspark", "java"),
    pytest.mark.filterwarnings("ignore"),  # of Spark's own
]
NAMES = ["a", "b", "c.d"]


def table(n: int = 2000) -> pd.DataFrame:
    W = np.zeros((3, 3))
    W[0, 1], W[1, 2] = 1.0, -2.0
    return pd.DataFrame(linear_sem(W, n, rng=0) + 50.0, columns=NAMES)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.default.parallelism", "4")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def frame(spark: Any, rows: pd.DataFrame, pieces: int) -> Any:
    """Return rows as a frame of so many partitions, in their order."""
    import pyarrow as pa

    whole = spark.createDataFrame(pa.Table.from_pandas(rows, preserve_index=False))
    return spark.createDataFrame(whole.rdd.coalesce(1).repartition(pieces), whole.schema)


@pytest.mark.parametrize("pieces", [1, 3, 40])
def test_moments_are_those_of_the_rows(spark: Any, pieces: int) -> None:
    data = frame(spark, table(), pieces)
    assert data.rdd.getNumPartitions() == pieces
    found, expected = Moments.from_source(data), Moments.from_data(table().to_numpy(), NAMES)
    scale = np.sqrt(np.diagonal(expected.cov))
    assert np.abs((found.cov - expected.cov) / scale / scale[:, None]).max() < 1e-12
    np.testing.assert_allclose(found.means, expected.means, rtol=1e-13)
    assert (found.n, found.names) == (2000, tuple(NAMES))
    again = Moments.from_source(data)
    assert again.cov.tobytes() == found.cov.tobytes()


def test_some_columns_in_another_order(spark: Any) -> None:
    found = Moments.from_source(frame(spark, table(), 3), columns=["c.d", "a"])
    expected = Moments.from_data(table()[["c.d", "a"]].to_numpy(), ["c.d", "a"])
    np.testing.assert_allclose(found.cov, expected.cov, rtol=1e-11)


def test_a_fit(spark: Any) -> None:
    found = DAGLock(random_state=0).fit(frame(spark, table(), 3))
    expected = DAGLock(random_state=0).fit(table())
    np.testing.assert_array_equal(
        np.asarray(found.weights_) != 0, np.asarray(expected.weights_) != 0
    )


@pytest.mark.parametrize("pieces", [2, 40])
def test_what_is_wrong_with_the_data_is_said(spark: Any, pieces: int) -> None:
    rows = table()
    rows.loc[1500, "b"] = np.inf
    with pytest.raises(InvalidDataError, match=r"infinite: column 'b' in row .* of partition \d+ "):
        Moments.from_source(frame(spark, rows, pieces))


def test_an_error_in_spark_is_one_sentence(spark: Any) -> None:
    source = as_source(frame(spark, table(), 2))
    assert source is not None
    with pytest.raises(
        ClusterError, match=r"^Spark could not read .*ZeroDivisionError: .*\.$"
    ) as e:
        source.reduce(_divide, _divide)
    assert "\n" not in str(e.value)


def _divide(*anything: Any) -> float:
    return 1 / 0


def test_no_rows(spark: Any) -> None:
    with pytest.raises(InvalidDataError, match="At least two rows are needed; got n = 0"):
        Moments.from_source(frame(spark, table(), 2).limit(0))
