"""DAGLock, the scikit-learn estimator."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from daglock._parameters import n_threads, seed_of
from daglock._progress import Bar
from daglock.criteria import Curved, UnequalVariances
from daglock.curves import Curves
from daglock.decisions import NoiseReason
from daglock.engine import learn
from daglock.engine.invariance import find_targets
from daglock.engine.learned import Learned
from daglock.engine.shaping import orient_by_shape
from daglock.errors import DataWarning, InvalidParameterError
from daglock.estimator import saving
from daglock.estimator.assessing import Assessed
from daglock.estimator.curving import (
    check_curved,
    doubt_shapes,
    lines_fit_as_well,
    refuse_parts,
    require_curvable,
)
from daglock.estimator.fitted import FitWarning
from daglock.estimator.preparing import Prepared, keep_table, with_outlier, with_scores
from daglock.estimator.progress import shown_on
from daglock.estimator.regimes import (
    FIND,
    doubt_targets,
    rows_to_look_at,
    told_targets,
    with_labels,
)
from daglock.estimator.streaming import read_source
from daglock.knowledge import Knowledge, Masks
from daglock.knowledge.assumed import about_assumed, given_columns, with_names
from daglock.moments import Moments
from daglock.regimes import Regimes, with_regime_column
from daglock.sources.large import source_of
from daglock.table.frames import library_for, read_table
from daglock.table.kinds import ColumnKind, Kind
from daglock.table.missing import about_dropped
from daglock.table.rounding import about_rounded
from daglock.table.scores import scores_sentence
from daglock.table.table import Table
from daglock.table.telling import about_left_out
from daglock.typing import Array, IntArray, Statistics


class DAGLock(Assessed, BaseEstimator):
    """Learn a directed acyclic graph from a table.

    Parameters
    ----------
    noise : "auto", "equal" or "unequal"
        One noise variance for all variables (the DAG is identified, the scale of the columns is
        information), one for each (only its equivalence class is, whatever the scale), or
        whichever the data speak for.
    ebic_gamma : float, optional
        Price of an edge beyond the BIC's; by default the smallest that expects one false edge in
        a hundred graphs without any, or less where that leaves more unexplained than chance does.
    knowledge : Knowledge, dict or path, optional
        Forbidden and required edges, tiers, roots, leaves: always obeyed. A dictionary has the
        parts of `Knowledge`; a file is YAML, JSON or what Tetrad writes.
    names : bool or list of str
        Whether a column that is called age, sex, race, birth year or the like is known to come
        first: nothing in the table causes it (docs/confidence.md). A list names the columns that
        come first, whatever they are called. Columns that ``knowledge`` places are left to it.
    start : "continuous", "order" or array, optional
        Where the search begins; an array is an order of the columns or a weight matrix.
    n_restarts : int, optional
    time_limit : float, optional
        Seconds; the best graph so far is kept, with a warning.
    prove : float, optional
        Seconds to spend, after the search, on showing that no graph has a better score: up to 20
        variables by comparing all, up to 62 by a bound (`certificate_.lower_bound`, ``gap``; under
        unequal noise variances). Beyond there is no proof.
    columns : dict, optional
        What columns are, by name, where that is not to be found by looking: "continuous",
        "ordinal", "count", "binary", "categorical", or "ignore"; a list of levels is text in its
        order, such as ``{"grade": ["low", "mid", "high"]}``.
    missing : "refuse", "drop" or "model"
        Rows with missing values: an error that names the columns; left out with a warning; or
        kept, with moments under which what is there is most likely (`Moments.from_incomplete`).
    determined : "drop" or "keep"
        Columns that others determine (copies, sums, percentages), exactly or up to rounding: set
        aside, nodes without edges, or kept in the search. A warning names them.
    scores : "auto", "raw" or "normal"
        Ranks (normal scores) in place of values: for the columns whose raw values mislead, which
        `scores_` names with the reasons and a warning too, for none, or for all. Weights of such
        columns are in standard deviations of their scores, and equal variances are not tried.
    interventions : "perfect", "imperfect" or "shift"
        What regimes do to their targets (`fit`): cut them off from their parents, so that a column
        is learned from the other regimes; change their mechanism and keep their parents; or add
        to them, so that all else stays, means of other columns given their parents too.
    curved : bool
        Effects may be curves: each variable is a sum of smooth functions of its parents, and noise,
        or in small tables one function of all of them together (docs/theory.md, section 6).
        Where the data bend, directions are identified by that, weights are strengths from 0 to 1,
        and `curves_` tells where lines fail; where no bend is worth its price the model is linear.
        For numbers without gaps, in memory, and 70 rows or more.
    shape : "auto" or "ignore"
        Where the noise is not Gaussian, its shape tells directions that variances leave open:
        used where it is strong, or not at all.
    random_state : int, Generator or RandomState, optional
        None is a fixed seed: the same table gives the same graph.
    n_jobs : int, optional
        Threads; the result does not depend on it.
    verbose : int
        1 shows a progress bar.

    Attributes
    ----------
    edges_ : frame or record array
        source, target, weight, standardised_weight (effect in standard deviations) and
        identified_by: what the model and your knowledge identify the direction by, "class",
        "equal variances", "regimes" (experiments), "shape", "curves", "knowledge", "name", or ""
        where they leave it open. A frame of the library of X when X had names, with those names;
        otherwise a NumPy record array of indices.
    confidence_ : frame or record array
        How far to believe it: source, target (the likelier way), link and direction
        (probabilities) and claim, "directed", "leaning" or "open". Computed when it is first
        asked for, by `assess`, whose arguments it takes at their defaults.
    opinions_ : frame or record array
        Why: what each kind of evidence says of each pair.
    weights_ : (d, d) array or frame
        ``weights_[i, j]`` is the effect of i on j; absent edges are exactly zero. A labelled frame
        when X had names (in pandas rows and columns, elsewhere the columns), as the next two.
    adjacency_matrix_ : (d, d) of 0 and 1
    cpdag_ : (d, d)
        The completed class of the graph: 0 none, 1 directed i -> j, 2 undirected (both cells). An
        edge is directed if all equivalent DAGs have it; with knowledge, all that knowledge allows.
    identified_ : (d, d)
        The same marks: directed where noise, shape, regimes or knowledge identify the direction
        and turning the edge costs a margin. Under equal variances, which identify the DAG, any edge
        can be; under unequal ones what the class compels, and with known targets of regimes what
        the interventional class does.
    causal_graph_ : networkx.DiGraph
    topological_order_ : (d,) array of names, or of indices when X had none.
    certificate_ : Certificate
    noise_model_ : "equal" or "unequal"; "mixed" or "counts" where there are categories, "regimes"
        where the targets of regimes are known, "curves" where effects are curves
    noise_variances_ : (d,) array
    status_ : Status, with ``message_``, a sentence for a person
    trace_ : FitTrace
    diagnostics_ : Diagnosis, computed when it is first asked for.
    names_ : tuple of str
        Names of the columns, x0, x1, ... when X had none.
    moments_ : Moments; Blocks or Counts where there are categories, Regimes where there are those
        What was kept of the data.
    knowledge_ : Knowledge or Masks, optional
        What was known, as it was read.
    assumed_ : dict
        Columns that were assumed to come first, and what their names say: "age", "sex", "race",
        "birth", "parents", "time", "lot" (drawn by lot) or "named" (in ``names``).
    regimes_ : RegimeSummary, or None
        Which regimes, how far columns shift between them, what they target and orient.
    made_by_ : str
        The call, or the command, that makes the model again.
    data_hash_ : str
        SHA-256 of the table: names, levels and values, row by row; without rows, of the moments.
    provenance_ : dict
        Version, made_by, data, random_state and replicates, and in a line what a saved model holds.
    source_ : dict, or None
        Of data that were read in parts: rows, files and bytes, and how many rows were looked at.
    n_dropped_ : int
        Rows that were left out for missing values; with ``missing="model"`` those without any.
    kinds_ : dict
        What each column is, by name: "continuous", "ordinal", "count", "binary", "categorical".
    left_out_ : dict
        Why columns were left out, by name: row counters, dates, columns that do not vary.
    set_aside_ : tuple of str
        Columns that others determine, which were not searched; nothing is claimed of them.
    changes_ : frame or record array
        With regimes, the mechanisms that are another one in some: column, regime, what changes
        (intercept, coefficients, variance) and gain, what that explains in units of 2
        log-likelihood less its price. Given the parents that were learned.
    curves_ : frame or record array
        With ``curved``, of each edge how much its curve explains of the variance of its target
        (explained), how much of that no line does (bend), and what the bend is worth in units of 2
        log-likelihood, less its price (gain). Empty where all effects are lines.
    scores_ : dict
        Columns that were learned by their ranks, and why.
    n_features_in_ : int
        Columns of X, those that were left out too.
    feature_names_in_ : array of str
        Their names, only when X had names.

    Examples
    --------
    >>> from daglock.simulate import erdos_renyi, linear_sem
    >>> W = erdos_renyi(n_nodes=10, n_edges=10, rng=0)
    >>> model = DAGLock(random_state=0).fit(linear_sem(W, n_samples=1000, rng=1))
    >>> bool(((model.weights_ != 0) == (W != 0)).all()), model.certificate_.is_dag
    (True, True)
    """

    def __init__(
        self,
        noise: str = "auto",
        *,
        ebic_gamma: float | None = None,
        knowledge: Knowledge | Masks | Mapping[str, Any] | str | Path | None = None,
        start: str | Array | IntArray | None = None,
        n_restarts: int | None = None,
        time_limit: float | None = None,
        prove: float | None = None,
        columns: Mapping[str, Any] | None = None,
        missing: str = "refuse",
        determined: str = "drop",
        scores: str = "auto",
        interventions: str = "perfect",
        curved: bool = False,
        shape: str = "auto",
        names: bool | Sequence[str] = True,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.noise = noise
        self.ebic_gamma = ebic_gamma
        self.knowledge = knowledge
        self.start = start
        self.n_restarts = n_restarts
        self.time_limit = time_limit
        self.prove = prove
        self.columns = columns
        self.missing = missing
        self.determined = determined
        self.scores = scores
        self.interventions = interventions
        self.curved = curved
        self.shape = shape
        self.names = names
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        regimes: Any = None,
        targets: Mapping[Any, Any] | str | Path | None = None,
        progress: bool | None = None,
    ) -> DAGLock:
        """Learn the graph of the columns of X; y is ignored.

        The data are not changed, and not copied where they are an array; `bootstrap` draws from
        them again.

        Parameters
        ----------
        X : an array, a frame of any library, or a `Table` such as `daglock.table.read_file` gives.
            Or what need not fit into memory: a file, a folder or a pattern of Parquet or CSV files
            (``"events/*.parquet"``), a data set of pyarrow, a lazy frame of polars, a relation of
            DuckDB, an iterator of batches (docs/scale.md).
        regimes : batches, environments or experiments that rows come from: the name of a column,
            which is then no variable, or a label for each row. Every variable has a mean of its own
            in each regime, so that shifts between them make no edges.
        targets : columns that regimes intervene on, by label, such as ``{"drug": ["dose"]}``, or
            a YAML or JSON file that says so; regimes that are not named leave all columns alone.
            With "find" they are found: the graph is the one with the fewest changes (`changes_`).
        progress : whether to show a bar; by default as ``verbose`` says.
        """
        began = perf_counter()
        if self.shape not in ("auto", "ignore"):
            raise InvalidParameterError(f"shape must be auto or ignore; got {self.shape!r}.")
        check_curved(self.curved, self.noise, regimes, targets)
        wanted = bool(self.verbose) if progress is None else progress
        read = self._read(X, regimes, targets, wanted)
        table, labels, scored, moments = read.table, read.labels, read.scored, read.moments
        cautions = list(read.cautions)
        moments = told_targets(moments, targets, self.interventions, self.noise)
        known = self._known(table.left_out)
        given = self._given(moments.labels, table.kinds, known, table.left_out)
        how: dict[str, Any] = {"progress": wanted, "scored": bool(scored), "given": given}
        if targets == FIND:
            assert isinstance(moments, Regimes)
            how["noise"] = UnequalVariances.name
            moments, learned = find_targets(
                moments, lambda kept, order: self._learn(kept, known, began, start=order, **how)
            )
        else:
            learned = self._learn(moments, known, began, **how)
        if isinstance(moments, Curves) and learned.status.is_success:
            plain = Moments.from_data(table.data, moments.names)
            straight = self._learn(plain, known, began, **how)
            X = np.asarray(table.data, dtype=np.float64)
            if lines_fit_as_well(X, moments, learned, straight):
                moments, learned = plain, straight
            else:
                learned, said = doubt_shapes(X, moments, learned)
                cautions += said
        learned = with_outlier(learned, table)
        learned, doubts = doubt_targets(moments, learned)
        cautions += doubts
        whole = rows_to_look_at(table.data, labels, moments)
        if (
            isinstance(moments, Moments)
            and whole is not None
            and self.shape == "auto"
            and not scored  # the shape of noise on scores is that of the scores
            and learned.noise == UnequalVariances.name
        ):
            masks = learned.certificate.knowledge
            learned = orient_by_shape(learned, whole, moments.cov, masks)
        learned = replace(
            learned,
            message=" ".join([learned.message, *cautions]),
            cautions=(*learned.cautions, *cautions),
        )
        library = library_for(table.names, table.library)
        self.made_by_ = f"{self!r}.fit(X)"
        self._adopt(
            moments,
            learned,
            library,
            read.n_dropped,
            table.data,
            schema=table.schema,
            left_out=table.left_out,
            scores=scored,
            known=known,
            labels=labels,
            stream=read.stream,
        )
        self._read_as = read, targets
        about_table = about_left_out(table), about_rounded(table.rounded)
        return self._warn(*about_table, about_assumed(given))

    def _read(self, X: Any, regimes: Any, targets: Any, progress: bool) -> Prepared:
        """Return a table and what is kept of it; of a source a sample of its rows."""
        if isinstance(X, Prepared):  # the command line shows it before anything is learned
            if self.curved and X.stream is not None:
                refuse_parts()
            return X
        columns = with_regime_column(self.columns, regimes)
        source = source_of(X)
        if source is not None and self.curved:
            refuse_parts()
        if source is not None:
            return read_source(
                source,
                columns=columns,
                missing=self.missing,
                regimes=regimes,
                targets=targets,
                noise=self.noise,
                scores=self.scores,
                progress=progress,
            )
        if isinstance(X, str | Path):
            from daglock.table.file import read_file

            X, columns = read_file(X, kinds=columns), None
        table = read_table(X, self.missing, columns=columns)
        table, labels = with_labels(table, regimes, targets)
        if self.curved:
            require_curvable(table, labels)
        table, scored = with_scores(table, self.scores, self._criterion, labels)
        hurried = self.time_limit is not None
        moments, cautions = keep_table(table, self._criterion, progress, labels, hurried=hurried)
        return Prepared(table, labels, scored, moments, table.n_dropped, cautions)

    def fit_moments(self, moments: Moments) -> DAGLock:
        """Learn the graph from moments: the same as `fit`, without the rows.

        Moments with names give frames of pandas, where it is installed.
        """
        if self.curved and not isinstance(moments, Curves):
            raise InvalidParameterError(
                "Curved effects are learned from rows, and moments have none: leave curved out."
            )
        known = self._known()
        given = self._given(getattr(moments, "labels", ()), (), known)
        learned = self._learn(moments, known, perf_counter(), given=given)
        self.made_by_ = f"{self!r}.fit_moments(moments)"
        self._adopt(moments, learned, library_for(moments.names), known=known)
        return self._warn(about_assumed(given))

    @property
    def _criterion(self) -> str:
        """The noise model that is asked for, by its name."""
        return Curved.name if self.curved else self.noise

    def _known(self, left_out: Collection[str] = ()) -> Knowledge | Masks | None:
        """Return what is known of columns that are variables; a file is read here, once."""
        known = self.knowledge
        if known is None or isinstance(known, Masks):
            return known
        return Knowledge.of(known).without(left_out)

    def _given(
        self,
        columns: Sequence[str],
        kinds: Sequence[ColumnKind],
        known: Knowledge | Masks | None,
        left_out: Collection[str] = (),
    ) -> list[str]:
        """Return the columns that come first by their names."""
        numbers = [n for n, one in zip(columns, kinds, strict=False) if one.kind is Kind.CONTINUOUS]
        return given_columns(self.names, columns, numbers, known, left_out)

    def _learn(
        self,
        moments: Statistics,
        known: Knowledge | Masks | None,
        began: float,
        progress: bool | None = None,
        scored: bool = False,
        noise: str | None = None,
        start: IntArray | None = None,
        given: Sequence[str] = (),
    ) -> Learned:
        """Run the engine; what came before it counts as time too."""
        settings: dict[str, Any] = {
            "noise": noise or self._criterion,
            "ebic_gamma": self.ebic_gamma,
            "determined": self.determined,
            "start": self.start if start is None else start,
            "n_restarts": self.n_restarts,
            "time_limit": self.time_limit,
            "prove": self.prove,
        }
        if isinstance(known, Knowledge) and hasattr(moments, "labels"):  # else the engine refuses
            known = known.masks(moments.labels)
        assumed = None
        if given:
            columns = np.array([moments.labels.index(name) for name in given], dtype=np.intp)
            assert known is None or isinstance(known, Masks)
            known, assumed = with_names(known, columns, moments.d)
        settings["masks"] = known
        lines = self.curved and not isinstance(moments, Curves)
        no_scale = scored and self._criterion == "auto" and isinstance(moments, Moments)
        if no_scale or lines:  # variances of scores tell nothing
            settings["noise"] = UnequalVariances.name
        if isinstance(self.time_limit, int | float) and self.time_limit > 0:
            settings["time_limit"] = max(self.time_limit - (perf_counter() - began), 0.0)
        wanted = bool(self.verbose) if progress is None else progress
        with Bar(wanted) as bar:
            learned = learn(
                moments,
                **settings,
                rng=seed_of(self.random_state),
                n_jobs=n_threads(self.n_jobs),
                progress=shown_on(bar, moments, self.n_restarts, self.prove) if wanted else None,
            )
        learned = replace(learned, assumed=assumed)
        if not (lines or (no_scale and learned.noise == UnequalVariances.name)):
            return learned
        reason = NoiseReason.LINES if lines else NoiseReason.SCORES
        return replace(learned, decisions=replace(learned.decisions, noise_reason=reason))

    def _warn(self, *about_table: str) -> DAGLock:
        """Warn whoever called `fit` or `fit_moments` of what limits the result."""
        for said in filter(None, about_table):
            warnings.warn(said, DataWarning, stacklevel=3)
        if not self.learned_.status.is_success:
            warnings.warn(self.learned_.message, FitWarning, stacklevel=3)
        for caution in self.learned_.cautions:
            warnings.warn(caution, DataWarning, stacklevel=3)
        if self.scores_ and self.scores != "normal":
            warnings.warn(scores_sentence(self.scores_), DataWarning, stacklevel=3)
        if self.n_dropped_:
            dropped = about_dropped(self.n_dropped_, self.moments_.n_rows, self.missing)
            warnings.warn(dropped, DataWarning, stacklevel=3)
        return self

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that missing values are taken where they are not to be refused."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing in ("drop", "model")
        return tags

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report, one HTML file that needs no network, and return its path.

        Parameters
        ----------
        path : the file, which is replaced if it is there; ``report.html`` by default.
        """
        from daglock.diagnostics.detectors import inspect_table
        from daglock.report.html import write_report

        self._assessed()
        findings = []
        if self._rows is not None and not self.scores_:  # ranks would hide what is wrong
            table = Table(self._rows, self.names_, kinds=self._kinds)
            findings = inspect_table(table, self._labels)
        return write_report(self, path or "report.html", findings=findings)

    def save(self, path: str | Path, *, keep_rows: bool = False, assess: bool = True) -> None:
        """Write the model to a file: .npz takes little room, anything else is JSON.

        It holds the graph, what was kept of the data, `confidence_` and draws for the intervals of
        effects, so that `daglock.load` gives the same claims; nothing is pickled. What was not yet
        assessed is assessed first.

        Parameters
        ----------
        path : the file, which is replaced if it is there.
        keep_rows : whether the file holds the rows as well; by default it holds none.
        assess : False leaves out `confidence_` if it was not asked for before.
        """
        learned = self._fitted()
        if keep_rows and (self._rows is None or self._stream is not None):
            raise InvalidParameterError(
                "The model has no rows to keep: they were read in parts, or are gone."
            )
        if assess:
            self._assessed()
        rows = self._rows if keep_rows else None
        settings = {**self.get_params(deep=False), "knowledge": self.knowledge_}
        saved = saving.Saved(
            settings,
            self._library,
            self.n_dropped_,
            self.moments_,
            learned,
            self._confidence,
            self._schema,
            self.left_out_,
            self.scores_,
            None if self._stream is not None else self._labels,  # those of a sample of the rows
            self.source_,
            self._resampled,
            self.made_by_,
            self.data_hash_,
            rows,
        )
        saving.write(path, saved)
