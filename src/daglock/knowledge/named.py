"""Knowledge by name: edges that are ruled out or known, tiers, roots and leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Integral
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from daglock.errors import InvalidParameterError
from daglock.graph import find_cycle
from daglock.knowledge.columns import REST, Columns, Name
from daglock.knowledge.files import read_parts
from daglock.knowledge.masks import Masks
from daglock.knowledge.orders import order_text, parse_order
from daglock.typing import BoolArray, IntArray
from daglock.wording import default_names, in_brief

Pair: TypeAlias = tuple[Name, Name]
Tier: TypeAlias = tuple[Name, ...]


@dataclass(frozen=True)
class Knowledge:
    """Hard knowledge about the graph, always obeyed.

    Variables go by the names of the columns; where the data have none, by index or as x0, x1, ...
    A ``*`` stands for any letters: ``gene_*`` means all columns that fit.

    Parameters
    ----------
    forbidden, required : pairs ``("a", "b")`` for a -> b, or strings ``"a -> b"``.
    tiers : groups in the order of time; no edge, and no path through others, leads from a later
        tier to an earlier one. Variables in no tier are free. (For edges alone: `forbidden`.)
        Also as text, ``"age, sex < bmi < *"``; several such lines hold side by side. A name of
        its own counts before a pattern, and ``"*"`` is all the others.
    roots, leaves : variables without causes, and without effects, in the table.

    Raises
    ------
    InvalidParameterError
        Something is not of this form. Contradictions and unknown names are found as soon as the
        columns are known, before anything runs.

    Examples
    --------
    >>> known = Knowledge(required=["dose -> outcome"], tiers=[["age"], ["dose"], ["outcome"]])
    >>> bool(known.masks(["age", "dose", "outcome"]).allowed[2, 0])
    False
    >>> Knowledge(required=[("a", "b"), ("b", "a")]).masks(["a", "b"])
    Traceback (most recent call last):
    daglock.errors.InvalidParameterError: What is required closes a cycle: a -> b -> a. Drop ...
    """

    forbidden: Sequence[Pair | str] = ()
    required: Sequence[Pair | str] = ()
    tiers: Sequence[Sequence[Name] | str] | str = ()
    roots: Sequence[Name] = ()
    leaves: Sequence[Name] = ()

    def __post_init__(self) -> None:
        for part in ("forbidden", "required"):
            pairs = tuple(_pair(part, pair) for pair in _listed(part, getattr(self, part)))
            object.__setattr__(self, part, pairs)
        lines = [self.tiers] if isinstance(self.tiers, str) else _listed("tiers", self.tiers)
        object.__setattr__(self, "tiers", tuple(map(_tier, lines)))
        for part in ("roots", "leaves"):
            object.__setattr__(self, part, _variables(part, getattr(self, part)))

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Knowledge:
        """Build from a mapping with any of the five parts.

        Examples
        --------
        >>> Knowledge.from_dict({"roots": ["age"]}).roots
        ('age',)
        """
        parts = [field.name for field in fields(cls)]
        if not isinstance(content, Mapping):
            raise InvalidParameterError(
                f"Knowledge must have the parts {', '.join(parts)}; got {in_brief(content)}."
            )
        for part in content:
            if part not in parts:
                raise InvalidParameterError(
                    f"Knowledge has no part {in_brief(part)}; its parts are {', '.join(parts)}."
                )
        return cls(**{part: value for part, value in content.items() if value is not None})

    @classmethod
    def from_file(cls, path: str | Path) -> Knowledge:
        """Read knowledge from YAML or JSON with any of the five parts, or as Tetrad writes it."""
        parts = read_parts(Path(path))
        try:
            return cls.from_dict(parts)
        except InvalidParameterError as error:
            raise InvalidParameterError(f"In {path}: {error}") from error

    @classmethod
    def of(cls, known: object) -> Knowledge:
        """Return what is known, given as `Knowledge`, a mapping of its parts, or a file.

        Examples
        --------
        >>> Knowledge.of({"tiers": "age < *"}).tiers
        ('age < *',)
        """
        if isinstance(known, Knowledge):
            return known
        if isinstance(known, Mapping):
            return cls.from_dict(known)
        if isinstance(known, str | Path):
            return cls.from_file(known)
        raise InvalidParameterError(
            "knowledge must be a Knowledge, such as Knowledge(roots=['age']), a dictionary of its "
            f"parts, or the path of a file; got {in_brief(known)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the parts as lists, for JSON or YAML."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: [list(item) if isinstance(item, tuple) else item for item in part]
            for name, part in parts.items()
        }

    def __or__(self, other: Knowledge) -> Knowledge:
        """Return what both say.

        Examples
        --------
        >>> (Knowledge(tiers=[["age"], ["dose"]]) | Knowledge(tiers="sex < *")).tiers
        (('age',), ('dose',), 'sex < *')
        """
        if not isinstance(other, Knowledge):
            return NotImplemented
        parts = {f.name: (*getattr(self, f.name), *getattr(other, f.name)) for f in fields(self)}
        if any(isinstance(tier, tuple) for tier in self.tiers):
            # its lists are an order of their own, beside that of the first
            orders = map(order_text, other._orders()) if other.tiers else ()
            parts["tiers"] = (*self.tiers, *orders)
        return Knowledge(**parts)

    def without(self, names: Collection[Name]) -> Knowledge:
        """Return what is known of other variables than these.

        Examples
        --------
        >>> Knowledge(tiers="id, age < dose", required=["id -> dose"]).without(["id"]).to_dict()
        {'forbidden': [], 'required': [], 'tiers': ['age < dose'], 'roots': [], 'leaves': []}
        """

        def rest(some: Iterable[Name]) -> Tier:
            return tuple(name for name in some if name not in names)

        tiers: list[Tier | str] = []
        for tier in self.tiers:
            if isinstance(tier, str):
                order = [kept for some in parse_order(tier) if (kept := rest(some))]
                tiers += [order_text(order)] if len(order) > 1 else []
            elif kept := rest(tier):
                tiers.append(kept)
        gone = set(names)
        return Knowledge(
            [pair for pair in self.forbidden if not gone & set(pair)],
            [pair for pair in self.required if not gone & set(pair)],
            tiers,
            rest(self.roots),
            rest(self.leaves),
        )

    def unknown(self, columns: Sequence[str]) -> tuple[Name, ...]:
        """Return the names and patterns that fit none of these columns.

        Examples
        --------
        >>> Knowledge(roots=["age", "gene_*"]).unknown(["age", "bmi"])
        ('gene_*',)
        """
        index = Columns(columns)
        for name, part in self._named():
            index.find(name, part)
        return tuple(dict.fromkeys(name for name, _ in index.unknown))

    def named(self, columns: Sequence[str]) -> frozenset[str]:
        """Return the columns that are named, by themselves or by a pattern, but not by ``*``.

        Examples
        --------
        >>> sorted(Knowledge(tiers="age < *").named(["age", "bmi"]))
        ['age']
        """
        index = Columns(columns)
        found = (index.find(name, part) for name, part in self._named() if name != REST)
        return frozenset(columns[v] for some in found for v in some)

    def placed(self, columns: Sequence[str]) -> frozenset[str]:
        """Return the columns that tiers, roots, leaves or a required cause place among the others.

        Examples
        --------
        >>> known = Knowledge(tiers="a < *", forbidden=["b -> c"], required=["c -> d"])
        >>> sorted(known.placed(["a", "b", "c", "d", "e"]))
        ['a', 'd']
        """
        index = Columns(columns)
        placing = ("tiers", "roots", "leaves")
        said = [name for name, part in self._named() if part in placing and name != REST]
        said += [_pair("required", pair)[1] for pair in self.required]
        found = (index.find(name, "tiers") for name in said)
        return frozenset(columns[v] for some in found for v in some)

    def _named(self) -> Iterator[tuple[Name, str]]:
        """Iterate over all names, each with the part that it stands in."""
        for order in self._orders():
            yield from ((name, "tiers") for tier in order for name in tier)
        for part in ("roots", "leaves"):
            yield from ((name, part) for name in getattr(self, part))
        for part in ("forbidden", "required"):
            yield from ((name, part) for pair in getattr(self, part) for name in pair)

    def _orders(self) -> list[Sequence[Tier]]:
        """Return the orders that hold side by side: that of the lists, and one for each line."""
        lists = [tuple(tier) for tier in self.tiers if not isinstance(tier, str)]
        lines = [parse_order(tier) for tier in self.tiers if isinstance(tier, str)]
        return [lists, *lines] if lists else [*lines]

    def masks(self, names: Sequence[str]) -> Masks:
        """Turn names into masks over these columns, or say what contradicts what."""
        index, d = Columns(names), len(names)
        for name, part in self._named():
            index.find(name, part)
        index.require_known()
        before = _nothing(d)
        for order in self._orders():
            level = _levels(order, index)
            before |= (level[:, None] >= 0) & (level[:, None] < level[None, :])
        roots, leaves = (
            [v for name in getattr(self, part) for v in index.find(name, part)]
            for part in ("roots", "leaves")
        )
        free = ~before.T
        free[:, roots] = False
        free[leaves] = False
        forbidden = _cells(self.forbidden, "forbidden", index)
        required = _cells(self.required, "required", index)
        for a, b in np.argwhere(required & (forbidden | ~free)).tolist():
            if forbidden[a, b]:
                why = "it is forbidden too"
            elif b in roots:
                why = f"{names[b]} is a root"
            else:
                why = f"{names[a]} is a leaf" if a in leaves else "the tiers forbid it"
            raise InvalidParameterError(
                f"{names[a]} -> {names[b]} is required, but {why}: drop one of them."
            )
        _refuse_cycle(required, before, names)
        free &= ~forbidden
        np.fill_diagonal(free, True)
        masks = (
            None if free.all() else free,
            required if required.any() else None,
            before if before.any() else None,
        )
        return Masks(*masks)


def knowledge_masks(
    d: int,
    *,
    forbidden: Iterable[tuple[int, int]] = (),
    required: Iterable[tuple[int, int]] = (),
    tiers: Iterable[Iterable[int]] = (),
) -> Masks:
    """Return the masks of knowledge about d variables that go by their indices.

    Examples
    --------
    >>> masks = knowledge_masks(3, required=[(0, 1)], tiers=[[2], [0, 1]])
    >>> bool(masks.allowed[0, 2]), bool(masks.before[2, 0]), bool(masks.required[0, 1])
    (False, True, True)
    """
    known = Knowledge(list(forbidden), list(required), [list(tier) for tier in tiers])
    return known.masks(default_names(d))


def _levels(order: Sequence[Tier], index: Columns) -> IntArray:
    """Return the tier of each column, -1 for those in none.

    A name counts before a pattern, and a pattern before the star that means all the others.
    """
    level = np.full(len(index.names), -1, dtype=np.intp)
    rank = np.full(len(index.names), 3, dtype=np.intp)
    for k, tier in enumerate(order):
        for name in tier:
            own = 2 if name == REST else 1 if index.is_pattern(name) else 0
            for v in index.find(name, "tiers"):
                if rank[v] == own and (own == 0 or level[v] != k):
                    raise InvalidParameterError(
                        f"{index.names[v]!r} is in two tiers, or twice in one."
                    )
                if own < rank[v]:
                    level[v], rank[v] = k, own
    return level


def _cells(pairs: Sequence[Any], part: str, index: Columns) -> BoolArray:
    """Return the matrix in which these pairs are marked; a pattern is never its own cause."""
    marks = _nothing(len(index.names))
    for first, second in pairs:
        causes, effects = index.find(first, part), index.find(second, part)
        cells = np.ix_(causes, effects)
        marks[cells] = True
        if causes == effects and len(causes) == 1:
            raise InvalidParameterError(
                f"{part} has {first} -> {second}: an edge joins two different columns."
            )
    np.fill_diagonal(marks, False)
    return marks


def _nothing(d: int) -> BoolArray:
    """Return a matrix of d rows and columns in which nothing is marked."""
    return np.zeros((d, d), dtype=np.bool_)


def _refuse_cycle(required: BoolArray, before: BoolArray, names: Sequence[str]) -> None:
    """Raise the error that shows a cycle of required edges and steps between tiers."""
    if not required.any() and not before.any():
        return
    cycle = find_cycle(required | before)
    if cycle is None:
        return
    steps = list(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    path = " -> ".join(names[v] for v in [*cycle, cycle[0]])
    tiers = ", ".join(f"{names[a]} before {names[b]}" for a, b in steps if not required[a, b])
    by_tiers = f" (the tiers put {tiers})" if tiers else ""
    if all(not required[step] for step in steps):
        raise InvalidParameterError(f"The tiers contradict each other: {tiers}. Drop one of these.")
    raise InvalidParameterError(
        f"What is required closes a cycle: {path}{by_tiers}. Drop one of these."
    )


def _listed(part: str, value: object) -> list[Any]:
    """Return a list, or say that one is needed: a lone string is a slip."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidParameterError(f"{part} must be a list; got {in_brief(value)}.")
    return list(value)


