"""The report as a Markdown text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from daglock_evaluation.experiments.captions import CAPTIONS
from daglock_evaluation.experiments.chapter import Chapter, State
from daglock_evaluation.experiments.experiment import Outcome, Verdict
from daglock_evaluation.experiments.words import REPEATED, WORDS
from daglock_evaluation.publish.tables import anchor, escape, markdown_rows

INTRODUCTION = """\
Every table, figure and claim of the SPG-AHOC paper (Wu and Li) beside what was measured here, with
a verdict. The paper's algorithm is built as it is printed; where it fails, its failure is a result.
A verdict is a rule on the measured numbers, and the numbers in this text come from the records:

    daglock reproduce list               the experiments, and what is recorded of them
    daglock reproduce all --quick        all of them on small cases, in under ten minutes
    daglock reproduce sparse             one of them in full; it goes on where it stopped
    daglock reproduce report             this text, and a page that needs no other file

*Confirmed* means that nothing was found against the claim, *confirmed with a correction* that it
holds under a condition or with a number that the paper does not give, *not confirmed* that the
measurement says otherwise."""


def render(chapters: Sequence[Chapter], figures: Sequence[Mapping[str, str]]) -> str:
    """Return the whole text; `figures` has the addresses of each chapter's figures by name."""
    words = "\n".join(f"- **{escape(word)}**: {escape(text)}" for word, text in WORDS)
    parts = ["# The paper's claims, measured", INTRODUCTION, REPEATED, "## Words and signs", words]
    parts += ["## Summary", counts(chapters)]
    gaps = [f"- **{c.experiment.name}**: {escape(c.remark())}." for c in unfinished(chapters)]
    if gaps:
        parts.append("Not from a full run:\n\n" + "\n".join(gaps))
    rows = [["experiment", "claim", "the paper", "measured", "verdict"]]
    for chapter in chapters:
        name = chapter.experiment.name
        link = f"[{name}](#{anchor(heading(chapter))})"
        rows += [
            [link, *map(escape, (v.claim, v.printed, v.measured)), f"**{v.outcome.value}**"]
            for v in chapter.verdicts()
        ]
    parts.append(markdown_rows(rows))
    for chapter, links in zip(chapters, figures, strict=True):
        parts.append(render_chapter(chapter, links, level=2).strip())
    return "\n\n".join(parts) + "\n"


def render_chapter(chapter: Chapter, figures: Mapping[str, str], *, level: int) -> str:
    """Return the text of one experiment."""
    experiment = chapter.experiment
    parts = [
        f"{'#' * level} {heading(chapter)}",
        f"In the paper: {escape(experiment.source)}. Here: `daglock reproduce {experiment.name}`.",
        f"{escape(chapter.remark())} ({escape(chapter.effort())}).",
    ]
    if not chapter.records:
        parts.pop()
        parts.append(f"**{escape(chapter.remark())}.**")
    for name, link in figures.items():
        parts.append(f"![{escape(experiment.title)}: {name}]({link})")
        if name in CAPTIONS:
            parts.append(f"*{escape(CAPTIONS[name])}*")
    parts += [table.to_markdown() for table in chapter.tables()]
    parts += [_verdict(verdict) for verdict in chapter.verdicts()]
    return "\n\n".join(parts) + "\n"


def heading(chapter: Chapter) -> str:
    """Return the heading of a chapter."""
    return escape(chapter.experiment.title)


def counts(chapters: Sequence[Chapter]) -> str:
    """Count the verdicts.

    Examples
    --------
    >>> counts([])
    '0 claims: 0 confirmed, 0 confirmed with a correction, 0 not confirmed.'
    """
    found = Counter(verdict.outcome for chapter in chapters for verdict in chapter.verdicts())
    each = ", ".join(f"{found[outcome]} {outcome.value}" for outcome in Outcome)
    return f"{found.total()} claims: {each}."


def unfinished(chapters: Sequence[Chapter]) -> list[Chapter]:
    """Return the chapters that are not from a full run."""
    return [chapter for chapter in chapters if chapter.state is not State.FULL]


def _verdict(verdict: Verdict) -> str:
    """Return a verdict as a paragraph."""
    return (
        f"**{verdict.outcome.value.capitalize()}.** {escape(verdict.claim)} "
        f"*The paper:* {escape(verdict.printed)}. *Measured:* {escape(verdict.measured)}. "
        f"{escape(verdict.evidence)}"
    )
