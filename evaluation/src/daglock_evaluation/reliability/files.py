"""Sound files of every kind that daglock reads, and who reads them: what faults are tried on."""

from __future__ import annotations

import io
import tempfile
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import daglock

_ROWS = 60


@cache
def _values() -> Any:
    """Return rows of four columns that depend on each other."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=_ROWS)
    b = a + rng.normal(size=_ROWS)
    return np.column_stack([a, b, b - a + rng.normal(size=_ROWS), rng.normal(size=_ROWS)])


def _text() -> bytes:
    """Return a table as CSV, with a column of words and a gap."""
    rows = [",".join(f"{cell:.4f}" for cell in row) for row in _values()]
    words = ("low", "mid", "high")
    lines = [f"{row},{words[k % 3]}" for k, row in enumerate(rows)]
    return "\n".join(["alpha,beta,gamma,delta,grade", *lines, "1,2,,4,low", ""]).encode()


def _arrow_table() -> Any:
    """Return a table as Arrow holds it: numbers of several types, words, dates, categories."""
    import pandas as pd

    frame = pd.DataFrame(_values(), columns=["alpha", "beta", "gamma", "delta"])
    frame["count"] = np.arange(_ROWS, dtype=np.int16) % 7
    frame["word"] = [("low", "mid", "high")[k % 3] for k in range(_ROWS)]
    frame["class"] = pd.Categorical(frame["word"])
    frame["day"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(_ROWS), unit="D")
    frame["flag"] = np.arange(_ROWS) % 2 == 0
    frame.index = pd.Index(np.arange(_ROWS) + 7, name="nr")
    from pyarrow import parquet

    stream = io.BytesIO()
    frame.to_parquet(stream)
    stream.seek(0)
    return parquet.read_table(stream)


def _parquet() -> bytes:
    """Return a table as Parquet."""
    from pyarrow.parquet import write_table

    stream = io.BytesIO()
    write_table(_arrow_table(), stream)
    return stream.getvalue()


def _arrow(kind: str) -> bytes:
    """Return a table as an Arrow file or stream."""
    from pyarrow import ipc

    stream, table = io.BytesIO(), _arrow_table()
    new = ipc.new_file if kind == "file" else ipc.new_stream
    with new(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue()


_KNOWLEDGE = b"""\
# what is known
forbidden: [beta -> alpha, [delta, alpha]]
required:
  - alpha -> beta
