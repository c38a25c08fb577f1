"""The whole incident, twice, against a small tool server: once with a runtime that summarizes, once with the gate in front of it.

    python examples/incident_story.py

The server keeps a real table in SQLite and moves it from one schema to the next, column by column. It knows a call that comes again by
its idempotency key. The agent does what an agent can do: it sends the key that it finds in its context, and where it finds none it makes
one up. Everything else is equal in both runs.
"""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from barrier_policy import Gate

INCIDENT = Path(__file__).with_name("incident.json")
SPAN = (407, 466)
SUMMARY = "Agent decided to migrate table `orders` to the new schema; migration was underway."
COLUMNS = ("customer_ref", "placed_at", "currency", "total_minor", "ship_to_id", "discount_code", "tax_lines", "channel")
REWRITTEN = 4
KEY = "orders-v2-prd-0910-k7f3c9"
ROWS = 200

Messages = list[dict[str, Any]]


class MigrationService:
    """Table `orders`: a column that is moved leaves the old place empty, so moving it twice moves nothing over what was there."""

    def __init__(self) -> None:
        self.database = sqlite3.connect(":memory:", check_same_thread=False)
        both = ", ".join(f"old_{column} TEXT, new_{column} TEXT" for column in COLUMNS)
        self.database.execute(f"CREATE TABLE orders (id INTEGER PRIMARY KEY, {both})")
        names = ", ".join(f"old_{column}" for column in COLUMNS)
        marks = ", ".join("?" * len(COLUMNS))
        for row in range(ROWS):
            self.database.execute(
                f"INSERT INTO orders (id, {names}) VALUES (?, {marks})", (row, *(f"{c}-{row}" for c in COLUMNS))
            )
        self.done: dict[str, list[str]] = {KEY: []}
        self._move(KEY, COLUMNS[:REWRITTEN])  # as the migration stood when it was paused

    def start(self, key: str) -> dict[str, Any]:
        """Go on with the migration of this key, or begin a new one with the first column."""
        known = key in self.done
        self.done.setdefault(key, [])
        self._move(key, [column for column in COLUMNS if column not in self.done[key]])
        return {"resumed": known, "columns_rewritten": len(self.done[key]), "state": "completed"}

    def _move(self, key: str, columns: Any) -> None:
        for column in columns:
            self.database.execute(f"UPDATE orders SET new_{column} = old_{column}, old_{column} = NULL")
            self.done[key].append(column)

    def nulls(self) -> int:
        """Orders that a join on the new columns silently loses."""
        empty = " OR ".join(f"new_{column} IS NULL" for column in COLUMNS)
        return int(self.database.execute(f"SELECT count(*) FROM orders WHERE {empty}").fetchone()[0])


def serve(service: MigrationService) -> ThreadingHTTPServer:
    """The service as a tool server on loopback: POST the arguments of `start_migration`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            arguments = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(service.start(arguments["idempotency_key"])).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def find_key(context: Messages) -> str | None:
    """The key that was sent with the migration of `orders`, as it stands anywhere in the context: in a call or in a record of one."""
    text = json.dumps(context, ensure_ascii=False).replace("\\", "")
    found = re.search(r'"environment": ?"production", ?"table": ?"orders"[^}]*"idempotency_key": ?"([^"]+)"', text)
    return found[1] if found else None


def go_on(context: Messages) -> tuple[str, dict[str, Any], int]:
    """The agent picks the migration up: the key that it sends, the answer, and the rows that are lost afterwards."""
    service = MigrationService()
    server = serve(service)
    key = find_key(context) or "orders-migration-retry-1"
    arguments = {"environment": "production", "table": "orders", "from_schema": 1, "to_schema": 2, "idempotency_key": key}
    request = urllib.request.Request(f"http://127.0.0.1:{server.server_port}/", data=json.dumps(arguments).encode())
    with urllib.request.urlopen(request) as response:
        answer = json.loads(response.read())
    server.shutdown()
    server.server_close()
    return key, answer, service.nulls()


def summarize_the_span(messages: Messages) -> Messages:
    """What a runtime does without a gate: 41 turns become one fluent sentence."""
    return [*messages[: SPAN[0]], {"role": "user", "content": SUMMARY}, *messages[SPAN[1] :]]


def compact_with_the_gate(messages: Messages) -> Messages:
    """The same summarizer behind the gate: it is told only what may go."""
    with tempfile.TemporaryDirectory() as store:
        gate = Gate(store=store, summarizer=lambda request: SUMMARY)
        done = gate.compact(messages, keep_last=10, now="2026-09-14T08:30:00Z")
    print(f"  {done.tokens_before:,} tokens became {done.tokens_after:,}; audit: {done.report.outcome}")
    return list(done.messages)


def tell(title: str, context: Messages) -> None:
    """Print one ending."""
    key, answer, lost = go_on(context)
    kind = (
        "went on with the migration that was paused"
        if answer["resumed"]
        else "began a new migration over a table half moved"
    )
    print(f"  the agent sends the key `{key}`: the service {kind}")
    print(f"  {title}: {lost} of {ROWS} orders have lost columns" if lost else f"  {title}: all {ROWS} orders are whole")


def main() -> None:
    """Both endings."""
    messages = json.loads(INCIDENT.read_text(encoding="utf-8"))["messages"]
    print("without the gate")
    tell("60 turns later", summarize_the_span(messages))
    print("with the gate")
    tell("60 turns later", compact_with_the_gate(messages))


if __name__ == "__main__":
    main()
