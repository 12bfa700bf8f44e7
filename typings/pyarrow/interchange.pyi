from typing import Any

from pyarrow import Table

def from_dataframe(df: Any) -> Table: ...
