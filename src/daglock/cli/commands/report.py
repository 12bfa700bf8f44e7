"""``daglock report``: the HTML page of a result."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from daglock.cli.command import Command, Exit
from daglock.cli.interrupts import load_first
from daglock.cli.results import REPORT, may_fail, new_file, read_document
from daglock.cli.terminal import Terminal


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("result", metavar="RESULT", help="folder of learn, or a saved model")
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        help="by default report.html in the folder, or beside the model",
    )
    parser.add_argument("--title", metavar="TEXT", help="heading of the page")
    parser.add_argument("--open", action="store_true", help="show it in a browser")
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")


def run(options: Namespace) -> int:
    """Write the report of a result, again or in another place."""
    result = Path(options.result)
    folder = result if result.is_dir() else None
    if options.out is not None:
        path = new_file(options.out, force=options.force)
    elif folder is not None:
        path = new_file(folder / REPORT, force=True)  # its own place: made anew
    else:
        path = new_file(result.with_suffix(".html"), force=options.force)
    load_first("daglock.estimator", "daglock.report.html")
    from daglock import load
    from daglock.cli.learned import read_bootstrap, read_findings
    from daglock.report.html import write_report

    model = load(result)
    document = {} if folder is None else read_document(folder)
    with may_fail(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_report(
            model,
            path,
            bootstrap=None if folder is None else read_bootstrap(folder, model),
            command=document.get("command") or None,
            title=options.title or document.get("title") or None,
            # what a folder does not have was left out on purpose
            assess=folder is None or document.get("confidence") is not None,
            findings=read_findings(document),
        )
    Terminal().say(f"The report is in {path}")
    if options.open:
        import webbrowser

        webbrowser.open(path.absolute().as_uri())
    return Exit.DONE


COMMAND = Command(
    place=40,
    usage="RESULT [options]",
    summary="write the HTML report of a result",
    description="Write the HTML report of a result: one file that needs a browser and no network.",
    examples="""\
  daglock report sachs.daglock --open
  daglock report model.npz --out page.html --title "Signalling in T cells\"""",
    add_arguments=add_arguments,
    run=run,
)
