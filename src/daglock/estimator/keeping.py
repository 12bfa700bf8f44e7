"""What was kept of a table, as the parts of a file: numbers, names and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from daglock.blocks import Blocks
from daglock.counts import Counts
from daglock.curves import Curves
from daglock.moments import Moments
from daglock.regimes import Part, Regimes
from daglock.surfaces import Surfaces
from daglock.typing import Statistics

Arrays = Mapping[str, NDArray[Any]]


def to_parts(moments: Statistics) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return plain values, and arrays by name."""
    record: dict[str, Any] = {
        "kept": type(moments).__name__,
        "n": moments.n,
        "n_rows": moments.n_rows,
        "missing_share": moments.missing,
        "names": None if moments.names is None else list(moments.names),
    }
    if isinstance(moments, Counts):
        record["levels"] = [list(own) for own in moments.levels]
        return record, {
            "codes": moments.codes,
            "count": moments.weight,
            "means": moments.means,
        }
    if isinstance(moments, Blocks):
        columns, more = moments.columns, {"first": moments.first, "table_means": moments.means}
        record["block_columns"] = list(columns.labels)
        record["levels"] = [None if own is None else list(own) for own in moments.levels]
    else:
        assert isinstance(moments, Moments)
        columns, more = moments, {}
    if isinstance(columns, Curves):
        record |= {"n_functions": columns.n_functions, "sharpness": columns.sharpness}
        more |= {"gram": columns.gram}
        if columns.surfaces is not None:
            record["surface_width"] = columns.surfaces.width
            more |= {"surfaces": columns.surfaces.cost}
    arrays = {"means": columns.means, "cov": columns.cov, "resolution": columns.resolution}
    if isinstance(columns, Regimes):
        record |= {
            "regimes": list(columns.regimes),
            "interventions": columns.interventions,
            "common": columns.common,
        }
        more |= _regime_arrays(columns)
    return record, {**arrays, **more}


def _regime_arrays(kept: Regimes) -> dict[str, NDArray[Any]]:
    """Return what is kept of regimes as arrays."""
    sizes = [len(part.factor) for part in kept.parts]
    arrays: dict[str, NDArray[Any]] = {
        "regime_sizes": kept.sizes,
        "regime_means": np.array([part.mean for part in kept.parts]),
        "regime_first": np.cumsum([0, *sizes]),
        "regime_factor": np.concatenate([part.factor for part in kept.parts]),
    }
    return arrays if kept.changed is None else {**arrays, "regime_changed": kept.changed}


def _with_regimes(columns: Moments, record: Mapping[str, Any], arrays: Arrays) -> Moments:
    """Return moments with what was kept of regimes, if there are any."""
    if record.get("regimes") is None:
        return columns
    first, factor = arrays["regime_first"], arrays["regime_factor"].reshape(-1, columns.d)
    parts = tuple(
        Part(int(n), mean, factor[first[g] : first[g + 1]])
        for g, (n, mean) in enumerate(
            zip(arrays["regime_sizes"], arrays["regime_means"], strict=True)
        )
    )
    return Regimes(
        **vars(columns),
        regimes=tuple(map(str, record["regimes"])),
        parts=parts,
        changed=arrays.get("regime_changed"),
        interventions=record["interventions"],
        common=record["common"],
    )


def _surfaces(d: int, record: Mapping[str, Any], arrays: Arrays) -> Surfaces | None:
    """Return what was kept of surfaces, if there are any."""
    if record.get("surface_width") is None:
        return None
    if arrays["surfaces"].shape != (1 << d, d):
        raise ValueError("the surfaces are not those of the columns")
    return Surfaces(record["surface_width"], arrays["surfaces"])


def from_parts(record: Mapping[str, Any], arrays: Arrays) -> Statistics:
    """Return what `to_parts` was made of.

    Raises
    ------
    ValueError, KeyError, TypeError, IndexError
    """
    names = None if record["names"] is None else tuple(record["names"])
    if record["kept"] == "Counts":
        levels = tuple(tuple(map(str, own)) for own in record["levels"])
        return Counts(arrays["codes"], arrays["count"], levels, arrays["means"], names)
    labels = tuple(record["block_columns"]) if record["kept"] == "Blocks" else names
    gaps = record["n_rows"], record["missing_share"]
    columns = Moments(
        arrays["cov"], record["n"], arrays["means"], labels, arrays["resolution"], *gaps
    )
    if record["kept"] == "Curves":
        gram, n_functions = arrays["gram"], record["n_functions"]
        if len(gram) != columns.d * n_functions or n_functions < 2:
            raise ValueError("the functions are not those of the columns")
        return Curves(
            **vars(columns),
            gram=gram,
            n_functions=n_functions,
            sharpness=record["sharpness"],
            surfaces=_surfaces(columns.d, record, arrays),
        )
    columns = _with_regimes(columns, record, arrays)
    if record["kept"] != "Blocks":
        return columns
    own = tuple(None if one is None else tuple(map(str, one)) for one in record["levels"])
    return Blocks(columns, arrays["first"], arrays["table_means"], own, names)
