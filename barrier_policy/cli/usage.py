"""A command line that was not understood, said like every other error: one line, `place: what is wrong (how to see it right)`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import typer
from typer.core import TyperGroup

from barrier_policy.cli import INTERRUPTED
from barrier_policy.cli.guard import UNREADABLE
from barrier_policy.policy.hints import suggestion
from barrier_policy.printable import clean

UsageError: Any = typer.BadParameter.__mro__[1]
"""Typer brings click along under names of its own that differ between its versions; this one is reached in all of them."""
QUOTED = re.compile(r"(?:.*, )?'(.*?)' is not ")
LEAST = re.compile(r"(?:greater than or equal to |range (?=\d+(?:\.\d+)?<=x)|x>=)(\d+(?:\.\d+)?)")
MOST = re.compile(r"(?:less than or equal to |x<=)(\d+(?:\.\d+)?)")
"""Typer says the bounds of a number in words of its own, and in those of click where it has click below."""
CHOICES = re.compile(r" is not one of (.*?)\.?$")


class PlainGroup(TyperGroup):
    """Commands whose usage errors are one line on standard error, with exit code 2."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and end the process with its exit code; in other modes as typer does."""
        run = partial(super().main, prog_name=prog_name, complete_var=complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return run(args=args)
        words = list(sys.argv[1:] if args is None else args)
        try:
            code = run(args=words)
        except UsageError as error:
            if type(error).__name__ == "NoArgsIsHelpError":
                error.show()
            else:
                print(clean(usage_line(error, words)), file=sys.stderr)
            sys.exit(UNREADABLE)
        except typer.Abort:
            sys.exit(INTERRUPTED)
        sys.exit(code if isinstance(code, int) else 0)


def usage_line(error: Any, words: Sequence[str]) -> str:
    """What is wrong with a command line, given as its words."""
    command = error.ctx.command_path if error.ctx is not None else "barrier-policy"
    hint = f"see `{command} --help`"
    param = getattr(error, "param", None)
    if type(error).__name__ == "MissingParameter":
        return f"{command}: {_name(param)} is missing (usage: {_usage(error)})"
    if hasattr(error, "option_name") and hasattr(error, "possibilities"):
        return f"{command}: no option `{error.option_name}` {suggestion(error.option_name, _options(error))}"
    if param is not None:
        return f"{_name(param)}: {_value_problem(error.message, _value(param, words), hint)}"
    text = error.format_message().replace("'", "`").rstrip(".")
    return f"{command}: {text[:1].lower()}{text[1:]} ({hint})"


def _usage(error: Any) -> str:
    return re.sub(r"[{}]", "", " ".join(error.ctx.get_usage().split()).partition("Usage: ")[2])


def _options(error: Any) -> list[str]:
    return [name for param in error.ctx.command.params for name in (*param.opts, *param.secondary_opts) if name[:1] == "-"]


def _name(param: Any) -> str:
    """An option as it is written, an argument by its place holder."""
    options = [name for name in param.opts if name.startswith("-")]
    return max(options, key=len) if options else str(param.metavar or param.name.upper())


def _value(param: Any, words: Sequence[str]) -> str | None:
    """What was given for an option; None where it can't be told."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name in param.opts:
            return value if equals else following
    return None


def _value_problem(message: str, value: str | None, hint: str) -> str:
    quoted = QUOTED.match(message)
    value = quoted[1] if value is None and quoted else value
    shown = f"`{value}`" if value is not None else "the value"
    if "integer" in message:
        return f"{shown} is no whole number (give one, 0 or more)"
    least, most = LEAST.search(message), MOST.search(message)
    if least and most:
        return f"{shown} is out of range (give a number from {least[1]} to {most[1]})"
    if least:
        return f"{shown} is too small (give a whole number, {least[1]} or more)"
    if most:
        return f"{shown} is too large (give {most[1]} or less)"
    if choices := CHOICES.search(message):
        known = re.findall(r"'([^']*)'", choices[1])
        return f"{shown} is unknown {suggestion(value or '', known)}"
    return f"{message[:1].lower()}{message[1:].rstrip('.')} ({hint})"
