"""``daglock bench``: side by side with what a user would pick instead."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daglock.cli.command import Command, Exit
from daglock.cli.options import jobs, names, number, whole_number
from daglock.cli.results import may_fail, require_writable
from daglock.cli.terminal import Terminal
from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.wording import plural
from daglock_evaluation.commands import interrupted
from daglock_evaluation.harness.process import one_thread
from daglock_evaluation.harness.runner import Interruption, interruptible

if TYPE_CHECKING:
    from daglock_evaluation.benchmark.runs import Record
    from daglock_evaluation.benchmark.suites import Suite

_PAGE = "benchmark.html"
# Short runs for a quick look, not for the document.
_SHORT = ("quick", "check", "claims")
_PYTHON = "another Python that has daglock and some of the methods; may be given again"
_COMPARE = "earlier records, a file or folder: has daglock become worse? then the exit code is 1"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    valued: tuple[tuple[str, str, Any, str], ...] = (
        ("--suite", "NAME", names, "suites, separated by commas, or all (quick)"),
        ("--peers", "NAME", names, "methods, separated by commas (those of the suite)"),
        ("--seeds", "N", whole_number(1), "graphs for each case (as the suite says)"),
        ("--time-limit", "S", number(0.1), "seconds for a run (the suite's)"),
        ("--memory-limit", "GB", number(0.1), "gigabytes for a run (the suite's)"),
        ("--out", "DIR", Path, "folder (benchmark)"),
        ("--jobs", "N", jobs, "runs at the same time (1)"),
        ("--python", "PATH", None, _PYTHON),
        ("--compare", "OLD", Path, _COMPARE),
        ("--docs", "DIR", Path, "folder for benchmarks.md"),
    )
    for name, metavar, kind, text in valued:
        action = "store" if kind else "append"
        parser.add_argument(name, metavar=metavar, type=kind or str, action=action, help=text)
    for name, text in (
        ("--fresh", "make all runs anew, not only those not recorded"),
        ("--report", "run nothing: show what is recorded"),
        ("--list", "list suites and methods, and leave"),
        ("--quiet", "print nothing but errors"),
    ):
        parser.add_argument(name, action="store_true", help=text)
    parser.set_defaults(suite=["quick"], out=Path("benchmark"), jobs=1, python=[])


def run(options: Namespace) -> int:
    """Run suites and show where daglock stands."""
    one_thread()
    terminal = Terminal(quiet=options.quiet)
    if options.list:
        return _list(terminal)
    suites = _suites(options.suite, options.peers or ())
    old = _old_records(options.compare, suites)
    require_writable(options.out)
    if not options.report:
        with interruptible() as interruption, may_fail(options.out):
            for suite in suites:
                _run(options, terminal, suite, interruption)
        if interruption.asked:
            return interrupted(options, options.out)
    found = [record for suite in suites for record in _recorded(options, suite)]
    if not found:
        raise InvalidDataError(
            f"Nothing is recorded in {str(options.out)!r}: run daglock bench without --report."
        )
    _show(terminal, found)
    _write(options, terminal, found)
    return _compare(terminal, options.compare, old, found) if old is not None else Exit.DONE


def _suites(wanted: Sequence[str], peers: Sequence[str]) -> list[Suite]:
    """Return the suites that a user asked for; refuse those, and methods, that there are not."""
    from daglock_evaluation.benchmark import suites
    from daglock_evaluation.methods import find

    for name in peers:
        find(name)
    if list(wanted) == ["all"]:  # those that make the document
        wanted = [name for name in suites.suites() if name not in _SHORT]
    return [suites.find(name) for name in wanted]


def _old_records(path: Path | None, suites: Sequence[Suite]) -> list[Record] | None:
    """Read the records to compare with, before anything is run."""
    from daglock_evaluation.benchmark.runs import open_records

    if path is None:
        return None
    files = [path / f"{suite.name}.jsonl" for suite in suites] if path.is_dir() else [path]
    if missing := [repr(str(file)) for file in files if not file.is_file()]:
        raise InvalidParameterError(f"--compare: there is no file {' and no '.join(missing)}.")
    return [record for file in files for record in open_records(file).known.values()]


def _path(options: Namespace, suite: Suite) -> Path:
    """Return the file of a suite's records."""
    out: Path = options.out
    return out / "records" / f"{suite.name}.jsonl"


