"""Targets: which columns each regime intervenes on, as a user says it, checked by the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.regimes.regimes import Regimes, label_text
from daglock.wording import listed, plural

INTERVENTIONS = ("perfect", "imperfect", "shift")
# Rows without which nothing can be told of a mechanism.
_FEWEST = 4


def with_targets(
    kept: Regimes,
    targets: Mapping[Any, Any],
    interventions: str = "perfect",
    source: str = "targets",
) -> Regimes:
    """Return the moments with the mechanisms that regimes change; all faults are said at once.

    Parameters
    ----------
    kept : moments with regimes.
    targets : names of columns by the label of a regime; regimes that are not named have none.
    interventions : "perfect", "imperfect" or "shift", see `Regimes`.
    source : what messages call the targets: the argument, or a file.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(20, 2))
    >>> kept = Regimes.from_labelled(X, ["control"] * 10 + ["drug"] * 10, ["dose", "response"])
    >>> with_targets(kept, {"drug": ["dose"]}).changed.tolist()
    [[False, False], [True, False]]
    """
    if interventions not in INTERVENTIONS:
        raise InvalidParameterError(
            f"interventions must be perfect, imperfect or shift; got {interventions!r}."
        )
    told = as_names(targets, source)
    names, wrong = kept.labels, []
    changed = np.zeros((len(kept.regimes), kept.d), dtype=np.bool_)
    for label, columns in told.items():
        if label not in kept.regimes:
            wrong.append(f"regime {label!r} has no rows{_like(label, kept.regimes)}")
        for column in columns:
            if column not in names:
                wrong.append(
                    f"{column!r}, a target of {label!r}, is no variable{_like(column, names)}"
                )
            elif label in kept.regimes:
                changed[kept.regimes.index(label), names.index(column)] = True
    if wrong:
        raise InvalidParameterError(f"In {source}: {'; '.join(wrong)}.")
    result = replace(kept, changed=changed, interventions=interventions)
    _require_rows(result)
    return result


def as_names(targets: Mapping[Any, Any], source: str = "targets") -> dict[str, list[str]]:
    """Return targets as lists of names by label; a single name is a list of one."""
    if not isinstance(targets, Mapping):
        raise InvalidParameterError(
            f"{source[0].upper()}{source[1:]} must name the columns that each regime targets, such "
            f'as {{"drug": ["dose"]}}; got {type(targets).__name__}.'
        )
    result: dict[str, list[str]] = {}
    for label, columns in targets.items():
        if columns is None:
            own: list[Any] = []
        elif isinstance(columns, str) or not isinstance(columns, Iterable):
            own = [columns]
        else:
            own = list(columns)
        result[label_text(label)] = [label_text(column) for column in own]
    return result


def read_targets(path: Path) -> dict[str, list[str]]:
    """Read targets from a YAML or JSON file."""
    from daglock.knowledge.files import read_parts

    return as_names(read_parts(path, "targets"), str(path))


def _like(word: str, known: Sequence[str]) -> str:
    """Return what a misspelt word may have meant, or what there is."""
    close = get_close_matches(word, known, 1)
    return f" (did you mean {close[0]!r}?)" if close else f" (there is {listed(known, 6)})"


def _require_rows(kept: Regimes) -> None:
    """Raise the error that names the columns whose mechanism no rows tell of."""
    assert kept.changed is not None
    wrong = []
    for j, name in enumerate(kept.labels):
        own, *others = kept.groups(j)
        if kept.changed[:, j].all():
            wrong.append(f"{name!r} is a target in every regime, and no row tells what it follows")
        elif not any(kept.parts[g].factor[:, j].any() for g in own.members):
            wrong.append(f"{name!r} does not vary in the regimes that leave it alone")
        elif kept.rows_of(own) < _FEWEST:
            rows = plural(sum(kept.parts[g].n for g in own.members), "row")
            wrong.append(f"only {rows} tell of {name!r}, which all other regimes target")
        for other in others:
            g = other.members[0]
            if kept.rows_of(other) < _FEWEST:
                rows = plural(kept.parts[g].n, "row")
                wrong.append(
                    f"regime {kept.regimes[g]!r} has {rows}, too few to tell how {name!r} changed "
                    "there: take interventions for perfect, or leave that regime out"
                )
    if wrong:
        raise InvalidDataError(f"These targets cannot be: {'; '.join(wrong)}.")
