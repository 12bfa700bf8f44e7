"""Whether an effect rests on directions that are not claimed, against all graphs there can be."""

from __future__ import annotations

from itertools import permutations, product

import networkx as nx
import numpy as np
import pytest

from daglock import DAGLock, Moments
from daglock.errors import InvalidParameterError
from daglock.graph import dag_to_cpdag
from daglock.interop import to_dowhy, undecided
from daglock.simulate import erdos_renyi, population_covariance
from daglock.typing import Array, BoolArray
from tests.interop.models import claiming, model

LIKELY, DOUBTFUL = 0.95, 0.7


def directions(skeleton: Array, told: BoolArray) -> list[Array]:
    """Return all DAGs with these edges that have those that are told as they are."""
    free = np.argwhere((skeleton != 0) & ~told).tolist()
    found = []
    for flips in product([False, True], repeat=len(free)):
        D = np.where(told, 1.0, 0.0)
        for (i, j), flip in zip(free, flips, strict=True):
            D[(j, i) if flip else (i, j)] = 1.0
        if nx.is_directed_acyclic_graph(nx.DiGraph(D)):
            found.append(D)
    return found


def adjusted(S: Array, t: int, y: int, causes: list[int]) -> float:
    """Regress y on t and the causes of t: the back-door formula."""
    given = [t, *causes]
    return float(np.linalg.solve(S[np.ix_(given, given)], S[given, y])[0])


def learned(W: Array, rng: np.random.Generator, told: BoolArray | None = None) -> DAGLock:
    """A model of this graph whose claims are what is told, by default what the class tells."""
    S = population_covariance(W, rng.uniform(0.5, 2.0, size=len(W)))
    fitted = DAGLock("unequal", random_state=0).fit_moments(Moments.from_covariance(S, n=1_000_000))
    dag = fitted.learned_.dag
    claimed = dag.oriented if told is None else told[dag.source, dag.target]
    return claiming(fitted, np.where(claimed, LIKELY, DOUBTFUL).tolist())


def seen(fitted: DAGLock) -> tuple[Array, BoolArray]:
    """The graph that was found, and which of its edges are claimed to be directed."""
    dag = fitted.learned_.dag
    D, told = np.zeros((dag.d, dag.d)), np.zeros((dag.d, dag.d), dtype=np.bool_)
    D[dag.source, dag.target] = 1.0
    told[dag.source, dag.target] = [edge.claim == "directed" for edge in fitted.claimed_edges()]
    return D, told


@pytest.mark.parametrize("seed", range(16))
def test_where_nothing_is_listed_adjusting_is_right_whatever_the_rest(seed: int) -> None:
    """Data from every graph that the claims allow, colliders of its own or not."""
    d = 5
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, 5 + seed % 4, weights=(0.5, 1.5), rng=rng)
    fitted = learned(W, rng, rng.random((d, d)) < (0.4, 0.7)[seed % 2])
    D, told = seen(fitted)
    worlds = []
    for member in directions(D, told):
        V = member * rng.uniform(0.5, 1.5, (d, d)) * rng.choice([-1, 1], (d, d))
        S = population_covariance(V, rng.uniform(0.5, 2.0, size=d))
        worlds.append((member, S, np.linalg.inv(np.eye(d) - V)))
    always = np.min([member for member, *_ in worlds], axis=0)
    listed = needless = 0
    for t, y in permutations(range(d), 2):
        causes = np.flatnonzero(always[:, t]).tolist()
        effects = [total[t, y] for *_, total in worlds]
        right = [
            y not in causes and abs(adjusted(S, t, y, causes) - total[t, y]) < 1e-9
            for _, S, total in worlds
        ]
        edges = undecided(fitted, f"x{t}", f"x{y}")
        if edges:
            listed, needless = listed + 1, needless + all(right)
            with pytest.raises(InvalidParameterError, match="rests on directions that are not"):
                to_dowhy(fitted, f"x{t}", f"x{y}")
        else:
            assert all(right) or np.max(np.abs(effects)) < 1e-9
            graph = to_dowhy(fitted, f"x{t}", f"x{y}")
            assert {f"x{v}" for v in causes} <= set(graph.predecessors(f"x{t}"))
            assert graph.has_edge(f"x{t}", f"x{y}") or np.max(np.abs(effects)) < 1e-9
        for treatment, other in edges:
            v = int(other[1:])
            assert treatment == f"x{t}"
            assert {member[t, v] for member, *_ in worlds} == {0.0, 1.0}
    assert needless <= 0.15 * listed


@pytest.mark.parametrize("seed", range(12))
def test_where_the_class_is_claimed_empty_means_that_its_graphs_agree(seed: int) -> None:
    """And only then: the criterion of Perković (2020) is met by what is claimed here."""
    d = 6
    rng = np.random.default_rng(seed)
    W = erdos_renyi(d, 6 + seed % 3, weights=(0.5, 1.5), rng=rng)
    fitted = learned(W, rng)
    cpdag, S = dag_to_cpdag(W), fitted.moments_.cov
    members = [D for D in directions(*seen(fitted)) if (dag_to_cpdag(D) == cpdag).all()]
    for t, y in permutations(range(d), 2):
        effects = [
            0.0 if D[y, t] else adjusted(S, t, y, np.flatnonzero(D[:, t]).tolist()) for D in members
        ]
        edges = undecided(fitted, f"x{t}", f"x{y}")
        assert bool(edges) == (np.ptp(effects) > 1e-9)
        assert all(cpdag[t, int(other[1:])] == 2 for _, other in edges)


