"""How the ledger's tables came to be, one revision after another (Alembic)."""
