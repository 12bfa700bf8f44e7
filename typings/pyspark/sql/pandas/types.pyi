from typing import Any

import pyarrow as pa

def to_arrow_schema(schema: Any) -> pa.Schema: ...
