"""DoWhy: a graph that it takes, and whether an effect rests on directions that are not claimed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daglock.errors import InvalidParameterError
from daglock.interop._model import edges_of, fitted
from daglock.table.frames import make_digraph

if TYPE_CHECKING:
    import networkx

    from daglock.confidence.edges import ClaimedEdge
    from daglock.estimator import DAGLock


def to_dowhy(
    model: DAGLock, treatment: str | None = None, outcome: str | None = None
) -> networkx.DiGraph[str]:
    """Return a graph for ``CausalModel(graph=...)`` and ``gcm.StructuralCausalModel(...)``.

    With treatment and outcome it is the graph of that one effect: the treatment, what is claimed
    to cause it, the outcome, and that these act on it. DoWhy then adjusts for the causes of the
    treatment, which is right whichever way the directions go that are not claimed. An effect that
    rests on one of them is refused.

    Without, it is the graph that was found, where every edge has a direction, claimed or not, and
    DoWhy takes all of them at their word.

    Nodes are the names of the columns, as DoWhy wants them; where X was an array, give DoWhy
    ``pandas.DataFrame(X, columns=model.names_)``. There are no weights: DoWhy estimates effects
    from the data.

    Raises
    ------
    InvalidParameterError
        If the effect is `undecided`, or only one of treatment and outcome is given.
    """
    if treatment is None and outcome is None:
        fitted(model)
        graph = make_digraph(model.names_)
        graph.add_edges_from(edge[:2] for edge in model.named_edges())
        return graph
    if treatment is None or outcome is None:
        raise InvalidParameterError("to_dowhy takes treatment and outcome, or neither.")
    open_edges = undecided(model, treatment, outcome)
    if open_edges:
        pairs = ", ".join(f"{a!r} - {b!r}" for a, b in open_edges)
        raise InvalidParameterError(
            f"The effect of {treatment!r} on {outcome!r} rests on directions that are not claimed: "
            f"{pairs}. Say what you know of them (knowledge=Knowledge(...)) and fit again."
        )
    claims = _Claims.of(edges_of(model), model.names_)
    causes = sorted(claims.parents[treatment], key=model.names_.index)
    graph = make_digraph([*causes, treatment] + [outcome] * (outcome not in causes))
    graph.add_edges_from((cause, treatment) for cause in causes)
    if outcome in claims.ancestors(treatment):
        graph.add_edge(outcome, treatment)  # what comes before it, it does not change
    else:
        graph.add_edges_from((cause, outcome) for cause in [*causes, treatment])
    return graph


def undecided(model: DAGLock, treatment: str, outcome: str) -> list[tuple[str, str]]:
    """Return the edges at the treatment whose direction is not claimed and decides its effect.

    Empty: whichever way the directions go that are not claimed, as long as there is no cycle, the
    effect is what adjusting for the claimed causes of the treatment gives (or it is zero, because
    the outcome is claimed to come before the treatment). Otherwise knowledge must tell these
    directions first. An edge (treatment, v) is listed when v could be a cause of the treatment
    that the outcome depends on in another way, too. An edge may be listed that does not matter,
    never the reverse.

    Links are taken as they are: what is not in the graph is not asked for.

    References
    ----------
    Pearl (2009), Causality, theorem 3.2.2: adjusting for the direct causes gives the effect. A
    path that begins with an effect of the treatment needs a collider after it to come back, which
    no cause of the treatment can open; what is left are paths through neighbours that may be
    causes and are not adjusted for.

    Examples
    --------
    >>> import numpy as np
    >>> from daglock import DAGLock, Moments
    >>> moments = Moments.from_covariance(np.array([[1.0, 0.5], [0.5, 2.0]]), n=1000)
    >>> undecided(DAGLock("unequal").fit_moments(moments), "x0", "x1")
    [('x0', 'x1')]
    """
    fitted(model)
    for what, name in (("treatment", treatment), ("outcome", outcome)):
        if name not in model.names_:
            raise InvalidParameterError(f"The {what} {name!r} is not a column of the model.")
    if treatment == outcome:
        raise InvalidParameterError(f"Treatment and outcome are both {treatment!r}.")
    claims = _Claims.of(edges_of(model), model.names_)
    if outcome in claims.ancestors(treatment):
        return []
    doubtful = sorted(claims.lines[treatment], key=model.names_.index)
    return [(treatment, v) for v in doubtful if claims.may_depend(v, outcome, treatment)]


@dataclass(frozen=True)
class _Claims:
    """What is claimed of a graph: arrows, and lines where the direction is not.

    A line whose other direction would close a cycle with arrows is an arrow, too.
    """

    parents: dict[str, set[str]]
    children: dict[str, set[str]]
    lines: dict[str, set[str]]

    @classmethod
    def of(cls, edges: list[ClaimedEdge], names: tuple[str, ...]) -> _Claims:
        """Sort the edges by what is claimed of them."""
        parents, children, lines = ({name: set[str]() for name in names} for _ in range(3))
        claims = cls(parents, children, lines)
        for edge in edges:
            if edge.is_settled:
                claims._direct(edge.source, edge.target)
        before = {name: claims.ancestors(name) for name in names}
        for edge in edges:
            source, target = edge[:2]
            if source in before[target]:
                claims._direct(source, target)
            elif target in before[source]:
                claims._direct(target, source)
            else:
                lines[source].add(target)
                lines[target].add(source)
        return claims

    def _direct(self, source: str, target: str) -> None:
        """Note an arrow."""
        self.parents[target].add(source)
        self.children[source].add(target)

    def ancestors(self, node: str) -> set[str]:
        """Return what is claimed to come before the node."""
        found, todo = set[str](), [node]
        while todo:
            new = self.parents[todo.pop()] - found
            found |= new
            todo += new
        return found

    def may_depend(self, v: str, outcome: str, treatment: str) -> bool:
        """Whether v, if it causes the treatment, can depend on the outcome given the other causes.

        A ball goes from v along edges, not through the treatment; a line may have either
        direction. It passes a node that is held fixed where two arrows meet in it, and another node
        everywhere else; where two arrows meet above one that is held fixed, it goes down to that
        one and comes back.
        """
        fixed = self.parents[treatment]
        seen, todo = set[tuple[str, bool]](), [(v, False)]
        while todo:
            node, into = todo.pop()  # into: by an arrow that ends here
            if node == outcome:
                return True
            if (node, into) in seen or node == treatment:
                continue
            seen.add((node, into))
            if into == (node in fixed):
                todo += [(other, False) for other in self.parents[node] | self.lines[node]]
            if node not in fixed:
                todo += [(other, True) for other in self.children[node] | self.lines[node]]
        return False
