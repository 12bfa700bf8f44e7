"""One table, one policy: from a file, a frame or an array to numbers with names.

`Table` is what all readers make: `read_file` of files, `read_table` of what is in memory. What is
decided about it, and what is said of it, is in `policy`.
"""

from daglock.table.file import read_file
from daglock.table.frames import read_table
from daglock.table.table import Table

__all__ = ["Table", "read_file", "read_table"]
