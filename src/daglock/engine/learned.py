"""Learned: what the engine returns, a graph with how it was found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from daglock.criteria import CRITERIA
from daglock.decisions import Decisions
from daglock.engine.certificate import Certificate
from daglock.graph import Marks, SparseArray, WeightedDAG, canonical_member, marked
from daglock.knowledge.assumed import Assumed
from daglock.solution import FitTrace, Status
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
    assumed : columns that come first by their names; None where no name was used.
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
    assumed: Assumed | None = None

    @property
    def noise(self) -> str:
        """The noise model: a name in `CRITERIA`."""
        return self.decisions.noise

    @property
    def ebic_gamma(self) -> float:
        """The γ of the graph; the scores that compare noise models have the first one."""
        return self.decisions.gamma

    @property
    def ruled_out(self) -> BoolArray:
        """Whether knowledge allows i -> j and rules out j -> i, in cell (i, j)."""
        allowed, d = self.certificate.knowledge.allowed, self.dag.d
        if allowed is None:
            return np.zeros((d, d), dtype=np.bool_)
        return np.asarray(allowed & ~allowed.T)

    def cpdag(self) -> Marks:
        """Mark what all equivalent DAGs share that knowledge allows: the completed class.

        Sparse, 1 directed i -> j, 2 undirected (both cells). Margins, noise and regimes play no
        part.
        """
        source, target, d = self.dag.source, self.dag.target, self.dag.d
        known, before = self.ruled_out[source, target], self.certificate.knowledge.before
        # the member may be another one; what is oriented comes in the sequence of the edges
        oriented = canonical_member(source, target, d, known, before)[2]
        return marked(source, target, oriented, d)

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
