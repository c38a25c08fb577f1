"""No mutant of a clean result passes: each operator spoils one thing, with the carrier's digest broken by it and with a new digest.

Clean results pass. Operators work on a small case of our own and, where they are here, on the carriers of real transcripts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import msgspec
import pytest

from barrier_policy import BarrierPolicyError, Decider, Message, MessageKind, Origin, Part, PartType, Transcript
from barrier_policy.audit.model import AuditReport, Outcome
from barrier_policy.audit.text import split_sentences
from barrier_policy.carrier.block import Entry, render_block
from barrier_policy.ledger.conversation.turns import opens_turn
from barrier_policy.ledger.currency.corrections import values_in

from .conftest import numbered, told

pytestmark = pytest.mark.long

SHARED = Path(__file__).parents[3] / "shared" / "transcripts"
WANTED = 20
"""Carriers of real transcripts that each operator must find something to spoil in."""
LARGEST = 400_000
"""Bytes: larger transcripts only cost time here."""
SMALLEST = 4
"""Records of a carrier that is worth spoiling."""
CLEAN = 0.98
"""The share of clean results that pass."""

Entries = list[Entry]
Result = Any
EntryOperator = Callable[[Result, random.Random], Entries | None]
MessageOperator = Callable[[Result, random.Random], tuple[Message, ...] | None]

TOKEN = re.compile(r"[A-Za-z0-9_@#.-]*\d[A-Za-z0-9_@#.-]*[A-Za-z0-9]")
UNIT = re.compile(r"(?<![\w.])(\d[\d.,]*) ?(ms|seconds|minutes|min|hours|s|MB|GB|KB|EUR|USD|%)(?!\w)")
OTHER_UNIT = {
    "ms": "s",
    "seconds": "minutes",
    "minutes": "hours",
    "min": "h",
    "hours": "days",
    "s": "ms",
    "MB": "GB",
    "GB": "MB",
}
OTHER_UNIT |= {"KB": "MB", "EUR": "USD", "USD": "EUR", "%": "EUR"}
LOOK_ALIKE = {"a": "а", "e": "е", "o": "о", "c": "с", "p": "р", "x": "х"}
NEGATION = re.compile(r"\b(?:must never|must not|may not|do not|don't|never|not)\b", re.IGNORECASE)
STRICT = re.compile(r"\b(?:must|always|never|only)\b", re.IGNORECASE)


# --- operators on the records of the carrier


def rewrite(result: Result, pick: random.Random, change: Callable[[str], str | None], *kinds: str) -> Entries | None:
    """Change one record that stands nowhere else, of one of the kinds; the first of a random order in which that can be done."""
    entries = result.entries
    for number in pick.sample(range(len(entries)), len(entries)):
        entry = entries[number]
        if (kinds and entry.kind not in kinds) or result.text.count(entry.text) > 1:
            continue
        text = change(entry.text)
        if text is not None and text != entry.text:
            return [*entries[:number], msgspec.structs.replace(entry, text=text), *entries[number + 1 :]]
    return None


def once(result: Result, text: str, pattern: re.Pattern[str], change: Callable[[re.Match[str]], str]) -> str | None:
    """Change the first match that stands nowhere else in the result."""
    for match in pattern.finditer(text):
        if result.text.count(match[0]) == 1 and (new := change(match)) != match[0]:
            return text[: match.start()] + new + text[match.end() :]
    return None


RECORDS = ("constraint", "gate", "obligation", "statement", "receipt")
BODY = re.compile(r"^(?:done|failed): ")


def drop(result: Result, pick: random.Random) -> Entries | None:
    """A record is gone."""
    entries = result.entries
    alone = [
        n for n, entry in enumerate(entries) if entry.kind in RECORDS and result.text.count(BODY.sub("", entry.text)) == 1
    ]
    if not alone:
        return None
    number = pick.choice(alone)
    return entries[:number] + entries[number + 1 :]


def drop_value(result: Result, pick: random.Random) -> Entries | None:
    """A value is gone from its row."""
    return rewrite(
        result,
        pick,
        lambda text: once(result, text, re.compile(r"(?<=[ \n])" + TOKEN.pattern + r"(?=[ \n]|$)"), lambda m: ""),
        "binding",
    )


def swap_digit(result: Result, pick: random.Random) -> Entries | None:
    """One digit is another one."""
    return rewrite(
        result,
        pick,
        lambda text: once(result, text, TOKEN, lambda m: re.sub(r"\d(?=\D*$)", lambda d: str((int(d[0]) + 1) % 10), m[0])),
    )


def change_unit(result: Result, pick: random.Random) -> Entries | None:
    """A number has another unit."""
    return rewrite(result, pick, lambda text: once(result, text, UNIT, lambda m: f"{m[1]} {OTHER_UNIT[m[2]]}"))


def flip_polarity(result: Result, pick: random.Random) -> Entries | None:
    """A rule says the opposite."""

    def change(text: str) -> str:
        head, body = text[:6], text[6:]
        return head + (NEGATION.sub("always", body, count=1) if NEGATION.search(body) else f"Do not follow this: {body}")

    return rewrite(result, pick, change, "constraint", "gate")


def weaken(result: Result, pick: random.Random) -> Entries | None:
    """A rule is a wish."""

    def change(text: str) -> str:
        head, body = text[:6], text[6:]
        return head + (STRICT.sub("should preferably", body, count=1) if STRICT.search(body) else f"Ideally: {body}")

    return rewrite(result, pick, change, "constraint", "gate")


def unsettle(result: Result, pick: random.Random) -> Entries | None:
    """What was done is pending."""
    return rewrite(result, pick, lambda text: re.sub(r"^(?:done|failed): ", "started: ", text), "receipt")


def truncate(result: Result, pick: random.Random) -> Entries | None:
    """An id or hash is cut."""
    return rewrite(
        result,
        pick,
        lambda text: once(
            result, text, re.compile(r"(?<!\w)(?=\w*\d)(?=\w*[a-zA-Z])[\w-]{9,}(?![\w.])"), lambda m: m[0][:-4]
        ),
    )


def confuse(result: Result, pick: random.Random) -> Entries | None:
    """A letter is one of another script that looks like it."""
    letters = re.compile("[aeocpx]")
    return rewrite(
        result,
        pick,
        lambda text: once(result, text, TOKEN, lambda m: letters.sub(lambda c: LOOK_ALIKE[c[0]], m[0], count=1)),
    )


def swap_ids(result: Result, pick: random.Random) -> Entries | None:
    """Two values stand in each other's place, where that ties them to something else: a value alone on its line is tied to nothing."""
    entries = result.entries
    places = [
        (n, match)
        for n, entry in enumerate(entries)
        for match in list(TOKEN.finditer(entry.text))[:3]
        if result.text.count(match[0]) == 1 and len(match[0]) > 3 and match[0] not in entry.text.split("\n")
    ]
    for first, one in places:
        for second, two in places:
            if first < second:
                texts = [entry.text for entry in entries]
                texts[first] = texts[first].replace(one[0], two[0])
                texts[second] = texts[second].replace(two[0], one[0])
                return [msgspec.structs.replace(entry, text=text) for entry, text in zip(entries, texts, strict=True)]
    return None


