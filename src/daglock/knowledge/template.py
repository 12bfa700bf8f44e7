"""A file of knowledge to fill in: every part in comments, with the columns of a table."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence

from daglock.knowledge.names import given_by_name, last_by_name, perhaps_given

_WIDTH = 96
# YAML reads these as truth values or as nothing.
_KEYWORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
_PLAIN = re.compile(r"[^\W\d](?:[\w.-]*\w)?", re.ASCII)


def knowledge_template(
    columns: Sequence[str], *, source: str = "data.csv", left_out: Mapping[str, str] | None = None
) -> str:
    """Return YAML that says nothing as it stands; what is uncommented holds.

    Parameters
    ----------
    columns : names of the variables, two or more.
    source : how the table is called.
    left_out : columns that are no variables, and why.

    Examples
    --------
    >>> text = knowledge_template(["bmi", "age", "outcome"])
    >>> [line for line in text.splitlines() if line.startswith("#  - [")]
    ['#  - [age]', '#  - [bmi, outcome]']
    """
    asked = [name for name in columns if perhaps_given(name)]
    given = [name for name in columns if given_by_name(name)] or asked or [columns[0]]
    if len(given) == len(columns):
        given = [columns[0]]
    others = [name for name in columns if name not in given]
    late = [name for name in others if last_by_name(name)]
    # A treatment in the last column is no outcome, and acts on what is measured.
    late = late or [name for name in others if name not in asked][-1:]
    pair = (given[0], late[-1]) if late else None
    gone = "".join(
        f"\n#   {_scalar(name)} ({_line(why)})" for name, why in (left_out or {}).items()
    )
    return f"""\
# What is known about the columns of {_line(source)} before anything is learned; always obeyed.
# As it stands this file says nothing. Take away the # before what you know, then
#
#   daglock learn {_line(source)} --knowledge THIS_FILE
#
# The lines below are only proposals, made from the names. A * stands for any letters: "gene_*".
#
# The columns:
{_flow("#   ", columns)}
{f"# Left out of the graph:{gone}{chr(10)}" if gone else ""}#
# --- Tiers: what comes before what, from early to late. Nothing in a later tier causes anything
# in an earlier one, directly or through others. Columns in no tier are free; "*" is all that is
# in no other tier.
#
#tiers:
{_item(given)}
{_item(others)}
#
# --- Roots have no cause in the table: age, sex, what was randomised.
#
#roots:
{_item(given, each=True)}
#
# --- Leaves have no effect in the table: an outcome that was measured last.
#
#leaves:
{_item(late, each=True) if late else "#  []"}
#
# --- Edges that cannot be, cause -> effect.
#
#forbidden:
#  {f"- {_pair(*pair[::-1])}" if pair else "[]"}
#
# --- Edges that must be, cause -> effect.
#
#required:
#  {f"- {_pair(*pair)}" if pair else "[]"}
"""


def _item(names: Sequence[str], *, each: bool = False) -> str:
    """Return names as an item of a list, or each as one, in comments."""
    if each:
        return "\n".join(f"#  - {_scalar(name)}" for name in names)
    lines = _flow("#    ", names).splitlines()
    return "\n".join([f"#  - [{lines[0].lstrip('# ')}", *lines[1:]]) + "]"


def _flow(indent: str, names: Sequence[str]) -> str:
    """Return names with commas, in lines that begin so and are never broken inside a name."""
    lines, line = [], ""
    for k, name in enumerate(names):
        word = _scalar(name) + ("," if k + 1 < len(names) else "")
        if line and len(line) + 1 + len(word) > _WIDTH - len(indent):
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()
    return "\n".join(f"{indent}{line}" for line in [*lines, line])


def _pair(cause: str, effect: str) -> str:
    """Return a pair as an arrow, or as a list where an arrow could be misread."""
    if all(_PLAIN.fullmatch(name) for name in (cause, effect)):
        return f"{cause} -> {effect}"
    return f"[{_scalar(cause)}, {_scalar(effect)}]"


def _scalar(name: str) -> str:
    """Return a name as YAML reads it back."""
    if _PLAIN.fullmatch(name) and name.lower() not in _KEYWORDS:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    signs = (c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped)
    return f'"{"".join(signs)}"'


def _line(text: str) -> str:
    """Return a text that stays in its line of comments."""
    return textwrap.shorten("".join(c if c.isprintable() else " " for c in text), 200)
