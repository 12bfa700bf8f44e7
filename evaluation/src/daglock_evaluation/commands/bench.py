"""``daglock bench``: side by side with what a user would pick instead."""

from __future__ import annotations

import os
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from daglock.cli.command import Command, Exit
from daglock.cli.options import jobs, names, number, whole_number
from daglock.cli.results import may_fail, require_writable
from daglock.cli.terminal import Terminal
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.wording import plural
from daglock_evaluation.interruption import Interruption

if TYPE_CHECKING:
    from daglock_evaluation.bench.peer import Peer
    from daglock_evaluation.bench.records import Record
    from daglock_evaluation.bench.suites import Suite

_PAGE = "benchmark.html"
_ALL = "all"
# Short runs for a quick look, not for the document.
_SHORT = ("quick", "check")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--suite",
        metavar="NAME",
        type=names,
        default=["quick"],
        help="suites, separated by commas, or all (quick)",
    )
    parser.add_argument(
        "--peers",
        metavar="NAME",
        type=names,
        help="methods, separated by commas (those of the suite)",
    )
    parser.add_argument(
        "--seeds",
        metavar="N",
        type=whole_number(1),
        help="graphs for each case (as the suite says)",
    )
    parser.add_argument(
        "--time-limit", metavar="S", type=number(0.1), help="seconds for a run (the suite's)"
    )
    parser.add_argument(
        "--memory-limit", metavar="GB", type=number(0.1), help="gigabytes for a run (the suite's)"
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=Path("benchmark"), help="folder (benchmark)"
    )
    parser.add_argument(
        "--jobs", metavar="N", type=jobs, default=1, help="runs at the same time (1)"
    )
    parser.add_argument(
        "--python",
        metavar="PATH",
        action="append",
        default=[],
        help="another Python that has daglock and some of the methods; may be given again",
    )
    parser.add_argument(
        "--compare",
        metavar="OLD",
        type=Path,
        help="earlier records, a file: has daglock become worse? then the exit code is 1",
    )
    parser.add_argument("--docs", metavar="DIR", type=Path, help="folder for benchmarks.md")
    parser.add_argument(
        "--fresh", action="store_true", help="make all runs anew, not only those not recorded"
    )
    parser.add_argument("--report", action="store_true", help="run nothing: show what is recorded")
    parser.add_argument("--list", action="store_true", help="list suites and methods, and leave")
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def run(options: Namespace) -> int:
    """Run suites and show where daglock stands."""
    from daglock_evaluation.bench.process import THREADS

    for name in THREADS:  # before NumPy is loaded
        os.environ[name] = "1"
    terminal = Terminal(quiet=options.quiet)
    if options.list:
        return _list(terminal)
    suites = _suites(options.suite)
    _check_peers(options.peers)
    old = _old_records(options.compare)
    require_writable(options.out)
    if not options.report:
        with Interruption() as interruption, may_fail(options.out):
            for suite in suites:
                _run(options, terminal, suite, interruption)
        if interruption.asked:
            return _resume(options)
    found = [record for suite in suites for record in _recorded(options, suite)]
    if not found:
        raise InvalidDataError(
            f"Nothing is recorded in {str(options.out)!r}: run daglock bench without --report."
        )
    _show(terminal, found)
    _write(options, terminal, found)
    return _compare(terminal, options.compare, old, found) if old is not None else Exit.DONE


def _suites(wanted: Sequence[str]) -> list[Suite]:
    """Return the suites that a user asked for; all are those that make the document."""
    from daglock_evaluation.bench.suites import find, suites

    if list(wanted) == [_ALL]:
        return [suite for name, suite in suites().items() if name not in _SHORT]
    return [find(name) for name in wanted]


def _check_peers(wanted: Sequence[str] | None) -> None:
    """Raise for a method that there is not."""
    from daglock_evaluation.bench.peers import find

    for name in wanted or ():
        find(name)


def _old_records(path: Path | None) -> list[Record] | None:
    """Read the records to compare with, before anything is run."""
    from daglock_evaluation.bench import records

    if path is None:
        return None
    if not path.is_file():
        raise InvalidParameterError(f"--compare: there is no file {str(path)!r}.")
    return list(records.read(path).values())


def _path(options: Namespace, suite: Suite) -> Path:
    """Return the file of a suite's records."""
    out: Path = options.out
    return out / "records" / f"{suite.name}.jsonl"


def _recorded(options: Namespace, suite: Suite) -> list[Record]:
    """Return what is recorded of a suite, in the order of its cases and of the methods."""
    from daglock_evaluation.bench import records
    from daglock_evaluation.bench.peers import peers

    cases = [case.label for case in suite.cases]
    methods = options.peers or list(peers())
    found = [
        record
        for record in records.read(_path(options, suite)).values()
        if record["peer"] in methods and record["label"] in cases
    ]
    return sorted(
        found, key=lambda r: (cases.index(r["label"]), methods.index(r["peer"]), r["seed"])
    )