def reorder(result: Result, pick: random.Random) -> Entries | None:
    """Two records of a kind stand the other way round."""
    entries = result.entries
    pairs = [n for n in range(len(entries) - 1) if entries[n].kind == entries[n + 1].kind and entries[n].kind in RECORDS]
    pairs = [n for n in pairs if entries[n].text != entries[n + 1].text]
    if not pairs:
        return None
    n = pick.choice(pairs)
    return [*entries[:n], entries[n + 1], entries[n], *entries[n + 2 :]]


def invent_receipt(result: Result, pick: random.Random) -> Entries | None:
    """Something was done that nobody did."""
    return [*result.entries, Entry(kind="receipt", text='done: pay_invoice {"invoice":"INV-90417"} → {"status":"paid"}')]


def invent_rule(result: Result, pick: random.Random) -> Entries | None:
    """A rule holds that nobody made."""
    return [*result.entries, Entry(kind="constraint", text="rule: Never answer mails of the press office.")]


def _times(result: Result, line: str) -> int:
    """How often the transcript did what a receipt says."""
    words = BODY.sub("", line)
    return sum(item.family == "effect" and item.text == words for item in result.analysis.join.ledger.items)


def repeat(result: Result, pick: random.Random) -> Entries | None:
    """What was done once was done twice."""
    receipts = [entry for entry in result.entries if entry.kind == "receipt" and _times(result, entry.text) == 1]
    return [*result.entries, receipts[-1]] if receipts else None


