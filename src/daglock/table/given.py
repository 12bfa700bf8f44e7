"""What a user says that columns are: ``columns={...}``, or a file of the same in YAML or JSON."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daglock._files import replacing
from daglock.errors import InvalidParameterError
from daglock.table.kinds import ColumnKind, Kind
from daglock.table.noted import parse_note, read_note
from daglock.table.table import Table
from daglock.wording import in_brief, listed

ENDINGS = (".yaml", ".yml", ".json")
_KINDS = tuple(kind.value for kind in Kind)
_HEADER = """\
# What the columns of {title} are, as found by looking. Edit it, and give it back:
#   daglock learn {title} --columns {file}
# Variables: continuous, ordinal, count, binary, categorical. A list is text in its order:
#   grade: [low, mid, high]
# Left out: ignore, identifier, date, constant. A batch, site or experiment: regime.
"""


@dataclass(frozen=True)
class Given:
    """What a user says of one column; levels are in their order."""

    kind: Kind
    levels: tuple[str, ...] | None = None


def check_given(columns: Any, names: Sequence[str]) -> dict[str, Given]:
    """Return what is said of each column, or raise one error with all that is wrong with it.

    Examples
    --------
    >>> check_given({"sex": "binary"}, ["age", "sex"])["sex"].kind.value
    'binary'
    >>> check_given({"sxe": "categoricl"}, ["age", "sex"])
    Traceback (most recent call last):
        ...
    daglock.errors.InvalidParameterError: columns names 'sxe', which is no column: did you mean \
'sex'? And 'categoricl' is no kind of column: did you mean 'categorical'?
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise InvalidParameterError(
            "columns must say by name what columns are, such as {'sex': 'categorical'}; got "
            f"{in_brief(columns)}."
        )
    result, wrong = {}, []
    for key, said in columns.items():
        name = given_name(key)
        if name not in names:
            called = [repr(name) for name in names]
            hint = did_you_mean(str(key), names) or f"the columns are {listed(called, 8)}."
            if said == Kind.REGIME.value:
                wrong.append(f"There is no column {key!r} of regimes: {hint}")
            else:
                wrong.append(f"columns names {key!r}, which is no column: {hint}")
        try:
            result[name] = _given(said)
        except InvalidParameterError as error:
            wrong.append(str(error))
    if wrong:
        raise InvalidParameterError(" And ".join(dict.fromkeys(wrong)))
    return result


def given_name(key: Any) -> str:
    """Return the name of a column; those of arrays are called by their number, too."""
    return f"x{key}" if isinstance(key, int) else str(key)


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """Return a question after a name that nothing has, or nothing."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"did you mean {close[0]!r}?" if close else ""


def _given(said: Any) -> Given:
    """Read what is said of one column: a kind, or levels in their order."""
    if isinstance(said, str):
        if said not in _KINDS:
            hint = did_you_mean(said, _KINDS) or f"the kinds are {', '.join(_KINDS)}."
            raise InvalidParameterError(f"{in_brief(said)} is no kind of column: {hint}")
        return Given(Kind(said))
    if isinstance(said, Sequence):
        try:
            levels = tuple(map(level_text, said))
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidParameterError(
                f"levels must be text or numbers; got {in_brief(said)}."
            ) from error
        if len(set(levels)) < max(2, len(levels)):
            raise InvalidParameterError(
                f"levels must be two or more, and differ; got {listed(map(repr, levels), 8)}."
            )
        return Given(Kind.BINARY if len(levels) == 2 else Kind.ORDINAL, levels)
    raise InvalidParameterError(
        f"{in_brief(said)} is neither a kind of column ({', '.join(_KINDS)}) nor a list of levels."
    )


def level_text(level: Any) -> str:
    """Return how a level is called: whole numbers without a point.

    Examples
    --------
    >>> level_text(2.0), level_text(0.5), level_text("low")
    ('2', '0.5', 'low')
    """
    if isinstance(level, str):
        return level
    number = float(level)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


def read_kinds(path: str | Path) -> dict[str, Any]:
    """Read what columns are from a YAML or JSON file: a kind or a list of levels for each name.

    In YAML all names and levels are text, also ``no``, ``1`` and ``2020-01-01``.
    """
    path = Path(path)
    what = "kinds of columns"
    content = parse_note(path, read_note(path, what), what, as_text=True)
    if not content:
        return {}
    if not isinstance(content, dict):
        raise InvalidParameterError(
            f"{path} must have a line for each column, such as 'sex: categorical'."
        )
    return content


def write_kinds(path: str | Path, table: Table, title: str) -> None:
    """Write what the columns of a table are, with the reasons as comments, for `read_kinds`."""
    path = Path(path)
    said = {name: _said(table.kind_of(name)) for name in table.columns}
    if path.suffix.lower() == ".json":
        text = json.dumps(said, indent=2, ensure_ascii=False) + "\n"
    else:
        lines = [f"{_scalar(name)}: {_written(kind)}" for name, kind in said.items()]
        width = min(max(map(len, lines)), 50)
        reasons = [_remark(table.kind_of(name)) for name in said]
        lines = [
            f"{line:<{width}}  # {reason}" if reason else line
            for line, reason in zip(lines, reasons, strict=True)
        ]
        text = _HEADER.format(title=title, file=path) + "\n" + "\n".join(lines) + "\n"
    with replacing(path) as file:
        file.write_text(text, encoding="utf-8")


def _said(found: ColumnKind) -> str | list[str]:
    """Return what says the same of a column as was found; an order that is not found is kept."""
    from daglock.table.words import in_order

    ordered = found.kind in (Kind.ORDINAL, Kind.BINARY)
    if ordered and found.levels is not None and found.levels != in_order(found.levels):
        return list(found.levels)
    return found.kind.value


def _remark(found: ColumnKind) -> str:
    """Return the comment on a column."""
    levels = ""
    if found.levels is not None and found.kind is not Kind.BINARY and "value" not in found.reason:
        levels = f"levels {listed(found.levels, 12)}"
    remarks = [found.reason, levels, "as given" if found.given and not found.reason else ""]
    return " ".join("; ".join(filter(None, remarks)).split())


def _written(said: str | list[str]) -> str:
    """Return a kind or levels as YAML."""
    return said if isinstance(said, str) else f"[{', '.join(map(_scalar, said))}]"


def _scalar(text: str) -> str:
    """Return a text as YAML that any reader takes for this text."""
    import yaml

    plain = text.isascii() and text.replace("_", "").replace("-", "").isalnum()
    if plain and yaml.safe_load(text) == text:
        return text
    return json.dumps(text, ensure_ascii=False)
