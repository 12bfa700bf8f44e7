"""What became of the claims on scalability (section 4.4 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daglock_evaluation.experiments.experiment import Outcome, Record, Verdict
from daglock_evaluation.experiments.phrases import span
from daglock_evaluation.experiments.scoring import (
    average,
    matching,
    point_of,
    reaches_tolerance,
    spread,
    values,
)

SPG = "SPG-AHOC"
SPG_GRID = (0.1, 0.5, 1.0)
DENSE = ("EXP [Adam]", "DAGMA")
# Table 3: seconds, SHD, NNZ by method and d.
PRINTED: Mapping[str, Mapping[int, tuple[float, int, int]]] = {
    "EXP [Adam]": {
        50: (17.8, 51, 2450),
        100: (43.3, 116, 9899),
        200: (148.2, 250, 39793),
        500: (1054.1, 607, 249449),
    },
    "DAGMA": {
        50: (6.5, 51, 2450),
        100: (16.6, 104, 9900),
        200: (43.4, 226, 39799),
        500: (170.4, 567, 249498),
    },
    SPG: {
        50: (3.7, 49, 49),
        100: (14.1, 104, 88),
        200: (25.3, 226, 198),
        500: (502.6, 535, 482),
    },
}


def sizes(records: Sequence[Record]) -> list[int]:
    """Return the sizes d that were run."""
    return sorted({record.case["d"] for record in records})


def verdicts(records: Sequence[Record]) -> list[Verdict]:
    """Judge the claims for the sizes that have all of the paper's methods."""
    needed = (*DENSE, SPG, "daglock")
    shown = [d for d in sizes(records) if all(matching(records, d=d, method=m) for m in needed)]
    if not shown:
        return []
    return [
        _speed(records, shown),
        _density(records, shown),
        _sparsity(records, shown),
        _support(records, shown),
        _acyclic(records, shown),
        _accuracy(records, shown),
    ]


def spg_runs(records: Sequence[Record], d: int) -> list[Record]:
    """Return the runs of SPG-AHOC at one d."""
    return matching(records, method=SPG, d=d)


def _speed(records: Sequence[Record], shown: Sequence[int]) -> Verdict:
    """Judge the speed-ups at d = 50, or at the size that comes nearest."""
    d = min(shown, key=lambda size: abs(size - 50))
    spg = {
        lam: values(matching(records, method=SPG, d=d, lam=lam), "cpu_seconds") for lam in SPG_GRID
    }
    spg = {lam: seconds for lam, seconds in spg.items() if seconds}
    settled = [r for r in spg_runs(records, d) if reaches_tolerance(r.result)]
    times = {
        m: values(matching(records, method=m, d=d), "cpu_seconds") for m in (*DENSE, "daglock")
    }
    fastest = min(average(seconds) for seconds in spg.values())
    slowest = max(average(seconds) for seconds in spg.values())
    exp, dagma, engine = (average(times[m]) for m in (*DENSE, "daglock"))
    others = {size: _times_as_long(records, size) for size in shown if size <= 200 and size != d}
    ratios = [(exp / slowest, dagma / slowest), *others.values()]
    faster = [min(pair) > 1.0 for pair in ratios]
    beyond = "".join(
        f" At d = {size} EXP takes {a:.2g} and DAGMA {b:.2g} times as long."
        for size, (a, b) in others.items()
    )
    outcome = Outcome.judge(
        all(faster) and len(settled) == len(spg_runs(records, d)), partly=all(faster) and settled
    )
    by_lam = ", ".join(f"{spread(seconds)} s at λ₁ = {lam:g}" for lam, seconds in spg.items())
    return Verdict(
        claim="At d = 50 SPG-AHOC is 1.8 times as fast as DAGMA and 4.8 times as fast as NOTEARS, "
        "and ahead of both up to d = 200 (section 4.4, figure and Table 3).",
        printed="3.7 s; DAGMA 6.5 s (1.8×), EXP 17.8 s (4.8×)",
        measured=f"d = {d}: DAGMA takes {dagma / slowest:.2g} to {dagma / fastest:.2g} times as "
        f"long as SPG-AHOC, EXP {exp / slowest:.2g} to {exp / fastest:.2g} times",
        outcome=outcome,
        evidence=f"CPU seconds of one core at d = {d}: SPG-AHOC {by_lam}; DAGMA {dagma:.3g} s, "
        f"EXP [Adam] {exp:.3g} s, all built from the same pieces here. Of the "
        f"{len(spg_runs(records, d))} runs of SPG-AHOC {len(settled)} ended with h ≤ 1e-8; a time "
        "to the end of a run that gives no DAG is not a time to a solution, whereas EXP and DAGMA "
        f"are left with SHD {_cut(records, DENSE[0], d)} and {_cut(records, DENSE[1], d)} after "
        f"the cut at 0.3. The engine, daglock, takes {engine:.2g} s for SHD "
        f"{spread(values(matching(records, method='daglock', d=d), 'shd'))}.{beyond}",
    )


