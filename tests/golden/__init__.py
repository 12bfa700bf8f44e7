"""Golden files: what daglock learned, claimed and printed of 150 tables, kept as values.

``python -m tests.golden compare`` shows what differs, ``accept SECTION WHY`` keeps it.
"""
