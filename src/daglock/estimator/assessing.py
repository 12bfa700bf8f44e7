"""Assessed: what a fitted model answers when its rows are drawn again, and what rests on that."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils import estimator_html_repr

from daglock.confidence import Bootstrap, Confidence, gather
from daglock.confidence.checkpoint import Checkpoint
from daglock.confidence.edges import ClaimedEdge, claimed_edges
from daglock.confidence.evidence import Evidence, is_crowded
from daglock.confidence.groups import hidden_groups
from daglock.confidence.hidden import HiddenCause, hidden_causes
from daglock.confidence.replicates import Progress, default_replicates, learn_replicates
from daglock.confidence.resampled import Resampled
from daglock.confidence.words import about_opposed
from daglock.counts import Counts
from daglock.criteria import UnequalVariances
from daglock.drawing.picture import draw_graph
from daglock.effects import Effect, LevelEffects, effects_by_level
from daglock.effects.draws import CovarianceDraws
from daglock.engine.identified import rests_on
from daglock.engine.repeated import determined_pairs
from daglock.engine.statistics import keep_rows
from daglock.errors import ConvergenceWarning, DataWarning, InvalidParameterError
from daglock.estimator import showing
from daglock.estimator.again import learn_again, require_same
from daglock.estimator.curving import require_lines
from daglock.estimator.fitted import Fitted, FitWarning
from daglock.estimator.regimes import (
    InRegimes,
    between,
    leaving_alone,
    rows_to_look_at,
    untargeted,
    untold_changes,
)
from daglock.moments import Moments
from daglock.regimes import Regimes
from daglock.sources.large import refuse_groups, refuse_source
from daglock.table.deciding import STILL
from daglock.table.frames import make_digraph, read_table
from daglock.table.kinds import Kind
from daglock.typing import BoolArray, Seed

if TYPE_CHECKING:
    import networkx
    from matplotlib.axes import Axes

# Draws of rows and graphs behind the interval of an effect.
DRAWS = 200


class Assessed(InRegimes, Fitted):
    """Attributes and methods of `DAGLock` that draw rows again, or show how sure everything is."""

    random_state: Any
    n_restarts: int | None
    time_limit: float | None

    # --- the graph, with what may be believed of it

    def claimed_edges(self) -> list[ClaimedEdge]:
        """List the edges by name with what may be believed of each; asks for `confidence_`."""
        return claimed_edges(self.named_edges(), self._assessed().of_edges(self._fitted().dag))

    @property
    def causal_graph_(self) -> networkx.DiGraph[str]:
        """The graph for networkx and whoever takes its graphs, isolated variables included."""
        return self.to_networkx()

    def to_networkx(self) -> networkx.DiGraph[str]:
        """Return a DiGraph: `names_` with their ``kind``, edges with the fields of `ClaimedEdge`.

        Every edge is there in the direction of the graph; ``claim`` says what may be believed of
        it. Asks for `confidence_`.
        """
        claimed = self.claimed_edges()
        graph = make_digraph(self.names_)
        for name, kind in self.kinds_.items():
            graph.nodes[name]["kind"] = kind
        for edge in claimed:
            attributes = edge._asdict()
            graph.add_edge(attributes.pop("source"), attributes.pop("target"), **attributes)
        return graph

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the graph with matplotlib: causes above effects, heads by what is claimed.

        A full head: the arrow can be relied on, or its direction was told; a hollow one: it leans
        this way; none: it is open. The wider a line, the larger the standardised weight; the
        paler, the less sure the link. Categories have boxes with square corners, and lines without
        a sign are grey. Asks for `confidence_`.
        """
        sure = self._assessed().of_edges(self._fitted().dag)
        return draw_graph(
            ax,
            self.standardised(),
            self.names_,
            sure.claims,
            sure.link,
            categories=self.categories(),
            unsigned=self.strengths(),
        )

    def summary(self) -> str:
        """Return a short text: what was learned, how far to believe it, the strongest links.

        Asks for `confidence_`.
        """
        self._fitted()
        return showing.summary(self)

    # --- how sure everything is

    @property
    def confidence_(self) -> Any:
        """How sure each link and direction is; computed when first asked for: see `assess`."""
        return self._assessed().table()

    @property
    def opinions_(self) -> Any:
        """What each kind of evidence says of the direction of each pair, and why."""
        return self._assessed().opinions()

    def _repr_html_(self) -> str:
        """Show a fitted model in a notebook: its picture and its strongest links."""
        if hasattr(self, "learned_"):
            return showing.notebook(self)
        return estimator_html_repr(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return what notebooks ask for first; text alone where scikit-learn is told so."""
        shown = {"text/plain": repr(self)}
        if get_config()["display"] == "diagram":
            shown["text/html"] = self._repr_html_()
        return shown

    @property
    def default_replicates(self) -> int:
        """Replicates behind `confidence_` by default: by the size of the table alone."""
        self._fitted()
        return default_replicates(self.moments_.n_rows, self.moments_.d)

    def bootstrap(
        self,
        n: int | None = None,
        *,
        X: Any = None,
        groups: Any = None,
        rng: Seed = None,
        n_jobs: int | None = None,
        seconds: float | None = None,
        progress: Progress | bool | None = None,
        checkpoint: Checkpoint | str | Path | None = None,
    ) -> Bootstrap:
        """Draw the rows again n times and learn each time with the same settings.

        Ctrl-C ends it with the replicates that are done, whose number is the ``n`` of the result.

        Parameters
        ----------
        n : replicates; by default 100, fewer for very large tables (`default_replicates`).
        X : the rows, where the model no longer has them: after `fit_moments` or `daglock.load`.
            Without rows, replicates are drawn from the Gaussian distribution with these moments.
        groups : a label for each row, where rows are not independent: those of one patient, one
            firm, one month are drawn together.
        rng : seed; the same seed gives the same frequencies, whatever n_jobs.
        n_jobs : processes, as in joblib, whose backend the caller can set.
        seconds : of work, after which no more begin; ``stopped`` is "time" then.
        progress : None shows a bar on a terminal, True always, False never; a function is called
            with the replicates done and n.
        checkpoint : a file that keeps replicates as they are made; of the same data, settings and
            seed they are taken from it, so that a run that was killed goes on where it was.

        Returns
        -------
        Bootstrap
        """
        learned, rows = self._fitted(), self._rows_again(X)
        n = self.default_replicates if n is None else n
        again = learn_again(learned, self.moments_, self.n_restarts or 0, self.time_limit)
        stream = self._stream if X is None else None
        if stream is not None:
            rows = None
            refuse_groups(groups)
        replicates, stopped = learn_replicates(
            again,
            rows,
            self.moments_,
            keep=None if rows is None else self._keep_rows(),
            groups=groups,
            regimes=None if rows is None else self._labels,
            drawn=stream if stream is not None and stream.centre else None,
            n=n,
            rng=rng,
            n_jobs=n_jobs,
            seconds=seconds,
            progress=progress,
            checkpoint=Checkpoint(checkpoint) if isinstance(checkpoint, str | Path) else checkpoint,
        )
        if stopped == "interrupt":
            warnings.warn(
                f"Interrupted after {len(replicates)} of {n} replicates: the frequencies are "
                "those of these.",
                FitWarning,
                stacklevel=2,
            )
        drawn_from = "moments" if rows is None and stream is None else "rows"
        return Bootstrap.count(
            [one.dag for one in replicates],
            self.names_,
            learned.dag.order,
            self._library,
            drawn_from,
            stopped,
            together=groups is not None,
            resampled=Resampled.of(replicates),
        )

    def assess(
        self,
        n: int | None = None,
        *,
        X: Any = None,
        groups: Any = None,
        rng: Seed = None,
        n_jobs: int | None = None,
        seconds: float | None = None,
        progress: Progress | bool | None = False,
        bootstrap: Bootstrap | None = None,
    ) -> Confidence:
        """Find out how sure each link and each direction is; `confidence_` then shows it.

        Parameters
        ----------
        n : replicates, as in `bootstrap`.
        X : the rows, where the model no longer has them, as in `bootstrap`. Without rows nobody
            can see whether the linear model holds, and directions are doubted accordingly.
        rng : seed; by default the ``random_state`` where that is a number, else 0.
        seconds : of work on replicates, by default ``time_limit``; if that cuts them short, all
            that shows claims says so.
        groups, n_jobs, progress : as in `bootstrap`.
        bootstrap : replicates that are there already.

        Returns
        -------
        Confidence
        """
        learned, rng = self._fitted(), self._seed_of(rng)
        if bootstrap is None:
            limit = self.time_limit if seconds is None else seconds
            how: dict[str, Any] = {"n_jobs": n_jobs, "seconds": limit, "progress": progress}
            bootstrap = self.bootstrap(n, X=X, groups=groups, rng=rng, **how)
        sure = Confidence.weigh(
            self.evidence(bootstrap, X=X),
            self.names_,
            rests_on(learned),
            bootstrap.n,
            self._library,
        )
        how = {"groups": groups, "rng": rng, "n_jobs": n_jobs}
        self._confidence = replace(
            sure,
            n_usual=self.default_replicates,
            stopped=bootstrap.stopped,
            opposed=self._opposed(bootstrap, how),
        )
        self._resampled = bootstrap.resampled
        if said := about_opposed(self._confidence):
            warnings.warn(said, DataWarning, stacklevel=2)
        return self._confidence

    def _opposed(
        self, bootstrap: Bootstrap, how: dict[str, Any]
    ) -> tuple[tuple[str, str, float], ...]:
        """Return arrows that the data alone would claim into columns that come first by name.

        The graph is learned without names; replicates are made only if it has such an arrow.
        """
        assumed, again = self._fitted().assumed, self._read_as
        if assumed is None or again is None or (bootstrap.together and how["groups"] is None):
            return ()
        plain: Any = clone(self)
        plain.set_params(names=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            warnings.simplefilter("ignore", ConvergenceWarning)
            plain.fit(again[0], targets=again[1])
            given = {self.names_[v] for v in assumed.columns.tolist()}
            into = [edge for edge in plain.named_edges() if edge.target in given]
            if not any(edge.identified_by and edge.source not in given for edge in into):
                return ()
            plain.assess(bootstrap.n, seconds=self.time_limit, **how)
        return tuple(
            (edge.source, edge.target, edge.arrow)
            for edge in plain.claimed_edges()
            if edge.is_directed and edge.target in given and edge.source not in given
        )

    def evidence(self, bootstrap: Bootstrap, *, X: Any = None) -> Evidence:
        """Return what is known of each pair before it is weighed: what `assess` rests on.

        Parameters
        ----------
        bootstrap : replicates.
        X : the rows, where the model no longer has them, as in `bootstrap`.
        """
        from daglock.diagnostics.detectors.rows import rows_depend

        learned, rows = self._fitted(), self._rows_again(X)
        looked = rows_to_look_at(rows, self._labels, self.moments_)
        lines = type(self.moments_) is Moments and not self.is_curved_
        return gather(
            bootstrap,
            learned.dag,
            looked,
            shaped=learned.shaped,
            known=learned.ruled_out,
            required=learned.certificate.knowledge.required,
            nominal=self._nominal(),
            by_regimes=learned.by_regimes,
            doubted=learned.doubted,
            changes=untold_changes(self.moments_),
            curved=self.is_curved_,
            hidden=self._hidden_causes(),
            determined=determined_pairs(self.moments_),
            dependent=not bootstrap.together and rows_depend(rows, self.names_, self._labels),
            smaller=hidden_groups(looked, learned.dag) if lines and looked is not None else 0.0,
            n_rows=self.moments_.n,
            assumed=learned.assumed,
        )

    def _hidden_causes(self) -> list[HiddenCause]:
        """Return causes that are not in the table but explain links better than arrows do.

        Nobody looks for them where categories, regimes, curves or equal variances make the model
        another one, nor where nearly all columns are linked, so that no direction is relied on.
        """
        learned, moments = self._fitted(), self.moments_
        if (
            not isinstance(moments, Moments)
            or isinstance(moments, Regimes)
            or learned.noise != UnequalVariances.name
            or is_crowded(learned.dag.source, learned.dag.target)
        ):
            return []
        return hidden_causes(
            moments.cov, moments.n, moments.n * learned.decisions.price / 2, learned.dag
        )

    def effect(
        self,
        cause: Any,
        effect: Any,
        *,
        level: float = 0.9,
        n: int = DRAWS,
        X: Any = None,
        rng: Seed = None,
        progress: bool | None = False,
    ) -> Any:
        """Tell by how much ``effect`` changes when ``cause`` is set one unit higher, and how sure.

        The interval comes from n draws of rows and of graphs, as `confidence_` has them: each pair
        linked with its probability, in a direction with its probability. Ctrl-C ends it with the
        draws that are done, whose number is the ``n_draws`` of the result.

        Parameters
        ----------
        cause, effect : names (x0, x1, ... or indices when X had none).
        level : how much of the draws the interval holds.
        n : draws.
        X : the rows, if the model has neither them nor draws of them: all is assessed anew then.
        rng : seed, as in `assess`.
        progress : True shows a bar, None on a terminal.

        Returns
        -------
        Effect
            ``value``, ``low``, ``high``, ``over_class``, ``adjustment``, ``probability_zero``; as
            text, sentences. `LevelEffects` where one of the two is a category: ``effects`` has an
            Effect for each level.

        Examples
        --------
        >>> from daglock import DAGLock, Knowledge
        >>> x = np.random.default_rng(0).standard_normal((500, 2))
        >>> x[:, 1] += 2 * x[:, 0]
        >>> known = Knowledge(required=["x0 -> x1"])
        >>> effect = DAGLock(knowledge=known).fit(x).effect("x0", "x1")
        >>> effect.low < 2 < effect.high, effect.adjustment
        (True, ())
        """
        learned, moments = self._fitted(), self.moments_
        require_lines(moments)
        i, j = (self._searched(name) for name in (cause, effect))
        if i == j:
            raise InvalidParameterError(
                f"{cause!r} is both cause and effect: name two different columns."
            )
        rng = self._seed_of(rng)
        if X is not None:
            self._rows_again(X)  # refuses other rows, also if none are needed
        if self._confidence is None or (X is not None and self._resampled is None):
            self.assess(X=X, rng=rng, progress=progress)
        sure, known = self._assessed(), learned.certificate.knowledge
        how: dict[str, Any] = {"level": level, "n": n, "rng": rng, "progress": progress}
        found: Effect | LevelEffects
        if isinstance(moments, Moments):
            path = between(learned.dag, i, j)
            groups, some = leaving_alone(path, moments)
            covariances = CovarianceDraws(some, moments, self._resampled, groups)
            found = Effect.estimate(i, j, learned.dag, sure, known, covariances, **how)
            if isinstance(moments, Regimes) and moments.changed is not None:
                alone = len(untargeted(moments, path))
                found = replace(found, regimes=(alone, len(moments.regimes)))
        else:
            counts = moments if isinstance(moments, Counts) else None
            blocks = moments if counts is None else counts.to_blocks()
            covariances = CovarianceDraws(blocks.columns, moments, self._resampled)
            given = (i, j, learned.dag, blocks, blocks.levels, sure, known, covariances)
            found = effects_by_level(*given, counts=counts, **how)
        found = found.in_words(
            tuple(self.names_[k] for k in (i, j) if self.names_[k] in self.scores_),
            *(
                self._kinds[k].levels if self._kinds[k].kind is Kind.BINARY else None
                for k in (i, j)
            ),
        )
        if found.n_draws < n:
            warnings.warn(
                f"Interrupted after {found.n_draws} of {n} draws: the interval is of these.",
                FitWarning,
                stacklevel=2,
            )
        return found

    # --- within

    def rows_looked_at(self) -> NDArray[Any] | None:
        """Return the rows that tell of shapes: complete, around the means of their regime."""
        return rows_to_look_at(self._rows, self._labels, self.moments_)

    def _assessed(self) -> Confidence:
        """Return how sure everything is."""
        self._fitted()
        return self.assess(progress=None) if self._confidence is None else self._confidence

    def _keep_rows(self) -> Any:
        """Return the function from rows to what is learned from, as in the fit."""
        return partial(keep_rows, like=self.moments_, kinds=self._kinds, noise=self.learned_.noise)

    def _nominal(self) -> BoolArray:
        """Tell for each column whether its numbers stand for categories without an order."""
        return np.array([kind.kind is Kind.CATEGORICAL for kind in self._kinds], dtype=np.bool_)

    def _seed_of(self, rng: Seed) -> Any:
        """Return the seed that was given, else the ``random_state`` where that is a number."""
        if rng is not None:
            return rng
        return self.random_state if isinstance(self.random_state, Integral) else 0

    def _rows_again(self, X: Any) -> NDArray[Any] | None:
        """Return the rows of the fit: those that are still here, or those given again."""
        self._fitted()
        rows = self._rows
        if X is None and (self.moments_.missing or self._stream is not None):
            return rows  # of few rows with many gaps the means are no property that tells them
        if X is not None:
            refuse_source(X)
            still = [name for name, why in self.left_out_.items() if why == STILL]
            again = read_table(X, self.missing, like=self._schema, besides=still)
            rows = self._scored(again.data)
        if rows is not None:
            require_same(rows, self._labels, self.moments_)
        return rows
