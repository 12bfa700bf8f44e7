"""Knowledge by name: edges that are ruled out or known, tiers, roots and leaves."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from daglock.errors import InvalidParameterError
from daglock.graph import find_cycle
from daglock.knowledge.masks import Masks
from daglock.typing import BoolArray
from daglock.wording import default_names

Name: TypeAlias = str | int
Pair: TypeAlias = tuple[Name, Name]
Part: TypeAlias = Literal["forbidden", "required", "tiers", "roots", "leaves"]


@dataclass(frozen=True)
class Knowledge:
    """Hard knowledge about the graph, always obeyed.

    Variables go by the names of the columns; where the data have none, by index or as x0, x1, ...

    Parameters
    ----------
    forbidden, required : pairs ``("a", "b")`` for a -> b, or strings ``"a -> b"``.
    tiers : groups in the order of time; no edge, and no path through others, leads from a later
        tier to an earlier one. Variables in no tier are free. (For edges alone: `forbidden`.)
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
    tiers: Sequence[Sequence[Name]] = ()
    roots: Sequence[Name] = ()
    leaves: Sequence[Name] = ()

    def __post_init__(self) -> None:
        for part in ("forbidden", "required"):
            pairs = tuple(_pair(part, pair) for pair in _listed(part, getattr(self, part)))
            object.__setattr__(self, part, pairs)
        tiers = tuple(_variables("tiers", tier) for tier in _listed("tiers", self.tiers))
        object.__setattr__(self, "tiers", tiers)
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
                f"Knowledge must have the parts {', '.join(parts)}; got {content!r}."
            )
        for part in content:
            if part not in parts:
                raise InvalidParameterError(
                    f"Knowledge has no part {part!r}; its parts are {', '.join(parts)}."
                )
        return cls(**{part: value for part, value in content.items() if value is not None})

    @classmethod
    def from_file(cls, path: str | Path) -> Knowledge:
        """Read knowledge from a YAML or JSON file with any of the five parts."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8-sig")
        except OSError as error:
            raise InvalidParameterError(
                f"Knowledge cannot be read from {path}: {error.strerror}."
            ) from error
        except UnicodeDecodeError as error:
            raise InvalidParameterError(f"{path} is not UTF-8 text: save it as UTF-8.") from error
        content = _parsed(path, text)
        try:
            return cls.from_dict({} if content is None else content)
        except InvalidParameterError as error:
            raise InvalidParameterError(f"In {path}: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        """Return the parts as lists, for JSON or YAML."""
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: [list(item) if isinstance(item, tuple) else item for item in part]
            for name, part in parts.items()
        }

    def masks(self, names: Sequence[str]) -> Masks:
        """Turn names into masks over these columns, or say what contradicts what."""
        index, d = _Index(names), len(names)
        nodes = range(d)
        level: dict[int, int] = {}
        for k, tier in enumerate(self.tiers):
            for v in (index.find(name, "tiers") for name in tier):
                if v in level:
                    raise InvalidParameterError(f"{names[v]!r} is in two tiers, or twice in one.")
                level[v] = k
        before = {(a, b) for a in level for b in level if level[a] < level[b]}
        reasons = {(b, a): "the tiers forbid it" for a, b in before}
        for root in (index.find(name, "roots") for name in self.roots):
            reasons |= {(v, root): f"{names[root]} is a root" for v in nodes if v != root}
        for leaf in (index.find(name, "leaves") for name in self.leaves):
            reasons |= {(leaf, v): f"{names[leaf]} is a leaf" for v in nodes if v != leaf}
        for a, b in (index.pair(pair, "forbidden") for pair in self.forbidden):
            reasons[a, b] = "it is forbidden too"
        required = set()
        for a, b in (index.pair(pair, "required") for pair in self.required):
            if (a, b) in reasons:
                raise InvalidParameterError(
                    f"{names[a]} -> {names[b]} is required, but {reasons[a, b]}: drop one of them."
                )
            required.add((a, b))
        _refuse_cycle(required, before, names)
        free = _cells(reasons, d)
        return Masks(None if free is None else ~free, _cells(required, d), _cells(before, d))


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


class _Index:
    """Columns by name."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.position = {name: v for v, name in enumerate(names)}
        self.unnamed = tuple(names) == default_names(len(names))

    def find(self, name: Name, part: Part) -> int:
        """Return the index of a variable, or say that there is none, and which was meant."""
        if str(name) in self.position:
            return self.position[str(name)]
        if self.unnamed and isinstance(name, Integral) and 0 <= name < len(self.names):
            return int(name)
        close = get_close_matches(str(name), self.names, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        shown = ", ".join(self.names[:8]) + (", ..." if len(self.names) > 8 else "")
        raise InvalidParameterError(
            f"{part} names {name!r}, which is not a column: {hint}The columns are {shown}."
        )

    def pair(self, pair: Pair | str, part: Part) -> tuple[int, int]:
        """Return the indices of a pair of different variables."""
        first, second = _pair(part, pair)
        a, b = self.find(first, part), self.find(second, part)
        if a == b:
            raise InvalidParameterError(
                f"{part} has {first} -> {second}: an edge joins two different columns."
            )
        return a, b


def _refuse_cycle(
    required: set[tuple[int, int]], before: set[tuple[int, int]], names: Sequence[str]
) -> None:
    """Raise the error that shows a cycle of required edges and steps between tiers."""
    graph = _cells(required | before, len(names))
    cycle = None if graph is None else find_cycle(graph)
    if cycle is None:
        return
    steps = list(zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    path = " -> ".join(names[v] for v in [*cycle, cycle[0]])
    tiers = ", ".join(f"{names[a]} before {names[b]}" for a, b in steps if (a, b) not in required)
    by_tiers = f" (the tiers put {tiers})" if tiers else ""
    raise InvalidParameterError(
        f"What is required closes a cycle: {path}{by_tiers}. Drop one of these."
    )


def _cells(pairs: Collection[tuple[int, int]], d: int) -> BoolArray | None:
    """Return the matrix in which these pairs are marked; None where there are none."""
    marks = np.zeros((d, d), dtype=np.bool_)
    for pair in pairs:
        marks[pair] = True
    return marks if pairs else None


def _listed(part: str, value: object) -> list[Any]:
    """Return a list, or say that one is needed: a lone string is a slip."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InvalidParameterError(f"{part} must be a list; got {value!r}.")
    return list(value)


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
    raise InvalidParameterError(f"{part} has {name!r} where a column is named.")


def _pair(part: str, pair: object) -> Pair:
    """Return a pair from a pair or from an arrow."""
    ends = [end.strip() for end in pair.split("->")] if isinstance(pair, str) else pair
    if not isinstance(ends, Sequence) or len(ends) != 2:
        raise InvalidParameterError(
            f"{part} has {pair!r}; it takes pairs like ('a', 'b') or 'a -> b'."
        )
    return _variable(part, ends[0]), _variable(part, ends[1])


def _parsed(path: Path, text: str) -> Any:
    """Parse JSON if the file is called so, else YAML."""
    import yaml

    try:
        return json.loads(text) if path.suffix.lower() == ".json" else yaml.safe_load(text)
    except json.JSONDecodeError as error:
        raise InvalidParameterError(
            f"{path} is not JSON, line {error.lineno}: {error.msg}."
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise InvalidParameterError(f"{path} is not YAML{line}: {problem}.") from error
