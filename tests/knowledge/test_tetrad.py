"""Tetrad's knowledge: sections, tiers with and without a star, groups, what is no knowledge."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from daglock.errors import InvalidParameterError
from daglock.knowledge import Knowledge

TUNNEL = """/knowledge
addtemporal

1*  chord angle speed
2  frequency thickness
3  pressure

forbiddirect

requiredirect"""
SHELLS = """/knowledge
addtemporal

1  rings sex
2  shell whole

forbiddirect
length sex
length rings

requiredirect
rings shell
"""


def read(folder: Path, text: str) -> Knowledge:
    (folder / "data.knowledge.txt").write_text(text)
    return Knowledge.from_file(folder / "data.knowledge.txt")


def test_tiers(tmp_path: Path) -> None:
    known = read(tmp_path, TUNNEL)
    assert known.tiers == (("chord", "angle", "speed"), ("frequency", "thickness"), ("pressure",))
    names = ["pressure", "speed", "frequency", "angle", "chord", "thickness"]
    allowed = known.masks(names).allowed
    assert allowed is not None
    # later tiers are no causes of earlier ones, and the first has no edges of its own
    assert not allowed[0, 1:].any()
    first = [1, 3, 4]
    assert not (allowed[np.ix_(first, first)] & ~np.eye(3, dtype=bool)).any()
    assert allowed[2, 5]
    assert allowed[5, 2]
    assert allowed[np.ix_(first, [0, 2, 5])].all()


def test_pairs(tmp_path: Path) -> None:
    known = read(tmp_path, SHELLS)
    assert known == Knowledge(
        forbidden=["length -> sex", "length -> rings"],
        required=["rings -> shell"],
        tiers=[["rings", "sex"], ["shell", "whole"]],
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/knowledge\n", Knowledge()),
        ("addtemporal\n1 a\n\n3 c\n2 b\n1 d\n", Knowledge(tiers=[["a", "d"], ["b"], ["c"]])),
        ("/knowledge\naddtemporal\n1\n2 b\n3\n4 c\n", Knowledge(tiers=[["b"], ["c"]])),
        (
            "forbiddengroup\na b\nc d\nrequiredgroup\na\nb c\n",
            Knowledge(
                forbidden=["a -> c", "a -> d", "b -> c", "b -> d"],
                required=["a -> b", "a -> c"],
            ),
        ),
        ("forbiddirect\na b ==> c \n", Knowledge(forbidden=["a -> c", "b -> c"])),
        ("requiredirect\na --> c\n", Knowledge(required=["a -> c"])),
        ('requiredirect\n"a b" "c"\n', Knowledge(required=[("a b", "c")])),
        ("requiredirect\na,b\n", Knowledge(required=["a -> b"])),
        ("// remark\n/Knowledge\nADDTEMPORAL\n1\ta\tb\r\n", Knowledge(tiers=[["a", "b"]])),
        ("\ufeff/knowledge\nforbiddirect\nx* y\n", Knowledge(forbidden=["x* -> y"])),
        (
            "addtemporal\n1* x* y\n",
            Knowledge(tiers=[["x*", "y"]], forbidden=[("x*", "x*"), ("x*", "y"), ("y", "x*")]),
        ),
    ],
)
def test_sections(tmp_path: Path, text: str, expected: Knowledge) -> None:
    assert read(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/knowledge\na b\n", "Line 2, 'a b', stands before addtemporal"),
        ("/knowledge\naddtemporal\nage sex\n", "Line 3, 'age sex', does not begin with the numb"),
        ("/knowledge\naddtemporal\n,\n", "Line 3, ',', does not begin with"),
        ("/knowledge\nforbiddirect\na\n", "Line 3, 'a', is not a cause and an effect"),
        ("/knowledge\nforbiddirect\na b c\n", "Line 3, 'a b c', is not a cause and an effect"),
        ("/knowledge\nforbiddirect\na ==> \n", "is not a cause and an effect"),
        ("/knowledge\nforbiddengroup\na b\n", "The group 'a b' has no line with its effects"),
        ("/knowledge\nforbiddengroup\na\nrequiredirect\na b", "The group 'a' has no line"),
        ("/knowledge\naddtemporal\n1 a\nrequirdirect\na b", "Line 4, 'requirdirect', does not"),
    ],
)
def test_what_tetrad_would_not_write(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message) as caught:
        read(tmp_path, text)
    assert "data.knowledge.txt" in str(caught.value)


def test_contradictions_and_unknown_names_are_those_of_all_knowledge(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="'a' is in two tiers"):
        read(tmp_path, "addtemporal\n1 a\n2 a b\n").masks(["a", "b"])
    with pytest.raises(InvalidParameterError, match="tiers forbid it"):
        read(tmp_path, "addtemporal\n1 a\n2 b\nrequiredirect\nb a\n").masks(["a", "b"])
    with pytest.raises(InvalidParameterError, match=r"'Len' in tiers \(did you mean 'Length'\?\)"):
        read(tmp_path, "addtemporal\n1 Len\n2 Hei\n").masks(["Length", "Height"])
