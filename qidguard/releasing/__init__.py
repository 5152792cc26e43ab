"""Release: audit a table with its earlier releases, publish exactly what was audited, and keep proof."""
