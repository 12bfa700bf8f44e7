# The little of PySpark that daglock uses, typed: it is not installed where the types are checked.
class TaskContext:
    @classmethod
    def get(cls) -> TaskContext | None: ...
    def partitionId(self) -> int: ...  # noqa: N802