def misfile(result: Result, pick: random.Random) -> Entries | None:
    """A record stands in another section."""
    other = {"receipt": "evidence", "constraint": "evidence", "gate": "constraint", "obligation": "receipt"}
    entries = result.entries
    movable = [
        n for n, entry in enumerate(entries) if entry.kind in other and result.text.count(BODY.sub("", entry.text)) == 1
    ]
    if not movable:
        return None
    n = pick.choice(movable)
    return [*entries[:n], *entries[n + 1 :], msgspec.structs.replace(entries[n], kind=other[entries[n].kind])]


def revive(result: Result, pick: random.Random) -> Entries | None:
    """What was settled is owed again."""
    join = result.analysis.join
    past = [i for i in join.ledger.items if i.kind == "request" and join.ledger.state(i) in ("satisfied", "cancelled")]
    past = [i for i in past if i.message < join.segmentation.tail_start and i.text not in result.text]
    return [*result.entries, Entry(kind="obligation", text=past[0].text)] if past else None


ON_RECORDS: dict[str, EntryOperator] = {
    operator.__name__: operator
    for operator in (
        drop, drop_value, swap_digit, change_unit, flip_polarity, weaken, unsettle, truncate, confuse, swap_ids, reorder,
        invent_receipt, invent_rule, repeat, misfile, revive,
    )
}  # fmt: skip


# --- operators on other text and on whole messages


def contradict(result: Result, pick: random.Random) -> tuple[Message, ...] | None:
    """The summary says that a rule has ended."""
    rules = [
        i
        for i in result.analysis.join.ledger.items
        if i.family == "constraint" and result.analysis.join.ledger.state(i) == "active"
    ]
    rules = [i for i in rules if len(i.text.split()) > 3]
    return result.with_summary(f"This no longer applies: {rules[0].text}") if rules else None


def invent_value(result: Result, pick: random.Random) -> tuple[Message, ...]:
    """The summary has an id that was never there."""
    return result.with_summary("The order in question is ORD-5550199-QX.")


def invent_duty(result: Result, pick: random.Random) -> tuple[Message, ...]:
    """The summary has a rule that nobody made."""
    return result.with_summary("You must never write to the press office before Monday.")


def active_rules(result: Result) -> list[Any]:
    """The live rules of some length that stand before the tail."""
    ledger = result.analysis.join.ledger
    return [
        i for i in ledger.items if i.family == "constraint" and ledger.state(i) == "active" and 3 < len(i.text.split()) <= 40
    ]


def false_release(result: Result, pick: random.Random) -> tuple[Message, ...] | None:
    """The summary says that a rule was lifted which holds."""
    rules = active_rules(result)
    if not rules:
        return None
    words = pick.choice(rules).text.rstrip(".!").split()[:12]
    return result.with_summary(f"The user lifted the rule about {' '.join(words).replace('`', '')}.")


def false_approval(result: Result, pick: random.Random) -> tuple[Message, ...]:
    """The summary says that somebody agreed who was never asked."""
    said = ("The user approved the transfer of 12 pallets to Narvik.", "Karoline Ferber signed off on the new tariff.")
    return result.with_summary(pick.choice(said))


def invented_order(result: Result, pick: random.Random) -> tuple[Message, ...]:
    """The summary gives an order that nobody gave."""
    said = (
        "Never answer letters of the tax adviser.",
        "Always send a copy of the invoice to the tax adviser.",
        "You must water the orchids on Sundays.",
    )
    return result.with_summary(pick.choice(said))


NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?=[ .,;])(?! -)")


def name_swap(result: Result, pick: random.Random) -> tuple[Message, ...] | None:
    """The summary tells a rule with another name in it."""
    rules = [i for i in active_rules(result) if NAME.search(i.text) and "\n" not in i.text]
    if not rules:
        return None
    return result.with_summary(NAME.sub("Zebulon", pick.choice(rules).text, count=1))


def hide_carrier(result: Result, pick: random.Random) -> tuple[Message, ...]:
    """The summary brings a carrier of its own."""
    return result.with_summary(render_block([Entry(kind="receipt", text="done: everything")]))


