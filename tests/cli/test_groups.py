"""--groups: rows that belong together are drawn together, and the column is no variable."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daglock import DAGLock
from daglock.cli.command import Exit
from daglock.errors import DataWarning
from daglock.table import read_file
from tests.cli.conftest import Run


@pytest.fixture
def patients(folder: Path) -> Path:
    """Forty patients with five rows each, alike, of which two have a gap."""
    rng = np.random.default_rng(0)
    lines = ["patient,a,b,day"]
    for k in range(200):
        if k % 5 == 0:
            a, b = rng.normal(size=2)
        x, y = a + 0.3 * rng.normal(), 0.2 * a + b + 0.3 * rng.normal()
        lines.append(f"p{k // 5},{x:.4f},{'' if k in (3, 17) else f'{y:.4f}'},2020-01-0{k % 9 + 1}")
    file = folder / "patients.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.mark.parametrize("missing", ["drop", "model"])
@pytest.mark.parametrize("chosen", [(), ("--columns", "a,b")])
def test_groups_are_those_of_the_library(
    run: Run, patients: Path, missing: str, chosen: tuple[str, ...]
) -> None:
    how = ("--groups", "patient", "--bootstrap", "20", "--missing", missing, *chosen)
    shown = run("learn", "patients.csv", *how)
    assert shown.code == Exit.DONE
    assert "Rows with the same patient are drawn together: 40 groups." in shown.out
    content: dict[str, Any] = json.loads(Path("patients.daglock/graph.json").read_text())
    assert content["nodes"] == ["a", "b"]
    table = read_file(patients, drop=["patient"])
    labels = np.arange(200) // 5
    if missing == "drop":
        labels = np.delete(labels, [3, 17])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        model = DAGLock(missing=missing, random_state=0).fit(table)
    grouped = model.bootstrap(20, groups=labels, rng=0, progress=False)
    alone = model.bootstrap(20, rng=0, progress=False)
    written = Path("patients.daglock/bootstrap.csv").read_text().splitlines()[1].split(",")
    assert float(written[-1]) == grouped.adjacent[0] != alone.adjacent[0]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("patients", ("", ""), "'patients', which is no column: did you mean 'patient'?"),
        ("patient", ("p3,", ","), "--groups patient: 5 rows have no label"),
        ("b", ("", ""), "--groups b: 2 rows have no label"),
    ],
)
def test_groups_that_are_none(
    run: Run, patients: Path, name: str, change: tuple[str, str], message: str
) -> None:
    if change[0]:
        patients.write_text(patients.read_text().replace(f"\n{change[0]}", f"\n{change[1]}"))
    shown = run("learn", "patients.csv", "--groups", name)
    assert shown.code in (Exit.DATA, Exit.USAGE)
    assert message in " ".join(shown.err.split())


def test_one_group_and_a_covariance_are_refused(run: Run, patients: Path) -> None:
    text = patients.read_text().splitlines()
    patients.write_text("\n".join([text[0], *(f"p,{line.split(',', 1)[1]}" for line in text[1:])]))
    shown = run("learn", "patients.csv", "--groups", "patient")
    assert "all rows have one label" in " ".join(shown.err.split())
    Path("s.cov").write_text("100\na\tb\n1\n0.5\t1\n")
    for option in (("--groups", "patient"), ("--blocks", "9")):
        shown = run("learn", "s.cov", *option)
        assert shown.code == Exit.USAGE
        assert "a covariance has none" in " ".join(shown.err.split())


def test_blocks_are_neighbours(run: Run, patients: Path) -> None:
    how = ("--columns", "a,b", "--bootstrap", "20", "--missing", "drop")
    shown = run("learn", "patients.csv", "--blocks", "5", *how)
    assert shown.code == Exit.DONE
    assert "Blocks of 5 neighbouring rows are drawn together" in " ".join(shown.out.split())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        table = read_file(patients, drop=["patient"])
        model = DAGLock(missing="drop", random_state=0).fit(table)
    blocks = model.bootstrap(20, groups=np.arange(198) // 5, rng=0, progress=False)
    alone = model.bootstrap(20, rng=0, progress=False)
    written = Path("patients.daglock/bootstrap.csv").read_text().splitlines()[1].split(",")
    assert float(written[-1]) == blocks.adjacent[0] != alone.adjacent[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--blocks", "200"), "the table has 200 rows, one block at the most"),
        (("--blocks", "5", "--groups", "patient"), "give one of them"),
        (("--blocks", "0"), "--blocks"),
    ],
)
def test_blocks_that_are_none(
    run: Run, patients: Path, options: tuple[str, ...], message: str
) -> None:
    shown = run("learn", "patients.csv", *options)
    assert shown.code in (Exit.DATA, Exit.USAGE)
    assert message in " ".join(shown.err.split())
    assert not Path("patients.daglock").exists()
