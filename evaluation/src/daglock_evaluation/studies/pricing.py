"""Rules for the price of an edge, beside prices that are fixed, on networks with weak effects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product, starmap
from typing import TypeAlias
from unittest.mock import patch

import numpy as np

from daglock.criteria import default_gamma, edge_cost
from daglock.engine import choosing, learn, pipeline
from daglock.engine.choosing import Choice, at_the_right_price
from daglock.engine.fitting import spec_of
from daglock.engine.learned import Learned
from daglock.engine.request import Request
from daglock.metrics import compare_classes
from daglock.moments import Moments
from daglock.search.run import choose_parents
from daglock.typing import Array, BoolArray, IntArray
from daglock_evaluation.harness.shapes import (
    cause_hubs,
    effect_hubs,
    layered,
    random_pairs,
    regulators,
    small_world,
)
from daglock_evaluation.harness.tables import Table
from daglock_evaluation.studies import progress
from daglock_evaluation.studies.networks import Network
from daglock_evaluation.studies.recorded import paired

WEAK, SMALL, STRONG, LARGE = (0.05, 1.0), (0.05, 0.5), (0.5, 1.0), (0.5, 2.0)
WIDE, MIDDLE, UNEVEN = (0.05, 2.0), (0.2, 0.6), (0.5, 2.0)
# What a rule was chosen on (these are other seeds), ...
CHOSEN_ON = (
    Network(random_pairs, 2, WEAK),
    Network(random_pairs, 4, WEAK),
    Network(effect_hubs, 4, WEAK),
    Network(cause_hubs, 4, SMALL),
    Network(random_pairs, 3, (0.05, 0.3), "normal"),
    Network(random_pairs, 3, STRONG),
)
CHOSEN_ROWS, CHOSEN_SEED = (200, 500, 2000, 10_000), 500
# ... and what it was judged on, once: with weak effects, ...
JUDGED = (
    (Network(small_world, 4, WIDE, "log"), 50),
    (Network(small_world, 4, MIDDLE, variances=UNEVEN), 50),
    (Network(regulators, 3, WIDE, "log", variances=UNEVEN), 40),
    (Network(regulators, 3, WEAK, variances=UNEVEN), 70),
    (Network(regulators, 3, MIDDLE), 110),
    (Network(layered, 3, WIDE, "log", variances=UNEVEN), 50),
    (Network(layered, 4, MIDDLE), 50),
)
# ... and with strong ones, where nothing should be lost.
JUDGED_STRONG = tuple(
    (Network(random_pairs, degree, weights), 50) for degree in (2, 4) for weights in (STRONG, LARGE)
)
JUDGED_ROWS, STRONG_ROWS, JUDGED_SEED = (200, 500, 2000, 10_000), (200, 1000, 5000), 9000
FIXED = tuple(f"γ={gamma:g}" for gamma in (0.0, 0.1, 0.25, 0.5))
FIRST, DEFAULT = "first price", "default"

# Tables with weak effects on which seeds and starts of the search must not matter.
SETTLED = tuple(
    Network(shape, degree, weights)
    for shape, degree in (
        (cause_hubs, 4),
        (effect_hubs, 4),
        (regulators, 3),
        (random_pairs, 2),
        (random_pairs, 4),
    )
    for weights in (SMALL, WEAK)
)
SETTLED_ROWS, SETTLED_SEED = (300, 700, 2000), 79
SEEDS, STARTS = 6, ("continuous", "order")

# A rule takes what was asked and the graph at the first price, and gives a γ.
Rule: TypeAlias = Callable[[Request, Choice], float]


# --- what a rule can look at


def gammas_of(request: Request) -> Array:
    """Return the first γ and lower ones, down to zero."""
    return np.append(np.arange(request.gamma, 0.0, -request.settings.gamma_step), 0.0)


def prices_of(request: Request) -> Array:
    """Return the price of each of `gammas_of`."""
    n, d = request.moments.n, request.moments.d
    return np.array([edge_cost(n, d, gamma) for gamma in gammas_of(request)])


def by_chance(request: Request, choice: Choice) -> Array:
    """Return how many edges chance alone would add to a graph at each price."""
    d = request.moments.d
    chances = choice.criterion.gains_by_chance(prices_of(request), choice.fit.found.n_edges)
    return np.asarray(d * (d - 1) / 2 * chances)


def edges_at(request: Request, choice: Choice, prices: Array) -> Array:
    """Return how many edges the order that was found has at each price: no search."""
    criterion, found = choice.criterion, choice.fit.found
    full = request.settings.full_regressions_pay(request.moments.n, request.moments.d)
    weight = criterion.weight(found.rss / criterion.unit)
    counts = []
    for cost in prices.tolist():
        spec = spec_of(request, criterion, weight, cost=cost, bounded=False)
        counts.append(choose_parents(spec, found.order, full_regressions=full).n_edges)
    return np.array(counts)


# --- the rules


def half_by_chance(request: Request, choice: Choice) -> float:
    """Where chance adds half an edge, if there is any edge at the first price."""
    if choice.fit.found.n_edges == 0:
        return request.gamma
    return _lowest(request, by_chance(request, choice) <= 0.5)


def share_of_false(request: Request, choice: Choice) -> float:
    """Where chance adds one edge for every two hundred that there are.

    References
    ----------
    Benjamini and Hochberg, Controlling the false discovery rate, Journal of the Royal Statistical
    Society B 57 (1995): the share that is to be expected, edges for hypotheses.
    """
    edges = edges_at(request, choice, prices_of(request))
    return _lowest(request, by_chance(request, choice) <= 0.005 * edges)


def excess(request: Request, choice: Choice) -> float:
    """Where edges exceed four times those of chance by most: the default, with edges for nodes."""
    edges = edges_at(request, choice, prices_of(request))
    more = edges - edges[0] - 4.0 * by_chance(request, choice)
    best = int(more.argmax())
    enough = more[best] >= request.settings.least_gained
    return float(gammas_of(request)[best]) if enough else request.gamma


def balanced(request: Request, choice: Choice) -> float:
    """Where a lower price stops to find more that was missed than four times what is false.

    In units of z = √(n·price), in which effects count by their size, as many edges are expected
    below the price as there are between z and 1.5 z; that is worth one unit of z, what the order
    shows beyond chance the rest. The price is lowered where half an edge is to be gained, and
    never where there is no edge.
    """
    if choice.fit.found.n_edges == 0:
        return request.gamma
    prices = prices_of(request)
    z, false = np.sqrt(request.moments.n * prices), by_chance(request, choice)
    edges = edges_at(request, choice, np.append(prices, 1.5**2 * prices[0]))
    above = (edges[0] - edges[-1]) / (0.5 * z[0])
    below = z[0] - z
    missed = below * (edges[:-1] - edges[0] - false + above) / (below + 1.0)
    more = missed - 4.0 * false
    best = int(more.argmax())
    return float(gammas_of(request)[best]) if more[best] >= 0.5 else request.gamma


def _lowest(request: Request, allowed: BoolArray) -> float:
    """Return the lowest γ that is allowed, or else the first."""
    where = np.flatnonzero(allowed)
    return float(gammas_of(request)[where[-1]]) if len(where) else request.gamma


RULES: dict[str, Rule] = {
    "half by chance": half_by_chance,
    "share of false": share_of_false,
    "excess": excess,
    "balanced": balanced,
}
AGAIN, BALANCED = "default, again", "balanced"
ALL = (*FIXED, FIRST, DEFAULT, AGAIN, *RULES)
OF_INTEREST = ("γ=0", "γ=0.25", "γ=0.5", FIRST, DEFAULT, BALANCED)


# --- the tables


def pricing(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Print distances to the true class by rule: where rules were chosen, and where judged."""
    yield chosen(seeds or 10, sizes or [30, 60])
    yield judged(seeds or 10, "weak", JUDGED, JUDGED_ROWS)
    yield judged(seeds or 10, "strong", JUDGED_STRONG, STRONG_ROWS)


