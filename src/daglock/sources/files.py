"""Files: a path, a pattern or a folder of Parquet or CSV files with the same columns.

Of every file its first or last bytes are looked at before a row is read, so that one that differs
from the others is named at once, however many there are.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyarrow import types

from daglock.errors import InvalidDataError, refuse
from daglock.sources.local import LocalSource, Piece
from daglock.sources.parquet import read_footer
from daglock.sources.source import Source
from daglock.sources.text import TextFiles
from daglock.table.source import Hints
from daglock.wording import listed, plural

PARQUET = (".parquet", ".pq")
TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
# So many files with something wrong in them are named.
_MOST_FAULTS = 5


class Opened(NamedTuple):
    """A file whose columns are known."""

    label: str
    schema: pa.Schema
    pieces: tuple[Piece, ...]


def open_files(what: Any, hints: Hints | None = None) -> Source | None:
    """Return files as a source: a path, a pattern such as ``events/*.parquet``, or a folder."""
    if not isinstance(what, str | os.PathLike):
        return None
    name = os.fspath(what)
    paths = [path.absolute() for path in find_files(name)]
    read: Callable[[Path, str], tuple[str, pa.Schema, tuple[Piece, ...]]]
    if all(str(path).lower().endswith(PARQUET) or _is_parquet(path) for path in paths):
        read = _read_parquet
    elif any(str(path).lower().endswith(PARQUET) for path in paths):
        text = next(path for path in paths if not str(path).lower().endswith(PARQUET))
        raise InvalidDataError(
            f"{name} holds Parquet and other files, such as {text.name}: name those of one format "
            "by a pattern, such as 'folder/*.parquet'."
        )
    else:
        read = TextFiles(hints or Hints()).read
    labels = _labels(paths)
    opened, faults = list[Opened](), list[str]()
    for path, label in zip(paths, labels, strict=True):
        try:
            opened.append(Opened(*read(path, label)))
            if len(opened) > 1 and (fault := _differs(opened[-1], opened[0])):
                faults.append(fault)
        except InvalidDataError as error:
            faults.append(str(error))
        if len(faults) == _MOST_FAULTS:
            break
    refuse(faults)
    pieces = tuple(piece for file in opened for piece in file.pieces)
    label = labels[0] if len(paths) == 1 else f"{plural(len(paths), 'file')} in {name}"
    return LocalSource(label, _common(opened), pieces, len(paths))


def find_files(name: str) -> list[Path]:
    """Return the files that a path, a pattern or a folder means, sorted by name.

    In a folder, files whose names begin with a point or an underscore are no data.
    """
    path = Path(name)
    if path.is_dir():
        found = [file for file in path.rglob("*") if file.is_file()]
        found = [file for file in found if _is_data(file.relative_to(path))]
        known = [file for file in found if str(file).lower().endswith((*PARQUET, *TEXT))]
        if not known:
            other = f", but {plural(len(found), 'other file')}" if found else ""
            raise InvalidDataError(
                f"The folder {name!r} has no Parquet or CSV file in it{other}: name the files."
            )
        return sorted(known)
    if path.exists() or not is_pattern(name):
        if not path.exists():
            raise InvalidDataError(f"There is no file {name!r}.")
        if not path.is_file():
            raise InvalidDataError(
                f"{name!r} is no file but a pipe or a device, whose rows can be read once: write "
                "them to a file, or take daglock.table.read_file, which holds them in memory."
            )
        return [path]
    found = [Path(file) for file in glob.glob(name, recursive=True)]
    found = [file for file in found if file.is_file()]
    if not found:
        raise InvalidDataError(f"No file is called like {name!r}: check the pattern.")
    return sorted(found)


def is_pattern(name: str) -> bool:
    """Whether a name stands for several files.

    Examples
    --------
    >>> is_pattern("events/*.parquet"), is_pattern("events.parquet")
    (True, False)
    """
    return glob.has_magic(name)


def _is_data(file: Path) -> bool:
    """Whether no part of a path says that it is hidden or no data."""
    return not any(part.startswith((".", "_")) for part in file.parts)


def _is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet does."""
    with path.open("rb") as stream:
        return stream.read(4) == b"PAR1"


def _labels(paths: Sequence[Path]) -> list[str]:
    """Return how messages call files: their names, with folders where these differ."""
    if len({path.parent for path in paths}) == 1:
        return [path.name for path in paths]
    common = Path(os.path.commonpath(paths))
    return [str(path.relative_to(common)) for path in paths]


def _read_parquet(path: Path, label: str) -> Opened:
    """Look at the end of a Parquet file, which knows its columns and row groups."""
    return Opened(label, *read_footer(path, label))


def _differs(file: Opened, first: Opened) -> str:
    """Say how the columns of a file differ from those of the first one; empty if they do not."""
    here, there = set(file.schema.names), set(first.schema.names)
    if here != there:
        lacks = [repr(name) for name in first.schema.names if name not in here]
        more = [repr(name) for name in file.schema.names if name not in there]
        said = [f"lacks {listed(lacks, 3)}"] if lacks else []
        said += [f"has {listed(more, 3)} besides"] if more else []
        return (
            f"{file.label} {' and '.join(said)}, unlike {first.label}: all files must have the "
            "same columns."
        )
    for name in first.schema.names:
        own, other = (sort_of(one.schema.field(name).type) for one in (file, first))
        if own != other and "" not in (own, other):
            return (
                f"Column {name!r} holds {own} in {file.label} and {other} in {first.label}: make "
                "them the same, or leave that file out."
            )
    return ""


def sort_of(kind: pa.DataType) -> str:
    """Return what a type holds, as a message calls it; empty for a column without values."""
    if types.is_null(kind):
        return ""
    if types.is_boolean(kind) or types.is_integer(kind):
        return "numbers"
    if types.is_floating(kind) or types.is_decimal(kind):
        return "numbers"
    if types.is_dictionary(kind):
        return sort_of(kind.value_type)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "text"
    return "dates or times" if types.is_temporal(kind) else str(kind)


def _common(files: Sequence[Opened]) -> pa.Schema:
    """Return the columns, each with the type of the first file that has values in it."""
    fields = []
    for field in files[0].schema:
        own = [file.schema.field(field.name).type for file in files]
        kind = next((kind for kind in own if not types.is_null(kind)), field.type)
        if any(types.is_floating(other) for other in own) and not types.is_floating(kind):
            kind = kind if sort_of(kind) != "numbers" else pa.float64()
        fields.append(field.with_type(kind))
    return pa.schema(fields, metadata=files[0].schema.metadata)
