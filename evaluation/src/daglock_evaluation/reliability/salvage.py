"""What readers make of files with one fault each, held against what is true.

Each reader is a process of its own, which is started again behind a file that ends it. What is read
is right; or right but for lines and names that a note of the reader names; or a cell that should be
a number is text, which a user will meet; or it is wrong, and nothing says so.

``python -m daglock_evaluation.reliability.salvage [--rows 60] [--reader NAME] [--show OUTCOME]``
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from daglock_evaluation.harness.tables import markdown_rows
from daglock_evaluation.reliability.polluting import ROWS, Polluted, Truth, polluted
from daglock_evaluation.reliability.readers import READERS

RIGHT, SAID, TEXT = "right", "right but for what it says", "numbers left as text"
WRONG, REFUSED, CRASHED = "silently wrong", "refused", "crashed"
OUTCOMES = (RIGHT, SAID, TEXT, WRONG, REFUSED, CRASHED)
# How daglock says that it has doubts about the names.
_BARE, _ENCODING = "No header was found", "give --encoding"
# Seconds without a word after which a reader counts as crashed.
_PATIENCE = 120.0


class Ended(NamedTuple):
    """How a reader ended on a file, and what it said."""

    file: Polluted
    outcome: str
    said: str


def judge(answer: dict[str, Any], truth: Truth | None) -> str:
    """Return which of `OUTCOMES` an answer of a reader is.

    Examples
    --------
    >>> truth = Truth((("a",), ("b",)), ((1.0, 2.0), (3.0, None)), (2, 3))
    >>> read = {"names": ["a", "b"], "rows": [["1", 2.0], [3.0, None]], "notes": []}
    >>> judge(read, truth), judge({**read, "rows": [[1.0, 2.0]]}, truth)
    ('right', 'silently wrong')
    >>> judge({**read, "rows": [[1.0, 2.0]], "notes": ["Left out: 1 line: 3."]}, truth)
    'right but for what it says'
    """
    if "names" not in answer:
        return REFUSED if "refused" in answer else CRASHED
    names, rows, notes = answer["names"], answer["rows"], " ".join(answer["notes"])
    if truth is None:
        return WRONG if rows else RIGHT
    found = [tuple(map(_number, row)) for row in rows]
    wanted = list(truth.rows)
    said = False
    bare = _BARE in notes  # the first row may name the columns, and the reader says so
    if truth.names:
        if len(names) != len(truth.names):
            return WRONG
        for name, known in zip(names, truth.names, strict=True):
            if name.strip() not in known:
                if not bare and _ENCODING not in notes and repr(name) not in notes:
                    return WRONG
                said = True
    lines = list(map(int, re.findall(r"\d+", notes)))
    text = False
    for kind, i, j, k, m in SequenceMatcher(None, wanted, found, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        named = j > i and all(line in lines for line in truth.lines[i:j])
        if named or (kind == "insert" and _says(notes, truth.lines[i - 1 : i], bare=bare)):
            said = True
        elif j - i == m - k and all(map(_is_text, wanted[i:j], found[k:m])):
            text = True
        else:
            return WRONG
    if text:
        return TEXT
    return SAID if said else RIGHT


def _says(notes: str, above: tuple[int, ...], *, bare: bool) -> bool:
    """Whether rows that are none are said: a header taken as one, or what stands below a line."""
    return bare if not above else f"a blank line (line {above[0] + 1})" in notes


def _number(cell: Any) -> Any:
    """Return a cell as a number where it is or says one; None for no value."""
    if isinstance(cell, str):
        if cell.strip() in ("", "NA", "NULL", "nan"):
            return None
        try:
            return float(cell)
        except ValueError:
            return cell
    return None if cell is None else float(cell)


def _is_text(wanted: Sequence[Any], found: Sequence[Any]) -> bool:
    """Whether a row differs in cells that are text alone."""
    if len(wanted) != len(found):
        return False
    return all(a == b or isinstance(b, str) for a, b in zip(wanted, found, strict=True))


def attempt(reader: str, files: Sequence[Polluted]) -> list[Ended] | None:
    """Return how a reader ended on files; None where its package is not installed."""
    ended: list[Ended] = []
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for k, file in enumerate(files):
            path = Path(folder, str(k), file.name)
            path.parent.mkdir()
            path.write_bytes(file.content)
            paths.append(str(path))
        while len(ended) < len(files):
            at = len(ended)
            for answer in _answers(reader, paths[at:]):
                if answer.get("missing"):
                    return None
                file = files[len(ended)]
                said = answer.get("refused") or " ".join(answer.get("notes", ()))
                ended.append(Ended(file, judge(answer, file.truth), said))
            if len(ended) < len(files):  # the process did not come past this one
                ended.append(Ended(files[len(ended)], CRASHED, "the process ended"))
    return ended


def _command(reader: str) -> list[str]:
    """Return what Python is to run."""
    return ["-m", "daglock_evaluation.reliability.readers", reader]


def _answers(reader: str, paths: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield what a process says of files, as long as it lives."""
    command = [sys.executable, *_command(reader)]
    with tempfile.TemporaryFile("w+") as out:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.DEVNULL, text=True
        ) as process:
            try:
                process.communicate("\0".join(paths), timeout=_PATIENCE + len(paths))
            except subprocess.TimeoutExpired:
                process.kill()
        out.seek(0)
        for line in out:
            if line.endswith("\n"):
                yield json.loads(line)


