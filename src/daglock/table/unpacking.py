"""What Arrow files say that their batches unpack to, read before anything is unpacked.

A batch is a message: a head, which is a flatbuffer, and a body, which is its buffers one after the
other. Where they are packed each begins with the length that it unpacks to (int64, little endian;
-1 where it is not packed after all). A file lists its messages at its end, a stream has one after
the other. See "Encapsulated message format" and "IPC File Format" of Arrow's specification.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

# Of the field `header_type` of a message.
_DICTIONARY, _RECORDS = 2, 3
_FILE_END = b"ARROW1"
_GOES_ON = 0xFFFFFFFF


@dataclass(frozen=True)
class Fields:
    """A table of a flatbuffer: its fields by their number."""

    raw: memoryview
    at: int

    @classmethod
    def root(cls, raw: memoryview) -> Fields:
        """Return the table that a flatbuffer begins with."""
        return cls(raw, _number("<I", raw, 0))

    def place(self, field: int) -> int | None:
        """Return where a field is; None where it is not there."""
        known = self.at - _number("<i", self.raw, self.at)
        at = 4 + 2 * field
        offset = _number("<H", self.raw, known + at) if at < _number("<H", self.raw, known) else 0
        return self.at + offset if offset else None

    def number(self, field: int, form: str) -> int:
        """Return a number, 0 where it is not there."""
        place = self.place(field)
        return 0 if place is None else _number(form, self.raw, place)

    def table(self, field: int) -> Fields | None:
        """Return a table within this one."""
        place = self.place(field)
        return None if place is None else Fields(self.raw, self._pointed(place))

    def structures(self, field: int, form: str) -> Iterator[tuple[int, ...]]:
        """Iterate over a list of numbers that belong together."""
        place = self.place(field)
        if place is not None:
            at = self._pointed(place)
            size, count = struct.calcsize(form), _number("<I", self.raw, at)
            if at + 4 + size * count > len(self.raw):
                raise ValueError("a list is longer than the file")
            yield from struct.iter_unpack(form, self.raw[at + 4 : at + 4 + size * count])

    def _pointed(self, place: int) -> int:
        """Return where a field points to."""
        return place + _number("<I", self.raw, place)


def unpacked_size(raw: bytes, *, is_file: bool) -> int:
    """Return the bytes that all batches of an Arrow file or stream unpack to, as they say.

    Raises
    ------
    ValueError
        What it says cannot be.

    Examples
    --------
    >>> import pyarrow as pa
    >>> sink = pa.BufferOutputStream()
    >>> table = pa.table({"a": [0.0] * 5000})
    >>> options = pa.ipc.IpcWriteOptions(compression="zstd")
    >>> with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
    ...     writer.write_table(table)
    >>> packed = sink.getvalue().to_pybytes()
    >>> len(packed) < 1000, unpacked_size(packed, is_file=False)
    (True, 40000)
    """
    view = memoryview(raw)
    try:
        places = _listed(view) if is_file else _one_by_one(view)
        return sum(_unpacked(view, at) for at in places)
    except struct.error as error:
        raise ValueError("it ends too early") from error


def _listed(raw: memoryview) -> Iterator[int]:
    """Yield where the messages of a file begin, as its end says."""
    end = len(raw) - len(_FILE_END) - 4
    if bytes(raw[end + 4 :]) != _FILE_END:
        raise ValueError("it does not end as an Arrow file does")
    footer = Fields.root(raw[end - _number("<i", raw, end) : end])
    for field in (2, 3):  # dictionaries, batches: where, bytes of the head and of the body
        for place, _, _ in footer.structures(field, "<qi4xq"):
            yield place


def _one_by_one(raw: memoryview) -> Iterator[int]:
    """Yield where the messages of a stream begin."""
    at = 0
    while at + 8 <= len(raw) and (head := _head(raw, at))[1]:
        yield at
        begin, size = head
        message = Fields.root(raw[begin : begin + size])
        at = begin + size + message.number(3, "<q")
        if at <= begin:
            raise ValueError("a message has no end")


def _head(raw: memoryview, at: int) -> tuple[int, int]:
    """Return where the head of a message begins, and its bytes; old ones have no mark before."""
    first = _number("<I", raw, at)
    return (at + 8, _number("<i", raw, at + 4)) if first == _GOES_ON else (at + 4, first)


def _unpacked(raw: memoryview, at: int) -> int:
    """Return the bytes that a message unpacks to."""
    begin, size = _head(raw, at)
    message = Fields.root(raw[begin : begin + size])
    batch = message.table(2)
    kind = message.number(1, "<B")
    if kind == _DICTIONARY and batch is not None:
        batch = batch.table(1)
    if kind not in (_DICTIONARY, _RECORDS) or batch is None:
        return 0
    packed, total = batch.place(3) is not None, 0
    for offset, length in batch.structures(2, "<qq"):
        if length < 0 or offset < 0:
            raise ValueError("a buffer has a negative length")
        said = _number("<q", raw, begin + size + offset) if packed and length >= 8 else -1
        if said < -1:
            raise ValueError("a buffer unpacks to a negative length")
        total += length if said == -1 else said
    return total


def _number(form: str, raw: memoryview, at: int) -> int:
    """Return a number."""
    if at < 0:
        raise ValueError("a place is before the beginning")
    return int(struct.unpack_from(form, raw, at)[0])
