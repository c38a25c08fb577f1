"""The walk of one transcript, from bytes to a decision (design section 4): establish, then assess and plan, then assemble."""

from barrier_policy.walk.assemble import records_of
from barrier_policy.walk.decider import Analysis, Decider
from barrier_policy.walk.entry import decide, extract_facts, prepared
from barrier_policy.walk.establish import Established
from barrier_policy.walk.inputs import (
    StoreLike,
    TranscriptLike,
    as_path,
    as_profile,
    open_store,
    read_any,
    source_of,
    timestamp,
)

__all__ = [
    "Analysis",
    "Decider",
    "Established",
    "StoreLike",
    "TranscriptLike",
    "as_path",
    "as_profile",
    "decide",
    "extract_facts",
    "open_store",
    "prepared",
    "read_any",
    "records_of",
    "source_of",
    "timestamp",
]
