"""Learned: what the engine returns, a graph with how it was found."""

from __future__ import annotations

from dataclasses import dataclass

from daglock.criteria import CRITERIA
from daglock.decisions import Decisions
from daglock.engine.certificate import Certificate
from daglock.graph import SparseArray, WeightedDAG
from daglock.solution import Status
from daglock.solvers.prox_linear_path import Stages
from daglock.typing import Array, BoolArray, IntArray
from daglock.wording import plural


@dataclass(frozen=True, eq=False)
class Learned:
    """A graph, how sure it is, and how it was found.

    Attributes
    ----------
    dag : the edges with the least-squares effect of i on j, oriented where data and knowledge tell
        the direction; where they do not, i <- j would do as well, or nearly so: by less than the
        margin of docs/theory.md, section 6.
    noise_variances : (d,) RSS_j / n; under "equal" all the same.
    scores : score of the best graph found under each noise model that was tried; per row, with
        the price of the variances included, so that they compare.
    certificate : Certificate
    status : Status
    message : the status in a sentence, and the cautions.
    cautions : sentences that name columns that stand in the way, if any.
    trace : what happened on the way.
    aside : columns that others determine; they were not searched and have no edges.
    decisions : what was chosen on the way, and why.
    shaped : for each edge, whether the shape of the noise identifies its direction; None where
        nobody looked at it.
    doubted : for each edge, whether its direction would rest on what the data contradict: targets
        of regimes, or noise that is Gaussian; None where none is doubted.
    by_regimes : for each edge, whether its direction is identified only because regimes with known
        targets tell equivalent graphs apart.
    """

    dag: WeightedDAG
    noise_variances: Array
    scores: dict[str, float]
    certificate: Certificate
    status: Status
    message: str
    cautions: tuple[str, ...]
    trace: FitTrace
    aside: IntArray
    decisions: Decisions
    shaped: BoolArray | None = None
    by_regimes: BoolArray | None = None
    doubted: BoolArray | None = None

    @property
    def noise(self) -> str:
        """The noise model: a name in `CRITERIA`."""
        return self.decisions.noise

    @property
    def ebic_gamma(self) -> float:
        """The γ of the graph; the scores that compare noise models have the first one."""
        return self.decisions.gamma

    def __repr__(self) -> str:
        """One line for a person."""
        return (
            f"<Learned: {plural(self.dag.n_edges, 'edge')} on {plural(self.dag.d, 'node')}, "
            f"{CRITERIA[self.noise].called}, score {self.certificate.score:.6f}, "
            f"{self.status.value}>"
        )

    def to_sparse(self) -> SparseArray:
        """W as a CSR matrix: W[i, j] is the effect of i on j."""
        return self.dag.to_sparse()


@dataclass(frozen=True, eq=False)
class FitTrace:
    """What happened on the way to a graph.

    Attributes
    ----------
    continuous : the stages of the continuous optimisation, or None where the search started from
        an order: under equal variances the order of conditional variances is the better start.
    search_scores : best score after the first descent, after every batch of restarts, at the end.
    n_restarts : restarts that were done.
    """

    continuous: Stages | None
    search_scores: Array
    n_restarts: int

    @property
    def identification_iteration(self) -> int | None:
        """First stage of the continuous optimisation after which its support never changed."""
        return None if self.continuous is None else self.continuous.identification_stage

    def __repr__(self) -> str:
        """Return what it says, in a line."""
        return f"<FitTrace: {self}>"

    def __str__(self) -> str:
        """One line for a person."""
        parts = [f"{self.n_restarts} restarts of the order search"]
        if self.continuous is not None:
            parts.insert(
                0,
                f"{len(self.continuous.mu)} continuous stages, support fixed from stage "
                f"{self.identification_iteration} on",
            )
        if len(self.search_scores):
            parts.append(f"score {self.search_scores[-1]:.6f}")
        return ", ".join(parts)