def test_a_treatment_drawn_by_lot_needs_nothing_else() -> None:
    """What it does to the others is known, although nothing is claimed between these."""
    W = np.zeros((4, 4))
    W[0, 1:], W[1, 2:], W[2, 3] = 1.0, 0.7, 0.5
    moments = Moments.from_covariance(population_covariance(W), n=10_000)
    fitted = DAGLock("equal").fit_moments(moments)
    claiming(fitted, [LIKELY if i == 0 else 0.5 for i in fitted.learned_.dag.source])
    assert undecided(fitted, "x0", "x3") == []
    assert set(to_dowhy(fitted, "x0", "x3").edges) == {("x0", "x3")}
    assert undecided(fitted, "x1", "x3") == [("x1", "x2"), ("x1", "x3")]


def drawn(names: str, arrows: list[str], lines: list[str]) -> DAGLock:
    """A model of this graph: "ab" is a -> b, claimed if it is an arrow."""
    W = np.zeros((len(names), len(names)))
    for edge in arrows + lines:
        W[names.index(edge[0]), names.index(edge[1])] = 1.0
    S = population_covariance(W)
    fitted = DAGLock("equal").fit_moments(Moments.from_covariance(S, n=10_000, names=list(names)))
    found = [edge.source + edge.target for edge in fitted.named_edges()]
    assert sorted(found) == sorted(arrows + lines)
    return claiming(fitted, [LIKELY if edge in arrows else 0.5 for edge in found])


@pytest.mark.parametrize(
    ("arrows", "lines", "listed"),
    [
        # u has a cause in common with y, which is adjusted for
        (["pt", "pu", "py"], ["ut"], []),
        (["pu", "py"], ["ut"], ["u"]),
        # adjusting for p, an effect of x and w, makes these depend on each other, and u on y
        (["xu", "xp", "wp", "pt", "wy"], ["ut"], ["u"]),
        # so does adjusting for p if it is an effect of c, where x and w meet
        (["xu", "xc", "wc", "pt", "wy"], ["ut", "cp"], ["u"]),
        # where nothing is adjusted for, nothing opens
        (["xu", "xc", "wc", "wy", "ty"], ["ut"], []),
    ],
)
def test_what_adjusting_closes_and_opens(
    arrows: list[str], lines: list[str], listed: list[str]
) -> None:
    names = "".join(sorted(set("".join(arrows + lines))))
    assert undecided(drawn(names, arrows, lines), "t", "y") == [("t", v) for v in listed]


def test_only_directed_counts() -> None:
    """An edge that leans, or that the graph has the other way round, is no ground to stand on."""
    W = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    fitted = learned(W, np.random.default_rng(0))
    assert undecided(fitted, "x0", "x1") == []
    for likely in (0.89, 0.5, 0.04):
        claiming(fitted, [likely, LIKELY])
        assert undecided(fitted, "x0", "x1") == [("x0", "x1")]
        assert undecided(fitted, "x2", "x1") == []


def test_an_effect_on_what_comes_before_is_zero_and_decided() -> None:
    fitted = model()
    assert undecided(fitted, "V7", "Author") == []
    assert undecided(fitted, "V6", "Author") == []
    assert set(to_dowhy(fitted, "V6", "Author").edges) == {("Author", "V6"), ("V5", "V6")}
    assert set(to_dowhy(fitted, "V7", "Author").edges) == {("V6", "V7"), ("Author", "V7")}


def test_the_cases_of_the_class_are_not_all_alike() -> None:
    """Author - Bar - V5 is open, and from Bar every path to V7 passes through one of them."""
    assert undecided(model(), "Bar", "Ctrl") == [("Bar", "Ctrl")]
    assert undecided(model(), "Bar", "V7") == [("Bar", "Author"), ("Bar", "V5")]
    assert undecided(model(), "V5", "V7") == [("V5", "Bar")]
    assert undecided(model(), "V6", "V7") == []
    assert undecided(model(), "Goal", "V7") == []
    assert undecided(model(noise="equal"), "Bar", "Ctrl") == []
    assert set(to_dowhy(model(), "V6", "V8").edges) == {
        *(("Author", "V6"), ("V5", "V6"), ("Author", "V8"), ("V5", "V8"), ("V6", "V8"))
    }


def test_names_are_checked() -> None:
    for ask in (undecided, to_dowhy):
        with pytest.raises(InvalidParameterError, match="The treatment 'bar' is not a column"):
            ask(model(), "bar", "V7")
        with pytest.raises(InvalidParameterError, match="The outcome 'V9' is not a column"):
            ask(model(), "Bar", "V9")
        with pytest.raises(InvalidParameterError, match="both 'Bar'"):
            ask(model(), "Bar", "Bar")
    with pytest.raises(InvalidParameterError, match="treatment and outcome, or neither"):
        to_dowhy(model(), "Bar")
