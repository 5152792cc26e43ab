"""A method tried on a table: transform, audit again, receipt; methods compared. No ledger."""
