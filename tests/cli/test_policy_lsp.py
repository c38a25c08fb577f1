"""`policy lsp`, driven as an editor does: over standard input and output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

POLICY = """\
apiVersion: barrier-policy/v1
kind: Policy
metadata: {name: finance, version: 1.0.0, owner: finance}
variables:
  - {name: payments, expression: "span.effects.filter(e, e.tool == 'pay')"}
rules:
  - id: finance.keep-payments
    effect: barrier
    severity: high
    summary: A payment — 💶 — stays.
    why: The auditor reads it.
    references: ["audit handbook"]
    since: 1.0.0
    condition: size(variables.payments) > 0 && span.tokns > 3
    evidence: variables.payments
    explanation: "'💶 ' + variables.payments[0].tool"
"""


class Editor:
    """A client of the language server protocol, version 3.17, base protocol."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "barrier_policy.cli", "policy", "lsp"]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=os.environ
        )
        self.number = 0

    def send(self, method: str, params: Any, **more: Any) -> None:
        data = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            assert line or self.process.poll() is None
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))  # type: ignore[no-any-return]

    def ask(self, method: str, params: Any) -> Any:
        self.number += 1
        self.send(method, params, id=self.number)
        while (answer := self.receive()).get("id") != self.number or "method" in answer:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def told(self, method: str) -> Any:
        while (message := self.receive()).get("method") != method:
            pass
        return message["params"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "team").mkdir()
    file = tmp_path / "team" / "finance.yaml"
    file.write_text(POLICY, encoding="utf-8")
    return file


@pytest.fixture
def editor(tmp_path: Path, path: Path) -> Iterator[Editor]:
    """An editor that has the file open."""
    found = Editor(tmp_path)
    found.ask("initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}})
    found.send("initialized", {})
    document = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": POLICY}
    found.send("textDocument/didOpen", {"textDocument": document})
    yield found
    found.ask("shutdown", None)
    found.send("exit", None)
    with found.process:  # closes its pipes
        assert found.process.wait(timeout=30) == 0


def at(path: Path, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}


def test_an_editor_is_told_what_lint_finds_and_helped_with_facts(editor: Editor, path: Path) -> None:
    found = editor.told("textDocument/publishDiagnostics")["diagnostics"]
    by_code = {entry["code"]: entry for entry in found}
    unknown = by_code["unknown-fact"]
    assert unknown["range"]["start"] == {"line": 13, "character": 52} and unknown["severity"] == 1
    assert "did you mean `tokens`" in unknown["message"] and unknown["source"] == "barrier-policy"

    column = POLICY.splitlines()[13].index("span.tokns") + len("span.")
    offered = {item["label"]: item for item in editor.ask("textDocument/completion", at(path, 13, column))}
    assert offered["tokens"]["detail"] == "int" and offered["tokens"]["documentation"] == "its size in tokens"

    hover = editor.ask("textDocument/hover", at(path, 13, POLICY.splitlines()[13].index("payments") + 2))
    assert hover["contents"]["value"] == "`payments` list(Effect): a variable of the policy"

    # positions of the protocol count UTF-16 units: the coin is two
    column = POLICY.splitlines()[15].index("tool") + 1 + 1
    hover = editor.ask("textDocument/hover", at(path, 15, column))
    assert hover["contents"]["value"] == "`tool` string: the tool's name"
    assert editor.ask("textDocument/hover", at(path, 9, 12)) is None


def test_a_file_that_is_put_right_has_no_errors_any_more(editor: Editor, path: Path) -> None:
    assert editor.told("textDocument/publishDiagnostics")["diagnostics"]
    good = POLICY.replace("tokns", "tokens")
    path.write_text(good, encoding="utf-8")
    document = {"uri": path.as_uri(), "version": 2}
    editor.send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": good}]})
    editor.send("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
    found = editor.told("textDocument/publishDiagnostics")["diagnostics"]
    assert [entry["code"] for entry in found if entry["severity"] == 1] == []


def test_an_unsaved_word_is_completed(editor: Editor, path: Path) -> None:
    changed = POLICY.replace("span.tokns > 3", "span.effects.exists(e, e.")
    document = {"uri": path.as_uri(), "version": 2}
    editor.send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": changed}]})
    column = len(changed.splitlines()[13])
    offered = {item["label"] for item in editor.ask("textDocument/completion", at(path, 13, column))}
    assert {"unsettled", "receipt_needed"} <= offered


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ImportError('not here')\n")
    command = [sys.executable, "-m", "barrier_policy.cli", "policy", "lsp"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, check=False)
    assert done.stderr == "the language server needs the extra `lsp` (pip install 'barrier-policy[lsp]')\n"
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("barrier-policy.yaml", "tail: {keep_last: 6}\n", []),
        ("barrier-policy.yaml", "tail: {keep_last: 6}\nkeep_last: 3\n", [("invalid-profile", 1)]),
        ("compose.yaml", "foo: bar\n", []),
        ("pod.yaml", "apiVersion: kyverno.io/v1\nkind: Policy\nmetadata: {name: a}\n", []),
        ("empty.yaml", "", []),
        ("broken.yaml", "a: [\n", []),
        ("acknowledged.yaml", "apiVersion: barrier-policy/v1\nkind: Acknowledgements\nacknowledgements: []\n", []),
        (
            "nameless.yaml",
            POLICY.replace("apiVersion: barrier-policy/v1\n", "").replace("tokns", "tokens"),
            [("invalid-policy", 0)],
        ),
    ],
)
def test_a_profile_is_checked_as_one_and_yaml_of_others_is_left_alone(
    editor: Editor, path: Path, name: str, text: str, found: list[tuple[str, int]]
) -> None:
    editor.told("textDocument/publishDiagnostics")
    file = path.parent.parent / "own" / name
    file.parent.mkdir()
    file.write_text(text, encoding="utf-8")
    document = {"uri": file.as_uri(), "languageId": "yaml", "version": 1, "text": text}
    editor.send("textDocument/didOpen", {"textDocument": document})
    told = editor.told("textDocument/publishDiagnostics")
    assert told["uri"] == file.as_uri()
    errors = [entry for entry in told["diagnostics"] if entry["severity"] == 1]
    assert [(entry["code"], entry["range"]["start"]["line"]) for entry in errors] == found


def test_a_file_that_is_neither_open_nor_there_has_nothing_to_offer(editor: Editor, path: Path) -> None:
    nowhere = path.with_name("nowhere.yaml")
    assert editor.ask("textDocument/completion", at(nowhere, 3, 4)) == []
    assert editor.ask("textDocument/hover", at(nowhere, 3, 4)) is None
