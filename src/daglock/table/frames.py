"""What is in memory, at the border: frames and arrays in, labelled frames and graphs out.

A reader takes an object and returns a `Table`, or None if it is nothing to it: a new one is a file
beside this one, and a place in `READERS`. Frames are those of pandas, polars, pyarrow and whatever
else narwhals knows, and objects that offer Arrow's stream or the ``__dataframe__`` protocol. Plain
arrays, by scikit-learn's rules, have no names.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from daglock.errors import InvalidDataError
from daglock.table.arrays import object_cells, read_array, with_texts
from daglock.table.deciding import decide, without_constant
from daglock.table.kinds import Schema
from daglock.table.policy import (
    as_floats,
    check_missing,
    check_names,
    column,
    complete_rows,
    require_size,
    too_few_error,
)
from daglock.table.rounding import EXACT, loses_digits
from daglock.table.schema import conform, gaps_in
from daglock.table.square import refuse_covariance
from daglock.table.table import INCOMPLETE, Table
from daglock.typing import Array

if TYPE_CHECKING:
    import networkx
    import pyarrow


def read_table(
    X: Any,
    missing: str = "refuse",
    at_least: int = 2,
    *,
    columns: Any = None,
    like: Schema | None = None,
    besides: Collection[str] = (),
) -> Table:
    """Return the complete rows of X with the kinds of its columns.

    Fewer rows or columns than ``at_least`` are refused (two are needed to learn from), and
    infinities, words among numbers, or missing values that are not to be dropped. Columns that are
    no variables are left out: `Table.left_out` says why.

    Parameters
    ----------
    X : an array, a frame, or a `Table`, whose kinds are decided already.
    missing : what is done about rows with missing values.
    columns : what columns are, by name, where that is not to be found by looking.
    like : the columns of a table that was read before, `Table.schema`: those are taken from X,
        as what they were then, and levels that were not there are refused.
    besides : columns that were left out once rows with gaps in them were: such rows are again.

    Examples
    --------
    >>> table = read_table([[1.0, 2.0], [np.nan, 3.0], [0.0, 4.0], [3.0, 1.0]], missing="drop")
    >>> table.data.tolist(), table.n_dropped
    ([[1.0, 2.0], [0.0, 4.0], [3.0, 1.0]], 1)
    >>> text = [["a", 1.0], ["b", 2.0], ["a", 4.0], ["b", 7.0]]
    >>> table = read_table(text)
    >>> table.kinds[0].kind.value, table.kinds[0].levels
    ('binary', ('a', 'b'))
    >>> read_table([["b", 3.0]], at_least=1, like=table.schema).data.tolist()
    [[1.0, 3.0]]
    """
    check_missing(missing)
    table = X if isinstance(X, Table) else _read(X, at_least)
    if like is not None:
        found = conform(table, like)
        if missing == "drop" and (gaps := gaps_in(table, like, besides)) is not None:
            found = found.without(gaps, INCOMPLETE) if gaps.any() else found
        return complete_rows(found, missing)
    if not isinstance(X, Table):
        _refuse_covariance(X, table)
    table = decide(table, columns, find=not isinstance(X, Table))
    complete = complete_rows(table, missing)
    if complete is not table:
        complete = without_constant(complete)
    if complete.data.shape[1] < at_least:
        raise too_few_error(complete)
    return complete


def _read(X: Any, at_least: int) -> Table:
    """Return what is in memory as a table of which nothing is decided yet."""
    table = next(table for reader in READERS if (table := reader(X)) is not None)
    require_size((len(table.data), len(table.columns)), at_least)
    return table


def _refuse_covariance(X: Any, table: Table) -> None:
    """Raise an error where X is a covariance; frames of pandas have names for its rows, too."""
    if len(table.data) != len(table.columns):
        return
    index = getattr(X, "index", None) if table.library == "pandas" else None
    refuse_covariance(
        table.data,
        table.labels,
        "X",
        "learn from it by DAGLock().fit_moments(Moments.from_covariance(X, n)), n being the number "
        "of rows behind it",
        None if index is None else [str(name) for name in index],
    )


def read_frame(X: Any) -> Table | None:
    """Return the columns and names of a data frame, or None if X is not one.

    Booleans become 0 and 1, missing values NaN, text the numbers of its words: what columns are is
    not decided here. A frame none of whose columns is called by a string has no names.

    Examples
    --------
    >>> import pandas
    >>> table = read_frame(pandas.DataFrame({"a": [1, 2], "b": [True, False]}))
    >>> table.data.tolist(), table.names, table.library
    ([[1.0, 1.0], [2.0, 0.0]], ('a', 'b'), 'pandas')
    >>> read_frame([[1.0, 2.0]]) is None
    True
    """
    frame = _narwhals_frame(X)
    if frame is None:
        return None
    names = _names(frame.columns)
    library = str(frame.implementation) if names else None
    n, d = frame.shape
    data, texts = np.empty((n, d), dtype=np.float64), {}
    rounded = []
    for j in range(d):
        cells = _cells(frame[:, j], names, j)
        if _is_rounded(frame[:, j], cells):
            rounded.append(names[j] if names else f"x{j}")
        if isinstance(cells, np.ndarray):
            data[:, j] = cells
        else:
            texts[j] = cells
    return replace(with_texts(data, texts, names, library), rounded=tuple(rounded))


def _is_rounded(series: Any, cells: Array | pyarrow.Array) -> bool:
    """Whether whole numbers are so large that doubles do not keep all of their digits."""
    if not isinstance(cells, np.ndarray) or not series.dtype.is_integer():
        return False
    largest = np.nanmax(np.abs(cells), initial=0.0)
    return bool(largest >= EXACT) and loses_digits(np.asarray(series.drop_nulls().to_numpy()))


def _narwhals_frame(X: Any) -> Any:
    """Return X as a narwhals frame, or None if it is no frame."""
    # by the type: a lazy frame would resolve its columns, and warns that this is slow
    marks = ("columns", "column_names", "__dataframe__", "__arrow_c_stream__")
    if not any(hasattr(type(X), mark) for mark in marks):
        return None
    import narwhals

    try:
        frame = narwhals.from_native(X, pass_through=True)
    except narwhals.exceptions.DuplicateError:
        check_names([str(name) for name in X.columns], len(X.columns))
        raise
    if isinstance(frame, narwhals.LazyFrame):
        return frame.collect()
    if isinstance(frame, narwhals.DataFrame):
        return frame
    if isinstance(narwhals.from_native(X, pass_through=True, allow_series=True), narwhals.Series):
        raise InvalidDataError(
            f"X is a single column, a {type(X).__name__}: give a table of two or more columns."
        )
    if hasattr(X, "__arrow_c_stream__"):
        return narwhals.from_arrow(X, backend="pyarrow")
    if hasattr(X, "__dataframe__"):
        from pyarrow.interchange import from_dataframe

        with warnings.catch_warnings():  # libraries begin to warn about this protocol
            warnings.simplefilter("ignore")
            return narwhals.from_native(from_dataframe(X))
    return None


def _names(columns: Sequence[Any]) -> tuple[str, ...] | None:
    """Return the names: all strings, or none."""
    strings = [isinstance(name, str) for name in columns]
    if not any(strings):
        return None
    if not all(strings):
        other = columns[strings.index(False)]
        raise InvalidDataError(
            f"Column names must all be strings; {other!r} is not: rename the columns, "
            "in pandas by X.columns = X.columns.astype(str)."
        )
    return check_names(columns, len(columns))


def _cells(series: Any, names: Sequence[str] | None, j: int) -> Array | pyarrow.Array:
    """Return a column as doubles, missing as NaN; or what is no number, as Arrow holds it."""
    import narwhals
    import pyarrow

    kind = series.dtype
    if kind == narwhals.Object:
        return object_cells(series.to_numpy(), names, j)
    if not (kind.is_numeric() or kind == narwhals.Boolean):
        if kind == narwhals.Unknown and series.is_null().all():
            return np.full(len(series), np.nan)
        try:
            cells: pyarrow.Array = series.to_arrow()
        except pyarrow.ArrowException:  # categories of several types, complex numbers
            return object_cells(series.to_numpy().astype(object), names, j)
        if kind == narwhals.Enum and isinstance(cells, pyarrow.DictionaryArray):
            # polars before version 2 leaves out that the levels have an order
            cells = pyarrow.DictionaryArray.from_arrays(
                cells.indices, cells.dictionary, ordered=True
            )
        return cells
    try:
        if str(series.implementation) == "pyarrow":  # which refuses to round whole numbers
            doubles = series.to_arrow().cast(pyarrow.float64(), safe=False)
            return np.asarray(doubles.to_numpy(zero_copy_only=False), dtype=np.float64)
        return np.asarray(series.cast(narwhals.Float64).to_numpy(), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidDataError(f"{column(names, j)} cannot be read as numbers.") from error


READERS: tuple[Callable[[Any], Table | None], ...] = (read_frame, read_array)


def read_matrix(
    X: ArrayLike, names: Sequence[str] | None
) -> tuple[NDArray[Any], tuple[str, ...] | None]:
    """X as a 2-D numeric array (not copied when it is one) and its column names, for `Moments`."""
    columns = getattr(X, "columns", None)
    if names is None and columns is not None:
        names = [str(column) for column in columns]
    try:
        table = X.filled(np.nan) if isinstance(X, np.ma.MaskedArray) else np.asarray(X)
    except (ValueError, TypeError) as error:
        raise InvalidDataError(
            "The data must be a table whose rows all have the same length."
        ) from error
    if table.ndim != 2:
        raise InvalidDataError(
            f"The data must be a 2-D table (rows, columns); got {table.ndim} dimension(s)."
        )
    if table.shape[1] < 2:
        raise InvalidDataError(
            f"At least two columns are needed to learn a graph; got {table.shape[1]}."
        )
    labels = check_names(names, table.shape[1])
    if table.dtype.kind == "O":
        table = as_floats(table, labels)
    if table.dtype.kind not in "fiub":
        raise InvalidDataError(
            f"The data must be real numbers; they are of type {table.dtype}: encode or remove "
            "the columns that are not."
        )
    return table, labels


def make_table(library: str | None, columns: Mapping[str, Any]) -> Any:
    """Return columns as a frame of a library, or as a record array when there is none.

    Examples
    --------
    >>> make_table(None, {"source": np.array([0]), "weight": np.array([0.5])})["weight"]
    array([0.5])
    >>> make_table("pandas", {"source": ["a"], "weight": [0.5]})
      source  weight
    0      a     0.5
    """
    if library is None:
        kinds = [(name, values.dtype) for name, values in columns.items()]
        return np.rec.fromarrays(list(columns.values()), dtype=kinds)
    import narwhals

    backend: Any = library
    return narwhals.from_dict(dict(columns), backend=backend).to_native()


def make_matrix(library: str | None, names: Sequence[str], matrix: NDArray[Any]) -> Any:
    """Return a square matrix as a frame: columns by name, and rows too where the library can.

    Row i belongs to ``names[i]`` in every library. Without a library it is returned as it is.

    Examples
    --------
    >>> make_matrix("pandas", ["a", "b"], np.array([[0.0, 0.5], [0.0, 0.0]])).loc["a", "b"]
    np.float64(0.5)
    """
    if library == "pandas":
        import pandas

        return pandas.DataFrame(matrix, index=list(names), columns=list(names))
    return make_rows(library, names, matrix)


def make_rows(library: str | None, names: Sequence[str], rows: NDArray[Any]) -> Any:
    """Return rows as a frame of a library with these columns, or as they are without one."""
    if library is None:
        return rows
    return make_table(library, {name: rows[:, j] for j, name in enumerate(names)})


def make_digraph(names: Sequence[str]) -> networkx.DiGraph[str]:
    """Return a graph for networkx that has these nodes, and no edges yet."""
    import networkx

    graph: networkx.DiGraph[str] = networkx.DiGraph()
    graph.add_nodes_from(names)
    return graph


def is_installed(library: str) -> bool:
    """Whether frames of a library can be made here."""
    return find_spec(library) is not None


def library_for(names: Sequence[str] | None, library: str | None = None) -> str | None:
    """Return the library of the frames that results are given in; None without names.

    Names that did not come in a frame get those of pandas, where it is installed.
    """
    if names is None or library is not None:
        return library
    return "pandas" if is_installed("pandas") else None
