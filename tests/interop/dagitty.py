"""A reader of the language of DAGitty, written from its grammar (GraphDotParser.pegjs)."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""
    [\n\r\t ;]*
    (?:
        (?P<string>"(?:[^"\\\0-\x1f\x7f]|\\"|\\[\n\r]+|\\)*+")
      | (?P<word>-?[0-9a-zA-Z_.]+)
      | (?P<sign>->|--|[{}\[\]=,])
    )
    [\n\r\t ;]*
    """,
    re.VERBOSE,
)


def parse_dagitty(
    text: str,
) -> tuple[str, list[str], dict[tuple[str, str], tuple[str, float | None]]]:
    """Return the kind of graph, its nodes, and the arrow and beta of each edge."""
    tokens = _tokens(text)
    kind = tokens.pop(0)[1]
    assert kind in ("dag", "pdag")
    assert tokens.pop(0) == ("sign", "{")
    assert tokens.pop() == ("sign", "}")
    nodes: list[str] = []
    edges: dict[tuple[str, str], tuple[str, float | None]] = {}
    while tokens:
        first = _name(tokens.pop(0))
        if tokens and tokens[0] in (("sign", "->"), ("sign", "--")):
            arrow = tokens.pop(0)[1]
            second = _name(tokens.pop(0))
            assert {first, second} <= set(nodes)
            edges[first, second] = arrow, _beta(tokens)
        else:
            nodes.append(first)
    return kind, nodes, edges


def _tokens(text: str) -> list[tuple[str, str]]:
    """Split the text; what is no token fails."""
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        assert match is not None, text[at : at + 40]
        kind = str(match.lastgroup)
        value = match.group(kind)
        if kind == "string":
            value = re.sub(r'\\"|\\[\n\r]+', lambda m: m[0][1:].strip("\n\r"), value[1:-1])
        tokens.append((kind, value))
        at = match.end()
    return tokens


def _name(token: tuple[str, str]) -> str:
    kind, value = token
    assert kind in ("string", "word")
    assert value not in ("graph", "node"), "DAGitty's parser refuses these"
    return value


def _beta(tokens: list[tuple[str, str]]) -> float | None:
    if not tokens or tokens[0] != ("sign", "["):
        return None
    start, key, equals, (kind, value), end = (tokens.pop(0) for _ in range(5))
    assert (start, key, equals) == (("sign", "["), ("word", "beta"), ("sign", "="))
    assert (kind, end) == ("word", ("sign", "]"))
    return float(value)
