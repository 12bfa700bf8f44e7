"""Every exception and warning that a user can meet."""

from __future__ import annotations


class DaglockError(Exception):
    """Base class of every exception that daglock raises on purpose."""


class InvalidDataError(DaglockError, ValueError):
    """The data cannot be used as they are; the message names the row or the column."""


class InvalidParameterError(DaglockError, ValueError):
    """A parameter is outside its range; the message names it and its range."""


class NotADAGError(DaglockError, ValueError):
    """A graph that must be acyclic has a cycle; the message shows it."""


class MissingExtraError(DaglockError, ImportError):
    """An optional dependency is needed; the message names the extra that installs it."""


class ConvergenceWarning(UserWarning):
    """A solver stopped before it converged; the status says why."""


class DataWarning(UserWarning):
    """The data can be used, but something about them limits what can be told; columns are named."""
