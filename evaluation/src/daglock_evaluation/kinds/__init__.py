"""Tables of categories, and of categories and numbers: daglock beside pgmpy and Tetrad."""

# What runs a method on the tables of a case.
WORKER = "daglock_evaluation.kinds.worker"
