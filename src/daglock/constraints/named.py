"""The constraints by name: each is a core, a scaling and a spectral function."""

from __future__ import annotations

from dataclasses import dataclass

from daglock._parameters import require_number
from daglock.constraints.base import Composition
from daglock.constraints.core import Constant, Frobenius, HybridCore, SmoothedHybridCore
from daglock.constraints.spectral import LogDeterminant, TraceExponential
from daglock.errors import InvalidParameterError


@dataclass(frozen=True)
class Exp(Composition):
    """The trace exponential: ``h(W) = tr exp(W∘W) − d``.

    Smooth everywhere. Its gradient ``exp(W∘W)ᵀ ∘ 2W`` vanishes with W (like ``‖W‖³`` on a zero
    diagonal) and grows without bound.

    References
    ----------
    Zheng, Aragam, Ravikumar, Xing (2018), "DAGs with NO TEARS", theorem 1.

    Examples
    --------
    >>> import numpy as np
    >>> round(Exp().value(np.array([[0.0, 1.0], [1.0, 0.0]])), 6)
    1.086161
    >>> Exp().value(np.array([[0.0, 1.0], [0.0, 0.0]]))
    0.0
    """

    entrywise = HybridCore(1.0)
    scaling = Constant()
    spectral = TraceExponential()


@dataclass(frozen=True)
class LogDet(Composition):
    """The log-determinant: ``h(W) = −log det(sI − M) + d log s``.

    With ``alpha = 1``, DAGMA's, ``M = W∘W``; below 1 the core is the hybrid one of the paper,
    ``M = α W∘W + (1−α)|W|``, which is what the engine's continuous stage prices cycles with.
    Defined where the spectral radius of M is below s > 0; outside, the value is +inf and the
    gradient is reported as zero. The gradient with respect to M is ``(sI − M)⁻ᵀ``.

    References
    ----------
    Bello, Aragam, Ravikumar (2022), "DAGMA", theorem 1.

    Examples
    --------
    >>> import numpy as np
    >>> two_cycle = np.array([[0.0, 0.5], [0.5, 0.0]])
    >>> round(LogDet().value(two_cycle), 6)
    0.064539
    >>> LogDet(s=0.2).value(two_cycle)
    inf
    """

    s: float = 1.0
    alpha: float = 1.0
    spectral = LogDeterminant()

    def __post_init__(self) -> None:
        self.compose(entrywise=HybridCore(self.alpha), scaling=Constant(self.s))


@dataclass(frozen=True)
class AAC(Composition):
    """The normalised trace exponential: ``h(W) = tr exp(M/(‖M‖_F+ε)) − d``, ``M = W∘W``, ε > 0.

    With a zero diagonal the value stays below ``e − 2``. The gradient is bounded for each ε, by
    a bound that grows like ``1/√ε``: it is largest where ``‖W∘W‖_F`` is near ε.

    References
    ----------
    SPG-AHOC paper, section 2.3, definition of h_AAC.

    Examples
    --------
    >>> import numpy as np
    >>> round(AAC(epsilon=1.0).value(np.array([[0.0, 1.0], [1.0, 0.0]])), 6)
    0.17404
    """

    epsilon: float = 1e-8
    entrywise = HybridCore(1.0)
    spectral = TraceExponential()

    def __post_init__(self) -> None:
        self.compose(scaling=Frobenius(self.epsilon))


