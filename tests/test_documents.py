"""The Python blocks of the Markdown files run as they stand, in order, one namespace a file.

Blocks that begin with ```python handoff need the packages that results are handed to. They have a
namespace of their own and run where DoWhy is: make handoff.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.interop.models import needs

ROOT = Path(__file__).parents[1]
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def run_blocks(path: Path, fence: str) -> None:
    """Run the blocks of one kind."""
    namespace = {"__name__": path.stem}
    for block in blocks(path, fence):
        exec(compile(block, str(path), "exec"), namespace)


def blocks(path: Path, fence: str) -> list[str]:
    """Return the blocks of one kind."""
    pattern = rf"^```{fence}\n(.*?)^```$"
    return re.findall(pattern, path.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_code_blocks_run(path: Path) -> None:
    run_blocks(path, "python")


@needs("dowhy")
@pytest.mark.filterwarnings(
    "ignore:The copy keyword is deprecated:DeprecationWarning:dowhy.causal_estimators.*"
)
@pytest.mark.parametrize(
    "path", [path for path in FILES if blocks(path, "python handoff")], ids=lambda path: path.name
)
def test_handoff_blocks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # they write files
    run_blocks(path, "python handoff")


@pytest.mark.parametrize("path", [*FILES, ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target
