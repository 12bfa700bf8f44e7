"""``daglock demo``: real data and simulated data, beside what is known about them."""

from __future__ import annotations

import shlex
import warnings
from argparse import ArgumentParser, Namespace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from daglock.cli.claiming import Claim, claimed
from daglock.cli.command import Command, Exit
from daglock.cli.interrupts import load_first
from daglock.cli.options import number, whole_number
from daglock.cli.results import REPORT, may_fail
from daglock.cli.terminal import Terminal
from daglock.errors import MissingExtraError
from daglock.wording import default_names, plural

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from daglock.confidence import Confidence
    from daglock.estimator import DAGLock
    from daglock.table import Table
    from daglock.typing import Array

FOLDER = Path("daglock-demo")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=FOLDER,
        help=f"folder of the results; those of an earlier demo are replaced ({FOLDER})",
    )
    parser.add_argument(
        "--solvers",
        action="store_true",
        help="also run every solver of the paper on the simulated graph (takes longer)",
    )
    parser.add_argument("--picture", metavar="FILE", type=Path, help="draw the second graph, too")
    group = parser.add_argument_group("the simulated graph")
    group.add_argument(
        "--nodes", metavar="D", type=whole_number(2), default=20, help="nodes and edges (20)"
    )
    group.add_argument(
        "--samples", metavar="N", type=whole_number(2), default=1000, help="rows of data (1000)"
    )
    group.add_argument(
        "--seed", metavar="N", type=whole_number(0), default=0, help="of graph and data (0)"
    )
    group.add_argument(
        "--time-limit",
        metavar="S",
        type=number(),
        default=60.0,
        help="seconds for each solver of the paper (60)",
    )


def run(options: Namespace) -> int:
    """Learn a simulated graph and one from the Sachs data; print both beside the truth."""
    with claimed(options.out, force=True) as claim:
        return _run(options, claim)


