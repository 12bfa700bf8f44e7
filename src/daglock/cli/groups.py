"""``--groups``: a column that tells which rows belong together, and is no variable."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.wording import plural

if TYPE_CHECKING:
    from daglock.table import Table


def refuse_groups(options: Namespace) -> None:
    """Raise where there are no rows that groups could be of."""
    if options.groups is not None:
        raise InvalidParameterError(
            f"--groups {options.groups} is about rows, and a covariance has none: leave it out."
        )


def with_groups(options: Namespace, table: Table) -> Table:
    """Check the labels of the groups, before anything is learned, and say what they are."""
    if options.groups is None:
        return table
    import numpy as np

    values = table.aside[options.groups].values
    if values is None:  # dates, of which only that they are is kept
        reason = table.aside[options.groups].kind.reason
        raise InvalidDataError(
            f"--groups {options.groups}: {reason or 'this column holds no labels'}; give a column "
            "of numbers or text."
        )
    gaps = int(np.isnan(values).sum())
    if gaps:
        raise InvalidDataError(
            f"--groups {options.groups}: {plural(gaps, 'row')} "
            f"{'has' if gaps == 1 else 'have'} no label; fill in what is missing, a label of its "
            "own where a row belongs to no group."
        )
    found = len(np.unique(values))
    if found < 2:
        raise InvalidDataError(
            f"--groups {options.groups}: all rows have one label, so that there is nothing to draw "
            "from; leave the option out."
        )
    note = f"Rows with the same {options.groups} are drawn together: {plural(found, 'group')}."
    return replace(table, notes=(*table.notes, note))


def groups_of(options: Namespace, table: Table | None) -> Any:
    """Return the label of each row that was learned from; None without ``--groups``."""
    if options.groups is None or table is None:
        return None
    from daglock.table.policy import complete_rows

    return complete_rows(table, options.missing).aside[options.groups].values
