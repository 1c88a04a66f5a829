"""Receives signed events, and answers 204 once one was handled. Terminate TLS in front of it."""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def read_key(secret: str) -> bytes:
    """Raises ValueError for what is no secret: with an empty key, everybody could sign."""
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    if not secret.startswith("whsec_") or len(key) < 24:
        raise ValueError
    return key


def verify(headers: Message, body: bytes) -> bool:
    sent_at = headers.get("webhook-timestamp", "")
    is_time = sent_at.isascii() and sent_at.isdigit() and len(sent_at) <= 12
    if not is_time or abs(time.time() - int(sent_at)) > 300:
        return False
    signed = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256))
    signatures = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(each, expected) for each in signatures)


try:
    KEY = read_key(os.environ.get("WEBHOOK_SECRET", ""))
except ValueError:
    sys.exit("WEBHOOK_SECRET must be the secret of the webhook: whsec_…")

# Each request has a thread of its own.
PRINTING = threading.Lock()


def handle(event: dict[str, Any]) -> None:
    with PRINTING:
        print(event["id"], event["type"], event["subject"], flush=True)


def complain(text: str) -> None:
    with PRINTING:
        print(text, file=sys.stderr, flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        try:
            status = self.receive()
        except Exception as error:
            complain(f"Failed: {type(error).__name__}: {error}")
            status = 500
        self.send_response(status)
        self.end_headers()

    def receive(self) -> int:
        """Returns the status of the answer."""
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            return 411
        body = self.rfile.read(int(length))
        if not verify(self.headers, body):
            complain("Refused: are the secret and the clock right?")
            return 401
        handle(json.loads(body))
        return 204

    def log_message(self, *_: object) -> None:
        """Logs no requests."""


if __name__ == "__main__":
    port = os.environ.get("PORT", "8000")
    if not (port.isdecimal() and int(port) <= 65_535):
        sys.exit(f"PORT is {port}; allowed: a number up to 65535.")
    try:
        server = ThreadingHTTPServer(("127.0.0.1", int(port)), Receiver)
    except OSError as error:
        sys.exit(f"Port {port} cannot be used: {error}. Set PORT to another one.")
    print(f"Listening on port {server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
