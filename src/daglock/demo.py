"""A demonstration: real data with the engine, then all solvers on one simulated graph.

Run it with ``python -m daglock.demo`` or ``make demo``; ``--nodes 50`` for a larger graph.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from daglock.constraints import SAHOC, Exp, LogDet, Smoothed
from daglock.datasets import load_sachs
from daglock.engine import learn
from daglock.graph import dag_to_cpdag, threshold
from daglock.losses import LeastSquares
from daglock.metrics import compare, compare_cpdag
from daglock.moments import Moments
from daglock.penalties import L1
from daglock.problem import Problem
from daglock.plotting import save_graph
from daglock.simulate import erdos_renyi, linear_sem
from daglock.solution import Solution
from daglock.solvers import SPG, AdamALM, CentralPath, ProximalLS, solve
from daglock.typing import Array, Constraint, Solver

_THRESHOLD = 0.3


@dataclass(frozen=True)
class Entry:
    """A method with the problem that it is given."""

    name: str
    solver: Solver
    constraint: Constraint
    lam: float


def entries(moments: Moments) -> list[Entry]:
    """Return the methods of the paper, in its settings."""
    smoothed = Smoothed(SAHOC(alpha=0.5), delta=1e-7)
    stable = Problem(LeastSquares(moments), smoothed, L1(0.0)).force_at_zero()
    path = np.geomspace(0.3, 1e-6, 12).tolist()
    return [
        Entry("SPG, lam = |∇L(0)|", SPG(), smoothed, stable),
        Entry("SPG, lam = 0.1", SPG(), smoothed, 0.1),
        Entry("SPG, lam = 0.1, delta path", SPG(delta_path=path), smoothed, 0.1),
        Entry("ProximalLS on S-AHOC", ProximalLS(), SAHOC(alpha=0.5), 0.1),
        Entry("ProximalLS on Exp", ProximalLS(), Exp(), 0.1),
        Entry("AdamALM on Exp (NOTEARS)", AdamALM(), Exp(), 0.1),
        Entry("CentralPath (DAGMA)", CentralPath(), LogDet(), 0.05),
    ]


def show_sachs(picture: str | None) -> None:
    """Learn the graph of the data that ships with daglock and print it beside the truth."""
    sachs = load_sachs("observational")
    moments = Moments.from_data(sachs.data, names=sachs.names)
    print(f"Sachs et al. (2005): {moments.d} molecules in {moments.n} cells.\n")
    learned = learn(moments, rng=0)
    W = learned.to_sparse().toarray()
    cpdag = np.asarray(dag_to_cpdag(W))
    deviation = np.sqrt(np.diag(moments.cov))
    body = []
    for i, j, weight in sorted(zip(learned.source, learned.target, learned.weight, strict=True)):
        oriented = cpdag[i, j] == 1
        forward, backward = sachs.truth_17[i, j], sachs.truth_17[j, i]
        known = "reversed" if oriented and backward else "yes" if forward or backward else "no"
        body.append(
            (
                f"{sachs.names[i]} {'->' if oriented else '--'} {sachs.names[j]}",
                "yes" if oriented else "no",
                f"{weight * deviation[i] / deviation[j]:+.2f}",
                known,
            )
        )
    print(render([("edge", "oriented by the data", "effect in sd", "in the 17 edges"), *body]))
    truth = np.asarray(dag_to_cpdag(np.asarray(sachs.truth_17, dtype=np.float64)))
    distance, empty = compare_cpdag(cpdag, truth).shd, compare_cpdag(0 * cpdag, truth).shd
    print(f"\nDistance to the equivalence class of the 17 edges: {distance}; empty graph: {empty}.")
    print(f"Certificate: {learned.certificate}.")
    print(f"Verified from the moments alone: {learned.certificate.verify(moments)}.\n")
    if picture is not None:
        save_graph(picture, W * deviation[:, None] / deviation, cpdag, sachs.names)
        print(f"Picture: {picture}\n")


def engine_row(truth: Array, moments: Moments) -> tuple[str, ...]:
    """Run the engine and return its row of the table."""
    print("  daglock ... ", end="", flush=True)
    begin = perf_counter()
    learned = learn(moments, rng=0)
    seconds = perf_counter() - begin
    print(f"{learned.message} ({seconds:.2f} s)", flush=True)
    W = learned.to_sparse().toarray()
    return (
        "daglock",
        learned.status.value,
        str(compare(W, truth).shd),
        str(compare(threshold(W, _THRESHOLD), truth).shd),
        str(np.count_nonzero(W)),
        "yes" if learned.certificate.is_dag else "no",
        f"{seconds:.2f}",
    )


def rows(truth: Array, moments: Moments, time_limit: float) -> Iterator[tuple[str, ...]]:
    """Run each method and yield its row of the table."""
    empty = np.zeros_like(truth)
    yield ("empty graph", "-", str(compare(empty, truth).shd), "-", "0", "yes", "-")
    yield engine_row(truth, moments)
    for entry in entries(moments):
        print(f"  {entry.name} ... ", end="", flush=True)
        problem = Problem(LeastSquares(moments), entry.constraint, L1(entry.lam))
        solution = solve(problem, entry.solver, time_limit=time_limit)
        print(f"{solution.status.sentence} ({solution.seconds:.1f} s)", flush=True)
        yield _row(entry.name, solution, truth)


def _row(name: str, solution: Solution, truth: Array) -> tuple[str, ...]:
    """Return the cells of one method."""
    strong = threshold(solution.W, _THRESHOLD)
    return (
        name,
        solution.status.value.replace("_", " "),
        str(compare(solution.W, truth).shd),
        str(compare(strong, truth).shd),
        str(solution.n_nonzero),
        "yes" if solution.is_dag else "no",
        f"{solution.seconds:.1f}",
    )


def render(table: Sequence[Sequence[str]]) -> str:
    """Return a table with aligned columns, its first row as the head."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]

    def line(cells: Sequence[str]) -> str:
        left = [cell.ljust(width) for cell, width in zip(cells[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(cells[2:], widths[2:], strict=True)]
        return "  ".join([*left, *right])

    head, *body = table
    return "\n".join([line(head), "  ".join("-" * width for width in widths), *map(line, body)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Simulate, solve, print."""
    parser = argparse.ArgumentParser(prog="python -m daglock.demo", description=__doc__)
    parser.add_argument("--nodes", type=int, default=20, help="nodes and edges (default 20)")
    parser.add_argument("--samples", type=int, default=1000, help="rows of data (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of graph and data (default 0)")
    parser.add_argument(
        "--time-limit", type=float, default=60.0, help="seconds for each method (default 60)"
    )
    parser.add_argument("--picture", metavar="FILE", help="draw the first graph into a file")
    options = parser.parse_args(arguments)
    show_sachs(options.picture)
    d = options.nodes
    truth = erdos_renyi(n_nodes=d, n_edges=d, weights=(0.5, 1.0), rng=options.seed)
    moments = Moments.from_data(linear_sem(truth, n_samples=options.samples, rng=options.seed + 1))
    print(f"Erdős-Rényi graph: {d} nodes, {d} edges, weights ±[0.5, 1]; {options.samples} rows.")
    print("daglock and the methods of the paper, with exact zeros where a method makes them:\n")
    body = list(rows(np.asarray(truth), moments, options.time_limit))
    head = ("method", "status", "SHD", "SHD > 0.3", "non-zeros", "DAG", "seconds")
    print(f"\n{render([head, *body])}\n")
    print("SHD: edges to add, remove or reverse; 0 is the true graph. SHD > 0.3: after weights")
    print("below 0.3 are dropped by hand, which methods without exact zeros need.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
