"""Records as evidence: a selection of runs, its numbers in words, tables of it, claims judged.

Tables, figures and verdicts all do the same with records: they choose some by their settings, take
one number of each, and write it. `Runs` does this. `table` has a row for each group of runs, and
`experiment` puts together what is written in terms of runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from statistics import median
from typing import Any, TypeAlias, TypeVar

from daglock_evaluation.experiments.drawing import Figure
from daglock_evaluation.experiments.experiment import (
    Case,
    Experiment,
    Quantities,
    Record,
    Result,
    Verdict,
)
from daglock_evaluation.harness import numbers
from daglock_evaluation.harness.store import grouped
from daglock_evaluation.harness.tables import Table

# What to take of a record: a name, or a function of the record.
Of: TypeAlias = str | Callable[[Record], Any]
# The head of a column, and its cell: a value that the runs of a row share, or a function of them.
Column: TypeAlias = "tuple[str, str | Callable[[Runs], object]]"
T = TypeVar("T")


class Runs(tuple[Record, ...]):
    """Some records.

    Examples
    --------
    >>> runs = Runs(Record({"d": d}, {"shd": d // 2, "is_dag": d > 5}) for d in (4, 6, 10))
    >>> runs.where(d=(6, 10)).span("shd"), runs.that("is_dag").share(lambda r: r["d"] < 10)
    ('3 to 5', '1 of 2')
    """

    __slots__ = ()

    def where(self, **settings: Any) -> Runs:
        """Return those with these settings and with a result to look at; a tuple: any of these."""

        def fits(record: Record) -> bool:
            return "skipped" not in record.result and all(
                record.case.get(name) in (value if isinstance(value, tuple) else (value,))
                for name, value in settings.items()
            )

        return Runs(filter(fits, self))

    def that(self, condition: Of) -> Runs:
        """Return those of which something holds."""
        return Runs(record for record in self if take(record, condition))

    def but(self, condition: Of) -> Runs:
        """Return those of which something does not hold."""
        return Runs(record for record in self if not take(record, condition))

    def plus(self, *others: Iterable[Record]) -> Runs:
        """Return these and others."""
        return Runs([*self, *(record for other in others for record in other)])

    def each(self) -> list[Runs]:
        """Return a group for each run."""
        return [Runs([record]) for record in self]

    def by(self, *names: str) -> list[Runs]:
        """Return a group for each combination of settings that there is, sorted."""
        keys = sorted({tuple(record.case[name] for name in names) for record in self})
        return [self.where(**dict(zip(names, key, strict=True))) for key in keys]

    def grouped(self, of: Of) -> list[Runs]:
        """Return a group for each value of something, sorted; with those that were skipped."""
        groups = grouped(self, lambda record: take(record, of))
        return [Runs(groups[value]) for value in sorted(groups)]

    def of_sizes_with(self, *methods: str) -> Runs:
        """Return those of the sizes d at which all these methods were run."""
        sizes = [d for d in self.settings("d") if all(self.where(d=d, method=m) for m in methods)]
        return self.where(d=tuple(sizes))

    def settings(self, name: str) -> list[Any]:
        """Return the values of a setting, each once, sorted."""
        return sorted({record.case[name] for record in self if name in record.case})

    def all(self, of: Of) -> list[Any]:
        """Return one value of each record, None where there is none."""
        return [take(record, of) for record in self]

    def values(self, of: Of) -> list[Any]:
        """Return one value of each record that has it."""
        return [value for value in self.all(of) if value is not None]

    def mean(self, of: Of) -> float:
        """Return the mean, NaN of nothing."""
        return numbers.average(self.values(of))

    def median(self, of: Of) -> float:
        """Return the median of what there is."""
        return float(median(self.values(of)))

    def span(self, of: Of, digits: int = 2) -> str:
        """Write the least and the largest."""
        return numbers.span(self.all(of), digits)

    def spread(self, of: Of, digits: int = 3) -> str:
        """Write the mean, and where they differ the smallest and largest."""
        return numbers.spread(self.values(of), digits)

    def interval(self, of: Of, digits: int = 2) -> str:
        """Write the range with fixed decimals, as exponents are."""
        return numbers.interval(self.values(of), digits)

    def share(self, of: Of) -> str:
        """Write of how many something holds."""
        return numbers.share(bool(value) for value in self.all(of))

    def statuses(self) -> str:
        """Write how they ended."""
        return ", ".join(sorted(set(self.all("ending"))))


def take(record: Record, of: Of) -> Any:
    """Return one value of a record."""
    return of(record) if callable(of) else record[of]


def price(runs: Runs) -> str:
    """Write the λ₁ that runs share, a dash for methods without."""
    lam = runs[0]["lam"]
    return "–" if lam is None else f"{lam:g}"


def table(title: str, groups: Iterable[Runs], *columns: Column, note: str = "") -> Table:
    """Return a table with a row for each group that has runs.

    Examples
    --------
    >>> runs = Runs(Record({"d": d}, {"shd": s}) for d, s in ((5, 1), (5, 2), (9, 0)))
    >>> table("Distances", runs.by("d"), ("d", "d"), ("SHD", lambda g: g.span("shd"))).rows
    [('d', 'SHD'), ('5', '1 to 2'), ('9', '0')]
    """
    body = (
        tuple(str(group[0][of] if isinstance(of, str) else of(group)) for _, of in columns)
        for group in groups
        if group
    )
    return Table(title, [tuple(head for head, _ in columns), *body], note)


def grid(**settings: Any) -> list[Case]:
    """Return a case for each combination of settings: tuples and ranges vary, the last fastest.

    Examples
    --------
    >>> grid(part="gap", d=(5, 9), seed=range(2))[1:3]
    [{'part': 'gap', 'd': 5, 'seed': 1}, {'part': 'gap', 'd': 9, 'seed': 0}]
    """
    values = [v if isinstance(v, tuple | range) else (v,) for v in settings.values()]
    return [dict(zip(settings, chosen, strict=True)) for chosen in product(*values)]


class NoRunsError(Exception):
    """The runs behind a claim are missing."""


def need(found: T) -> T:
    """Return what a claim is judged on; without it the claim is not judged."""
    if not found:
        raise NoRunsError
    return found


def prose(*parts: object) -> str:
    """Join the parts that are text: of ``condition and "text"`` what holds.

    Examples
    --------
    >>> prose("It grows", 2 > 1 and ", always", [] and ", never", ".")
    'It grows, always.'
    """
    return "".join(part for part in parts if isinstance(part, str))


def experiment(
    name: str,
    title: str,
    source: str,
    cases: Callable[[bool], Sequence[Case]],
    run: Callable[[Case], Result],
    tables: Callable[[Runs], Sequence[Table]],
    *,
    figures: Mapping[str, Callable[[Runs], Figure]],
    claims: Sequence[Callable[[Runs], Verdict]],
    judged_on: Callable[[Runs], Runs] = lambda runs: runs,
    quantities: Quantities | None = None,
) -> Experiment:
    """Return an experiment whose tables, figures and claims take `Runs`.

    A claim is a function that judges it. Claims and figures `need` runs; without there are none,
    and no table without a row. `judged_on` chooses the runs that claims are about. `quantities` can
    be taken of the records beside what they have.
    """

    def made(records: Sequence[Record]) -> Runs:
        return Runs(replace(record, quantities=quantities or {}) for record in records)

    def tabulate(records: Sequence[Record]) -> list[Table]:
        return [t for t in tables(made(records)) if len(t.rows) > 1] if records else []

    def draw(records: Sequence[Record]) -> dict[str, Figure]:
        runs, drawn = made(records), {}
        for figure, make in figures.items():
            with suppress(NoRunsError):
                drawn[figure] = make(need(runs))
        return drawn

    def judge(records: Sequence[Record]) -> list[Verdict]:
        chosen, found = judged_on(made(records)), []
        for number, claim in enumerate(claims if chosen else (), 1):
            with suppress(NoRunsError):
                found.append(replace(claim(chosen), number=number))
        return found

    return Experiment(name, title, source, cases, run, tabulate, draw, judge)
