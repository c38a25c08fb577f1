"""What reaches the terminal: colours only on one, and nothing from a transcript that it could obey.

INVARIANT: every text that stems from a transcript goes through `clean` or `clip` (printable.py) before it is printed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import msgspec
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from barrier_policy.cli.options import OutputFormat
from barrier_policy.digest import stable_json
from barrier_policy.errors import BarrierPolicyError, reason_of
from barrier_policy.printable import clean as clean
from barrier_policy.printable import clip as clip
from barrier_policy.printable import counted as counted

PLAIN_WIDTH = 120
"""Columns where the output is no terminal and COLUMNS does not say otherwise, so that piped output is always the same."""


def make_console(stream: IO[str]) -> Console:
    """A console on a stream, with colours only where it is a terminal and NO_COLOR is not set."""
    terminal = stream.isatty()
    coloured = terminal and not os.environ.get("NO_COLOR")
    return Console(
        file=stream,
        force_terminal=terminal,
        color_system="auto" if coloured else None,
        width=None if terminal else _plain_width(),
        highlight=False,
        markup=False,
        emoji=False,
    )


def _plain_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) > 0 else PLAIN_WIDTH


def out() -> Console:
    """The console on standard output."""
    return make_console(sys.stdout)


def err() -> Console:
    """The console on standard error."""
    return make_console(sys.stderr)


def progress_bar(console: Console) -> Progress:
    """A bar for long work on a terminal; it leaves nothing behind. It is drawn as it is told to, so that no thread stands beside the work."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, auto_refresh=False)


def make_table(*headers: str, right: tuple[str, ...] = (), wide: str = "") -> Table:
    """A table without rules. Columns in `right` are numbers; the column `wide` takes the room that is left."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for header in headers:
        last = header == wide
        table.add_column(
            header,
            justify="right" if header in right else "left",
            no_wrap=not last,
            overflow="fold",
            ratio=1 if last else None,
        )
    return table


def cell(text: str, *, one_line: bool = False) -> Text:
    """A table cell that holds exactly this text, cleaned; on one line, as much of it as there is room for."""
    return Text(clean(text), no_wrap=one_line or None, overflow="ellipsis" if one_line else None)


def show(console: Console, content: RenderableType = "") -> None:
    """Print a line or a table, without the blanks that pad it to the full width.

    Rendered first and written by us: rich would end the process with code 1 where the reader of the output went away.
    """
    with console.capture() as captured:
        console.print(content, soft_wrap=not isinstance(content, Table))
    for line in captured.get().splitlines():
        console.file.write(line.rstrip() + "\n")


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output as they are."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_json(value: Any) -> None:
    """Write a value as indented JSON with sorted keys."""
    write_bytes(indented(stable_json(value)))


def indented(data: bytes) -> bytes:
    """JSON for reading, its keys in their order."""
    return msgspec.json.format(data, indent=2) + b"\n"


def emit(found: Any, format: OutputFormat, table: Callable[[], Table], *, lines: Iterable[Any] | None = None) -> None:
    """Print a result as a table, which is made only then, or as JSON. As JSON lines its `lines`: those given, or the result, or each of a list."""
    if format is OutputFormat.TABLE:
        show(out(), table())
    elif format is OutputFormat.JSON:
        write_json(found)
    else:
        records = (found if isinstance(found, list | tuple) else [found]) if lines is None else lines
        write_bytes(b"".join(stable_json(record) + b"\n" for record in records))


def write_output(data: bytes, output: Path | None, *, option: str = "") -> None:
    """Write bytes to a file, or to standard output where none is named.

    What stood in the file stays until all is written. A link stays a link, and a file keeps its mode. Raises BarrierPolicyError where it
    can't be written; `option` is what named it.
    """
    if output is None:
        write_bytes(data)
        return
    try:
        _write_file(output.resolve(), data)
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the name; links in a circle
        reason = reason_of(error) if isinstance(error, OSError) else "not a file name"
        raise BarrierPolicyError(f"{option and option + ': '}{output}: can't be written ({reason})") from None


def _write_file(path: Path, data: bytes) -> None:
    if path.exists() and not path.is_file():  # a device or a pipe
        path.write_bytes(data)
        return
    with TemporaryDirectory(dir=path.parent, prefix=".new-") as folder:
        draft = Path(folder, path.name)
        draft.write_bytes(data)
        if path.exists():
            draft.chmod(path.stat().st_mode)
        draft.replace(path)
