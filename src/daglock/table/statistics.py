"""Files of Stata, SPSS and SAS, by pyreadstat.

A column whose values all have labels becomes the text of its labels, in the order of the values
where SPSS calls it ordinal; where only some have one ("99: no answer"), numbers stay numbers. What
a program counts as missing is missing.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from daglock.errors import InvalidDataError
from daglock.table.columnar import typed_numbers
from daglock.table.columns import Column, Raw
from daglock.table.source import Source
from daglock.wording import listed


@dataclass(frozen=True)
class Program:
    """How files of a program are told, and which function of pyreadstat reads them."""

    begins: tuple[bytes, ...]
    endings: tuple[str, ...]
    reader: str


PROGRAMS = {
    "a Stata file": Program(
        # since version 13 they say so; before, the version, the order of bytes, and a one
        (b"<stata_dta>", *(bytes([v, order, 1]) for v in range(104, 116) for order in (1, 2))),
        (".dta",),
        "read_dta",
    ),
    "an SPSS file": Program((b"$FL2", b"$FL3"), (".sav", ".zsav"), "read_sav"),
    "a SAS file": Program(
        (bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c",),
        (".sas7bdat",),
        "read_sas7bdat",
    ),
    "a SAS transport file": Program((b"HEADER RECORD*******LIB",), (".xpt",), "read_xport"),
}


def read_statistics(program: Program, source: Source, notes: list[str]) -> Raw:
    """Take the columns of a file with their labels."""
    values, meta = _parsed(program, source)
    labels: Mapping[str, Mapping[Any, str]] = meta.variable_value_labels
    columns, labelled = [], []
    measured: Mapping[str, str] = meta.variable_measure
    for name, cells in values.items():
        words = _in_words(cells, labels.get(name, {}))
        if words is None:
            columns.append(Column(str(name), _cells(cells)))
            continue
        labelled.append(repr(name))
        text = _cells(words)
        if measured.get(name) == "ordinal":
            text = _ordered(text, labels[name])
        columns.append(Column(str(name), text))
    if labelled:
        notes.append(f"The labels of values were taken in {listed(labelled, 5)}.")
    return Raw(source.label, columns, typed_numbers, lambda row: f"row {row + 1}")


def _parsed(program: Program, source: Source) -> tuple[Mapping[str, Sequence[Any]], Any]:
    """Let pyreadstat read the file; dates that Python does not have are left as numbers."""
    import pyreadstat
    from pyreadstat import ReadstatError

    read: Callable[..., Any] = getattr(pyreadstat, program.reader)
    options: dict[str, Any] = {"output_format": "dict", "encoding": source.hints.encoding}
    try:
        try:
            values, meta = read(io.BytesIO(source.raw), **options)
        except (OverflowError, ValueError):
            options["disable_datetime_conversion"] = True
            values, meta = read(io.BytesIO(source.raw), **options)
    except (ReadstatError, OverflowError, ValueError) as error:
        reason = str(error).strip(".") or "it cannot be read"
        raise InvalidDataError(f"{source.label} is damaged, or not read: {reason}.") from error
    return values, meta


def _in_words(cells: Sequence[Any], labels: Mapping[Any, str]) -> list[str | None] | None:
    """Return the labels of all values; None where a value that is there has none.

    Examples
    --------
    >>> _in_words([1.0, None, 2.0], {1: "male", 2: "female"})
    ['male', None, 'female']
    >>> _in_words([30.0, 99.0], {99: "no answer"}) is None
    True
    """
    found = {cell for cell in set(cells) if not _is_gap(cell)}
    if not found or not found <= set(labels):
        return None
    words = {value: str(labels[value]) for value in found}
    if len(set(words.values())) < len(words):  # two values with one label are still two values
        return None
    return [words.get(cell) for cell in cells]


def _ordered(text: pa.ChunkedArray, labels: Mapping[Any, str]) -> pa.ChunkedArray:
    """Return labels as categories in the order of the values that they are of."""
    there = set(pc.unique(text).to_pylist())
    levels = [str(labels[value]) for value in sorted(labels) if str(labels[value]) in there]
    levels = list(dict.fromkeys(levels))
    places = pc.index_in(text, pa.array(levels, pa.string())).combine_chunks()
    return pa.chunked_array([pa.DictionaryArray.from_arrays(places, levels, ordered=True)])


def _cells(cells: Sequence[Any]) -> pa.ChunkedArray:
    """Return cells as Arrow holds them, without a value where nothing is."""
    try:
        array = pa.array(cells, from_pandas=True)  # so that not a number is nothing
    except (pa.ArrowInvalid, TypeError):  # of several kinds: as text
        array = pa.array([None if _is_gap(cell) else str(cell) for cell in cells])
    column = pa.chunked_array([array])
    if not types.is_string(column.type):
        return column
    blank = pc.is_in(pc.utf8_trim_whitespace(column), pa.array([""], pa.string()))
    return pc.if_else(blank, None, column)


def _is_gap(cell: Any) -> bool:
    """Whether a cell holds nothing: blanks, or not a number."""
    if isinstance(cell, str):
        return not cell.strip()
    return cell is None or bool(cell != cell)
