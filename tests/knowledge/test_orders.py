"""Tiers in a line: what is written is what is read, and what is no order is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daglock.errors import InvalidParameterError
from daglock.knowledge.orders import order_text, parse_order

names = st.text(min_size=1, max_size=8)


@given(st.lists(st.lists(names, min_size=1, max_size=3), min_size=2, max_size=4))
def test_what_is_written_is_read(tiers: list[list[str]]) -> None:
    assert parse_order(order_text(tiers)) == tuple(map(tuple, tiers))


@pytest.mark.parametrize(
    ("text", "tiers"),
    [
        ("age,sex<bmi", (("age", "sex"), ("bmi",))),
        ("  age ,  sex <  body mass  < y ", (("age", "sex"), ("body mass",), ("y",))),
        ('"a, b" < c', (("a, b",), ("c",))),
        ("'a < b','it''s' < c", (("a < b", "it's"), ("c",))),
        ("children's age < b", (("children's age",), ("b",))),
        ('size 5" < b', (('size 5"',), ("b",))),
        ("gene_* < *", (("gene_*",), ("*",))),
        ('" a" < ""', ((" a",), ("",))),
    ],
)
def test_names_in_quotes_and_without(text: str, tiers: tuple[tuple[str, ...], ...]) -> None:
    assert parse_order(text) == tiers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "have an empty place"),
        ("   ", "have an empty place"),
        ("a", "are only one"),
        ("a > b", "are only one"),
        ("a,b", "are only one"),
        ("< a", "have an empty place"),
        ("a <", "have an empty place"),
        ("a < , b", "have an empty place"),
        ("a,,b < c", "have an empty place"),
        ('"a < b', "have a quote that does not close"),
        ('"a" b < c', "lack a comma after a name in quotes"),
    ],
)
def test_what_is_no_order(text: str, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message) as caught:
        parse_order(text)
    assert "such as 'age,sex < bmi < outcome'" in str(caught.value)
