# The little of Dask that daglock uses, typed: much of it has no annotations of its own.
from dask import config as config