def table(ended: dict[str, list[Ended]]) -> str:
    """Return how many files ended how, reader by reader, as a table."""
    rows: list[tuple[str, ...]] = [("reader", *OUTCOMES)]
    for reader, mine in ended.items():
        counts = Counter(one.outcome for one in mine)
        rows.append((reader, *(f"{counts[outcome]:,}" for outcome in OUTCOMES)))
    return markdown_rows(rows)


def table_by_fault(ended: dict[str, list[Ended]]) -> str:
    """Return how many files of each fault were read (right, or but for what is said) and wrong."""
    faults = Counter(one.file.fault for one in next(iter(ended.values())))
    rows: list[tuple[str, ...]] = [("fault", "files", *ended)]
    for fault, files in faults.items():
        cells = []
        for mine in ended.values():
            counts = Counter(one.outcome for one in mine if one.file.fault == fault)
            wrong = f", {counts[WRONG]:,} wrong" if counts[WRONG] else ""
            cells.append(f"{counts[RIGHT] + counts[SAID]:,}{wrong}")
        rows.append((fault, f"{files:,}", *cells))
    return markdown_rows(rows)


def versions() -> str:
    """Return which versions of others read the files."""
    found = []
    for package in ("pandas", "duckdb", "polars", "pyarrow"):
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return ", ".join(found)


def salvage(rows: int = ROWS, readers: Sequence[str] = tuple(READERS)) -> dict[str, list[Ended]]:
    """Return how readers ended on all files, those that are installed."""
    files = list(polluted(rows))
    tried = {reader: attempt(reader, files) for reader in readers}
    return {reader: ended for reader, ended in tried.items() if ended is not None}


def in_words(ended: dict[str, list[Ended]]) -> str:
    """Return what is said of it in docs/reliability.md."""
    files = len(next(iter(ended.values())))
    return f"""\
{files:,} files, each the same table of numbers with one fault, of the kinds of Pollock (Vitagliano
et al., "Pollock: A Data Loading Benchmark", VLDB 2023), those of single lines at every line and
every place in it; the files of that benchmark are of text and are not used. Held against the true
table, what was read is right; right but for lines and names that a note names; right but for
numbers that stay text, which a user meets later; or wrong, in numbers, rows or names, and nothing
says so. Refused is any error; others may raise what they like, of daglock all but its own errors is
a crash.

{table(ended)}

Read (right, or but for what is said), fault by fault:

{table_by_fault(ended)}

({versions()})
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Read all files by all readers; return 1 where daglock is silently wrong or crashed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=ROWS, help=f"of the clean table ({ROWS})")
    parser.add_argument("--reader", choices=READERS, action="append", help="(all)")
    parser.add_argument("--show", choices=OUTCOMES, help="files of this outcome, and what was said")
    options = parser.parse_args(arguments)
    ended = salvage(options.rows, options.reader or tuple(READERS))
    if options.show:
        for reader, mine in ended.items():
            for one in mine:
                if one.outcome == options.show:
                    print(f"{reader}: {one.file.fault}: {one.file.name}: {one.said}")
    print(f"{len(next(iter(ended.values()))):,} files\n\n{table(ended)}\n\n{table_by_fault(ended)}")
    return int(any(failures(ended)))


def failures(ended: dict[str, list[Ended]]) -> list[str]:
    """Return a sentence for each file on which daglock was silently wrong, or crashed."""
    return [
        f"{reader}, {one.file.fault}, {one.file.name}: {one.outcome}"
        for reader, mine in ended.items()
        for one in mine
        if reader.startswith("daglock") and one.outcome in (WRONG, TEXT, CRASHED)
    ]


if __name__ == "__main__":
    sys.exit(main())
