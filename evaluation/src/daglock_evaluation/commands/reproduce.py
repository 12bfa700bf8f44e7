"""``daglock reproduce``: the paper's tables, figures and claims, measured."""

from __future__ import annotations

import os
import shlex
import sys
import traceback
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from daglock.cli.command import Command, Exit, OutputError
from daglock.cli.options import jobs
from daglock.cli.results import may_fail, require_writable
from daglock.cli.terminal import Terminal, shorten
from daglock.errors import InvalidParameterError, MissingExtraError
from daglock_evaluation.commands import interrupted
from daglock_evaluation.harness.process import one_thread
from daglock_evaluation.harness.runner import Interruption, interruptible

_WORDS = ("all", "report", "list")
_SHORT = {"confirmed with a correction": "corrected"}


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    out = "folder of records and report (reproduction, or reproduction/quick)"
    docs = "folder for the report as Markdown, reproduction.md, and its figures"
    all_jobs = "processes, -1 for all processors (1)"
    given = "experiments; claims by number; all; report: write the report; list: what there is"
    parser.add_argument("names", metavar="NAME", nargs="+", help=given)
    parser.add_argument("--quick", action="store_true", help="small cases, a minute or less each")
    parser.add_argument("--out", metavar="DIR", type=Path, help=out)
    parser.add_argument("--docs", metavar="DIR", type=Path, help=docs)
    parser.add_argument("--jobs", metavar="N", type=jobs, default=1, help=all_jobs)
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def run(options: Namespace) -> int:
    """Run experiments, or show what is recorded of them."""
    one_thread()
    terminal = Terminal(quiet=options.quiet)
    folder = options.out or Path("reproduction", *(["quick"] if options.quick else []))
    if any("." in word for word in options.names):
        return _claims(terminal, folder, options.names)
    names = _chosen(options.names)
    if options.names == ["list"]:
        return _list(terminal, folder, names)
    require_writable(folder)
    from daglock_evaluation.harness.figures import panels

    panels()  # says now, not after hours, that matplotlib is missing
    if options.names == ["report"]:
        return _report(terminal, folder, options.docs or _beside(folder), names)
    with interruptible() as interruption:
        failed = _run(options, folder, names, interruption)
    if interruption.asked:
        return interrupted(options, folder)
    _show_verdicts(terminal, folder, names)
    if options.names == ["all"]:
        _report(terminal, folder, options.docs, names)
    else:
        command = f"daglock reproduce report --out {shlex.quote(str(folder))}"
        terminal.line(f"Figures and tables: {folder}")
        terminal.line(f"All in one report: {command}")
    if failed:
        print(f"daglock: failed: {', '.join(failed)}; see above.", file=sys.stderr)
    return Exit.FAILED if failed else Exit.DONE


def _chosen(words: Sequence[str]) -> Sequence[str]:
    """Return the names of the experiments that a user asked for."""
    from daglock_evaluation.experiments.registry import NAMES, get

    if len(words) > 1 and (alone := [word for word in words if word in _WORDS]):
        raise InvalidParameterError(f"{alone[0]!r} stands alone: give no other name with it.")
    if words[0] in _WORDS:
        return NAMES
    for word in words:
        get(word)
    return words


def _run(
    options: Namespace, folder: Path, names: Sequence[str], interruption: Interruption
) -> list[str]:
    """Run experiments one after the other and return those that failed."""
    from joblib import effective_n_jobs

    from daglock._progress import Bar
    from daglock_evaluation.experiments.chapter import load_chapter
    from daglock_evaluation.experiments.registry import get
    from daglock_evaluation.experiments.report import write_chapter
    from daglock_evaluation.experiments.run import run_experiment

    failed = []
    with Bar(False if options.quiet else None) as bar:
        for name in names:
            try:
                with may_fail(folder):
                    run_experiment(
                        get(name),
                        folder / "records",
                        quick=options.quick,
                        n_jobs=effective_n_jobs(options.jobs),
                        bar=bar,
                        keep_going=lambda: not interruption.asked,
                    )
                    if interruption.asked:
                        break
                    write_chapter(load_chapter(get(name), folder), folder)
            except (MissingExtraError, OutputError):
                raise
            except Exception:  # the others may still run, for hours
                bar.close()
                traceback.print_exc()
                failed.append(name)
    return failed


