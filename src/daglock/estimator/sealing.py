"""The parts of a file of a model, read with care, and the checksum over all of them.

What an archive claims is compared with `form` before anything is unpacked; no more is unpacked
than a model can be. The checksum finds what was changed by mistake or by hand. It is no signature:
whoever means harm can make it anew.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from daglock.errors import InvalidDataError
from daglock.estimator.form import (
    ARRAYS,
    WIDTHS,
    BrokenPartError,
    Claim,
    check_claims,
    check_record,
    is_current,
)
from daglock.wording import size_text

Arrays = dict[str, NDArray[Any]]
Content = tuple[dict[str, Any], Arrays]
# An archive may unpack to so many bytes, or to so many times its own size.
MOST_UNPACKED = 256 << 20
MOST_TIMES = 100
_RECORD = "record.npy"
# What an array in an archive says of itself is short.
_LONGEST_HEADER = 1024
# What cells may be in JSON, by the kind of the array; whole numbers elsewhere.
_CELLS: dict[str, set[type]] = {"b": {bool}, "f": {float, int, NoneType}}


def checksum(record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of a record, but for the checksum in it, and of arrays with their names.

    It is the same for JSON and for npz: numbers that are not finite count as not a number, which
    is all that JSON keeps of them.

    Examples
    --------
    >>> checksum({"n": 2}, {"order": np.array([0, 1])})[:16]
    '39413a82028a51b3'
    """
    plain = {name: value for name, value in record.items() if name != "checksum"}
    seal = hashlib.sha256(json.dumps(plain, sort_keys=True, allow_nan=False).encode())
    for name in sorted(arrays):
        cells = in_form(name, arrays[name])
        if cells.dtype.kind == "f" and not np.isfinite(cells).all():
            cells = np.where(np.isfinite(cells), cells, np.nan)
        seal.update(f"\n{name} {cells.dtype.str} {cells.shape}\n".encode())
        seal.update(np.ascontiguousarray(cells).data)
    return seal.hexdigest()


def in_form(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array in the type that it has in a file."""
    return np.asarray(array, dtype=ARRAYS[name][0])


def parse(text: str) -> Any:
    """Return what JSON says; what only Python takes for JSON, such as NaN, is none."""

    def refuse(constant: str) -> None:
        raise BrokenPartError(constant)

    return json.loads(text, parse_constant=refuse)


def read_npz(path: Path, max_size: int | None = None) -> Content:
    """Return the record and the arrays of an archive; what cannot be right is not unpacked."""
    with zipfile.ZipFile(path) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
        _refuse_bomb(path, sum(sizes.values()), max_size)
        with archive.open(_RECORD) as stream:
            record = parse(_text(stream, sizes.pop(_RECORD)))
        if not is_current(record):
            return record, {}
        check_record(record)
        claims: dict[str, Claim] = {}
        for name in sizes:
            with archive.open(name) as stream:
                claims[name.removesuffix(".npy")] = _claim(stream)[0]
        check_claims(claims, record)
        arrays = {}
        for name in claims:
            with archive.open(f"{name}.npy") as stream:
                arrays[name] = _array(stream)
    return record, arrays


def read_json(path: Path) -> Content:
    """Return the record and the arrays of a JSON file."""
    record = parse(path.read_text(encoding="utf-8"))
    lists = record.pop("arrays", {})
    if not is_current(record):
        return record, {}
    check_record(record)
    arrays = {name: from_list(name, values) for name, values in lists.items()}
    check_claims({name: (cells.dtype, cells.shape) for name, cells in arrays.items()}, record)
    return record, arrays


def to_list(array: NDArray[Any]) -> Any:
    """Return nested lists; a number that is not finite, which JSON cannot hold, is null."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        values = array.astype(object)
        values[~np.isfinite(array)] = None
        return values.tolist()
    return array.tolist()


def from_list(name: str, values: Any) -> NDArray[Any]:
    """Undo `to_list`; raise `BrokenPartError` for an array that holds something else than it must.

    Examples
    --------
    >>> from_list("weight", [0.5, None]), from_list("oriented", [True])
    (array([0.5, nan]), array([ True]))
    """
    if name not in ARRAYS or not isinstance(values, list):
        raise BrokenPartError(name)
    wanted, letters = ARRAYS[name]
    cells = np.array(values, dtype=object)
    kind = np.dtype(wanted).kind
    if not set(map(type, cells.ravel().tolist())) <= _CELLS.get(kind, {int}):
        raise BrokenPartError(name)
    if not cells.size and len(letters) == 2:
        cells = cells.reshape(len(values), -1 if len(values) else WIDTHS.get(letters[1], 1))
    return cells.astype(wanted)


def _refuse_bomb(path: Path, total: int, max_size: int | None) -> None:
    """Raise the error about an archive that would unpack to more than a model of its size does."""
    usual = max(MOST_UNPACKED, MOST_TIMES * path.stat().st_size)
    if total > (usual if max_size is None else max_size):
        raise InvalidDataError(
            f"{path} would unpack to {size_text(total)}, which no model of its size does: if you "
            f"trust it, load it by daglock.load(path, max_size={total})."
        )


def _text(stream: IO[bytes], size: int) -> str:
    """Return the text that an array without a shape holds."""
    (kind, shape), _ = _claim(stream)
    if kind.kind != "U" or shape != () or not 0 < kind.itemsize <= size:
        raise ValueError("no text")
    return str(np.frombuffer(stream.read(kind.itemsize), dtype=kind)[0])


def _claim(stream: IO[bytes]) -> tuple[Claim, bool]:
    """Return type and shape that an array says that it has, and whether columns come first."""
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("no array of numbers")
    length = stream.read(2)
    if int.from_bytes(length, "little") > _LONGEST_HEADER:
        raise ValueError("no array of numbers")
    head = io.BytesIO(length + stream.read(int.from_bytes(length, "little")))
    shape, columns_first, kind = np.lib.format.read_array_header_1_0(head)
    if kind.hasobject:
        raise ValueError("no array of numbers")
    return (kind, shape), columns_first


def _array(stream: IO[bytes]) -> NDArray[Any]:
    """Return an array whose type and shape are right."""
    (kind, shape), columns_first = _claim(stream)
    size = kind.itemsize * math.prod(shape)
    raw = stream.read(size + 1)
    if len(raw) != size:
        raise BrokenPartError("size")
    cells = np.frombuffer(raw, dtype=kind)
    return cells.reshape(shape[::-1]).T if columns_first else cells.reshape(shape)
