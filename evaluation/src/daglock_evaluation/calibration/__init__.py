"""How far the stated probabilities of links and directions can be believed, measured across tables."""