def chosen(count: int, sizes: list[int]) -> Table:
    """Compare all rules on what they were chosen on."""
    cells = {
        f"d = {d}, n = {n:,}": [(network, d, n) for network in CHOSEN_ON]
        for d, n in product(sizes, CHOSEN_ROWS)
    }
    title = f"Where rules were chosen: CPDAG-SHD, {count} graphs of each of {len(CHOSEN_ON)} kinds"
    return _table(title, cells, ALL, range(CHOSEN_SEED, CHOSEN_SEED + count))


def judged(
    count: int, effects: str, networks: Sequence[tuple[Network, int]], n_rows: Sequence[int]
) -> Table:
    """Compare the rule that was chosen with the default and with fixed prices."""
    cells = {
        f"{network.label}, d = {d}, n = {n:,}": [(network, d, n)]
        for (network, d), n in product(networks, n_rows)
    }
    title = f"Where they were judged, {effects} effects: CPDAG-SHD, {count} graphs a row"
    return _table(title, cells, OF_INTEREST, range(JUDGED_SEED, JUDGED_SEED + count))


def settled(seeds: int | None, sizes: list[int]) -> Iterator[Table]:
    """Count tables whose price or graph depends on the seed or the start of the search."""
    rows = [
        ["d", "tables", "graphs with two prices", "tables with two graphs", "fits", "rare fits"]
    ]
    draws = range(SETTLED_SEED, SETTLED_SEED + (seeds or 1))
    for d in sizes or [30, 60]:
        tables = list(product(SETTLED, SETTLED_ROWS, draws))
        found = [
            prices_by_graph(Moments.from_data(network.draw(d, n, seed).X))
            for network, n, seed in progress(tables, f"d = {d}")
        ]
        two_prices = sum(len(set(prices)) > 1 for graphs in found for prices in graphs.values())
        fits = [[len(prices) for prices in graphs.values()] for graphs in found]
        rare = sum(sum(own) - max(own) for own in fits)
        two_graphs = sum(len(own) > 1 for own in fits)
        rows.append(
            [str(d), *map(str, (len(tables), two_prices, two_graphs, sum(map(sum, fits)), rare))]
        )
    yield Table(f"{SEEDS} seeds and {len(STARTS)} starts of the search, weak effects", rows)


