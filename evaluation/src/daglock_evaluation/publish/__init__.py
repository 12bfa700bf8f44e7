"""The names that experiments know tables and figures by."""