def _times_as_long(records: Sequence[Record], d: int) -> tuple[float, float]:
    """Return the times of EXP and DAGMA over that of SPG-AHOC at its slowest λ₁."""
    spg = max(
        average(seconds)
        for lam in SPG_GRID
        if (seconds := values(matching(records, method=SPG, d=d, lam=lam), "cpu_seconds"))
    )
    exp, dagma = (
        average(values(matching(records, method=m, d=d), "cpu_seconds")) / spg for m in DENSE
    )
    return exp, dagma


def _density(records: Sequence[Record], shown: Sequence[int]) -> Verdict:
    """Judge whether the baselines return dense matrices."""
    runs = [r for d in shown for m in DENSE for r in matching(records, method=m, d=d)]
    least = min(point_of(r.result)["nnz"] / (r.case["d"] * (r.case["d"] - 1)) for r in runs)
    parts = [
        f"d = {d}: EXP {spread(values(matching(records, method=DENSE[0], d=d), 'nnz'), 6)}, DAGMA "
        f"{spread(values(matching(records, method=DENSE[1], d=d), 'nnz'), 6)} of {d * (d - 1)}"
        for d in shown
    ]
    exact = [
        r
        for d in shown
        for m in ("AAC [Prox-LS]", "AHOC [Prox-LS]")
        for r in matching(records, method=m, d=d)
    ]
    also = (
        " The other proximal methods have exact zeros as well: sparsity "
        f"{spread([point_of(r.result)['sparsity'] for r in exact], 2)}."
        if exact
        else ""
    )
    return Verdict(
        claim="EXP and DAGMA return dense matrices, with about d² non-zeros, and need a threshold "
        "(section 4.4, Table 3).",
        printed="NNZ 2450, 9899, 39793, 249449 (EXP) and 2450, 9900, 39799, 249498 (DAGMA)",
        measured="; ".join(parts),
        outcome=Outcome.CONFIRMED if least > 0.95 else Outcome.NOT_CONFIRMED,
        evidence=f"Non-zeros of the matrices as they come out: {'; '.join(parts)}. The least "
        f"dense has {least:.1%} of the entries off the diagonal filled. There is no proximal step "
        f"in either, so that no entry becomes exactly zero.{also}",
    )


def _sparsity(records: Sequence[Record], shown: Sequence[int]) -> Verdict:
    """Judge how many exact zeros SPG-AHOC returns."""
    sparsest = [max(values(spg_runs(records, d), "sparsity")) for d in shown]
    # at the λ₁ with the most zeros, an SHD no better than that of the empty graph
    hollow = [
        max(points, key=lambda p: float(p["sparsity"]))["shd"] >= 0.85 * d
        for d in shown
        for points in [[point_of(r.result) for r in spg_runs(records, d)]]
    ]
    sparse = min(sparsest) >= 0.95
    outcome = Outcome.judge(sparse and not any(hollow), partly=sparse)
    listed = "; ".join(f"d = {d}: {_by_lam(records, d, 'nnz')}" for d in shown)
    distances = "; ".join(f"d = {d}: {_by_lam(records, d, 'shd')}" for d in shown)
    return Verdict(
        claim="SPG-AHOC returns extremely sparse matrices, with 98 to 99.8 % exact zeros (section "
        "4.4, Table 3).",
        printed="NNZ 49, 88, 198, 482 at d = 50, 100, 200, 500",
        measured=f"NNZ, {listed}",
        outcome=outcome,
        evidence=f"The proximal step makes exact zeros: non-zeros {listed}. How many depends on "
        "λ₁, which the paper does not print. SHD of the matrices as they come out: "
        f"{distances}; that of the empty graph is d. At the λ₁ with the most zeros it is at least "
        f"0.85 d at {sum(hollow)} of {len(hollow)} sizes.",
    )


