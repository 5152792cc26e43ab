"""A new kind of entries, ``accepted``; the tables stay, only older versions notice."""

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing; the revision alone keeps an older qidguard from reading what it does not know."""
