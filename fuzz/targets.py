"""What is fuzzed: each target takes bytes as the content of a file, and reads it.

Whatever a file holds, the user gets a result or one of daglock's own errors. All else is a finding.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import ipc
from pyarrow.parquet import write_table

from daglock import DAGLock, Knowledge
from daglock.errors import DaglockError
from daglock.estimator import load
from daglock.table import read_file

Target = Callable[[bytes], None]
CRASHERS = Path(__file__).parent / "crashers"


@contextmanager
def _as_file(data: bytes, ending: str) -> Iterator[Path]:
    """Give bytes as a file, in memory where the system has a place for that."""
    shared = Path("/dev/shm")
    folder = shared if shared.is_dir() else None
    with tempfile.NamedTemporaryFile(suffix=ending, dir=folder) as file:
        file.write(data)
        file.flush()
        yield Path(file.name)


def _reading(read: Callable[[Path], object], ending: str) -> Target:
    """Return the target that reads a file of this ending."""

    def target(data: bytes) -> None:
        with _as_file(data, ending) as path, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read(path)
            except DaglockError as error:
                if not str(error):
                    raise RuntimeError("an error without a sentence") from error

    return target


def _known(path: Path) -> object:
    """Read knowledge and lay it over columns."""
    knowledge = Knowledge.from_file(path)
    return knowledge.masks(("a", "b", "c"))


TARGETS: dict[str, Target] = {
    "csv": _reading(read_file, ".csv"),
    "parquet": _reading(read_file, ".parquet"),
    "arrow": _reading(read_file, ".arrow"),
    "knowledge-yaml": _reading(_known, ".yaml"),
    "knowledge-json": _reading(_known, ".json"),
    "model-npz": _reading(load, ".npz"),
    "model-json": _reading(load, ".json"),
}


def seeds(target: str) -> Iterator[bytes]:
    """Yield files as they should be, from which the fuzzer begins."""
    if target == "csv":
        yield from _texts()
    elif target.startswith("knowledge"):
        yield from _pieces_of_knowledge(target)
    elif target.startswith("model"):
        yield from _models("." + target.rpartition("-")[2])
    else:
        yield from _columns(target)


def _texts() -> Iterator[bytes]:
    """Yield tables as text, of several dialects."""
    rows = "\n".join(f"{i},{i * i % 7},{i % 2}" for i in range(8))
    yield f"a,b,c\n{rows}\n".encode()
    yield f"a;b;c\n{rows.replace(',', ';')}\n".encode("utf-16")
    yield b'"x ""y""","z"\r\n1.5,NA\r\n2e3,"3"\r\n,-4\r\n'
    yield "größe\tname\n1,5\tA\n2,5\tB\n3\tA\n".encode("cp1252")
    yield b"sep=;\nid;when\n1;2020-01-31\n2;2020-02-01\n"


def _pieces_of_knowledge(target: str) -> Iterator[bytes]:
    """Yield knowledge as YAML, as JSON and as Tetrad writes it."""
    if target == "knowledge-json":
        yield b'{"required": ["a -> b"], "forbidden": [["c", "a"]], "tiers": [["a"], ["b", "c"]]}'
        yield b'{"roots": ["a"], "leaves": ["c"]}'
        return
    yield b"required: [a -> b]\nforbidden: [c -> a, [b, c]]\ntiers: [[a], [b, c]]\n"
    yield b"roots: [a]\nleaves: ['c*']\n# a comment\n"
    yield b"/knowledge\naddtemporal\n1 a\n2 b c\n\nforbiddirect\nc a\n\nrequiredirect\na b\n"


def _models(ending: str) -> Iterator[bytes]:
    """Yield saved models: of numbers, and of numbers and categories."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=60)
    tables = [
        pa.table({"a": a, "b": a + rng.normal(size=60)}),
        pa.table({"a": a, "k": np.where(a > 0, "u", "v").tolist()}),
    ]
    for table in tables:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"model{ending}"
            DAGLock(random_state=0).fit(table).save(path)
            yield path.read_bytes()


def _columns(target: str) -> Iterator[bytes]:
    """Yield Parquet files, or Arrow files and streams."""
    table = pa.table(
        {
            "a": [1.5, 2.5, None, 4.0],
            "b": pa.array([1, 2, 3, 4], pa.int64()),
            "c": pa.array(["u", "v", "u", "w"]).dictionary_encode(),
            "d": [True, False, True, None],
        }
    )
    if target == "parquet":
        sink = BytesIO()
        write_table(table, sink)
        yield sink.getvalue()
        return
    for make in (ipc.new_file, ipc.new_stream):
        sink = BytesIO()
        with make(sink, table.schema) as writer:
            writer.write_table(table)
        yield sink.getvalue()
