"""The bytes of a file, whatever it is, and what kind of file they are."""

from __future__ import annotations

import difflib
import gzip
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from daglock.errors import InvalidDataError

Kind = Literal["text", "parquet", "arrow file", "arrow stream"]

# First bytes of files that people hand over by mistake, and what to do about it.
_FOREIGN: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive: unpack it first"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook: save the sheet as CSV first"),
    (b"BZh", "compressed by bzip2: unpack it first"),
    (b"\xfd7zXZ\x00", "compressed by xz: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd: unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first"),
    (b"FEA1", "a Feather file of version 1, which is no longer read: write it again as version 2"),
    (b"SQLite format 3\x00", "an SQLite database: export the table as CSV first"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file: export the table as CSV or Parquet first"),
    (b"\x93NUMPY", "a NumPy file: load it in Python and call DAGLock().fit(array)"),
    (b"RDX", "an R data file: write the table by write.csv first"),
    (b"%PDF", "a PDF document, not a table"),
    (b"\x89PNG", "a picture, not a table"),
)
_BINARY_ENDINGS = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".feather": "Arrow",
    ".arrow": "Arrow",
    ".arrows": "Arrow",
    ".ipc": "Arrow",
}


@dataclass(frozen=True)
class Source:
    """A file in memory, unpacked."""

    label: str  # how messages call it
    raw: bytes
    kind: Kind


def open_source(path: str | Path) -> Source:
    """Read the bytes of a file, or of standard input for ``-``; unpack gzip; tell what it is."""
    if str(path) == "-":
        label, raw, ending = "standard input", sys.stdin.buffer.read(), ""
    else:
        file = Path(path)
        if "://" in str(path) and not file.exists():
            raise InvalidDataError(f"{str(path)!r} is an address, not a file: download it first.")
        label, raw = file.name, _bytes(file)
        ending = Path(file.stem).suffix if file.suffix == ".gz" else file.suffix
    if raw[:2] == b"\x1f\x8b":
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise InvalidDataError(f"{label} is a damaged gzip file: {error}.") from error
    return Source(label, raw, _kind(label, raw, ending.lower()))


def _bytes(file: Path) -> bytes:
    """Return the content of a file, or say why there is none."""
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise InvalidDataError(f"There is no file {str(file)!r}{_similar(file)}.") from error
    except IsADirectoryError as error:
        raise InvalidDataError(f"{str(file)!r} is a folder: name the file in it.") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise InvalidDataError(f"{str(file)!r} cannot be read: {reason}.") from error


def _similar(file: Path) -> str:
    """Suggest a file next to the one that is not there."""
    try:
        names = [entry.name for entry in file.parent.iterdir() if entry.is_file()]
    except OSError:
        return ""
    close = difflib.get_close_matches(file.name, names, n=1)
    return f"; there is {close[0]!r}" if close else ""


def _kind(label: str, raw: bytes, ending: str) -> Kind:
    """Tell by the first bytes what kind of file this is; refuse what is no table."""
    if raw[:4] == b"PAR1":
        return "parquet"
    if raw[:6] == b"ARROW1":
        return "arrow file"
    if raw[:4] == b"\xff\xff\xff\xff":
        return "arrow stream"
    if raw[:4] == b"PK\x03\x04" and b"xl/" in raw:
        raise InvalidDataError(f"{label} is an Excel workbook: save the sheet as CSV first.")
    for magic, meaning in _FOREIGN:
        if raw.startswith(magic):
            raise InvalidDataError(f"{label} is {meaning}.")
    if ending in _BINARY_ENDINGS:
        raise InvalidDataError(
            f"{label} ends in {ending}, but what it holds is not {_BINARY_ENDINGS[ending]}."
        )
    return "text"
