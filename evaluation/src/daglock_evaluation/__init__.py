"""What shows that daglock is right: the paper reproduced, and other packages beside it."""

__version__ = "0.1.0"
