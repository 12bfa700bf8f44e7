"""How far the probabilities of links and directions can be believed, across tables."""
