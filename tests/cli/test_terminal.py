"""What a person sees: names that cannot garble a terminal, tables that fit, letters that show."""

from __future__ import annotations

import io
import sys

import pytest

from daglock.cli.terminal import Terminal, align, clean, prepare_streams, shorten, width_of


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("größe β 数据", "größe β 数据"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("a\u202eb\u200b\u2028", "a\\u202eb\\u200b\\u2028"),
        ("\x9b31m\x7f", "\\x9b31m\\x7f"),
        ("\ud800", "\\ud800"),
    ],
)
def test_nothing_moves_the_cursor(text: str, shown: str) -> None:
    assert clean(text) == shown
    assert clean(shown) == shown


def test_tables_are_aligned_by_what_is_seen() -> None:
    lines = align(
        [("name", "n"), ("数据", "1"), ("e\u0301", "10"), ("abcdef", "100")], right=[False, True]
    )
    assert {width_of(line) for line in lines} == {11}
    assert shorten("数据数据", 5) == "数据…"
    assert shorten("abc", 3) == "abc"


def test_a_terminal_without_arrows(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    prepare_streams()
    terminal = Terminal()
    terminal.table(
        [("a", "", "b"), ("x", "→", "ü"), ("x", "⇢", "z"), ("x", "—", "y")], [False, False, False]
    )
    terminal.say("R² and λ", mark="✓")
    assert raw.getvalue().decode().splitlines() == [
        "  a      b",
        "  -  --  ----",
        "  x  ->  \\xfc",
        "  x  ~>  z",
        "  x  --  y",
        "+ R^2 and lambda",
    ]


def test_paragraphs_are_broken_to_the_width(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    Terminal().say("word " * 40, mark="!")
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 50
    assert lines[0].startswith("! word")
    assert all(line.startswith("  word") for line in lines[1:])
    Terminal(quiet=True).say("word")
    assert capsys.readouterr().out == ""
