"""Side effects of calls: state from results, settled later only by structured evidence (design section 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from barrier_policy.digest import digest_text
from barrier_policy.ledger.conversation.look_ups import gives_order, is_untold
from barrier_policy.ledger.conversation.turns import Call, Conversation, Result
from barrier_policy.ledger.effects.after_all import acts_after_all, tells_deed
from barrier_policy.ledger.effects.doubted import answered_at, doubted
from barrier_policy.ledger.effects.edits import history, is_about_one_file, is_edit, puts_content, written_by
from barrier_policy.ledger.effects.receipt import MAX_WHOLE, clip, leaves, receipt_text
from barrier_policy.ledger.effects.reconciled import MAX_OPEN, effect_id, jobs, names_of, reconciled, tells_nothing
from barrier_policy.ledger.model import UNSETTLED, Event, Family, Item

STATE_OF_RESULT = {
    "done": "confirmed",
    "pending": "started",
    "partial": "partial",
    "failed": "failed_clean",
    "rejected": "failed_clean",
    "unknown": "unknown",
}
LOCAL_BASES = frozenset({"shell", "table", "sql"})
"""A tool known to be silent on success; from any other, an empty answer leaves the outcome open."""

MIN_NAME = 4


def find_effects(conversation: Conversation) -> tuple[list[Item], list[Event], list[Call]]:
    """An item for each call that is not a plain read, with its events in order, and what later look-ups said of it.

    Third are the last look-ups of effects that are still open: they say how far these have come.
    """
    effects = _Effects(conversation)
    for turn in conversation.turns:
        effects.begin_turn()
        untold, ordered = is_untold(turn), bool(turn.calls) and gives_order(conversation, turn)
        for call in turn.calls:
            effects.add(call, untold=untold, ordered=ordered)
    effects.events.extend(jobs(conversation, effects.handles, effects.states))
    items = effects.finished()
    open_look_ups = {call.ref: call for item, call in effects.looked_up.items() if effects.states[item] in UNSETTLED}
    return items, effects.events, list(open_look_ups.values())


MAX_TEXTS = 6
"""Texts that an edit is given besides the name of the file: what is replaced, and by what, last."""


class _Effects:
    """Effects in the order of the transcript. A call costs time in its own size.

    `handles` leads from a job id, key or id in a result to the open effects that it belongs to; `outcomes` has the last look-up
    of the same turn that named an effect.
    """

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._answered = answered_at(conversation)
        self.items: list[Item] = []
        self.events: list[Event] = []
        self.states: dict[str, str] = {}
        self.handles: dict[str, list[str]] = {}
        self.tools: dict[str, str] = {}
        self.outcomes: dict[str, str] = {}
        self.looked_up: dict[str, Call] = {}
        self._of_turn: dict[str, str] = {}
        self._begun: list[str] = []
        """The effects of the turn so far."""
        self._calls: dict[tuple[str, str], list[str]] = {}
        self._edits: dict[str, dict[str, str]] = {}
        """By file, its edits that went through, each with the short text that it wrote, "" for a long one."""
        self._merged: dict[str, str] = {}
        self._history: dict[str, str] = {}
        """By edit, the last one of its file; and by that, what it says of the others."""
        self._wrote: dict[tuple[str, str], str] = {}
        self._overwritten: dict[str, str] = {}
        """By file and text, the edit that wrote it; and by edit, the one that replaced what it wrote."""
        self._doubted: dict[str, str] = {}
        """By subject, the last effect that words left open."""

    def begin_turn(self) -> None:
        """Forget the names that hold within one turn."""
        self._of_turn = {}
        self._begun = []

    def add(self, call: Call, *, untold: bool, ordered: bool) -> None:
        """Take the next call; `untold`: the user's message gives no work that was recognized; `ordered`: it asks nothing."""
        if call.fact is not None and call.fact.get("plan"):
            return  # its entries are obligations of their own
        names = {name for full in names_of(call) for name in (full, _last_segment(full))}
        named = sorted(names & self.handles.keys())
        if not call.reads or (not named and ((not untold and acts_after_all(call)) or (ordered and tells_deed(call)))):
            self._begin(call)
        else:
            of_turn = {self._of_turn[name] for name in names & self._of_turn.keys() if len(name) >= MIN_NAME}
            self.outcomes.update(dict.fromkeys(sorted(of_turn), _outcome(call)))
        for event in reconciled(call, named, self.handles, self.states, self.tools):
            self.events.append(event)
            self.states[event.item] = event.state
            self.outcomes[event.item] = _outcome(call)
        open_now = [item for name in named for item in self.handles[name][-MAX_OPEN:]]
        if call.reads and not named and tells_nothing(call):
            open_now = self._begun[-1:]  # what was just done and left open is what it would have told of
        for item in open_now:
            if self.states[item] in UNSETTLED and item != effect_id(call) and call.results:
                self.looked_up[item] = call

    def _begin(self, call: Call) -> None:
        item = _effect(call)
        self.items.append(item)
        self.tools[item.id] = call.part.name
        self._begun.append(item.id)
        for event in _own_events(call, item.id):
            self.events.append(event)
            self.states[item.id] = event.state
        if self.states[item.id] == "confirmed":
            self._doubt(call, item)
        same = self._calls.setdefault((call.part.name, digest_text(call.part.text)), [])
        if self.states[item.id] == "confirmed":
            self._repeated(same, item.id, item.message)
            if is_edit(call):
                self._edits.setdefault(item.subject, {})[item.id] = written_by(call)
            self._overwrite(item, call)
        same.append(item.id)
        handles = tuple(dict.fromkeys(_handles(call)))
        if self.states[item.id] in UNSETTLED:
            for handle in handles:
                self.handles.setdefault(handle, []).append(item.id)
        if puts_content(call):
            return  # who reads the file next sees the file, not what became of the edit
        targets = call.fact.get("targets", ()) if call.fact else ()
        self._of_turn.update((_last_segment(name), item.id) for name in (*handles, *targets))

    def _doubt(self, call: Call, item: Item) -> None:
        """Words may leave open what the result confirms, until the same is done to the same target again without such words."""
        event = doubted(self._conversation, call, item.id, self._answered)
        if event is not None:
            self.events.append(event)
            self.states[item.id] = event.state
            self._doubted[item.subject] = item.id
            return
        earlier = self._doubted.pop(item.subject, "") if item.subject else ""
        if earlier and self.states[earlier] in UNSETTLED:
            self.events.append(Event(item.message, earlier, "confirmed", f"{item.id} has done the same to its target since"))
            self.states[earlier] = "confirmed"

    def _repeated(self, same: Sequence[str], item: str, message: int) -> None:
        """The very same call has gone through: what an earlier one left open is settled by it."""
        for earlier in same[-MAX_OPEN:]:
            if self.states[earlier] in UNSETTLED:
                self.events.append(Event(message, earlier, "confirmed", f"the same call as {item}, which went through"))
                self.states[earlier] = "confirmed"

    def _overwrite(self, item: Item, call: Call) -> None:
        """A short edit that replaces just what an earlier one of the file wrote: of that nothing is left."""
        texts = [leaf for leaf in leaves(call.part.arguments) if leaf != item.attributes["target"]]
        if not is_about_one_file(call) or "@" in item.subject or not 2 <= len(texts) <= MAX_TEXTS:
            return
        if earlier := self._wrote.pop((item.subject, texts[-2]), ""):
            self._overwritten[earlier] = item.id
        self._wrote[item.subject, texts[-1]] = item.id

    def finished(self) -> list[Item]:
        """The items with what look-ups of their turns said of them. Edits that a later one of the file followed are merged into that one."""
        self._merge()
        return [self._finished(item) for item in self.items]

    def _merge(self) -> None:
        """Of each file the last edit that holds speaks for the others: it says how many there were, and what the short ones wrote."""
        for edits in self._edits.values():
            held = [edit for edit in edits if self.states[edit] == "confirmed"]
            if len(held) > 1:
                last = held.pop()
                self._merged.update(dict.fromkeys(held, last))
                written = [edits[edit] for edit in reversed(held) if edit not in self._overwritten]
                self._history[last] = history(len(held) + 1, written)

    def _finished(self, item: Item) -> Item:
        last = self._merged.get(item.id) or self._overwritten.get(item.id, "")
        if last and self.states[item.id] == "confirmed":
            item = msgspec.structs.replace(item, attributes=item.attributes | {"merged": last})
        told = self._history.get(item.id, "")
        outcome = self.outcomes.get(item.id)
        told += f" ⇒ {outcome}" if outcome else ""
        return msgspec.structs.replace(item, text=item.text + told) if told else item