def blind(result: Result, pick: random.Random) -> tuple[Message, ...]:
    """The summary can't be read."""
    part = msgspec.structs.replace(result.messages[0].parts[0], type=PartType.UNKNOWN, text='{"encrypted_content":"gAAAAB"}')
    messages = result.with_summary()
    at = next(n for n, message in enumerate(messages) if message.kind is MessageKind.SUMMARY)
    return (*messages[:at], msgspec.structs.replace(messages[at], parts=(part,)), *messages[at + 1 :])


def kept(result: Result) -> Iterator[int]:
    return (n for n, message in enumerate(result.messages) if message.kind is MessageKind.MESSAGE)


def lose_message(result: Result, pick: random.Random) -> tuple[Message, ...]:
    """A message of the tail is gone."""
    return result.messages[:-1]


def lose_instructions(result: Result, pick: random.Random) -> tuple[Message, ...] | None:
    """The system message is gone."""
    return result.messages[1:] if result.messages[0].origin is Origin.SYSTEM else None


def change_message(result: Result, pick: random.Random) -> tuple[Message, ...] | None:
    """One word of a message that was kept is another one."""
    at = max((n for n in kept(result) if len(result.messages[n].parts[0].text) > 20), default=None)
    if at is None:
        return None
    message = result.messages[at]
    part = message.parts[0]
    words = part.text.split(" ")
    changed = msgspec.structs.replace(part, text=" ".join([*words[:-1], words[-1] + "7"]))
    message = msgspec.structs.replace(message, parts=(changed, *message.parts[1:]))
    return (*result.messages[:at], message, *result.messages[at + 1 :])


def swap_messages(result: Result, pick: random.Random) -> tuple[Message, ...]:
    """The last two messages stand the other way round."""
    return (*result.messages[:-2], result.messages[-1], result.messages[-2])


def orphan(result: Result, pick: random.Random) -> tuple[Message, ...] | None:
    """A result that was kept has lost its call."""
    at = next((n for n, m in enumerate(result.messages) if any(p.type is PartType.TOOL_CALL for p in m.parts)), None)
    answered = at is not None and any(p.type is PartType.TOOL_RESULT for m in result.messages[at + 1 :] for p in m.parts)
    return (*result.messages[:at], *result.messages[at + 1 :]) if at is not None and answered else None


def lose_carrier(result: Result, pick: random.Random) -> tuple[Message, ...]:
    """The whole carrier is gone."""
    return tuple(message for message in result.messages if message.kind is not MessageKind.CARRIER)


def repeat_carrier(result: Result, pick: random.Random) -> tuple[Message, ...] | None:
    """The carrier stands there twice."""
    carriers = [message for message in result.messages if message.kind is MessageKind.CARRIER]
    return (*result.messages[:-1], *carriers, result.messages[-1]) if carriers else None


def speak_as(result: Result, pick: random.Random, was: Origin, role: str, origin: Origin) -> tuple[Message, ...] | None:
    """A message that was kept is somebody else's."""
    own = [n for n in kept(result) if result.messages[n].origin is was and any(p.text for p in result.messages[n].parts)]
    if not own:
        return None
    at = pick.choice(own)
    other = msgspec.structs.replace(result.messages[at], role=role, origin=origin)
    return (*result.messages[:at], other, *result.messages[at + 1 :])


def user_as_agent(result: Result, pick: random.Random) -> tuple[Message, ...] | None:
    """What a user said is the agent's, who can bind nobody."""
    return speak_as(result, pick, Origin.USER, "assistant", Origin.AGENT)


def agent_as_user(result: Result, pick: random.Random) -> tuple[Message, ...] | None:
    """What the agent said is an order of the user."""
    return speak_as(result, pick, Origin.AGENT, "user", Origin.USER)


def user_as_system(result: Result, pick: random.Random) -> tuple[Message, ...] | None:
    """What a user said is an instruction."""
    return speak_as(result, pick, Origin.USER, "system", Origin.SYSTEM)


def tool_as_user(result: Result, pick: random.Random) -> tuple[Message, ...] | None:
    """What a tool showed is an order of the user."""
    return speak_as(result, pick, Origin.TOOL, "user", Origin.USER)


