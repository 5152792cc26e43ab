"""The triggers by which PostgreSQL refuses to change what stands in the ledger."""

from typing import Final

_TABLES = ("entry", "attachment")
_BODY = " BEGIN RAISE EXCEPTION 'the ledger is append-only'; END "
_FUNCTION = "qidguard_ledger_refuse"
_CHANGE_BITS = 1 | 2 | 8 | 16  # for each row, before, delete, update
_TRUNCATE_BITS = 2 | 32  # before, truncate

CREATE_TRIGGERS: Final = (
    f"CREATE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $${_BODY}$$",
    *(
        f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION {_FUNCTION}()"
        for table in _TABLES
    ),
    *(
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {_FUNCTION}()"
        for table in _TABLES
    ),
)

_EXPECTED = ", ".join(
    f"('{table}', '{table}_{name}', {bits})"
    for table in _TABLES
    for name, bits in (("no_change", _CHANGE_BITS), ("no_truncate", _TRUNCATE_BITS))
)

_NAMES = ", ".join(f"'{table}_{name}'" for table in _TABLES for name in ("no_change", "no_truncate"))

FIND_TRIGGERS: Final = f"""
SELECT expected.name
FROM (VALUES {_EXPECTED}) AS expected(relation, name, bits)
WHERE NOT EXISTS (
    SELECT 1
    FROM pg_trigger
    JOIN pg_class ON pg_class.oid = pg_trigger.tgrelid
    JOIN pg_proc ON pg_proc.oid = pg_trigger.tgfoid
    WHERE pg_class.relname = expected.relation
      AND pg_table_is_visible(pg_class.oid)
      AND pg_trigger.tgname = expected.name
      AND pg_trigger.tgtype = expected.bits
      AND pg_trigger.tgenabled IN ('O', 'A')
      AND pg_trigger.tgqual IS NULL
      AND cardinality(pg_trigger.tgattr::int2[]) = 0
      AND pg_proc.prosrc = '{_BODY.replace("'", "''")}'
)
UNION
SELECT pg_trigger.tgname::text
FROM pg_trigger
JOIN pg_class ON pg_class.oid = pg_trigger.tgrelid
WHERE pg_class.relname IN ('entry', 'attachment', 'chain_head')
  AND pg_table_is_visible(pg_class.oid)
  AND NOT pg_trigger.tgisinternal
  AND pg_trigger.tgname NOT IN ({_NAMES})
ORDER BY 1
"""  # noqa: S608 - every word of it stands in this file

STATE: Final = """
SELECT pg_class.oid::text, pg_class.relfilenode::text, pg_class.xmin::text,
    pg_stat_get_tuples_updated(pg_class.oid)::text, pg_stat_get_tuples_deleted(pg_class.oid)::text,
    (
        SELECT string_agg(concat_ws(' ', t.oid, t.xmin, t.tgenabled, p.xmin), ', ' ORDER BY t.oid)
        FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
        WHERE t.tgrelid = pg_class.oid
    )
FROM pg_class
WHERE pg_class.relname IN ('entry', 'attachment') AND pg_table_is_visible(pg_class.oid)
ORDER BY pg_class.relname
"""
"""What is another where a trigger was dropped, switched off or made anew, a table rewritten or a row changed.

The server counts changed rows a moment after they are committed.
"""
