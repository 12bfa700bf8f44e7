"""The benchmark as one page that needs no other file and no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

from daglock import __version__
from daglock._files import replacing
from daglock_evaluation.bench.records import Record
from daglock_evaluation.bench.report import findings_tables, setting, words
from daglock_evaluation.bench.report.checks import Check, check
from daglock_evaluation.bench.report.findings import Findings, find
from daglock_evaluation.bench.report.overview import overview
from daglock_evaluation.bench.report.plots import draw
from daglock_evaluation.bench.report.protocol import PROTOCOL
from daglock_evaluation.bench.report.summary import rows, tables
from daglock_evaluation.publish.page import inline, style, svg, template
from daglock_evaluation.publish.tables import Table

_PACKAGE = "daglock_evaluation.bench.report"
# A suite with more cases shows their tables when asked.
FEW = 3


def write_page(records: Sequence[Record], path: str | Path) -> Path:
    """Write the page of some records and return where."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = render(records)
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8", newline="\n")
    return path


def render(records: Sequence[Record]) -> str:
    """Return the page."""
    suites = setting.by_suite(records)
    found = find(records)
    better = findings_tables.tables(found)
    links = {"better": "findings", "method": "method", **{name: name for name in suites}}
    return Template(template(_PACKAGE, "bench.html")).substitute(
        style=style(_PACKAGE, "bench.css"),
        version=escape(__version__),
        facts="\n".join(
            f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in _facts(records)
        ),
        links="".join(
            f'<a href="#{escape(anchor)}">{escape(name)}</a>'
            for anchor, name in {**links, "checks": "checks"}.items()
        ),
        findings=_findings(found),
        better="\n".join(map(Table.to_html, better)),
        method=_method(records),
        suites="\n".join(_suite(name, mine) for name, mine in suites.items()),
        checks="\n".join(map(_check, check(records))),
    )


def _facts(records: Sequence[Record]) -> list[tuple[str, str]]:
    """Return what a reader wants to know first."""
    known = [
        ("Machine", "; ".join(setting.machines(records))),
        ("Versions", setting.versions_line(records)),
        ("Date", setting.dates(records)),
        ("Runs", words.count_text(len(records))),
    ]
    return [(name, text) for name, text in known if text]


def _findings(found: Findings) -> str:
    """Return in words where another method is better."""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in found.headlines())
    short = "\n".join(f"<p>{escape(sentence)}</p>" for sentence in found.summary())
    return f"{short}\n<ul>{items}</ul>" if items else short


def _method(records: Sequence[Record]) -> str:
    """Return how it was measured, and the methods."""
    items = "".join(f"<li>{escape(line)}</li>" for line in PROTOCOL)
    return f"<ul>{items}</ul>{setting.methods(records).to_html()}"


def _suite(name: str, records: Sequence[Record]) -> str:
    """Return the section of a suite."""
    each = tables(records)
    body = "\n".join(map(Table.to_html, each))
    shown = " open" if len(each) <= FEW else ""
    parts = [
        f"<h2>{escape(words.title_of(name))}</h2>",
        f'<p class="source">Suite <code>{escape(name)}</code>: {escape(setting.effort(records))}'
        "</p>",
        *(inline(svg(one.figure), one.title, f"{one.title}. {one.note}") for one in draw(records)),
        *map(Table.to_html, overview(rows(records))),
        f"<details{shown}><summary>All measures, case by case ({len(each)})</summary>\n{body}\n"
        "</details>",
    ]
    return f'<section id="{escape(name)}">\n' + "\n".join(parts) + "\n</section>"


def _check(one: Check) -> str:
    """Return a check as an item."""
    return f'<li class="{"holds" if one.holds else "fails"}">{escape(str(one))}</li>'
