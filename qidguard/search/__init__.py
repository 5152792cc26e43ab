"""Search for QID sets: the protocol that strategies fill."""
