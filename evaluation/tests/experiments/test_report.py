"""The report: what it says of each state, what it escapes, and how it looks in a browser."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.report.driver import Page, chromium

from daglock_evaluation.experiments import chapter, records
from daglock_evaluation.experiments.chapter import Chapter, State, load_chapter, load_chapters
from daglock_evaluation.experiments.experiment import (
    Case,
    Experiment,
    Outcome,
    Record,
    Result,
    Verdict,
)
from daglock_evaluation.experiments.report import (
    counts,
    render_chapter,
    render_page,
    render_text,
    write_chapter,
    write_report,
)
from daglock_evaluation.experiments.words import CAPTIONS
from daglock_evaluation.harness.tables import Table, escape

ROOT = Path(__file__).parents[3]
HOSTILE = "<script>alert(1)</script> |W|_F `x` *y* [z](http://a)"


def cases(quick: bool) -> Sequence[Case]:
    return [{"k": k} for k in range(2 if quick else 6)]


def run(case: Case) -> Result:
    return {"square": case["k"] ** 2}


def tables(found: Sequence[Record]) -> Sequence[Table]:
    body = [[f"{record.case['k']} <b>", str(record.result["square"])] for record in found]
    return [Table(HOSTILE, [["k", HOSTILE], *body], HOSTILE)]


def figures(found: Sequence[Record]) -> Mapping[str, Any]:
    from daglock_evaluation.harness.figures import panels

    figure, (ax,) = panels(1)
    ax.plot([record.case["k"] for record in found], [record.result["square"] for record in found])
    return {"squares": figure}


def verdicts(found: Sequence[Record]) -> Sequence[Verdict]:
    outcome = Outcome.CONFIRMED if len(found) > 2 else Outcome.NOT_CONFIRMED
    return [Verdict(f"Squares. {HOSTILE}", HOSTILE, str(len(found)), outcome, "Counted. ", 7)]


SQUARES = Experiment("squares", HOSTILE, HOSTILE, cases, run, tables, figures, verdicts)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(chapter, "get", lambda name: SQUARES)
    (tmp_path / "records").mkdir()
    return tmp_path


def record(folder: Path, ks: Sequence[int]) -> Chapter:
    for k in ks:
        case = {"k": k}
        records.append(folder / "records" / "squares.jsonl", Record(case, run(case), 30.0))
    return load_chapter(SQUARES, folder)


@pytest.mark.parametrize(
    ("ks", "state", "shown", "words"),
    [
        ([], State.MISSING, 0, "Not run yet: daglock reproduce squares"),
        ([1], State.PARTIAL, 1, "Unfinished run, 1 of 6 cases"),
        ([0, 1], State.QUICK, 2, "Quick run, 2 small cases"),
        ([0, 1, 2], State.PARTIAL, 3, "Unfinished run, 3 of 6 cases"),
        (range(5), State.PARTIAL, 5, "Unfinished run, 5 of 6 cases"),
        (range(6), State.FULL, 6, "Full run, 6 cases"),
    ],
)
def test_states(folder: Path, ks: Sequence[int], state: State, shown: int, words: str) -> None:
    found = record(folder, ks)
    assert (found.state, len(found.records)) == (state, shown)
    assert words in found.remark()
    for text in (path.read_text() for path in write_report(folder, names=["squares"])):
        assert words in text
        assert ("Not from a full run" in text) == (state is not State.FULL)


def test_records_of_other_cases_are_not_shown(folder: Path) -> None:
    assert record(folder, [0, 1, 77]).state is State.QUICK
    assert len(load_chapter(SQUARES, folder).records) == 2


def test_effort_adds_up(folder: Path) -> None:
    found = record(folder, range(6))
    assert found.effort().startswith("3 min of one core; daglock ")
    assert "numpy" in found.effort()
    records.append(folder / "records" / "squares.jsonl", Record({"k": 0}, run({"k": 0})))
    assert load_chapter(SQUARES, folder).effort().startswith("2 min of one core for 5 of the cases")


def test_page_needs_nothing_and_escapes_everything(folder: Path) -> None:
    record(folder, range(6))
    page = write_report(folder, names=["squares"])[0].read_text()
    assert "<script" not in page
    assert "<b>" not in page
    assert "5 &lt;b&gt;" in page
    assert page.count("&lt;script&gt;") >= 8
    assert set(re.findall(r'(?:src|href)="([a-z]+:|#)', page)) == {"data:", "#"}
    assert "@import" not in page
    assert "url(" not in page
    assert "default-src 'none'" in page


def test_text_escapes_what_markdown_would_read(folder: Path) -> None:
    text = render_chapter(record(folder, range(6)), {"squares": "img/squares.svg"}, level=2)
    assert "<script" not in text.replace("\\<script", "")
    assert "![" in text
    assert "](img/squares.svg)" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}
    assert escape("a_b") == r"a\_b"


def test_every_verdict_is_in_the_summary(folder: Path) -> None:
    record(folder, range(6))
    _, path = write_report(folder, names=["squares", "squares"])
    text = path.read_text()
    counted = "2 claims: 2 confirmed, 0 confirmed with a correction, 0 not confirmed, 0 undecided."
    assert counted in text
    assert "| [squares.7](#" in text
    assert "**squares.7, confirmed.** Squares." in text
    summary = text.split("## Summary")[1].split("\n## ")[0]
    assert summary.count("**confirmed**") == 2
    assert counts([]).startswith("0 claims")


def test_captions_are_below_their_figures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CAPTIONS, "squares", HOSTILE)
    record(folder, range(6))
    page, text = (path.read_text() for path in write_report(folder, names=["squares"]))
    assert page.count(f"<figcaption>{html.escape(HOSTILE)}</figcaption></figure>") == 1
    assert f"squares.svg)\n\n*{escape(HOSTILE)}*\n" in text


def test_documents_get_the_text_and_its_figures(folder: Path) -> None:
    record(folder, range(6))
    page, text = write_report(folder, folder / "docs", names=["squares"])
    assert page == folder / "reproduction.html"
    assert text == folder / "docs" / "reproduction.md"
    for link in re.findall(r"\]\((img[^)]+)\)", text.read_text()):
        assert (text.parent / link).exists()
    assert not list((folder / "docs").rglob("*.png"))
    assert (folder / "img" / "reproduction" / "squares.png").exists()


def test_same_records_same_bytes(folder: Path) -> None:
    record(folder, range(6))
    first = [path.read_bytes() for path in write_report(folder, names=["squares"])]
    second = [path.read_bytes() for path in write_report(folder, names=["squares"])]
    assert first == second


def test_a_chapter_by_itself(folder: Path) -> None:
    written = write_chapter(record(folder, range(6)), folder)
    assert [path.name for path in written] == ["squares.md", "squares.svg"]
    assert all(path.exists() for path in written)


def test_pages_of_all_outcomes_differ(folder: Path) -> None:
    quick, full = record(folder, [0, 1]), record(folder, range(6))
    assert 'class="verdict no"' in render_page([quick], [{}])
    assert 'class="verdict yes"' in render_page([full], [{}])


@pytest.mark.browser
def test_in_a_browser_at_the_width_of_a_phone(folder: Path, tmp_path: Path) -> None:
    record(folder, range(6))
    page = write_report(folder, names=["squares"])[0]
    with chromium(tmp_path / "profile") as browser:
        for width in (390, 1200):
            browser.set_window_size(width, 900)
            opened = Page(browser, page)
            size = opened.run("return [document.documentElement.scrollWidth, window.innerWidth]")
            assert size[0] <= size[1]
            assert opened.run("return document.images[0].naturalWidth") > 100
            assert opened.run("return document.querySelectorAll('.badge').length") == 2


def test_document_is_that_of_the_records() -> None:
    document = ROOT / "docs" / "reproduction.md"
    assert document.exists()
    chapters = load_chapters(ROOT / "reproduction")
    links = [
        {name: f"img/reproduction/{name}.svg" for name in chapter.figures()} for chapter in chapters
    ]
    drawn = {name for found in links for name in found}
    assert drawn == set(CAPTIONS)
    assert drawn == {path.stem for path in (document.parent / "img/reproduction").iterdir()}
    assert render_text(chapters, links) == document.read_text(encoding="utf-8"), (
        "write it again: daglock reproduce report --out reproduction"
    )
