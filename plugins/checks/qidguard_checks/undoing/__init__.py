"""Which published columns undo the generalization of quasi-identifiers."""
