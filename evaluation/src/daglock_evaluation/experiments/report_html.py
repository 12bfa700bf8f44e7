"""The report as one page that needs no other file and no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template

from daglock import __version__
from daglock_evaluation.experiments import report_markdown
from daglock_evaluation.experiments.captions import CAPTIONS
from daglock_evaluation.experiments.chapter import Chapter, State
from daglock_evaluation.experiments.experiment import Outcome, Verdict
from daglock_evaluation.experiments.words import REPEATED, WORDS
from daglock_evaluation.publish.page import inline, style, template
from daglock_evaluation.publish.tables import Table

_PACKAGE = "daglock_evaluation.experiments"
_CLASSES = {
    Outcome.CONFIRMED: ("yes", "✓"),
    Outcome.CORRECTED: ("partly", "≈"),
    Outcome.NOT_CONFIRMED: ("no", "✗"),
}


def render(chapters: Sequence[Chapter], figures: Sequence[Mapping[str, Path]]) -> str:
    """Return the page; `figures` has each chapter's SVG files by name."""
    return Template(template(_PACKAGE, "reproduction.html")).substitute(
        style=style(_PACKAGE, "reproduction.css"),
        version=escape(__version__),
        counts=escape(report_markdown.counts(chapters)),
        gaps=_gaps(chapters),
        links="".join(
            f'<a href="#{c.experiment.name}">{escape(c.experiment.name)}</a>' for c in chapters
        ),
        words="".join(f"<dt>{escape(word)}</dt><dd>{escape(text)}</dd>" for word, text in WORDS),
        repeated=escape(REPEATED),
        summary="".join(_summary(chapter) for chapter in chapters),
        chapters="".join(
            _chapter(chapter, paths) for chapter, paths in zip(chapters, figures, strict=True)
        ),
    )


def _gaps(chapters: Sequence[Chapter]) -> str:
    """List what is not from a full run."""
    found = report_markdown.unfinished(chapters)
    if not found:
        return ""
    items = "".join(
        f"<li><strong>{escape(c.experiment.name)}</strong>: {escape(c.remark())}.</li>"
        for c in found
    )
    return f'<div class="gaps"><p>Not from a full run:</p><ul>{items}</ul></div>'


def _badge(outcome: Outcome) -> str:
    """Return an outcome as a coloured word with a sign."""
    name, sign = _CLASSES[outcome]
    return (
        f'<span class="badge {name}"><span aria-hidden="true">{sign}</span> {outcome.value}</span>'
    )


def _summary(chapter: Chapter) -> str:
    """Return the rows of a chapter in the table of all verdicts."""
    name = chapter.experiment.name
    cells = ((f'<a href="#{name}">{escape(name)}</a>', verdict) for verdict in chapter.verdicts())
    return "".join(
        f'<tr><td data-head="experiment">{link}</td>'
        f'<td data-head="claim">{escape(verdict.claim)}</td>'
        f'<td data-head="the paper">{escape(verdict.printed)}</td>'
        f'<td data-head="measured">{escape(verdict.measured)}</td>'
        f'<td data-head="verdict">{_badge(verdict.outcome)}</td></tr>\n'
        for link, verdict in cells
    )


def _chapter(chapter: Chapter, figures: Mapping[str, Path]) -> str:
    """Return the section of an experiment."""
    experiment = chapter.experiment
    whole = "" if chapter.state is State.FULL else " gaps"
    effort = f" ({escape(chapter.effort())})" if chapter.records else ""
    body = [
        f"<h2>{escape(experiment.title)}</h2>",
        f'<p class="source">In the paper: {escape(experiment.source)}. Here: '
        f"<code>daglock reproduce {escape(experiment.name)}</code>.</p>",
        f'<p class="remark{whole}">{escape(chapter.remark())}{effort}.</p>',
        *(_figure(experiment.title, name, path) for name, path in figures.items()),
        *map(Table.to_html, chapter.tables()),
        *map(_verdict, chapter.verdicts()),
    ]
    return f'<section id="{experiment.name}">\n' + "\n".join(body) + "\n</section>\n"


def _figure(title: str, name: str, path: Path) -> str:
    """Return a figure inside the page."""
    text = path.read_text(encoding="utf-8")
    return inline(text, f"{title}: {name}", CAPTIONS.get(name, ""))


def _verdict(verdict: Verdict) -> str:
    """Return a verdict as a card."""
    return (
        f'<article class="verdict {_CLASSES[verdict.outcome][0]}"><p>{_badge(verdict.outcome)} '
        f"<strong>{escape(verdict.claim)}</strong></p>"
        f"<dl><dt>The paper</dt><dd>{escape(verdict.printed)}</dd>"
        f"<dt>Measured</dt><dd>{escape(verdict.measured)}</dd></dl>"
        f"<p>{escape(verdict.evidence.strip())}</p></article>"
    )
