"""The page: complete, escaped, and readable in a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests.report.driver import Page, chromium

from benchmark.sample import over, record, runs, without_result
from daglock_evaluation.benchmark.document import render_page as render
from daglock_evaluation.benchmark.document import write_page

HOSTILE = "<script>alert(1)</script> & <b>"


def records() -> list[dict[str, Any]]:
    made = []
    for d in (10, 20, 50):
        made += runs("daglock", [5, 5], d=d)
        made += runs("dagma", [1, 1], d=d, cpu_seconds=2.0)
        made += [over("ges", 0, d=d), without_result("pc", "failed", HOSTILE, d=d)]
    made += [without_result("daglock", HOSTILE, HOSTILE, suite=HOSTILE)]
    return [*made, record("daglock", suite="real", family=HOSTILE, d=11)]


def test_page_needs_nothing_and_escapes_everything(tmp_path: Path) -> None:
    page = write_page(records(), tmp_path / "new" / "bench.html").read_text()
    assert "<script" not in page
    assert "<b>" not in page
    assert page.count("&lt;script&gt;") >= 4
    assert set(re.findall(r'(?:src|href)="([a-z]+:|#)', page)) == {"data:", "#"}
    assert "@import" not in page
    assert "url(" not in page
    assert "default-src 'none'" in page
    assert page.count("<figure>") == 2
    assert "$" not in re.sub(r"data:image[^\"]*", "", page)


def test_page_says_what_was_run_and_what_is_better() -> None:
    page = render(records())
    assert "Pentium, 2 cores, 4 GB, Linux x86_64" in page
    assert "Python 3.11.7, daglock 0.1.0, NumPy 2.4.6, SciPy 1.17.1" in page
    assert "2026-01-02" in page
    better = page.index("DAGMA is more accurate than daglock")
    assert page.index("Where another package is better") < better < page.index("How it was")
    assert page.index("How it was measured") < page.index("Suite <code>equal</code>")
    assert "over 60 s" in page
    assert "&gt; 60 s" in page


def test_suites_are_in_their_usual_order() -> None:
    mixed = [record("daglock", suite=name) for name in ("of my own", "real", "equal", "paper")]
    found = re.findall(r"Suite <code>([^<]*)</code>", render(mixed))
    assert found == ["paper", "equal", "real", "of my own"]


@pytest.mark.browser
def test_page_in_a_browser(tmp_path: Path) -> None:
    file = write_page(records(), tmp_path / "bench.html")
    with chromium(tmp_path / "profile") as browser:
        for width in (1280, 420):
            browser.set_window_size(width, 900)
            page = Page(browser, file)
            page.run("for (const one of document.querySelectorAll('details')) one.open = true")
            assert page.severe() == []
            assert page.requests() == [page.address]
            # Wide tables scroll by themselves, the page does not.
            assert page.run("return document.documentElement.scrollWidth <= innerWidth")
            assert page.run(
                "return [...document.images].every(i => i.complete && i.naturalWidth > 100)"
            )
