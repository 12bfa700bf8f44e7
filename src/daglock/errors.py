"""Every exception and warning that a user can meet."""

from __future__ import annotations


class DaglockError(Exception):
    """Base class of every exception that daglock raises on purpose."""


class InvalidDataError(DaglockError, ValueError):
    """The data cannot be used as they are; the message names the row or the column."""


class InvalidCellError(InvalidDataError, TypeError):
    """A cell holds an object that is neither a number nor text; the message names it."""


class InvalidParameterError(DaglockError, ValueError):
    """A parameter is outside its range; the message names it and its range."""


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
