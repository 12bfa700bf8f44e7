"""How often each edge comes back when the rows are drawn again."""

from daglock.bootstrap.frequencies import Bootstrap

__all__ = ["Bootstrap"]
