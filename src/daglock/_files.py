"""Files that are written whole or not at all, and rows as CSV."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary file beside ``path`` that takes its place when all went well.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "a.txt") as file:
    ...         _ = file.write_text("whole")
    ...     (Path(folder) / "a.txt").read_text()
    'whole'
    """
    path = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        mask = os.umask(0)  # a temporary file is for its owner alone; the result is a usual one
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    r"""Return rows as CSV in which only numbers stand without quotes: names stay names.

    Examples
    --------
    >>> csv_text([["name", "size"], ["7", 0.5]])
    '"name","size"\n"7",0.5\n'
    """
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC).writerows(rows)
    return text.getvalue()
