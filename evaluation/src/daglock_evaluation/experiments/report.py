"""The report of the reproduction: one page, one text in Markdown, the figures beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape as to_html
from pathlib import Path

from daglock_evaluation.experiments.chapter import Chapter, State, load_chapters
from daglock_evaluation.experiments.experiment import Outcome, Verdict
from daglock_evaluation.experiments.registry import NAMES
from daglock_evaluation.experiments.words import CAPTIONS, REPEATED, WORDS
from daglock_evaluation.harness.figures import save
from daglock_evaluation.harness.page import fill, inline, links, page, terms, write
from daglock_evaluation.harness.tables import Table, anchor, escape, markdown_rows

TITLE = "The paper's claims, measured"
PAGE, TEXT, IMAGES = "reproduction.html", "reproduction.md", Path("img") / "reproduction"
_LOOKS = {
    Outcome.CONFIRMED: ("yes", "✓"),
    Outcome.CORRECTED: ("partly", "≈"),
    Outcome.NOT_CONFIRMED: ("no", "✗"),
    Outcome.UNDECIDED: ("open", "?"),
}


def write_report(
    folder: str | Path, docs: str | Path | None = None, *, names: Sequence[str] = NAMES
) -> list[Path]:
    """Assemble the report from the records in ``folder/records`` and return what was written.

    `folder` gets the page, which needs no other file, and below ``img/reproduction`` the figures;
    `docs`, or else `folder`, the text and the figures that it shows.
    """
    folder = Path(folder)
    text_folder = folder if docs is None else Path(docs)
    chapters = load_chapters(folder, names)
    drawn = [draw(chapter, folder / IMAGES) for chapter in chapters]
    if docs is not None:
        for path in (path for paths in drawn for path in paths.values()):
            write(text_folder / IMAGES / path.name, path.read_text(encoding="utf-8"))
    text = render_text(chapters, [_addresses(paths) for paths in drawn])
    return [
        write(folder / PAGE, render_page(chapters, drawn)),
        write(text_folder / TEXT, text),
    ]


def write_chapter(chapter: Chapter, folder: Path) -> list[Path]:
    """Write the figures, tables and verdicts of one experiment, to look at as they come."""
    drawn = draw(chapter, folder / IMAGES)
    text = render_chapter(chapter, _addresses(drawn), level=1)
    return [write(folder / f"{chapter.experiment.name}.md", text), *drawn.values()]


def draw(chapter: Chapter, images: Path) -> dict[str, Path]:
    """Save the figures of a chapter and return where, by name."""
    figures = chapter.figures()
    for name, figure in figures.items():
        save(figure, images, name)
    return {name: images / f"{name}.svg" for name in figures}


def _addresses(drawn: Mapping[str, Path]) -> dict[str, str]:
    """Return the addresses of figures as the text has them."""
    return {name: (IMAGES / path.name).as_posix() for name, path in drawn.items()}


def counts(chapters: Sequence[Chapter]) -> str:
    """Count the verdicts.

    Examples
    --------
    >>> counts([])
    '0 claims: 0 confirmed, 0 confirmed with a correction, 0 not confirmed, 0 undecided.'
    """
    found = Counter(verdict.outcome for chapter in chapters for verdict in chapter.verdicts())
    each = ", ".join(f"{found[outcome]} {outcome.value}" for outcome in Outcome)
    return f"{found.total()} claims: {each}."


def _gaps(chapters: Sequence[Chapter]) -> list[tuple[str, str]]:
    """Return what is not from a full run: the experiment, and what it is."""
    found = [chapter for chapter in chapters if chapter.state is not State.FULL]
    return [(chapter.experiment.name, f"{chapter.remark()}.") for chapter in found]


def render_text(chapters: Sequence[Chapter], figures: Sequence[Mapping[str, str]]) -> str:
    """Return the whole text; `figures` has the addresses of each chapter's figures by name."""
    gaps = "\n".join(f"- **{name}**: {escape(text)}" for name, text in _gaps(chapters))
    rows = [["number", "claim", "the paper", "measured", "verdict"]]
    for chapter in chapters:
        target = anchor(escape(chapter.experiment.title))
        rows += [
            [
                f"[{escape(chapter.number(v))}](#{target})",
                *map(escape, (v.claim, v.printed, v.measured)),
                f"**{v.outcome.value}**",
            ]
            for v in chapter.verdicts()
        ]
    missing = [f"Not from a full run:\n\n{gaps}"] if gaps else []
    each = zip(chapters, figures, strict=True)
    return fill(
        TEXT,
        repeated=REPEATED,
        words="\n".join(f"- **{escape(word)}**: {escape(text)}" for word, text in WORDS.items()),
        summary="\n\n".join([counts(chapters), *missing, markdown_rows(rows)]),
        chapters="\n\n".join(render_chapter(c, found, level=2).strip() for c, found in each),
    )


