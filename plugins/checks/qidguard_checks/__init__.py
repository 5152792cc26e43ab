"""What a verdict asks beyond metrics: whether published columns undo the work on quasi-identifiers."""
