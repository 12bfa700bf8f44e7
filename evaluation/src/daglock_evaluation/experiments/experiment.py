"""Experiment: the cases of one table or figure of the paper, how a case runs, what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias

from daglock.solution import Status
from daglock_evaluation.experiments.drawing import Figure
from daglock_evaluation.harness.tables import Table

# Settings of a case: JSON values, the seed included. They are the key of its record.
Case: TypeAlias = Mapping[str, Any]
# What a case gives: JSON values. Names that end in "seconds" may differ between runs, no other.
Result: TypeAlias = Mapping[str, Any]
# What follows from a record, by name.
Quantities: TypeAlias = "Mapping[str, Callable[[Record], Any]]"
CONVERGED = (Status.CONVERGED, Status.CONVERGED_CYCLIC, Status.STAYED_AT_START)
COMMON: Quantities = {
    "ending": lambda r: r.result["status"].replace("_", " "),
    # What the paper calls so: h within tolerance; there may be cycles all the same, or no edge.
    "converged": lambda r: r.result["status"] in [*(s.value for s in CONVERGED), "finished"],
}


@dataclass(frozen=True)
class Record:
    """A case with its result, and the seconds that it took, where they are known.

    Examples
    --------
    >>> record = Record({"d": 5}, {"status": "time_limit", "raw": {"gamma": 0.5}})
    >>> [record[name] for name in ("d", "raw.gamma", "shd", "ending", "converged")]
    [5, 0.5, None, 'time limit', False]
    """

    case: Case
    result: Result
    seconds: float | None = None
    quantities: Quantities = field(default_factory=dict, compare=False, repr=False)

    def __getitem__(self, name: str) -> Any:
        """Return a quantity by its name, or what the result or else the case has of this name.

        None where there is none; "a.b" is b within a.
        """
        for known in (self.quantities, COMMON):
            if name in known:
                return known[name](self)
        first, *rest = name.split(".")
        value: Any = {**self.case, **point_of(self.result)}.get(first)
        for part in rest:
            value = value[part]
        return value


def point_of(result: Result) -> Result:
    """Return a result with what a time limit cut short on the same level as the rest."""
    return {**result, **result.get("point_after_seconds", {})}


class Outcome(Enum):
    """What became of a claim."""

    CONFIRMED = "confirmed"
    CORRECTED = "confirmed with a correction"
    NOT_CONFIRMED = "not confirmed"
    UNDECIDED = "undecided"

    @classmethod
    def judge(cls, holds: object, *, partly: object = False, undecided: object = False) -> Outcome:
        """Return the outcome of a rule: whether the claim holds as it stands, or else in part.

        It is undecided where what it hangs on did not come to an end.

        Examples
        --------
        >>> Outcome.judge(1 < 2), Outcome.judge([], partly=["a run"])
        (<Outcome.CONFIRMED: 'confirmed'>, <Outcome.CORRECTED: 'confirmed with a correction'>)
        """
        if undecided:
            return cls.UNDECIDED
        if holds:
            return cls.CONFIRMED
        return cls.CORRECTED if partly else cls.NOT_CONFIRMED


@dataclass(frozen=True)
class Verdict:
    """A claim of the paper beside what was measured.

    `claim` is what the paper says, in our words, with its section, table or figure; `printed` what
    it prints; `measured` the same quantity from the records; `evidence` what was run, what came
    out, and why the outcome is what it is. `number` is its place among the claims of its
    experiment: claim 3 of limits is ``limits.3``.
    """

    claim: str
    printed: str
    measured: str
    outcome: Outcome
    evidence: str
    number: int = 0


@dataclass(frozen=True)
class Experiment:
    """One table or figure of the paper.

    Attributes
    ----------
    name, title, source : on the command line and of the files; for people; where in the paper.
    cases : the cases of a full run, or with True of a quick one, which must be among them in kind
        (smaller sizes, fewer seeds), cheapest first.
    run : the result of a case; a function of the case alone, so that a second run gives the same.
    tables, figures, verdicts : from records of the cases, full or quick.
    """

    name: str
    title: str
    source: str
    cases: Callable[[bool], Sequence[Case]]
    run: Callable[[Case], Result]
    tables: Callable[[Sequence[Record]], Sequence[Table]]
    figures: Callable[[Sequence[Record]], Mapping[str, Figure]]
    verdicts: Callable[[Sequence[Record]], Sequence[Verdict]]
