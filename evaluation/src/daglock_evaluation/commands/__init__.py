"""The commands that this distribution adds to ``daglock``."""