def _recorded(options: Namespace, suite: Suite) -> list[Record]:
    """Return what is recorded of a suite, in the order of its cases and of the methods."""
    from daglock_evaluation.benchmark.runs import open_records
    from daglock_evaluation.methods import methods

    cases = [case.label for case in suite.cases]
    known = options.peers or list(methods())
    found = [
        record
        for record in open_records(_path(options, suite)).known.values()
        if record["peer"] in known and record["label"] in cases
    ]
    return sorted(found, key=lambda r: (cases.index(r["label"]), known.index(r["peer"]), r["seed"]))


def _run(options: Namespace, terminal: Terminal, suite: Suite, interruption: Interruption) -> None:
    """Make the runs of a suite."""
    from joblib import effective_n_jobs

    from daglock._progress import Bar
    from daglock_evaluation.benchmark.run import Runner
    from daglock_evaluation.harness.process import Limits, locate
    from daglock_evaluation.methods import find

    peers = [find(name) for name in options.peers or suite.peers]
    path = _path(options, suite)
    if options.fresh:
        path.unlink(missing_ok=True)
    packages = [peer.package for peer in peers if peer.package is not None]
    places = locate(packages, [sys.executable, *options.python])
    missing = sorted({name for name in packages if name not in places})
    if missing:
        terminal.say(f"Not installed, and so not compared: {', '.join(missing)}.")
    seconds, memory = options.time_limit, options.memory_limit
    with Bar(False if options.quiet else None) as bar:
        runner = Runner(
            path,
            Limits(seconds or suite.time_limit, memory or suite.memory_limit),
            places,
            n_jobs=effective_n_jobs(options.jobs),
            keep_going=lambda: not interruption.asked,
            show=lambda done, total, label: bar.step(suite.name, done, total, label),
        )
        runner.run(suite, peers, options.seeds or suite.seeds)


def _show(terminal: Terminal, found: Sequence[Record]) -> None:
    """Print the tables."""
    from daglock_evaluation.benchmark.findings import find
    from daglock_evaluation.benchmark.tables import tables

    for table in tables(found, brief=True):
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
    from daglock_evaluation.benchmark.document import write_document, write_page

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
    from daglock_evaluation.benchmark.compare import compare

    changes = compare(old, new)
    if not changes:
        raise InvalidDataError(f"{str(path)!r} has no run of daglock on the same data.")
    rows = [["method", "case", "what", "then", "now", "seeds", "verdict"]]
    names = {"accuracy": "distance", "speed": "time / others'", "runs": "ended"}
    names |= {"memory": "memory, MB", "score": "score at one price"}
    for c in changes:
        numbers = (f"{c.old:.6g}", f"{c.new:.6g}", str(c.n))
        rows.append([c.peer, c.label, names.get(c.what, c.what), *numbers, c.verdict])
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
    from daglock_evaluation.benchmark.suites import suites
    from daglock_evaluation.methods import methods

    rows = [["suite", "cases", "methods", "what"]]
    rows += [[s.name, str(len(s.cases)), str(len(s.peers)), s.title] for s in suites().values()]
    terminal.table(rows, right=[False, True, True, False])
    terminal.line()
    rows = [["method", "package", "returns", "what"]]
    rows += [[p.name, p.package or "daglock", p.returns, p.label] for p in methods().values()]
    terminal.table(rows, right=[False, False, False, False])
    return Exit.DONE


COMMAND = Command(
    place=80,
    usage="[options]",
    summary="compare with other packages",
    description="""\
Run daglock beside the packages that a user would pick instead.

Each method has a process of its own for each case, with one thread, a limit of
time and of memory; one that fails, is too slow or is not installed is a line
that says so. What is recorded does not run again.""",
    examples="""\
  daglock bench --list
  daglock bench --suite paper --peers daglock,dagma --seeds 3
  daglock bench --suite all --python peers/bin/python --docs docs
  daglock bench --suite check,claims --out new --compare old/records""",
    add_arguments=add_arguments,
    run=run,
)
