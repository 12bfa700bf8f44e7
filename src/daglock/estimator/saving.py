"""A fitted model as a file: JSON or npz, both complete, neither of them runs code when read."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock import __version__
from daglock._files import replacing
from daglock.confidence import Confidence
from daglock.confidence.resampled import Resampled
from daglock.curves import Curves
from daglock.decisions import Decisions
from daglock.engine.certificate import Certificate
from daglock.engine.learned import Learned
from daglock.errors import InvalidDataError, NotADAGError
from daglock.estimator.form import FORMAT, READ, VERSION, BrokenPartError
from daglock.estimator.keeping import from_parts, to_parts
from daglock.estimator.sealing import checksum, in_form, read_json, read_npz, to_list
from daglock.graph import WeightedDAG
from daglock.knowledge import Knowledge, Masks
from daglock.knowledge.assumed import Assumed
from daglock.solution import FitTrace, Status
from daglock.table.given import given_name, level_text
from daglock.table.kinds import Schema
from daglock.typing import Statistics

# Up to this many variables the certificate is checked when a file is read.
MAX_VERIFIED = 1000
_EDGES = ("source", "target", "weight", "oriented", "order")
_STAGES = ("mu", "n_sweeps", "change", "n_nonzero", "objective", "fingerprint")
_PLAIN = ("scores", "message")
_CLAIMS = (
    *("score", "edge_cost", "kkt_residual", "locally_optimal", "window", "optimal", "max_parents"),
    "lower_bound",
)
# Up to this many variables all graphs are compared once more when a file is read: in a second.
_MAX_COMPARED = 16
_MAX_COMPARED_CURVES = 11
_MASKS = ("allowed", "required", "before")
_BELIEF = ("identifies", "n_replicates")
_BELIEFS = (
    *("source", "target", "link", "direction", "misfit", "alone", "in_graph", "known"),
    "hidden",
)
# What a file that is not as it was written can raise while objects are made of it.
_BROKEN = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


@dataclass(frozen=True)
class Saved:
    """What a file holds; the settings are those of the estimator."""

    settings: dict[str, Any]
    library: str | None
    n_dropped: int
    moments: Statistics
    learned: Learned
    confidence: Confidence | None = None
    schema: Schema | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    scores: Mapping[str, str] = field(default_factory=dict)
    labels: NDArray[np.str_] | None = None
    source: Mapping[str, int] | None = None  # of data that were read in parts
    resampled: Resampled | None = None
    made_by: str = ""  # the command or the call
    data_hash: str = ""
    rows: NDArray[Any] | None = None  # only where the user wants them kept
    written_by: str = __version__


def write(path: str | Path, saved: Saved) -> None:
    """Write a model: a path that ends in .npz takes little room, any other is JSON.

    The file is written whole or not at all.
    """
    learned = saved.learned
    kept, kept_arrays = to_parts(saved.moments)
    record = {
        "format": FORMAT,
        "version": VERSION,
        "daglock": __version__,
        "settings": _plain(saved.settings),
        **kept,
        "library": saved.library,
        "n_dropped": saved.n_dropped,
        "columns": None if saved.schema is None else saved.schema.to_record(),
        "left_out": dict(saved.left_out),
        "scored": dict(saved.scores),
        "status": learned.status.value,
        "cautions": list(learned.cautions),
        "decisions": learned.decisions.to_record(),
        "certificate": {name: getattr(learned.certificate, name) for name in _CLAIMS},
        **{name: getattr(learned, name) for name in _PLAIN},
        "n_restarts": learned.trace.n_restarts,
        "made_by": saved.made_by,
        "data_hash": saved.data_hash,
        "search_scores": learned.trace.search_scores.tolist(),
    }
    arrays = {name: getattr(learned.dag, name) for name in _EDGES}
    arrays |= {"noise_variances": learned.noise_variances, "aside": learned.aside}
    if len(learned.trace.mu):
        arrays |= {f"continuous_{name}": getattr(learned.trace, name) for name in _STAGES}
    arrays |= kept_arrays
    for name in _MASKS:
        mask = getattr(learned.certificate.knowledge, name)
        if mask is not None:
            arrays[name] = mask
    arrays["not_searched"] = learned.certificate.aside
    if learned.assumed is not None:
        arrays |= {"assumed": learned.assumed.columns, "assumed_first": learned.assumed.first}
    for name in ("shaped", "by_regimes", "doubted"):
        if getattr(learned, name) is not None:
            arrays[name] = getattr(learned, name)
    if saved.source is not None:
        record["source"] = dict(saved.source)
    record["regime_labels"] = None
    if saved.labels is not None:
        labels, place = np.unique(saved.labels, return_inverse=True)
        record["regime_labels"], arrays["regime_of"] = labels.tolist(), place
    sure = saved.confidence
    record["confidence"] = None
    if sure is not None:
        record["confidence"] = {name: getattr(sure, name) for name in _BELIEF}
        if sure.determined is not None and sure.determined.any():
            record["determined_pairs"] = np.flatnonzero(sure.determined).tolist()
        if sure.named is not None and sure.named.any():
            record["named_pairs"] = np.flatnonzero(sure.named).tolist()
        record |= {"opposed_names": [list(one) for one in sure.opposed]} if sure.opposed else {}
        record |= {"dependent_rows": True} if sure.dependent else {}
        record |= {"smaller_group": sure.smaller} if sure.smaller else {}
        record |= {"replicates_usual": sure.n_usual, "replicates_stopped": sure.stopped}
        arrays |= {f"confidence_{name}": getattr(sure, name) for name in _BELIEFS}
    if saved.resampled is not None:
        arrays["resampled"] = saved.resampled.packed
    if saved.rows is not None:
        arrays["rows"] = saved.rows
    arrays = {name: in_form(name, array) for name, array in arrays.items()}
    record = json.loads(json.dumps(record, allow_nan=False))
    record["checksum"] = checksum(record, arrays)
    with replacing(path) as file:
        if Path(path).suffix.lower() == ".npz":
            text = np.array(json.dumps(record, allow_nan=False))
            with file.open("wb") as stream:
                np.savez_compressed(stream, record=text, **arrays)
        else:
            lists = {name: to_list(array) for name, array in arrays.items()}
            file.write_text(
                json.dumps({**record, "arrays": lists}, allow_nan=False), encoding="utf-8"
            )


def read(path: str | Path, max_size: int | None = None) -> Saved:
    """Read a model that `write` wrote, and check what can be checked.

    Types and sizes are checked before anything is unpacked, then the checksum over all that the
    file holds, then that the graph is the one that its certificate is about.

    Raises
    ------
    InvalidDataError
        The file is not there, is not a model, is of another version, was changed, or contradicts
        itself.
    """
    path = Path(path)
    record, arrays = _content(path, max_size)
    version = record.get("version", 0)
    if version not in READ:
        newer = isinstance(version, int) and version > VERSION
        how = "is newer than this one" if newer else "recorded less: fit it again"
        writer = f"daglock {str(record.get('daglock'))[:40]}"
        raise InvalidDataError(f"{path} was written by {writer}, which {how}.")
    if record.get("checksum") != checksum(record, arrays):
        raise InvalidDataError(
            f"{path} was changed after it was saved, it does not agree with its checksum: save it "
            "again."
        )
    other_graph = f"{path} was changed: its graph is not the one that its certificate is about."
    try:
        saved = _restore(record, arrays)
        certificate = saved.learned.certificate
        small = saved.moments.d <= MAX_VERIFIED
        curved = isinstance(saved.moments, Curves)
        if saved.moments.d > (_MAX_COMPARED_CURVES if curved else _MAX_COMPARED):
            certificate = replace(certificate, optimal=False)
        agrees = certificate.verify(saved.moments) if small else certificate.is_dag
    except NotADAGError as error:
        raise InvalidDataError(other_graph) from error
    except _BROKEN as error:
        raise InvalidDataError(f"{path} contradicts itself: save it again.") from error
    if not agrees:
        raise InvalidDataError(other_graph)
    return saved


def _content(path: Path, max_size: int | None) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the record and the arrays of a file, which have the types and sizes of a model."""
    said = "give a file written by save(), or the folder of daglock learn"
    try:
        if path.exists() and not path.is_file():
            raise InvalidDataError(f"{path} is not a file: {said}.")
        record, arrays = read_npz(path, max_size) if zipfile.is_zipfile(path) else read_json(path)
        if record["format"] != FORMAT:
            raise InvalidDataError(f"{path} is not a model that daglock saved: {said}.")
    except InvalidDataError:
        raise
    except OSError as error:
        raise InvalidDataError(f"{path} cannot be read: {error.strerror or error}.") from error
    except BrokenPartError as error:
        raise InvalidDataError(
            f"{path} is incomplete or was changed, its part {str(error)[:40]!r} is not as it was "
            "saved: save it again."
        ) from error
    except Exception as error:  # of zipfile, zlib, json and NumPy, each as it likes
        raise InvalidDataError(f"{path} is not a model that daglock saved: {said}.") from error
    return record, arrays


