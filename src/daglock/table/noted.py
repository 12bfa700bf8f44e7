"""Small files that people write, in YAML or JSON: what columns are, what is known, targets.

They are read whole or not at all, up to a size that nobody writes by hand; what they hold cannot
run code, nor grow when it is read.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from daglock.errors import InvalidParameterError
from daglock.wording import size_text

MOST = 8_000_000
# A text that refers to itself can stand for one that is too long to write.
_MOST_ALIASES = 100


def read_note(path: Path, what: str) -> str:
    """Return the text of a file, or say why there is none; ``what`` it is, in words."""
    try:
        with path.open("rb") as file:
            raw = file.read(MOST + 1)
        if len(raw) > MOST:
            raise InvalidParameterError(
                f"{path} is too long to be {what}: it may have {size_text(MOST)}."
            )
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidParameterError(f"{path} is not UTF-8 text: save it as UTF-8.") from error
    except InvalidParameterError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise InvalidParameterError(
            f"{what.capitalize()} cannot be read from {path}: {reason}."
        ) from error


def parse_note(path: Path, text: str, what: str, *, as_text: bool = False) -> Any:
    """Return what a text says: JSON by the ending of the file, else YAML.

    Parameters
    ----------
    path, text : the file, and what stands in it.
    what : it is, in words.
    as_text : whether in YAML all is text, also ``no``, ``1`` and ``2020-01-01``.
    """
    try:
        if path.suffix.lower() == ".json":
            return _json(path, text)
        return _yaml(path, text, as_text)
    except RecursionError as error:
        raise InvalidParameterError(f"{path} is nested too deeply to be {what}.") from error


def _json(path: Path, text: str) -> Any:
    """Parse JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidParameterError(
            f"{path} is not JSON, line {error.lineno}: {error.msg}."
        ) from error
    except ValueError as error:  # a number of thousands of digits
        raise InvalidParameterError(f"{path} holds a number that is too long.") from error


def _yaml(path: Path, text: str, as_text: bool) -> Any:
    """Parse YAML, in which a part that is there twice would hide the first."""
    import yaml

    loader = yaml.BaseLoader if as_text else yaml.SafeLoader
    try:
        _refuse_aliases(path, text)
        root = yaml.compose(text, Loader=loader)
        if isinstance(root, yaml.MappingNode):
            counts = Counter(str(key.value) for key, _ in root.value)
            for key, _ in root.value:
                if counts[str(key.value)] > 1:
                    raise InvalidParameterError(
                        f"{path} has {str(key.value)[:40]!r} twice, line "
                        f"{key.start_mark.line + 1} is the first: put them together."
                    )
        return yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise InvalidParameterError(f"{path} is not YAML{line}: {problem}.") from error
    except InvalidParameterError:
        raise
    except (ValueError, TypeError) as error:  # a date that there is not, a list as a name
        reason = str(error).splitlines()[0][:80] if str(error) else "it cannot be read"
        raise InvalidParameterError(f"{path} is not YAML: {reason}.") from error


def _refuse_aliases(path: Path, text: str) -> None:
    """Raise the error about YAML that repeats parts of itself by reference, many times over."""
    import yaml

    if text.count("*") <= _MOST_ALIASES:
        return
    aliases = sum(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text))
    if aliases > _MOST_ALIASES:
        raise InvalidParameterError(
            f"{path} repeats parts of itself {aliases:,} times (*name): write them out."
        )
