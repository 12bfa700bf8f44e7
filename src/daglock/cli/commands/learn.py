"""``daglock learn``: from a file to a folder of results."""

from __future__ import annotations

import json
import shlex
import sys
import warnings
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daglock.cli.claiming import claimed, require_claimable
from daglock.cli.cluster import address, connected
from daglock.cli.command import Command, Exit
from daglock.cli.covariance import add_covariance, read_moments, show_moments
from daglock.cli.groups import groups_of, refuse_groups, with_groups
from daglock.cli.interrupts import load_first
from daglock.cli.known import add_knowledge, add_names, fit_to_columns, read_known
from daglock.cli.options import add_data, jobs, number, read_data, show_table, whole_number
from daglock.cli.parts import open_data, read_parts
from daglock.cli.regimes import add_regime, refuse_contradictions, show_regimes
from daglock.cli.results import folder_name, stem_of
from daglock.cli.terminal import Terminal, clean
from daglock.wording import plural

if TYPE_CHECKING:
    from daglock.cli.claiming import Claim
    from daglock.confidence import Bootstrap
    from daglock.estimator import DAGLock
    from daglock.estimator.preparing import Prepared
    from daglock.knowledge import Knowledge
    from daglock.moments import Moments
    from daglock.sources import Source
    from daglock.table import Table


# What takes long to load.
HEAVY = ("daglock.estimator", "daglock.diagnostics.detectors", "daglock.report.html")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    add_data(parser)
    add_regime(parser, targets=True)
    add_covariance(parser)
    add_knowledge(parser)
    add_names(parser)
    group = parser.add_argument_group("learning")
    group.add_argument(
        "--noise",
        choices=("auto", "equal", "unequal"),
        default="auto",
        help="one noise variance for all columns, one for each, or what the data speak for (auto)",
    )
    group.add_argument(
        "--curved",
        action="store_true",
        help="effects may be curves, for numbers without gaps: directions are told by bends where "
        "there are any, and it says where lines fail",
    )
    group.add_argument(
        "--missing",
        choices=("refuse", "drop", "model"),
        default="model",
        help="rows with missing values: kept, with what is missing modelled by the rest (model), "
        "left out (drop), or an error (refuse)",
    )
    group.add_argument(
        "--determined",
        choices=("drop", "keep"),
        default="drop",
        help="columns that others determine, such as sums: nodes without edges (drop), or searched",
    )
    group.add_argument(
        "--scores",
        choices=("auto", "raw", "normal"),
        default="auto",
        help="ranks (normal scores) in place of values: where raw values mislead (auto), for no "
        "column, or for all",
    )
    group.add_argument(
        "--bootstrap",
        metavar="N",
        type=whole_number(0),
        help="replicates that show how far to trust it: learn again from N resampled tables; 0 "
        "leaves that out (100; fewer for very large tables)",
    )
    group.add_argument(
        "--groups",
        metavar="NAME",
        help="a column that tells which rows belong together, such as those of one patient: the "
        "replicates draw them together, and it is no variable",
    )
    group.add_argument(
        "--blocks",
        metavar="ROWS",
        type=whole_number(1),
        help="the rows stand in the order of time: the replicates draw so many neighbours together",
    )
    group.add_argument(
        "--ebic-gamma", metavar="G", type=number(), help="price of an edge beyond that of the BIC"
    )
    group.add_argument("--restarts", metavar="N", type=whole_number(0), help="of the search")
    group.add_argument(
        "--time-limit",
        metavar="S",
        type=number(),
        help="seconds for the search, of which the best graph so far is kept, and once more for "
        "the replicates: cut short, they allow fewer claims",
    )
    group.add_argument(
        "--prove",
        metavar="SECONDS",
        type=number(),
        help="seconds for a proof, after the search, that no graph has a better score: up to 20 "
        "columns all are compared, up to 62 a lower bound tells what gap is left, and beyond "
        "there is no proof",
    )
    group.add_argument(
        "--seed",
        metavar="N",
        type=whole_number(0),
        default=0,
        help="of the search and the bootstrap; the same seed gives the same result (0)",
    )
    group.add_argument(
        "--jobs", metavar="N", type=jobs, default=1, help="processors to use, -1 for all (1)"
    )
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        type=address,
        help="a Dask scheduler whose workers make the replicates, such as tcp://HOST:8786",
    )
    group = parser.add_argument_group("output")
    group.add_argument(
        "--out", metavar="DIR", type=Path, help="folder of the results (data.csv: data.daglock)"
    )
    group.add_argument("--force", action="store_true", help="replace results that are there")
    group.add_argument(
        "--keep-rows",
        action="store_true",
        help="keep the rows in the results; by default no file holds any of them",
    )
    group.add_argument(
        "--json",
        action="store_true",
        help="print one JSON document, nothing else, and write nothing unless --out is given",
    )
    group.add_argument("--quiet", action="store_true", help="print nothing but errors")


