"""Experiment: the cases of one table or figure of the paper, how a case runs, what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from daglock_evaluation.harness.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Settings of a case: JSON values, the seed included. They are the key of its record.
Case: TypeAlias = Mapping[str, Any]
# What a case gives: JSON values. Names that end in "seconds" may differ between runs, no other.
Result: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Record:
    """A case with its result, and the seconds that it took, where they are known."""

    case: Case
    result: Result
    seconds: float | None = None


class Outcome(Enum):
    """What became of a claim."""

    CONFIRMED = "confirmed"
    CORRECTED = "confirmed with a correction"
    NOT_CONFIRMED = "not confirmed"

    @classmethod
    def judge(cls, holds: object, *, partly: object) -> Outcome:
        """Return the outcome of a rule: whether the claim holds as it stands, or else in part.

        Examples
        --------
        >>> Outcome.judge(1 < 2, partly=False), Outcome.judge([], partly=["a run"])
        (<Outcome.CONFIRMED: 'confirmed'>, <Outcome.CORRECTED: 'confirmed with a correction'>)
        """
        if holds:
            return cls.CONFIRMED
        return cls.CORRECTED if partly else cls.NOT_CONFIRMED


@dataclass(frozen=True)
class Verdict:
    """A claim of the paper beside what was measured.

    Attributes
    ----------
    claim : what the paper says, in our words, with its section, table or figure.
    printed : what the paper prints.
    measured : the same quantity from the records.
    outcome : Outcome
    evidence : one paragraph: what was run, what came out, why the outcome is what it is.
    """

    claim: str
    printed: str
    measured: str
    outcome: Outcome
    evidence: str


@dataclass(frozen=True)
class Experiment:
    """One table or figure of the paper.

    Attributes
    ----------
    name : on the command line and of the files.
    title : for people.
    source : section, table or figure of the paper.
    cases : the cases of a full run, or with True of a quick one, which must be among them in kind
        (smaller sizes, fewer seeds), cheapest first.
    run : the result of a case; a function of the case alone, so that a second run gives the same.
    tables, figures : from records of the cases, full or quick; a figure by its name.
    verdicts : from records.
    smallest : one or two tiny cases for the tests.
    """

    name: str
    title: str
    source: str
    cases: Callable[[bool], Sequence[Case]]
    run: Callable[[Case], Result]
    tables: Callable[[Sequence[Record]], Sequence[Table]]
    figures: Callable[[Sequence[Record]], Mapping[str, Figure]]
    verdicts: Callable[[Sequence[Record]], Sequence[Verdict]]
    smallest: Sequence[Case] = field(default_factory=tuple)
