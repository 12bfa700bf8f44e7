"""The tables of the comparison: a graph under interventions or in batches, and the Sachs cells."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from daglock.datasets import load_sachs
from daglock.errors import InvalidParameterError
from daglock.graph import canonical_member
from daglock.simulate import RegimeData, batch_sem, erdos_renyi, interventional_sem
from daglock.table.scores import normal_scores
from daglock.typing import Array, BoolArray
from daglock.wording import default_names

Kind = Literal["perfect", "imperfect", "shift", "batches"]
Codes = NDArray[np.int8]

SUITES = {
    "perfect": "Perfect interventions on each variable in turn, targets told",
    "papers": "Ten variables as in the papers of continuous methods, targets told",
    "batches": "Batches that move every column",
    "hidden": "Targets that nobody tells",
    "sachs": "The Sachs cells",
    "sachs-853": "The Sachs cells of the first experiment",
    "cost": "What regimes cost",
}
# Of the shifts in the suite of hidden targets, in standard deviations of the noise, and of the
# logarithms by which weights and variances change.
STRENGTH = {"shift": 2.0, "imperfect": 1.5}


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of several regimes, columns in random order, and the graph behind them.

    Attributes
    ----------
    X, labels : (n, d) and the regime of each row.
    targets : for each regime the columns that it acts on.
    truth : (d, d) of 0 and 1.
    still : (n, d) the same draws where no regime changes anything.
    kind : what regimes do to their targets, as far as anybody knows.
    """

    X: Array
    labels: NDArray[np.str_]
    targets: Mapping[str, tuple[int, ...]]
    truth: Array
    still: Array
    kind: Kind = "perfect"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return default_names(self.X.shape[1])

    @property
    def named_targets(self) -> dict[str, list[str]]:
        """Targets as daglock is told them."""
        return {label: [self.names[j] for j in own] for label, own in self.targets.items()}

    @property
    def parts(self) -> list[Array]:
        """The rows of each regime, in the order of `targets`."""
        return [self.X[self.labels == label] for label in self.targets]

    @property
    def essential(self) -> Codes:
        """What the regimes identify of the true graph."""
        return essential_graph(self.truth, self.targets.values())

    @property
    def fingerprint(self) -> str:
        """What tells this table from others, whatever the last bits of a sum are."""
        text = "".join(f"{value:.6e}" for value in self.X.ravel())
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def mixed_up(self, seed: int) -> Sample:
        """Put the columns in random order: no method may profit from the order."""
        order = np.random.default_rng([seed, 7]).permutation(len(self.truth))
        place = np.argsort(order)
        targets = {
            label: tuple(sorted(int(place[j]) for j in own)) for label, own in self.targets.items()
        }
        return replace(
            self,
            X=self.X[:, order],
            targets=targets,
            truth=self.truth[np.ix_(order, order)],
            still=self.still[:, order],
        )


def essential_graph(dag: Array, family: Collection[Collection[int]]) -> Codes:
    """Return the interventional class of a DAG: 1 is i -> j; 2, in both cells, is i - j.

    An experiment tells the direction of an edge of which it has exactly one end among its targets;
    the rest follows by Meek's rules.

    Examples
    --------
    >>> chain = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    >>> essential_graph(chain, [[], [2]]).tolist()
    [[0, 2, 0], [2, 0, 1], [0, 0, 0]]
    """
    source, target = np.nonzero(dag)
    cut: BoolArray = np.zeros(len(source), dtype=np.bool_)
    for own in family:
        cut |= np.isin(source, list(own)) != np.isin(target, list(own))
    source, target, directed = canonical_member(source, target, len(dag), cut)
    codes = np.zeros(dag.shape, dtype=np.int8)
    codes[source, target] = np.where(directed, 1, 2)
    codes[target[~directed], source[~directed]] = 2
    return codes


