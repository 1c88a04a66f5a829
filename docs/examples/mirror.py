"""Keeps the latest state of everything in SQLite.

    npm -s start -- --json | python3 docs/examples/mirror.py mirror.db
"""

import json
import sqlite3
import sys

ENTITIES = {"project", "floorplan", "sheet", "template_checklist", "template_check_item"}
ACTIONS = {"created", "updated", "deleted", "restored"}

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


def handle(event: dict) -> None:
    """Saves an event of a known type."""
    entity, _, action = event["type"].partition(".")
    if entity not in ENTITIES or action not in ACTIONS:
        result = "ignored"
    elif "data" not in event:
        result = f"read first from S3, at {event['dataref']}:"
    else:
        result = "applied" if keep_latest(event) else "ignored"
    print(result, event["type"], event["subject"], flush=True)


try:
    for line in sys.stdin:
        handle(json.loads(line))  # with SQS and raw delivery: the body of a message
except KeyboardInterrupt:
    pass
