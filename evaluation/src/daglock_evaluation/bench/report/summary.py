"""The summary of a case: a table of all methods with all measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isinf
from statistics import median

from daglock_evaluation.bench.records import Record
from daglock_evaluation.bench.report import words
from daglock_evaluation.bench.report.row import Mean, Row, by_case, case_key, rows
from daglock_evaluation.publish.tables import Table

__all__ = ["Row", "other_measures", "rows", "tables"]

Cell = Callable[[Row], str]
Seconds = dict[tuple[str, str, str], dict[int, float]]


def tables(records: Sequence[Record], *, reference: str = "daglock") -> list[Table]:
    """Return one table for each case, a method without a result as a row that says so."""
    seconds = seconds_by_seed(records)
    made = []
    for group in by_case(rows(records)):
        columns: dict[str, Cell] = {
            "SHD": lambda row: error_text(row.shd),
            "CPDAG-SHD": lambda row: error_text(row.cpdag_shd),
            **ANSWER,
            "seconds": time_cell,
            f"time / {words.label_of(reference)}'s": lambda row: words.ratio_text(
                time_ratio(row, reference, seconds)
            ),
            "peak MB": lambda row: words.megabytes_text(row.peak_mb),
            "remark": remark,
        }
        made.append(Table(group[0].label, lay_out(group, columns), note(group)))
    return made


def brief(records: Sequence[Record], *, reference: str = "daglock") -> list[Table]:
    """Return the tables with as many columns as a terminal has room for."""
    seconds = seconds_by_seed(records)
    columns: dict[str, Cell] = {
        "SHD": lambda row: words.mean_text(row.shd.value) if row.shd else words.NOTHING,
        "CPDAG": lambda row: (
            words.mean_text(row.cpdag_shd.value) if row.cpdag_shd else words.NOTHING
        ),
        "exact": lambda row: str(row.exact or words.NOTHING),
        "acyclic": lambda row: str(row.is_dag or words.NOTHING),
        "seconds": time_cell,
        "ratio": lambda row: words.ratio_text(time_ratio(row, reference, seconds)),
        "MB": lambda row: words.megabytes_text(row.peak_mb),
        "remark": remark,
    }
    groups = by_case(rows(records))
    return [Table(group[0].label, lay_out(group, columns), note(group)) for group in groups]


def other_measures(group: Sequence[Row]) -> Table:
    """Return a table of what else was measured on a case, of the methods that have a result."""
    columns = {
        "largest distance": lambda row: words.count_text(row.main.most if row.main else None),
        **ANSWER,
        "peak MB": lambda row: words.megabytes_text(row.peak_mb),
        "beyond data and package, MB": lambda row: words.megabytes_text(row.extra_mb),
        "warm-up, s": lambda row: words.seconds_text(row.warm_up_seconds),
        "remark": remark,
    }
    done = [row for row in group if row.n_ok]
    title = f"Other measures, {group[0].label}"
    return Table(title, lay_out(done, columns), note(done))


def lay_out(group: Iterable[Row], columns: dict[str, Cell]) -> list[list[str]]:
    """Return the head and a line for each method."""
    body = [[words.label_of(row.peer), *(cell(row) for cell in columns.values())] for row in group]
    return [["method", *columns], *body]


def note(group: Sequence[Row]) -> str:
    """Say what a table is of."""
    if not group:
        return ""
    what = "the DAG" if group[0].target == "dag" else "the equivalence class only"
    n = max(row.n_runs for row in group)
    if is_real(group[0]):
        return f"Real data; {words.plural(n, 'order')} of the columns."
    return f"{words.plural(n, 'graph')}, means ± standard error; the data identify {what}."


def is_real(row: Row) -> bool:
    """Whether the seeds give one and the same data, in another order of the columns."""
    return '"sachs"' in row.case


def mean_cell(found: Mean | None) -> str:
    """Write a mean."""
    return words.NOTHING if found is None else words.mean_text(found.value)


def error_text(found: Mean | None) -> str:
    """Write a mean with its standard error, where there is one."""
    if found is None:
        return words.NOTHING
    error = f" ± {words.mean_text(found.error)}" if found.error else ""
    return words.mean_text(found.value) + error


def acyclic_cell(row: Row) -> str:
    """Say in how many runs the result was acyclic, before the method's cut and after."""
    if row.is_dag is None:
        return "class" if row.n_ok else words.NOTHING
    if row.raw_is_dag is None or row.raw_is_dag == row.is_dag:
        return str(row.is_dag)
    return f"{row.raw_is_dag} → {row.is_dag}"


def nonzeros_cell(row: Row) -> str:
    """Return the mean number of non-zeros, before the method's cut and after."""
    if row.n_edges is None:
        return words.NOTHING
    after = words.mean_text(row.n_edges.value)
    if row.n_raw is None or row.n_raw.value == row.n_edges.value:
        return after
    return f"{words.mean_text(row.n_raw.value)} → {after}"


def time_cell(row: Row) -> str:
    """Return the median of the seconds; "> 60" when most runs were over the limit."""
    if row.seconds is not None and isinf(row.seconds) and row.time_limit is not None:
        return f"> {row.time_limit:g}"
    return words.seconds_text(row.seconds)


def remark(row: Row) -> str:
    """Say what became of runs without a result, and of results without a class."""
    remarks = [row.outcomes] if row.outcomes else []
    if row.is_dag is not None and row.is_dag.count < row.is_dag.of:
        cyclic = row.is_dag.of - row.is_dag.count
        remarks.append(f"{cyclic} of {row.is_dag.of} with a cycle: no class")
    return "; ".join(remarks)


def seconds_by_seed(records: Iterable[Record]) -> Seconds:
    """Return the seconds of all runs, by case and method, by seed."""
    found: Seconds = {}
    for record in records:
        if record["status"] == "ok":
            runs = found.setdefault((record["suite"], case_key(record), record["peer"]), {})
            runs[record["seed"]] = record["seconds"]
    return found


def time_ratio(row: Row, reference: str, seconds: Seconds) -> float | None:
    """Return the ratio of the medians over the seeds on which both came to an end."""
    theirs = seconds.get((row.suite, row.case, row.peer), {})
    ours = seconds.get((row.suite, row.case, reference), {})
    both = theirs.keys() & ours.keys()
    if not both:
        return None
    return median(theirs[seed] for seed in both) / median(ours[seed] for seed in both)


ANSWER: dict[str, Cell] = {
    "F1": lambda row: words.share_text(row.f1.value if row.f1 else None),
    "exact": lambda row: str(row.exact or words.NOTHING),
    "acyclic (raw → after cut)": acyclic_cell,
    "non-zeros (raw → after cut)": nonzeros_cell,
}
