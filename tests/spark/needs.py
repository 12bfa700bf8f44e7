"""Packages that are in an environment of their own (`make spark`)."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec

import pytest


def needs(package: str, program: str = "") -> pytest.MarkDecorator:
    """Skip tests where a package or a program is missing, unless all are demanded."""
    missing = find_spec(package) is None or (program and shutil.which(program) is None)
    required = os.environ.get("DAGLOCK_REQUIRE_SPARK") == "1"
    what = f"{package} and {program}" if program else package
    return pytest.mark.skipif(
        bool(missing) and not required, reason=f"{what} needed: make spark has it"
    )
