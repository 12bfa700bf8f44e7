"""Kinds of columns: what a column of a table is, and so what may be done with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any


class Kind(Enum):
    """What a column is."""

    CONTINUOUS = "continuous"
    ORDINAL = "ordinal"
    COUNT = "count"
    BINARY = "binary"
    CATEGORICAL = "categorical"
    DATE = "date"
    IDENTIFIER = "identifier"
    CONSTANT = "constant"
    REGIME = "regime"
    IGNORE = "ignore"

    @property
    def is_used(self) -> bool:
        """Whether a column of this kind is a variable of the graph."""
        return self in (
            Kind.CONTINUOUS,
            Kind.ORDINAL,
            Kind.COUNT,
            Kind.BINARY,
            Kind.CATEGORICAL,
        )


@dataclass(frozen=True)
class ColumnKind:
    """What one column is, and how that is known.

    Attributes
    ----------
    kind : Kind
    levels : what the codes 0, 1, ... in the data stand for; None where values are numbers as
        they were.
    reason : why, in words that follow "because"; empty where there is nothing to say.
    given : whether the user said so.
    """

    kind: Kind
    levels: tuple[str, ...] | None = None
    reason: str = ""
    given: bool = False


CONTINUOUS = ColumnKind(Kind.CONTINUOUS)


def not_regimes(left_out: Mapping[str, str]) -> dict[str, str]:
    """Return the columns that were left out for another reason than to tell regimes."""
    return {name: why for name, why in left_out.items() if why != Kind.REGIME.value}


@dataclass(frozen=True)
class Schema:
    """Which columns a table has, and what they are.

    Attributes
    ----------
    names : of the columns that are used.
    kinds : of those columns.
    source : names of all columns, those that were left out too, as they came.
    has_names : whether the columns were called so, or are x0, x1, ... for want of names.
    """

    names: tuple[str, ...]
    kinds: tuple[ColumnKind, ...]
    source: tuple[str, ...]
    has_names: bool = True

    def to_record(self) -> dict[str, Any]:
        """Return the same for JSON."""
        kinds = [{**asdict(found), "kind": found.kind.value} for found in self.kinds]
        return {**asdict(self), "kinds": kinds}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Schema:
        """Undo `to_record`, also where JSON made tuples lists."""
        kinds = tuple(
            ColumnKind(
                Kind(found["kind"]),
                None if found["levels"] is None else tuple(found["levels"]),
                found["reason"],
                found["given"],
            )
            for found in record["kinds"]
        )
        return cls(tuple(record["names"]), kinds, tuple(record["source"]), record["has_names"])
