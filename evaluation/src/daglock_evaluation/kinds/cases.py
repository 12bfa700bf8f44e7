"""The tables of the comparison: a network or a random graph, a number of rows, a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from daglock.errors import InvalidParameterError
from daglock.simulate import erdos_renyi, mixed_sem
from daglock.typing import Array
from daglock_evaluation.kinds.networks import NETWORKS, load

Family = Literal["conditional gaussian", "thresholded"]

ROWS = (500, 2000, 10_000)
# Nodes, average degree and share of discrete ones.
MIXTURES = ((20, 2, 2 / 3), (20, 4, 1 / 3), (50, 2, 1 / 3), (50, 4, 2 / 3))
MIXED_ROWS = (500, 2000)
# Up to so many columns daglock compares all graphs.
FEW = 14
FAMILIES: tuple[Family, ...] = ("conditional gaussian", "thresholded")


@dataclass(frozen=True, eq=False)
class Sample:
    """A table, its columns in random order, and the graph behind it."""

    frame: pd.DataFrame
    truth: Array

    @classmethod
    def mixed_up(cls, frame: pd.DataFrame, truth: Array, seed: int) -> Sample:
        """Put the columns in random order: no method may profit from the order."""
        order = np.random.default_rng([seed, 7]).permutation(len(truth))
        return cls(frame.iloc[:, order], truth[np.ix_(order, order)])

    @property
    def varying(self) -> list[int]:
        """Columns with more than one value; the others say nothing and are given to nobody."""
        return [j for j, name in enumerate(self.frame) if self.frame[name].nunique() > 1]

    @property
    def fingerprint(self) -> str:
        """What tells this table from others."""
        text = self.frame.to_csv(index=False, float_format="%.12g")
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class DiscreteCase:
    """Rows of a published network, all columns text."""

    network: str
    n: int
    suite = "discrete"
    most_seeds = 100

    @property
    def family(self) -> str:
        """Cases that differ by their rows alone."""
        return self.network

    @property
    def label(self) -> str:
        """One line for a table."""
        return f"{self.network}, n = {self.n:,}"

    def settings(self) -> dict[str, Any]:
        """Return what tells this case from others, as JSON values."""
        return {"suite": self.suite, **asdict(self)}

    def warm_up(self) -> DiscreteCase:
        """Return a small case on which a method does the same: few columns are another matter."""
        return DiscreteCase("asia" if len(load(self.network).levels) <= FEW else "child", 500)

    def draw(self, seed: int) -> Sample:
        """Return the table of a seed."""
        network = load(self.network)
        place = NETWORKS.index(self.network)
        codes = network.sample(self.n, np.random.default_rng([seed, place, self.n]))
        columns = {
            name: np.array(levels, dtype=object)[codes[:, j]]
            for j, (name, levels) in enumerate(network.levels.items())
        }
        return Sample.mixed_up(pd.DataFrame(columns), network.graph, seed)


@dataclass(frozen=True)
class MixedCase:
    """A random graph of numbers and categories."""

    mechanism: Family
    d: int
    degree: float
    share: float
    n: int
    suite = "mixed"
    most_seeds = 100

    @property
    def family(self) -> str:
        """Cases that differ by their rows alone."""
        share = {1 / 3: "1/3", 2 / 3: "2/3"}.get(self.share, f"{self.share:.0%}")
        return f"{self.mechanism}, d = {self.d}, degree {self.degree:g}, {share} discrete"

    @property
    def label(self) -> str:
        """One line for a table."""
        return f"{self.family}, n = {self.n:,}"

    def settings(self) -> dict[str, Any]:
        """Return what tells this case from others, as JSON values."""
        return {"suite": self.suite, **asdict(self)}

    def warm_up(self) -> MixedCase:
        """Return a small case on which a method does the same."""
        return replace(self, d=min(self.d, 20), degree=2.0, n=300)

    def draw(self, seed: int) -> Sample:
        """Return the table of a seed."""
        graph, rows = np.random.default_rng([seed, self.d, self.n]).spawn(2)
        W = erdos_renyi(self.d, round(self.degree * self.d / 2), rng=graph)
        table = mixed_sem(W, self.n, self.mechanism, self.share, rng=rows)
        return Sample.mixed_up(pd.DataFrame(table.to_pydict()), (W != 0).astype(float), seed)


AnyCase = DiscreteCase | MixedCase


def cases(suite: str) -> Sequence[AnyCase]:
    """Return the cases of a suite, those of a family small ones first."""
    if suite == "discrete":
        return [DiscreteCase(name, n) for name in NETWORKS for n in ROWS]
    if suite == "mixed":
        return [
            MixedCase(family, d, degree, share, n)
            for d, degree, share in MIXTURES
            for family in FAMILIES
            for n in MIXED_ROWS
        ]
    raise InvalidParameterError(f"There is no suite {suite!r}; there are discrete and mixed.")


def from_settings(settings: Mapping[str, Any]) -> AnyCase:
    """Return the case of some settings.

    Examples
    --------
    >>> case = DiscreteCase("asia", 500)
    >>> from_settings(case.settings()) == case
    True
    """
    values = dict(settings)
    is_discrete = values.pop("suite") == "discrete"
    return DiscreteCase(**values) if is_discrete else MixedCase(**values)