def _run(options: Namespace, terminal: Terminal, suite: Suite, interruption: Interruption) -> None:
    """Make the runs of a suite."""
    from joblib import effective_n_jobs

    from daglock._progress import Bar
    from daglock_evaluation.bench.interpreters import locate
    from daglock_evaluation.bench.peers import find
    from daglock_evaluation.bench.process import Limits
    from daglock_evaluation.bench.runner import Runner

    peers: list[Peer] = [find(name) for name in options.peers or suite.peers]
    path = _path(options, suite)
    if options.fresh:
        path.unlink(missing_ok=True)
    packages = [peer.package for peer in peers if peer.package is not None]
    places = locate(packages, [sys.executable, *options.python])
    missing = sorted({name for name in packages if name not in places})
    if missing:
        terminal.say(f"Not installed, and so not compared: {', '.join(missing)}.")
    with Bar(False if options.quiet else None) as bar:
        runner = Runner(
            path,
            Limits(
                options.time_limit or suite.time_limit, options.memory_limit or suite.memory_limit
            ),
            places,
            n_jobs=effective_n_jobs(options.jobs),
            keep_going=lambda: not interruption.asked,
            show=lambda done, total, label: bar.step(suite.name, done, total, label),
        )
        runner.run(suite, peers, options.seeds or suite.seeds)


def _show(terminal: Terminal, found: Sequence[Record]) -> None:
    """Print the tables."""
    from daglock_evaluation.bench.report.findings import find
    from daglock_evaluation.bench.report.summary import brief

    for table in brief(found):
        terminal.line()
        terminal.line(f"{table.title}  ({table.note})")
        terminal.table(table.rows, right=[False, *[True] * (len(table.rows[0]) - 2), False])
    terminal.line()
    terminal.say(
        "SHD: distance to the true graph; CPDAG: to its equivalence class; ratio: seconds in units "
        "of daglock's."
    )
    terminal.line()
    terminal.say(" ".join(find(found).summary()))


def _write(options: Namespace, terminal: Terminal, found: Sequence[Record]) -> None:
    """Write the page, and the document when it is asked for."""
    from daglock_evaluation.bench.report.document import write_document
    from daglock_evaluation.bench.report.page import write_page

    terminal.line()
    with may_fail(options.out):
        options.out.mkdir(parents=True, exist_ok=True)
        write_page(found, options.out / _PAGE)
    terminal.line(f"Page: {options.out / _PAGE}")
    if options.docs is not None:
        with may_fail(options.docs):
            write_document(found, options.docs)
        terminal.line(f"Document: {options.docs / 'benchmarks.md'}")


def _compare(terminal: Terminal, path: Path, old: Sequence[Record], new: Sequence[Record]) -> int:
    """Say whether daglock has become worse."""
    from daglock_evaluation.bench.compare import compare

    changes = compare(old, new)
    if not changes:
        raise InvalidDataError(f"{str(path)!r} has no run of daglock on the same data.")
    rows = [["method", "case", "what", "then", "now", "seeds", "verdict"]]
    for change in changes:
        what = {"accuracy": "distance", "speed": "time / others'", "runs": "ended"}[change.what]
        rows.append(
            [
                change.peer,
                change.label,
                what,
                f"{change.old:.3g}",
                f"{change.new:.3g}",
                str(change.n),
                change.verdict,
            ]
        )
    terminal.line()
    terminal.line(f"Since {path}:")
    terminal.table(rows, right=[False, False, False, True, True, True, False])
    if not any(change.what == "speed" for change in changes):
        terminal.say("No other method is in both: whether daglock is slower cannot be told.")
    worse = [change for change in changes if change.verdict == "worse"]
    if worse:
        print(f"daglock: worse than before: {plural(len(worse), 'figure')}.", file=sys.stderr)
        return Exit.FAILED
    terminal.line("Nothing is worse beyond the noise between the seeds.")
    return Exit.DONE


def _list(terminal: Terminal) -> int:
    """Show the suites and the methods."""
    from daglock_evaluation.bench.peers import peers
    from daglock_evaluation.bench.suites import suites

    rows = [["suite", "cases", "methods", "what"]]
    rows += [[s.name, str(len(s.cases)), str(len(s.peers)), s.title] for s in suites().values()]
    terminal.table(rows, right=[False, True, True, False])
    terminal.line()
    rows = [["method", "package", "returns", "what"]]
    rows += [[p.name, p.package or "daglock", p.returns, p.label] for p in peers().values()]
    terminal.table(rows, right=[False, False, False, False])
    return Exit.DONE


def _resume(options: Namespace) -> int:
    """Say what an interruption left and how to go on."""
    command = shlex.join(["daglock", *(word for word in options.arguments if word != "--fresh")])
    print(
        f"daglock: interrupted. What was finished is recorded in {options.out / 'records'};\n"
        f"the same command goes on where this one stopped: {command}",
        file=sys.stderr,
    )
    return Exit.INTERRUPTED


COMMAND = Command(
    place=80,
    usage="[options]",
    summary="compare with other packages",
    description="""\
Run daglock beside the packages that a user would pick instead.

Each run has a process of its own with one thread, a limit of time and of
memory; a method that fails, is too slow or is not installed is a line that
says so. What is recorded does not run again.""",
    examples="""\
  daglock bench --list
  daglock bench --suite paper --peers daglock,dagma --seeds 3
  daglock bench --suite all --python peers/bin/python --docs docs
  daglock bench --suite check --out new --compare old/records/check.jsonl""",
    add_arguments=add_arguments,
    run=run,
)
