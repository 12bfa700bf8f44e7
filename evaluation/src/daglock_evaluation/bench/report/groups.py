"""Cases that differ in one number only: what a curve and the columns of a table go over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from daglock_evaluation.bench.report.row import Row

Axis = Literal["d", "n"]


@dataclass(frozen=True)
class Group:
    """The rows of a family over the number of columns d, or over the number of rows n.

    Attributes
    ----------
    family, target : of all rows.
    axis : what differs.
    fixed : the value of the other.
    """

    family: str
    target: str
    axis: Axis
    fixed: int
    rows: tuple[Row, ...]

    @property
    def title(self) -> str:
        """What the group is, in one line."""
        return f"{self.family}, {'n' if self.axis == 'd' else 'd'} = {self.fixed}"

    @property
    def sizes(self) -> list[int]:
        """The values of what differs, in their order."""
        return sorted({self.size(row) for row in self.rows})

    @property
    def peers(self) -> list[str]:
        """The methods, in the order of the rows."""
        return list(dict.fromkeys(row.peer for row in self.rows))

    def size(self, row: Row) -> int:
        """Return the value of what differs."""
        return row.d if self.axis == "d" else row.n

    def of(self, peer: str) -> dict[int, Row]:
        """Return the rows of a method by size, the small ones first."""
        mine = sorted((row for row in self.rows if row.peer == peer), key=self.size)
        return {self.size(row): row for row in mine}

    def at(self, size: int) -> list[Row]:
        """Return the rows of one size."""
        return [row for row in self.rows if self.size(row) == size]


def groups(found: Sequence[Row]) -> list[Group]:
    """Return the curves of one suite; a case may be on one over d and on one over n."""
    made: list[Group] = []
    for family in dict.fromkeys(row.family for row in found):
        mine = [row for row in found if row.family == family]
        for axis in ("d", "n"):
            made += _over(family, mine, "d" if axis == "d" else "n")
    return made


def singles(found: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of each case of one suite that is on no curve."""
    on_curves = {row.case for group in groups(found) for row in group.rows}
    cases: dict[str, list[Row]] = {}
    for row in found:
        if row.case not in on_curves:
            cases.setdefault(row.case, []).append(row)
    return list(cases.values())


def _over(family: str, mine: Sequence[Row], axis: Axis) -> list[Group]:
    """Return the groups of a family in which one number differs."""
    made = []
    others = dict.fromkeys(row.n if axis == "d" else row.d for row in mine)
    for fixed in others:
        rows = tuple(row for row in mine if (row.n if axis == "d" else row.d) == fixed)
        group = Group(family, rows[0].target, axis, fixed, rows)
        if len(group.sizes) > 1:
            made.append(group)
    return made
