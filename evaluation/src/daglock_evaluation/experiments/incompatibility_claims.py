"""What the incompatibility theorem claims, beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence

from daglock_evaluation.experiments import measured
from daglock_evaluation.experiments.experiment import Outcome, Record, Verdict
from daglock_evaluation.experiments.measured import interval
from daglock_evaluation.experiments.phrases import listing, short

FLAT = 0.1  # exponents below this count as zero


def verdicts(records: Sequence[Record]) -> list[Verdict]:
    """Judge the theorem on W∘W, the theorem on |W|, and the defence for powers."""
    return [*_square(records), *_absolute(records), *_powers(records)]


def both_axioms(record: Record, loops: bool) -> bool:
    """Whether a measurement has a gradient that neither vanishes at zero nor is unbounded."""
    name = "_with_loops" if loops else ""
    order = record.result[f"exponent{name}"]
    return order is not None and order < FLAT and bool(record.result[f"bounded{name}"])


def _square(records: Sequence[Record]) -> list[Verdict]:
    """Judge the theorem for A = W∘W: what the proof treats."""
    found = measured.where(records, gamma=1.0)
    if not found:
        return []
    plain = measured.values(found, "exponent")
    loops = measured.values(found, "exponent_with_loops")
    against = [r for r in found if both_axioms(r, False) or both_axioms(r, True)]
    vanish = [r for r in found if min(_orders(r)) > FLAT]
    unbounded = sorted({r.case["outer"] for r in vanish if not r.result["bounded"]})
    bounded = sorted({r.case["outer"] for r in vanish if r.result["bounded"]})
    outcome = Outcome.judge(not against and not (unbounded and bounded), partly=not against)
    return [
        Verdict(
            claim="No constraint F(W∘W) with F smooth at zero has both L1-synergy (A2) and "
            "boundedness (A3) (incompatibility theorem, section 2.2).",
            printed="never both; a trade-off",
            measured=f"both hold in {len(against)} of {len(found)} constraints; the gradient "
            f"vanishes in {len(vanish)}",
            outcome=outcome,
            evidence=f"{len(found)} constraints (Exp, LogDet, polynomial, normalised, and random "
            "power series, saturated or not): the gradient at zero has order p = "
            f"{interval(plain)} without and {interval(loops)} with self-loops."
            + (
                f" A2 fails for bounded ones ({listing(bounded)}) and unbounded ones "
                f"({listing(unbounded)}) alike: smoothness at zero alone excludes A2. There is no "
                "trade-off with A3, which plays no part."
                if outcome is Outcome.CORRECTED
                else ""
            ),
        )
    ]


def _orders(record: Record) -> list[float]:
    """Return the orders of a measurement that there are."""
    return measured.values([record], "exponent") + measured.values([record], "exponent_with_loops")


def _absolute(records: Sequence[Record]) -> list[Verdict]:
    """Judge the theorem for A = |W|, which the definition of the class includes."""
    found = measured.where(records, gamma=0.5)
    if not found:
        return []
    against = {
        loops: sorted({r.case["outer"] for r in found if both_axioms(r, loops)})
        for loops in (False, True)
    }
    any_against = against[False] or against[True]
    plain = interval(measured.values(found, "exponent"))
    loops = interval(measured.values(found, "exponent_with_loops"))
    return [
        Verdict(
            claim="The same for F(|W|), F smooth on the non-negative matrices (definition of the "
            "class and incompatibility theorem, section 2.2).",
            printed="never both A2 and A3",
            measured=f"without self-loops p = {plain}; with self-loops p = {loops}, and both "
            f"hold for {listing(against[True]) or 'none'}",
            outcome=Outcome.NOT_CONFIRMED if any_against else Outcome.CONFIRMED,
            evidence=f"The definition allows |W| in the place of W∘W, the proof treats W∘W only. "
            f"For {len(found)} constraints F(|W|) the gradient at zero has order p = {plain} "
            f"without self-loops and {loops} with them."
            + (
                " With self-loops the gradient neither vanishes nor explodes for "
                f"{listing(against[True])}: a counterexample."
                if against[True]
                else ""
            )
            + (
                f" Without self-loops the same is true of {listing(against[False])}."
                if against[False]
                else " Without self-loops A2 fails for every one of them, bounded or not: the "
                "derivative of a spectral F at zero is a multiple of the identity."
            )
            + " S-AHOC is itself a C¹ function of |W|, so that the theorem, as it stands, and "
            "the theorem that S-AHOC has all three axioms exclude each other.",
        )
    ]


def _powers(records: Sequence[Record]) -> list[Verdict]:
    """Judge the defence: powers x^γ with γ < 1 make the gradient explode."""
    groups: dict[float, list[Record]] = {}
    for record in measured.where(records, outer="normalised exp"):
        if record.case["gamma"] < 1.0:
            groups.setdefault(record.case["gamma"], []).append(record)
    if len(groups) < 3:
        return []
    entry = {
        gamma: measured.values(group, "exponent_of_an_entry") for gamma, group in groups.items()
    }
    loops = {
        gamma: measured.values(group, "exponent_with_loops") for gamma, group in groups.items()
    }
    explode = sorted(gamma for gamma in groups if entry[gamma] and max(entry[gamma]) < -FLAT)
    calm = sorted(set(groups) - set(explode))
    flat = [g for g in calm if loops[g] and max(map(abs, loops[g])) < FLAT]
    outcome = Outcome.judge(not calm, partly=explode)
    return [
        Verdict(
            claim="Taking f(x) = x^γ with 0 < γ < 1 of the entries of W∘W instead makes the "
            "gradient explode at zero (appendix A, defence against non-smooth cores).",
            printed="explodes for every γ in (0, 1)",
            measured=f"explodes for γ = {listing(list(map(short, explode))) or '–'}; not for "
            f"γ = {listing(list(map(short, calm))) or '–'}",
            outcome=outcome,
            evidence="In the normalised exponential, as one entry w on a cycle tends to zero, its "
            "derivative goes like w^p with "
            + "; ".join(f"p = {interval(entry[g])} at γ = {short(g)}" for g in sorted(groups))
            + "."
            + (
                " The derivative of w^(2γ) is 2γ w^(2γ−1): it explodes below γ = 1/2, vanishes "
                "above, and is constant at γ = 1/2, the core |w| that AHOC uses."
                if outcome is Outcome.CORRECTED
                else ""
            )
            + (
                f" At γ = {listing(list(map(short, flat)))} the gradient with self-loops neither "
                "vanishes nor explodes."
                if flat
                else ""
            ),
        )
    ]