def run(options: Namespace) -> int:
    """Read, learn, write, print."""
    folder = options.out
    if folder is None and not options.json:
        folder = Path(folder_name(options.data))
    if folder is None:
        with connected(options.cluster):
            return _run(options, None)
    typed = shlex.join(["daglock", *options.arguments])  # as in graph.json
    require_claimable(folder, force=options.force, command=typed)
    load_first(*HEAVY)
    with (
        connected(options.cluster),
        claimed(folder, force=options.force, command=typed) as claim,
    ):
        return _run(options, claim)


def _run(options: Namespace, claim: Claim | None) -> int:
    """Read, learn, write the graph, then make replicates and write it all."""
    load_first(*HEAVY)
    from daglock.cli.learned import make_document, write_results
    from daglock.cli.said import show_edges, show_help, show_next, show_serious, show_verdict
    from daglock.confidence.words import about_opposed, about_replicates
    from daglock.diagnostics.detectors import inspect_table
    from daglock.errors import DataWarning, InvalidParameterError
    from daglock.knowledge.assumed import about_assumed

    known = read_known(options)
    progress = False if options.quiet else None
    terminal = Terminal(quiet=options.quiet or options.json)
    source, file = open_data(options)
    covariance = read_moments(options, file)
    refuse_contradictions(options, covariance=covariance is not None)
    table, findings = None, []
    parts = _parts(options, source, progress)
    if options.keep_rows and (covariance is not None or parts is not None):
        raise InvalidParameterError(
            "--keep-rows is for a table that fits into memory: here there are no rows to keep."
        )
    if covariance is not None:
        refuse_groups(options)
        moments, notes = covariance
        known, said = fit_to_columns(options, known, moments.labels)
        notes += said
        show_moments(terminal, options.data, moments, notes)
        model = _fit(options, moments, known, progress)
    else:
        if file is not None:
            table = with_groups(options, read_data(options, file, progress=progress))
            file = n_rows = None  # its bytes may be many
        else:
            assert parts is not None
            assert parts.stream is not None
            notes = [*parts.table.notes, parts.stream.about()]
            table, n_rows = replace(parts.table, notes=tuple(notes)), parts.stream.n_rows
        known, said = fit_to_columns(options, known, table.labels, table.left_out)
        table = replace(table, notes=(*table.notes, *said))
        notes = [*table.notes]
        show_table(terminal, options.data, table, n_rows)
        findings = inspect_table(table)
        show_serious(terminal, findings, options.data, options.regime)
        model = _fit(options, table if parts is None else parts, known, progress)
    about: dict[str, Any] = {
        "arguments": options.arguments,
        "file": "standard input" if options.data == "-" else str(options.data),
        "title": stem_of(options.data),
        "findings": findings,
    }
    interrupted = model.status_.value == "interrupted"
    bootstrap = confidence = None
    if options.bootstrap != 0 and not interrupted:
        if claim is not None:
            write_results(claim, model, make_document(model, notes=notes, complete=False, **about))
        bootstrap, interrupted = _bootstrap(options, model, table, progress, claim)
    if bootstrap is not None:
        with warnings.catch_warnings():  # it is printed with the edges
            warnings.simplefilter("ignore", DataWarning)
            groups = groups_of(options, table)
            confidence = model.assess(bootstrap=bootstrap, groups=groups, n_jobs=options.jobs)
        if interrupted:
            asked = options.bootstrap or model.default_replicates
            _tell(f"interrupted after {bootstrap.n} of {asked} replicates.")
    if interrupted:
        what = "writing what there is" if claim is not None else "this is what there is"
        _tell(f"interrupted; {what}. Ctrl-C again stops at once.")
    document = make_document(
        model, confidence=confidence, bootstrap=bootstrap, notes=notes, **about
    )
    if claim is not None:
        how: dict[str, Any] = {"confidence": confidence, "bootstrap": bootstrap}
        write_results(claim, model, document, **how, keep_rows=options.keep_rows)
    if options.json:
        place = None if claim is None else str(claim.folder)
        print(json.dumps({**document, "folder": place}, allow_nan=False), flush=True)
    show_regimes(terminal, model.regimes_)
    terminal.line()
    if first := about_assumed([*model.assumed_]):
        terminal.say(first)
        terminal.line()
    show_edges(terminal, document["edges"], len(model.names_), [*model.assumed_])
    if confidence is not None and (opposed := about_opposed(confidence)):
        terminal.line()
        terminal.say(opposed, mark="!")
    if confidence is not None:
        show_help(terminal, model, confidence)
    if confidence is not None and (fewer := about_replicates(confidence)):
        terminal.say(fewer, mark="!")
    show_verdict(terminal, model, table)
    if claim is not None:
        show_next(terminal, claim.folder, model, keep_rows=options.keep_rows)
    return Exit.INTERRUPTED if interrupted else Exit.DONE


