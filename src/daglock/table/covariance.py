"""Covariances in files: as Tetrad writes them, or a square matrix with names.

::

    /Covariance          (may be missing)
    100                  the rows behind it
    X1   X2   X3
    1.4
    0.3  2.3             the lower triangle, or the whole matrix
    0.5  0.2  5.3

This gives numbers, names and the number of rows; whether they are a covariance, `Moments` checks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table.cells import is_comment, is_missing
from daglock.table.columns import Raw, choose
from daglock.table.source import Source, to_utf8
from daglock.typing import Array
from daglock.wording import listed, plural

_HEAD = "/covariance"
_ENDING = ".cov"
_WORD = re.compile(r'"([^"]*)"|([^\s,;"]+)')


@dataclass(frozen=True, eq=False)
class Covariance:
    """A symmetric matrix, the names of its columns, and the rows behind it."""

    matrix: Array
    names: tuple[str, ...]
    n: int
    notes: tuple[str, ...] = ()


def is_covariance(source: Source) -> bool:
    """Whether a file says that it is a covariance: by its ending, its first line, or its form."""
    if source.ending == _ENDING:
        return True
    head = source.head
    if b"\0" in head:
        return False
    lines = [_words(line) for _, line in _lines(head.decode("utf-8", "replace"))][:5]
    if lines and [word.lower() for word in lines[0]] == [_HEAD]:
        return True
    # a number alone, names, then one number, then two: no table begins so
    return (
        len(lines) >= 4
        and [len(lines[k]) for k in (0, 2, 3)] == [1, 1, 2]
        and len(lines[1]) >= 2
        and all(_number(word) is not None for k in (0, 2, 3) for word in lines[k])
        and not any(_number(word) is not None for word in lines[1])
    )


def read_covariance(
    source: Source,
    read_raw: Callable[[Source, list[str]], Raw],
    *,
    rows: int | None = None,
    keep: Sequence[str] | None = None,
    drop: Sequence[str] = (),
) -> Covariance:
    """Read a covariance; ``read_raw`` reads a matrix that stands in a table.

    Parameters
    ----------
    rows : the number of rows behind it, where the file does not say.
    keep, drop : names of the columns to use, or to leave out.
    """
    notes: list[str] = []
    text = ""
    if is_covariance(source):
        text = to_utf8(source, notes).decode()
    if text and not _is_table(text):
        matrix, names, n = _triangle(text, source.label, notes)
    else:
        raw = read_raw(source, notes)
        matrix, names, n = *_square(raw, notes), None
    if n is not None and rows is not None and n != rows:
        raise InvalidParameterError(
            f"{source.label} says {n:,} rows and --rows {rows:,}: leave out --rows, or mend it."
        )
    n = rows if n is None else n
    if n is None:
        raise InvalidParameterError(
            f"{source.label} does not say how many rows are behind the covariance: give --rows N."
        )
    _refuse_asymmetry(matrix, names, source.label)
    chosen = choose(names, keep, drop)
    cells = np.ix_(chosen, chosen)
    return Covariance(matrix[cells], tuple(names[j] for j in chosen), n, tuple(notes))


def _is_table(text: str) -> bool:
    """Whether a text has the form of a table: what stands first is no number of rows."""
    lines = [_words(line) for _, line in _lines(text)]
    if lines and [word.lower() for word in lines[0]] == [_HEAD]:
        return False
    return not (lines and len(lines[0]) == 1 and _number(lines[0][0]) is not None)


def _triangle(text: str, label: str, notes: list[str]) -> tuple[Array, list[str], int]:
    """Return matrix, names and rows of a file of Tetrad."""
    lines = [(number, line) for number, line in _lines(text) if line.lower() != _HEAD]
    for k, (_, line) in enumerate(lines):
        if line.lower().startswith("/knowledge"):
            lines = lines[:k]
            notes.append(
                f"The knowledge in {label} was not read: give it in a file of its own to "
                "--knowledge."
            )
            break
    if len(lines) < 4:
        raise InvalidDataError(
            f"{label} ends too early: it must have the number of rows, the names, and a line of "
            "the matrix for each of at least two."
        )
    (where, first), (_, second), *rest = lines
    rows = _number(first)
    if rows is None or not 2 <= rows < 2**53 or rows != int(rows):
        raise InvalidDataError(
            f"Line {where} of {label} must be the number of rows behind the covariance, 2 or "
            f"more; it is {first[:40]!r}."
        )
    names = _words(second)
    d = len(names)
    if len(set(names)) < d:
        twice = Counter(names).most_common(1)[0][0]
        raise InvalidDataError(f"{label} has the name {twice!r} more than once: make them differ.")
    if len(rest) != d:
        raise InvalidDataError(
            f"{label} has {plural(d, 'name')} and {plural(len(rest), 'line')} of numbers: one is "
            "needed for each."
        )
    whole = d > 1 and len(_words(rest[0][1])) == d
    matrix = np.zeros((d, d))
    for i, (number, line) in enumerate(rest):
        cells = _words(line)
        wanted = d if whole else i + 1
        if len(cells) != wanted:
            raise InvalidDataError(
                f"Line {number} of {label} has {plural(len(cells), 'number')}; it must have "
                f"{wanted}, for the covariances of {names[i]!r}."
            )
        for j, cell in enumerate(cells):
            value = _number(cell)
            if value is None:
                gap = cell == "*" or is_missing(cell)
                what = "is missing" if gap else f"is no number, {cell[:40]!r}"
                raise InvalidDataError(
                    f"The covariance of {names[i]!r} and {names[j]!r} in line {number} of {label} "
                    f"{what}: fill it in, or leave one of them out of the file."
                )
            matrix[i, j] = value
    if not whole:
        matrix = matrix + np.tril(matrix, -1).T
    return matrix, names, int(rows)


def _square(raw: Raw, notes: list[str]) -> tuple[Array, list[str]]:
    """Return matrix and names of a table whose rows are called as its columns, or not at all."""
    columns = list(raw.columns)
    if columns and len(columns) == len(columns[0].text) + 1:
        labels = [str(cell) for cell in columns.pop(0).text.to_pylist()]
        names = [column.name for column in columns]
        if sorted(labels) == sorted(names) and labels != names:
            raise InvalidDataError(
                f"The rows of {raw.label} are in another order than its columns: sort them alike."
            )
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise InvalidDataError(
            f"{raw.label} has the name {twice!r} more than once: make them differ."
        )
    others = raw.convert(columns, notes)
    if others:
        column, row = others[0]
        raise InvalidDataError(
            f"Column {column.name!r} of {raw.label} holds {column.show(row)} in {raw.place(row)}: "
            "a covariance has nothing but numbers."
        )
    n_rows = len(columns[0].values) if columns else 0
    if len(columns) != n_rows or n_rows < 2:
        raise InvalidDataError(
            f"{raw.label} has {plural(n_rows, 'row')} and {plural(len(columns), 'column')}: a "
            "covariance is a square matrix with a row and a column for each variable."
        )
    return np.column_stack([column.values for column in columns]), names


def _refuse_asymmetry(matrix: Array, names: Sequence[str], label: str) -> None:
    """Raise the error that names two covariances that should be one, or one that is missing."""
    gaps = np.argwhere(~np.isfinite(matrix))
    if len(gaps):
        i, j = gaps[0].tolist()
        raise InvalidDataError(
            f"The covariance of {names[i]!r} and {names[j]!r} in {label} is missing or infinite: "
            "fill it in, or leave one of them out with --drop."
        )
    bad = [name for name, variance in zip(names, np.diag(matrix), strict=True) if variance <= 0]
    if bad:
        raise InvalidDataError(
            f"The variance of {listed(map(repr, bad), 5)} in {label} is not positive: leave out "
            "what does not vary with --drop."
        )
    scale = np.sqrt(np.diag(matrix))
    difference = np.abs(matrix - matrix.T) / np.outer(scale, scale)
    if difference.max() > 1e-6:
        i, j = (int(k) for k in np.unravel_index(int(difference.argmax()), difference.shape))
        raise InvalidDataError(
            f"{label} is not symmetric: {matrix[i, j]:g} stands for {names[i]!r} and {names[j]!r}, "
            f"{matrix[j, i]:g} for {names[j]!r} and {names[i]!r}."
        )


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that say something, with their numbers."""
    return [
        (number, line.strip())
        for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1)
        if line.strip() and not (is_comment(line) or line.strip().startswith("//"))
    ]


def _words(line: str) -> list[str]:
    """Return the cells of a line, which blanks, tabs or commas tell apart."""
    return [quoted or plain for quoted, plain in _WORD.findall(line)]


def _number(word: str) -> float | None:
    """Return a number, or None."""
    try:
        return float(word)
    except ValueError:
        return None
