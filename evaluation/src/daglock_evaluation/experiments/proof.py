"""The steps of the recovery proof (appendix B), each by itself, and the sample size it asks for."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from daglock_evaluation.experiments.drawing import Figure, line, look
from daglock_evaluation.experiments.evidence import Runs, experiment, need, prose, table
from daglock_evaluation.experiments.experiment import Outcome, Quantities, Record, Verdict
from daglock_evaluation.experiments.measured import decimals, exponent
from daglock_evaluation.experiments.proof_runs import GRAPHS, LAMS, cases, run
from daglock_evaluation.harness.figures import legend, panels
from daglock_evaluation.harness.numbers import interval, share, short, span
from daglock_evaluation.harness.tables import Table

SURE = 0.9  # share of the tables that "with high probability" asks for
NEAR = 0.1  # how far an exponent may be from the claimed one


def high(values: list[float]) -> float:
    """Return the value that so many tables stay below."""
    return float(np.quantile(values, SURE))


QUANTITIES: Quantities = {
    "high_all": lambda r: high(r["all"]),  # of ‖∇L(W*)‖∞ off the edges
    "high_others": lambda r: high(r["others"]),
    "log_d": lambda r: math.log(r["d"]),
    "constant": lambda r: r["high_others"] * math.sqrt(r["n"] / math.log(r["d"])),
}


def at(runs: Runs, lam: str, name: str) -> list[float]:
    """Return one number of every table at a λ₁."""
    return [value for record in runs for value in record["by_lam"][lam][name]]


def feasible(record: Record, lam: str) -> float:
    """Return the share of tables in which the loss leaves every absent edge alone at λ₁."""
    found = record["by_lam"][lam]
    return float(np.mean(np.less(found["force"], found["lam"])))


def _bound_holds(runs: Runs, lam: str) -> list[bool]:
    return [
        bool(e <= b) for e, b in zip(at(runs, lam, "error"), at(runs, lam, "bound"), strict=True)
    ]


def _quiet(runs: Runs, lam: str) -> list[bool]:
    """Whether the noise on the edges is at most λ₁, which the bound of step 1.2 needs."""
    return [bool(e <= b) for e, b in zip(at(runs, lam, "noise"), at(runs, lam, "lam"), strict=True)]


def rows_needed(runs: Runs, lam: str, *, others: bool = False) -> int | None:
    """Return the least n from which on so many tables are strictly dual feasible at λ₁.

    With `others` only what the proof asks for off the cycles: ‖∇L(W*)‖∞ < λ₁/2 where no absent edge
    closes one (γ = 1 at its best).
    """
    needed = None
    for record in sorted(runs, key=lambda r: -int(r["n"])):
        lams = record["by_lam"][lam]["lam"]
        good = (
            float(np.mean(np.less(record["others"], np.divide(lams, 2.0))))
            if others
            else feasible(record, lam)
        )
        if good < SURE:
            break
        needed = record["n"]
    return needed


def tables(runs: Runs) -> list[Table]:
    """Return the steps by graph, d and n, the rows that are needed, and the bias."""
    drawn, bias = runs.where(kind="tables"), runs.where(kind="bias")

    def needed(lam: str, others: bool, found: Runs) -> str:
        n = rows_needed(found, lam, others=others)
        return "none" if n is None else short(n, 1)

    return [
        table(
            "Steps 1.2 to 1.4 at the λ₁ of beta-min",
            (
                drawn.where(graph=g, d=d, n=n)
                for g in GRAPHS
                for d in drawn.settings("d")
                for n in drawn.settings("n")[::2]
            ),
            ("graph", "graph"),
            ("d", "d"),
            ("rows", lambda g: short(g[0]["n"])),
            ("γ", lambda g: span(g[0]["gamma"])),
            ("λ₁", lambda g: span(at(g, "beta-min", "lam"))),
            ("error", lambda g: span(at(g, "beta-min", "error"))),
            ("≤ 2λ₁√|E|/κ", lambda g: share(_bound_holds(g, "beta-min"))),
            ("largest error", lambda g: span(at(g, "beta-min", "largest_error"))),
            ("edges kept", lambda g: share(map(bool, at(g, "beta-min", "kept")))),
            ("force off the edges", lambda g: span(at(g, "beta-min", "force"))),
            ("< λ₁", lambda g: f"{feasible(g[0], 'beta-min'):.0%}"),
            note="Error: of the witness, the solution on the true edges alone. Force: the largest "
            "|∂L/∂W| on an absent edge there. Pairs: disjoint edges, where the assumptions of the "
            "theorem hold.",
        ),
        table(
            f"Rows from which on {SURE:.0%} of the tables are strictly dual feasible",
            (drawn.where(graph=g, d=d) for g in GRAPHS for d in drawn.settings("d")),
            ("graph", "graph"),
            ("d", "d"),
            *((f"λ₁ = {lam}", partial(needed, str(lam), False)) for lam in LAMS),
            *(
                (f"no cycle, λ₁ = {lam}", partial(needed, str(lam), True))
                for lam in LAMS
                if lam != "beta-min"
            ),
            ("exponent in n", lambda g: decimals(_order(g, "high_all"))),
            ("no cycle", lambda g: decimals(_order(g, "high_others"))),
            note="“No cycle”: only absent edges that close none, for which ‖∇L(W*)‖∞ < λ₁/2 is "
            "asked. The exponents are of the 90 % quantile of ‖∇L(W*)‖∞ in the number of rows; a "
            f"sample size of log d/λ₁² is −½. Up to {short(max(drawn.settings('n'), default=0))} "
            "rows.",
        ),
        table(
            "The bias of smoothing, |∂h̃ − ∂h|, at an absent edge that closes a cycle",
            reversed(bias.by("delta")),
            ("δ", lambda g: short(g[0]["delta"])),
            ("edge of size δ", lambda g: g.span("near", 3)),
            ("as theory gives it", lambda g: g.span("expected", 3)),
            ("of size δ/100", lambda g: g.span("nearer", 3)),
            ("supremum", lambda g: g.span("supremum", 3)),
            ("of size 0.1", lambda g: g.span("away", 3)),
            note="S-AHOC, d = 10, 20 edges. The edge is the one with the largest price "
            "(docs/theory.md, Proposition 3a).",
        ),
    ]


def _order(runs: Runs, name: str) -> float | None:
    """Fit the exponent of something in the number of rows."""
    return exponent(runs.all("n"), runs.all(name))


def draw(runs: Runs) -> Figure:
    """Draw ‖∇L(W*)‖∞ against the rows, and the bias against δ."""
    figure, (left, right) = panels(2, height=3.2)
    drawn, bias = runs.where(kind="tables"), need(runs.where(kind="bias"))
    marks = {"pairs": ("blue", "o"), "ER1": ("vermilion", "s")}
    for graph, mark in marks.items():
        for d in drawn.settings("d")[-1:]:
            found = sorted(drawn.where(graph=graph, d=d), key=lambda r: float(r["n"]))
            for name, end in (("high_all", ""), ("high_others", ", no cycle")):
                style = look(*mark, label=f"{graph}, d = {d}{end}", markersize=4)
                if end:
                    style |= {"linestyle": "--", "markerfacecolor": "white"}
                line(left, ((r["n"], r[name]) for r in found), **style)
    left.set(xscale="log", yscale="log", xlabel="rows", ylabel="‖∇L(W*)‖∞ off the edges, 90 %")
    sizes = {
        "near": ("edge of size δ", "blue", "o"),
        "nearer": ("of size δ/100", "sky", "v"),
        "away": ("of size 0.1", "green", "s"),
    }
    for name, (label, colour, marker) in sizes.items():
        points = ((g[0]["delta"], g.mean(name)) for g in bias.by("delta"))
        line(right, points, **look(colour, marker, label=label, markersize=4))
    right.set(xscale="log", yscale="log", xlabel="δ", ylabel="|∂h̃ − ∂h|")
    for axis in (left, right):
        axis.tick_params(labelsize=8)
    legend(figure, (left, right), "lower", 4, size=8)
    return figure


def _error_bound(runs: Runs) -> Verdict:
    found = need(runs.where(kind="tables"))
    names = [str(lam) for lam in LAMS]
    inside = {lam: _bound_holds(found, lam) for lam in names}
    quiet = {lam: _quiet(found, lam) for lam in names}
    holds = [value for values in inside.values() for value in values]
    under = [i for lam in names for i, q in zip(inside[lam], quiet[lam], strict=True) if q]
    return Verdict(
        claim="The witness is near the truth: ‖W̃ − W*‖∞ ≤ ‖W̃ − W*‖_F ≤ 2λ₁√|S|/κ (step 1.2 of "
        "the proof of Theorem 3.7).",
        printed="for every λ₁ and N",
        measured=f"the bound holds in {share(holds)} solutions; where ‖∇L(W*)‖∞ ≤ λ₁ on the edges "
        f"in {share(under)}",
        outcome=Outcome.judge(all(holds), partly=under and all(under)),
        evidence=prose(
            f"The problem restricted to the true edges, solved on {len(at(found, '0.1', 'lam'))} "
            f"tables for each of {len(LAMS)} λ₁, from {found.span('n')} rows. The bound holds for "
            + ", ".join(f"{share(values)} at λ₁ = {lam}" for lam, values in inside.items())
            + ". It follows from κ‖Δ‖ ≤ ‖∇L(W*)‖ + λ₁√|S| on the edges, so that it needs the "
            "noise on the edges to be at most λ₁, which the proof does not say.",
        ),
    )


def _dual(runs: Runs) -> Verdict:
    found = need(runs.where(kind="tables"))
    most = max(found.settings("n"))
    last = found.where(n=most)
    pairs, er = (last.where(graph=graph) for graph in GRAPHS)
    shares = last.all(lambda r: feasible(r, "beta-min"))
    gammas = [value for record in pairs for value in record["gamma"]]
    return Verdict(
        claim="Strict dual feasibility: with enough rows |∂L/∂W| < λ₁ on every absent edge at the "
        "witness, because ‖∇L(W*)‖∞ concentrates around zero there (step 1.3).",
        printed="P(‖∇L(W*)‖∞ ≥ t) ≤ c₁ exp(−c₂Nt²)",
        measured=f"{short(most)} rows, λ₁ of beta-min: feasible in "
        f"{span([100.0 * value for value in shares])} % of the tables; ‖∇L(W*)‖∞ off the edges "
        f"{span([value for r in last for value in r['all']])}, on absent edges that close no cycle "
        f"{span([value for r in last for value in r['others']])}",
        outcome=Outcome.judge(min(shares) >= SURE, partly=max(shares) >= SURE),
        evidence=prose(
            "On disjoint edges all assumptions hold: ",
            f"γ is {span(gammas)} with {short(most)} rows, κ {span(_all(pairs, 'kappa'))}, and λ₁ "
            "is what beta-min allows. There the force on absent edges is "
            f"{span(at(pairs, 'beta-min', 'force'))}, on the benchmark's graphs "
            f"{span(at(er, 'beta-min', 'force'))}, with λ₁ = {span(at(last, 'beta-min', 'lam'))}. "
            "The gradient of the loss at W* has mean zero only on absent edges that close no "
            "cycle; on the others its mean is −σ²T, the total effect that runs the other way "
            "(docs/theory.md, Proposition 2), and more rows do not change it.",
        ),
    )


def _all(runs: Runs, name: str) -> list[float]:
    return [value for record in runs for value in record[name]]


def _sample_size(runs: Runs) -> Verdict:
    found = need(runs.where(kind="tables"))
    groups = found.by("graph", "d")
    orders = [_order(group, "high_all") for group in groups]
    others = [_order(group, "high_others") for group in groups]
    need(all(p is not None for p in (*orders, *others)))
    allowed = [rows_needed(group, "beta-min") for group in groups]
    large = {
        graph: [rows_needed(group, "1.0") for group in found.where(graph=graph).by("d")]
        for graph in found.settings("graph")
    }
    constants = {d: found.where(d=d).mean("constant") for d in found.settings("d")}
    law, right = (
        all(p is not None and abs(p + 0.5) < NEAR for p in found) for found in (orders, others)
    )
    return Verdict(
        claim="N = Ω(log d/λ₁²) rows suffice for strict dual feasibility with high probability "
        "(step 1.3).",
        printed="N ≥ 4 log(c₁/δ)/(c₂γ²λ₁²)",
        measured="‖∇L(W*)‖∞ off the edges falls like N^p with p = "
        f"{_interval(orders)}, to be −0.5; on absent edges that close no cycle p = "
        f"{_interval(others)}. At the λ₁ of beta-min "
        f"{share(n is not None for n in allowed)} settings have such an N up to "
        f"{short(max(found.settings('n')))}",
        outcome=Outcome.judge(law and all(allowed), partly=any(n is not None for n in allowed)),
        evidence=prose(
            f"Simulated: N from {span(found.settings('n'))}, d = {span(found.settings('d'))}, λ₁ = "
            f"{', '.join(map(str, LAMS))}, two kinds of graphs, {found[0]['tables']} tables each. "
            "On absent edges that close no cycle the 90 % quantile times √(N/log d) is "
            + ", ".join(f"{short(c, 2)} at d = {d}" for d, c in constants.items())
            + (": there the law is right. But it is not these that fail" if right else "")
            + ". At λ₁ = 1, far beyond beta-min, the rows that suffice are "
            + "; ".join(
                f"{graph} {', '.join('none' if n is None else short(n, 1) for n in values)}"
                for graph, values in large.items()
            )
            + " (by d).",
            not all(allowed) and " What decides is λ₁ against the force, not N.",
        ),
    )


def _interval(values: list[float | None]) -> str:
    return interval([value for value in values if value is not None])


def _inclusion(runs: Runs) -> Verdict:
    found = need(runs.where(kind="tables"))
    kept, quiet = at(found, "beta-min", "kept"), _quiet(found, "beta-min")
    weakest = _all(found, "weakest")
    enough = [b < w for b, w in zip(at(found, "beta-min", "bound"), weakest, strict=True)]
    halves = [w / 2.0 for w in weakest]  # 2λ₁/κ at the λ₁ of beta-min
    entries = at(found, "beta-min", "largest_error")
    within = [e <= h for e, h in zip(entries, halves, strict=True)]
    when_quiet = [k for k, q in zip(kept, quiet, strict=True) if q]
    return Verdict(
        claim="No edge is lost: |Ŵ| ≥ 4λ₁/κ − 2λ₁/κ > 0 on every edge, by beta-min and step 1.2 "
        "(step 1.4).",
        printed="2λ₁/κ > 0 remains",
        measured=f"the bound of step 1.2 is below the weakest edge in {share(enough)} tables; all "
        f"edges kept in {share(map(bool, kept))}, errors within 2λ₁/κ in {share(within)}",
        outcome=Outcome.judge(all(enough) and all(kept), partly=when_quiet and all(when_quiet)),
        evidence="At the λ₁ of beta-min. Step 1.2 gives 2λ₁√|S|/κ, step 1.4 uses 2λ₁/κ: the factor "
        "√|S| is left out, and with it nothing remains from four edges on. Where the noise on the "
        f"edges is at most λ₁ all are kept in {share(map(bool, when_quiet))} tables all the same. "
        "The loss splits by node, so that √|S| may be "
        "replaced by the root of the number of parents, which leaves something for nodes with "
        f"fewer than four parents; here they have up to {max(found.all('most_parents'))}.",
    )


def _smoothing_bias(runs: Runs) -> Verdict:
    found = need(runs.where(kind="bias"))
    orders = {
        name: [exponent(g.all("delta"), g.all(name)) for g in found.by("seed")]
        for name in ("near", "nearer", "away")
    }
    need(all(p is not None for values in orders.values() for p in values))
    near = [p for name in ("near", "nearer") for p in orders[name] if p is not None]
    ratio = found.where(delta=min(found.settings("delta"))).interval(
        lambda r: r["near"] / r["expected"], 3
    )
    return Verdict(
        claim="Smoothing changes the gradient by at most Cδ: ‖E_bias‖∞ ≤ Cδ, so that it is "
        "swallowed by the margin of strict dual feasibility for δ = O(λ₁) (step 2.3).",
        printed="slope 1 in δ",
        measured=f"slope {_interval(orders['near'])} at an edge of size δ: |∂h̃ − ∂h| is "
        f"{found.span('near', 3)} for δ from {found.span('delta')}; slope "
        f"{_interval(orders['away'])} at one of size 0.1",
        outcome=Outcome.judge(min(near) > 1.0 - NEAR, partly=min(near) > 0.5),
        evidence=prose(
            "S-AHOC, the absent edge of a DAG that closes the dearest cycle, set to δ, to δ/100 "
            f"and to 0.1, {len(found.settings('seed'))} graphs. The bias at size δ is {ratio} "
            "times (1−α)C(1 − 1/√2), as docs/theory.md proves (Proposition 3a), and at δ/100 "
            f"{found.span('nearer', 3)}, near its supremum (1−α)C = {found.span('supremum', 3)}, "
            "for every δ. |w| and √(w² + δ²) are close, their slopes are not: at zero the one "
            f"jumps from −1 to 1 and the other is 0 (measured: {found.span('at_zero')}).",
            min(near) <= 1.0 - NEAR
            and " So the bias does not become small where the proof needs it, on entries that are "
            "to become zero; multiplied by the weight of h it grows with it. This is the step on "
            "which the theorem breaks: the kink that smoothing removes is what would lock.",
        ),
    )


EXPERIMENT = experiment(
    "proof",
    "The steps of the recovery proof",
    "appendix with the proof of Theorem 3.7, steps 1.2 to 1.4 and 2.3",
    *(cases, run, tables),
    figures={"proof": draw},
    quantities=QUANTITIES,
    claims=[_error_bound, _dual, _sample_size, _inclusion, _smoothing_bias],
)
