"""What is given to others: both distributions build, and the product works by itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest
import yaml

import daglock

ROOT = Path(__file__).parent.parent
# Nothing of the checkout may be found by way of PYTHONPATH.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
FIT = """
import sys
import numpy as np, pyarrow as pa, pyarrow.parquet
import daglock

rng = np.random.default_rng(0)
a = rng.normal(size=300)
b = 2.0 * a + rng.normal(size=300)
table = pa.table({"a": a, "b": b, "c": b + rng.normal(size=300)})
model = daglock.DAGLock().fit(table)
assert model.certificate_.verify(model.moments_)
print(sorted((edge["source"], edge["target"]) for edge in model.edges_.to_pylist()))
pa.parquet.write_table(table, "data.parquet")
print(daglock.__file__, daglock.__version__, *sys.path, sep="\\n")
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command and return what it prints; show it when it fails."""
    done = subprocess.run(command, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(project: Path, folder: Path) -> Path:
    """Build sdist and wheel from a copy, as they would be uploaded; return the wheel."""
    source, dist = folder / "source", folder / "dist"
    clutter = shutil.ignore_patterns("__pycache__", "*.egg-info", ".*")
    for part in ("src", "tests"):
        shutil.copytree(project / part, source / part, ignore=clutter)
    for file in project.iterdir():
        if file.is_file():
            shutil.copy(file, source)
    src = source / "src"
    code = {PurePosixPath(file.relative_to(src)) for file in src.rglob("*") if file.is_file()}
    run(sys.executable, "-m", "build", "--outdir", dist, source, cwd=folder)
    run(sys.executable, "-m", "twine", "check", "--strict", *dist.iterdir(), cwd=folder)
    (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        packed = {PurePosixPath(name) for name in opened.namelist()}
        about = {path for path in packed if path.parts[0].endswith(".dist-info")}
    assert packed - about == code  # templates and data too, and no tests
    assert {"METADATA", "entry_points.txt", "LICENSE"} <= {path.name for path in about}
    with tarfile.open(sdist) as tar:
        unpacked = {PurePosixPath(*Path(name).parts[1:]) for name in tar.getnames()}
    assert {PurePosixPath("src") / path for path in code} <= unpacked
    assert not any(path.parts[:1] == ("tests",) for path in unpacked)
    return wheel


@pytest.mark.slow
def test_the_wheel_is_all_that_it_takes(tmp_path: Path) -> None:
    wheel = build(ROOT, tmp_path)
    run(sys.executable, "-m", "venv", "--without-pip", "bare", cwd=tmp_path)
    bin = tmp_path / "bare" / "bin"
    pip = (sys.executable, "-m", "pip", "--python", bin / "python")
    run(*pip, "install", "--quiet", "--no-compile", wheel, cwd=tmp_path)
    away = tmp_path / "away"
    away.mkdir()
    edges, file, version, *path = run(bin / "python", "-c", FIT, cwd=away).splitlines()
    assert edges == "[('a', 'b'), ('b', 'c')]"
    assert version == daglock.__version__
    assert Path(file).is_relative_to(tmp_path / "bare")
    assert not any(Path(entry).is_relative_to(ROOT) for entry in path)
    assert "daglock learn data.csv" in run(bin / "daglock", "--help", cwd=away)
    assert "300 rows, 3 columns" in run(bin / "daglock", "check", "data.parquet", cwd=away)
    run(bin / "daglock", "simulate", "--nodes", "5", cwd=away)
    assert "Certificate" in run(bin / "daglock", "learn", "data.csv", cwd=away)
    assert (away / "data.daglock" / "report.html").stat().st_size > 10_000


@pytest.mark.slow
def test_the_evaluation_builds(tmp_path: Path) -> None:
    build(ROOT / "evaluation", tmp_path)


def test_what_is_said_twice_agrees() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == daglock.__version__
    assert citation["license"] == "BSD-3-Clause"
    evaluation = (ROOT / "evaluation/src/daglock_evaluation/__init__.py").read_text()
    assert f'__version__ = "{daglock.__version__}"' in evaluation
    licences = [(ROOT / folder / "LICENSE").read_bytes() for folder in (".", "evaluation")]
    assert licences[0] == licences[1]
