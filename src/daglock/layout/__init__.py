"""Where to draw the nodes of a DAG: causes above effects, few crossings, nothing overlaps."""

from __future__ import annotations

from daglock.layout.labels import NODE_HEIGHT, label_widths
from daglock.layout.layered import Layout, layered_layout

__all__ = ["NODE_HEIGHT", "Layout", "label_widths", "layered_layout"]
