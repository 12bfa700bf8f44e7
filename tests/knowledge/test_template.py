"""The file to fill in: says nothing as it stands, and holds what is uncommented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daglock.knowledge import Knowledge
from daglock.knowledge.template import knowledge_template
from tests.examples import examples

HOSTILE = ["no", "a: b", "#x", "1", "1e5", "new\nline", "a -> b", "[x]", "数", "it's", '"', "-", ""]


def uncommented(text: str, part: str | None = None) -> str:
    """Take the # from all proposals, or from those of one part."""
    kept, within = [], False
    for line in text.splitlines():
        if head := re.match(r"#(\w+):", line):
            within = part in (None, head[1])
        elif not line.startswith("#  "):
            within = False
        kept.append(line[1:] if within else line)
    return "\n".join(kept) + "\n"


def read(folder: Path, text: str) -> Knowledge:
    (folder / "known.yaml").write_bytes(text.encode())
    return Knowledge.from_file(folder / "known.yaml")


def test_what_it_proposes(tmp_path: Path) -> None:
    text = knowledge_template(["bmi", "Age", "sex", "outcome"], left_out={"id": "row counter"})
    assert read(tmp_path, text) == Knowledge()
    assert "#   bmi, Age, sex, outcome\n" in text
    assert "#   id (row counter)\n" in text
    known = read(tmp_path, uncommented(text))
    assert known == Knowledge(
        forbidden=["outcome -> Age"],
        required=["Age -> outcome"],
        tiers=[["Age", "sex"], ["bmi", "outcome"]],
        roots=["Age", "sex"],
        leaves=["outcome"],
    )
    known.masks(["bmi", "Age", "sex", "outcome"])


@pytest.mark.parametrize(
    ("names", "roots", "leaves"),
    [
        (["P01", "P02", "batch", "drug"], ["batch", "drug"], ["P02"]),
        (["age", "P01", "P02", "drug"], ["age"], ["P02"]),
        (["age", "died", "P01", "readmitted", "treatment"], ["age"], ["died", "readmitted"]),
        (["age", "drug"], ["age"], []),
        (["drug", "dose"], ["drug"], []),
    ],
)
def test_a_treatment_is_no_leaf(
    tmp_path: Path, names: list[str], roots: list[str], leaves: list[str]
) -> None:
    text = knowledge_template(names)
    assert read(tmp_path, text) == Knowledge()
    known = read(tmp_path, uncommented(text))
    assert (known.roots, known.leaves) == (tuple(roots), tuple(leaves))
    last = leaves[-1:]
    assert known.forbidden == tuple((name, roots[0]) for name in last)
    assert known.required == tuple((roots[0], name) for name in last)
    known.masks(names)


@pytest.mark.parametrize("part", ["tiers", "roots", "leaves", "forbidden", "required"])
def test_each_part_by_itself(tmp_path: Path, part: str) -> None:
    names = [f"column {j}" for j in range(60)]
    known = read(tmp_path, uncommented(knowledge_template(names), part))
    assert [name for name, said in known.to_dict().items() if said] == [part]
    known.masks(names)


@pytest.mark.parametrize("names", [HOSTILE, HOSTILE[::-1], ["age", "sex"], ["a", "b"]])
def test_any_names(tmp_path: Path, names: list[str]) -> None:
    text = knowledge_template(names, source="a\nroots: [b]\n.csv")
    assert read(tmp_path, text) == Knowledge()
    known = read(tmp_path, uncommented(text))
    said = {name for tier in known.tiers for name in tier}
    assert {str(name) for name in said} == set(names)
    known.masks(names)


@examples(60)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6),
        min_size=2,
        max_size=5,
        unique=True,
    )
)
def test_names_of_any_letters(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    folder = tmp_path_factory.mktemp("any")
    text = knowledge_template(names)
    assert read(folder, text) == Knowledge()
    read(folder, uncommented(text)).masks(names)
