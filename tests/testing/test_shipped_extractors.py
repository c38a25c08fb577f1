"""The extractors that come with the package keep the contract that outside ones are held to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from barrier_policy.plugins import load_plugins
from barrier_policy.testing import conversation, hostile, message, tool_call, tool_result
from barrier_policy.testing.extractor_checks import EXTRACTOR_CHECKS, ExtractorCase

PLUGINS = load_plugins()
TALK = conversation(
    message("Please deploy web-7 today, and never touch port 8080. Don't delete /srv/shop/conf.yaml. See OPS-1234."),
    message(
        "I'll run it. May I?", tool_call("bash", {"command": "cd /srv && git switch main && rm -rf build"}), role="assistant"
    ),
    message(tool_result({"status": "queued", "job": "job-7781"}), role="tool"),
    message("- [ ] step one\n- [x] step two", role="assistant"),
)
OF_ALL_KINDS = "every_declared_kind_is_found_in_the_messages_of_the_test"


@pytest.mark.parametrize("extractor", PLUGINS.extractors, ids=lambda extractor: extractor.name)
@pytest.mark.parametrize(
    "check", [check for check in EXTRACTOR_CHECKS if check.__name__ != OF_ALL_KINDS], ids=lambda check: check.__name__
)
def test_a_shipped_extractor_keeps_the_contract(
    check: Callable[[ExtractorCase], None], extractor: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hostile, "LONG", 100_000)  # what is quadratic still shows, and the suite stays quick
    check(ExtractorCase(extractor=extractor, kinds=PLUGINS.kinds, messages=TALK))  # type: ignore[arg-type]
