"""Rows a second and memory of data that are read in parts, beside those of pyarrow alone."""
