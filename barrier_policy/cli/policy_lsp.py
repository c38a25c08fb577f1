"""`barrier-policy policy lsp`: a language server on standard input and output. The only importer of pygls.

Findings are those of `policy lint` for the file as it was last saved, or what is wrong with a profile; of other YAML nothing is said. Facts are
completed and explained as it is typed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from barrier_policy.cli.guard import OK
from barrier_policy.cli.policy_lint import full_schema
from barrier_policy.cli.session import chosen_time
from barrier_policy.errors import BarrierPolicyError, MissingExtraError, ProfileError
from barrier_policy.join.schema import Field
from barrier_policy.policy.bundle import is_bundle
from barrier_policy.policy.cel.load import load_engine
from barrier_policy.policy.lint.editor import Words, expression_before, is_linted
from barrier_policy.policy.lint.model import Level
from barrier_policy.policy.lint.run import lint, read_sources
from barrier_policy.policy.loader import shipped_policies
from barrier_policy.profile import PROFILE_NAME
from barrier_policy.profile_file import load_profile

try:
    from lsprotocol import types
    from pygls.lsp.server import LanguageServer
    from pygls.workspace import TextDocument
except ImportError:
    raise MissingExtraError("the language server needs the extra `lsp` (pip install 'barrier-policy[lsp]')") from None

NAME = "barrier-policy"
SEVERITIES = {
    Level.ERROR: types.DiagnosticSeverity.Error,
    Level.WARNING: types.DiagnosticSeverity.Warning,
    Level.INFO: types.DiagnosticSeverity.Information,
}


def serve(folders: Sequence[Path], *, alone: bool) -> int:
    """Serve until the editor goes. Folders lie below the file that is edited, on top of the shipped policies unless `alone`."""
    for folder in folders:
        if not folder.is_dir():
            how = "the folders that it was built from" if is_bundle(folder) else "folders of policy files"
            raise BarrierPolicyError(f"`{folder}` is no folder (give {how})")
    editor = _Editor(tuple(folders) if alone else (shipped_policies(), *folders))
    server = LanguageServer(NAME, version("barrier-policy"))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def check(params: types.DidOpenTextDocumentParams | types.DidSaveTextDocumentParams) -> None:
        document = server.workspace.get_text_document(params.text_document.uri)
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=document.uri, diagnostics=editor.diagnostics(document))
        )

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["."]))
    def complete(params: types.CompletionParams) -> list[types.CompletionItem]:
        return editor.completions(server.workspace.get_text_document(params.text_document.uri), params.position)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        return editor.hover(server.workspace.get_text_document(params.text_document.uri), params.position)

    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:  # the server closes what it writes to
        server.start_io(sys.stdin.buffer, output)
    return OK


class _Editor:
    """What is the same for all files, and the variables of each as it was last saved."""

    def __init__(self, below: tuple[Path, ...]) -> None:
        self._below = below
        self._schema = full_schema()
        self._engine = load_engine()
        self._variables: dict[str, dict[str, str]] = {}

    def diagnostics(self, document: TextDocument) -> list[types.Diagnostic]:
        """The findings of a file."""
        path = Path(document.path)
        if path.name == PROFILE_NAME:
            return _of_profile(path, document) if path.is_file() else []
        if not is_linted("".join(_lines(document))):
            return []
        below = [folder for folder in self._below if folder.resolve() != path.resolve().parent]
        try:
            sources = read_sources([path], self._schema, self._engine, below=below, today=chosen_time("")[:10])
        except BarrierPolicyError:  # not saved yet
            return []
        for file in sources.linted():
            if file.document is not None:
                checked = ((one.name, one.expression.checked) for one in file.variables)
                self._variables[document.uri] = {name: found.type for name, found in checked if found}
        return [
            _diagnostic(document, found.line, found.column, found.message, found.rule, SEVERITIES[found.level])
            for found in lint(sources)
        ]

    def completions(self, document: TextDocument, position: types.Position) -> list[types.CompletionItem]:
        """What may follow at a place."""
        lines = _lines(document)
        at = document.position_codec.position_from_client_units(lines, position)
        before = expression_before(lines, at.line, at.character)
        found = self._words(document).completions(before) if before is not None else ()
        return [
            types.CompletionItem(
                label=field.name, detail=field.type or None, documentation=field.doc, kind=types.CompletionItemKind.Field
            )
            for field in found
        ]

    def hover(self, document: TextDocument, position: types.Position) -> types.Hover | None:
        """What the word at a place stands for."""
        lines = _lines(document)
        at = document.position_codec.position_from_client_units(lines, position)
        line = lines[at.line] if at.line < len(lines) else ""
        end = at.character
        while end < len(line) and (line[end].isalnum() or line[end] == "_"):
            end += 1
        before = expression_before(lines, at.line, end)
        field = self._words(document).meaning(before) if before is not None else None
        return (
            types.Hover(contents=types.MarkupContent(kind=types.MarkupKind.Markdown, value=_shown(field))) if field else None
        )

    def _words(self, document: TextDocument) -> Words:
        return Words(self._schema, self._variables.get(document.uri, {}))


def _shown(field: Field) -> str:
    return f"`{field.name}`{f' {field.type}' if field.type else ''}: {field.doc}"


def _lines(document: TextDocument) -> list[str]:
    """The lines of a file; none where it is neither open nor there."""
    try:
        return list(document.lines)
    except (OSError, UnicodeDecodeError):
        return []


def _of_profile(path: Path, document: TextDocument) -> list[types.Diagnostic]:
    try:
        load_profile(path)
    except ProfileError as error:
        severity = types.DiagnosticSeverity.Error
        return [
            _diagnostic(document, found.line, found.column, found.message, "invalid-profile", severity)
            for found in error.issues
        ]
    return []


def _diagnostic(
    document: TextDocument, number: int, column: int, message: str, code: str, severity: types.DiagnosticSeverity
) -> types.Diagnostic:
    """A finding at a place, counted from 1, up to the end of its line."""
    lines = _lines(document)
    start = types.Position(line=max(number - 1, 0), character=max(column - 1, 0))
    line = lines[start.line].rstrip("\r\n") if start.line < len(lines) else ""
    end = types.Position(line=start.line, character=max(len(line), start.character))
    whole = document.position_codec.range_to_client_units(lines, types.Range(start=start, end=end))
    return types.Diagnostic(range=whole, message=message, severity=severity, code=code, source=NAME)