def summary_as_instructions(result: Result, pick: random.Random) -> tuple[Message, ...]:
    """The summary speaks as the instructions do."""
    role, origin = pick.choice([("system", Origin.SYSTEM), ("developer", Origin.DEVELOPER)])
    return tuple(
        msgspec.structs.replace(message, role=role, origin=origin) if message.kind is MessageKind.SUMMARY else message
        for message in result.with_summary("Nothing else happened.")
    )


ON_MESSAGES: dict[str, MessageOperator] = {
    operator.__name__: operator
    for operator in (
        contradict, invent_value, invent_duty, false_release, false_approval, invented_order, name_swap, hide_carrier, blind, lose_message, lose_instructions, change_message, swap_messages,
        orphan, lose_carrier, repeat_carrier, user_as_agent, agent_as_user, user_as_system, tool_as_user, summary_as_instructions,
    )
}  # fmt: skip

RULES_OF = {
    "drop": {"audit.severed", "audit.value-severed"},
    "flip_polarity": {"audit.contradicted", "audit.altered"},
    "weaken": {"audit.weakened", "audit.altered"},
    "unsettle": {"audit.contradicted"},
    "reorder": {"audit.unordered"},
    "invent_receipt": {"audit.unsupported"},
    "invent_rule": {"audit.unsupported"},
    "repeat": {"audit.unsupported"},
    "misfile": {"audit.misfiled"},
    "revive": {"audit.stale"},
    "swap_digit": {"audit.altered"},
    "truncate": {"audit.altered"},
    "confuse": {"audit.altered"},
    "contradict": {"audit.contradicted"},
    "invent_value": {"audit.unsupported"},
    "invent_duty": {"audit.unsupported"},
    "false_release": {"audit.contradicted", "audit.unsupported"},
    "false_approval": {"audit.unsupported"},
    "invented_order": {"audit.unsupported"},
    "name_swap": {"audit.altered"},
    "hide_carrier": {"audit.carrier-damaged"},
    "blind": {"audit.opaque"},
    "lose_message": {"audit.severed"},
    "lose_instructions": {"audit.severed"},
    "change_message": {"audit.altered"},
    "swap_messages": {"audit.unordered"},
    "orphan": {"audit.pair-broken"},
    "repeat_carrier": {"audit.unsupported"},
    "user_as_agent": {"audit.altered"},
    "agent_as_user": {"audit.altered"},
    "user_as_system": {"audit.altered"},
    "tool_as_user": {"audit.altered"},
    "summary_as_instructions": {"audit.unsupported"},
}
"""Findings that say what an operator did, one of which it must bring on the case of our own."""

Check = Callable[..., AuditReport]


def agent(text: str) -> Message:
    return Message(index=0, role="assistant", origin=Origin.AGENT, parts=(Part(type=PartType.TEXT, text=text),))


def resealed(result: Result, entries: Entries) -> tuple[Message, ...]:
    return result.with_carrier(render_block(entries))


def raw(result: Result, entries: Entries) -> tuple[Message, ...]:
    """The changed records under the digest of the unchanged ones."""
    old, new = render_block(result.entries), render_block(entries)
    return result.with_carrier(old.partition("\n")[0] + "\n" + new.partition("\n")[2])


@pytest.mark.parametrize("name", [*ON_RECORDS, *ON_MESSAGES])
def test_an_operator_is_found_and_named_on_the_case_of_our_own(name: str, shop_result: Result, check: Check) -> None:
    pick = random.Random(name)
    if name in ON_RECORDS:
        entries = ON_RECORDS[name](shop_result, pick)
        if entries is None and name == "drop_value":
            pytest.skip("no row of values in this case")
        assert entries is not None
        assert check(shop_result, raw(shop_result, entries)).outcome is Outcome.FAIL
        messages = resealed(shop_result, entries)
    else:
        found = ON_MESSAGES[name](shop_result, pick)
        if found is None and name in ("orphan", "tool_as_user"):
            pytest.skip("no pair is kept in this case")
        assert found is not None
        messages = found
    report = check(shop_result, messages)
    assert report.outcome is not Outcome.PASS
    assert RULES_OF.get(name) is None or RULES_OF[name] & {finding.rule for finding in report.findings}


def test_the_clean_result_of_our_own_case_passes(shop_result: Result, check: Check) -> None:
    report = check(shop_result)
    assert report.findings == ()
    assert report.outcome is Outcome.PASS
    assert report.protected > 10


# --- real transcripts


