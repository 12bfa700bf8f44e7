"""The public names import and compose as the documents show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

import daglock
from daglock import DAGLock, Moments, Problem, solve
from daglock.constraints import AAC, AHOC, SAHOC, Exp, LogDet, Smoothed
from daglock.datasets import load_sachs
from daglock.losses import Gaussian, LeastSquares
from daglock.metrics import compare
from daglock.penalties import L1, MCP
from daglock.simulate import erdos_renyi, linear_sem, scale_free
from daglock.solution import Status
from daglock.solvers import SPG, AdamALM, CentralPath, ProximalLS


def test_every_public_name_loads() -> None:
    for name in daglock.__all__:
        assert getattr(daglock, name) is not None
    assert set(daglock.__all__) <= set(dir(daglock))


def test_the_papers_system_composes() -> None:
    W = erdos_renyi(n_nodes=10, n_edges=10, weights=(0.5, 1.0), rng=0)
    X = linear_sem(W, n_samples=1000, noise="gaussian", rng=1)
    loss = LeastSquares(Moments.from_data(X))
    problem = Problem(loss, Smoothed(SAHOC(alpha=0.5), delta=1e-7), L1(1.0))
    solution = solve(problem, SPG(max_outer=2))
    assert solution.W.shape == (10, 10)
    assert isinstance(solution.status, Status)
    assert solution.h >= 0.0
    assert solution.n_iter == len(solution.trace) - 1
    assert solution.trace.identification_iteration is not None
    result = compare(solution.W, W)
    assert result.shd == result.reversed + result.missing + result.extra
    assert result.true_positives + result.reversed + result.missing == 10
    assert min(result.tpr, result.fdr, result.f1) >= 0.0


def test_every_piece_of_the_paper_can_be_combined() -> None:
    moments = Moments.from_data(load_sachs("observational").data).standardised()
    empty = np.zeros((moments.d, moments.d))
    for loss in (LeastSquares(moments), Gaussian(moments)):
        for constraint in (Exp(), LogDet(), AAC(), AHOC(), SAHOC(), Smoothed(AHOC())):
            for penalty in (L1(0.1), MCP(0.1)):
                assert np.isfinite(Problem(loss, constraint, penalty).objective(empty))
    for solver in (ProximalLS(max_outer=1, max_inner=2), AdamALM(max_outer=1, max_inner=2)):
        assert solver.solve(Problem(loss, Exp(), L1(0.1))).n_iter <= 2
    path = CentralPath(s=(1.0,), last_iter=2)
    assert path.solve(Problem(loss, LogDet(), L1(0.1))).n_iter == 2


def test_the_tool_answers_as_the_design_says(tmp_path: Path) -> None:
    X = linear_sem(erdos_renyi(n_nodes=6, n_edges=6, rng=0), n_samples=300, rng=1)
    model = DAGLock().fit(X)
    assert set(model.edges_.dtype.names) >= {"source", "target", "weight"}
    assert model.to_sparse().shape == model.weights_.shape == model.adjacency_matrix_.shape
    assert model.causal_graph_.number_of_nodes() == 6
    assert model.cpdag_.shape == model.identified_.shape == (6, 6)
    assert model.certificate_.is_dag
    assert model.certificate_.verify(Moments.from_data(X))
    assert model.status_.sentence
    assert model.noise_model_ in ("equal", "unequal")
    assert len(model.noise_variances_) == len(model.topological_order_) == 6
    assert (model.trace_.identification_iteration is None) == (len(model.trace_.mu) == 0)
    again = DAGLock(random_state=0).fit_moments(Moments.from_data(X))
    again.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(daglock.load(tmp_path / "model.npz").weights_, again.weights_)
    known = daglock.Knowledge(
        forbidden=[("a", "b")], required=[], tiers=[["a"], ["b"]], roots=["a"], leaves=["b"]
    )
    assert known.masks(["a", "b"]).allowed is not None


def test_scale_free_names() -> None:
    assert scale_free(n_nodes=5, edges_per_node=1, rng=0).shape == (5, 5)


def test_import_is_light() -> None:
    """Importing the package loads no numerical library: names load when they are used."""
    code = "import sys, daglock; print(any(m in sys.modules for m in ('numpy', 'scipy', 'numba')))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"
