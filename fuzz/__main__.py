"""Fuzz the targets, each in a process of its own: ``python -m fuzz [--runs N] [TARGET ...]``."""

from __future__ import annotations

import argparse
import subprocess
import sys

from fuzz.targets import CRASHERS, TARGETS


def main(arguments: list[str] | None = None) -> int:
    """Return 1 where there was a finding."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[[], *TARGETS], help="(all)")
    parser.add_argument("--runs", type=int, default=1_000_000, help="inputs of each (1000000)")
    parser.add_argument("--seed", type=int, default=1, help="of the fuzzer (1)")
    options = parser.parse_args(arguments)
    found = 0
    for target in options.targets or TARGETS:
        before = _kept(target)
        command = [sys.executable, "-m", "fuzz.run", target, str(options.runs), str(options.seed)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        new = _kept(target) - before
        lines = done.stdout.splitlines()
        tried = [line.split()[1] for line in lines if line.startswith("TRIED")]
        said = [line for line in lines if line.startswith("FINDING")]
        print(f"{target}: {tried[-1] if tried else 0} inputs, findings: {len(new)}", flush=True)
        print("".join(f"  {line}\n" for line in said), end="", flush=True)
        if done.returncode and not new:
            print(done.stdout[-2000:], file=sys.stderr)
        found += len(new) + (done.returncode != 0)
    return int(found > 0)


def _kept(target: str) -> set[str]:
    """Return the names of the inputs that were kept."""
    folder = CRASHERS / target
    return {file.name for file in folder.iterdir()} if folder.is_dir() else set()


if __name__ == "__main__":
    sys.exit(main())
