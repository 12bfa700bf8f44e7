"""From batches to numbers: values as they are, levels as their numbers, scores in their place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import types

from daglock.errors import InvalidDataError
from daglock.sources.source import Batch
from daglock.table.given import level_text
from daglock.typing import Array


def is_numeric(kind: pa.DataType) -> bool:
    """Whether a column of this type holds numbers, or truth values, or nothing."""
    return (
        types.is_floating(kind)
        or types.is_integer(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
        or types.is_null(kind)
    )


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text, or categories that a frame declares."""
    if types.is_dictionary(kind):
        return True
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def numbers_in(batch: Batch, name: str) -> NDArray[Any]:
    """Return a column of numbers, NaN where there is none; not copied where that can be.

    Raises
    ------
    InvalidDataError
        There are no numbers in this batch; the message names the piece.
    """
    cells = batch.data.column(name)
    if not is_numeric(cells.type):
        raise InvalidDataError(
            f"Column {name!r} holds {cells.type} in {batch.place}, and numbers elsewhere: make "
            "them the same, or leave that piece out."
        )
    if not types.is_floating(cells.type) or cells.type == _HALF:
        cells = cells.cast(pa.float64(), safe=False)
    return cells.to_numpy(zero_copy_only=False)


_HALF = pa.float16()


def words_in(batch: Batch, name: str) -> tuple[list[str], Array]:
    """Return the different texts of a column, and which of them stands in each row, or NaN."""
    cells = batch.data.column(name)
    if not types.is_dictionary(cells.type):
        cells = cells.dictionary_encode()
    words = [word if isinstance(word, str) else _as_word(word) for word in _listed(cells)]
    codes = cells.indices.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return words, np.asarray(codes, dtype=np.float64)


def _listed(cells: pa.Array) -> list[Any]:
    """Return the words that a column has, which another batch may number otherwise."""
    return cells.dictionary.to_pylist()


def _as_word(word: Any) -> str:
    """Return a category as text."""
    return level_text(word) if isinstance(word, int | float) else str(word)


@dataclass(frozen=True, eq=False)
class Encoding:
    """How a column becomes the numbers that are learned from.

    Attributes
    ----------
    name : of the column.
    levels : what the codes 0, 1, ... stand for; None where values are numbers as they are.
    numbers : whether the levels are numbers in the source, written as text.
    scores : two arrays, values and the normal scores in their place; None for none.
    """

    name: str
    levels: tuple[str, ...] | None = None
    numbers: bool = False
    scores: tuple[Array, Array] | None = None

    def values(self, batch: Batch) -> NDArray[Any]:
        """Return the numbers of this column, NaN where a value is missing."""
        if self.levels is None:
            x = numbers_in(batch, self.name)
        elif self.numbers:
            own = numbers_in(batch, self.name)
            different, which = np.unique(own[~np.isnan(own)], return_inverse=True)
            x = np.full(len(own), np.nan)
            x[~np.isnan(own)] = self._codes(map(level_text, different.tolist()))[which]
        else:
            words, codes = words_in(batch, self.name)
            known = np.append(self._codes(words), np.nan)
            x = known[np.where(np.isnan(codes), len(words), codes).astype(np.intp)]
            if np.isnan(x).sum() > np.isnan(codes).sum():
                raise InvalidDataError(
                    f"Column {self.name!r} of {batch.place} has a level that it had not when it "
                    "was read first: do not change files while they are read."
                )
        return x if self.scores is None else _scored(x, *self.scores)

    def _codes(self, words: Iterable[str]) -> Array:
        """Return the numbers of words among the levels; not a number for what is none of them."""
        number = {level: float(k) for k, level in enumerate(self.levels or ())}
        return np.array([number.get(word, np.nan) for word in words], dtype=np.float64)


def _scored(x: NDArray[Any], values: Array, scores: Array) -> Array:
    """Return the scores of values, between those that are known by a line."""
    there = ~np.isnan(x)
    result = np.full(len(x), np.nan)
    result[there] = np.interp(x[there], values, scores)
    return result


def encode(batch: Batch, encodings: Sequence[Encoding]) -> list[NDArray[Any]]:
    """Return all columns of a batch as numbers."""
    return [encoding.values(batch) for encoding in encodings]
