"""What is promised, and what tries it; a line here is a line of docs/reliability.md."""

from __future__ import annotations

from functools import partial

from daglock_evaluation.reliability import clusters, cutting, formulas, killing, surroundings
from daglock_evaluation.reliability.files import KINDS
from daglock_evaluation.reliability.limits import TRAPS, try_traps
from daglock_evaluation.reliability.mutations import escapes
from daglock_evaluation.reliability.polluting import ROWS
from daglock_evaluation.reliability.promise import Ended, Promise
from daglock_evaluation.reliability.readers import READERS
from daglock_evaluation.reliability.salvage import failures, salvage

WORK = "Work that is never lost"
CLUSTER = "A cluster"
AROUND = "What is around it"
SPREADSHEETS = "Spreadsheets"
FILES = "Files"


def changed_files(n: int, seed: int, *, kind: str) -> Ended:
    """Read changed files of a kind."""
    return n, escapes(kind, n, seed)


def traps(n: int, seed: int) -> Ended:
    """Read all traps, however many were asked for."""
    ended = [f"{one.name}: {one.what}" for one in try_traps() if not one.kept]
    return len(TRAPS), ended


def files_with_a_fault(n: int, seed: int, *, reader: str) -> Ended:
    """Read files with one fault each, made of a table of n rows."""
    ended = salvage(n, [reader])
    return sum(map(len, ended.values())), failures(ended)


PROMISES = (
    Promise(
        WORK,
        "A process that is killed (SIGKILL) before any step of writing results leaves the old or "
        "the new, files of the user, and nothing else once the next run has looked",
        killing.killed_while_writing,
        500,
        20,
    ),
    Promise(
        WORK,
        "`learn` that is killed at any moment leaves no result or one that loads; started again "
        "it ends with the same bytes as a run that was not disturbed",
        killing.killed_anywhere,
        200,
        6,
    ),
    Promise(
        WORK,
        "One of the processes that make replicates is killed: the result is the same",
        killing.workers_killed,
        10,
        1,
    ),
    Promise(
        WORK,
        "A piece of work that ends three processes is named in an error, and what was done before "
        "it is kept",
        killing.always_dying,
        5,
        1,
    ),
    Promise(
        WORK,
        "Of two processes with the same `--out` one writes, and the other is told in a sentence",
        killing.two_at_once,
        30,
        3,
    ),
    Promise(
        WORK,
        "Ctrl-C while packages are loaded ends the program without a traceback",
        killing.interrupted_while_loading,
        30,
        3,
    ),
    Promise(
        WORK,
        "A file of replicates that ends at any byte is gone on with, to the same bytes",
        cutting.cut_replicates,
        200,
        10,
    ),
    Promise(
        WORK,
        "A file of records of the benchmark that ends at any byte does not block the next run",
        cutting.cut_records,
        1,
        1,
    ),
    Promise(
        CLUSTER,
        "Workers of a Dask cluster are killed at random moments, four in each run of 100 "
        "replicates: the result is that of one process, bit for bit",
        clusters.workers_killed,
        15,
        1,
    ),
    Promise(
        CLUSTER,
        "The scheduler of a Dask cluster is killed and started again: the result is the same",
        clusters.scheduler_restarted,
        5,
        1,
    ),
    Promise(
        CLUSTER,
        "A piece of work that ends workers of a Dask cluster is named in an error, and what was "
        "done before it is kept",
        clusters.always_dying,
        5,
        1,
    ),
    Promise(
        AROUND,
        "Where nothing can be written daglock imports, fits and learns, and says in one sentence "
        "what that costs",
        surroundings.nothing_writable,
        3,
        3,
    ),
    Promise(
        AROUND,
        "No command asks for another machine",
        surroundings.no_network,
        8,
        2,
    ),
    Promise(
        SPREADSHEETS,
        "No text in a CSV is a formula, and each is read back as it was; numbers stay numbers",
        formulas.escaped,
        100_000,
        1000,
    ),
    Promise(
        SPREADSHEETS,
        "The same of edges and matrices that are handed to others",
        formulas.handed_over,
        50,
        2,
    ),
    *(
        Promise(
            FILES,
            f"Changed at random ({kind}), a file is read or refused by an error of daglock",
            partial(changed_files, kind=kind),
            2000,
            20,
        )
        for kind in KINDS
    ),
    *(
        Promise(
            FILES,
            f"A file with one fault is read or refused (`{reader}`): no number and no name is "
            "wrong without a note that says so",
            partial(files_with_a_fault, reader=reader),
            ROWS,
            3,
        )
        for reader in READERS
        if reader.startswith("daglock")
    ),
    Promise(
        FILES,
        "What would take memory or time (packed bombs, forged sizes, endless files, a million "
        "columns, huge cells) is refused in one sentence before it does",
        traps,
        len(TRAPS),
        len(TRAPS),
    ),
)
