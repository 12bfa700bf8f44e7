"""Files that nobody would write: coverage-guided fuzzing of all that reads one (``make fuzz``)."""
