"""Searches at one price: what is counted as worse, and the document is what the records say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daglock.criteria import edge_cost
from daglock.errors import InvalidDataError
from daglock_evaluation.harness.store import grouped, read
from daglock_evaluation.studies import equal_price, price_tables
from daglock_evaluation.studies.equal_price import FILE, OURS, Cell, Search, cells, ours, times_bic
from daglock_evaluation.studies.recorded import CLEAR, open_store, write_tables

ROOT = Path(__file__).parents[3]
RECORDS = ROOT / "benchmark" / "records" / FILE


def line(
    method: str, seed: int, score: float, seconds: float = 1.0, **other: Any
) -> dict[str, Any]:
    of = {"graphs": "some", "d": 20, "n": 200, "price": "FLOP", "seed": seed, "distance": 1}
    return {**of, "method": method, "score": score, "seconds": seconds, **other}


MADE_UP = [
    line(OURS, 0, -10.0, 1.0),
    line("FLOP, 20 restarts", 0, -12.5, 3.0),
    line(OURS, 1, -7.0, 1.0),
    line("FLOP, 20 restarts", 1, -6.0, 4.0),
    line("FLOP, 200 restarts", 0, -12.5, 9.0),
    line(OURS, 2, -7.0, 2.0),
    line("FLOP, 20 restarts", 2, -7.0 + 1e-5, 0.5),
]


def test_losses_are_counted_and_come_first() -> None:
    losses, standing, beside = price_tables.tables(MADE_UP)
    assert losses.rows[1] == [
        *(
            "some",
            "20",
            "200",
            "FLOP",
            "1 of 3",
            "0.83",
            "2.50",
            "FLOP, 20 restarts; FLOP, 200 restarts",
        )
    ]
    assert [row[1:6] for row in standing.rows[1:]] == [
        [OURS, "1 of 3", "66.7%", "1", "0.83"],
        ["FLOP, 20 restarts", "1 of 3", "66.7%", "1", "0.33"],
        ["FLOP, 200 restarts", "0 of 1", "100.0%", "0", "0.00"],
    ]
    assert [row[-1] for row in standing.rows[1:]] == ["1.0", "1.9", "9.0"]
    assert beside.rows[1][2:6] == ["3", "1", "1", "1"]
    assert beside.rows[1][-1] == "1"


def test_one_price_in_three_units() -> None:
    n, d, gamma = 700, 30, 0.4
    X = np.zeros((n, d))
    assert times_bic(X, gamma) * np.log(n) / n == pytest.approx(edge_cost(n, d, gamma))


def test_what_is_recorded_is_not_measured_again(tmp_path: Path) -> None:
    cell = Cell(equal_price.NETWORKS[0], 20, 200, "FLOP")
    path = tmp_path / FILE
    methods: dict[str, Search] = {OURS: ours}
    equal_price.measure(open_store(path, equal_price.FIELDS), cell, methods, 3)
    first = path.read_text()
    assert first.count("\n") == 1
    equal_price.measure(open_store(path, equal_price.FIELDS), cell, methods, 3)
    assert path.read_text() == first
    equal_price.measure(open_store(path, equal_price.FIELDS), cell, methods, 4)
    assert path.read_text().count("\n") == 2


def test_tables_are_written_where_their_titles_are(tmp_path: Path) -> None:
    losses, standing, _ = price_tables.tables(MADE_UP)
    document = tmp_path / "theory.md"
    old = f"Before.\n\n**{standing.title}**\n\n| old |\n| --- |\n| 1 |\n\nAfter.\n"
    document.write_text(old)
    with pytest.raises(InvalidDataError, match=r"theory\.md has no table"):
        write_tables(document, [losses, standing])
    assert document.read_text() == old
    write_tables(document, [standing])
    assert document.read_text() == f"Before.\n\n{standing.to_markdown()}\n\nAfter.\n"


def test_the_document_is_made_of_the_records() -> None:
    document = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
    for table in price_tables.tables(read(RECORDS)):
        assert f"{table.to_markdown()}\n\n" in document, table.title


def reached(sizes: list[int], goals: list[bool]) -> str:
    """Say with how many variables a goal is reached, and with how many it is missed."""
    yes, no = (
        " and ".join(str(d) for d, goal in zip(sizes, goals, strict=True) if goal is wanted)
        for wanted in (True, False)
    )
    if not yes:
        return "missed at every size"
    return f"reached with {yes} variables" + (f" and missed with {no}" if no else "")


def test_what_the_document_says_of_dense_graphs_is_in_the_records() -> None:
    text = " ".join((ROOT / "docs" / "theory.md").read_text(encoding="utf-8").split())
    said = []
    for price in ("FLOP", OURS):
        cell = Cell(equal_price.NETWORKS[3], 50, 1000, price).line
        lines = [line for line in read(RECORDS) if cell.items() <= line.items()]
        mine, flop, many = (
            {line["seed"]: line for line in lines if line["method"] == name}
            for name in (OURS, price_tables.FLOP, "FLOP, 100 restarts")
        )
        assert set(mine) == set(flop) == set(many) == set(range(20))
        for seed, line in mine.items():
            for other in (flop, many):
                assert abs(line["score"] - other[seed]["score"]) < CLEAR
        distances = [[line["distance"] for line in found.values()] for found in (mine, many)]
        said.append(f"{np.mean(distances[0]):.2f} against {np.mean(distances[1]):.2f}")
    assert "finds graphs of the same score on all 40" in text
    assert f"is {said[0]} at FLOP's price and {said[1]} at daglock's" in text


def test_what_the_document_says_of_the_tables_is_in_them() -> None:
    """The prose below the tables, figure by figure."""
    text = " ".join((ROOT / "docs" / "theory.md").read_text(encoding="utf-8").split())
    losses, standing, beside = price_tables.tables(read(RECORDS))
    rows = {(int(row[0]), row[1]): row[2:] for row in standing.rows[1:]}
    sizes = sorted({d for d, _ in rows})
    assert sizes == [20, 50, 100, 200]
    mine, flop = ([rows[d, name] for d in sizes] for name in (OURS, price_tables.FLOP))
    shares = [float(row[1].rstrip("%")) for row in mine]
    counts = [[int(n) for n in row[0].split(" of ")] for row in mine]
    kept = [
        f"{total - lost} of {total}{' graphs' if k == 0 else ''} ({shares[k]} %)"
        for k, (lost, total) in enumerate(counts)
    ]
    enough = [share >= 98.0 for share in shares]
    assert (
        f"The 98 % are {reached(sizes, enough)}: the score is not worse on "
        f"{', '.join(kept[:3])} and {kept[3]}"
    ) in text
    thirds = [float(row[6]) >= 3.0 for row in flop]
    assert f"A third of FLOP's time is {reached(sizes, thirds)}" in text
    assert (
        f"mean seconds are {mine[0][5]} against {flop[0][5]}, {mine[1][5]} against {flop[1][5]}, "
        f"{mine[2][5]} against {flop[2][5]} and {mine[3][5]} against {flop[3][5]}" in text
    )
    dense = [row for row in losses.rows[1:] if row[1:4] == ["20", "200", "FLOP"]]
    dense = [row for row in dense if row[0].startswith(("random pairs 8", "random pairs 10"))]
    lost, total = (sum(int(row[4].split(" of ")[k]) for row in dense) for k in (0, 1))
    assert 2 * lost > counts[0][0]
    assert f"({lost} of {total} of degree 8 and 10)" in text
    beaten = [int(row[2]) for row in mine]
    larger = counts[2][1] + counts[3][1]
    assert (
        f"finds a better one on {beaten[2] + beaten[3]} of the {larger} graphs with 100 and 200 "
        f"variables, and on {beaten[1]} of the {counts[1][1]} with 50."
    ) in text
    others = {int(row[0]): row for row in beside.rows[1:] if row[1] == price_tables.FLOP}
    assert (
        f"FLOP with 20 restarts takes {flop[0][6]} times as long as daglock with 20 variables "
        f"(daglock is slower on {others[20][-1]} of {others[20][2]}), and {flop[1][6]}, "
        f"{flop[2][6]} and {flop[3][6]} times as long with 50, 100 and 200"
    ) in text
    assert int(rows[200, f"{OURS}, 400 restarts"][0].split(" of ")[0]) >= counts[3][0]
    assert "400 restarts do not lose fewer than the default" in text
    distances = [f"{theirs[4]} against {own[4]}" for own, theirs in zip(mine, flop, strict=True)]
    assert f"from 50 variables on ({', '.join(distances[1:])})" in text
    assert all(float(flop[k][4]) < float(mine[k][4]) for k in (1, 2, 3))
    starts = rows[20, "BOSS, 10 starts"]
    lost, total = map(int, starts[0].split(" of "))
    times = round(float(starts[6]))
    assert f"it is not worse on {total - lost} of {total}, in {times} times the time" in text


def test_records_are_of_tables_and_searches_that_there_are() -> None:
    known = {str(cell.line): cell for d in equal_price.MANY for cell in cells(d)}
    records = list(read(RECORDS))
    assert records
    for record in records:
        cell = known[str({name: record[name] for name in ("graphs", "d", "n", "price")})]
        earlier = f"{OURS}, {equal_price.EARLIER.get(cell.d)} restarts"
        assert record["method"] in {*equal_price.searches(cell, record["seed"]), earlier}
    tables = grouped(records, lambda r: (r["graphs"], r["d"], r["n"], r["price"], r["seed"]))
    for mine in tables.values():
        assert OURS in {record["method"] for record in mine}