def _last_segment(name: str) -> str:
    """`job/x-1` and `batch/x-1` are named x-1."""
    return name.rsplit("/", 1)[-1]


def _outcome(call: Call) -> str:
    """What a look-up answered: a short answer whole, of a long one the line that shows a state and the last one."""
    if not call.results:
        return ""
    text = call.results[-1].part.text.strip()
    if len(text) <= MAX_WHOLE:
        return text
    state = call.results[-1].fact.text.strip() if call.results[-1].fact else ""
    _, breaks, last = text.rpartition("\n")
    lines = dict.fromkeys((state, last.strip() if breaks or not state else ""))
    return clip("; ".join(line for line in lines if line), MAX_WHOLE)


def _effect(call: Call) -> Item:
    fact = call.fact
    targets = fact.get("targets", ()) if fact else ()
    keys = fact.get("keys", ()) if fact else ()
    operation = (fact.get("operation") if fact else "") or call.part.name
    return Item(
        id=effect_id(call),
        family=Family.EFFECT,
        kind=call.effect_class,
        message=call.ref.message,
        part=call.ref.part,
        text=receipt_text(call),
        subject=f"{operation} {targets[0]}" if targets else "",
        attributes={
            "tool": call.part.name,
            "operation": operation,
            "target": targets[0] if targets else "",
            "key": keys[0] if keys else "",
            "assumed": "true" if fact is None or fact.get("assumed") else "",
            "edits": "true" if is_edit(call) else "",
        },
    )


def _own_events(call: Call, item: str) -> Iterator[Event]:
    """Intended by the call, then whatever its results say, in order."""
    yield Event(call.ref.message, item, "started", "called")
    for result in call.results:
        yield Event(result.ref.message, item, _state(call, result), f"result at message {result.ref.message}")


def _state(call: Call, result: Result) -> str:
    fact = result.fact
    state = str(fact.get("state", "unknown")) if fact else "unknown"
    if fact and (call.reads or call.fact is None):  # a call that nobody could read may be a look-up at something unfinished
        state = str(fact.get("reports", "")) or state
    if state == "empty":
        basis = call.fact.get("basis") if call.fact else ""
        return "confirmed" if basis in LOCAL_BASES else "unknown"
    return STATE_OF_RESULT.get(state, "unknown")


def _handles(call: Call) -> Iterator[str]:
    """Names under which a later message may speak of this effect: job ids from results, keys from the call."""
    for result in call.results:
        yield from result.fact.get("handles", ()) if result.fact else ()
    if call.fact:
        yield from call.fact.get("keys", ())
