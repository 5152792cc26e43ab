"""Where Alembic begins: it runs the revisions on the connection that it was handed."""

from alembic import context

from qidguard.ledger.schema import METADATA, VERSION_TABLE


def _run() -> None:
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=METADATA,
        version_table=VERSION_TABLE,
    )
    with context.begin_transaction():
        context.run_migrations()


if hasattr(context, "config"):  # it has none where the file is merely imported, as documentation tests do
    _run()
