"""Whom to cite: the content of CITATION.cff, which an installed package does not carry."""

from __future__ import annotations

TITLE = (
    "Smooth, Sparse, and Stable: Finite-Time Exact Skeleton Recovery via Smoothed Proximal "
    "Gradients"
)
AUTHORS = (("Rui", "Wu"), ("Yongjun", "Li"))


def plain() -> str:
    """Return the reference in a line."""
    return f"{' and '.join(' '.join(author) for author in AUTHORS)}. {TITLE}."


def bibtex() -> str:
    """Return the reference as BibTeX."""
    authors = " and ".join(f"{family}, {given}" for given, family in AUTHORS)
    return f"@article{{wu_li_spg_ahoc,\n  title  = {{{TITLE}}},\n  author = {{{authors}}},\n}}"
