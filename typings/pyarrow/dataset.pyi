from collections.abc import Iterator, Sequence
from typing import Any

from pyarrow import RecordBatch, Schema

class Fragment:
    def to_batches(self, **options: Any) -> Iterator[RecordBatch]: ...

class Dataset:
    schema: Schema
    def get_fragments(self) -> Iterator[Fragment]: ...
    def to_batches(self, **options: Any) -> Iterator[RecordBatch]: ...

def dataset(source: str | Sequence[str] | Any, **options: Any) -> Dataset: ...
