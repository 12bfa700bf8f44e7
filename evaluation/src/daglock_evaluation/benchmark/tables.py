"""The tables of the benchmark: a case with all measures, and a family at one look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isinf

from daglock_evaluation.benchmark import runs
from daglock_evaluation.benchmark.runs import OURS, Mean, Record, Row
from daglock_evaluation.harness import numbers
from daglock_evaluation.harness.numbers import NOTHING, mean_text
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods import label_of

Cell = Callable[[Row], str]
# Columns of a table of cases that have nothing in common.
WIDTH = 4


def tables(records: Sequence[Record], *, brief: bool = False) -> list[Table]:
    """Return one table for each case, a method without a result as a row that says so.

    The brief ones have as many columns as a terminal has room for.
    """
    columns = _BRIEF if brief else _ALL
    cases = runs.by_case(runs.rows(records))
    return [_case_table(list(case.values()), columns) for case in cases]


def other_measures(case: Sequence[Row]) -> Table:
    """Return a table of what else was measured on a case, of the methods that have a result."""
    done = [row for row in case if row.n_ok]
    return _case_table(done, _OTHER, f"Other measures, {case[0].label}")


def _case_table(case: Sequence[Row], columns: Mapping[str, Cell], title: str = "") -> Table:
    """Return the table of a case, with a line for each method."""
    body = [[label_of(row.peer), *(cell(row) for cell in columns.values())] for row in case]
    lines = [["method", *columns], *body]
    if not case:
        return Table(title, lines)
    first, n = case[0], _n_graphs(case)
    what = "the DAG" if first.target == "dag" else "the equivalence class only"
    few = ' (fewer where "exact" says so)' if any(row.n_ok < n for row in case) else ""
    spread = "means ± half the 95 % t interval" if columns is _ALL else "means"
    note = (
        f"{numbers.plural(n, 'graph')}{few}; {spread}, medians of seconds and megabytes; the data "
        f"identify {what}."
    )
    if first.is_real:
        note = f"Real data; {numbers.plural(n, 'order')} of the columns."
    return Table(title or first.label, lines, note)


def _n_graphs(case: Sequence[Row]) -> int:
    """Return how many graphs of a case were drawn for any method."""
    return len({seed for row in case for seed in row.runs})


def time_cell(row: Row) -> str:
    """Return the median of the seconds; "> 60" when most runs were over the limit."""
    if row.seconds is not None and isinf(row.seconds) and row.time_limit is not None:
        return f"> {row.time_limit:g}"
    return numbers.seconds_text(row.seconds)


def _mean(found: Mean | None, write: Callable[[float | None], str] = mean_text) -> str:
    return write(found.value if found else None)


def _with_error(found: Mean | None) -> str:
    """Write a mean with half its interval, where there is one."""
    return _mean(found) + (f" ± {mean_text(found.half)}" if found and found.half else "")


def _ratio(row: Row) -> str:
    """Return the time in units of daglock's, on the seeds on which both came to an end."""
    times = runs.pair(row, row.beside[OURS]).medians(runs.SECONDS) if OURS in row.beside else None
    return numbers.ratio_text(times[0] / times[1] if times else None)


def _peak(row: Row) -> str:
    return numbers.megabytes_text(row.median("peak_mb"))


def _acyclic(row: Row) -> str:
    """Say in how many runs the result was acyclic, before the method's cut and after."""
    before, after = row.share("raw_is_dag"), row.share("is_dag")
    if after == NOTHING:
        return "class" if row.n_ok else NOTHING
    return after if before in (NOTHING, after) else f"{before} → {after}"


def _nonzeros(row: Row) -> str:
    """Return the mean number of non-zeros, before the method's cut and after."""
    before, after = row.mean("n_raw"), row.mean("n_edges")
    if before is None or after is None or before.value == after.value:
        return _mean(after)
    return f"{_mean(before)} → {_mean(after)}"


def _remark(row: Row) -> str:
    """Say what became of runs without a result, and of results without a class."""
    remarks = [row.outcomes] if row.outcomes else []
    cyclic = [not acyclic for acyclic in row.values("is_dag")]
    if any(cyclic):
        remarks.append(f"{numbers.share(cyclic)} with a cycle: no class")
    return "; ".join(remarks)


