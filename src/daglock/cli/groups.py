"""``--groups`` and ``--blocks``: which rows belong together, by a column or as neighbours."""

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
    for name in ("groups", "blocks"):
        value = getattr(options, name)
        if value is not None:
            raise InvalidParameterError(
                f"--{name} {value} is about rows, and a covariance has none: leave it out."
            )


def with_groups(options: Namespace, table: Table) -> Table:
    """Check the groups or blocks, before anything is learned, and say what they are."""
    import numpy as np

    if options.blocks is not None:
        return _with_blocks(options, table)
    if options.groups is None:
        return table
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


def _with_blocks(options: Namespace, table: Table) -> Table:
    """Say how many blocks there are; refuse those that are no choice."""
    if options.groups is not None:
        raise InvalidParameterError(
            "--groups and --blocks both say which rows are drawn together: give one of them."
        )
    found = -(-len(table.data) // options.blocks)
    if found < 2:
        raise InvalidDataError(
            f"--blocks {options.blocks}: the table has {plural(len(table.data), 'row')}, one block "
            "at the most, so that there is nothing to draw from; give fewer rows a block."
        )
    note = (
        f"Blocks of {plural(options.blocks, 'neighbouring row')} are drawn together, as they stand "
        f"in the table: {plural(found, 'block')}."
    )
    return replace(table, notes=(*table.notes, note))


def groups_of(options: Namespace, table: Table | None) -> Any:
    """Return the label of each row that was learned from; None where each is drawn by itself."""
    if table is None or (options.groups is None and options.blocks is None):
        return None
    import numpy as np

    from daglock.table.policy import complete_rows

    rows = complete_rows(table, options.missing)
    if options.blocks is not None:
        return np.arange(len(rows.data)) // options.blocks
    return rows.aside[options.groups].values