def _support(records: Sequence[Record], shown: Sequence[int]) -> Verdict:
    """Judge whether the non-zeros of SPG-AHOC are the true edges."""
    runs = [r for d in shown for r in spg_runs(records, d)]
    exact = sum(point_of(r.result)["shd"] == 0 for r in runs)
    near = sum(point_of(r.result)["shd"] < 0.15 * r.case["d"] for r in runs)
    distances = "; ".join(f"d = {d}: {_by_lam(records, d, 'shd')}" for d in shown)
    engine = "; ".join(
        f"d = {d}: {spread(values(matching(records, method='daglock', d=d), 'shd'), 6)}"
        for d in shown
    )
    outcome = Outcome.judge(exact == len(runs), partly=near)
    return Verdict(
        claim="SPG-AHOC finds the exact support without a threshold (section 4.4).",
        printed="exact support, no truncation; SHD 49, 104, 226, 535",
        measured=f"{exact} of {len(runs)} runs have the support of the true graph, {near} an SHD "
        "below 0.15 d",
        outcome=outcome,
        evidence=f"SHD of SPG-AHOC as it comes out, {distances}; empty graph d; daglock, which has "
        f"no threshold either, {engine}. The printed SHDs themselves are about the number of "
        "edges, which no exact support has.",
    )


def _by_lam(records: Sequence[Record], d: int, name: str) -> str:
    """Write one number of SPG-AHOC for each λ₁."""
    found = {lam: matching(records, method=SPG, d=d, lam=lam) for lam in SPG_GRID}
    return ", ".join(
        f"{spread(values(runs, name), 6)} at λ₁ = {lam:g}" for lam, runs in found.items() if runs
    )


def _acyclic(records: Sequence[Record], shown: Sequence[int]) -> Verdict:
    """Judge whether SPG-AHOC returns acyclic graphs."""
    runs = [r for d in shown for r in spg_runs(records, d)]
    dags = [r for r in runs if point_of(r.result)["is_dag"]]
    full = [r for r in dags if point_of(r.result)["nnz"]]
    h = [point_of(r.result)["h"] for r in runs]
    acyclic = len(dags) == len(runs)
    outcome = Outcome.judge(acyclic and full, partly=acyclic)
    statuses = [str(r.result["status"]).replace("_", " ") for r in runs]
    ends = ", ".join(f"{statuses.count(s)}× {s}" for s in sorted(set(statuses)))
    return Verdict(
        claim="SPG-AHOC returns strictly acyclic graphs, h(W) = 0.0, at every d (section 4.4).",
        printed="h = 0.0 at d = 50, 100, 200, 500",
        measured=f"{len(dags)} of {len(runs)} runs end at a DAG, {len(full)} of them with edges; "
        f"h {span(h)}",
        outcome=outcome,
        evidence="Whether a matrix is acyclic is decided on its graph, and h is the exact "
        f"constraint, without smoothing. The {len(runs)} runs at d = {', '.join(map(str, shown))} "
        f"and λ₁ below ‖∇L(0)‖∞ ended thus: {ends}. h is zero exactly when the graph has no "
        "cycle; with small reverse weights alive it is not.",
    )


def _accuracy(records: Sequence[Record], shown: Sequence[int]) -> Verdict:
    """Judge the SHDs at the largest size."""
    d = max(shown)
    spg = [point_of(r.result) for r in spg_runs(records, d)]
    best = min(min(p["shd"], p["shd_cut"]) for p in spg)
    dense = {m: average(values(matching(records, method=m, d=d), "shd_cut")) for m in DENSE}
    engine = average(values(matching(records, method="daglock", d=d), "shd"))
    sort = average(values(matching(records, method="sortnregress", d=d), "shd"))
    won = best < min(dense.values())
    outcome = Outcome.judge(won and best < d, partly=won)
    limited = [
        m
        for m in (*DENSE, SPG)
        if any(r.result["status"] == "time_limit" for r in matching(records, method=m, d=d))
    ]
    cut_short = f" The limit of CPU time ended {', '.join(limited)}." if limited else ""
    return Verdict(
        claim="At d = 500 SPG-AHOC has the lowest SHD of the three (section 4.4, Table 3).",
        printed="535; DAGMA 567, EXP 607",
        measured=f"d = {d}: SPG-AHOC {best}, DAGMA {dense['DAGMA']:.4g}, "
        f"EXP {dense['EXP [Adam]']:.4g}, daglock {engine:.3g}, empty graph {d}",
        outcome=outcome,
        evidence=f"At d = {d}, against the true graph: SPG-AHOC at its best over λ₁, with or "
        f"without the cut, {best}; after the cut DAGMA {dense['DAGMA']:.4g} and EXP "
        f"{dense['EXP [Adam]']:.4g}; sortnregress {sort:.3g}; daglock {engine:.3g}, without a "
        f"cut. The empty graph has {d}.{cut_short} All three printed values are above 500, the "
        "number of edges: by them the empty graph would beat every method of the table.",
    )


def _cut(records: Sequence[Record], method: str, d: int) -> str:
    """Write the SHD of a method after the cut."""
    return spread(values(matching(records, method=method, d=d), "shd_cut"))