def render_chapter(chapter: Chapter, figures: Mapping[str, str], *, level: int) -> str:
    """Return the text of one experiment."""
    experiment, remark = chapter.experiment, escape(chapter.remark())
    parts = [
        f"{'#' * level} {escape(experiment.title)}",
        f"In the paper: {escape(experiment.source)}. Here: `daglock reproduce {experiment.name}`.",
        f"{remark} ({escape(chapter.effort())})." if chapter.records else f"**{remark}.**",
    ]
    for name, address in figures.items():
        parts.append(f"![{escape(experiment.title)}: {name}]({address})")
        if name in CAPTIONS:
            parts.append(f"*{escape(CAPTIONS[name])}*")
    parts += [table.to_markdown() for table in chapter.tables()]
    parts += [
        f"**{escape(chapter.number(v))}, {v.outcome.value}.** {escape(v.claim)} *The paper:* "
        f"{escape(v.printed)}. "
        f"*Measured:* {escape(v.measured)}. {escape(v.evidence)}"
        for v in chapter.verdicts()
    ]
    return "\n\n".join(parts) + "\n"


def render_page(chapters: Sequence[Chapter], figures: Sequence[Mapping[str, Path]]) -> str:
    """Return the page; `figures` has each chapter's SVG files by name."""
    gaps = "".join(
        f"<li><strong>{to_html(name)}</strong>: {to_html(text)}</li>"
        for name, text in _gaps(chapters)
    )
    listed = f'<div class="gaps"><p>Not from a full run:</p><ul>{gaps}</ul></div>' if gaps else ""
    each = zip(chapters, figures, strict=True)
    return page(
        "reproduction",
        TITLE,
        counts=to_html(counts(chapters)),
        gaps=listed,
        links="".join(links({c.experiment.name: c.experiment.name}) for c in chapters),
        words=terms(WORDS.items()),
        repeated=to_html(REPEATED),
        summary="".join(_summary_rows(chapter) for chapter in chapters),
        chapters="".join(_section(chapter, paths) for chapter, paths in each),
    )


def _badge(outcome: Outcome) -> str:
    """Return an outcome as a coloured word with a sign."""
    name, sign = _LOOKS[outcome]
    return (
        f'<span class="badge {name}"><span aria-hidden="true">{sign}</span> {outcome.value}</span>'
    )


def _summary_rows(chapter: Chapter) -> str:
    """Return the rows of a chapter in the table of all verdicts."""
    name = chapter.experiment.name
    rows = [
        {
            "number": links({name: chapter.number(verdict)}),
            "claim": to_html(verdict.claim),
            "the paper": to_html(verdict.printed),
            "measured": to_html(verdict.measured),
            "verdict": _badge(verdict.outcome),
        }
        for verdict in chapter.verdicts()
    ]
    cells = ("".join(f'<td data-head="{k}">{v}</td>' for k, v in row.items()) for row in rows)
    return "".join(f"<tr>{row}</tr>\n" for row in cells)


def _section(chapter: Chapter, figures: Mapping[str, Path]) -> str:
    """Return the section of an experiment on the page."""
    experiment = chapter.experiment
    whole = "" if chapter.state is State.FULL else " gaps"
    effort = f" ({to_html(chapter.effort())})" if chapter.records else ""
    body = [
        f"<h2>{to_html(experiment.title)}</h2>",
        f'<p class="source">In the paper: {to_html(experiment.source)}. Here: '
        f"<code>daglock reproduce {to_html(experiment.name)}</code>.</p>",
        f'<p class="remark{whole}">{to_html(chapter.remark())}{effort}.</p>',
        *(
            inline(p.read_text(encoding="utf-8"), f"{experiment.title}: {k}", CAPTIONS.get(k, ""))
            for k, p in figures.items()
        ),
        *map(Table.to_html, chapter.tables()),
        *(_card(chapter.number(verdict), verdict) for verdict in chapter.verdicts()),
    ]
    return f'<section id="{experiment.name}">\n' + "\n".join(body) + "\n</section>\n"


def _card(number: str, verdict: Verdict) -> str:
    """Return a verdict as a card."""
    facts = (("The paper", verdict.printed), ("Measured", verdict.measured))
    return (
        f'<article class="verdict {_LOOKS[verdict.outcome][0]}"><p>{to_html(number)} '
        f"{_badge(verdict.outcome)} <strong>{to_html(verdict.claim)}</strong></p>"
        f"<dl>{terms(facts)}</dl><p>{to_html(verdict.evidence.strip())}</p></article>"
    )
