"""Make generalisation hierarchies: from files, intervals, dates, prefixes, taxonomies, and automatically."""
