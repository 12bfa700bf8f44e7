"""The bytes of a file, what a user says of them, and their text in UTF-8."""

from __future__ import annotations

import codecs
import difflib
import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import IO

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.table.limits import USUAL, Limits, too_large_error
from daglock.wording import size_text

# Called with the bytes done and all bytes.
Progress = Callable[[int, int], None]

# How Tetrad's knowledge begins, remarks aside.
_KNOWLEDGE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s*(?://|#)[^\n]*\n)*\s*/knowledge\s", re.IGNORECASE)

# First bytes of files that people hand over by mistake, and what to do about it.
_FOREIGN: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive: unpack it first"),
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
# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = {
    "utf-8-sig": (codecs.BOM_UTF8,),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
_HEAD = 4096
_GZIP = b"\x1f\x8b"
_BLOCK = 1 << 20
# So much of a file tells what it is.
GLANCE = 1 << 16
# Larger files stay on the disk until all their bytes are needed at once.
LARGE = 1 << 20


@dataclass(frozen=True)
class Hints:
    """What a user says about a file; what is None is found out."""

    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    skip_lines: int = 0
    censored: str | None = None
    progress: Progress | None = None
    sheet: str | None = None
    ragged: str | None = None
    limits: Limits = USUAL


@dataclass(frozen=True)
class Source:
    """A file, unpacked: in memory, or where it is on the disk."""

    label: str  # how messages call it
    content: bytes | Path
    ending: str = ""
    hints: Hints = Hints()

    @cached_property
    def raw(self) -> bytes:
        """All bytes; read when they are first asked for."""
        return self.content if isinstance(self.content, bytes) else self.content.read_bytes()

    @cached_property
    def head(self) -> bytes:
        """The first bytes, which tell what kind of file it is."""
        if isinstance(self.content, bytes):
            return self.content[:GLANCE]
        with self.content.open("rb") as file:
            return file.read(GLANCE)

    @property
    def size(self) -> int:
        """Number of bytes."""
        if isinstance(self.content, bytes):
            return len(self.content)
        return self.content.stat().st_size


def open_source(path: str | Path | Source, hints: Hints) -> Source:
    """Open a file, or standard input for ``-``; unpack gzip, up to what `Limits` allow.

    A source that is open stays so, for a pipe cannot be read again; it takes the hints.
    """
    if isinstance(path, Source):
        return replace(path, hints=hints)
    if str(path) == "-":
        raw = _read(sys.stdin.buffer, "standard input", hints.limits)
        return Source("standard input", _unpacked(raw, "standard input", hints.limits), "", hints)
    file = Path(path)
    if "://" in str(path) and not file.exists():
        raise InvalidDataError(f"{str(path)!r} is an address, not a file: download it first.")
    ending = (Path(file.stem).suffix if file.suffix == ".gz" else file.suffix).lower()
    try:
        with file.open("rb") as stream:
            # on some systems a descriptor that is opened again goes on where it was
            is_plain = stat.S_ISREG(os.fstat(stream.fileno()).st_mode) and not is_descriptor(file)
            label = file.name if is_plain else str(file)
            size = os.fstat(stream.fileno()).st_size
            if is_plain:
                hints.limits.require_size(file.name, size)
            if is_plain and size > LARGE and stream.read(2) != _GZIP:
                return Source(file.name, file, ending, hints)
            if is_plain:
                stream.seek(0)
            raw = _read(stream, label, hints.limits)
    except FileNotFoundError as error:
        raise InvalidDataError(f"There is no file {str(file)!r}{_similar(file)}.") from error
    except IsADirectoryError as error:
        raise InvalidDataError(f"{str(file)!r} is a folder: name the file in it.") from error
    except InvalidDataError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise InvalidDataError(f"{str(file)!r} cannot be read: {reason}.") from error
    return Source(label, _unpacked(raw, label, hints.limits), ending, hints)


def is_descriptor(path: str | Path) -> bool:
    """Whether a path is what shells and systems call an open file or pipe.

    Examples
    --------
    >>> [is_descriptor(path) for path in ("/dev/fd/63", "/dev/stdin", "/dev/shm/a.csv")]
    [True, True, False]
    """
    return str(path).startswith(("/dev/fd/", "/dev/stdin", "/proc/self/fd/"))


def _read(stream: IO[bytes], label: str, limits: Limits) -> bytes:
    """Return all bytes of a stream, or refuse one without an end."""
    blocks: list[bytes] = []
    total = 0
    while block := stream.read(_BLOCK):
        total += len(block)
        if not blocks and _is_endless(stream):
            raise InvalidDataError(f"{label} is a device, which has no end: name a file.")
        if total > limits.bytes:
            raise too_large_error(label, "has more", limits.bytes)
        blocks.append(block)
    return blocks[0] if len(blocks) == 1 else b"".join(blocks)


def _is_endless(stream: IO[bytes]) -> bool:
    """Whether a stream with bytes in it is a device and no terminal, such as /dev/zero."""
    try:
        mode = os.fstat(stream.fileno()).st_mode
    except (OSError, ValueError, AttributeError):  # in memory
        return False
    return stat.S_ISCHR(mode) and not stream.isatty()


def _unpacked(raw: bytes, label: str, limits: Limits) -> bytes:
    """Unpack gzip, no further than is allowed."""
    if raw[:2] != _GZIP:
        return raw
    most, blocks, total = limits.unpacked(len(raw)), [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as packed:
            while block := packed.read(_BLOCK):
                total += len(block)
                if total > most:
                    what = f"has {size_text(len(raw))} that unpack to more than is usual"
                    raise too_large_error(label, what, most)
                blocks.append(block)
    except InvalidDataError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidDataError(f"{label} is a damaged gzip file: {error}.") from error
    return b"".join(blocks)


def _similar(file: Path) -> str:
    """Suggest a file next to the one that is not there."""
    try:
        names = [entry.name for entry in file.parent.iterdir() if entry.is_file()]
    except OSError:
        return ""
    close = difflib.get_close_matches(file.name, names, n=1)
    return f"; there is {close[0]!r}" if close else ""


def refuse_foreign(source: Source) -> None:
    """Raise the error about a file that is no table, or a table that is not read."""
    for magic, meaning in _FOREIGN:
        if source.head.startswith(magic):
            raise InvalidDataError(f"{source.label} is {meaning}.")
    if _KNOWLEDGE.match(source.head):
        raise InvalidDataError(
            f"{source.label} is a knowledge file, as Tetrad writes them, and no table: name the "
            f"table, and give this file beside it as --knowledge {source.label}."
        )


def to_utf8(source: Source, notes: list[str]) -> bytes:
    """Return the text of a file as UTF-8 without a byte order mark.

    Where no encoding is given: by the mark; else UTF-16 if every second byte is zero; else UTF-8
    if it is valid; else Windows-1252, of which Latin-1 is a part, with a note.
    """
    raw, encoding = source.raw, source.hints.encoding
    name = encoding or _by_first_bytes(raw)
    try:
        text = raw.decode(name)
    except LookupError as error:
        raise InvalidParameterError(
            f"There is no text encoding called {name!r}; try utf-8, latin-1, cp1252 or utf-16."
        ) from error
    except UnicodeError as error:
        if encoding is not None or name != "utf-8" or b"\0" in raw:
            raise _undecodable(source, name, error) from error
        text = _western(raw)
        notes.append(
            "The text is not UTF-8; it was read as Windows-1252 (Latin-1): give --encoding if "
            "names look wrong."
        )
    if "\0" in text:
        raise _binary(source.label, text[: text.index("\0")].count("\n") + 1)
    if name == "utf-8" and text.isascii():
        return raw  # as it is, without a copy
    text = text.removeprefix("\ufeff")  # left by codecs that name the byte order themselves
    return text.encode("utf-8", "replace")


def _by_first_bytes(raw: bytes) -> str:
    """Return the Unicode encoding that the first bytes show."""
    for name, marks in _MARKS.items():
        if raw.startswith(marks):
            return name
    head = raw[:_HEAD]
    even, odd = head[::2].count(0), head[1::2].count(0)
    # Latin letters in UTF-16 have a zero in every second byte, and never elsewhere
    if even + odd and min(even, odd) == 0 and max(even, odd) > 0.3 * len(head) / 2:
        return "utf-16-be" if even else "utf-16-le"
    return "utf-8"


def _western(raw: bytes) -> str:
    """Decode bytes that are not UTF-8: every byte means something in Latin-1."""
    try:
        return raw.decode("cp1252")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _undecodable(source: Source, name: str, error: UnicodeError) -> InvalidDataError:
    """Build the error that names the line that cannot be decoded."""
    start = error.start if isinstance(error, UnicodeDecodeError) else 0
    line = source.raw[:start].decode(name, "replace").count("\n") + 1
    if b"\0" in source.raw and name == "utf-8":
        return _binary(source.label, line)
    return InvalidDataError(f"{source.label} is not {name}: line {line} cannot be decoded.")


def _binary(label: str, line: int) -> InvalidDataError:
    """Build the error for what is no text."""
    return InvalidDataError(
        f"{label} is a binary file, not a table of text: line {line} holds bytes that no text has."
    )
