"""Problem: loss, constraint and penalty together, with the edges that are allowed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from daglock._parameters import as_numbers
from daglock.errors import InvalidParameterError
from daglock.typing import Array, BoolArray, Constraint, Loss, Penalty


@dataclass(frozen=True, eq=False)
class Problem:
    """Minimise ``L(W) + penalty(W)`` subject to ``h(W) = 0`` and ``W = 0`` where not allowed.

    Parameters
    ----------
    loss, constraint, penalty : what answers to the protocols in `daglock.typing`.
    allowed : (d, d) bool, ``allowed[i, j]`` says whether i → j may be an edge; all by default. The
        diagonal never is, and the attribute ``mask``, read-only, says so.

    Examples
    --------
    >>> from daglock.constraints import Exp
    >>> from daglock.losses import LeastSquares
    >>> from daglock.moments import Moments
    >>> from daglock.penalties import L1
    >>> moments = Moments.from_covariance([[1.0, 0.5], [0.5, 2.0]], n=100)
    >>> problem = Problem(LeastSquares(moments), Exp(), L1(0.1))
    >>> problem.objective(np.array([[0.0, 0.5], [0.0, 0.0]]))
    1.425
    >>> problem.kkt_residual(np.array([[0.0, 0.4], [0.0, 0.0]]))  # 1 → 0 would enter
    0.4
    """

    loss: Loss
    constraint: Constraint
    penalty: Penalty
    allowed: BoolArray | None = None
    mask: BoolArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        _require("loss", self.loss, Loss)
        _require("constraint", self.constraint, Constraint)
        _require("penalty", self.penalty, Penalty)
        d: int | None = getattr(self.loss, "d", None)  # not all losses tell
        if self.allowed is None:
            if d is None:
                raise InvalidParameterError(
                    "The loss does not tell its number of variables d: give `allowed`."
                )
            mask = np.ones((d, d), dtype=np.bool_)
        else:
            mask = np.array(self.allowed, dtype=np.bool_)
            if mask.ndim != 2 or mask.shape[0] != mask.shape[1]:
                raise InvalidParameterError(
                    f"allowed must be a square matrix; its shape is {mask.shape}."
                )
            if d is not None and mask.shape[0] != d:
                raise InvalidParameterError(
                    f"allowed is for {mask.shape[0]} variables and the loss for {d}."
                )
        np.fill_diagonal(mask, False)
        mask.flags.writeable = False
        object.__setattr__(self, "mask", mask)

    @property
    def d(self) -> int:
        """Number of variables."""
        return int(self.mask.shape[0])

    @property
    def exact_constraint(self) -> Constraint:
        """The constraint without its smoothing."""
        exact: Constraint = getattr(self.constraint, "exact", self.constraint)
        return exact

    def objective(self, W: Array) -> float:
        """Loss plus penalty."""
        return self.loss.value(W) + self.penalty.value(W)

    def force_at_zero(self) -> float:
        """‖∇L(0)‖_∞ over the allowed entries: from this ``lam`` on, W = 0 is stationary.

        At W = 0 the gradient of h vanishes or, with a kink, only holds entries at zero; an L1
        penalty with ``lam`` at least this large holds all of them.
        """
        _, grad = self.loss.value_and_grad(np.zeros((self.d, self.d)))
        return float(np.max(np.abs(grad), where=self.mask, initial=0.0))

    def starting_point(self, start: Array | None = None) -> Array:
        """Return a copy of `start`, checked, zero where no edge is allowed; zeros by default."""
        if start is None:
            return np.zeros((self.d, self.d))
        W = as_numbers("start", start).copy()
        if W.shape != (self.d, self.d):
            raise InvalidParameterError(
                f"start must have shape ({self.d}, {self.d}); its shape is {W.shape}."
            )
        if not np.isfinite(W).all():
            raise InvalidParameterError("start must be finite.")
        W[~self.mask] = 0.0
        return W

    def kkt_residual(self, W: Array, multiplier: float = 0.0) -> float:
        """How far W is from a stationary point of ``L + penalty + multiplier · h``.

        The largest distance, over the allowed entries, of ``−(∇L + multiplier ∇h)`` to the
        subdifferential of the penalty. Where ``W_ij = 0`` and the core of h has a kink there, h
        contributes the interval ``multiplier · kink · C_ij · [−1, 1]`` with ``C = ∂h/∂M``.
        """
        _, grad = self.loss.value_and_grad(W)
        extra_l1: float | Array = 0.0
        if multiplier != 0:
            _, grad_h = self.constraint.value_and_grad(W)
            if self.constraint.kink > 0:
                _, C = self.constraint.value_and_core_grad(W)
                grad_h = np.where(W == 0, 0.0, grad_h)
                extra_l1 = np.where(W == 0, multiplier * self.constraint.kink * C, 0.0)
            grad = grad + multiplier * grad_h
        distance = self.penalty.subdifferential_distance(W, grad, extra_l1)
        return float(np.max(distance, where=self.mask, initial=0.0))


def _require(role: str, piece: object, protocol: type) -> None:
    """Raise InvalidParameterError unless a piece answers to its protocol."""
    if isinstance(piece, type) or not isinstance(piece, protocol):
        raise InvalidParameterError(
            f"The {role} must be an instance of a class that answers to "
            f"daglock.typing.{protocol.__name__}; got {piece!r}."
        )
