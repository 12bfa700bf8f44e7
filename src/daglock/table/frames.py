"""What is in memory, at the border: frames and arrays in, labelled frames and graphs out.

A reader takes an object and returns a `Table`, or None if it is nothing to it: a new one is a file
beside this one, and a place in `READERS`. Frames are those of pandas, polars, pyarrow and whatever
else narwhals knows, and objects that offer Arrow's stream or the ``__dataframe__`` protocol. Plain
arrays, by scikit-learn's rules, have no names.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from daglock.errors import InvalidDataError
from daglock.table.policy import (
    as_floats,
    check_missing,
    check_names,
    column,
    complete_rows,
    refuse_kinds,
    require_size,
)
from daglock.table.table import Table
from daglock.typing import Array

if TYPE_CHECKING:
    import networkx


def read_table(X: Any, missing: str = "refuse", at_least: int = 2) -> Table:
    """Return the complete rows of X; ``missing`` says what is done about the others.

    Fewer rows or columns than ``at_least`` are refused (two are needed to learn from), and columns
    of text, categories, dates, infinities, or missing values that are not to be dropped.

    Examples
    --------
    >>> table = read_table([[1.0, 2.0], [np.nan, 3.0], [0.0, 4.0]], missing="drop")
    >>> table.data.tolist(), table.n_dropped
    ([[1.0, 2.0], [0.0, 4.0]], 1)
    """
    check_missing(missing)
    if isinstance(X, Table):
        return complete_rows(X, missing)
    table = next(table for reader in READERS if (table := reader(X)) is not None)
    require_size(table.data.shape, at_least)
    return complete_rows(table, missing)


def in_order_of(table: Table, names: tuple[str, ...], are_given: bool) -> NDArray[Any]:
    """Return the columns of a table in the order of those that a model was fitted on."""
    if table.data.shape[1] != len(names):
        raise InvalidDataError(
            f"X has {table.data.shape[1]} features, but DAGLock is expecting {len(names)} features "
            "as input: give the columns that it was fitted on."
        )
    if table.names is None or not are_given or table.names == names:
        return table.data
    for name in names:
        if name not in table.names:
            raise InvalidDataError(f"X has no column {name!r}, which the model was fitted on.")
    return table.data[:, [table.names.index(name) for name in names]]


def read_frame(X: Any) -> Table | None:
    """Return the numbers and names of a data frame, or None if X is not one.

    Booleans become 0 and 1, missing values NaN. A frame none of whose columns is called by a
    string has no names.

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
    refuse_kinds(_other_kinds(frame), names)
    data = np.empty(frame.shape, dtype=np.float64)
    for j in range(frame.shape[1]):
        data[:, j] = _column(frame[:, j], names, j)
    return Table(data, names, library=str(frame.implementation) if names else None)


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


def _other_kinds(frame: Any) -> dict[int, str]:
    """Return the kind of each column that does not hold numbers: text, categories, dates."""
    import narwhals

    kinds = {}
    for j, kind in enumerate(frame.schema.values()):
        is_number = kind.is_numeric() or kind in (narwhals.Boolean, narwhals.Object)
        if not (is_number or (kind == narwhals.Unknown and frame[:, j].is_null().all())):
            kinds[j] = str(kind).split("(")[0].lower()
    return kinds


def _column(series: Any, names: Sequence[str] | None, j: int) -> Array:
    """Return a column as doubles, missing values as NaN."""
    import narwhals

    if series.dtype == narwhals.Object:
        return as_floats(series.to_numpy()[:, None], names, j)[:, 0]
    try:
        return np.asarray(series.cast(narwhals.Float64).to_numpy(), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidDataError(f"{column(names, j)} cannot be read as numbers.") from error


def read_array(X: Any) -> Table:
    """Return an array-like as numbers, by scikit-learn's rules; text is named."""
    from sklearn.utils.validation import check_array

    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    if isinstance(X, np.ndarray | list | tuple):
        try:
            cells = np.asarray(X)
        except ValueError as error:
            raise InvalidDataError("The rows of the table must all have one length.") from error
        is_text = cells.ndim == 2 and cells.dtype.kind in "OUS"
        if is_text and any(isinstance(cell, str | bytes) for cell in cells.ravel()):
            as_floats(cells.astype(object), None)
    data = check_array(
        X,
        dtype="numeric",
        ensure_all_finite=False,
        ensure_min_samples=0,
        ensure_min_features=0,
        estimator="DAGLock",
    )
    return Table(np.asarray(data))


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
