"""DoWhy: from a table to an effect and to an intervention, both known."""

from __future__ import annotations

from functools import cache
from importlib import import_module

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from daglock import DAGLock
from daglock.interop import convert, to_dowhy, undecided
from daglock.simulate import linear_sem
from daglock.typing import Array
from tests.interop.models import DEVIATIONS, MEANS, NAMES, claiming, truth

pytestmark = [
    pytest.mark.handoff("dowhy"),
    # what DoWhy 0.14 asks of Python, pandas 3 and pyparsing 3 is going out of use
    pytest.mark.filterwarnings("ignore:invalid escape sequence"),
    pytest.mark.filterwarnings(
        "ignore:The copy keyword is deprecated:DeprecationWarning:dowhy.causal_estimators.*"
    ),
    pytest.mark.filterwarnings("ignore:.*deprecated - use:DeprecationWarning:pydot.dot_parser"),
]
# with and without something to adjust for, through several paths, and without any effect
PAIRS = [("Bar", "V7"), ("Author", "V8"), ("V5", "V7"), ("V6", "V8"), ("Goal", "V7")]


@cache
def table() -> pd.DataFrame:
    X = linear_sem(truth(), 20_000, rng=0) + MEANS
    return pd.DataFrame(X, columns=list(NAMES))


@cache
def fitted() -> DAGLock:
    """Whose directions are all claimed."""
    model = DAGLock(random_state=0).fit(table())
    return claiming(model, [0.95] * model.learned_.dag.n_edges)


def total_effects() -> Array:
    return np.asarray(np.linalg.inv(np.eye(8) - truth()))


def estimated_effect(
    data: pd.DataFrame, treatment: str, outcome: str, graph: nx.DiGraph[str] | str
) -> float:
    causal = import_module("dowhy").CausalModel(
        data=data, treatment=treatment, outcome=outcome, graph=graph
    )
    estimand = causal.identify_effect()
    found = causal.estimate_effect(estimand, method_name="backdoor.linear_regression")
    return float(found.value)


@pytest.mark.parametrize(("treatment", "outcome"), PAIRS)
def test_effects_are_the_true_ones(treatment: str, outcome: str) -> None:
    assert undecided(fitted(), treatment, outcome) == []
    expected = total_effects()[NAMES.index(treatment), NAMES.index(outcome)]
    for graph in (to_dowhy(fitted()), to_dowhy(fitted(), treatment, outcome)):
        effect = estimated_effect(table(), treatment, outcome, graph)
        assert effect == pytest.approx(expected, abs=0.06)
    ours = fitted().total_effects().loc[treatment, outcome]
    assert effect == pytest.approx(ours, abs=0.06)


def test_an_effect_on_what_comes_before_is_zero() -> None:
    for outcome in ("V6", "Author"):
        graph = to_dowhy(fitted(), "V7", outcome)
        assert estimated_effect(table(), "V7", outcome, graph) == pytest.approx(0.0, abs=0.01)


def test_the_graph_of_one_effect_is_right_where_the_rest_is_wrong() -> None:
    """Everything but the edges at Author points the wrong way or nowhere, and does not matter."""
    model = DAGLock(random_state=0).fit(table())
    ends = zip(model.learned_.dag.source, model.learned_.dag.target, strict=True)
    claiming(model, [0.95 if 0 in pair else 0.3 for pair in ends])
    assert undecided(model, "Author", "V8") == []
    graph = to_dowhy(model, "Author", "V8")
    effect = estimated_effect(table(), "Author", "V8", graph)
    expected = total_effects()[NAMES.index("Author"), NAMES.index("V8")]
    assert effect == pytest.approx(expected, abs=0.06)
    assert undecided(model, "V5", "V8") == [("V5", "Bar"), ("V5", "V6"), ("V5", "V8")]


