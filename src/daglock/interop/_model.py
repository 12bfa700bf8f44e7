"""What every hand-off starts from: a fitted model, its edges by name, what a format cannot hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from daglock.errors import InvalidDataError, InvalidParameterError

if TYPE_CHECKING:
    from daglock.confidence.edges import ClaimedEdge
    from daglock.engine.learned import Learned
    from daglock.estimator import DAGLock


def fitted(model: DAGLock) -> Learned:
    """Return what the model learned; refuse what is no fitted DAGLock."""
    from sklearn.utils.validation import check_is_fitted

    if not hasattr(type(model), "claimed_edges"):
        raise InvalidParameterError(
            f"model must be a fitted DAGLock; got an object of type {type(model).__name__}."
        )
    check_is_fitted(model, "learned_")
    return model.learned_


def edges_of(model: DAGLock) -> list[ClaimedEdge]:
    """Return the edges by name with their claims, in the order of the sources' columns."""
    fitted(model)
    place = {name: k for k, name in enumerate(model.names_)}
    return sorted(model.claimed_edges(), key=lambda edge: place[edge.source])


def require_numbers(model: DAGLock, fmt: str) -> Learned:
    """Return what the model learned; refuse another than a linear one."""
    learned = fitted(model)
    if not model.is_linear_:
        has, besides = "categories", ", and effect(cause, effect) for the effects of levels"
        if model.is_curved_:
            has, besides = "curved effects", ""
        raise InvalidParameterError(
            f"The model has {has}, and {fmt} holds linear effects of numbers alone: take a format "
            f"of graphs, such as json, csv, dot or dagitty{besides}."
        )
    return learned


def require_names(names: Sequence[str], impossible: re.Pattern[str], fmt: str, why: str) -> None:
    """Refuse a name that the format has no way to write, rather than write another one."""
    for name in names:
        if impossible.search(name):
            raise InvalidDataError(
                f"The format {fmt} cannot hold the column name {name!r}: {why}. Rename the "
                "column, or take the format json, which holds every name."
            )
