"""Data frames of any library at the border: numbers and names in, labelled frames and graphs out.

pandas, polars, pyarrow and whatever else narwhals knows; objects that offer Arrow's stream or the
``__dataframe__`` protocol are read through a library that is there. Plain arrays have no names.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidDataError
from daglock.table.names import check_names, column
from daglock.table.policy import as_floats, refuse_kinds
from daglock.table.table import Table
from daglock.typing import Array

if TYPE_CHECKING:
    import networkx


def read_frame(X: Any) -> Table | None:
    """Return the numbers and names of a data frame, or None if X is not one.

    Booleans become 0 and 1, missing values NaN. A frame none of whose columns is called by a
    string has no names.

    Raises
    ------
    InvalidDataError
        A column does not hold numbers, or names are missing or the same.

    Examples
    --------
    >>> import pandas
    >>> table = read_frame(pandas.DataFrame({"a": [1, 2], "b": [True, False]}))
    >>> table.data.tolist(), table.names, table.library
    ([[1.0, 1.0], [2.0, 0.0]], ('a', 'b'), 'pandas')
    >>> read_frame([[1.0, 2.0]]) is None
    True
    """
    if X is None or isinstance(X, np.ndarray | list | tuple):
        return None
    frame = _narwhals_frame(X)
    if frame is None:
        return None
    names = _names(frame.columns)
    refuse_kinds(_other_kinds(frame), names)
    data = np.empty(frame.shape, dtype=np.float64)
    for j in range(frame.shape[1]):
        data[:, j] = _column(frame[:, j], names, j)
    return Table(data, names, library=str(frame.implementation) if names else None)


def make_frame(library: str, columns: Mapping[str, Any]) -> Any:
    """Return a frame of a library.

    Examples
    --------
    >>> make_frame("pandas", {"source": ["a"], "weight": [0.5]})
      source  weight
    0      a     0.5
    """
    import narwhals

    backend: Any = library
    return narwhals.from_dict(dict(columns), backend=backend).to_native()


def make_table(library: str | None, columns: Mapping[str, NDArray[Any]]) -> Any:
    """Return columns as a frame of a library, or as a record array when there is none.

    Examples
    --------
    >>> make_table(None, {"source": np.array([0]), "weight": np.array([0.5])})["weight"]
    array([0.5])
    """
    if library is not None:
        return make_frame(library, columns)
    kinds = [(name, values.dtype) for name, values in columns.items()]
    size = len(next(iter(columns.values())))
    table = np.recarray((size,), dtype=kinds)
    for name, values in columns.items():
        table[name] = values
    return table


def make_matrix(library: str | None, names: Sequence[str], matrix: NDArray[Any]) -> Any:
    """Return a square matrix as a frame: columns by name, and rows too where the library can.

    Row i belongs to ``names[i]`` in every library. Without a library it is returned as it is.

    Examples
    --------
    >>> make_matrix("pandas", ["a", "b"], np.array([[0.0, 0.5], [0.0, 0.0]])).loc["a", "b"]
    np.float64(0.5)
    """
    if library is None:
        return matrix
    if library == "pandas":
        import pandas

        return pandas.DataFrame(matrix, index=list(names), columns=list(names))
    return make_rows(library, names, matrix)


def make_rows(library: str | None, names: Sequence[str], rows: NDArray[Any]) -> Any:
    """Return rows as a frame of a library with these columns, or as they are without one."""
    if library is None:
        return rows
    return make_frame(library, {name: rows[:, j] for j, name in enumerate(names)})


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
    for library in ("pyarrow", "polars", "pandas"):
        if not is_installed(library):
            continue
        if hasattr(X, "__arrow_c_stream__"):
            return narwhals.from_arrow(X, backend=library)
        if hasattr(X, "__dataframe__"):
            return narwhals.from_native(_from_interchange(X, library))
    return None


def _from_interchange(X: Any, library: str) -> Any:
    """Read X by the ``__dataframe__`` protocol, which libraries begin to warn about."""
    home = {"pyarrow": "pyarrow.interchange", "pandas": "pandas.api.interchange"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module(home.get(library, library)).from_dataframe(X)


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
