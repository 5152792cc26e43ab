"""What the ledger knows of a data set over time: earlier releases, events, verdicts."""
