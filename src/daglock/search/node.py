"""What a search asks of one node, whatever the criterion: by the type of its spec.

`Spec` is a regression on columns of a covariance, `ContextSpec` regressions on covariances that
each node has of its own, `JointSpec` what sets of variables cost, `CurveSpec` a regression on
functions of columns. Kernels are compiled for one or the other; the functions of this file are
where they part.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from daglock._compiling import inlined, merged, part
from daglock.search.calling import seal
from daglock.search.contexts import (
    ContextSpec,
    ContextWork,
    columns_of,
    context_fit,
    context_fits,
    context_scores,
    find_row,
    make_context_work,
)
from daglock.search.curves import (
    CurveSpec,
    CurveWork,
    curve_costs,
    curve_gains_of_edges,
    make_curve_work,
    settle_curves,
)
from daglock.search.joint import joint_extras, joint_fits, joint_gains_of_edges, settle_joint
from daglock.search.memo import NOTHING, PARENT, relation_of
from daglock.search.parents import Work, least_gain, make_work, select
from daglock.search.regression import least_squares, residual_variances
from daglock.search.set_costs import JointSpec, JointWork, make_joint_work
from daglock.search.several import settle_several
from daglock.search.spec import ALLOWED, COLLINEAR, REQUIRED, Spec, conditional_variances
from daglock.search.start import full_regression_gains
from daglock.typing import Array, IntArray

AnySpec: TypeAlias = Spec | ContextSpec | JointSpec | CurveSpec
AnyWork: TypeAlias = Work | ContextWork | JointWork | CurveWork


# --- in kernels


# Not inlined: a function that is has another name in every process, and what is compiled with it
# would never be found again.
@merged
def settle_columns(spec: Spec, work: Work, u: int, out: NDArray[np.uint8]) -> float:
    """Choose parents by regressions."""
    score, m, rss = select(spec, work, u)
    relate(spec, work, u, m, rss, out)
    return float(score)


@inlined
def relate(spec: Spec, work: Work, u: int, m: int, rss: float, out: NDArray[np.uint8]) -> None:
    """Tell what every variable is to u: its m parents, and whom what they left says to pay.

    As one more parent or, where that does not pay and there are exchanges, in the place of one,
    which saves a price: that is as if RSS fell to exp(−k/weight) of what is left then.
    """
    r, D, variance, instead, left = work.r, work.D, spec.variance, work.instead, work.coefficient
    prices, least, floor = spec.weight[u] / spec.cost, least_gain(spec, u, rss), COLLINEAR
    floor *= variance[u]  # what is left below that is rounding, on every processor another
    share = np.exp(-1.0 / prices)
    for i in range(out.shape[0]):  # without a branch, as in `exchange`
        square, known = r[i] * r[i], spec.knowledge[i, u]
        may = (square > least * D[i]) & (D[i] > COLLINEAR * variance[i])
        rest = rss - (square / D[i] if may else 0.0)
        left[i] = rest if rest > floor else floor
        out[i] = PARENT if known & REQUIRED else NOTHING  # also one that has no row in P
    if spec.exchanges:
        for i in range(out.shape[0]):
            rest = rss - instead[i]
            rest = share * (rest if rest > floor else floor)
            left[i] = rest if (left[i] == rss) & (rest < rss) else left[i]
    enough = share * rss if spec.logarithmic else rss - least
    for i in range(out.shape[0]):
        if left[i] < enough and spec.knowledge[i, u] & (ALLOWED | REQUIRED) == ALLOWED:
            drop = np.log(rss / left[i]) if spec.logarithmic else rss - left[i]
            out[i] = relation_of(prices * drop)
    out[u] = NOTHING
    for t in range(m):
        out[work.P[t]] = PARENT


@part
def settle_contexts(spec: ContextSpec, work: ContextWork, u: int, out: NDArray[np.uint8]) -> float:
    """Choose parents by regressions in the contexts of u."""
    if spec.first[u + 1] - spec.first[u] > 1:
        return float(settle_several(spec, work, u, out))
    own = columns_of(spec, work, u)
    while True:
        score, m, rss = select(own, work.columns, u)
        if m >= 0:
            break
        find_row(spec, work, spec.of[spec.first[u]], -1 - m)
    relate(own, work.columns, u, m, rss, out)
    return float(score)


_SETTLE: dict[type, Any] = {
    Spec: settle_columns,
    ContextSpec: settle_contexts,
    JointSpec: settle_joint,
    CurveSpec: settle_curves,
}


def settle(spec: Any, work: Any, u: int, out: NDArray[np.uint8]) -> float:
    """Choose parents among those that ``work.role`` names: f_u, and relations to u in ``out``."""
    return float(_SETTLE[type(spec)](spec, work, u, out))


class Nodes(NamedTuple):
    """What kernels know of the nodes that they order, whatever the criterion."""

    knowledge: NDArray[np.uint8]  # [i, j]: flags of i -> j, as in `Spec`
    least: Array  # no choice of parents gives node u a score below least[u]
    reach: float  # as in `Spec`
    cost: float  # k, the price of one edge
    role: NDArray[np.uint8]  # (d,) OUT, CANDIDATE or START, when parents are to be chosen
    told: NDArray[np.uint8]  # (d,) what every variable is to the node whose parents were chosen
    own: NDArray[np.uint8]  # (d,) what every variable is to the node that moves, on its way
    settle: Any  # what chooses parents, by `call`
    sealed: Any  # and what it works on


def nodes_of(spec: AnySpec, work: AnyWork) -> Nodes:
    """Return what kernels are given; spec and scratch arrays are to be kept alive."""
    told, own = np.empty_like(work.role), np.empty_like(work.role)
    of_criterion = seal(_SETTLE[type(spec)], spec, work, told)
    return Nodes(
        spec.knowledge, spec.least, spec.reach, spec.cost, work.role, told, own, *of_criterion
    )


# --- between kernels


@singledispatch
def work_for(spec: Any) -> Any:
    """Allocate the scratch arrays of one thread."""
    return make_work(len(spec.variance), spec.max_parents)


@singledispatch
def needed_to_start(spec: Any, scores: Array, sizes: IntArray) -> Array:
    """Return what a predecessor must gain each node to be in another start for its parents."""
    fit = (scores - spec.cost * sizes) / spec.weight
    if not spec.logarithmic:
        return np.asarray(spec.cost / spec.weight)
    return np.asarray(np.exp(fit) * -np.expm1(-spec.cost / spec.weight))


@singledispatch
def scores_of(spec: Any, parents: list[IntArray]) -> Array:
    """Return f_u of every node with these parents."""
    rss = residual_variances(spec.S, parents) if any(map(len, parents)) else spec.variance
    fit = np.log(rss) if spec.logarithmic else rss
    return np.asarray(spec.weight * fit + spec.cost * np.array(list(map(len, parents))))


@singledispatch
def residuals_of(spec: Any, scores: Array, parents: list[IntArray]) -> Array:
    """Return RSS_u from f_u, or what stands for it."""
    fit = (scores - spec.cost * np.array(list(map(len, parents)))) / spec.weight
    rss = np.exp(fit) if spec.logarithmic else fit
    return np.asarray(np.maximum(rss, COLLINEAR * spec.variance))


@singledispatch
def gains_in_full(spec: Any, order: IntArray) -> Array | None:
    """Return what each predecessor gains beside all others, by position; None if not to be had.

    In all rows, also where a node has contexts: a start need not be the best of starts.
    """
    return full_regression_gains(spec.S, order)


@singledispatch
def strengths_of(spec: Any, parents: list[IntArray], source: IntArray, target: IntArray) -> Array:
    """Return by what share the residual variance of j rises without its parent i."""
    S, strength = spec.S, np.empty(len(source))
    for j, P in enumerate(parents):
        if len(P):
            S_PP, b = S[P[:, None], P], least_squares(S, P, j)
            given = conditional_variances(S_PP)  # of each parent, given the others
            if not given.all():  # one of them is a combination of others
                given = 1.0 / np.maximum(np.diag(np.linalg.pinv(S_PP, hermitian=True)), 1e-300)
            rss = max(S[j, j] - b @ S[P, j], COLLINEAR * S[j, j])
            strength[target == j] = b * b * given / rss
    return strength


@work_for.register
def _(spec: ContextSpec) -> ContextWork:
    return make_context_work(spec)


@scores_of.register
def _(spec: ContextSpec, parents: list[IntArray]) -> Array:
    return context_scores(spec, parents)


@strengths_of.register
def _(spec: ContextSpec, parents: list[IntArray], source: IntArray, target: IntArray) -> Array:
    fits, gains = context_fits(spec, parents), np.empty(len(source))
    for e, (i, j) in enumerate(zip(source.tolist(), target.tolist(), strict=True)):
        gains[e] = context_fit(spec, j, parents[j][parents[j] != i]) - fits[j]
    return np.asarray(np.expm1(np.maximum(gains, 0.0)))


@needed_to_start.register
def _(spec: ContextSpec, scores: Array, sizes: IntArray) -> Array:
    needed = np.exp((scores - spec.cost * sizes) / spec.weight)
    needed *= -np.expm1(-spec.cost / spec.weight)
    return np.asarray(np.where(np.diff(spec.first) > 1, np.inf, needed))


@work_for.register
def _(spec: JointSpec) -> JointWork:
    return make_joint_work(spec)


@scores_of.register
def _(spec: JointSpec, parents: list[IntArray]) -> Array:
    m = np.array(list(map(len, parents)))
    return joint_fits(spec, parents) + joint_extras(spec, parents) + spec.cost * m


@strengths_of.register
def _(spec: JointSpec, parents: list[IntArray], source: IntArray, target: IntArray) -> Array:
    return np.expm1(joint_gains_of_edges(spec, parents, source, target))


@work_for.register
def _(spec: CurveSpec) -> CurveWork:
    return make_curve_work(spec)


@scores_of.register
def _(spec: CurveSpec, parents: list[IntArray]) -> Array:
    return curve_costs(spec, parents) + spec.cost * np.array(list(map(len, parents)))


@residuals_of.register(ContextSpec)
@residuals_of.register(JointSpec)
@residuals_of.register(CurveSpec)
def _(spec: Any, scores: Array, parents: list[IntArray]) -> Array:
    return np.asarray(np.exp(scores - spec.cost * np.array(list(map(len, parents)))))


@needed_to_start.register(JointSpec)
@needed_to_start.register(CurveSpec)
def _(spec: Any, scores: Array, sizes: IntArray) -> Array:
    return np.full(len(scores), np.inf)


@gains_in_full.register(JointSpec)
@gains_in_full.register(CurveSpec)
def _(spec: Any, order: IntArray) -> None:
    return None


@strengths_of.register
def _(spec: CurveSpec, parents: list[IntArray], source: IntArray, target: IntArray) -> Array:
    return np.expm1(curve_gains_of_edges(spec, parents, source, target))
