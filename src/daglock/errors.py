"""Every exception and warning that a user can meet."""

from __future__ import annotations

from collections.abc import Iterable


class DaglockError(Exception):
    """Base class of every exception that daglock raises on purpose."""


class InvalidDataError(DaglockError, ValueError):
    """The data cannot be used as they are; the message names the row or the column."""


class InvalidCellError(InvalidDataError, TypeError):
    """A cell holds an object that is neither a number nor text; the message names it."""


class InvalidParameterError(DaglockError, ValueError):
    """A parameter is outside its range; the message names it and its range."""


class NotThereError(InvalidParameterError, AttributeError):
    """A result that only another sort of fit has; the message says which. ``hasattr`` is False."""


class NotADAGError(DaglockError, ValueError):
    """A graph that must be acyclic has a cycle; the message shows it."""


class MissingExtraError(DaglockError, ImportError):
    """A package is needed that daglock does not bring; the message says how to install it."""


class ClusterError(DaglockError, RuntimeError):
    """A cluster does not answer, has no workers, or has some that cannot do the work."""


class WorkerDiedError(DaglockError, RuntimeError):
    """A piece of work ended its process again and again; ``piece`` tells which one, from 0."""

    def __init__(self, piece: int, deaths: int, on_cluster: bool = False) -> None:
        super().__init__(piece, deaths, on_cluster)
        self.piece, self.deaths, self.on_cluster = piece, deaths, on_cluster

    def __str__(self) -> str:
        process, remedy = (
            ("worker", "give the workers of the cluster more memory, or fewer threads")
            if self.on_cluster
            else ("process", "use fewer processes (n_jobs, --jobs)")
        )
        return (
            f"Replicate {self.piece + 1} has ended its {process} {self.deaths} times, as the "
            f"system does where memory runs out: {remedy}."
        )


class ConvergenceWarning(UserWarning):
    """A solver stopped before it converged; the status says why."""


class DataWarning(UserWarning):
    """The data can be used, but something about them limits what can be told; columns are named."""


def refuse(faults: Iterable[str]) -> None:
    """Raise one error about all faults, if there are any; an empty sentence is none.

    Examples
    --------
    >>> refuse(["", ""])
    >>> refuse(["Column 'a' is empty: leave it out.", "Column 'b' is infinite: mend it."])
    Traceback (most recent call last):
    daglock.errors.InvalidDataError: 2 things stand in the way. (1) Column 'a' is empty: leave it
    out. (2) Column 'b' is infinite: mend it.
    """
    said = [fault for fault in faults if fault]
    if len(said) == 1:
        raise InvalidDataError(said[0])
    if said:
        numbered = " ".join(f"({k}) {fault}" for k, fault in enumerate(said, start=1))
        raise InvalidDataError(f"{len(said)} things stand in the way. {numbered}")
