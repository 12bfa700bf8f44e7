"""Settings: the constants that steer the engine and that ablations vary, in one place.

They were chosen by measurements (docs/theory.md), not by users; an ablation varies them by
``replace``. Numbers that guard against rounding, and limits that belong to one algorithm (turns,
sizes, room), are not here but where they are used.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """What the engine does when nobody says otherwise.

    Examples
    --------
    >>> from dataclasses import replace
    >>> replace(SETTINGS, max_exact=0).max_exact  # search, however few the variables
    0
    """

    # --- which graphs are compared ---
    # Up to this many variables the best graph of all is found by going through all sets of them;
    # where effects are curves; where that is done a hundred times, or each set takes a pass over
    # rows; and for a proof.
    max_exact: int = 18
    max_exact_curves: int = 16
    max_exact_slow: int = 14
    max_proven: int = 20
    # A node has at most this many parents, and at least so many rows for each.
    max_parents: int = 100
    rows_per_parent: int = 4

    # --- what an edge costs ---
    # False edges to expect in a graph without any, at the default price.
    false_edges: float = 0.01
    # The price is lowered in steps of γ; of the nodes that gain an edge then, chance may account
    # for at most this share, and so many more than that must gain one.
    gamma_step: float = 0.05
    gained_by_chance: float = 0.25
    least_gained: float = 2.0

    # --- which noise model ---
    # Variances whose largest and smallest differ by less than this share are those of one scale.
    one_scale: float = 1e-3
    # Equal variances are not tried where columns in unrelated units, whose variances differ by up
    # to such a factor, would agree as well with more than this probability.
    units: float = 16.0
    by_chance: float = 0.01
    # Residual variances agree when telling them apart gains less than this share of what it costs.
    agree: float = 0.5
    # A graph explains the scale of the columns if at most this share of their differences is left.
    unexplained: float = 1 / 3
    # σ² of the equal-variance criterion is settled when it changes by less than this share; turns.
    sigma_settled: float = 0.01
    max_turns: int = 5

    # --- where the search starts ---
    # Above this many variables the continuous stage, which keeps dense arrays, is not the default.
    max_continuous: int = 2000
    # With fewer rows for each variable regressions on all predecessors are no start for parents.
    rows_for_full: int = 4
    # With fewer rows for each variable no order is built from the precision matrix.
    rows_for_precision: int = 2
    # Above this many variables regressions on all predecessors cost more than they can give.
    max_full: int = 1000

    # --- how long it goes on ---
    # Restarts: so many and one more for every few variables, up to a limit; none above a size.
    restarts: int = 18
    variables_per_restart: int = 8
    most_restarts: int = 60
    max_restarted: int = 500
    # With fewer rows for each variable effects are near their price and there are more graphs to
    # end in: more restarts in proportion, up to another limit.
    rows_for_restarts: int = 5
    most_with_few_rows: int = 140
    # At a lowered price weak edges come in, and there are more graphs to end in: this many times
    # the restarts.
    restarts_if_lowered: int = 2
    # Where nobody says how many it goes on until so many have come back to the best score, or by
    # this share of that more than have not, up to so many times as many.
    lead: float = 0.7
    patience: int = 4
    # But not before parents were chosen d³ times this often, up to a limit, if that is quick: until
    # so many times as many have come back.
    least_chosen: float = 0.2
    most_chosen: int = 250_000
    quick: int = 5
    # Consecutive nodes whose orders are all compared, where there are restarts; fewer than 2: none.
    window: int = 6
    # Two chains whatever the number of threads, so that the result does not depend on it, and
    # restarts of each between two looks at the clock and at the other chain.
    n_chains: int = 2
    batch: int = 2
    # A node is expected to gain by a new candidate at most so many times what that gains alone.
    reach: float = 2.0
    # Share of the kicks that stay in a neighbourhood.
    local_kicks: float = 0.25
    # Whether a parent may be exchanged for another variable (unequal variances), and whether a
    # restart that ends in a worse graph leaves what is better in it.
    exchanges: bool = True
    crossing: bool = True

    # --- which directions are called oriented ---
    # What turning an edge must cost at the price of an edge that the graph was found with, in units
    # of 2 log-likelihood, but no more than this share of the price by default: a collider costs
    # one edge to turn. With few rows both are larger, by this factor at the most.
    margin: float = 12.0
    margin_share: float = 0.75
    margin_by_chance: float = 1.2
    # The same at a lower price, which lets in weak effects that the graph leaves out: so many false
    # edges for each variable.
    loose_margin: float = 3.0
    loose_false_edges: float = 0.2
    # When so many edges in a row cost enough, the stronger ones that follow are not turned.
    confirmed: int = 12
    # Where the first way to turn an edge costs so many times enough, the second is not tried.
    plenty: float = 5.0
    # When so many of the strongest cost too little, none is turned any more; nor more than these.
    hopeless: int = 20
    most_turned: int = 500

    # --- the shape of the noise ---
    # What turning an edge inside its class must gain, in nats, and lose when it is turned back.
    shape_gain: float = 8.0
    # Dependence of the residual on the cause (docs/confidence.md) up to which a line may hold:
    # larger by chance once in a thousand times.
    shape_misfit: float = 23.0
    # At most so many rows are looked at, evenly spaced.
    shape_rows: int = 20_000

    # --- time limits ---
    # Seconds that a first graph may take, whatever the limit: one without edges is worth nothing.
    grace: float = 0.01
    # Seconds that weights, class and certificate take, for each variable.
    finishing: float = 1.5e-4

    def compares_all(self, d: int, *, counted: bool = False, curved: bool = False) -> bool:
        """Whether all graphs on d variables are compared; rows may be counted, effects curves.

        Examples
        --------
        >>> [SETTINGS.compares_all(d) for d in (14, 18, 19)]
        [True, True, False]
        >>> [SETTINGS.compares_all(d, curved=True) for d in (14, 16, 17)]
        [True, True, False]
        >>> SETTINGS.compares_all(14, counted=True), SETTINGS.compares_all(16, counted=True)
        (True, False)
        """
        slower = self.max_exact_curves if curved else self.max_exact
        return d <= min(self.max_exact, self.max_exact_slow if counted else slower)

    def most_parents(self, n: int, d: int) -> int:
        """Return how many parents a node may have, with n rows and d variables.

        Examples
        --------
        >>> [SETTINGS.most_parents(n, d) for n, d in ((1000, 20), (40, 20), (10**6, 500))]
        [19, 10, 100]
        """
        return min(d - 1, self.max_parents, max(1, n // self.rows_per_parent))

    def full_regressions_pay(self, n: int, d: int) -> bool:
        """Whether to try the regression on all predecessors as a start for every node's parents.

        Examples
        --------
        >>> [SETTINGS.full_regressions_pay(n, d) for n, d in ((80, 20), (79, 20), (10**6, 1001))]
        [True, False, False]
        """
        return n >= self.rows_for_full * d and d <= self.max_full

    def default_restarts(self, n: int, d: int) -> int:
        """Return how often to restart the search over the orders of d variables, with n rows.

        Examples
        --------
        >>> [SETTINGS.default_restarts(1000, d) for d in (10, 20, 100, 500, 501)]
        [0, 20, 30, 140, 0]
        >>> [SETTINGS.default_restarts(n, 100) for n in (10**6, 500, 200, 50)]
        [30, 30, 75, 140]
        """
        if d <= min(self.max_exact, self.max_exact_slow) or d > self.max_restarted:
            return 0
        usual = min(self.most_restarts, self.restarts + d // self.variables_per_restart)
        scarce = min(self.most_with_few_rows, round(usual * self.rows_for_restarts * d / n))
        return max(usual, scarce)

    def came_back(self, count: int, tried: int, returned: int) -> bool:
        """Whether of those tried since the best score was found enough restarts came back to it.

        Examples
        --------
        >>> [SETTINGS.came_back(20, tried, returned) for tried, returned in ((14, 14), (16, 14))]
        [True, False]
        >>> SETTINGS.came_back(20, 60, 20)
        True
        """
        return returned >= count or 2 * returned - tried >= round(self.lead * count)

    def chosen_in_restarts(self, d: int) -> int:
        """Return how often parents of d variables are chosen, at least, before restarts end early.

        Examples
        --------
        >>> [SETTINGS.chosen_in_restarts(d) for d in (20, 100, 200)]
        [1600, 200000, 250000]
        """
        return min(round(self.least_chosen * d**3), self.most_chosen)


SETTINGS = Settings()
