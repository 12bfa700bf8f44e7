"""The Python blocks of the Markdown files run as they stand, in order, one namespace a file.

An indented block right after one is what it prints ("..." stands for what may differ).

Blocks that begin with ```python handoff need the packages that results are handed to. They have a
namespace of their own and run where DoWhy is: make handoff.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import textwrap
from pathlib import Path

import pytest

from daglock import DAGLock
from daglock.cli import main
from daglock.search.parent_sets import MOST_VARIABLES

ROOT = Path(__file__).parents[1]
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def run_blocks(path: Path, fence: str) -> None:
    """Run the blocks of one kind and compare what they print with what is said to be printed."""
    namespace = {"__name__": path.stem}
    for code, shown in blocks(path, fence):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(path), "exec"), namespace)
        if shown:
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            same = doctest.OutputChecker().check_output(shown, printed.getvalue(), flags)
            assert same, f"{path.name} shows\n{shown}\nwhere this is printed:\n{printed.getvalue()}"


def blocks(path: Path, fence: str) -> list[tuple[str, str]]:
    """Return the blocks of one kind, each with the output that the text shows right after it."""
    pattern = rf"^```{fence}\n(.*?)^```$(?:\n\n((?:    [^\n]*\n|\n(?=    ))+))?"
    found = re.findall(pattern, path.read_text() + "\n", re.MULTILINE | re.DOTALL)
    return [(code, textwrap.dedent(shown)) for code, shown in found]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_code_blocks_run(path: Path) -> None:
    run_blocks(path, "python")


@pytest.mark.handoff("dowhy")
@pytest.mark.filterwarnings("ignore:invalid escape sequence")
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


def test_how_far_proofs_reach_is_told_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["learn", "--help"])
    told = capsys.readouterr().out, (ROOT / "README.md").read_text(), DAGLock.__doc__ or ""
    for text in told:
        said = " ".join(text.split())
        assert f"up to {MOST_VARIABLES} " in said
        assert "here is no proof" in said.partition(f"up to {MOST_VARIABLES} ")[2]


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md", "docs/reliability.md", ".ci/run"])
def test_commands_of_make_are_there(file: str) -> None:
    makefile = (ROOT / "Makefile").read_text()
    explained = set(re.findall(r'@echo "make ([a-z-]+)', makefile))
    assert explained < set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = set(
        re.findall(r"(?:^    |`|\" )make ([a-z-]+)", (ROOT / file).read_text(), re.MULTILINE)
    )
    assert named
    assert named <= explained


def test_ci_runs_every_part_of_the_tests() -> None:
    parts = re.search(r"for part in ([a-z -]+);", (ROOT / "Makefile").read_text())
    assert parts
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    run = [line.split()[-1] for line in lines if line.startswith("step ") and " make " in line]
    assert {*parts[1].split(), "check", "lowest"} == {*run}
