"""Tables of several regimes: experiments with targets told or hidden, and batches."""

# What runs a method on the tables of a case.
WORKER = "daglock_evaluation.regimes.worker"
# The records of all suites are in one file.
RECORDS = "regimes"
