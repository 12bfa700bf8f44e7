"""Saying: what daglock says of the links of a table, by coefficients that it may not have seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from daglock.confidence.calibration import Calibration
from daglock.confidence.confidence import Confidence
from daglock.typing import Array, BoolArray
from daglock_evaluation.calibration.observed import REPLICATES, Observed


@dataclass(frozen=True, eq=False)
class Said:
    """What is said of directions, one for each row of `fitting.directions`.

    Attributes
    ----------
    forward : (m,) probability of first -> second, if they are linked.
    link : (m,) probability that they are: a claim is about both.
    claimed : (m,) whether the likelier way is that of the graph; nothing is claimed against it.
    """

    forward: Array
    link: Array
    claimed: BoolArray

    def of(self, some: BoolArray) -> Said:
        """Return some of the rows."""
        return Said(self.forward[some], self.link[some], self.claimed[some])


def say(tables: Sequence[Observed], calibrations: Sequence[Calibration]) -> Said:
    """Weigh the evidence of each table by its coefficients, as a fitted model does."""
    forward, links, claimed = [np.empty(0)], [np.empty(0)], [np.empty(0, dtype=np.bool_)]
    for one, calibration in zip(tables, calibrations, strict=True):
        e, d = one.evidence, int(one.evidence.second.max()) + 1
        names = tuple(f"x{j}" for j in range(d))
        sure = Confidence.weigh(e, names, "class", REPLICATES, calibration=calibration)
        probability, link = np.full((d, d), np.nan), np.full((d, d), np.nan)
        probability[sure.source, sure.target] = sure.direction
        probability[sure.target, sure.source] = 1.0 - sure.direction
        link[sure.source, sure.target] = link[sure.target, sure.source] = sure.link
        pairs = e.first[one.used], e.second[one.used]
        own = probability[pairs]
        forward.append(own)
        links.append(link[pairs])
        claimed.append((own >= 0.5) == (e.arrow[one.used] > 0))
    return Said(np.concatenate(forward), np.concatenate(links), np.concatenate(claimed))
