"""``daglock simulate``: a random graph, and data from it."""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from daglock._files import csv_text
from daglock.cli.command import Command, Exit
from daglock.cli.options import interval, whole_number
from daglock.cli.results import new_file, write_text
from daglock.cli.terminal import Terminal
from daglock.wording import default_names, plural

if TYPE_CHECKING:
    from daglock.typing import Array

# The keys of `daglock.simulate.NOISES`, which takes too long to load for a help text.
NOISES = ("gaussian", "exponential", "gumbel", "uniform", "laplace")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--nodes", metavar="D", type=whole_number(2), default=20, help="(20)")
    parser.add_argument(
        "--edges",
        metavar="E",
        type=whole_number(0),
        help="by default as many as nodes; scale-free graphs have about a multiple of the nodes",
    )
    parser.add_argument(
        "--graph",
        choices=("er", "sf"),
        default="er",
        help="Erdős-Rényi: all edges alike (er); scale-free: few nodes have many (sf)",
    )
    parser.add_argument("--samples", metavar="N", type=whole_number(1), default=1000, help="(1000)")
    parser.add_argument(
        "--weights", metavar="LOW,HIGH", type=interval, default=(0.5, 1.0), help="sizes (0.5,1)"
    )
    parser.add_argument("--noise", choices=NOISES, default="gaussian", help="(gaussian)")
    parser.add_argument(
        "--variances",
        metavar="LOW,HIGH",
        type=interval,
        default=(1.0, 1.0),
        help="of the noise, drawn for each node; 1,1 is equal variances (1,1)",
    )
    parser.add_argument("--seed", metavar="N", type=whole_number(0), default=0, help="(0)")
    parser.add_argument(
        "--out",
        metavar="FILE",
        default="data.csv",
        help="the data; - is standard output (data.csv)",
    )
    parser.add_argument("--truth", metavar="FILE", type=Path, help="the true edges (not written)")
    parser.add_argument("--force", action="store_true", help="replace files that exist")


def run(options: Namespace) -> int:
    """Draw a graph, draw data, write both."""
    for path in (options.out, options.truth):
        if path is not None and str(path) != "-":
            new_file(Path(path), force=options.force)
    import numpy as np

    from daglock.simulate import erdos_renyi, linear_sem, scale_free

    d = options.nodes
    edges = d if options.edges is None else options.edges
    graph, variances, rows = np.random.default_rng(options.seed).spawn(3)
    if options.graph == "er":
        W = erdos_renyi(d, edges, weights=options.weights, rng=graph)
    else:
        W = scale_free(d, max(1, round(edges / d)), weights=options.weights, rng=graph)
    low, high = options.variances
    X = linear_sem(
        W,
        options.samples,
        noise=options.noise,
        noise_variances=variances.uniform(low, high, size=d),
        rng=rows,
    )
    names = default_names(d)
    terminal = Terminal(quiet=options.out == "-")
    if options.truth is not None:
        write_text(options.truth, truth_csv(W, names))
    if options.out == "-":
        for line in data_csv(X, names):
            sys.stdout.write(line)
        sys.stdout.flush()
        return Exit.DONE
    write_text(Path(options.out), "".join(data_csv(X, names)))
    count = int(np.count_nonzero(W))
    terminal.line(f"{options.out}: {plural(options.samples, 'row')}, {plural(d, 'column')}")
    if options.truth is not None:
        terminal.line(f"{options.truth}: the {plural(count, 'edge')} behind them")
    terminal.line(f"Learn from them: daglock learn {shlex.quote(options.out)}")
    return Exit.DONE


def data_csv(X: Array, names: Sequence[str]) -> Iterator[str]:
    """Return the lines of a table; numbers have all digits that they need to come back."""
    yield ",".join(names) + "\n"
    for row in X:
        yield ",".join(map(repr, row.tolist())) + "\n"


def truth_csv(W: Array, names: Sequence[str]) -> str:
    """Return the edges as `learn` writes them: source, target, weight."""
    edges = zip(*(ends.tolist() for ends in W.nonzero()), strict=True)
    rows = ([names[i], names[j], float(W[i, j])] for i, j in edges)
    return csv_text([["source", "target", "weight"], *rows])


COMMAND = Command(
    place=30,
    usage="[options]",
    summary="make data from a random graph",
    description="Draw a random graph and data from linear equations on it, to try things out.",
    examples="""\
  daglock simulate --nodes 30 --edges 60 && daglock learn data.csv
  daglock simulate --graph sf --variances 0.5,2 --out sf.csv --truth truth.csv""",
    add_arguments=add_arguments,
    run=run,
)
