"""No test reaches beyond this machine, as in the tests of the product."""

from tests.offline import block, offline

__all__ = ["offline"]

block()
