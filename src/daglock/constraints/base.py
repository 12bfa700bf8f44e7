"""What all constraints share: ``h(W) = Σ φ(A_b)`` over strong components, ``A = M(W)/D``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from daglock._parameters import as_numbers
from daglock.constraints.components import SupportGraph, is_strongly_connected
from daglock.constraints.core import Core, Scaling, saturate
from daglock.constraints.spectral import Spectral
from daglock.errors import InvalidDataError
from daglock.typing import Array

SMALLEST = float(np.finfo(np.float64).smallest_subnormal)
_DENSE_ABOVE = 0.1


class Composition:
    """An acyclicity constraint made of a core, a scaling and a spectral function.

    The value is exactly 0.0 when the graph of W is acyclic and positive otherwise: where the
    arithmetic underflows on a cyclic graph, the value is the smallest positive double.

    The diagonal counts: ``W[i, i] != 0`` is a cycle, and the gradients have diagonal entries.
    W and the gradients have shape (d, d).
    """

    entrywise: Core
    scaling: Scaling
    spectral: Spectral

    def compose(self, **pieces: Core | Scaling | Spectral) -> None:
        """Set the pieces that depend on parameters; to be called by ``__post_init__``."""
        for name, piece in pieces.items():
            object.__setattr__(self, name, piece)

    @property
    def kink(self) -> float:
        """Coefficient of ``|W_ij|`` in the core: 0 for a core that is smooth at zero."""
        return self.entrywise.kink

    def core(self, W: Array) -> Array:
        """M(W), entrywise non-negative."""
        return self.entrywise.value(_square(W))

    def value(self, W: Array) -> float:
        """h(W): 0.0 on a DAG, positive otherwise, +inf on overflow or outside the domain."""
        W = _square(W)
        graph = self._split(W)
        if graph is None:
            A = self.scaling.apply(self.entrywise.value(W)).A
            return max(self.spectral.value(A), SMALLEST)
        A = self.scaling.apply(self.entrywise.value(W[graph.rows, graph.columns])).A
        return self._sum_of_blocks(A, graph)

    def value_and_grad(self, W: Array) -> tuple[float, Array]:
        """h(W) and its gradient with respect to W.

        Where ``W_ij = 0`` and the core has a kink, the entry is the one-sided derivative from
        above; the one from below is its negative. Outside the domain (value +inf, log-det only)
        the gradient is zero; where it overflows it stays at the largest double.
        """
        W = _square(W)
        graph = self._split(W)
        if graph is None or self.kink > 0.0:
            value, C = self._value_and_core_grad(W, graph)
            with np.errstate(over="ignore"):
                return value, saturate(C * self.entrywise.derivative(W))
        # The core's slope vanishes where W does: only the derivative on edges is needed, and it
        # lives inside the strong components.
        weights = W[graph.rows, graph.columns]
        scaled = self.scaling.apply(self.entrywise.value(weights))
        G = np.zeros_like(weights)
        value = 0.0
        for nodes, edges in graph.cyclic_components():
            block = graph.block(scaled.A, nodes, edges)
            block_value, derivative = self.spectral.value_and_derivative(block)
            value += max(block_value, SMALLEST)
            G[edges] = derivative[graph.positions(nodes, edges)]
        grad = np.zeros_like(W)
        if not self._is_outside(value):
            with np.errstate(over="ignore"):
                slope = self.entrywise.derivative(weights)
                grad[graph.rows, graph.columns] = saturate(scaled.gradient(G) * slope)
        return value, grad

    def value_and_core_grad(self, W: Array) -> tuple[float, Array]:
        """h(W) and its gradient C with respect to the core matrix M.

        ``C_ij > 0`` for an absent edge i -> j exactly when it would close a cycle: it is the
        weight of the paths j ⇝ i. With a normalised core, entries on edges may be negative.
        """
        W = _square(W)
        return self._value_and_core_grad(W, self._split(W))

    def _value_and_core_grad(self, W: Array, graph: SupportGraph | None) -> tuple[float, Array]:
        """h(W) and C; ``graph`` is None when W is one dense block."""
        if graph is None:
            scaled = self.scaling.apply(self.entrywise.value(W))
            value, G = self.spectral.value_and_derivative(scaled.A)
            return max(value, SMALLEST), scaled.gradient(G)
        scaled = self.scaling.apply(self.entrywise.value(W[graph.rows, graph.columns]))
        value = self._sum_of_blocks(scaled.A, graph)
        if self._is_outside(value):
            return value, np.zeros_like(W)
        G = self.spectral.derivative(scaled.A, graph)
        on_edges = scaled.gradient(G[graph.rows, graph.columns])
        with np.errstate(over="ignore"):
            C = saturate(G * scaled.inverse)
        C[graph.rows, graph.columns] = on_edges
        return value, C

    def _sum_of_blocks(self, A: Array, graph: SupportGraph) -> float:
        """Σ φ over the strong components with an edge, each at least the smallest double."""
        return sum(
            (
                max(self.spectral.value(graph.block(A, nodes, edges)), SMALLEST)
                for nodes, edges in graph.cyclic_components()
            ),
            start=0.0,
        )

    def _is_outside(self, value: float) -> bool:
        """Whether the value says that W is outside the domain (and not just too large)."""
        return self.spectral.has_domain and math.isinf(value)

    def _split(self, W: Array) -> SupportGraph | None:
        """Return the graph of W, or None when all of W is one dense strongly connected block."""
        if self.entrywise.fills_zeros and W.size:
            return None
        if np.count_nonzero(W) >= _DENSE_ABOVE * W.size and is_strongly_connected(W != 0.0):
            # A single node is strongly connected even without an edge.
            return None if len(W) > 1 else SupportGraph(W)
        return SupportGraph(W)


def _square(W: Any) -> Array:
    """W as a square array of finite doubles."""
    array = as_numbers("W", W)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InvalidDataError(
            f"W must be a square matrix (W[i, j] is the edge i -> j); its shape is {array.shape}."
        )
    if not np.isfinite(array).all():
        raise InvalidDataError("W holds NaN or infinite values; every weight must be finite.")
    return array
