"""Make generalization hierarchies: from files, intervals, dates, published systems of codes, and others."""
