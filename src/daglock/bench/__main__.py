"""``python -m daglock.bench``: print the measurements that the documents quote.

BLAS threads are pinned to one, except for ``scale``, whose largest cost is forming the covariance.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, pin the threads, print the tables."""
    parser = argparse.ArgumentParser(prog="python -m daglock.bench", description=__doc__)
    parser.add_argument("what", choices=["equal", "unequal", "scale", "criterion", "ablation"])
    parser.add_argument("--seeds", type=int, default=None, help="graphs for each setting")
    parser.add_argument("--peer-seeds", type=int, default=2, help="graphs that slow peers get")
    parser.add_argument("--peers", default="FLOP-20", help="comma-separated: FLOP-20, dagma, ...")
    parser.add_argument("--sizes", default="", help="comma-separated numbers of variables")
    options = parser.parse_args(arguments)
    threads = str(os.cpu_count() or 1) if options.what == "scale" else "1"
    if any(os.environ.get(name) != threads for name in THREADS):
        os.environ.update(dict.fromkeys(THREADS, threads))
        os.execv(sys.executable, [sys.executable, "-m", "daglock.bench", *sys.argv[1:]])
    from daglock.errors import DaglockError

    try:
        for table in tables(options):
            print(table, end="\n\n", flush=True)
    except DaglockError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def tables(options: argparse.Namespace) -> Iterator[object]:
    """Yield the tables of one measurement."""
    from daglock.bench import ablation, criterion, equal, scale, unequal
    from daglock.bench.cases import Case

    sizes = [int(size) for size in options.sizes.split(",") if size]
    seeds: int | None = options.seeds
    peers = tuple(peer for peer in options.peers.split(",") if peer)
    if options.what == "equal":
        cases = [case for case in equal.CASES if not sizes or case.d in sizes]
        yield equal.side_by_side(seeds or 10, options.peer_seeds, peers, cases)
    elif options.what == "unequal":
        counts = tuple(int(peer.removeprefix("FLOP-")) for peer in peers)
        for d, edges in ((50, 4), (100, 2), (200, 2), (500, 2)):
            if not sizes or d in sizes:
                default = 20 if d == 50 else 5
                yield unequal.same_criterion(Case(d, edges, unequal=True), seeds or default, counts)
    elif options.what == "scale":
        yield scale.sparse_graphs(sizes or [1000, 2000, 5000, 10_000, 20_000])
        yield scale.dense_graph()
    elif options.what == "criterion":
        yield criterion.null_edges(seeds or 20, sizes or [20, 100, 500], [200, 1000, 5000])
        yield criterion.false_and_missed(seeds or 5, sizes or [20, 100, 500], [200, 1000, 5000])
    else:
        yield ablation.starts_and_restarts(Case(50, 4, unequal=True), seeds or 10)
        yield ablation.starts_and_restarts(Case(100, 2, unequal=True), seeds or 10)
        yield ablation.starts_and_restarts(Case(50, 4, weights=(0.5, 2.0)), seeds or 10)


if __name__ == "__main__":
    sys.exit(main())
