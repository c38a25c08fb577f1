"""Options that several commands share, each declared once, and the request that they make together."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from barrier_policy.errors import BarrierPolicyError
from barrier_policy.profile import EngineName
from barrier_policy.spans.segment import Strategy


class OutputFormat(StrEnum):
    """How results are printed."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"


class Replayed(StrEnum):
    """How a decision that was derived again is printed: `json` as `decide` prints it, `jsonl` as the line that the log has the digest of."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"


class Report(StrEnum):
    """How a comparison is printed; Markdown is for pull requests."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


class ReportFormat(StrEnum):
    """What a report is written as."""

    HTML = "html"
    SARIF = "sarif"
    JUNIT = "junit"


def parse_range(text: str, *, option: str = "--range") -> tuple[int, int]:
    """`START:END`, message indices, END not included. Raises BarrierPolicyError else."""
    match = re.fullmatch(r"(\d{1,9}):(\d{1,9})", text)
    if not match:
        raise BarrierPolicyError(f"{option}: `{text}` is no range (give START:END in message indices, e.g. 40:81)")
    return int(match[1]), int(match[2])


def named_folder(text: str) -> Path:
    """A folder by its name; an empty one, as of a variable that is not set, would name the working directory."""
    if not text:
        raise typer.BadParameter("an empty name is no folder")
    return Path(text)


