"""What people see of the benchmark, from records alone: a page, and ``docs/benchmarks.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape as to_html
from math import log
from pathlib import Path

from daglock.criteria import default_gamma
from daglock_evaluation.benchmark import setting
from daglock_evaluation.benchmark.answers import answers
from daglock_evaluation.benchmark.findings import find
from daglock_evaluation.benchmark.plots import Drawing, draw
from daglock_evaluation.benchmark.run import COLUMNS, LEAST, PATIENCE, SEEDS
from daglock_evaluation.benchmark.runs import Record, rows
from daglock_evaluation.benchmark.suites import title_of
from daglock_evaluation.benchmark.tables import overview, tables
from daglock_evaluation.harness.figures import svg
from daglock_evaluation.harness.numbers import count_text
from daglock_evaluation.harness.page import fill, inline, items, links, page, terms, write
from daglock_evaluation.harness.store import dates
from daglock_evaluation.harness.tables import Table, anchor, bullets, escape, markdown_rows
from daglock_evaluation.harness.worker import ENOUGH, REPEATS, WARM_COLUMNS

TITLE = "daglock beside other packages"
TEXT, IMAGES = "benchmarks.md", Path("img") / "benchmarks"
# A suite with more cases shows their tables when asked.
FEW = 3


def write_document(records: Sequence[Record], docs: str | Path) -> list[Path]:
    """Write the text and its figures into a folder of documents, and return what was written.

    Figures of an earlier text that this one does not show are removed.
    """
    images = Path(docs) / IMAGES
    drawings = {
        name: draw(mine, all_parts=False) for name, mine in setting.by_suite(records).items()
    }
    written = [
        write(images / f"{drawing.name}.svg", svg(drawing.figure))
        for group in drawings.values()
        for drawing in group
    ]
    for stale in set(images.glob("*.svg")) - set(written):
        stale.unlink()
    return [write(Path(docs) / TEXT, render_text(records, drawings)), *written]


def render_text(records: Sequence[Record], drawings: Mapping[str, Sequence[Drawing]]) -> str:
    """Return the text; `drawings` has the figures of each suite."""
    suites, found = setting.by_suite(records), find(records)
    better = [escape(" ".join(found.summary())), bullets(found.headlines())]
    better += map(Table.to_markdown, found.tables())
    contents = [["suite", "name", "what was run"]]
    sections = []
    for name, mine in suites.items():
        title, effort = title_of(name), escape(setting.effort(mine))
        contents.append([f"[{escape(title)}](#{anchor(title)})", f"`{name}`", effort])
        sections += [f"## {escape(title)}", f"Suite `{name}`: {effort}"]
        sections += map(_figure, drawings.get(name, ()))
        sections += map(Table.to_markdown, [*overview(rows(mine)), *answers(mine)])
    checks = [(escape(str(one)), "" if one.holds else "**") for one in setting.check(records)]
    methods = setting.methods(records).rows
    return fill(
        TEXT,
        machine=escape("; ".join(setting.machines(records))),
        versions=escape(setting.versions_line(records)),
        date=dates(records),
        suites=markdown_rows(contents),
        findings="\n\n".join(filter(None, better)),
        protocol=bullets(_protocol(records)),
        methods=markdown_rows([[escape(c).replace("\\`", "`") for c in row] for row in methods]),
        sections="\n\n".join(sections),
        checks="\n".join(f"- {bold}{line}{bold}" for line, bold in checks),
    )


def _figure(drawing: Drawing) -> str:
    """Return a figure with its caption."""
    address = (IMAGES / f"{drawing.name}.svg").as_posix()
    title = escape(drawing.title)
    return f"![{title}]({address})\n\n*{title}.* {escape(drawing.note)}"


def write_page(records: Sequence[Record], path: str | Path) -> Path:
    """Write the page of some records and return where."""
    return write(Path(path), render_page(records))


def render_page(records: Sequence[Record]) -> str:
    """Return the page."""
    suites, found = setting.by_suite(records), find(records)
    facts = {
        "Machine": "; ".join(setting.machines(records)),
        "Versions": setting.versions_line(records),
        "Date": dates(records),
        "Runs": count_text(len(records)),
    }
    places = {"better": "findings", "method": "method", **{name: name for name in suites}}
    short = "\n".join(f"<p>{to_html(sentence)}</p>" for sentence in found.summary())
    headlines = items(found.headlines())
    return page(
        "benchmark",
        TITLE,
        facts=terms(((name, text) for name, text in facts.items() if text), "\n"),
        links=links({**places, "checks": "checks"}),
        findings=f"{short}\n<ul>{headlines}</ul>" if headlines else short,
        better="\n".join(map(Table.to_html, found.tables())),
        method=f"<ul>{items(_protocol(records))}</ul>{setting.methods(records).to_html()}",
        suites="\n".join(_section(name, mine) for name, mine in suites.items()),
        checks="\n".join(
            f'<li class="{"holds" if one.holds else "fails"}">{to_html(str(one))}</li>'
            for one in setting.check(records)
        ),
    )


def _section(name: str, records: Sequence[Record]) -> str:
    """Return the section of a suite on the page."""
    each = tables(records)
    body = "\n".join(map(Table.to_html, each))
    shown = " open" if len(each) <= FEW else ""
    parts = [
        f"<h2>{to_html(title_of(name))}</h2>",
        f'<p class="source">Suite <code>{to_html(name)}</code>: '
        f"{to_html(setting.effort(records))}</p>",
        *(inline(svg(one.figure), one.title, f"{one.title}. {one.note}") for one in draw(records)),
        *map(Table.to_html, [*overview(rows(records)), *answers(records)]),
        f"<details{shown}><summary>All measures, case by case ({len(each)})</summary>\n{body}\n"
        "</details>",
    ]
    return f'<section id="{to_html(name)}">\n' + "\n".join(parts) + "\n</section>"


def _protocol(records: Sequence[Record]) -> list[str]:
    """Return how the benchmark is measured, a paragraph each."""
    text = fill(
        "protocol.txt",
        patience=f"{PATIENCE:g}",
        least=str(LEAST),
        prices=_prices(records),
        warm_columns=str(WARM_COLUMNS),
        enough=f"{ENOUGH:g}",
        repeats=str(REPEATS),
        graphs=str(len(SEEDS)),
        columns=str(COLUMNS),
    )
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def _prices(records: Sequence[Record]) -> str:
    """Say how many times the price of BIC daglock charges for an edge by default.

    Examples
    --------
    >>> _prices([{"n": 1000, "d": 20}]), _prices([{"n": 1000, "d": 20}, {"n": 200, "d": 50}])
    ('2.4', '2.4 to 3.8')
    """
    sizes = {(record["n"], record["d"]) for record in records}
    times = sorted(1.0 + 4.0 * default_gamma(n, d) * log(d) / log(n) for n, d in sizes)
    return " to ".join(dict.fromkeys(f"{one:.1f}" for one in (times[0], times[-1])))
