"""Normal scores in place of values: for which columns, and what is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from daglock.errors import InvalidParameterError
from daglock.table.misleading import find_misleading, score_candidates
from daglock.table.ranks import normal_scores
from daglock.table.table import Table
from daglock.wording import listed

SCORES = ("auto", "raw", "normal")


def apply_scores(
    table: Table, how: str = "auto", keep: Iterable[int] = (), judged: Table | None = None
) -> tuple[Table, dict[str, str]]:
    """Return the table with normal scores in some of its columns, and why, by their names.

    Parameters
    ----------
    how : "raw" changes nothing, "normal" scores every column of numbers with more than two values,
        "auto" those of which `find_misleading` says that raw values mislead.
    keep : columns that stay as they are, such as those that add up: ranks do not.
    judged : the table by which it is judged whether raw values mislead, such as one without the
        shifts between regimes; this one by default.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.normal(size=500)
    >>> price = np.exp(2 * dose + rng.normal(size=500))
    >>> scored, why = apply_scores(Table(np.column_stack([dose, price]), ("dose", "price")))
    >>> list(why), scored.data[:, 0] is dose, bool(abs(scored.data[:, 1].std() - 1) < 1e-9)
    (['price'], False, True)
    """
    if how not in SCORES:
        raise InvalidParameterError(
            f"scores must be {', '.join(SCORES[:-1])} or normal; got {how!r}."
        )
    if how == "raw":
        return table, {}
    if how == "normal":
        kept = set(keep)
        chosen = {j: "as was asked for" for j in score_candidates(table).tolist() if j not in kept}
    else:
        with np.errstate(over="ignore", invalid="ignore"):  # Moments refuses what is too large
            chosen = find_misleading(table if judged is None else judged, keep)
    return score_columns(table, chosen), {table.labels[j]: why for j, why in chosen.items()}


def scores_sentence(scores: Mapping[str, str]) -> str:
    """Say which columns were learned by their ranks, why, and how to have it otherwise.

    Examples
    --------
    >>> print(scores_sentence({"price": "skewed (skewness 4.1)"}))
    Ranks (normal scores) stand for the values of price (skewed): weights are in standard
    deviations of these; scores="raw" (--scores raw) keeps the values.
    """
    return (
        f"Ranks (normal scores) stand for the values of {listed(in_short(scores))}: weights are in "
        'standard deviations of these; scores="raw" (--scores raw) keeps the values.'
    )


def in_short(scores: Mapping[str, str]) -> list[str]:
    """Return columns with the reasons why they are scored, those with one reason together."""
    alike: dict[str, list[str]] = {}
    for name, why in scores.items():
        alike.setdefault(re.split(r" \(|:|,", why)[0], []).append(name)
    return [f"{listed(names)} ({why})" for why, names in alike.items()]


def score_columns(table: Table, columns: Iterable[int]) -> Table:
    """Return the table with normal scores in these columns."""
    columns = list(columns)
    if not columns:
        return table
    data = np.array(table.data, dtype=np.float64)
    for j in columns:
        data[:, j] = normal_scores(data[:, j])
    return replace(table, data=data)
