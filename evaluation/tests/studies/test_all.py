"""Every study that can be asked for is there."""

from __future__ import annotations

from importlib import import_module

from daglock_evaluation.studies.__main__ import PACKAGE, STUDIES


def test_every_study_is_a_function_of_its_module() -> None:
    for place in STUDIES.values():
        module, _, name = place.partition(".")
        assert callable(getattr(import_module(f"{PACKAGE}.{module}"), name))
