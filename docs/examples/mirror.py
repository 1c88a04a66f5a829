"""Keeps the latest state of everything in SQLite.

    npm -s start -- --json | python3 docs/examples/mirror.py mirror.db
"""

import json
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1] if len(sys.argv) > 1 else "mirror.db")
database.execute(
    """CREATE TABLE IF NOT EXISTS entities (source TEXT, subject TEXT, sequence TEXT,
    deleted INTEGER, object TEXT, PRIMARY KEY (source, subject))"""
)


def keep_latest(event: dict) -> bool:
    """Saves the state of an event. Returns False if a later state is saved already."""
    entity = event["data"]["object"]
    is_deleted = event["type"].endswith(".deleted") or bool(entity.get("deleted_at"))
    values = (event["source"], event["subject"], event["sequence"], is_deleted, json.dumps(entity))
    with database:
        result = database.execute(
            """INSERT INTO entities VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (source, subject) DO UPDATE
            SET sequence = excluded.sequence, deleted = excluded.deleted, object = excluded.object
            WHERE excluded.sequence > entities.sequence""",
            values,
        )
    return result.rowcount > 0


for line in sys.stdin:
    event = json.loads(line)  # with SQS and raw delivery: the body of a message
    if "data" not in event:
        print("read first from S3:", event["dataref"])
        continue
    print("applied" if keep_latest(event) else "ignored", event["type"], event["subject"], flush=True)