def _parts(options: Namespace, source: Source | None, progress: bool | None) -> Prepared | None:
    """Read data that are read in parts; None where they are one small file."""
    return read_parts(
        options,
        source,
        progress=progress,
        missing=options.missing,
        targets=options.targets,
        noise=options.noise,
        scores=options.scores,
    )


def _fit(
    options: Namespace,
    data: Table | Moments | Prepared,
    known: Knowledge | None,
    progress: bool | None,
) -> DAGLock:
    """Learn the graph."""
    from daglock import DAGLock, Moments
    from daglock.cli.learned import command_line
    from daglock.errors import ConvergenceWarning, DataWarning

    model = DAGLock(
        options.noise,
        ebic_gamma=options.ebic_gamma,
        knowledge=known,
        n_restarts=options.restarts,
        time_limit=options.time_limit,
        prove=options.prove or None,
        missing=options.missing,
        determined=options.determined,
        scores=options.scores,
        interventions=options.interventions,
        curved=options.curved,
        names=options.names,
        random_state=options.seed,
        n_jobs=options.jobs,
    )
    command = command_line(options.arguments)
    with warnings.catch_warnings():  # they are printed at the end
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", DataWarning)
        if isinstance(data, Moments):
            model.fit_moments(data)
        else:
            shown = progress is None and sys.stderr.isatty()
            model.fit(data, targets=options.targets, progress=shown)
    model.made_by_ = command or model.made_by_
    return model


def _bootstrap(
    options: Namespace,
    model: DAGLock,
    table: Table | None,
    progress: bool | None,
    claim: Claim | None,
) -> tuple[Bootstrap | None, bool]:
    """Learn again from resampled rows; return what came of it, and whether it was interrupted."""
    from daglock.confidence.checkpoint import Checkpoint
    from daglock.errors import ClusterError, ConvergenceWarning, WorkerDiedError

    kept = None if claim is None else Checkpoint(claim.replicates)
    try:
        with warnings.catch_warnings():  # that it was interrupted is said anyhow
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = model.bootstrap(
                options.bootstrap,
                groups=groups_of(options, table),
                rng=options.seed,
                n_jobs=options.jobs if options.cluster is None else None,
                seconds=options.time_limit,
                progress=progress,
                checkpoint=kept,
            )
    except KeyboardInterrupt:
        return None, True
    except (ClusterError, WorkerDiedError):
        if claim is not None:
            _tell(f"the graph is in {claim.folder}; this command goes on with what is done.")
        raise
    finally:
        if kept is not None and kept.found:
            made = plural(kept.found, "replicate")
            _tell(f"taken over from a run that did not finish: {made}.")
    return found, found.stopped == "interrupt"


def _tell(message: str) -> None:
    """Print a message to the error stream."""
    print(f"daglock: {clean(message)}", file=sys.stderr, flush=True)


COMMAND = Command(
    place=10,
    usage="DATA [options]",
    summary="learn a graph from a table",
    description="""\
Learn a causal graph from a table, one row for each case.

Writes a folder with a report (HTML), the picture (SVG), the edges (CSV),
everything for other programs (JSON) and the model (for Python). For each link
it says how sure the link is and how sure its direction. What is not given is
found out: separator, decimal mark, encoding, header, index column.""",
    examples="""\
  daglock learn cells.csv
  daglock learn cells.csv --bootstrap 300 --jobs -1
  daglock learn cells.csv --drop name,date --missing drop --out run1
  daglock learn cells.csv --tiers 'age,sex < bmi < outcome'
  daglock learn survey.xlsx --sheet answers
  daglock learn cells.csv --regime condition --targets targets.yaml
  daglock learn cells.cov
  zcat cells.csv.gz | daglock learn - --json > graph.json

Ctrl-C ends the search, or the replicates; what was done is written and says so.
The graph is written before the replicates; if they are killed, the same command
goes on with them.""",
    add_arguments=add_arguments,
    run=run,
)
