"""What was removed of a log on purpose: noted beside it, so that the chain is known to begin later, and since when.

`decisions.jsonl.removed` has a line for each removal. It is no proof: whoever can write the log can write it. An anchor of a record that
stays is one.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from barrier_policy.digest import DIGEST, stable_json
from barrier_policy.errors import LogError, reason_of
from barrier_policy.log.record import Head
from barrier_policy.provenance.files import append_line

MAX_BYTES = 4_000_000


class Removal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One removal: when, the number of the last file that went, and the place and digest of its last record, which the next one follows."""

    time: str
    through: int
    count: int
    digest: str

    @property
    def head(self) -> Head:
        """What the first record that is left follows."""
        return Head(count=self.count, digest=self.digest)


def removals(log: Path) -> tuple[Removal, ...]:
    """All removals of a log, oldest first. Raises LogError where the note can't be read: what is missing must not go unexplained."""
    path = note_of(log)
    try:
        with path.open("rb") as file:
            lines = file.read(MAX_BYTES + 1).splitlines()
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise LogError(f"{path}: can't be read ({reason_of(error)})") from None
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            removal = msgspec.json.decode(line, type=Removal)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise LogError(f"{path}:{number}: the line does not say what was removed (restore it from a copy)") from None
        if removal.count < 1 or removal.through < 1 or not DIGEST.fullmatch(removal.digest):
            raise LogError(f"{path}:{number}: the line does not say what was removed (restore it from a copy)")
        found.append(removal)
    return tuple(found)


def note_removal(log: Path, removal: Removal) -> None:
    """Add a removal, durably. Raises OSError."""
    append_line(note_of(log), stable_json(removal))


def note_of(log: Path) -> Path:
    """Where the removals of a log are noted."""
    return log.with_name(log.name + ".removed")
