"""ProximalLS: proximal gradient on the constraint as it is, without smoothing."""

from __future__ import annotations

from dataclasses import dataclass

from daglock.solvers.augmented_lagrangian import ProximalSolver


@dataclass(frozen=True, kw_only=True)
class ProximalLS(ProximalSolver):
    """Proximal gradient with line search inside an augmented Lagrangian, on any constraint.

    The ablation of the SPG-AHOC paper. Its line search needs a gradient that is Lipschitz; at a
    constraint with ``|W|`` in its core there is none where an entry is zero, the one-sided
    derivative is not a descent direction, and the run ends with "line search stalled".

    Parameters
    ----------
    See `SPG`, without `delta_path`.

    References
    ----------
    SPG-AHOC paper, remark 2.9 (theoretical barrier for Proximal-LS).

    Examples
    --------
    >>> from daglock import losses, moments, penalties, problem
    >>> from daglock.constraints import Exp
    >>> S = moments.Moments.from_covariance([[1.0, 0.8], [0.8, 1.64]], n=1000)
    >>> task = problem.Problem(losses.LeastSquares(S), Exp(), penalties.L1(0.1))
    >>> ProximalLS(max_inner=50).solve(task).W.round(1).tolist()
    [[0.0, 0.7], [0.0, 0.0]]
    """
