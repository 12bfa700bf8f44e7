"""Environments in which BLAS and NumPy behave as on another processor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Kernels of OpenBLAS, from the oldest instructions to the newest; not every machine runs all.
CORES = ("Prescott", "Nehalem", "Haswell", "Zen", "SkylakeX")
WITHOUT_AVX512 = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR X86_V4"
WITHOUT_AVX2 = f"AVX2 FMA3 X86_V3 {WITHOUT_AVX512}"


def switches(core: str, without: str) -> dict[str, str]:
    """Environment in which BLAS takes this kernel and NumPy leaves these instructions alone."""
    settings = dict(os.environ, OPENBLAS_CORETYPE=core, OMP_NUM_THREADS="1")
    if without:
        known = subprocess.run(
            [sys.executable, "-c", _KNOWN], capture_output=True, text=True, check=True
        ).stdout.split()
        settings["NPY_DISABLE_CPU_FEATURES"] = " ".join(set(without.split()) & set(known))
    return settings


# Features that this NumPy can switch off, and this processor has.
_KNOWN = """
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
print(*(name for name in __cpu_dispatch__ if __cpu_features__.get(name)))
"""


def runs(environment: dict[str, str]) -> bool:
    """Whether the machine has the instructions of this kernel."""
    product = "import numpy as np; a = np.ones((300, 300)); a @ a; np.linalg.eigh(a)"
    command = [sys.executable, "-c", product]
    return subprocess.run(command, env=environment, capture_output=True).returncode == 0


# A kernel, and what is switched off in NumPy besides.
ALL = [*((core, "") for core in CORES), ("Haswell", WITHOUT_AVX512), ("Prescott", WITHOUT_AVX2)]
# Those of every landing: one without AVX-512, one without AVX.
TWO = [("Haswell", WITHOUT_AVX512), ("Nehalem", "")]
