"""One table, one policy: from a file, a frame or an array to numbers with names.

`Table` is what all readers make: `read_file` of files, `read_table` of what is in memory. What is
decided about it, and what is said of it, is in `policy`.
"""

from typing import TYPE_CHECKING, Any

from daglock.table.frames import read_table
from daglock.table.table import Table

if TYPE_CHECKING:
    from daglock.table.file import read_file

__all__ = ["Table", "read_file", "read_table"]


def __getattr__(name: str) -> Any:
    """Load what reads files, and pyarrow with it, when it is first asked for."""
    if name == "read_file":
        from daglock.table.file import read_file

        return read_file
    raise AttributeError(f"module 'daglock.table' has no attribute {name!r}")