_ANSWER: dict[str, Cell] = {
    "F1": lambda row: _mean(row.mean("f1"), numbers.share_text),
    "exact": lambda row: row.share("exact"),
    "acyclic (raw → after cut)": _acyclic,
    "non-zeros (raw → after cut)": _nonzeros,
}
_ALL: dict[str, Cell] = {
    "SHD": lambda row: _with_error(row.mean("shd")),
    "CPDAG-SHD": lambda row: _with_error(row.mean("cpdag_shd")),
    **_ANSWER,
    "seconds": time_cell,
    f"time / {OURS}'s": _ratio,
    "peak MB": _peak,
    "remark": _remark,
}
_BRIEF: dict[str, Cell] = {
    "SHD": lambda row: _mean(row.mean("shd")),
    "CPDAG": lambda row: _mean(row.mean("cpdag_shd")),
    "exact": lambda row: row.share("exact"),
    "acyclic": lambda row: row.share("is_dag"),
    "seconds": time_cell,
    "ratio": _ratio,
    "MB": _peak,
    "remark": _remark,
}
_OTHER: dict[str, Cell] = {
    "largest distance": lambda row: numbers.count_text(row.main.most if row.main else None),
    **_ANSWER,
    "peak MB": _peak,
    "beyond data and package, MB": lambda row: numbers.megabytes_text(row.median("extra_mb")),
    "warm-up, s": lambda row: numbers.seconds_text(row.median("warm_up_seconds")),
    "remark": _remark,
}


def overview(found: Sequence[Row]) -> list[Table]:
    """Return the tables of one suite, methods as rows: its families, then its single cases.

    All distances are between classes; where the data identify the DAG, a second table has those
    between directed graphs, of the methods that return one.
    """
    made = []
    for group in runs.groups(found):
        columns = {
            f"{group.axis} = {numbers.count_text(size)}": group.at(size) for size in group.sizes
        }
        made += _both(f"{group.title}: ", columns)
        if group.axis == "d":
            # The largest size at which the most methods have a result.
            typical = max((group.at(size) for size in reversed(group.sizes)), key=_n_results)
            made.append(other_measures(typical))
    rest = runs.singles(found)
    # Width by width, so that the last table is not a column alone.
    n_tables = -(-len(rest) // WIDTH)
    for k in range(n_tables):
        part = rest[k * len(rest) // n_tables : (k + 1) * len(rest) // n_tables]
        made += _both("", {case[0].label: case for case in part})
    if rest:
        made.append(other_measures(max(rest, key=_n_results)))
    return made


def _both(title: str, columns: Mapping[str, Sequence[Row]]) -> list[Table]:
    """Return the table of classes and, where there is anything in it, that of directed graphs."""
    made = [Table(f"{title}CPDAG-SHD / seconds", *_body(columns))]
    directed = {name: [r for r in case if r.directed] for name, case in columns.items()}
    if any(directed.values()):
        lines, note = _body(directed, by_direction=True)
        made.append(Table(f"{title}SHD, of methods that return a DAG", lines, note))
    return made


def _cell(row: Row | None, n: int, *, by_direction: bool = False) -> str:
    """Return accuracy and time of a method, or why there is none.

    An accuracy that is not of all `n` graphs of the case has their number behind it.
    """
    if row is None:
        return NOTHING
    if not row.n_ok:
        return row.short
    distance = row.directed if by_direction else row.main
    time = "" if by_direction else f" / {time_cell(row)} s"
    if distance is None:
        return f"{'cyclic' if row.returns == 'dag' else 'no class'}{time}"
    some = f" ({distance.n} of {n})" if distance.n < n else ""
    return f"{_with_error(distance)}{time}{some}"


def _body(
    columns: Mapping[str, Sequence[Row]], *, by_direction: bool = False
) -> tuple[list[list[str]], str]:
    """Return the lines of a table and the note below it."""
    cases = [({row.peer: row for row in case}, _n_graphs(case)) for case in columns.values()]
    lines = [["method", *columns]]
    for peer in dict.fromkeys(row.peer for case in columns.values() for row in case):
        mine = [_cell(case.get(peer), n, by_direction=by_direction) for case, n in cases]
        lines.append([label_of(peer), *mine])
    cells = [cell for line in lines[1:] for cell in line[1:]]
    notes = {
        "(2 of 3): the mean is over 2 graphs of the 3 that others have.": any(
            " of " in cell for cell in cells
        ),
        "Not run: over a limit on a smaller case of the family.": "not run" in cells,
        f"{NOTHING}: not tried.": not by_direction and NOTHING in cells,
        "Cyclic: the result has a cycle and so no class.": any(
            cell.startswith("cyclic") for cell in cells
        ),
        "No class: directions that hold whatever is hidden are all that it returns.": any(
            cell.startswith("no class") for cell in cells
        ),
    }
    return lines, " ".join(note for note, applies in notes.items() if applies)


def _n_results(case: Sequence[Row]) -> int:
    return sum(row.n_ok > 0 for row in case)