def _tier(value: object) -> Tier | str:
    """Return a tier from a list, or a whole order from a line, which must be one."""
    if isinstance(value, str) and ("<" in value or ">" in value or "," in value):
        return order_text(parse_order(value))
    return _variables("tiers", value)


def _variables(part: str, value: object) -> tuple[Name, ...]:
    """Return names and indices as a tuple."""
    return tuple(_variable(part, name) for name in _listed(part, value))


def _variable(part: str, name: object) -> Name:
    """Return a name or an index."""
    if isinstance(name, bool) or name is None:
        raise InvalidParameterError(
            f"{part} has {name!r} where a column is named; in YAML put names such as no in quotes."
        )
    if isinstance(name, Integral):
        return int(name)
    if isinstance(name, str):
        return name
    raise InvalidParameterError(f"{part} has {in_brief(name)} where a column is named.")


def _pair(part: str, pair: object) -> Pair:
    """Return a pair from a pair or from an arrow."""
    ends = [end.strip() for end in pair.split("->")] if isinstance(pair, str) else pair
    if not isinstance(ends, Sequence) or len(ends) != 2:
        raise InvalidParameterError(
            f"{part} has {in_brief(pair)}; it takes pairs like ('a', 'b') or 'a -> b'."
        )
    return _variable(part, ends[0]), _variable(part, ends[1])
