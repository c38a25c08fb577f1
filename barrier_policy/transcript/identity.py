"""What a message is known by from one compaction to the next: its words. Its index changes whenever something before it leaves."""

from __future__ import annotations

from barrier_policy.digest import digest_lines
from barrier_policy.transcript.model import Message


def message_digest(message: Message) -> str:
    """The digest of who speaks and of all that the message shows; costs time in the size of the message."""
    texts = (part.text.encode("utf-8", "backslashreplace") for part in message.parts)
    return digest_lines([str(message.origin).encode(), *texts])
