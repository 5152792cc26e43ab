"""The tables as ``schema`` declared them first; 0001 and 0002, which older versions wrote, had the same."""

revision = "0003"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing: a new ledger is made from ``schema``, and what changes its tables comes after this."""
