"""The findings as tables: in short, then each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from daglock_evaluation.bench.report import words
from daglock_evaluation.bench.report.findings import Finding, Findings
from daglock_evaluation.publish.tables import Table

ACCURACY_NOTE = (
    "Means over the seeds on which both came to an end. Clear: the mean of the paired differences "
    "is beyond twice its standard error; with two or three seeds that is a weak test. One data "
    "set: real data, of which the seeds only change the order of the columns."
)


def tables(found: Findings) -> list[Table]:
    """Return what is to be said, first in short; a table without a row is left out."""
    if not found.compared:
        return []
    made = [
        standing(found),
        _table("More accurate than daglock", found.more_accurate, _ACCURACY, ACCURACY_NOTE),
        by_case("Faster than daglock and at least as accurate", found.faster_as_accurate),
        by_case("Faster than daglock but less accurate", found.faster_less_accurate),
        _table("A result where daglock has none", found.ends_more_often, _ENDS),
    ]
    return [table for table in made if len(table.rows) > 1]


def standing(found: Findings) -> Table:
    """Count for each method the cases in which it is better and worse than daglock."""
    methods = dict.fromkeys(one.pair.peer for one in found.compared)
    head = [
        "method",
        "cases",
        "more accurate (clear)",
        "as accurate",
        "less accurate (clear)",
        "faster",
        "faster and at least as accurate",
        "less memory",
        "nothing to compare",
    ]
    return Table(
        "Each method beside daglock: in how many cases",
        [head, *(_standing(peer, found.compared) for peer in methods)],
        "Nothing to compare: not installed, over a limit, failed, or a result with a cycle where "
        "only the class is identified. Memory is the peak of the process beyond data and package.",
    )


def by_case(title: str, found: Sequence[Finding]) -> Table:
    """Return one row for each case with all that are faster."""
    cases: dict[tuple[str, str], list[Finding]] = {}
    for one in found:
        cases.setdefault((one.pair.suite, one.pair.label), []).append(one)
    body = [
        [
            suite,
            label,
            words.seconds_text(group[0].pair.our_time),
            _told_seconds(group[0]),
            "; ".join(map(_item, group)),
        ]
        for (suite, label), group in cases.items()
    ]
    head = ["suite", "case", "daglock, s", "with an option, s", "method (s; distance)"]
    return Table(
        title,
        [head, *body],
        "Median seconds and mean distance (SHD or CPDAG-SHD) over the seeds on which both came to "
        "an end, daglock's distance second.",
    )


def _told_seconds(one: Finding) -> str:
    """Return the seconds of daglock's variants."""
    return "; ".join(
        f"{v.name.removeprefix('daglock-')} {words.seconds_text(v.seconds)}" for v in one.variants
    )


def _item(one: Finding) -> str:
    """Name a method with its time and accuracy."""
    p = one.pair
    distance = (
        f"{words.mean_text(p.their_mean)} against {words.mean_text(p.our_mean)}"
        if p.compared
        else "no class to compare"
    )
    return f"{words.label_of(p.peer)} ({words.seconds_text(p.their_time)}; {distance})"


def _standing(peer: str, compared: Sequence[Finding]) -> list[str]:
    """Return the counts of one method."""
    mine = [one for one in compared if one.pair.peer == peer]
    known = [one for one in mine if one.pair.compared]

    def count(holds: Callable[[Finding], bool]) -> int:
        return sum(map(holds, known))

    def with_clear(sign: int) -> str:
        better = [one for one in known if sign * one.pair.advantage > 0.0]
        clear = sum(one.pair.certainty == "clear" for one in better)
        return f"{len(better)} ({clear})"

    return [
        words.label_of(peer),
        str(len(mine)),
        with_clear(1),
        str(count(lambda one: one.pair.advantage == 0.0)),
        with_clear(-1),
        str(sum(one.faster for one in mine)),
        str(count(lambda one: one.faster and one.as_accurate)),
        str(sum(one.pair.lighter for one in mine)),
        str(len(mine) - len(known)),
    ]


def _told(one: Finding) -> str:
    """Name the variants of daglock beside a more accurate method."""
    return "; ".join(
        f"{words.label_of(v.name)}: {words.mean_text(v.own)}" + (" (as good)" if v.as_good else "")
        for v in one.variants
    )


def _table(
    title: str,
    found: Sequence[Finding],
    columns: dict[str, Callable[[Finding], str]],
    note: str = "",
) -> Table:
    """Return a table with a row for each finding."""
    body = [[cell(one) for cell in columns.values()] for one in found]
    return Table(title, [[*columns], *body], note)


_WHERE: dict[str, Callable[[Finding], str]] = {
    "suite": lambda one: one.pair.suite,
    "case": lambda one: one.pair.label,
    "method": lambda one: words.label_of(one.pair.peer),
}
_ACCURACY: dict[str, Callable[[Finding], str]] = {
    **_WHERE,
    "measure": lambda one: words.measure_text(one.pair.measure),
    "its mean": lambda one: words.mean_text(one.pair.their_mean),
    "daglock's": lambda one: words.mean_text(one.pair.our_mean),
    "seeds": lambda one: str(len(one.pair.ours)),
    "difference": lambda one: one.pair.certainty,
    "daglock with an option": _told,
}
_ENDS: dict[str, Callable[[Finding], str]] = {
    **_WHERE,
    "its results": lambda one: f"{one.pair.their_ends} of {one.pair.n_seeds}",
    "daglock's": lambda one: f"{one.pair.our_ends} of {one.pair.n_seeds}",
}
