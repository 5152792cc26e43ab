"""Messages on verdicts and failures."""
