"""A new kind of entry, ``checked``: the tables stay, so that only an older qidguard notices."""

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing; the revision alone keeps an older qidguard from reading what it does not know."""
