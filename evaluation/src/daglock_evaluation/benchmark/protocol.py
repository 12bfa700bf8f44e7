"""How the benchmark is measured, in words; what depends on the cases is worked out from records."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from daglock.criteria import default_gamma
from daglock_evaluation.benchmark.run import COLUMNS, LEAST, PATIENCE, SEEDS
from daglock_evaluation.benchmark.runs import Record
from daglock_evaluation.harness.worker import ENOUGH, REPEATS, WARM_COLUMNS


def protocol(records: Sequence[Record]) -> list[str]:
    """Return what a reader must know, a paragraph each."""
    return [
        "A method has a process of its own for each case, with one thread for BLAS, OpenMP and "
        "Numba, a limit of seconds for each run and a limit on memory. A method that fails, goes "
        "over a limit or is not installed is a row that says so; after a run over a limit neither "
        "the other graphs of the case nor larger cases of that family are tried. A slow method "
        f"that has used up {PATIENCE:g} times the limit may have fewer graphs than others, {LEAST} "
        "or more, which is said.",
        "All methods get the same table of a seed, with its columns in random order, scaled as "
        "their authors recommend. None is told the true graph or its number of edges. daglock is "
        "called as its users call it and is not told whether the noise variances are equal; its "
        "variants that are told have other names. FLOP cannot be seeded: on the same table "
        "another run of it may find another graph. A seed gives cases with as many rows and "
        "columns the same random numbers: such cases differ in what their names say, and what is "
        "won or lost on one is often won or lost on the other.",
        "Prices: FLOP, XGES and the searches of Tetrad charge twice the price of BIC for an edge "
        f"here, as FLOP and XGES do by default; daglock by default {prices(records)} times, "
        "depending on rows and columns, less where effects look weak. Methods called "
        '"price of daglock", and daglock called "price of FLOP", have the other\'s, so that search '
        "and price are told apart.",
        f"A first run on a table of {WARM_COLUMNS} columns loads the package and compiles what it "
        "compiles; it is reported as warm-up and does not count (a package that compiles anew what "
        "the small table did not ask for is timed with that). Then runs are timed in seconds of "
        "the processor, of all threads of the process, because the machine had other work; daglock "
        "and the others on the same case one after another, but for graphs and methods that were "
        "added to a case at a later hour. A short run is repeated until "
        f"{ENOUGH:g} s have gone by, at most {REPEATS} times, and the mean counts. Seconds in "
        "tables are medians over the graphs; a run over the limit counts as longer than all "
        "others.",
        "CPDAG-SHD counts the pairs of variables whose mark differs between the equivalence "
        "classes: it is what all methods are compared by. A graph with a cycle has no class. SHD "
        "counts the pairs whose edge is missing, extra or reversed, and is given apart, where the "
        "data identify the DAG, for methods that return one. Intervals are Student's at 95 %; "
        "differences are taken graph by graph. They are not corrected for the number of "
        "comparisons: of those that chance alone makes, one in twenty leaves 0 out.",
        "Exact: nothing is wrong in what the data identify. F1 is that of the directed edges for a "
        "method that returns a DAG and that of the marks of the class for one that returns a "
        "class: where the data identify the class only, the first cannot be 1 but by luck, and the "
        "two do not compare. Non-zeros and acyclicity are given before and after a method's own "
        "threshold, where it has one; all else is after it.",
        "Memory is the peak of the process. What it is beyond the memory in use when the run "
        "began, with the package loaded and the table drawn, is given apart.",
        "Options of a method called tuned are those with the smallest mean distance on "
        f"{len(SEEDS)} other graphs of the same kind with at most {COLUMNS} variables, whose seeds "
        "no case uses. No other method is tuned, daglock neither.",
    ]


def prices(records: Sequence[Record]) -> str:
    """Say how many times the price of BIC daglock charges for an edge by default.

    Examples
    --------
    >>> prices([{"n": 1000, "d": 20}]), prices([{"n": 1000, "d": 20}, {"n": 200, "d": 50}])
    ('2.4', '2.4 to 3.8')
    """
    sizes = {(record["n"], record["d"]) for record in records}
    times = sorted(1.0 + 4.0 * default_gamma(n, d) * log(d) / log(n) for n, d in sizes)
    return " to ".join(dict.fromkeys(f"{one:.1f}" for one in (times[0], times[-1])))
