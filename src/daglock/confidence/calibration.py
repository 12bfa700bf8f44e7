"""Calibration: from evidence to two probabilities, by a few coefficients.

    P(link)            = σ(a + b·λ + (a' + b'·λ) m + c h)          λ: log-odds of `joined`
    P(first -> second) = σ(Σ_k (c_k (1 − m) + c'_k m) s_k)         s_k: what k says, from -1 to 1

where m is the doubt of `Evidence`: the same word counts for less where the model does not hold;
and h is 1 where a hidden cause explains the link: there no word on a direction is heard, nor where
both columns are among some that determine each other. All c_k are ≥ 0, so that more evidence for a
direction never lowers its probability, and there is no constant: exchanging the two columns
exchanges the probabilities. The coefficients are in coefficients.json, with where they come from;
docs/confidence.md tells how well they did on tables that they were not fitted to.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from scipy.special import expit

from daglock.confidence.evidence import Evidence
from daglock.confidence.opinions import OPINIONS
from daglock.typing import Array

# Shares of replicates are kept so far from 0 and 1: a hundred replicates tell no more.
_DOUBT = 0.01
# log-odds of 0.99, so that the terms are between -1 and 1
_SURE = float(np.log(99.0))

SPEAKERS = (
    "replicates",
    "margin",
    "shape inside the class",
    "mechanisms in regimes",
    *(opinion.name for opinion in OPINIONS),
)
LINK_TERMS = ("constant", "replicates", "doubt", "replicates x doubt", "hidden cause")


@dataclass(frozen=True)
class Calibration:
    """Coefficients of the two probabilities.

    Attributes
    ----------
    link : one for each of `LINK_TERMS`.
    holds, fails : for each of `SPEAKERS`, what its word counts where the linear model holds and
        where it fails.
    """

    link: tuple[float, ...]
    holds: tuple[float, ...]
    fails: tuple[float, ...]

    def links(self, evidence: Evidence) -> Array:
        """Return the probability that each pair is linked."""
        return np.asarray(expit(link_terms(evidence) @ self.link))

    def directions(self, evidence: Evidence) -> Array:
        """Return the probability of first -> second, given a link."""
        probability = expit(heard_terms(evidence) @ self._counts(evidence))
        return np.where(evidence.known == 0, probability, (1 + evidence.known) / 2)

    def alone(self, evidence: Evidence) -> Array:
        """Return the probability of first -> second from each of `SPEAKERS` by itself."""
        return np.asarray(expit(direction_terms(evidence) * self._counts(evidence)))

    def _counts(self, evidence: Evidence) -> Array:
        """Return what the word of each of `SPEAKERS` counts in this table."""
        m = evidence.doubt
        return np.asarray((1 - m) * np.array(self.holds) + m * np.array(self.fails))


def link_terms(evidence: Evidence) -> Array:
    """Return the terms of the probability of a link, one column for each of `LINK_TERMS`."""
    share = np.clip(evidence.joined, _DOUBT, 1 - _DOUBT)
    odds = np.log(share / (1 - share)) / _SURE
    one, m = np.ones(len(odds)), evidence.doubt
    columns = (one, odds, m * one, m * odds, evidence.hidden > 0)
    return np.column_stack(columns).astype(np.float64)


def direction_terms(evidence: Evidence) -> Array:
    """Return what each of `SPEAKERS` says, from -1 to 1 for first -> second."""
    lead = (1 - 2 * _DOUBT) * evidence.lead
    odds = np.log((1 + lead) / (1 - lead)) / _SURE
    words = odds, evidence.margin, evidence.shaped, evidence.regimes, evidence.opinions
    return np.column_stack(words)


def heard_terms(evidence: Evidence) -> Array:
    """Return the same, 0 where no word on a direction is heard.

    There a hidden cause explains the link, or both columns are among some that determine each
    other.
    """
    unheard = evidence.hidden > 0
    if evidence.determined is not None:
        unheard |= evidence.determined
    return np.where(unheard[:, None], 0.0, direction_terms(evidence))


@cache
def shipped() -> Calibration:
    """Return the calibration that comes with the package."""
    record = _record()
    direction = record["direction"]
    return Calibration(
        tuple(record["link"][name] for name in LINK_TERMS),
        tuple(direction[name]["holds"] for name in SPEAKERS),
        tuple(direction[name]["fails"] for name in SPEAKERS),
    )


def shipped_provenance() -> dict[str, Any]:
    """Return by what, and to how many tables, the coefficients of `shipped` were fitted."""
    return dict(_record()["provenance"])


def _record() -> dict[str, Any]:
    """Read the file of the coefficients."""
    text = files("daglock.confidence").joinpath("coefficients.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