@dataclass(frozen=True)
class SimulatedCase:
    """A random linear graph in several regimes.

    Attributes
    ----------
    d, n_edges : of the graph.
    kind : what the regimes do.
    n_regimes : experiments, each on another variable, beside observational rows; or batches.
    n_usual, n_regime : rows without an experiment, and of each experiment or batch.
    weights, variances : ranges of absolute effects and of noise variances.
    """

    suite: str
    d: int
    n_edges: int
    kind: Kind
    n_regimes: int
    n_usual: int
    n_regime: int
    weights: tuple[float, float] = (0.5, 1.0)
    variances: tuple[float, float] = (0.5, 2.0)

    @property
    def most_seeds(self) -> int:
        """How many graphs there are at most."""
        return 5 if self.d >= 200 else 10

    @property
    def family(self) -> str:
        """Cases that differ by their size alone."""
        return f"{self.suite}, {self._graph if self.suite != 'cost' else self.kind}, {self.kind}"

    @property
    def label(self) -> str:
        """One line for a table."""
        regimes = {
            "perfect": "",
            "papers": "",
            "batches": f", {self.n_regimes} batches of {self.n_regime}",
            "hidden": f", {self.kind}",
            "cost": f", {self.n_regimes} experiments",
        }[self.suite]
        return f"d = {self.d}, {self._graph}{regimes}"

    @property
    def _graph(self) -> str:
        """How many edges there are."""
        if self.suite == "papers":
            return f"{self.n_edges} edges"
        return f"degree {2 * self.n_edges / self.d:g}"

    def settings(self) -> dict[str, Any]:
        """Return what tells this case from others, as JSON values."""
        return {**asdict(self), "weights": [*self.weights], "variances": [*self.variances]}

    def warm_up(self) -> SimulatedCase:
        """Return a small case on which a method does the same: few columns are another matter."""
        d = min(self.d, 20)
        return replace(
            self,
            d=d,
            n_edges=min(self.n_edges, d),
            n_regimes=min(self.n_regimes, 3),
            n_usual=min(self.n_usual, 200),
            n_regime=100,
        )

    def draw(self, seed: int) -> Sample:
        """Return the table of a seed."""
        graph, scales, nodes = np.random.default_rng([seed, self.d, self.n_edges]).spawn(3)
        W = erdos_renyi(self.d, self.n_edges, self.weights, rng=graph)
        chosen = nodes.permutation(self.d)[: self.n_regimes].tolist()
        variances = scales.uniform(*self.variances, size=self.d)
        moved = self._regimes(W, chosen, variances, seed)
        still = self._regimes(W, chosen, variances, seed, still=True)
        targets = {
            label: tuple(moved.names.index(name) for name in own)
            for label, own in moved.targets.items()
        }
        truth = (W != 0).astype(np.float64)
        sample = Sample(moved.data, moved.labels, targets, truth, still.data, self.kind)
        return sample.mixed_up(seed)

    def _regimes(
        self, W: Array, nodes: Sequence[int], variances: Array, seed: int, *, still: bool = False
    ) -> RegimeData:
        """Draw the rows, or those of the same noise where nothing changes."""
        rng = np.random.default_rng([seed, self.d, self.n_edges, 1])
        if self.kind == "batches":
            strength = 0.0 if still else 1.0
            return batch_sem(
                W,
                self.n_regime,
                self.n_regimes,
                strength=strength,
                noise_variances=variances,
                rng=rng,
            )
        targets = {"observational": [], **{f"r{k}": [j] for k, j in enumerate(nodes, 1)}}
        counts = {label: self.n_regime if own else self.n_usual for label, own in targets.items()}
        return interventional_sem(
            W,
            counts,
            targets,
            kind="shift" if still else self.kind,
            strength=0.0 if still else STRENGTH.get(self.kind, 1.0),
            noise_variances=variances,
            rng=rng,
        )


@dataclass(frozen=True)
class SachsCase:
    """The Sachs cells; a seed gives another order of the columns, no other data.

    Attributes
    ----------
    rows : all nine experiments, or the first.
    scale : logarithms, or normal scores of all the rows.
    """

    rows: Literal["pooled", "observational"]
    scale: Literal["log", "scores"]
    suite: str = "sachs"
    most_seeds = 3

    @property
    def family(self) -> str:
        """There is one size of each."""
        return self.label

    @property
    def label(self) -> str:
        """One line for a table."""
        scale = {"log": "logarithms", "scores": "normal scores"}[self.scale]
        return f"Sachs, {7466 if self.rows == 'pooled' else 853} rows, {scale}"

    def settings(self) -> dict[str, Any]:
        """Return what tells this case from others, as JSON values."""
        return asdict(self)

    def warm_up(self) -> SachsCase:
        """Return a small case on which a method does the same."""
        return self

    def draw(self, seed: int) -> Sample:
        """Return the cells; the 17 edges of the published network count as the truth."""
        sachs = load_sachs(self.rows)
        if self.scale == "log":
            X = np.log(sachs.data)
        else:
            X = np.column_stack([normal_scores(column) for column in sachs.data.T])
        targets = {
            label: tuple(sachs.names.index(name) for name in own)
            for label, own in sachs.targets.items()
        }
        truth = sachs.truth_17.astype(np.float64)
        return Sample(X, sachs.conditions, targets, truth, X).mixed_up(seed)


AnyCase = SimulatedCase | SachsCase


def cases(suite: str) -> Sequence[AnyCase]:
    """Return the cases of a suite, those of a family small ones first."""
    if suite == "perfect":
        return [
            SimulatedCase(suite, d, degree * d // 2, "perfect", d, 1000, 100)
            for degree in (2, 4)
            for d in (10, 20, 50, 100, 200)
        ]
    if suite == "papers":
        return [
            SimulatedCase(suite, 10, edges, "perfect", 10, 910, 909, (0.25, 1.0), (1.0, 2.0))
            for edges in (10, 40)
        ]
    if suite == "batches":
        return [SimulatedCase(suite, d, d, "batches", 5, 0, 200) for d in (10, 20, 50)]
    if suite == "hidden":
        kinds: tuple[Kind, ...] = ("shift", "imperfect")
        return [SimulatedCase(suite, d, d, kind, d, 1000, 200) for kind in kinds for d in (10, 20)]
    if suite == "sachs":
        return [SachsCase("pooled", "log"), SachsCase("pooled", "scores")]
    if suite == "sachs-853":
        return [
            SachsCase("observational", "log", suite),
            SachsCase("observational", "scores", suite),
        ]
    if suite == "cost":
        return [SimulatedCase(suite, d, d, "perfect", 20, 1000, 100) for d in (50, 100)]
    raise InvalidParameterError(f"There is no suite {suite!r}; there are {', '.join(SUITES)}.")


def from_settings(settings: Mapping[str, Any]) -> AnyCase:
    """Return the case of some settings.

    Examples
    --------
    >>> case = cases("hidden")[0]
    >>> from_settings(case.settings()) == case
    True
    """
    values = dict(settings)
    if "scale" in values:
        return SachsCase(**values)
    for name in ("weights", "variances"):
        values[name] = tuple(values[name])
    return SimulatedCase(**values)
