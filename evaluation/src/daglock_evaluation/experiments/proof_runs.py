"""How the steps of the recovery proof are measured: witnesses, forces and the bias of smoothing.

With E the edges of W*, the proof solves the problem restricted to E ("witness", step 1.1), bounds
its error (1.2), shows that the loss leaves every absent edge alone (1.3), that no edge is lost
(1.4), and that smoothing changes gradients by at most Cδ (2.3). Tables of N rows are drawn as their
covariance, so that N may be large. On "pairs", disjoint edges, all assumptions of the theorem hold
in the population; "ER1" is the benchmark.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from daglock.constraints import SAHOC, Smoothed
from daglock.graph import edge_list, parents_of
from daglock.simulate import erdos_renyi, population_covariance
from daglock.typing import Array, BoolArray
from daglock_evaluation.experiments.evidence import grid
from daglock_evaluation.experiments.experiment import Case, Result
from daglock_evaluation.experiments.measured import few, rounded
from daglock_evaluation.methods.paper import ALPHA

GRAPHS = ("pairs", "ER1")
SIZES = (10, 20, 50, 100)
ROWS = (300, 1000, 3000, 10_000, 100_000, 1_000_000, 10_000_000)
LAMS = ("beta-min", 0.01, 0.03, 0.1, 0.3, 1.0)
DELTAS = tuple(float(f"1e-{k}") for k in range(2, 9))
SETTLED = 1e-13  # a coordinate descent ends when no weight moves by more


def cases(quick: bool) -> list[Case]:
    """Return tables by graph, d and N, and biases by graph and δ."""
    sizes, rows, n, seeds = (SIZES[:2], ROWS[1:6:2], 5, 2) if quick else (SIZES, ROWS, 20, 5)
    return [
        *grid(kind="bias", d=10, seed=range(seeds), delta=DELTAS),
        *grid(kind="tables", graph=GRAPHS, d=sizes, n=rows, tables=n),
    ]


def run(case: Case) -> Result:
    """Run a case of one of the two kinds."""
    return _bias(case) if case["kind"] == "bias" else _tables(case)


def truth_of(graph: str, d: int, seed: int) -> Array:
    """Return true weights, ±[0.5, 1]: d edges at random, or an edge in each pair of nodes."""
    rng = np.random.default_rng([seed, d])
    if graph == "ER1":
        return np.asarray(erdos_renyi(d, d, weights=(0.5, 1.0), rng=rng))
    W = np.zeros((d, d))
    first = np.arange(0, d - 1, 2)
    W[first, first + 1] = rng.uniform(0.5, 1.0, len(first)) * rng.choice([-1.0, 1.0], len(first))
    return W


def drawn_covariance(Sigma: Array, n: int, rng: np.random.Generator) -> Array:
    """Draw the covariance of n Gaussian rows by Bartlett's decomposition of the Wishart law."""
    d = len(Sigma)
    A = np.tril(rng.standard_normal((d, d)), -1)
    A[np.diag_indices(d)] = np.sqrt(rng.chisquare(n - 1 - np.arange(d)))
    B = np.linalg.cholesky(Sigma) @ A
    return np.asarray(B @ B.T / n)


def closes_cycle(W: Array) -> BoolArray:
    """Return where an absent edge (j, i) has a directed path from i to j."""
    reach = np.linalg.inv(np.eye(len(W)) - (W != 0)) > 0.5  # counts of paths
    np.fill_diagonal(reach, False)
    return np.asarray(reach.T)


def witness(S: Array, W: Array, lam: float) -> Array:
    """Minimise ``½ tr((I−W)ᵀS(I−W)) + λ‖W‖₁`` over weights on the edges of W (step 1.1)."""
    found = np.zeros_like(W)
    for j, P in enumerate(parents_of(*edge_list(W)[:2], len(W))):
        A, b, w = S[np.ix_(P, P)], S[P, j], np.zeros(len(P))
        for _ in range(10_000):
            moved = 0.0
            for k in range(len(P)):
                z = b[k] - A[k] @ w + A[k, k] * w[k]
                new = math.copysign(max(abs(z) - lam, 0.0), z) / A[k, k]
                moved, w[k] = max(moved, abs(new - w[k])), new
            if moved <= SETTLED:
                break
        found[P, j] = w
    return found


