"""``daglock simulate``: a random graph, and data from it."""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daglock._csv import csv_text
from daglock.cli.command import Command, Exit
from daglock.cli.interrupts import load_first
from daglock.cli.options import interval, whole_number
from daglock.cli.results import new_file, write_text
from daglock.cli.terminal import Terminal
from daglock.errors import InvalidParameterError
from daglock.wording import default_names, plural

if TYPE_CHECKING:
    from daglock.simulate import RegimeData
    from daglock.typing import Array

# The keys of `daglock.simulate.NOISES`, which takes too long to load for a help text.
NOISES = ("gaussian", "exponential", "gumbel", "uniform", "laplace")
# What regimes differ by: the kinds of `interventional_sem`, or where each measurement begins.
KINDS = ("perfect", "imperfect", "shift", "batches")
# The column that says to which regime a row belongs.
REGIME = "regime"


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
    parser.add_argument(
        "--regimes",
        metavar="R",
        type=whole_number(1),
        help="R experiments, each on one variable, beside as many rows without; or R batches. A "
        f"column {REGIME!r} says which is which, and each has --samples rows",
    )
    parser.add_argument(
        "--intervention",
        choices=KINDS,
        default="perfect",
        help="in an experiment its variable loses its causes (perfect), has other weights "
        "(imperfect) or another mean (shift); batches move all columns (perfect)",
    )
    parser.add_argument("--seed", metavar="N", type=whole_number(0), default=0, help="(0)")
    parser.add_argument(
        "--out",
        metavar="FILE",
        default="data.csv",
        help="the data; - is standard output (data.csv)",
    )
    parser.add_argument("--truth", metavar="FILE", type=Path, help="the true edges (not written)")
    parser.add_argument(
        "--targets", metavar="FILE", type=Path, help="the variable of each regime (not written)"
    )
    parser.add_argument("--force", action="store_true", help="replace files that exist")


def run(options: Namespace) -> int:
    """Draw a graph, draw data, write both."""
    _check(options)
    load_first("daglock.simulate")
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
    noise_variances = variances.uniform(low, high, size=d)
    names, terminal = default_names(d), Terminal(quiet=options.out == "-")
    how: dict[str, Any] = {"noise": options.noise, "noise_variances": noise_variances, "rng": rows}
    regimes = None if options.regimes is None else _draw_regimes(options, W, how)
    X = linear_sem(W, options.samples, **how) if regimes is None else regimes.data
    if options.truth is not None:
        write_text(options.truth, truth_csv(W, names))
    if options.targets is not None and regimes is not None:
        write_text(options.targets, targets_yaml(regimes.targets))
    lines = data_csv(X, names, None if regimes is None else regimes.labels.tolist())
    if options.out == "-":
        for line in lines:
            sys.stdout.write(line)
        sys.stdout.flush()
        return Exit.DONE
    write_text(Path(options.out), "".join(lines))
    _say(options, terminal, len(X), int(np.count_nonzero(W)), regimes)
    return Exit.DONE


def _check(options: Namespace) -> None:
    """Raise unless the options agree and the files can be written."""
    for path in (options.out, options.truth, options.targets):
        if path is not None and str(path) != "-":
            new_file(Path(path), force=options.force)
    if options.regimes is None:
        if options.targets is not None or options.intervention != "perfect":
            raise InvalidParameterError("Say with --regimes how many experiments there are to be.")
        return
    if options.intervention == "batches" and options.targets is not None:
        raise InvalidParameterError("Batches have no targets: leave out --targets.")
    if options.intervention != "batches" and options.regimes > options.nodes:
        raise InvalidParameterError(
            f"--regimes must be at most {options.nodes}, one experiment for each variable; "
            f"got {options.regimes}."
        )


def _draw_regimes(options: Namespace, W: Array, how: Mapping[str, Any]) -> RegimeData:
    """Draw the rows of several regimes."""
    from daglock.simulate import batch_sem, interventional_sem

    rows = how["rng"]
    if options.intervention == "batches":
        return batch_sem(W, options.samples, options.regimes, **how)
    nodes = rows.permutation(len(W))[: options.regimes].tolist()
    targets = {"observational": [], **{f"r{k}": [node] for k, node in enumerate(nodes, 1)}}
    return interventional_sem(W, options.samples, targets, kind=options.intervention, **how)


def _say(
    options: Namespace, terminal: Terminal, n: int, n_edges: int, regimes: RegimeData | None
) -> None:
    """Say what was written, and what can be done with it."""
    regime = "" if regimes is None else f", and {REGIME!r}"
    terminal.line(f"{options.out}: {plural(n, 'row')}, {plural(options.nodes, 'column')}{regime}")
    if options.truth is not None:
        terminal.line(f"{options.truth}: the {plural(n_edges, 'edge')} behind them")
    command = ["daglock", "learn", options.out]
    if regimes is not None:
        command += ["--regime", REGIME]
    if options.targets is not None:
        terminal.line(f"{options.targets}: the variable of each regime")
        command += ["--targets", str(options.targets)]
        if options.intervention != "perfect":
            command += ["--interventions", "imperfect"]
    terminal.line(f"Learn from them: {shlex.join(command)}")


def data_csv(X: Array, names: Sequence[str], labels: Sequence[str] | None = None) -> Iterator[str]:
    """Return the lines of a table; numbers have all digits that they need to come back."""
    yield ",".join([*names, *[REGIME] * (labels is not None)]) + "\n"
    for k, row in enumerate(X):
        cells = map(repr, row.tolist())
        yield ",".join([*cells, *([] if labels is None else [labels[k]])]) + "\n"


def truth_csv(W: Array, names: Sequence[str]) -> str:
    """Return the edges as `learn` writes them: source, target, weight."""
    edges = zip(*(ends.tolist() for ends in W.nonzero()), strict=True)
    rows = ([names[i], names[j], float(W[i, j])] for i, j in edges)
    return csv_text([["source", "target", "weight"], *rows])


def targets_yaml(targets: Mapping[str, Sequence[str]]) -> str:
    """Return for each regime the variables that it acts on.

    Examples
    --------
    >>> print(targets_yaml({"observational": [], "r1": ["x3"]}), end="")
    observational: []
    r1: [x3]
    """
    import yaml

    lists = {label: [*names] for label, names in targets.items()}
    return str(yaml.safe_dump(lists, sort_keys=False, default_flow_style=None))


COMMAND = Command(
    place=30,
    usage="[options]",
    summary="make data from a random graph",
    description="Draw a random graph and data from linear equations on it, to try things out.",
    examples="""\
  daglock simulate --nodes 30 --edges 60 && daglock learn data.csv
  daglock simulate --graph sf --variances 0.5,2 --out sf.csv --truth truth.csv
  daglock simulate --regimes 10 --targets targets.yaml --out experiments.csv""",
    add_arguments=add_arguments,
    run=run,
)
