"""Files of knowledge: YAML, JSON, or the format of Tetrad, told by how they begin.

The format of Tetrad is ::

    /knowledge
    addtemporal
    1* Chord Velocity        tiers by number; a star forbids edges within the tier
    2  Pressure
    forbiddirect             a pair a line, the cause first
    Pressure Chord
    requiredirect
    forbiddengroup           two lines a group: each of the first line to each of the second
    requiredgroup

Tiers are times: what Tetrad forbids as an edge from later to earlier, `Knowledge.tiers` forbids
as a path as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from daglock.errors import InvalidParameterError
from daglock.table.noted import parse_note, read_note

_TIERS = "addtemporal"
_PAIRS = {
    "forbiddirect": "forbidden",
    "requiredirect": "required",
    "forbiddengroup": "forbidden",
    "requiredgroup": "required",
}
_WORD = re.compile(r'"([^"]*)"|([^\s,"]+)')
# Older versions write pairs and groups in one line.
_ARROW = re.compile(r"-->|==>|->")


def read_parts(path: Path, what: str = "knowledge") -> Any:
    """Return what a file says; nothing where it is empty or all in comments."""
    text = read_note(path, what)
    if is_tetrad(text):
        try:
            return parse_tetrad(text)
        except InvalidParameterError as error:
            raise InvalidParameterError(f"In {path}: {error}") from error
    content = parse_note(path, text, what)
    return {} if content is None else content


def is_tetrad_file(path: Path) -> bool:
    """Whether a file is knowledge as Tetrad writes it."""
    return is_tetrad(read_note(path, "knowledge"))


def is_tetrad(text: str) -> bool:
    r"""Whether a text begins as Tetrad's knowledge does.

    Examples
    --------
    >>> is_tetrad("/knowledge\naddtemporal\n"), is_tetrad("roots: [age]")
    (True, False)
    """
    first = next((line.lower() for _, line in _lines(text)), "")
    return first in ("/knowledge", _TIERS, *_PAIRS)


def parse_tetrad(text: str) -> dict[str, list[Any]]:
    r"""Return the parts of `Knowledge` that a text in Tetrad's format says.

    Examples
    --------
    >>> parse_tetrad("/knowledge\naddtemporal\n1* a b\n2 c\nrequiredirect\na c")["tiers"]
    [['a', 'b'], ['c']]
    """
    tiers: dict[int, list[str]] = {}
    parts: dict[str, list[tuple[str, str]]] = {"forbidden": [], "required": []}
    within: set[int] = set()
    section, waiting = "", ""
    for number, line in _lines(text):
        if line.lower() in ("/knowledge", _TIERS, *_PAIRS):
            if waiting:
                break
            section = line.lower()
        elif section == _TIERS:
            first, *names = _words(line) or [line]
            tier = re.fullmatch(r"(\d+)(\*?)", first)
            if tier is None:
                raise _wrong(number, line, "does not begin with the number of its tier")
            tiers.setdefault(int(tier[1]), []).extend(names)
            if tier[2]:
                within.add(int(tier[1]))
        elif section.endswith("group") and not waiting and not _ARROW.search(line):
            waiting = line  # the effects are in the next line
        elif section in _PAIRS:
            ends = [waiting, line] if waiting else _ARROW.split(line)
            if len(ends) == 1 and len(_words(line)) == 2:
                ends = [f'"{name}"' for name in _words(line)]
            if len(ends) != 2 or not all(map(_words, ends)):
                raise _wrong(number, line, "is not a cause and an effect")
            parts[_PAIRS[section]] += product(_words(ends[0]), _words(ends[1]))
            waiting = ""
        else:
            where = f"stands before {_TIERS}, {', '.join(_PAIRS)}"
            raise _wrong(number, line, where)
    if waiting:
        raise InvalidParameterError(f"The group {waiting!r} has no line with its effects.")
    for tier_number in sorted(within):
        both = product(tiers[tier_number], repeat=2)
        parts["forbidden"] += [(a, b) for a, b in both if a != b or "*" in a]
    return {"tiers": [tiers[k] for k in sorted(tiers) if tiers[k]], **parts}


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Iterate over the lines that say something, with their numbers."""
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith(("//", "#")):
            yield number, stripped


def _words(text: str) -> list[str]:
    """Return the names of a line; one with blanks stands in quotes."""
    return [quoted or plain for quoted, plain in _WORD.findall(text)]


def _wrong(number: int, line: str, what: str) -> InvalidParameterError:
    """Build the error about a line that Tetrad would not write."""
    return InvalidParameterError(f"Line {number}, {line!r}, {what}.")