def _tables(case: Case) -> dict[str, Any]:
    """Measure steps 1.2 to 1.4 on some tables of n rows, one value for each table and λ₁."""
    names = ("lam", "error", "bound", "largest_error", "noise", "force", "kept", "signs")
    by_lam: dict[str, dict[str, list[Any]]] = {str(lam): {k: [] for k in names} for lam in LAMS}
    found: dict[str, Any] = {name: [] for name in ("kappa", "weakest", "all", "others", "gamma")}
    most_parents = 0
    for seed in range(case["tables"]):
        W = truth_of(case["graph"], case["d"], seed)
        rng = np.random.default_rng([seed, case["d"], case["n"]])
        S = drawn_covariance(population_covariance(W), case["n"], rng)
        edges = W != 0
        absent = ~edges & ~np.eye(len(W), dtype=np.bool_)
        parents = [P for P in parents_of(*edge_list(W)[:2], len(W)) if len(P)]
        most_parents = max(most_parents, *map(len, parents))
        kappa = min(float(np.linalg.eigvalsh(S[np.ix_(P, P)])[0]) for P in parents)
        weakest = float(np.abs(W[edges]).min())
        grad = S @ (W - np.eye(len(W)))
        others = absent & ~closes_cycle(W)
        found["kappa"].append(kappa)
        found["weakest"].append(weakest)
        found["gamma"].append(_gamma(S, W))
        found["all"].append(float(np.abs(grad[absent]).max()))
        found["others"].append(float(np.abs(grad[others]).max()))
        for name, values in by_lam.items():
            lam = kappa * weakest / 4.0 if name == "beta-min" else float(name)
            V = witness(S, W, lam)
            error = float(np.linalg.norm(V - W))
            numbers = {
                "lam": lam,
                "error": error,
                "bound": 2.0 * lam * math.sqrt(edges.sum()) / kappa,
                "largest_error": float(np.abs(V - W).max()),
                "noise": float(np.abs(grad[edges]).max()),
                "force": float(np.abs((S @ (V - np.eye(len(W))))[absent]).max()),
            }
            for key, number in numbers.items():
                values[key].append(few(number))
            values["kept"].append(bool((V[edges] != 0).all()))
            values["signs"].append(bool((np.sign(V) == np.sign(W)).all()))
    shown = {name: rounded(values) for name, values in found.items()}
    return {**shown, "most_parents": most_parents, "by_lam": by_lam}


def _gamma(S: Array, W: Array) -> float:
    """Return γ of the irrepresentable condition, over all variables that are no parents."""
    worst = 0.0
    for j, P in enumerate(parents_of(*edge_list(W)[:2], len(W))):
        if len(P):
            sums = np.abs(np.linalg.solve(S[np.ix_(P, P)], S[P])).sum(axis=0)
            sums[[*P, j]] = 0.0
            worst = max(worst, float(sums.max()))
    return 1.0 - worst


def _bias(case: Case) -> dict[str, Any]:
    """Measure ``|∂h̃ − ∂h|`` at an absent edge that closes a cycle, of size δ, δ/100 and 0.1."""
    d, delta = case["d"], case["delta"]
    W = np.asarray(erdos_renyi(d, 2 * d, weights=(0.5, 1.0), rng=case["seed"]))
    exact = SAHOC(alpha=ALPHA)
    smooth = Smoothed(exact, delta=delta)
    C = np.where(W == 0, exact.value_and_core_grad(W)[1], 0.0)
    np.fill_diagonal(C, 0.0)
    at = np.unravel_index(int(C.argmax()), C.shape)
    price = (1.0 - ALPHA) * float(C[at])

    def gap(size: float) -> float | None:
        V = W.copy()
        V[at] = size
        return few(abs(smooth.value_and_grad(V)[1][at] - exact.value_and_grad(V)[1][at]))

    return {
        "near": gap(delta),
        "nearer": gap(0.01 * delta),
        "away": gap(0.1),
        "expected": few(price * (1.0 - math.sqrt(0.5))),  # docs/theory.md, Proposition 3a
        "supremum": few(price),
        "at_zero": float(abs(smooth.value_and_grad(W)[1][at])),
    }
