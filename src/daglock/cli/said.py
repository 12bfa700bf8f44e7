"""What the terminal says of a table and its graph: what may be wrong, links, what would help."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daglock.cli.results import BOOTSTRAP, EDGES, GRAPH, MODEL, PICTURE, REPORT
from daglock.cli.terminal import Terminal, clean, shorten, width_of
from daglock.wording import STRENGTH, Finding, listed, plural

if TYPE_CHECKING:
    from daglock.confidence import Confidence
    from daglock.estimator import DAGLock
    from daglock.table import Table

# Rows of the table of edges; the rest is in the file.
MOST = 30
# Warnings about the table that are printed before the graph.
MOST_SERIOUS = 5
_NAME = 16


def show_serious(
    terminal: Terminal, findings: Sequence[Finding], data: str, regime: str | None = None
) -> None:
    """Print the warnings about a table, a line each, and where there is more."""
    serious = [finding for finding in findings if finding.level == "warning"][:MOST_SERIOUS]
    if not serious:
        return
    terminal.line()
    for finding in serious:
        if finding.brief:
            terminal.say(clean(f"{finding.title}: {finding.brief}"), mark="!")
            continue
        fix = f": {finding.fix}" if finding.fix else ""
        whole = f"! {clean(finding.title)}{clean(fix)}"
        short = width_of(whole) <= terminal.width
        terminal.line(shorten(whole if short else f"! {clean(finding.title)}", terminal.width))
    rest = len(findings) - len(serious)
    more = f"{rest} more, and " if rest else ""
    named = "-" if data == "-" else shlex.quote(data)
    named += "" if regime is None else f" --regime {shlex.quote(regime)}"
    terminal.line(f"  daglock check {clean(named)} shows {more}what to do")


def show_edges(
    terminal: Terminal,
    edges: Sequence[dict[str, Any]],
    n_nodes: int,
    assumed: Sequence[str] = (),
) -> None:
    """Print the first edges, how far to believe them, and what the signs mean."""
    import numpy as np

    from daglock.confidence.words import (
        MEANING,
        NOT_ASSESSED,
        SIGNS,
        about_links,
        share,
        verdict,
    )
    from daglock.report.words import following

    if not edges:
        terminal.say(f"No edges among {n_nodes} variables.")
        return
    assessed = "claim" in edges[0]
    claims = [edge["claim"] for edge in edges] if assessed else []
    terminal.say(f"{plural(len(edges), 'edge')} among {n_nodes} variables:")
    terminal.line()
    strengths = [bool(edge["strength"]) for edge in edges]
    sizes = ["strength"] if all(strengths) else ["weight", "in sd"]
    head = ["cause", "", "effect", *sizes, *(["link", "direction", "arrow"] if assessed else [])]
    rows = [head]
    for edge in edges[:MOST]:
        cells = [
            shorten(clean(edge["source"]), _NAME),
            SIGNS[edge["claim"] if assessed else "open"],
            shorten(clean(edge["target"]), _NAME),
        ]
        # a strength has no sign
        size = f"{edge['weight']:.2f}", f"{edge['weight']:.2f}"
        if not edge["strength"]:
            size = f"{edge['weight']:+.4g}", f"{edge['standardised_weight']:+.2f}"
        sure = [share(edge[part]) for part in ("link", "direction", "arrow")] if assessed else []
        rows.append([*cells, *size[: len(sizes)], *sure])
    terminal.table(rows, [False] * 3 + [True] * (len(head) - 3))
    if len(edges) > MOST:
        terminal.line(f"  ... and {len(edges) - MOST} more in {EDGES}")
    terminal.line()
    if assessed:
        doubt = about_links(np.array([edge["link"] for edge in edges]))
        because = [edge["because"] for edge in edges]
        known = following(claims, because, [edge["identified_by"] for edge in edges])
        terminal.say(" ".join(filter(None, [verdict(claims, because, assumed), known, doubt])))
    else:
        terminal.say(NOT_ASSESSED, mark="!")
    terminal.line()
    for claim, sign in SIGNS.items():
        if claim in claims:
            terminal.say(MEANING[claim], mark=f"{sign} ")
    if all(strengths):
        terminal.say(f"strength: {STRENGTH}")
    else:
        category = f"; where one end is a category, both: {STRENGTH}" if any(strengths) else ""
        terminal.say(
            "weight: change of the effect for one unit of the cause; in sd: the same in "
            f"standard deviations{category}"
        )
    if assessed:
        terminal.say(
            "link: probability that the two are linked; direction: that this one is the cause, if "
            "they are; arrow: both together"
        )


def show_help(terminal: Terminal, model: DAGLock, confidence: Confidence) -> None:
    """Say where the model does not fit, and what would settle the directions that are open."""
    from daglock.confidence.words import what_would_help
    from daglock.report.words import about_fit

    dag = model.learned_.dag
    if fit := about_fit(model, confidence):
        terminal.line()
        terminal.say(fit)
    settled = confidence.of_edges(dag).settled
    lines = what_would_help(dag, settled, model.names_, targets=model.targeted())
    if lines:
        terminal.line()
        terminal.say(
            "What would settle more directions, if the links are right: an experiment on one of "
            "these columns, or knowing what comes before it in time:"
        )
    for line in lines:
        terminal.say(line, mark="•")


def show_verdict(terminal: Terminal, model: DAGLock, table: Table | None) -> None:
    """Say what the graph rests on."""
    from daglock.diagnostics.questions import about_questioned
    from daglock.report import words
    from daglock.table.missing import about_dropped
    from daglock.table.scores import scores_sentence

    learned = model.learned_
    terminal.line()
    if not learned.status.is_success:
        terminal.say(learned.message.removesuffix(" ".join(["", *learned.cautions])), mark="!")
    if model.n_dropped_:
        left_out = about_dropped(model.n_dropped_, model.moments_.n_rows, model.missing)
        terminal.say(left_out, mark="!")
    known = () if table is None else table.left_out
    still = [name for name in model.left_out_ if name not in known]
    if still:
        terminal.say(f"Left out, for they do not vary any more: {listed(still)}.", mark="!")
    for caution in learned.cautions:
        terminal.say(caution, mark="!")
    if model.scores_:
        terminal.say(scores_sentence(model.scores_), mark="!")
    for finding in about_questioned(model.diagnostics_.questioned):
        terminal.say(finding.text, mark="!")
    terminal.say(words.noise(model))
    if bent := model.about_curves():
        terminal.say(bent)
    if cheaper := words.price(model):
        terminal.say(cheaper)
    terminal.say(f"Certificate: {learned.certificate}.")


def show_next(terminal: Terminal, folder: Path, model: DAGLock, *, keep_rows: bool) -> None:
    """Say where the results are, what they hold and what can be done with them."""
    assessed = model._confidence is not None
    name = shlex.quote(str(folder))
    files = {
        REPORT: "the graph and how far to trust it: open it in a browser",
        PICTURE: "the picture alone",
        EDGES: "the edges, for a spreadsheet",
        GRAPH: "everything, for other programs",
        MODEL: f"for Python: daglock.load({str(folder)!r})",
    }
    if assessed:
        files[BOOTSTRAP] = "how often each pair was linked"
    terminal.line()
    terminal.line(f"Results in {folder}{os.sep}")
    for file, what in files.items():
        terminal.line(f"  {file:<15}{what}")
        if file == MODEL:
            terminal.line(f"  {'':<15}({model.what_is_held(keep_rows=keep_rows)})")
    terminal.line()
    if not assessed:
        terminal.line("How far to trust it?        without --bootstrap 0, with --force")
    terminal.line(f"For other programs:         daglock convert {name} --to dot")
