"""Fitted: what a learned graph with its names answers."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn.exceptions
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from daglock import __version__
from daglock._parameters import require_number
from daglock.confidence.edges import Edge
from daglock.curves import Curves
from daglock.decisions import Decisions
from daglock.effects import Intervention, LinearModel, require_positive_variances
from daglock.engine.certificate import Certificate
from daglock.engine.identified import identified_by
from daglock.engine.learned import Learned
from daglock.engine.statistics import deviations, explained
from daglock.errors import ConvergenceWarning, DataWarning, InvalidParameterError
from daglock.estimator import counted
from daglock.estimator.curving import Bending, require_lines
from daglock.estimator.provenance import hash_of, what_is_held
from daglock.gaps import log_likelihood
from daglock.graph import SparseArray, WeightedDAG
from daglock.knowledge import Knowledge, Masks
from daglock.knowledge.names import given_by_name
from daglock.moments import Moments
from daglock.moments.rare import said_of_rare
from daglock.solution import FitTrace, Status
from daglock.table import Table
from daglock.table.frames import make_matrix, make_rows, make_table, read_table
from daglock.table.kinds import CONTINUOUS, ColumnKind, Kind, Schema
from daglock.table.scores import score_columns
from daglock.table.telling import about_unknown
from daglock.typing import Array, BoolArray, IntArray, Seed, Statistics
from daglock.wording import listed

if TYPE_CHECKING:
    from daglock.confidence import Confidence
    from daglock.confidence.resampled import Resampled
    from daglock.diagnostics.diagnosis import Diagnosis
    from daglock.diagnostics.joint import JointDiagnosis
    from daglock.estimator.preparing import Prepared
    from daglock.estimator.stream import Stream


class FitWarning(ConvergenceWarning, sklearn.exceptions.ConvergenceWarning):
    """The search was cut short; scikit-learn's ConvergenceWarning and daglock's at once."""


class Fitted(Bending):
    """Attributes and methods of `DAGLock` that need a fit and nothing else."""

    learned_: Learned
    moments_: Any  # Moments, or Blocks or Counts where there are categories
    names_: tuple[str, ...]
    feature_names_in_: Any
    n_dropped_: int
    kinds_: dict[str, str]
    left_out_: dict[str, str]
    source_: dict[str, int] | None
    _schema: Schema
    _kinds: tuple[ColumnKind, ...]
    missing: str
    knowledge_: Knowledge | Masks | None
    _library: str | None
    _rows: NDArray[Any] | None
    _labels: NDArray[np.str_] | None
    _stream: Stream | None
    scores_: dict[str, str]
    _diagnosis: Diagnosis | JointDiagnosis | None
    _confidence: Confidence | None
    _resampled: Resampled | None
    made_by_: str
    random_state: Any
    _data_hash: str | None
    _written_by: str
    _read_as: tuple[Prepared, Any] | None  # and the targets of regimes

    # --- the graph

    def to_sparse(self) -> SparseArray:
        """W as a CSR matrix: nothing dense is built."""
        return self._fitted().dag.to_sparse()

    @property
    def edges_(self) -> Any:
        """The edges: source, target, weight, standardised_weight, identified_by."""
        dag = self._fitted().dag
        ends = np.array(self.names_, dtype=object) if self._library else np.arange(dag.d)
        columns = (ends[dag.source], ends[dag.target], *self._values())
        return make_table(self._library, dict(zip(Edge._fields, columns, strict=True)))

    def named_edges(self) -> list[Edge]:
        """List the rows of `edges_` by the names of the columns, whatever X was."""
        dag = self._fitted().dag
        ends = ([self.names_[v] for v in end] for end in (dag.source, dag.target))
        values = (column.tolist() for column in self._values())
        return list(map(Edge, *ends, *values))

    def standardised_weights(self) -> Array:
        """Return the weight of each edge in standard deviations of its two ends.

        Where an end is a category it is a correlation, from 0 to 1, as the weight is.
        """
        return self.standardised().weight

    def standardised(self) -> WeightedDAG:
        """Return the graph with `standardised_weights`."""
        dag = self._fitted().dag
        return dag.scaled(self.moments_.edge_scale(dag.source, dag.target))

    @property
    def is_linear_(self) -> bool:
        """Whether the model is linear in the columns: there are no categories, and no curves."""
        self._fitted()
        return isinstance(self.moments_, Moments) and not isinstance(self.moments_, Curves)

    @property
    def is_curved_(self) -> bool:
        """Whether effects are curves; not where ``curved`` was asked for and lines were enough."""
        self._fitted()
        return isinstance(self.moments_, Curves)

    def deviations(self) -> Array:
        """Return the standard deviation of each column; not a number for a category."""
        self._fitted()
        return deviations(self.moments_)

    def categories(self) -> BoolArray:
        """Tell of each column whether it is a category: its values are levels, not numbers."""
        levels = [kind.kind in (Kind.BINARY, Kind.CATEGORICAL) for kind in self._kinds]
        return np.array(levels, dtype=np.bool_) | ~np.isfinite(self.deviations())

    def strengths(self) -> BoolArray:
        """Tell of each edge whether its weight is a strength, from 0 to 1, and no coefficient.

        That is so where an end is a category of more than two levels, or rows were counted, and
        where effects are curves.
        """
        dag, number = self._fitted().dag, np.isfinite(self.deviations())
        if isinstance(self.moments_, Curves):
            return np.ones(dag.n_edges, dtype=np.bool_)
        return np.asarray(~(number[dag.source] & number[dag.target]))

    def strong_pairs(self) -> set[tuple[str, str]]:
        """Return source and target of the edges whose weights are `strengths`."""
        edges = zip(self.named_edges(), self.strengths().tolist(), strict=True)
        return {(edge.source, edge.target) for edge, is_strength in edges if is_strength}

    def explained(self) -> Array:
        """Return the share of each column that its parents explain, from 0 to 1."""
        learned = self._fitted()
        return explained(self.moments_, learned.dag, learned.noise)

    @property
    def weights_(self) -> Any:
        """Effect of i on j; exact zeros."""
        return self._labelled(self.to_sparse().toarray())

    @property
    def adjacency_matrix_(self) -> Any:
        """1 where i -> j, else 0."""
        return self._labelled(self._fitted().dag.adjacency().toarray())

    @property
    def cpdag_(self) -> Any:
        """The completed class of the graph: 0 none, 1 directed i -> j, 2 undirected."""
        return self._labelled(self._fitted().cpdag().toarray())

    @property
    def identified_(self) -> Any:
        """What noise, shape, regimes and knowledge identify, by a margin: marks as in `cpdag_`."""
        return self._labelled(self._fitted().dag.marks().toarray())

    @property
    def topological_order_(self) -> Any:
        """An order in which every edge goes forward: names, or indices when X had none."""
        order = self._fitted().dag.order
        return order.copy() if self._library is None else np.array(self.names_, dtype=object)[order]

    @property
    def assumed_(self) -> dict[str, str]:
        """Columns that were assumed to come first, and what their names say."""
        assumed = self._fitted().assumed
        names = [] if assumed is None else [self.names_[v] for v in assumed.columns.tolist()]
        return {name: given_by_name(name) or "named" for name in names}

    # --- where it comes from

    @property
    def data_hash_(self) -> str:
        """SHA-256 of the table, see `hash_of`."""
        self._fitted()
        if self._data_hash is None:
            rows = None if self._stream is not None else self._rows
            self._data_hash = hash_of(rows, self._kinds, self.moments_)
        return self._data_hash

    @property
    def provenance_(self) -> dict[str, Any]:
        """What made the model, of which data, and what its file holds."""
        self._fitted()
        sure = self._confidence
        return {
            "daglock": self._written_by,
            "made_by": self.made_by_,
            "data": self.data_hash_,
            "random_state": self.random_state,
            "replicates": 0 if sure is None else sure.n_replicates,
            "holds": self.what_is_held(),
        }

    def what_is_held(self, *, keep_rows: bool = False) -> str:
        """Say in a line what the file of the model holds when it is saved now."""
        rows = self._rows if keep_rows else None
        return what_is_held(self.moments_, self._confidence, self._resampled, rows)

    # --- how it was found

    @property
    def certificate_(self) -> Certificate:
        """The proof: `Certificate`."""
        return self._fitted().certificate

    @property
    def decisions_(self) -> Decisions:
        """What was chosen on the way to the graph, and why: `Decisions`."""
        return self._fitted().decisions

    @property
    def noise_model_(self) -> str:
        """The noise model of the graph."""
        return self._fitted().noise

    @property
    def noise_variances_(self) -> Array:
        """Residual variance of each variable."""
        return self._fitted().noise_variances

    @property
    def status_(self) -> Status:
        """Why the search ended."""
        return self._fitted().status

    @property
    def message_(self) -> str:
        """The status in a sentence, with the columns that stand in the way, if any."""
        return self._fitted().message

    @property
    def trace_(self) -> FitTrace:
        """What happened on the way, with the iteration that identified the support."""
        return self._fitted().trace

    @property
    def diagnostics_(self) -> Diagnosis | JointDiagnosis:
        """What data and graph say about how far to trust it; computed once."""
        learned = self._fitted()
        if self._diagnosis is None:
            how: dict[str, Any] = {
                "noise": learned.noise,
                "edge_cost": learned.certificate.edge_cost,
                "aside": learned.certificate.aside,
                "settled": learned.status.is_success,
                "known": self.knowledge_,
                "rare": said_of_rare(learned.cautions),
            }
            if self.is_linear_:
                from daglock.diagnostics.diagnosis import diagnose

                self._diagnosis = diagnose(self.moments_, learned.dag, scores=learned.scores, **how)
            else:
                from daglock.diagnostics.joint import diagnose_joint

                self._diagnosis = diagnose_joint(self.moments_, learned.dag, **how)
        return self._diagnosis

    def __dir__(self) -> list[str]:
        """Return the names of attributes; scikit-learn would work each of them out for that."""
        return sorted(object.__dir__(self))

    # --- what follows from it

    @property
    def set_aside_(self) -> tuple[str, ...]:
        """Columns that others determine: nodes without edges, of which nothing is claimed."""
        return tuple(self.names_[j] for j in self._fitted().aside.tolist())

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of the rows of X under the fitted model; y is ignored.

        Columns that were set aside do not count. Columns that were learned by their ranks are
        ranked among the rows of X. With ``missing="model"`` rows may have gaps: of these it is the
        likelihood of what is there. Of categories it is that of `daglock.effects.TabularModel`;
        with numbers beside categories the model is no distribution of rows, and there is none.
        """
        if not self.is_linear_:
            return counted.score(self, X)
        model, searched = self._model()
        missing = "model" if self.missing == "model" else "refuse"
        data = self._scored(read_table(X, missing, at_least=1, like=self._schema).data)
        require_positive_variances(model.noise_variances, self._names(searched))
        rows = np.asarray(data, dtype=np.float64)[:, searched]
        if np.isnan(rows).any():
            return log_likelihood(rows, model.covariance(), model.means()) / len(rows)
        return float(model.log_likelihood(rows).mean())

    def _warn_of_scores(self) -> None:
        """Say which columns of what is returned are not in their own units."""
        if self.scores_:
            warnings.warn(
                f"Ranks stand for the values of {listed(self.scores_)}: what is returned of them "
                "is in standard deviations of these.",
                DataWarning,
                stacklevel=3,
            )

    def _scored(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return rows with normal scores in the columns that were learned by them."""
        columns = [j for j, name in enumerate(self.names_) if name in self.scores_]
        return score_columns(Table(rows), columns).data

    def sample(self, n: int, rng: Seed = None) -> Any:
        """Draw n rows from the fitted model; a frame when X had names.

        Without the columns that were set aside: the others determine them. Of numbers beside
        categories the model is no distribution of rows, and none can be drawn. Columns that were
        learned by their ranks are drawn as normal scores, which a warning says.
        """
        if not self.is_linear_:
            return counted.sample(self, n, rng)
        model, searched = self._model()
        self._warn_of_scores()
        return make_rows(self._library, self._names(searched), model.sample(n, rng))

    def total_effects(self) -> Any:
        """By how much j changes when i is set one higher, in cell (i, j), along all paths.

        The effects are those of the DAG that was learned. Where `identified_by` of an edge is
        empty, another DAG has other effects and fits as well, or nearly so. Of columns that were
        set aside nothing is known: not a number. Columns that were learned by their ranks count in
        standard deviations of these, as in `weights_`.
        """
        model, searched = self._model()
        effects = np.full((len(self.names_), len(self.names_)), np.nan)
        effects[np.ix_(searched, searched)] = model.total_effects()
        return self._labelled(effects)

    def intervene(self, values: Mapping[str, float]) -> Intervention:
        """Return the distribution of all variables when some are held at values.

        Parameters
        ----------
        values : value by name (x0, x1, ... or the index when X had no names). A column that was
            learned by its ranks cannot be held at a value; where others were, their means and rows
            are those of normal scores, which a warning says.
        """
        (model, searched), held = self._model(), {}
        for name, value in values.items():
            require_number(f"the value of {name!r}", value)
            held[int(np.searchsorted(searched, self._searched(name)))] = float(value)
        names = self._names(searched)
        ranked = [names[i] for i in held if names[i] in self.scores_]
        if ranked:
            raise InvalidParameterError(
                f"{listed(ranked)} {'was' if len(ranked) == 1 else 'were'} learned by ranks, which "
                "have no value to be held at: fit with scores='raw', or ask effect(cause, effect)."
            )
        self._warn_of_scores()
        named = {names[i]: value for i, value in held.items()}
        return Intervention(model.intervene(held), names, named, self._library)

    # --- within

    def _adopt(
        self,
        moments: Statistics,
        learned: Learned,
        library: str | None,
        n_dropped: int = 0,
        rows: NDArray[Any] | None = None,
        confidence: Confidence | None = None,
        schema: Schema | None = None,
        left_out: Mapping[str, str] | None = None,
        scores: Mapping[str, str] | None = None,
        known: Knowledge | Masks | None = None,
        labels: NDArray[np.str_] | None = None,
        stream: Stream | None = None,
        source: Mapping[str, int] | None = None,
        resampled: Resampled | None = None,
    ) -> None:
        """Take over a result, all at once."""
        self.names_ = moments.labels
        self._schema = schema or Schema(
            self.names_, (CONTINUOUS,) * moments.d, self.names_, moments.names is not None
        )
        self._kinds = self._schema.kinds
        self.kinds_ = {
            name: found.kind.value for name, found in zip(self.names_, self._kinds, strict=True)
        }
        self.left_out_ = dict(left_out or {})
        self.n_features_in_ = len(self._schema.source)
        if self._schema.has_names:
            self.feature_names_in_ = np.array(self._schema.source, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.moments_ = moments
        self.learned_ = learned
        self.knowledge_ = known
        self.n_dropped_ = n_dropped
        self.scores_ = dict(scores or {})
        self._library, self._rows, self._labels = library, rows, labels
        self._stream = stream
        self.source_ = dict(source) if source is not None else None
        if stream is not None:
            self.source_ = stream.facts()
        self._diagnosis, self._confidence, self._resampled = None, confidence, resampled
        self._data_hash, self._written_by = None, __version__
        self._read_as = None

    def _fitted(self) -> Learned:
        """Return the result of the last fit."""
        check_is_fitted(self, "learned_")
        return self.learned_

    def _model(self) -> tuple[LinearModel, IntArray]:
        """Return the linear model around the means of the data, and the columns that are in it."""
        learned = self._fitted()
        require_lines(self.moments_)
        if not isinstance(self.moments_, Moments):
            raise InvalidParameterError(
                "This model has categories, so that it is no linear model of the columns: ask for "
                "effect(cause, effect), which tells of each level."
            )
        searched = np.setdiff1d(np.arange(len(self.names_)), learned.aside)
        model = LinearModel.around(
            self.moments_.means[searched],
            learned.dag.select(searched),
            learned.noise_variances[searched],
        )
        return model, searched

    def _values(self) -> tuple[Array, Array, NDArray[Any]]:
        """Return for each edge weight, standardised weight, and what identifies its direction."""
        dag = self._fitted().dag
        by = identified_by(self.learned_).astype(object if self._library else "U15")
        return dag.weight, self.standardised_weights(), by

    def _names(self, columns: IntArray) -> tuple[str, ...]:
        """Return the names of some columns."""
        return tuple(self.names_[j] for j in columns.tolist())

    def _has_names(self) -> bool:
        """Whether X had names."""
        return hasattr(self, "feature_names_in_")

    def _labelled(self, matrix: NDArray[Any]) -> Any:
        """Return a frame when X had names."""
        return make_matrix(self._library, self.names_, matrix)

    def _searched(self, name: object) -> int:
        """Return the index of a variable that is in the model."""
        position = self._position(name)
        if position in self._fitted().aside:
            raise InvalidParameterError(
                f"{name!r} was set aside because other columns determine it: its effects are "
                'not known. Leave out what repeats, or fit with determined="keep".'
            )
        return position

    def _position(self, name: object) -> int:
        """Return the index of a variable."""
        if name in self.names_:
            return self.names_.index(str(name))
        number = int(name) if isinstance(name, Integral) and not self._has_names() else -1
        if 0 <= number < len(self.names_):
            return number
        raise InvalidParameterError(about_unknown(name, self.names_, self.left_out_))