def _restore(record: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Saved:
    """Build the objects of a record."""
    trace = FitTrace(
        search_scores=np.array(record["search_scores"]), n_restarts=record["n_restarts"]
    )
    if "continuous_mu" in arrays:
        stages: dict[str, Any] = {name: arrays[f"continuous_{name}"] for name in _STAGES}
        trace = replace(trace, **stages)
    dag = WeightedDAG(**{name: arrays[name] for name in _EDGES})
    learned = Learned(
        dag=dag,
        noise_variances=arrays["noise_variances"],
        aside=arrays["aside"],
        **{name: record[name] for name in _PLAIN},
        status=Status(record["status"]),
        cautions=tuple(record["cautions"]),
        trace=trace,
        decisions=Decisions.from_record(record["decisions"]),
        shaped=arrays.get("shaped"),
        by_regimes=arrays.get("by_regimes"),
        doubted=arrays.get("doubted"),
        assumed=_assumed(arrays),
        certificate=Certificate(
            dag=dag,
            **record["certificate"],
            noise=record["decisions"]["noise"],
            knowledge=Masks(*(arrays.get(name) for name in _MASKS)),
            aside=arrays["not_searched"],
        ),
    )
    moments = from_parts(record, arrays)
    if any(record[name] != value for name, value in to_parts(moments)[0].items()):
        raise ValueError("what is kept is not what is said of it")
    if not (learned.noise_variances[dag.order] >= 0.0).all():
        raise ValueError("a variance is negative")
    settings = _settings(record["settings"], learned.certificate.knowledge)
    sure = record.get("confidence")
    if sure is not None:
        parts: dict[str, Any] = {name: arrays[f"confidence_{name}"] for name in _BELIEFS}
        told = {name: sure[name] for name in _BELIEF}
        told["determined"] = None
        if "determined_pairs" in record:
            told["determined"] = np.isin(np.arange(len(parts["link"])), record["determined_pairs"])
        told["named"] = None
        if "named_pairs" in record:
            told["named"] = np.isin(np.arange(len(parts["link"])), record["named_pairs"])
        told["opposed"] = tuple((i, j, p) for i, j, p in record.get("opposed_names", []))
        told["dependent"] = record.get("dependent_rows", False)
        told["smaller"] = record.get("smaller_group", 0.0)
        told["n_usual"] = record.get("replicates_usual", 0)
        told["stopped"] = record.get("replicates_stopped", "")
        sure = Confidence(moments.labels, **parts, **told)
        sure.of_edges(dag)  # they are all there
    columns = record.get("columns")
    schema = None if columns is None else Schema.from_record(columns)
    if schema is not None and (
        schema.names != moments.labels
        or len(schema.kinds) != moments.d
        or not {*schema.names} <= {*schema.source}
    ):
        raise ValueError("the columns are not those of the moments")
    return Saved(
        settings,
        record["library"],
        record["n_dropped"],
        moments,
        learned,
        sure,
        schema,
        record.get("left_out", {}),
        dict(record.get("scored", {})),
        _labels(record.get("regime_labels"), arrays),
        record.get("source"),
        _resampled(arrays, moments),
        record.get("made_by", ""),
        record.get("data_hash", ""),
        _rows(arrays, moments),
        record["daglock"],
    )


def _assumed(arrays: Mapping[str, NDArray[Any]]) -> Assumed | None:
    """Return the columns that come first by their names."""
    if "assumed" not in arrays:
        return None
    return Assumed(arrays["assumed"].astype(np.intp), arrays["assumed_first"])


def _resampled(arrays: Mapping[str, NDArray[Any]], moments: Statistics) -> Resampled | None:
    """Return the covariances of the replicates, if they were kept."""
    if "resampled" not in arrays:
        return None
    packed, whole = arrays["resampled"], moments.covariances
    if whole is None or not len(packed):
        raise ValueError("there is nothing to resample")
    groups, d, _ = whole.shape
    if packed.shape[1:] != (groups, d + d * (d - 1) // 2) or not np.isfinite(packed).all():
        raise ValueError("the draws are not those of the moments")
    return Resampled(packed)


def _rows(arrays: Mapping[str, NDArray[Any]], moments: Statistics) -> NDArray[Any] | None:
    """Return the rows, if they were kept."""
    rows = arrays.get("rows")
    if rows is not None and rows.shape != (moments.n_rows, moments.d):
        raise ValueError("the rows are not those of the moments")
    return rows


def _labels(labels: Any, arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.str_] | None:
    """Return the regime of each row."""
    return None if labels is None else np.array(labels, dtype=np.str_)[arrays["regime_of"]]


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as JSON can hold them; masks and generators are left out."""
    result: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, Knowledge):
            result[name] = value.to_dict()
        elif name == "columns" and isinstance(value, Mapping):
            result[name] = {
                given_name(key): said if isinstance(said, str) else list(map(level_text, said))
                for key, said in value.items()
            }
        elif isinstance(value, np.ndarray | np.generic):
            result[name] = value.tolist()
        elif value is None or isinstance(value, str | int | float | list):
            result[name] = value
    return result


def _settings(plain: Mapping[str, Any], known: Masks) -> dict[str, Any]:
    """Undo `_plain`; knowledge that was given as masks is that of the certificate."""
    settings = dict(plain)
    if isinstance(settings.get("knowledge"), dict):
        settings["knowledge"] = Knowledge.from_dict(settings["knowledge"])
    elif "knowledge" not in settings and not known.is_empty:  # it was masks
        settings["knowledge"] = known
    if isinstance(settings.get("start"), list):
        settings["start"] = np.array(settings["start"])
    return settings