def _run(options: Namespace, claim: Claim) -> int:
    """Learn, write, print."""
    if options.picture is not None and find_spec("matplotlib") is None:
        raise MissingExtraError("Pictures need matplotlib: pip install 'daglock[plot]'")
    load_first("daglock.estimator", "daglock.report.html")
    from daglock import DAGLock
    from daglock.cli.commands.simulate import data_csv, truth_csv
    from daglock.cli.learned import make_document, write_results
    from daglock.datasets import load_sachs
    from daglock.simulate import erdos_renyi, linear_sem
    from daglock.table import Table

    terminal = Terminal()
    d = options.nodes
    truth = erdos_renyi(n_nodes=d, n_edges=min(d, d * (d - 1) // 2), rng=options.seed)
    X = linear_sem(truth, n_samples=options.samples, rng=options.seed + 1)
    names = default_names(d)
    show_simulated(terminal, truth, Table(X, names), options)
    terminal.line()
    sachs = load_sachs("observational")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = DAGLock(random_state=0).fit(Table(sachs.data, sachs.names))
    bootstrap = model.bootstrap(rng=0)
    confidence = model.assess(bootstrap=bootstrap)
    show_sachs(terminal, model, confidence, sachs.truth_17)
    write_results(
        claim,
        model,
        make_document(
            model,
            confidence=confidence,
            bootstrap=bootstrap,
            arguments=options.arguments,
            file="the Sachs data of daglock",
            title="Protein signalling in 853 cells (Sachs et al., 2005)",
        ),
        confidence=confidence,
        bootstrap=bootstrap,
        more={
            "sachs.csv": "".join(data_csv(sachs.data, sachs.names)),
            "simulated.csv": "".join(data_csv(X, names)),
            "simulated_truth.csv": truth_csv(truth, names),
        },
    )
    if options.picture is not None:
        from daglock.drawing.picture import save_graph

        with may_fail(options.picture):
            dag = model.standardised()
            sure = model._assessed().of_edges(dag)
            save_graph(options.picture, dag, model.names_, sure.claims, sure.link)
        terminal.line(f"Picture: {options.picture}")
    folder = shlex.quote(str(options.out))
    terminal.line(f"Report of the second graph: {options.out / REPORT}")
    terminal.line(f"Try it with the same data: daglock learn {folder}/simulated.csv")
    return Exit.DONE


def show_sachs(
    terminal: Terminal, model: DAGLock, confidence: Confidence, truth: NDArray[np.int8]
) -> None:
    """Print the graph of the real data beside the published one."""
    import numpy as np

    from daglock.cli.learned import edge_list
    from daglock.confidence.words import MEANING, SIGNS, about_rows, share, verdict
    from daglock.graph import dag_to_cpdag
    from daglock.metrics import compare_cpdag

    learned, names = model.learned_, model.names_
    terminal.say(
        f"2. Real data: {len(names)} molecules in {model.moments_.n} cells (Sachs et al., 2005), "
        "beside the published network of 17 edges"
    )
    terminal.line()
    body, claims, because = [], [], []
    for edge in edge_list(model, confidence):
        i, j, claim = names.index(edge["source"]), names.index(edge["target"]), edge["claim"]
        known = "yes" if truth[i, j] else "no"
        if truth[j, i]:
            known = "yes" if claim == "open" else "reversed"
        weight = f"{edge['standardised_weight']:+.2f}"
        sure = (share(edge[part]) for part in ("link", "direction", "arrow"))
        body.append((names[i], SIGNS[claim], names[j], weight, *sure, known))
        claims.append(claim)
        because.append(edge["because"])
    head = ("cause", "", "effect", "effect in sd", "link", "direction", "arrow", "published")
    terminal.table([head, *body], [False, False, False, True, True, True, True, False])
    terminal.line()
    terminal.say(verdict(claims, because, [*model.assumed_]))
    for claim, sign in SIGNS.items():
        if claim in claims:
            terminal.say(MEANING[claim], mark=f"{sign} ")
    if rows := about_rows(confidence):
        terminal.say(rows)
    terminal.line()
    published = dag_to_cpdag(np.asarray(truth, dtype=np.float64))
    found = learned.dag.marks().toarray()
    distance = compare_cpdag(found, published).shd
    empty = compare_cpdag(np.zeros_like(found), published).shd
    hits = sum(row[-1] != "no" for row in body)
    terminal.say(
        f"{hits} of the {int(truth.sum())} published links are found. Pairs of molecules on which "
        f"the two graphs differ: {distance}; with no edges at all: {empty}."
    )
    terminal.say(f"Certificate: {learned.certificate}.")
    verified = learned.certificate.verify(model.moments_)
    terminal.say(f"Recomputed from the covariance alone: {'it holds' if verified else 'WRONG'}.")
    terminal.line()


def show_simulated(terminal: Terminal, truth: Array, table: Table, options: Namespace) -> None:
    """Print what is found, and claimed, of a graph that is known."""
    import numpy as np

    from daglock import DAGLock, Moments
    from daglock.cli import solvers
    from daglock.metrics import compare

    moments = Moments.from_data(table.data, names=table.labels)
    edges = int(np.count_nonzero(truth))
    terminal.say(
        f"1. Simulated data: {moments.d} nodes, {edges} edges, weights ±[0.5, 1], {moments.n} rows"
    )
    terminal.line()
    if options.solvers:
        body = []
        for row in solvers.rows(truth, moments, options.time_limit):
            body.append(row)
            terminal.line(f"  {row[0]}: {row[1]}")
        terminal.line()
        terminal.table([solvers.HEAD, *body], [False, False, *[True] * 5])
        terminal.line()
        terminal.say(
            "SHD: edges to add, remove or turn; 0 is the true graph. SHD>0.3: after "
            "weights below 0.3 are dropped by hand, which methods without exact zeros "
            "need."
        )
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = DAGLock(random_state=0).fit(table)
    place = {name: v for v, name in enumerate(model.names_)}
    arrows = [(place[e.source], place[e.target]) for e in model.claimed_edges() if e.is_directed]
    right = sum(bool(truth[i, j]) for i, j in arrows)
    paper = solvers.entries(moments)[0]
    solution = solvers.run_entry(paper, moments, options.time_limit)
    graphs = [
        ("the true graph", truth),
        ("daglock", model.to_sparse().toarray()),
        ("the empty graph", np.zeros_like(truth)),
        ("the paper's solver (SPG)", solution.W),
    ]
    body = []
    for name, W in graphs:
        seen = compare(W, truth)
        counts = (np.count_nonzero(W), seen.true_positives, seen.reversed, seen.extra, seen.shd)
        body.append((name, *map(str, counts)))
    head = ("graph", "edges", "right", "reversed", "wrong", "distance")
    terminal.table([head, *body], [False, *[True] * 5])
    terminal.line()
    terminal.say("distance: edges to add, remove or turn round (SHD); 0 is the true graph")
    terminal.say(
        f"daglock claims {plural(len(arrows), 'arrow')} as reliable, at nine in ten or more: "
        f"{right} of them right, that is in the true graph."
    )
    terminal.say(
        "The paper's solver, with its penalty at the stability threshold: "
        f"{solution.status.sentence}"
    )
    terminal.say("--solvers runs all of the paper's solvers.")


COMMAND = Command(
    place=5,
    usage="[options]",
    summary="show what it does, on data that come with it",
    description="""\
Learn a simulated graph, and one from protein measurements (Sachs et al., 2005),
and show the result beside the truth and beside the empty graph. Writes a folder
with the report and the data.""",
    examples="""\
  daglock demo
  daglock demo --solvers""",
    add_arguments=add_arguments,
    run=run,
)
