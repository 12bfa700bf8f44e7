"""Patterns, lines of tiers, dictionaries and paths: what they mean for the columns of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daglock.errors import InvalidParameterError
from daglock.knowledge import Knowledge
from daglock.knowledge.columns import closest

NAMES = ["age", "gene_1", "gene_2", "dose", "outcome"]


def pairs(mask: Any) -> set[tuple[int, int]]:
    return set() if mask is None else {(int(i), int(j)) for i, j in np.argwhere(mask)}


def same(first: Knowledge, second: Knowledge, names: list[str] = NAMES) -> bool:
    one, two = first.masks(names), second.masks(names)
    parts = ("allowed", "required", "before")
    return all(pairs(getattr(one, part)) == pairs(getattr(two, part)) for part in parts)


@pytest.mark.parametrize(
    ("patterns", "names"),
    [
        ({"roots": ["gene_*"]}, {"roots": ["gene_1", "gene_2"]}),
        ({"leaves": ["*come"]}, {"leaves": ["outcome"]}),
        ({"roots": ["*e*_*"]}, {"roots": ["gene_1", "gene_2"]}),
        (
            {"forbidden": ["gene_* -> age"]},
            {"forbidden": ["gene_1 -> age", "gene_2 -> age"]},
        ),
        (
            {"required": [("age", "gene_*")]},
            {"required": ["age -> gene_1", "age -> gene_2"]},
        ),
        (
            {"forbidden": ["gene_* -> gene_*"]},
            {"forbidden": ["gene_1 -> gene_2", "gene_2 -> gene_1"]},
        ),
        ({"required": ["gene_1 -> gene_*"]}, {"required": ["gene_1 -> gene_2"]}),
        (
            {"tiers": [["age"], ["gene_*"]]},
            {"tiers": [["age"], ["gene_1", "gene_2"]]},
        ),
        (
            {"tiers": "age < *"},
            {"tiers": [["age"], ["gene_1", "gene_2", "dose", "outcome"]]},
        ),
        # a name of its own before a pattern, a pattern before the star
        (
            {"tiers": "gene_2 < gene_* < *"},
            {"tiers": [["gene_2"], ["gene_1"], ["age", "dose", "outcome"]]},
        ),
        ({"tiers": "gene_*, gene_1 < dose"}, {"tiers": [["gene_1", "gene_2"], ["dose"]]}),
        ({"tiers": ["age < dose", "dose < outcome"]}, {"tiers": "age < dose < outcome"}),
    ],
)
def test_patterns_mean_the_columns_that_fit(patterns: dict[str, Any], names: Any) -> None:
    # what follows over two lines is a matter of paths, which the engine closes
    first, second = Knowledge(**patterns).masks(NAMES), Knowledge(**names).masks(NAMES)
    assert pairs(first.required) == pairs(second.required)
    if patterns != {"tiers": ["age < dose", "dose < outcome"]}:
        assert same(Knowledge(**patterns), Knowledge(**names))
    else:
        assert pairs(first.before) == {(0, 3), (3, 4)}


def test_orders_hold_side_by_side() -> None:
    known = Knowledge(tiers=[["age"], ["dose"], "gene_* < outcome"])
    assert pairs(known.masks(NAMES).before) == {(0, 3), (1, 4), (2, 4)}
    assert Knowledge.from_dict(known.to_dict()) == known


def test_a_column_that_is_called_like_a_pattern() -> None:
    known = Knowledge(roots=["a*"])
    allowed = known.masks(["a*", "ab", "c"]).allowed
    assert allowed is not None
    assert not allowed[1:, 0].any()
    assert allowed[:, 1].all()


@pytest.mark.parametrize("sign", ["?", "[1]", ".", "+", "(x)"])
def test_only_the_star_is_a_sign(sign: str) -> None:
    names = [f"a{sign}", "ab", "a1", "ax"]
    allowed = Knowledge(roots=[f"a{sign}"]).masks(names).allowed
    assert allowed is not None
    assert [bool(column.all()) for column in allowed.T] == [False, True, True, True]
    with pytest.raises(InvalidParameterError, match="is not a column"):
        Knowledge(roots=[f"a{sign}"]).masks(["ab", "a1", "zz"])


def test_signs_in_a_pattern_are_letters() -> None:
    allowed = Knowledge(roots=["a.*", "b(*)"]).masks(["a.1", "ab1", "b(1)", "b1"]).allowed
    assert allowed is not None
    assert [bool(column.all()) for column in allowed.T] == [False, True, False, True]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"roots": ["gnee_*"]}, r"roots names 'gnee_\*', which fits no column: did you mean 'gen"),
        ({"tiers": "Age < *"}, "tiers names 'Age', which is not a column: did you mean 'age'"),
        ({"forbidden": ["dose -> x*"]}, r"forbidden names 'x\*', which fits no column: The col"),
        (
            {"roots": ["Age"], "leaves": ["out"], "forbidden": ["zzz -> dose"]},
            r"These are not columns: 'Age' in roots \(did you mean 'age'\?\), 'out' in leaves "
            r"\(did you mean 'outcome'\?\), 'zzz' in forbidden\. The columns are age",
        ),
        ({"tiers": "gene_* < *_1"}, "'gene_1' is in two tiers"),
        ({"tiers": "age < age"}, "'age' is in two tiers"),
        ({"tiers": "* < *"}, "is in two tiers"),
        ({"tiers": ["age < dose", "dose < age"]}, "contradict each other: .* before .* before"),
        (
            {"required": ["gene_* -> gene_*"]},
            "closes a cycle: gene_1 -> gene_2 -> gene_1",
        ),
        (
            {"required": ["gene_* -> gene_1", "gene_1 -> gene_2"]},
            "closes a cycle",
        ),
        (
            {"required": ["dose -> outcome"], "forbidden": ["* -> outcome"]},
            "dose -> outcome is required, but it is forbidden too",
        ),
        (
            {"required": ["dose -> age"], "tiers": "age < *"},
            "dose -> age is required, but the tiers forbid it",
        ),
        ({"required": ["dose -> d*"]}, r"dose -> d\*: an edge joins two different columns"),
    ],
)
def test_what_is_wrong_is_said(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        Knowledge(**parts).masks(NAMES)


def test_what_was_meant() -> None:
    assert closest("Len", ["Length", "Height"]) == "Length"
    assert closest("zzz", ["Length", "Height"]) is None
    assert closest("gen*", ["Gene", "age"]) == "Gen*"


def test_a_dictionary_or_a_path_is_knowledge_too(tmp_path: Path) -> None:
    known = Knowledge(roots=["age"])
    (tmp_path / "known.yaml").write_text("roots: [age]")
    assert Knowledge.of({"roots": ["age"]}) == known
    assert Knowledge.of(tmp_path / "known.yaml") == Knowledge.of(str(tmp_path / "known.yaml"))
    assert Knowledge.of(known) is known
    with pytest.raises(InvalidParameterError, match="path of a file; got 7"):
        Knowledge.of(7)
    with pytest.raises(InvalidParameterError, match="Knowledge has no part 'root'"):
        Knowledge.of({"root": ["age"]})


def test_both_say_what_each_says() -> None:
    first = Knowledge(tiers=[["age"], ["dose"]], roots=["age"])
    second = Knowledge(tiers=[["dose"], ["outcome"]], leaves=["outcome"])
    both = first | second
    assert both.roots == ("age",)
    assert both.leaves == ("outcome",)
    # two orders, not one of four tiers in which the dose would be twice
    assert pairs(both.masks(NAMES).before) == {(0, 3), (3, 4)}
    assert Knowledge() | first == first == first | Knowledge()
    by_line = Knowledge(tiers="age < dose")
    assert same(by_line | first, first)
    assert same(first | by_line, first)


def test_without_some_columns() -> None:
    known = Knowledge(
        forbidden=["id -> age", "dose -> age"],
        required=["age -> outcome"],
        tiers=[["id"], ["age"], ["dose"], "id < age", "id, age < dose"],
        roots=["id", "age"],
    )
    rest = known.without({"id"})
    assert rest == Knowledge(
        forbidden=["dose -> age"],
        required=["age -> outcome"],
        tiers=[["age"], ["dose"], "age < dose"],
        roots=["age"],
    )
    assert known.unknown(["age", "dose", "outcome"]) == ("id",)
    assert Knowledge(tiers="gene_* < dose").unknown(["dose", "x"]) == ("gene_*",)


def test_many_columns_are_quick() -> None:
    names = [f"x{j}" for j in range(1500)] + ["age"]
    before = Knowledge(tiers="age < *", forbidden=["x1* -> x2*"]).masks(names).before
    assert before is not None
    assert before[-1, :-1].all()
    assert before.sum() == 1500
