"""Pictures of a DAG: causes above effects, few crossings, nothing overlaps."""
