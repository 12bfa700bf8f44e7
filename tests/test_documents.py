"""The Python blocks of the Markdown files run as they stand, in order, one namespace a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_code_blocks_run(path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)
    namespace = {"__name__": path.stem}
    for block in blocks:
        exec(compile(block, str(path), "exec"), namespace)


@pytest.mark.parametrize("path", [*FILES, ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target
