"""What `make sabotage` breaks is there to be broken, once, and so are the tests that shall see."""

from __future__ import annotations

import ast

import pytest

from tests.sabotage import BREAKAGES, ROOT, Breakage


@pytest.mark.parametrize("one", BREAKAGES, ids=lambda one: one.name)
def test_it_can_be_broken(one: Breakage) -> None:
    text = (ROOT / "src" / "daglock" / one.file).read_text(encoding="utf-8")
    assert text.count(one.text) == 1
    assert one.broken != one.text
    for test in one.tests:
        file, _, name = test.partition("::")
        slow = marked_slow((ROOT / file).read_text(encoding="utf-8"))
        assert not slow[name] if name else not all(slow.values()), f"{test} is slow"


def marked_slow(source: str) -> dict[str, bool]:
    """Return for each test of a file whether the whole of it has the mark slow."""
    body = ast.parse(source).body
    marks = [node for node in body if isinstance(node, ast.Assign)]
    whole = any(ast.unparse(node).startswith("pytestmark = ") for node in marks if is_slow(node))
    return {
        node.name: whole or any(map(is_slow, node.decorator_list))
        for node in body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    }


def is_slow(node: ast.AST) -> bool:
    """Whether a decorator or an assignment is of the mark slow itself, not of a parameter."""
    text = ast.unparse(node)
    return "pytest.mark.slow" in text and "param" not in text


def test_what_is_slow_is_seen() -> None:
    source = """
@pytest.mark.parametrize("a", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_one(a): ...

@pytest.mark.slow
def test_two(): ...

def helper(): ...
"""
    assert marked_slow(source) == {"test_one": False, "test_two": True}
    whole = "pytestmark = [pytest.mark.slow, pytest.mark.handoff('x')]\n"
    assert marked_slow(whole + source) == {"test_one": True, "test_two": True}
