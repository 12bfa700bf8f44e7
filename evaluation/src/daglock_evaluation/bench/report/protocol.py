"""How the benchmark is measured, in words, for the page and the document."""

from __future__ import annotations

from daglock_evaluation.bench.tuning import COLUMNS, SEEDS
from daglock_evaluation.bench.worker import ENOUGH, REPEATS, WARM_COLUMNS

PROTOCOL = (
    "Every run is a process of its own with one thread for BLAS, OpenMP and Numba, a limit by the "
    "clock and a limit on memory. A method that fails, goes over a limit or is not installed is a "
    "row that says so; after a run over a limit the larger cases of that family are not tried.",
    "All methods get the same table of a seed, with its columns in random order, scaled as their "
    "authors recommend. None is told the true graph or its number of edges. daglock by default is "
    "not told whether the noise variances are equal; its variants that are told have other names.",
    f"A first run on a table of {WARM_COLUMNS} columns loads the package and compiles what it "
    "compiles; it is reported as warm-up and does not count (a package that compiles anew what the "
    "small table did not ask for is timed with that). Then the run is timed by "
    f"the clock. A short run is repeated until {ENOUGH:g} s have gone by, at most {REPEATS} times, "
    "and the median counts. Seconds are medians over the seeds; a run over the limit counts as "
    "longer than all others.",
    "SHD counts the pairs of variables whose edge is missing, extra or reversed. CPDAG-SHD counts "
    "the same between the equivalence classes; it is the measure where the data identify the "
    "class only, and for methods that return a class. A graph with a cycle has no class. F1 is "
    "that of directed edges; for methods that return a class, that of the marks of the class, and "
    "is then not the same quantity.",
    "Exact: nothing is wrong in what the data identify. Non-zeros and acyclicity are given before "
    "and after a method's own threshold, where it has one; all else is after it.",
    "Memory is the peak of the process. What it is beyond the memory in use when the run began, "
    "with the package loaded and the table drawn, is given apart.",
    f"Options of a method called tuned are those with the smallest mean distance on "
    f"{len(SEEDS)} other graphs of the same kind with at most {COLUMNS} variables, whose seeds no "
    "case uses. No other method is tuned, daglock neither.",
)
