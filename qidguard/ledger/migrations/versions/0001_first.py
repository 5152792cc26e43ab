"""The first tables: entries, what is attached to them, and the head of the chain."""

import sqlalchemy as sa
from alembic import context, op

from qidguard.ledger.row import NO_HASH

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables, the one row that is locked first, and the triggers that refuse changes."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "entry",
        sa.Column("sequence", number, autoincrement=False, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("data_set", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("attachments", sa.Text, nullable=False),
        sa.Column("previous_hash", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("sequence", name="pk_entry"),
        sa.UniqueConstraint("id", name="uq_entry_id"),
        sa.UniqueConstraint("previous_hash", name="uq_entry_previous_hash"),
        sa.UniqueConstraint("hash", name="uq_entry_hash"),
    )
    op.create_index("ix_entry_data_set", "entry", ["data_set"])
    op.create_index("ix_entry_kind", "entry", ["kind"])
    op.create_table(
        "attachment",
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_attachment"),
    )
    head = op.create_table(
        "chain_head",
        sa.Column("id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("sequence", number, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_chain_head"),
        sa.CheckConstraint("id = 1", name="ck_chain_head_one_row"),
    )
    op.bulk_insert(head, [{"id": 1, "sequence": 0, "hash": NO_HASH}])
    for statement in context.config.attributes["create_triggers"]:
        op.execute(sa.text(statement))
