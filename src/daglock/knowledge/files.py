"""Files of knowledge: YAML, JSON, or the format of Tetrad, told by how they begin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from daglock.errors import InvalidParameterError
from daglock.knowledge.tetrad import is_tetrad, parse_tetrad


def read_parts(path: Path, what: str = "knowledge") -> Any:
    """Return what a file says; nothing where it is empty or all in comments."""
    text = _text(path, what)
    if is_tetrad(text):
        try:
            return parse_tetrad(text)
        except InvalidParameterError as error:
            raise InvalidParameterError(f"In {path}: {error}") from error
    try:
        content = _json(path, text) if path.suffix.lower() == ".json" else _yaml(path, text)
    except RecursionError as error:
        raise InvalidParameterError(f"{path} is nested too deeply to be {what}.") from error
    return {} if content is None else content


def is_tetrad_file(path: Path) -> bool:
    """Whether a file is knowledge as Tetrad writes it."""
    return is_tetrad(_text(path))


def _text(path: Path, what: str = "knowledge") -> str:
    """Return the text of a file, or say why there is none."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidParameterError(f"{path} is not UTF-8 text: save it as UTF-8.") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or error
        raise InvalidParameterError(
            f"{what.capitalize()} cannot be read from {path}: {reason}."
        ) from error


def _json(path: Path, text: str) -> Any:
    """Parse JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidParameterError(
            f"{path} is not JSON, line {error.lineno}: {error.msg}."
        ) from error


def _yaml(path: Path, text: str) -> Any:
    """Parse YAML, in which a part that is there twice would hide the first."""
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if isinstance(root, yaml.MappingNode):
            keys = [str(key.value) for key, _ in root.value]
            for key, node in zip(keys, root.value, strict=True):
                if keys.count(key) > 1:
                    line = node[0].start_mark.line + 1
                    raise InvalidParameterError(
                        f"{path} has {key!r} twice, line {line} is the first: put them together."
                    )
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise InvalidParameterError(f"{path} is not YAML{line}: {problem}.") from error
    except InvalidParameterError:
        raise
    except ValueError as error:  # a date that there is not
        raise InvalidParameterError(f"{path} is not YAML: {error}.") from error
