"""Search for sets of quasi-identifiers: the protocol that strategies fill, and what runs them."""
