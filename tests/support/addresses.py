"""Addresses with a password, in every way to write them."""

PASSWORD = "hunter2S3"  # noqa: S105 - what nothing may show
ADDRESSES = {
    "user": f"postgresql://ann:{PASSWORD}@127.0.0.1:9/db",
    "driver": f"postgresql+psycopg://ann:{PASSWORD}@127.0.0.1:9/db?connect_timeout=1",
    "percent": f"postgresql://ann:%40{PASSWORD}%2f@127.0.0.1:9/db",
    "raw": f"postgresql://ann:a/b?{PASSWORD}#@127.0.0.1:9/db",
    "digits": f"postgresql://ann:12/{PASSWORD}@127.0.0.1:9/db",
    "at": f"postgresql://ann:x@{PASSWORD}/y@127.0.0.1:9/db",
    "colons": f"postgresql://ann:x::{PASSWORD}@127.0.0.1:9/db",
    "query": f"postgresql://127.0.0.1:9/db?user=ann&password={PASSWORD}",
    "pairs": f"host=127.0.0.1 port=9 user=ann password={PASSWORD}",
    "quoted": f"host=127.0.0.1 port=9 password='a {PASSWORD}'",
    "slash": f"postgresql:/ann:{PASSWORD}@127.0.0.1/db",
    "none": f"ann:{PASSWORD}@127.0.0.1/db",
    "upper": f"POSTGRESQL://ann:{PASSWORD}@127.0.0.1:9/db",
    "file": f"file://ann:{PASSWORD}@elsewhere/table.csv",
    "store": f"memory://key:{PASSWORD}@bucket/table.csv",
    "token": f"nonsense://host/table.csv?token={PASSWORD}",
    "chain": f"zip://t.csv::nonsense://key:{PASSWORD}@host/t.zip",
}
FEW = ("user", "query", "pairs")
"""Those that are tried for every save."""