def _list(terminal: Terminal, folder: Path, names: Sequence[str]) -> int:
    """Show the experiments and what is recorded of them."""
    from daglock_evaluation.experiments.chapter import load_chapters

    rows = [["experiment", "in the paper", "recorded"]]
    for chapter in load_chapters(folder, names):
        experiment = chapter.experiment
        known = f"{len(chapter.records)} of {chapter.n_cases}, {chapter.state.value}"
        if not chapter.records:
            known = f"0 of {len(experiment.cases(False))}"
        rows.append([experiment.name, shorten(experiment.source, terminal.width - 50), known])
    terminal.table(rows, right=[False, False, False])
    return Exit.DONE


def _claims(terminal: Terminal, folder: Path, words: Sequence[str]) -> int:
    """Print claims by their numbers, such as sparse.2, as they are judged on what is recorded."""
    from daglock_evaluation.experiments.chapter import load_chapter
    from daglock_evaluation.experiments.registry import get

    asked = [(get(name), number) for name, _, number in (word.partition(".") for word in words)]
    shown = []
    for experiment, number in asked:
        chapter = load_chapter(experiment, folder)
        known = {str(verdict.number): verdict for verdict in chapter.verdicts()}
        if number not in known:
            numbers = ", ".join(map(chapter.number, known.values())) or "none"
            raise InvalidParameterError(
                f"There is no claim {experiment.name}.{number} in {folder}; judged on what is "
                f"recorded there: {numbers}. To run more: daglock reproduce {experiment.name}."
            )
        shown.append((chapter, known[number]))
    for chapter, verdict in shown:
        terminal.line(f"{chapter.number(verdict)}: {verdict.outcome.value}")
        terminal.line(f"Claim: {verdict.claim}")
        terminal.line(f"The paper: {verdict.printed}")
        terminal.line(f"Measured: {verdict.measured}")
        terminal.line(f"Evidence: {verdict.evidence.strip()}")
        terminal.line(f"{chapter.remark()} ({chapter.effort()}).")
        terminal.line()
    return Exit.DONE


def _report(terminal: Terminal, folder: Path, docs: Path | None, names: Sequence[str]) -> int:
    """Write the report and say where it is."""
    from daglock_evaluation.experiments.report import write_report

    with may_fail(docs or folder):
        written = write_report(folder, docs, names=names)
    for path in written:
        terminal.line(f"Report: {path}")
    return Exit.DONE


def _beside(folder: Path) -> Path | None:
    """Return the documents of a checkout, which have a report to be replaced."""
    docs = folder.absolute().parent / "docs"
    return Path(os.path.relpath(docs)) if (docs / "reproduction.md").exists() else None


def _show_verdicts(terminal: Terminal, folder: Path, names: Sequence[str]) -> None:
    """Print the verdicts as a short table."""
    from daglock_evaluation.experiments.chapter import load_chapters
    from daglock_evaluation.experiments.report import counts

    chapters = load_chapters(folder, names)
    found = [(chapter.number(v), v) for chapter in chapters for v in chapter.verdicts()]
    terminal.line()
    if not found:
        return
    widest = max(len("number"), *(len(number) for number, _ in found))
    room = max(20, terminal.width - widest - len("not confirmed") - 6)
    rows = [
        [number, _SHORT.get(v.outcome.value, v.outcome.value), shorten(v.claim, room)]
        for number, v in found
    ]
    terminal.table([["number", "verdict", "claim"], *rows], right=[False, False, False])
    terminal.line()
    counted = counts(chapters)
    for long, brief in _SHORT.items():
        counted = counted.replace(long, brief)
    terminal.line(counted)


COMMAND = Command(
    place=70,
    usage="NAME [options]",
    summary="measure every claim of the SPG-AHOC paper",
    description="""\
Run the experiments of the SPG-AHOC paper and give a verdict on each claim.

What is recorded does not run again: an interrupted run goes on where it
stopped. The full run takes hours, --quick under ten minutes on two cores.""",
    examples="""\
  daglock reproduce list
  daglock reproduce axioms origin --quick
  daglock reproduce sparse.2
  daglock reproduce all --quick --jobs 2
  daglock reproduce report --out reproduction --docs docs""",
    add_arguments=add_arguments,
    run=run,
)
