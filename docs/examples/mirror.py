"""Keeps the latest state of everything in mirror.db, by a queue that is subscribed to the topic.

    python3 docs/examples/mirror.py <queue URL> [<bucket of large events>]
"""

import json
import re
import signal
import sqlite3
import sys
import traceback
from typing import Any

import boto3

ENTITIES = "project|floorplan|sheet|template_checklist|template_check_item"
TYPES = re.compile(rf"({ENTITIES})\.(created|updated|deleted|restored)")

if len(sys.argv) not in (2, 3):
    sys.exit("Usage: python3 docs/examples/mirror.py <queue URL> [<bucket of large events>]")
signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
queue, *names = sys.argv[1:]
sqs, s3 = boto3.client("sqs"), boto3.client("s3")
# On a laptop, the only bucket is that of large events.
bucket = names[0] if names else s3.list_buckets()["Buckets"][0]["Name"]
database = sqlite3.connect("mirror.db", isolation_level=None)
database.execute(
    """CREATE TABLE IF NOT EXISTS entities (source TEXT, subject TEXT, sequence TEXT,
    deleted INTEGER, object TEXT, PRIMARY KEY (source, subject))"""
)


def read(body: str) -> Any:
    """Returns the event of a message, also one that is wrapped, or too large for a message."""
    event = json.loads(body)
    if "Message" in event:
        return read(event["Message"])
    if "data" in event:
        return event
    key = event["dataref"].removeprefix(f"s3://{bucket}/")
    return json.loads(s3.get_object(Bucket=bucket, Key=key)["Body"].read())


def keep_latest(event: Any) -> bool:
    """Saves the state of an event. Returns False for an unknown type, or if a later one is saved."""
    if not TYPES.fullmatch(event["type"]):
        return False
    state = event["data"]["object"]
    is_deleted = event["type"].endswith(".deleted") or bool(state.get("deleted_at"))
    values = (event["source"], event["subject"], event["sequence"], is_deleted, json.dumps(state))
    result = database.execute(
        """INSERT INTO entities VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (source, subject) DO UPDATE
        SET sequence = excluded.sequence, deleted = excluded.deleted, object = excluded.object
        WHERE excluded.sequence > entities.sequence""",
        values,
    )
    return result.rowcount > 0


while True:
    answer = sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, WaitTimeSeconds=20)
    for message in answer.get("Messages", []):
        try:
            event = read(message["Body"])
            result = "applied" if keep_latest(event) else "ignored"
        except Exception:
            # It comes again, and at last into the queue's dead letters.
            traceback.print_exc()
            continue
        print(result, event["type"], event["subject"], flush=True)
        sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