@pytest.mark.parametrize(("treatment", "outcome"), PAIRS)
def test_adjustment_sets_are_among_the_smallest_of_dowhy(treatment: str, outcome: str) -> None:
    found = fitted().effect(treatment, outcome, n=5)
    causal = import_module("dowhy").CausalModel(
        data=table(), treatment=treatment, outcome=outcome, graph=to_dowhy(fitted())
    )
    estimand = causal.identify_effect(method_name="exhaustive-search")
    if found.adjustment is None:
        assert found.value == 0.0
        assert estimand.no_directed_path
        return
    valid = [frozenset(names) for names in estimand.backdoor_variables.values()]
    assert frozenset(found.adjustment) in valid
    assert not any(names < frozenset(found.adjustment) for names in valid)
    estimand.set_backdoor_variables(list(found.adjustment), "backdoor")
    theirs = causal.estimate_effect(estimand, method_name="backdoor.linear_regression")
    assert found.value == pytest.approx(float(theirs.value))


def test_the_graph_matters() -> None:
    """Without the back doors of the graph the effect is another one."""
    naive = np.polyfit(table()["V5"], table()["V7"], 1)[0]
    expected = total_effects()[NAMES.index("V5"), NAMES.index("V7")]
    assert abs(naive - expected) > 0.1


def test_an_undecided_effect_depends_on_the_graph() -> None:
    """Gaussian, unequal variances: both graphs of the class fit, with other effects."""
    X = linear_sem(truth(), 5000, noise_variances=DEVIATIONS**2, rng=1)
    data = pd.DataFrame(X, columns=list(NAMES))
    model = DAGLock("unequal", random_state=0).fit(data)
    claiming(model, [0.95 if told else 0.5 for told in model.learned_.dag.oriented])
    ((source, target),) = undecided(model, "Ctrl", "Bar")
    assert {source, target} == {"Ctrl", "Bar"}
    graph = to_dowhy(model)
    if graph.has_edge("Bar", "Ctrl"):
        graph.remove_edge("Bar", "Ctrl")
        graph.add_edge("Ctrl", "Bar")
    forward = estimated_effect(data, "Ctrl", "Bar", graph)
    graph.remove_edge("Ctrl", "Bar")
    graph.add_edge("Bar", "Ctrl")
    backward = estimated_effect(data, "Ctrl", "Bar", graph)
    assert backward == pytest.approx(0.0)
    assert abs(forward) > 0.5


def test_interventions_agree() -> None:
    """Mechanisms chosen and fitted by DoWhy, on the four variables up to V6."""
    gcm = import_module("dowhy.gcm")
    set_random_seed = import_module("dowhy.gcm.util.general").set_random_seed
    columns = ["Author", "Bar", "V5", "V6"]
    index = [NAMES.index(name) for name in columns]
    data = table()[columns][:2000]
    model = DAGLock(random_state=0).fit(data)
    gcm.config.set_default_n_jobs(1)  # workers take longer to start than the work
    set_random_seed(0)
    causal = gcm.StructuralCausalModel(to_dowhy(model))
    gcm.auto.assign_causal_mechanisms(causal, data)
    gcm.fit(causal, data)
    value = MEANS[NAMES.index("Bar")] + 1.5
    samples = gcm.interventional_samples(
        causal, {"Bar": lambda _: value}, num_samples_to_draw=20_000
    )
    means = samples[columns].mean()
    expected = MEANS[index] + 1.5 * total_effects()[NAMES.index("Bar"), index]
    np.testing.assert_allclose(means, expected, atol=0.15)
    ours = model.intervene({"Bar": value}).means
    np.testing.assert_allclose(means, [ours[name] for name in columns], atol=0.15)
    # what does not follow from Bar stays, and what does moves by more than the tolerance
    assert (np.abs(expected - MEANS[index]) > 0.3).tolist() == [False, True, True, True]


@pytest.mark.parametrize("fmt", ["dot", "gml", "dagitty"])
def test_dowhy_reads_our_files(fmt: str) -> None:
    effect = estimated_effect(table(), "V5", "V7", convert(fitted(), fmt))
    # DoWhy may adjust for another set each time
    assert effect == pytest.approx(total_effects()[4, 6], abs=0.06)


def test_names_with_spaces_and_signs() -> None:
    names = {name: f"{name} (mg/dl) -> %" for name in NAMES}
    data = table().rename(columns=names)
    graph = to_dowhy(DAGLock(random_state=0).fit(data))
    effect = estimated_effect(data, names["V5"], names["V7"], graph)
    assert effect == pytest.approx(total_effects()[4, 6], abs=0.06)
