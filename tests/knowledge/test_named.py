"""Knowledge by name: obeyed as masks say, read from files, contradictions shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from daglock.errors import InvalidParameterError
from daglock.knowledge import Knowledge, knowledge_masks

NAMES = ["age", "dose", "weight", "outcome"]


def test_the_parts_say_what_masks_by_index_say() -> None:
    named = Knowledge(
        forbidden=[("dose", "weight")],
        required=["age -> outcome"],
        tiers=[["age"], ["dose", "weight"]],
    ).masks(NAMES)
    indexed = knowledge_masks(4, forbidden=[(1, 2)], required=[(0, 3)], tiers=[[0], [1, 2]])
    for part in ("allowed", "required", "before"):
        np.testing.assert_array_equal(getattr(named, part), getattr(indexed, part))


def test_roots_have_no_causes_and_leaves_no_effects() -> None:
    allowed = Knowledge(roots=["age"], leaves=["outcome"]).masks(NAMES).allowed
    assert allowed is not None
    expected = np.ones((4, 4), dtype=bool)
    expected[1:, 0] = False
    expected[3, :3] = False
    np.testing.assert_array_equal(allowed, expected)


def test_nothing_known_gives_no_masks() -> None:
    masks = Knowledge().masks(NAMES)
    assert masks.allowed is masks.required is masks.before is None


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"required": [("age", "dose"), ("dose", "weight"), ("weight", "age")]},
            r"closes a cycle: age -> dose -> weight -> age\. Drop one",
        ),
        (
            {"required": ["dose -> weight", "weight -> age"], "tiers": [["age"], ["dose"]]},
            r"cycle: .*age -> dose.*\(the tiers put age before dose\)",
        ),
        (
            {"required": ["age -> dose"], "forbidden": ["age -> dose"]},
            "age -> dose is required, but it is forbidden too",
        ),
        (
            {"required": ["dose -> age"], "tiers": [["age"], ["dose"]]},
            "dose -> age is required, but the tiers forbid it",
        ),
        ({"required": ["dose -> age"], "roots": ["age"]}, "but age is a root"),
        ({"required": ["dose -> age"], "leaves": ["dose"]}, "but dose is a leaf"),
        ({"roots": ["Age"]}, "roots names 'Age', which is not a column: did you mean 'age'?"),
        ({"tiers": [["nobody"]]}, "The columns are age, dose, weight, outcome"),
        ({"forbidden": [("age", 7)]}, "forbidden names 7, which is not a column"),
        ({"forbidden": [("age", 0)]}, "forbidden names 0, which is not a column"),
        ({"tiers": [["age"], ["dose", "age"]]}, "'age' is in two tiers"),
        ({"forbidden": ["age -> age"]}, "an edge joins two different columns"),
    ],
)
def test_contradictions_are_named(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        Knowledge(**parts).masks(NAMES)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"roots": "age"}, "roots must be a list; got 'age'"),
        ({"tiers": ["age", "dose"]}, "tiers must be a list; got 'age'"),
        ({"required": [("a", "b", "c")]}, "required has .*it takes pairs like"),
        ({"required": ["a b"]}, "it takes pairs like"),
        ({"required": ["a -> b -> c"]}, "it takes pairs like"),
        ({"roots": [True]}, "in YAML put names such as no in quotes"),
        ({"roots": [0.5]}, "roots has 0.5 where a column is named"),
        ({"forbidden": 3}, "forbidden must be a list"),
    ],
)
def test_other_forms_are_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        Knowledge(**parts)


def test_columns_without_names_go_by_index_or_by_x() -> None:
    by_index = Knowledge(forbidden=[(0, 2)]).masks(["x0", "x1", "x2"])
    by_name = Knowledge(forbidden=[("x0", "x2")]).masks(["x0", "x1", "x2"])
    assert by_index.allowed is not None
    assert by_name.allowed is not None
    assert not by_index.allowed[0, 2]
    np.testing.assert_array_equal(by_index.allowed, by_name.allowed)


def test_a_column_called_by_a_number_is_meant_by_its_name() -> None:
    allowed = Knowledge(forbidden=[(1, 0)]).masks(["1", "0", "a"]).allowed
    assert allowed is not None
    assert not allowed[0, 1]


def test_files(tmp_path: Path) -> None:
    parts = Knowledge(
        forbidden=[("age", "dose")], tiers=[["age"], ["dose"]], roots=["age"], leaves=["outcome"]
    )
    (tmp_path / "k.json").write_text(json.dumps(parts.to_dict()))
    assert Knowledge.from_file(tmp_path / "k.json") == parts
    (tmp_path / "k.yaml").write_text(
        "forbidden:\n  - age -> dose\ntiers:\n  - [age]\n  - [dose]\nroots: [age]\n"
        "leaves:\n  - outcome\nrequired:\n",
        encoding="utf-8-sig",
    )
    assert Knowledge.from_file(str(tmp_path / "k.yaml")) == parts
    (tmp_path / "empty.yml").write_text("")
    assert Knowledge.from_file(tmp_path / "empty.yml") == Knowledge()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("k.yaml", "roots: [a\nx: ]", "k.yaml is not YAML, line 2"),
        ("k.json", '{"roots": [}', "k.json is not JSON, line 1"),
        ("k.yaml", "root: [a]", "k.yaml: Knowledge has no part 'root'; its parts are forbidden"),
        ("k.yaml", "- a", "Knowledge must have the parts"),
        ("k.yaml", "roots: [no]", "put names such as no in quotes"),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidParameterError, match=message):
        Knowledge.from_file(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match=r"gone\.yaml: No such file"):
        Knowledge.from_file(tmp_path / "gone.yaml")
    (tmp_path / "latin.yaml").write_bytes("roots: [Größe]".encode("latin-1"))
    with pytest.raises(InvalidParameterError, match="not UTF-8"):
        Knowledge.from_file(tmp_path / "latin.yaml")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("k.yaml", "[" * 5000, "nested too deeply"),
        ("k.json", "[" * 100_000, "nested too deeply"),
        ("k.yaml", "tiers: [[a]]\nroots: [b]\ntiers: [[c]]\n", "has 'tiers' twice, line 1 is the"),
        ("k.yaml", "roots: [2020-99-99]\n", "is not YAML"),
        ("k.yaml", "roots: [2020-01-01]\n", r"roots has datetime\.date\(2020, 1, 1\) where"),
        ("k.yaml", "roots: !!python/object/apply:os.system [ls]\n", "is not YAML"),
        ("k.yaml", "tiers: age\n", "tiers must be a list; got 'age'"),
        ("k.yaml", "tiers: age < < bmi\n", "In .*k.yaml: The tiers 'age < < bmi' have an empty"),
        ("k.yaml", "a\x00b", "is not YAML"),
        ("k.yaml", "just words", "Knowledge must have the parts"),
    ],
)
def test_hostile_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidParameterError, match=message) as caught:
        Knowledge.from_file(tmp_path / name)
    assert len(str(caught.value)) < 600


def test_a_file_that_grows_when_it_is_shown(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 10)]
    (tmp_path / "k.yaml").write_text("\n".join(lines))
    with pytest.raises(InvalidParameterError, match="Knowledge has no part 'a0'"):
        Knowledge.from_file(tmp_path / "k.yaml")
    nested = "\n".join([*(f"- {line.split(': ')[1]}" for line in lines), "- *a9"])
    (tmp_path / "k.yaml").write_text(f"roots:\n{nested}\n".replace("\n- ", "\n  - "))
    with pytest.raises(InvalidParameterError, match="where a column is named") as caught:
        Knowledge.from_file(tmp_path / "k.yaml")
    assert len(str(caught.value)) < 2000


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="Is a directory"):
        Knowledge.from_file(tmp_path)
    with pytest.raises(InvalidParameterError, match="cannot be read"):
        Knowledge.from_file("a\0b")
