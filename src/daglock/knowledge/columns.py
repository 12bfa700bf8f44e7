"""Names and patterns of knowledge, found among the columns of a table.

A ``*`` stands for any letters, or none: ``gene_*``. A column that is called so is meant by its
name, whatever signs are in it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TypeAlias

from daglock.errors import InvalidParameterError
from daglock.wording import default_names, listed

Name: TypeAlias = str | int
# All that no other name or pattern of the same tiers means.
REST = "*"
_MOST = 8


@dataclass
class Columns:
    """The columns of a table by name; what is not found is remembered."""

    names: Sequence[str]
    unknown: list[tuple[Name, str]] = field(default_factory=list)  # each with its part

    def __post_init__(self) -> None:
        self._position = {name: v for v, name in enumerate(self.names)}
        self._unnamed = tuple(self.names) == default_names(len(self.names))

    def is_pattern(self, name: Name) -> bool:
        """Whether this stands for any number of columns."""
        return isinstance(name, str) and "*" in name and name not in self._position

    def find(self, name: Name, part: str) -> list[int]:
        """Return the columns that are meant; none where that is unknown."""
        if str(name) in self._position:
            return [self._position[str(name)]]
        if self._unnamed and str(name).isdecimal() and int(name) < len(self.names):
            return [int(name)]
        found = []
        if self.is_pattern(name):
            fits = re.compile(".*".join(map(re.escape, str(name).split("*"))), re.DOTALL)
            found = [v for v, column in enumerate(self.names) if fits.fullmatch(column)]
        if not found and (name, part) not in self.unknown:
            self.unknown.append((name, part))
        return found

    def require_known(self) -> None:
        """Raise the error that names everything that is not among the columns, if anything is."""
        if not self.unknown:
            return
        if len(self.unknown) == 1:
            name, part = self.unknown[0]
            what = "which fits no column" if self.is_pattern(name) else "which is not a column"
            said = f"{part} names {name!r}, {what}: {self._meant(name)}"
        else:
            shown = (
                f"{name!r} in {part}{f' ({meant[:-1]})' if (meant := self._meant(name)) else ''}"
                for name, part in self.unknown
            )
            said = f"These are not columns: {listed(shown, _MOST, of=len(self.unknown))}. "
        raise InvalidParameterError(f"{said}The columns are {listed(self.names, _MOST)}.")

    def _meant(self, name: Name) -> str:
        """Suggest what was meant, if anything is close."""
        close = closest(str(name), self.names)
        return "" if close is None else f"did you mean {close!r}? "


def closest(name: str, columns: Collection[str]) -> str | None:
    """Return the column, or the pattern of some columns, that is most like a name that fits none.

    Examples
    --------
    >>> closest("Agee", ["age", "bmi"]), closest("gnee_*", ["gene_1", "gene_2", "age"])
    ('age', 'gene_*')
    """
    star = ""
    if name.endswith("*") and "*" not in name[:-1]:
        name, star = name[:-1], "*"
        columns = {column[: len(name)] for column in columns}
    by_lower = {column.lower(): column for column in columns}
    close = get_close_matches(name.lower(), by_lower, n=1)
    # an abbreviation is close too: Len for Length
    short = [column for column in by_lower if len(name) > 1 and column.startswith(name.lower())]
    found = [*close, *short]
    return f"{by_lower[found[0]]}{star}" if found else None
