"""The paper's tables, figures and claims, measured: one file each, run from a registry."""
