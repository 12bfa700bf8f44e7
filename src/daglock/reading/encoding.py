"""Text in UTF-8, whatever it was written in."""

from __future__ import annotations

import codecs

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.reading.source import Source

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD = 4096


def to_utf8(source: Source, encoding: str | None, notes: list[str]) -> bytes:
    """Return the text of a file as UTF-8 without a byte order mark.

    Without ``encoding``: by the mark; else UTF-16 if every second byte is zero; else UTF-8 if it
    is valid; else Windows-1252, of which Latin-1 is a part, with a note.
    """
    raw = source.raw
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
    text = text.removeprefix("\ufeff")  # left by codecs that name the byte order themselves
    return text.encode("utf-8", "replace")


def _by_first_bytes(raw: bytes) -> str:
    """Return the Unicode encoding that the first bytes show."""
    for mark, name in _MARKS:
        if raw.startswith(mark):
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