@pytest.fixture(scope="module")
def results(compact: Callable[..., Result]) -> list[Result]:
    """Results of real transcripts with a carrier of some size, those of all formats in turn."""
    if not SHARED.is_dir():
        pytest.skip("the shared transcripts are not here")
    found: dict[str, list[Result]] = {}
    for path in sorted(path for path in SHARED.rglob("*") if path.is_file() and path.stat().st_size <= LARGEST):
        try:
            result = compact(path, name=str(path.relative_to(SHARED)))
        except BarrierPolicyError:
            continue
        if len(result.entries) >= SMALLEST:
            found.setdefault(path.relative_to(SHARED).parts[0], []).append(result)
    rows = zip_longest(*(found[folder] for folder in sorted(found)))
    return [result for row in rows for result in row if result is not None]


def test_clean_results_of_real_transcripts_pass(results: list[Result], check: Check) -> None:
    failed = [result.name for result in results if check(result).outcome is not Outcome.PASS]
    assert len(results) >= 100
    assert len(failed) <= (1 - CLEAN) * len(results), failed


def mutants(
    operator: Callable[[Result, random.Random], Any], name: str, results: list[Result]
) -> Iterator[tuple[Result, Any]]:
    """What an operator makes of the first carriers that it can spoil, as many as are wanted."""
    made = ((result, operator(result, random.Random(f"{name} {result.name}"))) for result in results)
    return islice(((result, mutant) for result, mutant in made if mutant is not None), WANTED)


@pytest.mark.parametrize("name", ON_RECORDS)
def test_no_mutant_of_a_real_carrier_passes(name: str, results: list[Result], check: Check) -> None:
    found = list(mutants(ON_RECORDS[name], name, results))
    passed = [
        f"{result.name} {how.__name__}"
        for result, entries in found
        for how in (raw, resealed)
        if check(result, how(result, entries)).outcome is Outcome.PASS
    ]
    assert passed == []
    assert len(found) == WANTED


@pytest.mark.parametrize("name", ON_MESSAGES)
def test_no_mutant_of_the_messages_of_a_real_result_passes(name: str, results: list[Result], check: Check) -> None:
    found = list(mutants(ON_MESSAGES[name], name, results))
    assert [result.name for result, messages in found if check(result, messages).outcome is Outcome.PASS] == []
    assert len(found) == WANTED


# --- superseded values


def corrected(decider: Decider, path: Path) -> tuple[Transcript, str, str, str] | None:
    """A real transcript in which the user corrects a value of a sentence just before the end: the sentence, the value, the one that holds now."""
    transcript = decider.read(path)
    *body, last = transcript.messages or [told("")]
    spoken = "\n".join(part.text for message in transcript.messages for part in message.parts)
    for message in body[:-8]:
        for sentence in (text for _, text in split_sentences(message.parts[0].text if message.parts else "")):
            for old in values_in(sentence) if opens_turn(message) and len(sentence) < 300 else ():
                new = re.sub(r"\d(?=\D*$)", lambda d: str((int(d[0]) + 1) % 10), old)
                if sentence.count(old) == 1 and new not in spoken and len(old) > 1:
                    mended = [told(f"Correction: it is {new}, not {old}."), agent("Noted."), told("Go on."), last]
                    return msgspec.structs.replace(transcript, messages=numbered([*body, *mended])), sentence, old, new
    return None


@pytest.fixture(scope="module")
def superseding(compact: Callable[..., Result], decider: Decider) -> list[tuple[Result, str, str, str]]:
    """Results of real transcripts with a correction in each."""
    if not SHARED.is_dir():
        pytest.skip("the shared transcripts are not here")
    found = []
    for path in sorted(path for path in SHARED.rglob("*") if path.is_file() and path.stat().st_size <= LARGEST):
        try:
            made = corrected(decider, path)
            result = compact(made[0], keep_last=2, name=path.name) if made else None
        except BarrierPolicyError:
            continue
        if made and result and any("replaced" in item.attributes for item in result.analysis.join.ledger.items):
            found.append((result, *made[1:]))
    return found


Mended = tuple[Result, str, str, str]


def knows(result: Result, old: str) -> bool:
    """Whether the ledger knows the value itself as superseded, and not only in one of the statements that have it."""
    ledger = result.analysis.join.ledger
    return any(item.text == old and ledger.state(item) == "superseded" for item in ledger.items)


