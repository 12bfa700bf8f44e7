"""load: a fitted model from its file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from daglock.estimator import saving
from daglock.estimator.estimator import DAGLock
from daglock.table.frames import is_installed


def load(path: str | Path) -> DAGLock:
    """Read a model that `DAGLock.save` wrote; what can be checked of it is checked.

    A folder that the command line wrote stands for the model in it. The rows are not kept.

    Raises
    ------
    InvalidDataError
        The file is not a model, or was changed.
    """
    path = Path(path)
    saved = saving.read(path / "model.npz" if path.is_dir() else path)
    model = DAGLock(**saved.settings)
    library = saved.library
    installed = library is not None and is_installed(library)
    library = library if installed else None
    sure = saved.confidence and replace(saved.confidence, library=library)
    model._adopt(
        saved.moments,
        saved.learned,
        library,
        saved.n_dropped,
        confidence=sure,
        schema=saved.schema,
        left_out=saved.left_out,
        scores=saved.scores,
        known=saved.settings.get("knowledge"),
        labels=saved.labels,
    )
    return model
