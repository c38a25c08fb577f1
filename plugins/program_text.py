"""Program text, script files and patches: what can be said of them without running them. Always an assumption."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from barrier_policy_plugins.effect_classes import Judgement, judge
from barrier_policy_plugins.shell_programs import read_command
from barrier_policy_plugins.shell_syntax import Word

from barrier_policy.facts.effect_class import EffectClass

MAX_CODE: Final = 20_000

_CODE_WRITES: Final = re.compile(
    r"""open\([^)]*,\s*(?:mode=)?["'](?:[wax]|r\+)|\.(?:write|writelines|write_text|write_bytes|unlink|rmdir|rmtree|rename|replace_file|"""
    r"""mkdir|makedirs|touch|chmod|symlink|remove\w*|post|put|patch|delete\w*|bulkWrite|commit|execute|executemany|executescript|save|savefig|"""
    r"""to_csv|to_json|to_parquet|to_sql|to_excel|dump|send|sendall|sendmail|send_message|publish|insert\w*|update\w*|drop\w*|create\w*|"""
    r"""upload\w*|copy\w*|move|run|call|check_call|check_output|Popen|system|popen|kill|writeFile\w*|appendFile\w*|unlinkSync|rmSync|exec\w*|spawn\w*)"""
    r"""\s*\(|\bos\.system\b|\bsubprocess\b|\beval\(|\bexec\(|\bfetch\([^)]*method|\brequest\(\s*["'](?:POST|PUT|PATCH|DELETE)|\bFile\.(?:write|delete|open)\b|`[^`]+`|>\s*["']|\bsystem\(""",
)
_AWK_WRITES: Final = re.compile(r"""\bsystem\(|>\s*["/$(]|\|\s*["]""")
_IN_PLACE: Final = re.compile(r"-[nErs]*i|--in-place")
_SETTINGS: Final = re.compile(
    r"activate|(?:^|[/._-])(?:env|rc|profile|vars|nvm|conda|completion|cargo)|rc$|profile$", re.IGNORECASE
)
_PATCHED: Final = re.compile(r"(?m)^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\+\+\+ b?/?(\S+)")


def judge_code(text: str, operation: str) -> Judgement:
    """Program text in another language: a read, as an assumption, unless it holds a word for writing, sending or running."""
    unseen = len(text) > MAX_CODE or text.lstrip()[:1] in ("$", "`")
    changes = unseen or _CODE_WRITES.search(text) is not None
    return judge(EffectClass.NON_IDEMPOTENT if changes else EffectClass.READ_ONLY, operation, assumed=True)


def judge_script(operands: Sequence[str]) -> Judgement:
    """A script file: only its name and its sub-command speak."""
    reading = read_command((Word("./" + operands[0]), *map(Word, operands[1:])))
    effect_class = reading.effect_class or EffectClass.NON_IDEMPOTENT
    return judge(effect_class, operands[0][:80], targets=operand_targets(operands), assumed=True)


def judge_sourced(operands: Sequence[str]) -> Judgement:
    """`source file`: settings and environments only change the shell itself, anything else is a script."""
    settles = bool(operands) and _SETTINGS.search(operands[0]) is not None
    return judge(EffectClass.READ_ONLY, "source", assumed=True) if settles or not operands else judge_script(operands)


def judge_editor(program: str, texts: Sequence[str], heredoc: str) -> Judgement:
    """sed, awk and apply_patch: whether they write, and to which files."""
    if program.endswith("sed"):
        if not any(_IN_PLACE.match(text) for text in texts):
            return judge(EffectClass.READ_ONLY, "sed")
        files = [text for text in texts if not text.startswith("-")][0 if "-e" in texts or "-f" in texts else 1 :]
        return judge(EffectClass.NON_IDEMPOTENT, "sed -i", targets=operand_targets(files))
    if program.endswith("awk"):
        writes = "inplace" in texts or any(_AWK_WRITES.search(text) for text in texts)
        return judge(EffectClass.IDEMPOTENT if writes else EffectClass.READ_ONLY, "awk", assumed=writes)
    return judge(EffectClass.NON_IDEMPOTENT, "apply_patch", targets=patched_files(heredoc or " ".join(texts)))


def operand_targets(operands: Iterable[str]) -> Iterator[str]:
    """The operands of a command that may name something."""
    for operand in operands:
        if len(operand) <= 200 and "\n" not in operand and operand not in ("{}", ";", "+", "\\;", "-", "."):
            yield operand


def patched_files(text: str) -> Iterator[str]:
    """The files that a patch names, in either spelling."""
    for match in _PATCHED.finditer(text):
        yield (match[1] or match[2]).strip()
