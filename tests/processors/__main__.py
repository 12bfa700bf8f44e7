"""Run the tests of the engine as on other processors: ``python -m tests.processors``."""

from __future__ import annotations

import subprocess
import sys

from tests.processors.environments import ALL, ROOT, runs, switches

ENGINE = (
    "tests/test_engine.py",
    "tests/test_certificate.py",
    "tests/test_promises.py",
    "tests/test_categories.py",
    "tests/test_gaps.py",
)

for core, without in ALL:
    environment = switches(core, without)
    title = f"kernels of {core}" + (f", NumPy without {without.split()[0]}" if without else "")
    if not runs(environment):
        print(f"Not run: this processor has not the instructions for {title}")
        continue
    print(f"The engine with {title}", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", *ENGINE]
    if subprocess.run(command, cwd=ROOT, env=environment).returncode:
        sys.exit(f"The engine does not pass with {title}")
