class PySparkException(Exception): ...  # noqa: N818