def shown_as_current(made: Mended) -> Iterator[tuple[Message, ...]]:
    """Results whose carrier shows the old value as if it held: a line without its mark, the line of the old value, the old statement."""
    result, sentence, old, _ = made
    entries = result.entries
    mark = re.compile(r" \[[^\n]* is superseded: now [^\n]*\]")
    plain = [msgspec.structs.replace(entry, text=mark.sub("", entry.text)) for entry in entries]
    if plain != entries:
        yield resealed(result, plain)
    if entries and knows(result, old):
        yield resealed(result, [*entries, Entry(kind="binding", text=old)])
        yield resealed(result, [*entries, Entry(kind="evidence", text=sentence)])


def test_a_correction_in_a_real_transcript_is_carried_and_passes(superseding: list[Mended], check: Check) -> None:
    failed = [result.name for result, *_ in superseding if check(result).outcome is not Outcome.PASS]
    assert len(superseding) >= WANTED
    assert len(failed) <= (1 - CLEAN) * len(superseding), failed


def test_no_carrier_with_a_superseded_value_as_current_passes(superseding: list[Mended], check: Check) -> None:
    made = [(entry[0], messages) for entry in superseding for messages in shown_as_current(entry)]
    assert [result.name for result, messages in made if check(result, messages).outcome is Outcome.PASS] == []
    assert len({result.name for result, _ in made}) >= WANTED


def test_no_summary_with_a_superseded_value_as_current_passes(superseding: list[Mended], check: Check) -> None:
    made = [(result, result.with_summary(sentence)) for result, sentence, old, _ in superseding if knows(result, old)]
    assert [result.name for result, messages in made if check(result, messages).outcome is Outcome.PASS] == []
    assert len(made) >= WANTED


# --- false completion


def pending(decider: Decider, path: Path) -> Transcript | None:
    """A real transcript with a migration that is under way just before the end."""
    transcript = decider.read(path)
    if not transcript.messages:
        return None
    *body, last = transcript.messages
    arguments = '{"migration":"mig-40218","table":"parcel_archive"}'
    asked = Part(type=PartType.TOOL_CALL, name="start_migration", text=arguments, call_id="m1")
    answered = Part(type=PartType.TOOL_RESULT, name="start_migration", text='{"status": "running"}', call_id="m1")
    call = Message(index=0, role="assistant", origin=Origin.AGENT, parts=(asked,))
    result = Message(index=0, role="tool", origin=Origin.TOOL, parts=(answered,))
    added = [
        told("Start the migration of table parcel_archive."),
        call,
        result,
        agent("It is running."),
        told("Go on."),
        last,
    ]
    return msgspec.structs.replace(transcript, messages=numbered([*body, *added]))


@pytest.fixture(scope="module")
def running(compact: Callable[..., Result], decider: Decider) -> list[Result]:
    """Results of real transcripts with something under way in each."""
    if not SHARED.is_dir():
        pytest.skip("the shared transcripts are not here")
    found: list[Result] = []
    for path in sorted(path for path in SHARED.rglob("*") if path.is_file() and path.stat().st_size <= LARGEST):
        try:
            made = pending(decider, path)
            found += [compact(made, keep_last=2, name=path.name)] if made else []
        except BarrierPolicyError:
            continue
        if len(found) == 2 * WANTED:
            break
    return found


@pytest.mark.parametrize(
    "sentence",
    [
        "The migration of parcel_archive was completed.",
        "Migration mig-40218 has finished successfully.",
        "Die Migration von parcel_archive wurde abgeschlossen.",
        "La migración de parcel_archive fue completada.",
        "start_migration for parcel_archive: status succeeded.",
    ],
)
def test_no_summary_that_tells_what_is_running_as_done_passes(sentence: str, running: list[Result], check: Check) -> None:
    passed = [r.name for r in running if check(r, r.with_summary(sentence)).outcome is Outcome.PASS]
    assert passed == []
    assert len(running) >= WANTED


def test_what_is_running_may_be_told_as_running(running: list[Result], check: Check) -> None:
    sentence = "The migration of parcel_archive was started and is still running."
    failed = [r.name for r in running if check(r, r.with_summary(sentence)).outcome is not Outcome.PASS]
    assert len(failed) <= (1 - CLEAN) * len(running), failed
