"""Where another method is better than daglock: everything, so that nobody has to look for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from daglock_evaluation.bench.records import Record
from daglock_evaluation.bench.report import words
from daglock_evaluation.bench.report.pairs import Pair, by_case_and_peer, common_seeds, pair

OURS = "daglock"


@dataclass(frozen=True)
class Variant:
    """daglock with an option, on the seeds of a finding."""

    name: str
    theirs: float
    own: float
    seconds: float

    @property
    def as_good(self) -> bool:
        """Whether it is at least as accurate as the other method, on the seeds that all share."""
        return self.own <= self.theirs


@dataclass(frozen=True)
class Finding:
    """A method that is better than daglock on a case, in one way or more.

    Attributes
    ----------
    pair : the two on the seeds that they share.
    variants : daglock with what the case is about told to it, where that was run.
    """

    pair: Pair
    variants: tuple[Variant, ...] = ()

    @property
    def more_accurate(self) -> bool:
        """Whether its mean distance is smaller."""
        return self.pair.advantage > 0.0

    @property
    def clear(self) -> bool:
        """Whether it is more accurate by more than twice the standard error of the difference."""
        return self.more_accurate and self.pair.certainty == "clear"

    @property
    def faster(self) -> bool:
        """Whether its median time is shorter."""
        return self.pair.faster

    @property
    def as_accurate(self) -> bool:
        """Whether its mean distance is not larger."""
        return self.pair.compared and self.pair.advantage >= 0.0

    @property
    def ends_more_often(self) -> bool:
        """Whether it came to an end on more seeds."""
        return self.pair.their_ends > self.pair.our_ends

    def accuracy_sentence(self) -> str:
        """Say how much more accurate it is."""
        p = self.pair
        what = "order of the columns" if p.one_data_set else "seed"
        many = "orders of the columns" if p.one_data_set else "seeds"
        seeds = words.plural(len(p.ours), what, many)
        return (
            f"{p.label}: {words.label_of(p.peer)} is more accurate than "
            f"{words.label_of(p.reference)}, {words.measure_text(p.measure)} "
            f"{words.mean_text(p.their_mean)} against {words.mean_text(p.our_mean)} "
            f"(mean of {seeds}; {p.certainty}).{self._variants_sentence()}"
        )

    def speed_sentence(self) -> str:
        """Say how much faster it is."""
        p = self.pair
        told = "".join(
            f"; {words.label_of(v.name)}: {words.seconds_text(v.seconds)} s" for v in self.variants
        )
        accuracy = (
            "at least as accurate"
            if self.as_accurate
            else "less accurate"
            if p.compared
            else "without a result that can be compared"
        )
        return (
            f"{p.label}: {words.label_of(p.peer)} is faster than {words.label_of(p.reference)} and "
            f"{accuracy}, {words.seconds_text(p.their_time)} s against "
            f"{words.seconds_text(p.our_time)} s{told}."
        )

    def ends_sentence(self) -> str:
        """Say that it came to an end more often."""
        p = self.pair
        return (
            f"{p.label}: {words.label_of(p.peer)} came to an end on {p.their_ends} of {p.n_seeds} "
            f"seeds, {words.label_of(p.reference)} on {p.our_ends}."
        )

    def sentences(self) -> list[str]:
        """Say in what ways it is better."""
        said = [
            (self.ends_more_often, self.ends_sentence),
            (self.more_accurate, self.accuracy_sentence),
            (self.faster, self.speed_sentence),
        ]
        return [sentence() for holds, sentence in said if holds]

    def _variants_sentence(self) -> str:
        """Name the variants of daglock that do as well."""
        good = [
            f"{words.label_of(v.name)}: {words.mean_text(v.own)}"
            for v in self.variants
            if v.as_good
        ]
        return f" As good ({'; '.join(good)})." if good else ""


@dataclass(frozen=True)
class Findings:
    """All comparisons with a reference, and those in which it is not the best.

    Attributes
    ----------
    n_cases : on which the reference was run.
    compared : every method on every case.
    """

    n_cases: int
    compared: tuple[Finding, ...]

    @property
    def more_accurate(self) -> list[Finding]:
        """The clear ones first, then by how much."""
        found = [one for one in self.compared if one.more_accurate]
        return sorted(found, key=lambda one: not one.clear)

    @property
    def faster_as_accurate(self) -> list[Finding]:
        """Faster, and not less accurate."""
        return [one for one in self.compared if one.faster and one.as_accurate]

    @property
    def faster_less_accurate(self) -> list[Finding]:
        """Faster, and less accurate (or without a result that can be compared)."""
        return [one for one in self.compared if one.faster and not one.as_accurate]

    @property
    def ends_more_often(self) -> list[Finding]:
        """A result where the reference has none."""
        return [one for one in self.compared if one.ends_more_often]

    def summary(self) -> list[str]:
        """Say it in a few sentences, with numbers of cases."""
        if not self.compared:
            return ["daglock was not run beside another method: there is nothing to compare."]

        def cases(found: Sequence[Finding]) -> int:
            return len({(one.pair.suite, one.pair.label) for one in found})

        of = f"of {words.plural(self.n_cases, 'case')}"
        clear = cases([one for one in self.more_accurate if one.clear])
        known = [
            one for one in self.more_accurate if any(variant.as_good for variant in one.variants)
        ]
        accurate = cases(self.more_accurate)
        said = [
            f"In {accurate or 'none'} {of} another method is more accurate than daglock as it is "
            "by default" + (f", in {clear or 'none'} of them clearly." if accurate else "."),
            f"In {cases(self.faster_as_accurate) or 'none'} another method is faster and at least "
            f"as accurate; in {cases(self.faster_less_accurate) or 'none'} another one is faster "
            "and less accurate.",
        ]
        if known:
            said.append(
                f"In {cases(known)} of the cases in which another is more accurate, daglock with "
                "one noise model, equal or unequal variances, does as well as that method."
            )
        if self.ends_more_often:
            said.append(
                f"In {cases(self.ends_more_often)} another method came to an end more often than "
                "daglock."
            )
        return said

    def headlines(self) -> list[str]:
        """Say each of what weighs most: no result, or clearly less accurate, or so on real data."""
        real = [one for one in self.more_accurate if one.pair.one_data_set]
        return [
            *(one.ends_sentence() for one in self.ends_more_often),
            *(one.accuracy_sentence() for one in self.more_accurate if one.clear),
            *(one.accuracy_sentence() for one in real),
        ]

    def sentences(self) -> list[str]:
        """Say everything, case by case."""
        return [sentence for one in self.compared for sentence in one.sentences()]


def find(records: Sequence[Record], *, reference: str = OURS) -> Findings:
    """Compare all methods with the reference; its own variants are not others."""
    cases = [runs for runs in by_case_and_peer(records) if reference in runs]
    compared: list[Finding] = []
    for runs in cases:
        variants = [name for name in runs if name.startswith(f"{OURS}-") and name != reference]
        others = [name for name in runs if name != reference and name not in variants]
        compared += [_finding(runs, peer, reference, variants) for peer in others]
    return Findings(len(cases), tuple(compared))


def _finding(
    runs: dict[str, dict[int, Record]], peer: str, reference: str, variants: Sequence[str]
) -> Finding:
    """Compare a method with the reference, and with its variants on the seeds that all share."""
    main = pair(runs, peer, reference)
    found = []
    for name in variants:
        seeds = common_seeds(runs, [peer, reference, name])
        beside = pair(runs, peer, name, seeds=seeds, measure=main.measure)
        if beside.compared and beside.our_time is not None:
            found.append(Variant(name, beside.their_mean, beside.our_mean, beside.our_time))
    return Finding(main, tuple(found))
