"""Tables from files: CSV as it is in the wild, Parquet, Arrow; read right, or refused by line."""

from daglock.reading.file import read_file
from daglock.reading.table import Table

__all__ = ["Table", "read_file"]
