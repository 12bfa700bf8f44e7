"""Files of knowledge: YAML, JSON, or the format of Tetrad, told by how they begin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from daglock.errors import InvalidParameterError
from daglock.knowledge.tetrad import is_tetrad, parse_tetrad
from daglock.table.noted import parse_note, read_note


def read_parts(path: Path, what: str = "knowledge") -> Any:
    """Return what a file says; nothing where it is empty or all in comments."""
    text = read_note(path, what)
    if is_tetrad(text):
        try:
            return parse_tetrad(text)
        except InvalidParameterError as error:
            raise InvalidParameterError(f"In {path}: {error}") from error
    content = parse_note(path, text, what)
    return {} if content is None else content


def is_tetrad_file(path: Path) -> bool:
    """Whether a file is knowledge as Tetrad writes it."""
    return is_tetrad(read_note(path, "knowledge"))
