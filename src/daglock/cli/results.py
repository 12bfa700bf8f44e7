"""Where results may be written: never over something else; what a folder of results holds."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any

from daglock.cli.command import OutputError

GRAPH = "graph.json"
MODEL = "model.npz"
REPORT = "report.html"
EDGES = "edges.csv"
PICTURE = "graph.svg"
BOOTSTRAP = "bootstrap.csv"
# What a folder holds that `daglock learn` wrote; other files in it are the user's. The last is what
# the table of edges was once called.
OURS = (GRAPH, MODEL, REPORT, EDGES, PICTURE, BOOTSTRAP, "weights.csv")
FORMAT = "daglock graph"


def require_free(folder: Path, *, force: bool, command: str = "") -> None:
    """Raise unless results can be put here; to be asked before the work begins.

    Only a folder that daglock wrote is replaced, and only by force, or by the command that wrote
    it and did not finish.
    """
    if os.path.lexists(folder) and not _is_empty(folder):
        known = {} if folder.is_symlink() else read_document(folder)
        if not known:
            raise OutputError(
                f"{str(folder)!r} exists and is no result of daglock: choose another --out."
            )
        finished = known.get("complete", True)
        if not force and (finished or not _same_command(command, known.get("command"))):
            again = "" if finished else "finish them with the command that began them, "
            raise OutputError(
                f"{str(folder)!r} has results already: {again}replace them with --force, or "
                "choose another --out."
            )
    require_writable(folder.parent)


def _same_command(typed: str, before: object) -> bool:
    """Whether a command line is that of a result, by force or not."""
    return typed.replace(" --force", "") == str(before).replace(" --force", "")


def require_writable(folder: Path) -> None:
    """Raise unless files can be made in a folder, or in the one that it can be made in."""
    folder = folder.absolute()
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        raise OutputError(f"{str(folder)!r} is not a folder: choose another --out.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"{str(folder)!r} cannot be written to: choose another --out.")


def read_document(folder: Path) -> dict[str, Any]:
    """Return what graph.json says; nothing where daglock did not write this folder."""
    try:
        content = json.loads((folder / GRAPH).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) and content.get("format") == FORMAT else {}


def _is_empty(folder: Path) -> bool:
    """Whether this is a folder with nothing in it."""
    return folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir())


def new_file(path: Path, *, force: bool) -> Path:
    """Return the path of a file that may be written; refuse one that exists."""
    if path.is_dir():
        raise OutputError(f"{str(path)!r} is a folder: name a file.")
    if os.path.lexists(path) and not force:
        raise OutputError(f"{str(path)!r} exists already: replace it with --force.")
    require_writable(path.parent)
    return path


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all, in UTF-8, its line ends as they are."""
    from daglock._files import replacing

    with may_fail(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write_bytes(text.encode())


@contextmanager
def may_fail(path: Path) -> Iterator[None]:
    """Turn an error of the system into a sentence about what could not be written."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"{str(path)!r} cannot be written: {error.strerror or error}.") from error


def folder_name(data: str) -> str:
    """Return the default folder for the results of a file.

    Examples
    --------
    >>> [folder_name(data) for data in ("a/cells.csv.gz", "x.parquet", "v1.2.data", "-")]
    ['cells.daglock', 'x.daglock', 'v1.2.data.daglock', 'stdin.daglock']
    >>> [folder_name(data) for data in ("/dev/stdin", "/dev/fd/63")]
    ['stdin.daglock', 'pipe.daglock']
    >>> [folder_name(data) for data in ("a/events/*.parquet", "a/events/", "*.csv")]
    ['events.daglock', 'events.daglock', 'data.daglock']
    """
    return f"{'stdin' if data == '-' else stem_of(data)}.daglock"


def stem_of(data: str) -> str:
    """Return the name of a file without what tells its format."""
    from daglock.table.file import ENDINGS

    if data == "-":
        return "Standard input"
    if data.startswith("/dev/fd/"):  # the shell has chosen the number
        return "pipe"
    if glob.has_magic(data) and not Path(data).exists():  # the folder that the files are in
        plain = list(takewhile(lambda part: not glob.has_magic(part), Path(data).parts))
        return plain[-1] if plain and plain[-1] not in ("..", os.sep) else "data"
    name = Path(data).name.removesuffix(".gz")
    ending = Path(name).suffix
    if ending.lower() in ENDINGS:
        name = name.removesuffix(ending)
    return name or "data"


def name_of(data: str) -> str:
    """Return how messages call the data that a user named.

    Examples
    --------
    >>> [name_of(data) for data in ("a/cells.csv", "/dev/fd/63", "-")]
    ['cells.csv', '/dev/fd/63', 'standard input']
    """
    from daglock.table.source import is_descriptor

    if data == "-":
        return "standard input"
    return data if is_descriptor(data) else Path(data).name
