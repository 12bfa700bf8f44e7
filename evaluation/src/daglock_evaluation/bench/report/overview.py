"""Methods as rows, sizes as columns: how good and how fast, at one look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daglock_evaluation.bench.report import words
from daglock_evaluation.bench.report.groups import Group, groups, singles
from daglock_evaluation.bench.report.row import Mean, Row
from daglock_evaluation.bench.report.summary import other_measures, time_cell
from daglock_evaluation.publish.tables import Table

# Columns of a table of cases that have nothing in common.
WIDTH = 4
# Mark of a distance to the class where the others are distances to the DAG.
MARK = "ᶜ"


def overview(found: Sequence[Row], reference: str = "daglock") -> list[Table]:
    """Return the tables of one suite: its families, then its single cases."""
    made = []
    for group in groups(found):
        made.append(family_table(group, reference))
        if group.axis == "d":
            made.append(other_measures(typical(group)))
    rest = singles(found)
    # Width by width, so that the last table is not a column alone.
    n_tables = -(-len(rest) // WIDTH)
    for k in range(n_tables):
        part = rest[k * len(rest) // n_tables : (k + 1) * len(rest) // n_tables]
        made.append(singles_table(part, reference))
    if rest:
        made.append(other_measures(max(rest, key=_n_results)))
    return made


def family_table(group: Group, reference: str) -> Table:
    """Return the table of a family: mean main measure and median seconds in each cell."""
    columns = {f"{group.axis} = {words.count_text(size)}": group.at(size) for size in group.sizes}
    measure = "SHD" if group.target == "dag" else "CPDAG-SHD"
    title = f"{group.title}: mean {measure} / median seconds"
    return Table(title, *_body(columns, reference))


def singles_table(cases: Sequence[Sequence[Row]], reference: str) -> Table:
    """Return a table of cases that have nothing in common."""
    columns = {
        f"{rows[0].label} ({'SHD' if rows[0].target == 'dag' else 'CPDAG-SHD'})": rows
        for rows in cases
    }
    return Table("Mean distance / median seconds", *_body(columns, reference))


def typical(group: Group) -> list[Row]:
    """Return the rows of the largest size at which the most methods have a result."""
    return max((group.at(size) for size in reversed(group.sizes)), key=_n_results)


def cell(row: Row | None) -> str:
    """Return accuracy and time of a method, or why there is none.

    An accuracy of which only some runs tell has their number behind it.
    """
    if row is None:
        return words.NOTHING
    if not row.n_ok:
        return row.short
    mark = MARK if row.target == "dag" and row.measure == "cpdag_shd" else ""
    return _cell(row, row.main, mark)


def _cell(row: Row, distance: Mean | None, mark: str) -> str:
    accuracy = "cyclic" if distance is None else f"{words.mean_text(distance.value)}{mark}"
    n = 0 if distance is None else distance.n
    some = f" ({n} of {row.n_runs})" if distance is not None and n < row.n_runs else ""
    return f"{accuracy} / {time_cell(row)} s{some}"


def _body(columns: Mapping[str, Sequence[Row]], reference: str) -> tuple[list[list[str]], str]:
    """Return the lines of a table and the note below it."""
    peers = dict.fromkeys(row.peer for rows in columns.values() for row in rows)
    lines = [["method", *columns]]
    marked = any(MARK in cell(row) for rows in columns.values() for row in rows)
    for peer in peers:
        mine = [_of(rows, peer) for rows in columns.values()]
        lines.append([words.label_of(peer), *map(cell, mine)])
        if peer == reference and marked:
            lines.append([f"{words.label_of(peer)}, as a class", *map(_as_class, mine)])
    notes = []
    if marked:
        notes.append(
            f"{MARK} CPDAG-SHD, of methods that return an equivalence class and of daglock's class."
        )
    everything = [cell for line in lines[1:] for cell in line[1:]]
    if any(" of " in text for text in everything):
        notes.append("(2 of 3): the mean is over the runs that have a result.")
    if "not run" in everything:
        notes.append("Not run: over a limit on a smaller case of the family.")
    if any(text.startswith("cyclic") for text in everything):
        notes.append("Cyclic: the result has a cycle and so no class.")
    return lines, " ".join(notes)


def _of(rows: Sequence[Row], peer: str) -> Row | None:
    return next((row for row in rows if row.peer == peer), None)


def _as_class(row: Row | None) -> str:
    """Return the accuracy of a DAG as a class, where that is not its main measure."""
    if row is None or not row.n_ok or row.measure == "cpdag_shd":
        return words.NOTHING
    return _cell(row, row.cpdag_shd, MARK)


def _n_results(rows: Sequence[Row]) -> int:
    return sum(row.n_ok > 0 for row in rows)
