"""Records, tables and figures: what the reproduction and the benchmark are written with."""
