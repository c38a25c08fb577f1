"""From facts to the ledger (design section 4)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from barrier_policy.ledger.conversation.look_ups import with_look_ups
from barrier_policy.ledger.conversation.mere_questions import with_questions
from barrier_policy.ledger.conversation.remarks import with_remarks
from barrier_policy.ledger.conversation.turns import Conversation
from barrier_policy.ledger.conversation.withdrawn import with_withdrawals
from barrier_policy.ledger.currency.amended import amend, find_amendments
from barrier_policy.ledger.currency.left import in_order, locate, not_said
from barrier_policy.ledger.currency.looked_again import MAX_ANSWER
from barrier_policy.ledger.currency.superseded import find_corrections, newest_answers, supersede
from barrier_policy.ledger.effects.find import find_effects
from barrier_policy.ledger.environment import find_environment
from barrier_policy.ledger.model import Answer, Event, Item, Ledger, Left, Restatement, derive_states
from barrier_policy.ledger.notes.find import find_notes
from barrier_policy.ledger.obligations.find import find_obligations
from barrier_policy.ledger.rules.constraints import find_constraints, find_endings, find_restatements
from barrier_policy.transcript.identity import message_digest
from barrier_policy.transcript.model import MessageKind


def build_ledger(
    conversation: Conversation, bindings: Sequence[Item], binding_events: Sequence[Event], left: Sequence[Left] = ()
) -> Ledger:
    """The ledger of a conversation and of the bindings that its exact values make; linear in its messages and facts.

    `left` are words that earlier compactions took away from before what has stayed.
    """
    words = locate(left, conversation.messages)
    conversation = with_withdrawals(with_remarks(with_look_ups(with_questions(conversation))))
    effects, effect_events, look_ups = find_effects(conversation)
    effect_states = derive_states(tuple(effect_events))
    obligations, obligation_events = find_obligations(conversation, effect_states, look_ups)
    endings = in_order(words.endings, find_endings(conversation))
    constraints, constraint_events = find_constraints(conversation, endings, words.restatements)
    restatements = find_restatements(conversation, constraints)
    states = {**effect_states, **derive_states(tuple(obligation_events)), **derive_states(tuple(constraint_events))}
    notes, note_events = find_notes(conversation, [*effects, *obligations, *constraints], states, look_ups)
    surroundings, setting_events = find_environment(conversation, [*effects, *obligations], states)
    corrections = find_corrections(conversation)
    every = (*obligations, *effects, *constraints, *bindings, *surroundings, *notes)
    items, replaced_events = supersede(conversation, every, corrections, not_said(words.corrections, corrections))
    amendments = in_order(words.amendments, find_amendments(conversation))
    states |= derive_states((*binding_events, *setting_events, *note_events, *replaced_events))
    events: tuple[Event, ...] = (
        *obligation_events,
        *effect_events,
        *constraint_events,
        *binding_events,
        *setting_events,
        *note_events,
        *replaced_events,
    )
    masker = conversation.facts.masker
    return Ledger(
        items=_masked(tuple(amend(items, states, amendments)), conversation),
        events=events,
        states=states,
        endings=tuple(msgspec.structs.replace(e, text=masker.text(e.text, e.message)) for e in endings),
        corrections=in_order(
            words.corrections,
            [msgspec.structs.replace(c, text=masker.text(c.text, c.message)) for c in corrections if c.by_user],
        ),
        amendments=amendments,
        restatements=in_order(words.restatements, _masked_rules(restatements, conversation)),
        answers=_answers(conversation),
        head=message_digest(conversation.messages[-1]) if conversation.messages else "",
        left=words,
    )


def _answers(conversation: Conversation) -> dict[str, Answer]:
    """The newest answers of look-ups, in the words that records have; none where nothing was carried that they could supersede."""
    if all(message.kind is not MessageKind.CARRIER for message in conversation.messages):
        return {}
    masker = conversation.facts.masker
    return {
        name: msgspec.structs.replace(answer, text=masker.text(answer.text, answer.message))
        for name, answer in newest_answers(conversation).items()
        if len(answer.text) <= MAX_ANSWER
    }


def _masked_rules(restatements: Sequence[Restatement], conversation: Conversation) -> list[Restatement]:
    """Rules in the words that records have."""
    rules = _masked(tuple(found.rule for found in restatements), conversation)
    return [msgspec.structs.replace(found, rule=rule) for found, rule in zip(restatements, rules, strict=True)]


def _masked(items: tuple[Item, ...], conversation: Conversation) -> tuple[Item, ...]:
    """Items whose words hold no secret value; a binding whose value is a secret keeps only its keyed digest."""
    masker = conversation.facts.masker
    if not masker:
        return items
    return tuple(
        msgspec.structs.replace(
            item,
            text=masker.text(item.text, item.message),
            subject=masker.text(item.subject, item.message),
            attributes={name: masker.text(value, item.message) for name, value in item.attributes.items()},
        )
        for item in items
    )
