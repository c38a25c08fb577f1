"""Which sentences surely end a rule, and which never do whatever they look like."""

from __future__ import annotations

import time

import pytest
from barrier_policy_plugins.prose_releases import Release, find_release

ENDS, PERMITS, NONE = Release.ENDS, Release.PERMITS, Release.NONE


@pytest.mark.parametrize(
    ("sentence", "release"),
    [
        # it is over
        ("The ban on late deliveries is lifted.", ENDS),
        ("The limit for guest tickets no longer applies.", ENDS),
        ("The freeze on the archive doesn't apply any more.", ENDS),
        ("Good news, the restriction on night flights has been withdrawn.", ENDS),
        ("Forget what I said about the blue folder.", ENDS),
        ("Please ignore my rule about the blue folder.", ENDS),
        ("I take back what I said about the blue folder.", ENDS),
        ("Die Sperre für den Ostflügel ist aufgehoben.", ENDS),
        ("Die Regel mit dem blauen Ordner gilt nicht mehr.", ENDS),
        ("La règle du dossier bleu ne s'applique plus.", ENDS),
        ("El límite de la carpeta azul ya no rige.", ENDS),
        ("Il divieto sulla cartella blu è revocato.", ENDS),
        # it may be done again
        ("You may water the east wing again.", PERMITS),
        ("From now on you may water the east wing.", PERMITS),
        ("Watering the east wing is allowed again.", PERMITS),
        ("Du darfst den Ostflügel wieder gießen.", NONE),
        ("Du darfst wieder im Ostflügel gießen.", PERMITS),
        ("Vous pouvez de nouveau arroser l'aile est.", PERMITS),
        # a question, a condition, a doubt, a denial
        ("Is the ban on late deliveries lifted?", NONE),
        ("Once the ban on late deliveries is lifted, call Marta.", NONE),
        ("Maybe the ban on late deliveries is lifted.", NONE),
        ("The ban on late deliveries is not lifted.", NONE),
        ("Wenn die Sperre für den Ostflügel aufgehoben ist, ruf an.", NONE),
        # somebody else's word, another time, a part
        ("Marta says the ban on late deliveries is lifted.", NONE),
        ("The ban on late deliveries will be lifted tomorrow.", NONE),
        ("The ban on late deliveries is lifted for order 12.", NONE),
        ("You may water the east wing again, but only at night.", NONE),
        ("You may water the east wing again this evening.", NONE),
        ('"The ban on late deliveries is lifted."', NONE),
        # no release at all
        ("You may look at the east wing.", NONE),
        ("The limit is over 200 EUR.", NONE),
        ("The freeze is off limits.", NONE),
        ("I withdraw my consent to the newsletter.", NONE),
    ],
)
def test_a_sentence_ends_a_rule_or_does_not(sentence: str, release: Release) -> None:
    assert find_release(sentence) is release


def test_a_long_sentence_costs_little() -> None:
    started = time.process_time()
    for text in ("the rule " * 60, "you may " * 60, "is fine " * 60 + "again", "ok, " * 100 + "you may"):
        find_release(text[:400])
    assert time.process_time() - started < 5
