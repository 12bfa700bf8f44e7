"""One small file for each method that is compared: a function from a table to a `Result`."""
