"""Take the picture of the report that the README shows.

Run ``python -m tests.report.screenshot docs/img/report.png``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from daglock import DAGLock, Knowledge
from daglock.datasets import load_sachs
from daglock.report.html import write_report
from daglock.table import Table
from tests.report.driver import Page, chromium


def main(picture: str) -> None:
    """Learn, write the report, click on a variable, take the picture."""
    sachs = load_sachs("observational")
    known = Knowledge(tiers=[["PKC", "PKA"], ["Raf"], ["Mek"], ["Erk"]], leaves=["Akt"])
    model = DAGLock(knowledge=known, random_state=0)
    model.fit(Table(sachs.data, sachs.names))
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder) / "profile") as browser:
        title = "Protein signalling in 853 cells"
        page = Page(browser, write_report(model, Path(folder) / "report.html", title=title))
        page.click(page.node(model.names_.index("PKA")))
        page.run("scrollTo(0, 0)")
        page.point_at(5, 5)  # no tooltip
        browser.save_screenshot(picture)


if __name__ == "__main__":
    main(sys.argv[1])
