"""Columns that other columns determine: found before anything is searched, and said in words."""

from daglock.dependence.determined import Determined, find_determined
from daglock.dependence.words import about_patterns, relations, warnings_about

__all__ = ["Determined", "about_patterns", "find_determined", "relations", "warnings_about"]
