"""Print the measurements that the documents quote (``python -m`` this package)."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from daglock_evaluation.harness.comparing import carry_out
from daglock_evaluation.harness.process import with_one_thread
from daglock_evaluation.studies.recorded import write_tables

PACKAGE = "daglock_evaluation.studies"
# Each with the module that has it, which is loaded when it is asked for.
STUDIES = {
    "same-price": "equal_price.same_price",
    "windows": "equal_price.windows",
    "exchanges": "equal_price.exchanges",
    "restarts": "equal_price.restarts",
    "starts": "equal_price.starts",
    "errors": "errors.errors",
    "criterion": "criterion.prices",
    "moves": "moves.moves_left",
    "ablation": "ablation.ablation",
    "noise": "criterion.noise_models",
    "preparations": "columns.preparations",
    "limits": "search.overruns",
    "null": "criterion.false_alarms",
    "determined": "columns.determined",
    "effects": "effects.intervals",
    "experiments": "experiments.claims",
    "sachs": "experiments.sachs",
    "gaps": "gaps.gaps",
    "units": "units.units",
    "hidden": "hidden.hidden_causes",
    "broken": "broken.broken",
    "shape": "shape.beside_lingam",
    "replicates": "shape.replicates",
    "discrete": "categories.discrete",
    "mixed": "categories.mixed",
    "prices": "prices.prices",
    "pricing": "pricing.pricing",
    "settled": "pricing.settled",
    "reach": "reach.reach",
    "exact": "proofs.exact",
    "bounds": "proofs.bounds",
    "scores": "scores.raw_and_scored",
    "curves": "curves.curves",
    "curve-claims": "curves.curve_claims",
    "surfaces": "surfaces.surfaces",
}


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, print the tables."""
    parser = argparse.ArgumentParser(prog=f"python -m {PACKAGE}", description=__doc__)
    parser.add_argument("what", choices=STUDIES)
    parser.add_argument("--seeds", type=int, default=None, help="graphs for each setting")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables there, too")
    parser.add_argument("--sizes", default="", help="comma-separated numbers of variables")
    options = parser.parse_args(arguments)
    with_one_thread(PACKAGE)
    sizes = [int(size) for size in options.sizes.split(",") if size]

    def tabulate(options: argparse.Namespace) -> None:
        tables = []
        module, _, study = STUDIES[options.what].partition(".")
        measure = getattr(import_module(f"{PACKAGE}.{module}"), study)
        for table in measure(options.seeds, sizes):
            print(table.to_text(), end="\n\n", flush=True)
            tables.append(table)
        if options.write is not None:
            write_tables(options.write, tables)

    return carry_out(tabulate, options)


if __name__ == "__main__":
    sys.exit(main())
