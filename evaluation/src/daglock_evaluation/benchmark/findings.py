"""Where another method is better than daglock: everything, so that nobody has to look for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from daglock_evaluation.benchmark.runs import (
    DIRECTED,
    NAME,
    OURS,
    SECONDS,
    Pair,
    Record,
    by_case,
    pair,
    rows,
)
from daglock_evaluation.harness.numbers import NOTHING, mean_text, plural, seconds_text
from daglock_evaluation.harness.store import grouped
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.methods import label_of

EMPTY = "empty"
BEYOND = "with a 95 % interval of the differences that leaves 0 out"
ACCURACY_NOTE = (
    "Means over the graphs on which both came to an end. Difference: daglock's distance minus the "
    "other's, graph by graph, mean and 95 % t interval; those whose interval leaves 0 out come "
    "first. One data set: real data, of which there is no interval."
)
STANDING_NOTE = (
    "In brackets: the 95 % interval of the differences leaves 0 out. By direction: where the data "
    "identify the DAG and both return one. Nothing to compare: not installed, over a limit, "
    "failed, a result with a cycle, or no class. Memory is the peak of the process beyond data and "
    "package. A case that is in several suites counts in each."
)
FASTER_NOTE = (
    "Median seconds of the processor and mean CPDAG-SHD over the graphs on which both came to an "
    "end, daglock's distance second."
)


@dataclass(frozen=True)
class Findings:
    """Every method beside daglock on every case on which daglock was run."""

    n_cases: int
    compared: tuple[Pair, ...]
    by_direction: tuple[Pair, ...] = ()

    @property
    def more_accurate(self) -> list[Pair]:
        """By either distance; first those that the graphs tell apart from daglock."""
        found = [one for one in (*self.compared, *self.by_direction) if one.advantage > 0.0]
        return sorted(found, key=lambda one: not one.is_told)

    def faster(self, *, as_accurate: bool) -> list[Pair]:
        """Faster, and not less accurate; or less, or without a result that can be compared.

        That no graph at all is had faster and is less accurate goes without saying.
        """
        faster = [one for one in self.compared if one.less(SECONDS)]
        told = [one for one in faster if as_accurate or one.theirs.peer != EMPTY]
        return [one for one in told if one.as_accurate == as_accurate]

    @property
    def ends_more_often(self) -> list[Pair]:
        """A result where daglock has none."""
        return [one for one in self.compared if one.theirs.n_ok > one.ours.n_ok]

    def summary(self) -> list[str]:
        """Say it in a few sentences, with numbers of cases."""
        if not self.compared:
            return ["daglock was not run beside another method: there is nothing to compare."]

        def cases(found: Sequence[Pair]) -> int:
            return len({one.place for one in found})

        better = self.more_accurate
        told = cases([one for one in better if one.is_told])
        known = [one for one in better if any(map(_as_good, one.variants))]
        good, less = self.faster(as_accurate=True), self.faster(as_accurate=False)
        said = [
            f"In {cases(better) or 'none'} of {plural(self.n_cases, 'case')} another method is "
            "more accurate than daglock as it is by default"
            + (f", in {told or 'none'} of them {BEYOND}." if better else "."),
            f"In {cases(good) or 'none'} another method is faster and at least as accurate; in "
            f"{cases(less) or 'none'} another one, the empty graph aside, is faster and less "
            "accurate.",
        ]
        if known:
            said.append(
                f"In {cases(known)} of the cases in which another is more accurate, daglock with "
                f"an option ({', '.join(_options(known))}) does as well as that method."
            )
        if self.ends_more_often:
            said.append(
                f"In {cases(self.ends_more_often)} another method came to an end more often than "
                "daglock."
            )
        return said

    def headlines(self) -> list[str]:
        """Say what weighs most: no result, less accurate beyond chance, or so on real data."""
        better = self.more_accurate
        return [
            *map(_ends_sentence, self.ends_more_often),
            *(accuracy_sentence(one) for one in better if one.is_told or one.theirs.is_real),
        ]

    def tables(self) -> list[Table]:
        """Return what is to be said, first in short; a table without a row is left out."""
        if not self.compared:
            return []
        made = [
            self.standing(),
            _table("More accurate than daglock", self.more_accurate, _ACCURACY, ACCURACY_NOTE),
            _by_case("Faster than daglock and at least as accurate", self.faster(as_accurate=True)),
            _by_case("Faster than daglock but less accurate", self.faster(as_accurate=False)),
            _table("A result where daglock has none", self.ends_more_often, _ENDS),
        ]
        return [table for table in made if len(table.rows) > 1]

    def standing(self) -> Table:
        """Count for each method the cases in which it is better and worse than daglock."""
        lines = grouped(self.compared, lambda one: label_of(one.theirs.peer))
        directed = grouped(self.by_direction, lambda one: label_of(one.theirs.peer))
        body = []
        for peer, mine in lines.items():
            counts = [str(count(mine)) for count in _COUNTS.values()]
            ways = [_with_told(directed.get(peer, []), sign) for sign in (1, -1)]
            body.append([peer, *counts, *(ways if peer in directed else [NOTHING] * 2)])
        head = ["method", *_COUNTS, "by direction: more accurate (told)", "less accurate (told)"]
        title = "Each method beside daglock: in how many cases"
        return Table(title, [head, *body], STANDING_NOTE)


def find(records: Sequence[Record]) -> Findings:
    """Compare all methods with daglock; its own variants are not others."""
    cases = [case for case in by_case(rows(records)) if OURS in case]
    compared, by_direction = [], []
    for case in cases:
        variants = [row for name, row in case.items() if name.startswith(f"{OURS}-")]
        others = [row for row in case.values() if row.peer != OURS and row not in variants]
        compared += [pair(row, case[OURS], variants) for row in others]
        directed = [row for row in others if row.directed is not None]
        by_direction += [pair(row, case[OURS], variants, DIRECTED) for row in directed]
    return Findings(len(cases), tuple(compared), tuple(by_direction))


def _options(found: Sequence[Pair]) -> list[str]:
    """Return the options with which daglock does as well, in words."""
    good = [variant for one in found for variant in one.variants if _as_good(variant)]
    return [*dict.fromkeys(label_of(v.ours.peer).removeprefix(f"{OURS}, ") for v in good)]


def _as_good(variant: Pair) -> bool:
    """Whether daglock with an option is at least as accurate, on the seeds that all share."""
    theirs, own = variant.means
    return own <= theirs


def _against(one: Pair) -> str:
    """Write their mean distance against daglock's."""
    return " against ".join(map(mean_text, one.means))


