"""DAGLock, the scikit-learn estimator."""

from __future__ import annotations

import os
import warnings
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from daglock.certificate import Certificate
from daglock.engine import Learned, learn
from daglock.errors import ConvergenceWarning, InvalidParameterError
from daglock.knowledge import Masks
from daglock.moments import Moments
from daglock.solution import Status
from daglock.typing import Array, IntArray


class DAGLock(BaseEstimator):
    """Learn a directed acyclic graph from a table.

    Parameters
    ----------
    noise : "auto", "equal" or "unequal"
    ebic_gamma : float, optional
    masks : Masks, optional
        Hard knowledge by index; see `daglock.knowledge.knowledge_masks`.
    start : "continuous", "order", array, optional
    n_restarts : int, optional
    time_limit : float, optional
    random_state : int or Generator, optional
    n_jobs : int, optional
    verbose : int

    Attributes
    ----------
    weights_ : (d, d) array
        ``weights_[i, j]`` is the effect of i on j; absent edges are exactly zero.
    adjacency_matrix_ : (d, d) array of 0 and 1
    cpdag_ : (d, d) array
        0 none, 1 directed i -> j, 2 undirected (both cells): what the data can orient. Under
        equal variances the DAG itself is identified, and every edge is directed.
    topological_order_ : (d,) array
    certificate_ : Certificate
    noise_model_ : "equal" or "unequal"
    noise_variances_ : (d,) array
    status_ : Status, with ``message_``, a sentence for a person

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
        masks: Masks | None = None,
        start: str | Array | IntArray | None = None,
        n_restarts: int | None = None,
        time_limit: float | None = None,
        random_state: int | np.random.Generator | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.noise = noise
        self.ebic_gamma = ebic_gamma
        self.masks = masks
        self.start = start
        self.n_restarts = n_restarts
        self.time_limit = time_limit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> DAGLock:
        """Learn the graph of the columns of X, an (n, d) table; y is ignored."""
        return self._fit(Moments.from_data(X))

    def fit_moments(self, moments: Moments) -> DAGLock:
        """Learn the graph from moments: the same as `fit`, without the rows."""
        return self._fit(moments)

    def _fit(self, moments: Moments) -> DAGLock:
        """Run the engine; warn whoever called `fit` or `fit_moments`."""
        learned = learn(
            moments,
            noise=self.noise,
            ebic_gamma=self.ebic_gamma,
            masks=self.masks,
            start=self.start,
            n_restarts=self.n_restarts,
            time_limit=self.time_limit,
            rng=self.random_state,
            n_jobs=n_threads(self.n_jobs),
            progress=_print_progress if self.verbose else None,
        )
        if not learned.status.is_success:
            warnings.warn(learned.message, ConvergenceWarning, stacklevel=3)
        self.n_features_in_ = moments.d
        self.names_ = moments.names or tuple(f"x{j}" for j in range(moments.d))
        self.moments_ = moments
        self.learned_ = learned
        return self

    def to_sparse(self) -> scipy.sparse.csr_array[np.float64]:
        """W as a CSR matrix: nothing dense is built."""
        return self._fitted().to_sparse()

    @property
    def weights_(self) -> Array:
        """Effect of i on j; exact zeros."""
        return np.asarray(self.to_sparse().toarray())

    @property
    def adjacency_matrix_(self) -> NDArray[np.int8]:
        """1 where i -> j, else 0."""
        learned = self._fitted()
        adjacency = np.zeros((len(learned.order), len(learned.order)), dtype=np.int8)
        # by the edges: the least-squares weight of a required one can be zero
        adjacency[learned.source, learned.target] = 1
        return adjacency

    @property
    def cpdag_(self) -> NDArray[np.int8]:
        """What the data can orient: 0 none, 1 directed i -> j, 2 undirected."""
        return np.asarray(self._fitted().cpdag().toarray())

    @property
    def topological_order_(self) -> IntArray:
        """An order in which every edge goes forward."""
        return self._fitted().order

    @property
    def certificate_(self) -> Certificate:
        """The proof: `Certificate`."""
        return self._fitted().certificate

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

    def _fitted(self) -> Learned:
        """Return the result of the last fit."""
        check_is_fitted(self, "learned_")
        learned: Learned = self.learned_
        return learned


def n_threads(n_jobs: int | None) -> int:
    """Threads for scikit-learn's ``n_jobs``: None is one, -1 all, -2 all but one."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise InvalidParameterError(f"n_jobs must be a whole number other than 0; got {n_jobs!r}.")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def _print_progress(noise: str, restarts: int, score: float) -> None:
    """One line for each batch of restarts."""
    print(f"{noise} variances: {restarts} restarts, best score {score:.6f}", flush=True)