@dataclass(frozen=True)
class AHOC(Composition):
    """The hybrid-order constraint: ``h(W) = tr exp(M/(‖M‖_F+ε)) − d``, ε > 0.

    Its core ``M = α W∘W + (1−α)|W|``, 0 ≤ α < 1, has a kink at zero: at ``W_ij = 0`` the gradient
    is the derivative from above, ``(1−α) C_ij``. Near ``W = 0`` it grows like ``1/ε``.

    References
    ----------
    SPG-AHOC paper, section 2.4, definition of AHOC and S-AHOC (ASN core).

    Examples
    --------
    >>> import numpy as np
    >>> h, grad_h = AHOC(alpha=0.5, epsilon=0.5).value_and_grad(np.array([[0.0, 1.0], [0.0, 0.0]]))
    >>> h, grad_h.round(6)  # adding the reverse edge 1 -> 0 would close a cycle
    (0.0, array([[0.333333, 0.      ],
           [0.222222, 0.333333]]))
    """

    alpha: float = 0.5
    epsilon: float = 1e-8
    spectral = TraceExponential()

    def __post_init__(self) -> None:
        require_number("alpha", self.alpha, at_least=0, below=1)
        self.compose(entrywise=HybridCore(self.alpha), scaling=Frobenius(self.epsilon))


@dataclass(frozen=True)
class SAHOC(Composition):
    """The stable hybrid-order constraint: ``h(W) = tr exp(M/(‖M‖_F+1)) − d``.

    It is AHOC with ``ε = 1``; its core, too, is ``M = α W∘W + (1−α)|W|`` with 0 ≤ α < 1.

    References
    ----------
    SPG-AHOC paper, section 2.4, definition of AHOC and S-AHOC (S-ASN core).

    Examples
    --------
    >>> import numpy as np
    >>> h, grad_h = SAHOC(alpha=0.5).value_and_grad(np.array([[0.0, 1.0], [0.0, 0.0]]))
    >>> h, grad_h  # adding the reverse edge 1 -> 0 would close a cycle
    (0.0, array([[0.25 , 0.   ],
           [0.125, 0.25 ]]))
    """

    alpha: float = 0.5
    scaling = Frobenius(1.0)
    spectral = TraceExponential()

    def __post_init__(self) -> None:
        require_number("alpha", self.alpha, at_least=0, below=1)
        self.compose(entrywise=HybridCore(self.alpha))


@dataclass(frozen=True)
class Smoothed(Composition):
    """A hybrid constraint with a smooth core: ``M = α W∘W + (1−α) s(W)``.

    ``s(x) = √(x²+δ²)`` as in the paper, on all d² entries, the diagonal included. Then every
    absent edge has the strength ``(1−α)δ``, and the value is positive even on a DAG. Centred,
    ``s(x) = √(x²+δ²) − δ`` is zero at zero, and the value is zero exactly on DAGs.

    Either way ``s'(0) = 0``: the gradient is zero wherever W is, so it exerts no force on an
    absent edge. The curvature at zero is of order ``1/δ`` for an entry that would close a cycle
    at a DAG, and on the diagonal.

    Parameters
    ----------
    exact : AHOC or SAHOC
        The constraint whose core has the ``|x|``; kept as the attribute ``exact``.
    delta : float, default 1e-7
        Width of the smoothing, positive.
    centered : bool, default False
        Subtract δ, so that the smoothed core is zero at zero.

    References
    ----------
    SPG-AHOC paper, section 2.6, definition of the smoothed core.

    Examples
    --------
    >>> import numpy as np
    >>> empty = np.zeros((6, 6))
    >>> f"{Smoothed(SAHOC(alpha=0.5), delta=1e-7).value(empty):.1e}"
    '3.0e-07'
    >>> Smoothed(SAHOC(alpha=0.5), delta=1e-7, centered=True).value(empty)
    0.0
    """

    exact: Composition
    delta: float = 1e-7
    centered: bool = False

    def __post_init__(self) -> None:
        core = self.exact.entrywise if isinstance(self.exact, Composition) else None
        if not isinstance(core, HybridCore) or core.kink == 0.0:
            raise InvalidParameterError(f"{self.exact!r} has no |W| to smooth; use AHOC or SAHOC.")
        self.compose(
            entrywise=SmoothedHybridCore(core.alpha, self.delta, self.centered),
            scaling=self.exact.scaling,
            spectral=self.exact.spectral,
        )
