"""The section `log` of a profile: where and how decisions are logged."""

from __future__ import annotations

import re

from barrier_policy.log_spec import (
    LABEL,
    MAX_KEEP_DAYS,
    MAX_KEEP_FILES,
    MAX_LABEL_LENGTH,
    MAX_LABELS,
    MAX_ROTATE_MB,
    Fsync,
    LogKind,
    LogSpec,
)
from barrier_policy.policy.shape import kind
from barrier_policy.policy.yaml import Node
from barrier_policy.profile_file.shape import ProfileShape

LOG_KEYS = ("path", "kind", "fsync", "rotate_mb", "keep_files", "keep_days", "anchors", "include_text", "labels")
FILES_ONLY = ("rotate_mb", "keep_files", "keep_days", "anchors")


def read_log(reader: ProfileShape, node: Node) -> LogSpec:
    """The settings of the log; those of files are mistakes for a database."""
    fields = reader.fields(node, "section `log`", (), LOG_KEYS)
    default = LogSpec()
    chosen = reader.choice(fields.get("kind"), LogKind, default.kind)
    for key in FILES_ONLY:
        if key in fields and chosen is LogKind.SQLITE:
            reader.issues.append(fields[key].key_issue(f"`{key}` is for kind `jsonl`, a database is one file"))
    return LogSpec(
        path=reader.path(reader.text(fields["path"])) if "path" in fields else default.path,
        kind=chosen,
        fsync=reader.choice(fields.get("fsync"), Fsync, default.fsync),
        rotate_mb=reader.whole(fields.get("rotate_mb"), "megabytes", MAX_ROTATE_MB),
        keep_files=reader.whole(fields.get("keep_files"), "files", MAX_KEEP_FILES),
        keep_days=reader.whole(fields.get("keep_days"), "days", MAX_KEEP_DAYS),
        anchors=reader.path(reader.text(fields["anchors"])) if "anchors" in fields else None,
        include_text=reader.flag_or(fields.get("include_text"), default.include_text),
        labels=_labels(reader, fields.get("labels")),
    )


def _labels(reader: ProfileShape, node: Node | None) -> dict[str, str]:
    """Labels in the order of their names."""
    if node is None:
        return {}
    if not isinstance(node.value, dict):
        reader.issues.append(node.issue(f"the labels are {kind(node)} (they must be a mapping from name to text)"))
        return {}
    for name, child in node.value.items():
        if not re.fullmatch(LABEL, name):
            reader.issues.append(child.key_issue(f"`{name}` is no label (lower-case letters, digits, `_`, `.` and `-`)"))
        elif isinstance(child.value, str) and len(child.value) > MAX_LABEL_LENGTH:
            reader.issues.append(child.issue(f"a label has at most {MAX_LABEL_LENGTH} characters"))
    if len(node.value) > MAX_LABELS:
        reader.issues.append(node.issue(f"{len(node.value)} labels (at most {MAX_LABELS})"))
    return {name: reader.text(node.value[name]) for name in sorted(node.value)}
