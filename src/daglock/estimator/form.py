"""What a file of a model must be like: which values and arrays, of which type and which size.

Sizes are letters: d variables, c columns (of blocks, where categories have several), e edges, r
regimes, and others that occur in one place. An array is looked at by what it says of itself, so
that nothing is allocated for one that cannot be right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from daglock.confidence.calibration import SPEAKERS

FORMAT = "daglock model"
VERSION = 8
# What version 7 lacked can be done without: draws, and what made the model.
READ = (7, 8)
Check = Callable[[Any], bool]
# Type and shape that an array says that it has.
Claim = tuple[np.dtype[Any], tuple[int, ...]]

_WHOLE, _FLOAT, _TRUTH = "<i8", "<f8", "|b1"
ARRAYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "order": (_WHOLE, ("d",)),
    "source": (_WHOLE, ("e",)),
    "target": (_WHOLE, ("e",)),
    "weight": (_FLOAT, ("e",)),
    "oriented": (_TRUTH, ("e",)),
    "noise_variances": (_FLOAT, ("d",)),
    "aside": (_WHOLE, ("aside",)),
    "not_searched": (_WHOLE, ("not searched",)),
    **dict.fromkeys(("allowed", "required", "before"), (_TRUTH, ("d", "d"))),
    **dict.fromkeys(("shaped", "by_regimes", "doubted"), (_TRUTH, ("e",))),
    **dict.fromkeys(
        ("continuous_mu", "continuous_change", "continuous_objective"), (_FLOAT, ("stages",))
    ),
    **dict.fromkeys(("continuous_n_sweeps", "continuous_n_nonzero"), (_WHOLE, ("stages",))),
    "continuous_fingerprint": ("<u8", ("stages",)),
    "means": (_FLOAT, ("c",)),
    "cov": (_FLOAT, ("c", "c")),
    "resolution": (_FLOAT, ("c",)),
    "gram": (_FLOAT, ("functions", "functions")),
    "surfaces": (_FLOAT, ("sets", "d")),
    "first": (_WHOLE, ("d + 1",)),
    "table_means": (_FLOAT, ("d",)),
    "codes": ("<i2", ("d", "rows that differ")),
    "count": (_FLOAT, ("rows that differ",)),
    "regime_sizes": (_WHOLE, ("r",)),
    "regime_means": (_FLOAT, ("r", "c")),
    "regime_first": (_WHOLE, ("r + 1",)),
    "regime_factor": (_FLOAT, ("rows of factors", "c")),
    "regime_changed": (_TRUTH, ("r", "d")),
    "assumed": (_WHOLE, ("assumed",)),
    "assumed_first": (_TRUTH, ("assumed", "d")),
    "regime_of": (_WHOLE, ("rows",)),
    "rows": (_FLOAT, ("rows", "d")),
    "resampled": ("<f4", ("replicates", "groups", "columns and pairs")),
    **dict.fromkeys(("confidence_source", "confidence_target"), (_WHOLE, ("pairs",))),
    **dict.fromkeys(
        ("confidence_link", "confidence_direction", "confidence_misfit", "confidence_hidden"),
        (_FLOAT, ("pairs",)),
    ),
    "confidence_alone": (_FLOAT, ("pairs", "speakers")),
    **dict.fromkeys(("confidence_in_graph", "confidence_known"), (_TRUTH, ("pairs",))),
}
# Sizes that are the same in every file: JSON keeps no width of a table without rows.
WIDTHS = {"speakers": len(SPEAKERS)}


class BrokenPartError(ValueError):
    """A part of a file is not what it must be; says which one."""


def _is_whole(value: Any) -> bool:
    """Whether it is a whole number, 0 or more."""
    return type(value) is int and 0 <= value < 2**53


def _is_number(value: Any) -> bool:
    """Whether it is a finite number, and no truth value."""
    return type(value) in (int, float) and abs(value) < 1e300 and math.isfinite(value)


def _is_positive(value: Any) -> bool:
    """Whether it is a number, 0 or more."""
    return _is_number(value) and value >= 0


def _is_text(value: Any) -> bool:
    """Whether it is text."""
    return isinstance(value, str)


def _is_truth(value: Any) -> bool:
    """Whether it is true or false."""
    return isinstance(value, bool)


def _is_mapping(value: Any) -> bool:
    """Whether it has names for its values."""
    return isinstance(value, dict)


def _maybe(check: Check) -> Check:
    """Return a check that takes None, too."""
    return lambda value: value is None or check(value)


def _all(check: Check) -> Check:
    """Return a check of every value of a list."""
    return lambda value: isinstance(value, list) and all(map(check, value))


def _each(check: Check) -> Check:
    """Return a check of every value that has a name."""
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def _one_of(*values: str) -> Check:
    """Return a check of one of a few words."""
    return lambda value: isinstance(value, str) and value in values


def _is_arrow(value: Any) -> bool:
    """Whether it is a cause, an effect and a probability."""
    if not isinstance(value, list) or len(value) != 3:
        return False
    return all(map(_is_text, value[:2])) and _is_positive(value[2]) and value[2] <= 1


def _are_names(value: Any) -> bool:
    """Whether they are different texts, and at least one."""
    return bool(value) and _all(_is_text)(value) and len(set(value)) == len(value)


# What is kept of data that were read in parts.
SOURCE = ("rows", "files", "bytes", "rows_looked_at")

_RECORD: dict[str, Check] = {
    **dict.fromkeys(("daglock", "status", "message"), _is_text),
    **dict.fromkeys(("n", "n_rows", "n_dropped", "n_restarts"), _is_whole),
    **dict.fromkeys(("settings", "decisions", "certificate"), _is_mapping),
    "kept": _one_of("Moments", "Regimes", "Blocks", "Counts", "Curves"),
    "missing_share": lambda value: _is_positive(value) and value < 1,
    "names": _maybe(_are_names),
    "library": _maybe(_one_of("pandas", "polars", "pyarrow", "modin", "cudf")),
    "columns": _maybe(_is_mapping),
    "left_out": _each(_is_text),
    "scored": _each(_is_text),
    "cautions": _all(_is_text),
    "scores": _each(_is_number),
    "search_scores": _all(_is_number),
    "regime_labels": _maybe(_are_names),
    "confidence": _maybe(_is_mapping),
}
# What there is of some tables only.
_SOME: dict[str, Check] = {
    "levels": _all(_maybe(_all(_is_text))),
    "block_columns": _are_names,
    "regimes": _are_names,
    "n_functions": _is_whole,
    **dict.fromkeys(("sharpness", "surface_width"), lambda value: _is_number(value) and value > 0),
    "interventions": _one_of("perfect", "imperfect", "shift"),
    **dict.fromkeys(("common", "dependent_rows"), _is_truth),
    **dict.fromkeys(("determined_pairs", "named_pairs"), _all(_is_whole)),
    "opposed_names": _all(_is_arrow),
    **dict.fromkeys(("made_by", "data_hash"), _is_text),
    "replicates_usual": _is_whole,
    "replicates_stopped": _one_of("", "time", "interrupt"),
    "smaller_group": lambda value: _is_positive(value) and value <= 0.5,
    "source": lambda value: _each(_is_whole)(value) and {*value} == {*SOURCE},
}
_INSIDE: dict[str, dict[str, Check]] = {
    "certificate": {
        "score": _is_number,
        **dict.fromkeys(("edge_cost", "kkt_residual"), _is_positive),
        **dict.fromkeys(("locally_optimal", "optimal"), _is_truth),
        **dict.fromkeys(("window", "max_parents"), _is_whole),
        "lower_bound": _maybe(_is_number),
    },
    "decisions": {
        **dict.fromkeys(("noise", "noise_reason", "price_reason", "start"), _is_text),
        **dict.fromkeys(("gamma", "first_gamma", "price"), _is_positive),
        "noise_gap": _maybe(_is_number),
        "exact": _is_truth,
        **dict.fromkeys(("n_restarts", "max_parents"), _is_whole),
    },
    "columns": {
        **dict.fromkeys(("names", "source"), _are_names),
        "kinds": _all(_is_mapping),
        "has_names": _is_truth,
    },
    "confidence": {"identifies": _is_text, "n_replicates": _is_whole},
}
_KIND: dict[str, Check] = {
    **dict.fromkeys(("kind", "reason"), _is_text),
    "levels": _maybe(_all(_is_text)),
    "given": _is_truth,
}


def is_current(record: Any) -> bool:
    """Whether a record is one of a model of a version that is read."""
    return bool(record["format"] == FORMAT and record.get("version") in READ)


def check_record(record: Mapping[str, Any]) -> None:
    """Raise the name of the first value that is missing, too much, or not what it must be.

    Examples
    --------
    >>> check_record({"status": 3})
    Traceback (most recent call last):
    daglock.estimator.form.BrokenPartError: daglock
    """
    known = {"format", "version", "checksum", *_RECORD, *_SOME}
    _require(record, _RECORD, known)
    _require(record, {name: check for name, check in _SOME.items() if name in record}, known)
    for part, checks in _INSIDE.items():
        if record[part] is not None:
            _require(record[part], checks, checks)
    if record["columns"] is not None:
        for kind in record["columns"]["kinds"]:
            _require(kind, _KIND, _KIND)


def _require(values: Mapping[str, Any], checks: Mapping[str, Check], known: Any) -> None:
    """Raise unless all values are there and as they must be, and no others."""
    for name, check in checks.items():
        if name not in values or not check(values[name]):
            raise BrokenPartError(name)
    for name in values:
        if name not in known:
            raise BrokenPartError(name)


def check_claims(claims: Mapping[str, Claim], record: Mapping[str, Any]) -> None:
    """Raise the name of an array of another type or size than it must have."""
    sizes: dict[str, int] = {}
    for letter, name in (("d", "names"), ("c", "block_columns"), ("r", "regimes")):
        if record.get(name) is not None:
            sizes[letter] = len(record[name])
    for name, (kind, shape) in claims.items():
        if name not in ARRAYS:
            raise BrokenPartError(name)
        wanted, letters = ARRAYS[name]
        if kind != np.dtype(wanted) or len(shape) != len(letters):
            raise BrokenPartError(name)
        for letter, size in zip(letters, shape, strict=True):
            own = "d" if letter == "c" and record["kept"] != "Blocks" else letter
            if not 0 <= sizes.setdefault(own, size) == size:
                raise BrokenPartError(name)
    for letter, name in (("d", "first"), ("r", "regime_first")):
        if f"{letter} + 1" in sizes and sizes[f"{letter} + 1"] != sizes[letter] + 1:
            raise BrokenPartError(name)
