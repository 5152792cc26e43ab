"""What the columns of a series tell of how long its persons are here."""
