"""`barrier-policy compact`: compact a file into another one, or into itself, through the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from barrier_policy.cli.console import clean, err, out, show, write_bytes
from barrier_policy.cli.guard import OK, report
from barrier_policy.cli.options import OutputFormat, Request, both_given
from barrier_policy.cli.session import STDIN, Session
from barrier_policy.digest import digest_bytes
from barrier_policy.errors import AuditFailedError, BarrierPolicyError, CompactionRefusedError
from barrier_policy.gate.compaction import Compaction
from barrier_policy.gate.gate import Gate
from barrier_policy.gate.journal import State
from barrier_policy.gate.refusal import find_relief
from barrier_policy.gate.refused import told
from barrier_policy.transcript.tokens import estimate_tokens

NO_SHORTER = "the summary was no shorter, so they stay (look at the summarizer where that comes often)"


def compact_file(
    request: Request, file: str, output: Path | None, *, in_place: bool, span: tuple[int, int] | None, format: OutputFormat
) -> int:
    """Compact and say what was done. Raises BarrierPolicyError; then no file has changed."""
    if output is not None and in_place:
        raise both_given("--output", "--in-place")
    if output is None and not in_place:
        raise BarrierPolicyError("compact: no file to write (name it with `-o OUT`, or give `--in-place` to replace FILE)")
    if not file:
        raise BarrierPolicyError(": can't be read (no such file or directory)")
    if file == STDIN or str(output) == STDIN:
        raise BarrierPolicyError("compact: works on files (give FILE and `-o OUT`; `-` can't be put back)")
    if output is not None and _is_same(Path(file), output):
        raise BarrierPolicyError(
            f"compact: `-o {output}` is FILE itself (name another file, or say `--in-place` to replace it)"
        )
    session = Session(request)
    gate = Gate(store=session.store if session.store is not None else False, decider=session.decider)
    for found in gate.recover(session.now):
        err().print(f"transaction {found.transaction} of before: {found.state} ({found.reason})", highlight=False)
    try:
        done = gate.compact_file(
            file,
            Path(file) if output is None else output,
            keep_last=request.keep_last,
            target_tokens=request.target_tokens,
            span=span,
            now=session.now,
            format=request.reader,
        )
    except (CompactionRefusedError, AuditFailedError) as error:
        if format is OutputFormat.TABLE:
            raise
        write_bytes(_failed(error))
        report(error)
        return error.exit_code
    if format is OutputFormat.TABLE:
        _print(done, file, output)
    else:
        write_bytes(msgspec.json.encode(summary(done)) + b"\n")
    return OK


def _is_same(file: Path, output: Path) -> bool:
    """Whether both names, links or not, lead to one file."""
    try:
        return output.samefile(file)
    except (OSError, ValueError):
        return False


def summary(done: Compaction) -> dict[str, Any]:
    """What a compaction did, as JSON: names as in the decision, sizes in tokens."""
    return {
        "schema": "barrier_policy/compaction/v1",
        "outcome": done.outcome,
        "decision_id": done.decision.decision_id,
        "transaction": done.transaction,
        "output_digest": digest_bytes(done.output),
        "manifest": done.archive.manifest.digest if done.archive else "",
        "carrier": {"records": len(done.carrier.records), "uri": done.carrier.pointer.uri if done.carrier.pointer else ""},
        "audit": done.report.to_dict() if done.report else None,
        "kept": [{"messages": [run.start, run.end], "why": NO_SHORTER} for run in done.kept],
        "refused": [{"messages": [entry.run.start, entry.run.end], "why": entry.why} for entry in done.refused],
        "untyped_carriers": msgspec.to_builtins(done.untyped_carriers),
        "arrived": done.arrived,
        "totals": {
            "tokens_before": done.tokens_before,
            "tokens_after": done.tokens_after,
            "tokens_carrier": estimate_tokens(done.carrier.text),
        },
    }


def _failed(error: CompactionRefusedError | AuditFailedError) -> bytes:
    told: dict[str, Any] = {"schema": "barrier_policy/compaction/v1", "decision": error.decision.to_dict()}
    if isinstance(error, CompactionRefusedError):
        told |= {"outcome": "refuse", "seen": error.seen, "relief": msgspec.to_builtins(find_relief(error.decision))}
    else:
        told |= {"outcome": str(State.ROLLED_BACK), "audit": error.report.to_dict()}
    return msgspec.json.encode(told) + b"\n"


def _print_kept(done: Compaction) -> None:
    """The turns that stay because of the summarizer: told also where nothing else is left to tell."""
    for run in done.kept:
        show(out(), f"kept       messages {run.start}-{run.end - 1}: {NO_SHORTER}")


def _print(done: Compaction, file: str, output: Path | None) -> None:
    console = out()
    if done.outcome == "nothing_to_reclaim":
        show(console, f"{clean(file)}: nothing to reclaim, {done.tokens_before:,} tokens stay as they are")
        _print_kept(done)
        return
    records = len(done.carrier.records)
    show(console, f"{clean(str(output or file))}: {done.tokens_before:,} tokens became {done.tokens_after:,}")
    show(console, f"carrier    {records} records, {estimate_tokens(done.carrier.text):,} tokens")
    if done.archive:
        show(console, f"originals  {done.archive.manifest.uri}")
    if done.report:
        show(console, f"audit      {done.report.outcome}: {done.report.protected} protected items, each found")
        for line in told(done.report).splitlines():
            show(console, f"unclear  {clean(line)}")
    if done.arrived > 0:
        show(console, f"arrived    {done.arrived} messages came in meanwhile and were carried over")
    _print_kept(done)
    for entry in done.refused:
        run = entry.run
        show(console, f"kept       messages {run.start}-{run.end - 1}: the audit refuses their summary ({clean(entry.why)})")
    for message in done.unreadable_carriers:
        show(
            console,
            f"kept       message {message} looks like a carrier and is not as it was written: it stays and counts for nothing "
            "(put back what was written, or take the block out)",
        )
    for untyped in done.untyped_carriers:
        show(
            console,
            f"kept       every line of the carrier in message {untyped.message}: {clean(untyped.problem)}, so nothing that is said ends one "
            "(restore them from a copy of the store)",
        )