def accuracy_sentence(one: Pair) -> str:
    """Say how much more accurate a method is, and which variants of daglock do as well."""
    graphs = plural(len(one.distances), "graph")
    good = [_told(variant) for variant in one.variants if _as_good(variant)]
    return (
        f"{one.theirs.label}: {label_of(one.theirs.peer)} is more accurate than {OURS}, "
        f"{NAME[one.measure]} {_against(one)} (mean of {graphs}; difference {difference(one)})."
        + (f" As good ({'; '.join(good)})." if good else "")
    )


def difference(one: Pair) -> str:
    """Write the mean of the differences with its interval."""
    if one.interval is None:
        few = "one data set" if one.theirs.is_real else "one graph"
        return f"{one.advantage:.1f}, {few}"
    low, high = one.interval
    return f"{one.advantage:.1f}, {low:.1f} to {high:.1f}"


def ends(one: Pair) -> tuple[str, str]:
    """Return on how many seeds a method and daglock came to an end."""
    n = len(one.theirs.runs.keys() | one.ours.runs.keys())
    return f"{len(one.theirs.ok)} of {n}", f"{len(one.ours.ok)} of {n}"


def _ends_sentence(one: Pair) -> str:
    """Say that a method came to an end more often."""
    peer, ours = label_of(one.theirs.peer), len(one.ours.ok)
    return f"{one.theirs.label}: {peer} came to an end on {ends(one)[0]} graphs, {OURS} on {ours}."


def _told(variant: Pair) -> str:
    """Name daglock with an option, and its distance."""
    return f"{label_of(variant.ours.peer)}: {mean_text(variant.means[1])}"


def _table(
    title: str,
    found: Sequence[Pair],
    columns: dict[str, Callable[[Pair], str]],
    note: str = "",
) -> Table:
    """Return a table with a row for each finding."""
    body = [[cell(one) for cell in columns.values()] for one in found]
    return Table(title, [[*columns], *body], note)


def _by_case(title: str, found: Sequence[Pair]) -> Table:
    """Return one row for each case with all that are faster."""
    head = ["suite", "case", "daglock, s", "with an option, s", "method (s; distance)"]
    body = []
    for place, group in grouped(found, lambda one: one.place).items():
        told = [
            f"{name.removeprefix(f'{OURS}-')} {seconds_text(row.median(SECONDS))}"
            for name, row in group[0].ours.beside.items()
            if name.startswith(f"{OURS}-")
        ]
        better = [
            f"{label_of(one.theirs.peer)} ({_seconds(one, 0)}; "
            f"{_against(one) if one.distances else 'no class to compare'})"
            for one in group
        ]
        body.append([*place, _seconds(group[0], 1), "; ".join(told), "; ".join(better)])
    return Table(title, [head, *body], FASTER_NOTE)


def _seconds(one: Pair, whose: int) -> str:
    """Write their median seconds, or daglock's."""
    times = one.medians(SECONDS)
    return seconds_text(None if times is None else times[whose])


def _with_told(found: Sequence[Pair], sign: int) -> str:
    """Count those better (1) or worse (-1) than daglock, and those told apart among them."""
    better = [one for one in found if sign * one.advantage > 0.0]
    return f"{len(better)} ({sum(one.is_told for one in better)})"


_COUNTS: dict[str, Callable[[Sequence[Pair]], object]] = {
    "cases": len,
    "more accurate (told)": lambda found: _with_told(found, 1),
    "as accurate": lambda found: sum(bool(p.distances) and p.advantage == 0.0 for p in found),
    "less accurate (told)": lambda found: _with_told(found, -1),
    "faster": lambda found: sum(p.less(SECONDS) for p in found),
    "faster and at least as accurate": lambda found: sum(
        p.less(SECONDS) and p.as_accurate for p in found
    ),
    "less memory": lambda found: sum(p.less("extra_mb") for p in found),
    "nothing to compare": lambda found: sum(not p.distances for p in found),
}
_WHERE: dict[str, Callable[[Pair], str]] = {
    "suite": lambda one: one.theirs.suite,
    "case": lambda one: one.theirs.label,
    "method": lambda one: label_of(one.theirs.peer),
}
_ACCURACY: dict[str, Callable[[Pair], str]] = {
    **_WHERE,
    "measure": lambda one: NAME[one.measure],
    "its mean": lambda one: mean_text(one.means[0]),
    "daglock's": lambda one: mean_text(one.means[1]),
    "graphs": lambda one: str(len(one.distances)),
    "difference": difference,
    "daglock with an option": lambda one: "; ".join(
        _told(variant) + (" (as good)" if _as_good(variant) else "") for variant in one.variants
    ),
}
_ENDS: dict[str, Callable[[Pair], str]] = {
    **_WHERE,
    "its results": lambda one: ends(one)[0],
    "daglock's": lambda one: ends(one)[1],
}