File = Annotated[str, typer.Argument(metavar="FILE", help="A transcript; `-` reads standard input.")]
Files = Annotated[list[str], typer.Argument(metavar="FILE", help="Transcripts; `-` reads standard input.")]
SpanName = Annotated[str, typer.Argument(metavar="SPAN", help="A span as `decide` names it, or a message index.")]
Folders = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="DIR",
        parser=named_folder,
        help="Folders of policies on top of the shipped ones; default: the shipped ones.",
    ),
]
Alone = Annotated[bool, typer.Option("--alone", help="The folders only, without the shipped policies.")]
Unfolded = Annotated[bool, typer.Option("--all", help="Every row; long tables are folded otherwise.")]
Format = Annotated[OutputFormat, typer.Option("--format", help="How to print the result.")]
Reader = Annotated[
    str, typer.Option("--from", metavar="FORMAT", help="Transcript format, instead of the one that fits the content.")
]
KeepLast = Annotated[
    int | None, typer.Option("--keep-last", min=0, metavar="N", help="The runtime keeps the last N messages anyway.")
]
Target = Annotated[
    int | None,
    typer.Option("--target-tokens", min=0, metavar="N", help="Size that the context must reach; refused if it can't."),
]
Now = Annotated[str, typer.Option("--now", metavar="TIME", help="Time of the decision, ISO 8601; default: the clock.")]
StoreFolder = Annotated[
    str | None,
    typer.Option("--store", metavar="DIR", help="Originals: a folder or a URL; default: the user's data directory."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would go, which is what happens without --apply.")]
NoStore = Annotated[bool, typer.Option("--no-store", help="No store: no original can be archived or read back.")]
ProfileFile = Annotated[
    Path | None,
    typer.Option("--profile", metavar="FILE", help="Settings; default: ./barrier-policy.yaml where there is one."),
]
Overlays = Annotated[
    list[Path] | None,
    typer.Option(
        "--policies",
        metavar="DIR",
        parser=named_folder,
        help="Folder or bundle on top of the shipped policies; may be repeated.",
    ),
]
EngineOption = Annotated[
    EngineName | None, typer.Option("--engine", help="CEL engine; `auto` takes the fast one where it is installed.")
]
LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log", metavar="PATH", help="Decision log: JSON lines, or a database by its name; default: the profile's."
    ),
]
Ranges = Annotated[
    list[str] | None, typer.Option("--range", metavar="START:END", help="One span for these messages; may be repeated.")
]
Spans = Annotated[Strategy | None, typer.Option("--strategy", help="How spans are cut: a step each, or a user turn each.")]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked for on the command line; None and empty values mean what the profile says."""

    reader: str = ""
    keep_last: int | None = None
    target_tokens: int | None = None
    now: str = ""
    store: str | None = None
    no_store: bool = False
    profile: Path | None = None
    policies: tuple[Path, ...] = ()
    engine: str = ""
    ranges: tuple[tuple[int, int], ...] = ()
    strategy: Strategy | None = None
    log: Path | None = None


def ask(
    reader: Reader = "",
    keep_last: KeepLast = None,
    target_tokens: Target = None,
    now: Now = "",
    store: StoreFolder = None,
    no_store: NoStore = False,
    profile: ProfileFile = None,
    policies: Overlays = None,
    engine: EngineOption = None,
    ranges: Ranges = None,
    strategy: Spans = None,
    log: LogFile = None,
) -> Request:
    """The request that these options make: its parameters are what `asking` can give to a command. Raises BarrierPolicyError."""
    if store is not None and no_store:
        raise both_given("--store", "--no-store")
    return Request(
        reader=reader,
        keep_last=keep_last,
        target_tokens=target_tokens,
        now=now,
        store=store,
        no_store=no_store,
        profile=profile,
        policies=tuple(policies or ()),
        engine=engine or "",
        ranges=tuple(parse_range(text) for text in ranges or ()),
        strategy=strategy,
        log=log,
    )


def both_given(one: str, other: str) -> BarrierPolicyError:
    """The error for two options of which one makes the other void."""
    return BarrierPolicyError(f"`{one}` and `{other}` are both given (give one of both)")


def only_of_log(request: Request, *names: str) -> None:
    """Refuse options that say how to decide where the decision is one of a log. Raises BarrierPolicyError."""
    for name in names:
        if getattr(request, name) != getattr(Request(), name):
            option = "--from" if name == "reader" else f"--{name.replace('_', '-')}"
            raise BarrierPolicyError(f"{option}: a logged decision is taken as it was made (leave it out, or --log)")


DECIDING = ("reader", "keep_last", "target_tokens", "now", "store", "no_store", "profile", "policies", "engine")
"""Options of a command that decides about a transcript."""
SPANNING = (*DECIDING, "ranges", "strategy")
"""Options of a command that also says how spans are cut."""


def asking(*names: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command the options of `ask` with these names, in this order, where its keyword `request` stands."""
    asked = signature(ask, eval_str=True).parameters
    options = [asked[name] for name in names]

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @wraps(command)
        def run(**given: Any) -> int:
            request = ask(**{name: given.pop(name) for name in names})
            return command(**given, request=request)

        own = signature(command, eval_str=True)
        spread = [option for name, taken in own.parameters.items() for option in (options if name == "request" else [taken])]
        named = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in spread]
        run.__signature__ = own.replace(parameters=named)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in named}
        return run

    return decorate


class LintFormat(StrEnum):
    """How the linter prints."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    JUNIT = "junit"


class LintLevel(StrEnum):
    """The least level that is shown."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class TestFormat(StrEnum):
    """How results are printed."""

    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"


class TestEngine(StrEnum):
    """Which engines run the cases."""

    PYTHON = "python"
    FAST = "fast"
    BOTH = "both"


class ScaffoldKind(StrEnum):
    """What `policy new` starts."""

    RULE = "rule"
    POLICY = "policy"
    OVERLAY = "overlay"


class SchemaKind(StrEnum):
    """Files that have a JSON Schema."""

    POLICY = "policy"
    TEST = "test"
    EXCEPTION = "exception"
    PATCH = "patch"
    PROFILE = "profile"


def is_applied(*, apply: bool, dry_run: bool) -> bool:
    """Whether to remove something, or only say what would go. Raises BarrierPolicyError for both at once."""
    if apply and dry_run:
        raise BarrierPolicyError("--apply, --dry-run: one says to remove and the other not to (give one of both)")
    return apply
