"""The document: what is better comes first, and nothing that was run is missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from benchmark.sample import over, record, runs, without_result
from daglock_evaluation.benchmark.document import write_document
from daglock_evaluation.benchmark.runs import rows
from daglock_evaluation.benchmark.tables import overview
from daglock_evaluation.harness.tables import Table


def records() -> list[dict[str, Any]]:
    made = []
    for d in (10, 20, 50):
        made += runs("daglock", [5, 5], d=d, cpu_seconds=0.06, cpdag_shd=4)
        made += runs("dagma", [0, 3], d=d, cpu_seconds=2.0)
        made += runs("flop-20", [2, 2], d=d)
        if d < 50:
            made += runs("ges", [2, 3], d=d)
        else:
            made += [over("ges", 0, d=d), over("ges", 1, d=d)]
    made += [without_result("pc", "not run", "over 60 s at d=10, n=1000", d=20)]
    return [*made, *runs("daglock", [1], suite="real", family="A_b |c|", d=11)]


def lines_of(text: str, method: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(f"| {method} |")]


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    images = folder / "img" / "benchmarks"
    images.mkdir(parents=True)
    (images / "of-an-earlier-run.svg").write_text("old")
    write_document(records(), folder)
    return folder


@pytest.fixture(scope="module")
def text(docs: Path) -> str:
    return (docs / "benchmarks.md").read_text(encoding="utf-8")


def test_a_method_over_the_limit_has_a_row(text: str) -> None:
    assert "| GES | 2.5 ± 6.4 / 1 s | 2.5 ± 6.4 / 1 s | > 60 s |" in lines_of(text, "GES")
    assert "| PC | – | not run | – |" in lines_of(text, "PC")
    assert "| daglock | 4 / 0.06 s | 4 / 0.06 s | 4 / 0.06 s |" in lines_of(text, "daglock")
    # Directions are in a table of their own, of the methods that return a DAG.
    assert "| daglock | 5 | 5 | 5 |" in lines_of(text, "daglock")
    assert "| DAGMA | 1.5 ± 19.1 | 1.5 ± 19.1 | 1.5 ± 19.1 |" in lines_of(text, "DAGMA")
    assert not [line for line in lines_of(text, "GES") if line.startswith("| GES | 2.5 ± 6.4 |")]


def test_what_is_better_comes_first(text: str) -> None:
    heads = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert heads == [
        "Where another package is better",
        "How it was measured",
        "Equal variances, raw data",
        "Sachs: protein signalling",
        "Checks of the records",
    ]
    assert "**More accurate than daglock**" in text
    assert len(lines_of(text, "equal")) >= 6  # methods on three cases
    assert "In 3 of 4 cases another method is more accurate than daglock" in text


def test_links_and_figures_are_there(docs: Path, text: str) -> None:
    shown = re.findall(r"\]\((img/[^)]*)\)", text)
    assert shown
    assert {docs / name for name in shown} == set((docs / "img" / "benchmarks").iterdir())
    anchors = {
        re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-")
        for head in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]*)\)", text)) <= anchors


def test_the_circumstances_are_told(text: str) -> None:
    assert "Pentium, 2 cores, 4 GB, Linux x86\\_64" in text
    assert "3 cases, 5 methods, 2 seeds a case; limits of a run: 60 s and 8 GB" in text
    assert "22 of 25 runs came to an end (2 over the time limit, 1 not run)." in text
    assert "A\\_b \\|c\\|" in text
    assert all(line.count(" | ") == 5 for line in lines_of(text, "DAGMA") if "dagma" in line)


def test_the_same_records_give_the_same_bytes(docs: Path, tmp_path: Path) -> None:
    for path in write_document(records(), tmp_path):
        assert path.read_bytes() == (docs / path.relative_to(tmp_path)).read_bytes()


def test_tables_of_a_suite() -> None:
    found = rows([record for record in records() if record["suite"] == "equal"])
    family, directed, other = overview(found)
    assert family.title == "ER1 ±[0.5,1], n = 1000: CPDAG-SHD / seconds"
    assert family.rows[0] == ["method", "d = 10", "d = 20", "d = 50"]
    assert [row[0] for row in directed.rows[1:]] == ["daglock", "DAGMA"]
    # The largest size at which the most methods have a result.
    assert other.title == "Other measures, ER1 ±[0.5,1] d=20 n=1000"
    assert [row[0] for row in other.rows[1:]] == ["daglock", "DAGMA", "FLOP, 20 restarts", "GES"]


def test_partial_results_say_so() -> None:
    found = rows(
        [
            *runs("dagma", [4, 4], target="class"),
            record("dagma", 2, 4, target="class", cpdag_shd=None, is_dag=False),
            record("notears", 0, 4, target="class", cpdag_shd=None, is_dag=False),
            *(over("ges", seed, target="class") for seed in (0, 1)),
            record("ges", 2, 3, target="class"),
        ]
    )
    table = overview(found)[0]
    assert isinstance(table, Table)
    cells = {row[0]: row[1] for row in table.rows}
    assert table.rows[0][1] == "ER1 ±[0.5,1] d=20 n=1000"
    assert cells["DAGMA"] == "4 / 1 s (2 of 3)"
    assert cells["NOTEARS"] == "cyclic / 1 s"
    assert cells["GES"] == "3 / > 60 s (1 of 3)"
    assert "Cyclic:" in table.note
