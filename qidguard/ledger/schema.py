"""The tables of the ledger, as a new one is made and as the newest migration leaves an older one."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

METADATA: Final = MetaData()

VERSION_TABLE: Final = "qidguard_ledger_version"
"""Where Alembic writes the revision; a name of its own, since other applications may share the database."""

_NUMBER = BigInteger().with_variant(Integer(), "sqlite")  # only INTEGER is SQLite's own row number

ENTRY: Final = Table(
    "entry",
    METADATA,
    Column("sequence", _NUMBER, autoincrement=False, nullable=False),
    Column("id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("data_set", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("payload", Text, nullable=False),
    Column("attachments", Text, nullable=False),
    Column("previous_hash", Text, nullable=False),
    Column("hash", Text, nullable=False),
    PrimaryKeyConstraint("sequence", name="pk_entry"),
    UniqueConstraint("id", name="uq_entry_id"),
    UniqueConstraint("previous_hash", name="uq_entry_previous_hash"),
    UniqueConstraint("hash", name="uq_entry_hash"),
    Index("ix_entry_data_set", "data_set"),
    Index("ix_entry_kind", "kind"),
)

ATTACHMENT: Final = Table(
    "attachment",
    METADATA,
    Column("digest", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
    PrimaryKeyConstraint("digest", name="pk_attachment"),
)

CHAIN_HEAD: Final = Table(
    "chain_head",
    METADATA,
    Column("id", Integer, autoincrement=False, nullable=False),
    Column("sequence", _NUMBER, nullable=False),
    Column("hash", Text, nullable=False),
    PrimaryKeyConstraint("id", name="pk_chain_head"),
    CheckConstraint("id = 1", name="ck_chain_head_one_row"),
)

HEAD_ID: Final = 1
"""The number of the one row of ``chain_head``."""
