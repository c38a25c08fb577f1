"""The contract suite: one line in an outside plugin's tests, one class of tests for pytest to collect.

    TestContract = contract_tests("acme_tickets", messages=[message("See OPS-1234.")])

A class, because that is what pytest knows: it is collected under the name it is given, `-k` and node ids work, and somebody who
needs to can derive from it and override one test. Names put into `globals()` can do none of this, and no editor sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from barrier_policy.errors import MissingExtraError
from barrier_policy.facts.model import Fact
from barrier_policy.plugins import PluginSet
from barrier_policy.testing.builders import conversation
from barrier_policy.testing.extractor_checks import EXTRACTOR_CHECKS, ExtractorCase
from barrier_policy.testing.format_checks import READER_CHECKS, WRITER_CHECKS, ReaderCase, Sample, WriterCase
from barrier_policy.testing.loading import Plugin, load_only
from barrier_policy.transcript.model import Message

StoreAddress = Callable[[Path], str]


def contract_tests(
    *plugins: Plugin,
    messages: Sequence[Message] = (),
    samples: Iterable[Sample] = (),
    stores: Mapping[str, StoreAddress] | None = None,
) -> type:
    """A class of tests for everything that plugins provide; assign it to a name that begins with `Test`.

    `plugins` are their modules or the names of these. `messages` are a conversation in which each extractor finds each kind of fact
    that it declares. `samples` are transcripts of each format that is read or written. `stores` gives, by the name of a store's kind,
    a function from an empty folder to an address: `{"acme": lambda folder: f"acme:{folder}"}`.

    Raises MissingExtraError without pytest, and PluginError with every problem of plugins that can't be used.
    """
    try:
        import pytest  # noqa: F401
    except ImportError:
        raise MissingExtraError("contract tests need pytest (pip install 'barrier-policy[testing]')") from None
    loaded = load_only(*plugins)
    given = tuple(samples)
    formats = sorted(reader.name for reader in loaded.readers)
    if unknown := [sample.format for sample in given if sample.format not in formats]:
        raise ValueError(
            f"a sample of format `{unknown[0]}`, which none of these plugins reads (they read: {', '.join(formats)})"
        )
    tests = {
        **_tests(EXTRACTOR_CHECKS, _extractors(loaded, conversation(*messages))),
        **_tests(READER_CHECKS, _readers(loaded, given)),
        **_tests(WRITER_CHECKS, _writers(loaded, given)),
        **_store_tests(loaded, stores or {}),
    }
    return type("Contract", (), {"__doc__": "What plugins owe to everybody after them.", **tests})


def _extractors(loaded: PluginSet, messages: tuple[Message, ...]) -> dict[str, ExtractorCase]:
    kinds = {info.name: {name: loaded.kinds[name] for name in info.kinds} for info in loaded.infos}
    cases = (ExtractorCase(extractor=found, kinds=kinds[found.name], messages=messages) for found in loaded.extractors)
    return {case.extractor.name: msgspec.structs.replace(case, first=_first(case)) for case in cases}


def _first(case: ExtractorCase) -> list[list[Fact]] | None:
    """What the very first call finds; None where it raises, which tests will report."""
    try:
        return case.all_facts()
    except Exception:
        return None


def _readers(loaded: PluginSet, samples: tuple[Sample, ...]) -> dict[str, ReaderCase]:
    return {
        reader.name: ReaderCase(reader=reader, samples=tuple(sample for sample in samples if sample.format == reader.name))
        for reader in loaded.readers
    }


def _writers(loaded: PluginSet, samples: tuple[Sample, ...]) -> dict[str, WriterCase]:
    readers = _readers(loaded, samples)
    missing = sorted({writer.name for writer in loaded.writers} - readers.keys())
    if missing:
        raise ValueError(
            f"writer `{missing[0]}` has no reader among these plugins (give the plugin that reads the format, too)"
        )
    return {
        writer.name: WriterCase(writer=writer, reader=readers[writer.name].reader, samples=readers[writer.name].samples)
        for writer in loaded.writers
    }


def _tests(checks: Iterable[Callable[[Any], None]], cases: Mapping[str, Any]) -> dict[str, Any]:
    """A test for each check, with a case for each thing that is provided; none where nothing is."""
    import pytest

    def test_of(check: Callable[[Any], None]) -> Any:
        @pytest.mark.parametrize("case", list(cases.values()), ids=list(cases))
        def test(self: Any, case: Any) -> None:
            check(case)

        test.__doc__ = check.__doc__
        return test

    return {f"test_{check.__name__}": test_of(check) for check in checks} if cases else {}


def _store_tests(loaded: PluginSet, addresses: Mapping[str, StoreAddress]) -> dict[str, Any]:
    if not loaded.stores:
        return {}
    import pytest

    from barrier_policy.testing.store_checks import STORE_CHECKS

    kinds = {kind.name: kind for kind in loaded.stores}

    def test_of(check: Callable[[Any], None]) -> Any:
        @pytest.mark.parametrize("name", sorted(kinds))
        def test(self: Any, name: str, tmp_path: Path) -> None:
            assert name in addresses, (
                f"no address for a store of kind `{name}` (give one: contract_tests(…, stores={{'{name}': …}}))"
            )
            check(kinds[name].open(addresses[name](tmp_path)))

        test.__doc__ = check.__doc__
        return test

    return {f"test_{check.__name__}": test_of(check) for check in STORE_CHECKS}