tiers: ["alpha < beta, gamma", [alpha]]
roots: [alpha]
leaves: ["gam*"]
"""
_TETRAD = b"""\
/knowledge
addtemporal
1* alpha delta
2 beta
forbiddirect
beta alpha
requiredgroup
alpha
beta gamma
"""
_COLUMNS = b"alpha: continuous\nbeta: ignore\ngrade: [low, mid, high]\n"
_TARGETS = b"control: []\ndrug: [beta, gamma]\n2: alpha\n"
_COVARIANCE = b"/Covariance\n100\nalpha beta gamma\n1.4\n0.3 2.3\n0.5 0.2 5.3\n"


@cache
def _models() -> dict[str, bytes]:
    """Return fitted models as files: plain, of regimes, with categories, of categories alone."""
    from daglock import DAGLock, Knowledge

    X = _values()
    names = ["alpha", "beta", "gamma", "delta"]
    import pandas as pd

    frame = pd.DataFrame(X, columns=names)
    words = np.array(["low", "mid", "high"])
    mixed = frame.assign(grade=words[np.digitize(X[:, 1], [-1.0, 1.0])])
    classes = pd.DataFrame(
        {name: words[np.digitize(X[:, j], [-1.0, 1.0])] for j, name in enumerate(names)}
    )
    labels = np.where(np.arange(_ROWS) < _ROWS // 2, "control", "drug")
    files = {}
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")
        fitted = {
            "plain": DAGLock(knowledge=Knowledge(roots=["alpha"]), random_state=0).fit(frame),
            "regimes": DAGLock(random_state=0).fit(
                frame, regimes=labels, targets={"drug": ["beta"]}
            ),
            "mixed": DAGLock(random_state=0, columns={"delta": "continuous"}).fit(mixed),
            "counts": DAGLock(random_state=0).fit(classes),
        }
        _ = fitted["plain"].confidence_
        for name, model in fitted.items():
            for ending in ("json", "npz"):
                file = Path(folder, f"{name}.{ending}")
                model.save(file)
                files[file.name] = file.read_bytes()
    return files


# --- reading


def read_table(file: Path) -> None:
    """Read a table."""
    from daglock.table import read_file

    read_file(file)


def _read_knowledge(file: Path) -> None:
    """Read knowledge and ask what it means for columns."""
    from daglock import Knowledge

    Knowledge.from_file(file).masks(["alpha", "beta", "gamma", "delta"])


def _read_columns(file: Path) -> None:
    """Read what columns are, and check it."""
    from daglock.table.given import check_given, read_kinds

    check_given(read_kinds(file), ["alpha", "beta", "gamma", "delta", "grade"])


def _read_targets(file: Path) -> None:
    """Read the targets of regimes, and check them."""
    from daglock.regimes import Regimes
    from daglock.regimes.targets import read_targets, with_targets

    labels = ["control"] * 20 + ["drug"] * 20 + ["2"] * (_ROWS - 40)
    kept = Regimes.from_labelled(_values(), labels, ["alpha", "beta", "gamma", "delta"])
    with_targets(kept, read_targets(file))


def _read_covariance(file: Path) -> None:
    """Read a covariance and make moments of it."""
    from daglock import Moments
    from daglock.table.covariance import read_covariance
    from daglock.table.file import read_raw
    from daglock.table.source import Hints, open_source

    found = read_covariance(open_source(file, Hints()), read_raw, rows=None)
    Moments.from_covariance(found.matrix, found.n, names=found.names)


def _read_model(file: Path) -> None:
    """Load a model and look at what it says."""
    model = daglock.load(file)
    _ = model.edges_, model.cpdag_, str(model.certificate_), str(model.trace_), repr(model)
    _ = str(model.decisions_), model.kinds_, model.get_params()


Kind = tuple[Callable[[], Mapping[str, bytes]], Callable[[Path], None]]
KINDS: dict[str, Kind] = {
    "csv": (lambda: {"data.csv": _text()}, read_table),
    "parquet": (lambda: {"data.parquet": _parquet()}, read_table),
    "arrow": (
        lambda: {"data.arrow": _arrow("file"), "data.arrows": _arrow("stream")},
        read_table,
    ),
    "knowledge": (
        lambda: {
            "known.yaml": _KNOWLEDGE,
            "known.txt": _TETRAD,
            "known.json": b'{"roots": ["alpha"], "required": ["alpha -> beta"], "tiers": []}',
        },
        _read_knowledge,
    ),
    "columns": (
        lambda: {
            "columns.yaml": _COLUMNS,
            "columns.json": b'{"alpha": "count", "grade": ["a", "b"]}',
        },
        _read_columns,
    ),
    "targets": (
        lambda: {"targets.yaml": _TARGETS, "targets.json": b'{"drug": ["beta"], "2": "alpha"}'},
        _read_targets,
    ),
    "covariance": (
        lambda: {"data.cov": _COVARIANCE, "data.txt": _COVARIANCE[12:]},
        _read_covariance,
    ),
    "model json": (lambda: _ending(_models(), ".json"), _read_model),
    "model npz": (lambda: _ending(_models(), ".npz"), _read_model),
}


def _ending(files: Mapping[str, bytes], ending: str) -> dict[str, bytes]:
    """Return the files of one kind."""
    return {name: raw for name, raw in files.items() if name.endswith(ending)}
