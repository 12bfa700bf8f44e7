"""docs/benchmarks-real.md is what the committed records say, and these are of what there is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from daglock.confidence.calibration import shipped
from daglock.confidence.confidence import NOT_RELIED_ON
from daglock_evaluation.calibration import fitting
from daglock_evaluation.calibration.contenders import CONTENDERS, OURS, PAIR
from daglock_evaluation.calibration.directions import figure, text
from daglock_evaluation.calibration.excerpt import excerpt
from daglock_evaluation.calibration.gathering import recorded
from daglock_evaluation.calibration.ours import CONFIDENCE, FITTED, IDENTIFIED, OPINION, judged
from daglock_evaluation.calibration.statements import Records, load
from daglock_evaluation.calibration.tables import declared
from daglock_evaluation.harness import sweep
from daglock_evaluation.harness.store import grouped

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "calibration" / "records"


@pytest.fixture(scope="module")
def found() -> Records:
    return load(FOLDER)


def test_the_document_is_made_of_the_records(found: Records) -> None:
    document = ROOT / "docs" / "benchmarks-real.md"
    assert document.read_text(encoding="utf-8") == text(found)


def test_the_readme_is_what_the_records_say(found: Records) -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert excerpt(found) in readme, "python -m daglock_evaluation.calibration.excerpt"


def test_the_figure_is_drawn(found: Records, tmp_path: Path) -> None:
    figure(found, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "directions-real.svg",
        "directions-real.png",
    }
    drawn = ROOT / "docs" / "img" / "directions-real.svg"
    assert drawn.exists()


def test_all_tables_are_recorded_and_their_columns_known(found: Records) -> None:
    for role in ("fit", "judge"):
        names = found.names(role)
        assert len(names) == sum(len(facts) for facts in declared(role).values())
        assert all(found.known[name] for name in names)
    assert len(found.names(PAIR)) == 99


def test_each_method_was_run_on_all_that_it_is_for(found: Records) -> None:
    for one in CONTENDERS:
        for name, table in found.tables.items():
            kind = PAIR if table["role"] == PAIR else "table"
            fits = one.most_columns is None or len(table["columns"]) <= one.most_columns
            assert ((name, one.name) in found.runs) == (kind in one.suites and fits), (
                name,
                one.name,
            )


def test_links_are_between_columns_and_have_one_direction(found: Records) -> None:
    names = {one.name for one in CONTENDERS} | {CONFIDENCE, IDENTIFIED}
    for (table, method), run in found.runs.items():
        assert method in names or method.startswith(OPINION)
        if run["status"] != "ok":
            continue
        d = len(found.tables[table]["columns"])
        links = [frozenset(link) for link in run["directed"] + run["undirected"]]
        assert len(set(links)) == len(links)
        assert all(len(link) == 2 and max(link) < d for link in links)
        assert all((0 <= p <= 1 and {i, j} < set(range(d))) or d == 2 for i, j, p in run["said"])


def test_graphs_in_another_order_of_the_columns_have_the_links_of_the_evidence(
    found: Records,
) -> None:
    """So the columns of the evidence are those of the table, and daglock left none out."""
    same = []
    for one in recorded(FOLDER, "real", "judged"):
        run = found.runs[one.table, OURS]
        links = {tuple(sorted(link)) for link in run["directed"] + run["undirected"]}
        e = one.evidence
        ends = zip(e.first[e.in_graph].tolist(), e.second[e.in_graph].tolist(), strict=True)
        same.append(links == set(ends))
    assert np.mean(same) > 0.95


def test_claims_on_tables_kept_for_judging_are_those_of_the_shipped_coefficients(
    found: Records,
) -> None:
    lines = list(judged(FOLDER, shipped()))
    assert {line["table"] for line in lines} <= set(found.names("judge"))
    for line in lines:
        assert found.runs[line["table"], line["method"]] == line


def test_claims_on_a_table_developed_on_are_of_coefficients_that_have_not_seen_it(
    found: Records,
) -> None:
    tables = recorded(FOLDER, *FITTED)
    problem = fitting.directions(tables)
    out = next(k for k, one in enumerate(tables) if one.table == "pima")
    group = [k for k, one in enumerate(tables) if one.group == tables[out].group]
    assert len(group) > 1  # pairs of the same data
    fitted = fitting.direction_fit(problem.of(~np.isin(problem.table, group)))
    expected = 1 / (1 + np.exp(-problem.terms[problem.table == out] @ fitted))
    one = tables[out]
    if one.evidence.unreliable:
        expected = np.clip(expected, 1 - NOT_RELIED_ON, NOT_RELIED_ON)
    arrows = one.evidence.arrow[one.used]
    said = [p for _, _, p in found.runs[one.table, CONFIDENCE]["said"]]
    np.testing.assert_allclose(said, np.where(arrows > 0, expected, 1 - expected), atol=1e-3)


def test_gies_is_nearer_to_the_graph_of_sachs_as_the_document_says() -> None:
    runs = sweep.recorded(ROOT / "benchmark" / "records", "regimes")
    sachs = [run for run in runs if run["status"] == "ok" and "Sachs, 7466" in run["label"]]
    for label, mine in grouped(sachs, lambda run: run["label"]).items():
        by = grouped(mine, lambda run: run["method"])
        ours = [run["class_shd"] for name in by if name.startswith(OURS) for run in by[name]]
        assert max(run["class_shd"] for run in by["gies"]) < min(ours), label
