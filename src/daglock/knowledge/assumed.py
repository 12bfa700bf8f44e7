"""What the names of columns say, as knowledge: a column such as age comes before all others."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from daglock.errors import InvalidParameterError
from daglock.knowledge.columns import Columns
from daglock.knowledge.masks import Masks
from daglock.knowledge.named import Knowledge
from daglock.knowledge.names import given_by_name
from daglock.typing import BoolArray, IntArray
from daglock.wording import in_brief, listed

# Of units, such as schools, a number called so is a share: what puts persons first does not.
_SHARES = ("sex", "race", "lot")


class Assumed(NamedTuple):
    """Columns that nothing in the table causes, as their names say.

    Attributes
    ----------
    columns : (g,) the columns.
    first : (g, d), whether column ``columns[k]`` comes before column j, and the name alone says so.
    """

    columns: IntArray
    first: BoolArray

    def before(self, i: IntArray, j: IntArray) -> BoolArray:
        """Return for pairs of columns whether i comes before j by its name alone."""
        place = np.full(self.first.shape[1], -1, dtype=np.intp)
        place[self.columns] = np.arange(len(self.columns))
        return np.asarray((place[i] >= 0) & self.first[place[i], j])


def given_columns(
    wanted: bool | Sequence[str],
    columns: Sequence[str],
    numbers: Collection[str],
    known: Knowledge | Masks | None,
    left_out: Collection[str] = (),
) -> list[str]:
    """Return the columns that come first by their names; those that the user placed do not count.

    Parameters
    ----------
    wanted : True for what is recognised, False for none, or the names that count.
    columns : names of the variables.
    numbers : those of them with many different values.
    known : what the user said.
    left_out : columns that are no variables, which ``wanted`` may name.

    Examples
    --------
    >>> given_columns(True, ["wage", "age", "sex"], ["wage", "age"], Knowledge(tiers="wage < age"))
    ['sex']
    """
    if isinstance(wanted, bool):
        kinds = {name: given_by_name(name) for name in columns} if wanted else {}
        found = [name for name, kind in kinds.items() if kind is not None]
        found = [n for n in found if n not in numbers or kinds[n] not in _SHARES]
    else:
        if isinstance(wanted, str) or not all(isinstance(name, str) for name in wanted):
            raise InvalidParameterError(
                f"names must be True, False or a list of columns; got {in_brief(wanted)}."
            )
        index = Columns(columns)
        asked = [name for name in wanted if name not in left_out]
        found = [columns[v] for name in asked for v in index.find(name, "names")]
        index.require_known()
    placed = _placed(known, columns)
    return [name for name in dict.fromkeys(found) if name not in placed]


def about_assumed(given: Sequence[str]) -> str:
    """Say in a line which names were used, and how to undo it; empty if none was.

    Examples
    --------
    >>> print(about_assumed(["age", "sex"]))
    Assumed from their names: nothing in the table causes age, sex. If that is wrong: --no-names, or
    --names with those that are right; in Python names=False or names=[...].
    """
    if not given:
        return ""
    its = "its name" if len(given) == 1 else "their names"
    return (
        f"Assumed from {its}: nothing in the table causes {listed(given)}. If that is wrong: "
        "--no-names, or --names with those that are right; in Python names=False or names=[...]."
    )


def with_names(masks: Masks | None, given: IntArray, d: int) -> tuple[Masks, Assumed]:
    """Return knowledge with the given columns first; the user's own order has precedence.

    Between two given columns names say nothing.
    """
    masks = Masks() if masks is None else masks
    before = np.zeros((d, d), dtype=np.bool_)
    before[given] = True
    before[:, given] = False
    if masks.before is not None:
        before[:, _ancestors(masks.before, given)] = False
    both = before if masks.before is None else before | masks.before
    first = before[given]
    if masks.allowed is not None:  # else the user told it
        first &= masks.allowed[:, given].T
    return Masks(masks.allowed, masks.required, both), Assumed(given, first)


def _ancestors(before: BoolArray, columns: IntArray) -> BoolArray:
    """Return which variables come before any of the columns, also by way of others."""
    found = before[:, columns].any(axis=1)
    while (more := before[:, found].any(axis=1) & ~found).any():
        found |= more
    return np.asarray(found)


def _placed(known: Knowledge | Masks | None, columns: Sequence[str]) -> frozenset[str]:
    """Return the columns that the user placed."""
    if isinstance(known, Knowledge):
        return known.placed(columns)
    if known is None or known.required is None:
        return frozenset()
    return frozenset(columns[j] for j in np.flatnonzero(known.required.any(axis=0)).tolist())
