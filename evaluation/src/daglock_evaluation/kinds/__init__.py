"""Tables of categories, and of categories and numbers: daglock beside pgmpy and Tetrad."""