def prices_by_graph(moments: Moments) -> dict[bytes, list[float]]:
    """Fit with every seed and start; return the γ of the fits that gave each graph."""
    found: dict[bytes, list[float]] = {}
    for start, seed in product(STARTS, range(SEEDS)):
        learned = learn(moments, noise="unequal", start=start, rng=seed, by_margin=False)
        graph = learned.dag.adjacency().toarray().tobytes()
        found.setdefault(graph, []).append(learned.ebic_gamma)
    return found


def _table(
    title: str,
    cells: dict[str, list[tuple[Network, int, int]]],
    rules: Sequence[str],
    seeds: range,
) -> Table:
    """Return mean distances, and how the last rule differs from the default and the best γ."""
    found: dict[str, Array] = {}
    for label, networks in cells.items():
        tables = [(*network, seed) for network in networks for seed in seeds]
        found[label] = np.array([distances(*table, rules) for table in progress(tables, label)])
    by_rows: dict[str, list[Array]] = {}
    for label, far in found.items():
        by_rows.setdefault(f"all, {label.split(', ')[-1]}", []).append(far)
    together = {label: np.concatenate(parts) for label, parts in by_rows.items()}
    together["all"] = np.concatenate(list(found.values()))
    fixed = [k for k, rule in enumerate(rules) if rule in (*FIXED, FIRST)]
    rows = [["data", *rules, f"{rules[-1]} − default", "default − best fixed"]]
    for label, far in (found | together).items():
        means, default = far.mean(axis=0), far[:, rules.index(DEFAULT)]
        best = min(fixed, key=means.__getitem__)
        pairs = (far[:, -1], default), (default, far[:, best])
        changes = [f"{middle:+.2f} ± {half:.2f}" for middle, half in starmap(paired, pairs)]
        rows.append([label, *(f"{mean:.2f}" for mean in means), *changes])
    return Table(title, rows)


def distances(
    network: Network, d: int, n: int, seed: int, rules: Sequence[str]
) -> tuple[float, ...]:
    """Return the distance to the true class of one table by each rule."""
    draw = network.draw(d, n, seed)
    moments, truth = Moments.from_data(draw.X), np.asarray(draw.truth) != 0
    first = _learn(moments, default_gamma(n, d))
    far = []
    for rule in rules:
        if rule in FIXED:
            gamma = min(float(rule[2:]), first.ebic_gamma)
            learned = _learn(moments, gamma, first.dag.order)
        elif rule == FIRST:
            learned = first
        else:
            learned = learn_by(rule, moments)
        far.append(float(compare_classes(learned.dag.adjacency(), truth).shd))
    return tuple(far)


def learn_by(rule: str, moments: Moments) -> Learned:
    """Learn a graph at the price of a rule."""

    def repeatedly(request: Request, choice: Choice) -> tuple[Request, Choice]:
        lower, cheaper = at_the_right_price(request, choice)
        settled = lower.gamma == request.gamma or bool(cheaper.stopped)
        return (lower, cheaper) if settled else repeatedly(lower, cheaper)

    def as_ruled(request: Request, choice: Choice) -> tuple[Request, Choice]:
        gamma = RULES[rule](request, choice)
        with patch.object(choosing, "lowered_gamma", return_value=gamma):
            return at_the_right_price(request, choice)

    if rule == DEFAULT:
        return _learn(moments, None)
    priced = repeatedly if rule == AGAIN else as_ruled
    with patch.object(pipeline, "at_the_right_price", priced):
        return _learn(moments, None)


def _learn(moments: Moments, gamma: float | None, start: IntArray | None = None) -> Learned:
    """Learn a graph, and do not ask which directions cost enough to turn."""
    return learn(moments, noise="unequal", ebic_gamma=gamma, start=start, rng=0, by_margin=False)
