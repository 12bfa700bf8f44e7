"""Progress bars on the error stream."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any


class Bar:
    """A bar for work whose size is known; nothing is shown before the first step.

    Parameters
    ----------
    wanted : True shows it, False does not, None shows it on a terminal.
    """

    def __init__(self, wanted: bool | None = None) -> None:
        self.disable = None if wanted is None else not wanted
        self.bar: Any = None
        self.label = ""

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def step(self, label: str, done: int, total: int, note: str = "") -> None:
        """Show that so much of this is done; another label begins another bar."""
        if self.disable is True:
            return
        if self.bar is None or label != self.label:
            with warnings.catch_warnings():  # of notebooks without widgets: the bar is text there
                warnings.filterwarnings("ignore", message="IProgress not found")
                from tqdm.auto import tqdm

            self.close()
            self.label = label
            ncols, nrows = _size()
            self.bar = tqdm(total=total, desc=label, disable=self.disable, ncols=ncols, nrows=nrows)
        if note:
            self.bar.set_postfix_str(note, refresh=False)
        self.bar.total = max(total, done)  # it can turn out to be more
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        """End the bar and leave it on the screen."""
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def _size() -> tuple[int, int] | tuple[None, None]:
    """Give terminals a size that say that they have none, where a bar would be invisible."""
    try:
        known = os.get_terminal_size(sys.stderr.fileno()).columns > 0
    except (OSError, ValueError, AttributeError):  # not a terminal
        known = True
    return (None, None) if known else (80, 24)
