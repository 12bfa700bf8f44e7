"""load: a fitted model from its file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from daglock.errors import InvalidDataError
from daglock.estimator import saving
from daglock.estimator.estimator import DAGLock
from daglock.table.frames import is_installed


def load(path: str | Path, *, max_size: int | None = None) -> DAGLock:
    """Read a model that `DAGLock.save` wrote; what can be checked of it is checked.

    A folder that the command line wrote stands for the model in it. It has the same `confidence_`
    and effects as the model that was saved; the rows are there only if they were kept.

    Parameters
    ----------
    path : file or folder.
    max_size : bytes that a .npz may unpack to; by default 256 MB, or a hundred times its size
        where that is more.

    Raises
    ------
    InvalidDataError
        The file is not a model, or was changed.
    """
    path = Path(path)
    path = path / "model.npz" if path.is_dir() else path
    saved = saving.read(path, max_size)
    try:
        model = DAGLock(**saved.settings)
    except TypeError as error:
        raise InvalidDataError(f"{path} has a setting that there is not: save it again.") from error
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
        source=saved.source,
        resampled=saved.resampled,
        rows=saved.rows,
    )
    model.made_by_ = saved.made_by
    model._data_hash, model._written_by = saved.data_hash, saved.written_by
    return model
