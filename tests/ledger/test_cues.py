"""Words by which people put off and go on, in the languages of the lists."""

from __future__ import annotations

import pytest

from barrier_policy.ledger.dialogue.cues import FIRST_WORDS, asks, find_awaited, find_waiting, postpones, tells_rest

PUT_OFF = {
    "English": "Meanwhile, could you water the ferns?",
    "English, sleep": "I'll sleep on the colour.",
    "German": "Den Preis muss ich erst mit Olga bereden.",
    "German, clear": "Die Garage kläre ich noch.",
    "French": "En attendant, range la cave.",
    "Italian": "Intanto chiudi il cancello.",
    "Spanish": "Mientras tanto riega el jardín.",
    "Dutch": "Ondertussen mag je de hond uitlaten.",
    "Czech": "Mezitím uklidni psa.",
    "Russian": "Тем временем закрой ворота.",
    "Chinese": "颜色我还没想好。",
    "Japanese": "色はまだ決めないで。",
    "Korean": "그동안 정원에 물을 줘.",
}
AT_THE_REST = {
    "English": "Three boxes found. I'm checking the attic.",
    "German": "Zwei Zimmer frei. Das dritte prüfe ich gerade.",
    "French": "Deux places libres. Je cherche maintenant la troisième.",
    "Italian": "Due posti. Devo ancora verificare il terzo.",
    "Dutch": "Twee plaatsen. De derde zoek ik nu.",
    "Polish": "Dwa miejsca. Teraz szukam trzeciego.",
    "Russian": "Два места. Третье выясняю.",
    "Swedish": "Två platser. Den tredje letar jag nu efter.",
    "Chinese": "两个房间。第三个正在核对。",
    "Japanese": "二部屋。三つ目は確認中です。",
    "Hindi": "दो कमरे। तीसरा देख रहा हूँ।",
}


@pytest.mark.parametrize("text", PUT_OFF.values(), ids=PUT_OFF)
def test_an_answer_is_put_off_in_many_languages(text: str) -> None:
    assert postpones(text)


@pytest.mark.parametrize("text", AT_THE_REST.values(), ids=AT_THE_REST)
def test_the_agent_is_still_at_the_rest_in_many_languages(text: str) -> None:
    assert tells_rest(text)


@pytest.mark.parametrize(
    "text",
    [
        "have to look through them tonight, somebody may still want the audio one",
        "i need to compare both first",
        "Muss ich erst durchsehen",
        "Moet ik eerst bekijken",
        "Je dois regarder ça ce soir",
        "Primero tengo que leerlo",
        "Muszę je przejrzeć wieczorem",
    ],
)
def test_who_has_to_look_first_puts_an_answer_off(text: str) -> None:
    assert postpones(text)


def test_what_stands_late_in_a_message_puts_nothing_off() -> None:
    assert not postpones("The green one, and the " + "very " * FIRST_WORDS + "old oak stays, meanwhile.")


@pytest.mark.parametrize("text", ["The green one.", "Die grüne.", "緑にします。"])
def test_a_plain_answer_puts_nothing_off_and_leaves_no_rest(text: str) -> None:
    assert not postpones(text)
    assert not tells_rest(text)


@pytest.mark.parametrize(
    "text",
    ["kiln 2 is loaded, run it", "ok 139 is fine", "der Saal ist wieder frei", "de bus staat klaar", "The tube was broken."],
)
def test_a_verb_in_the_midst_of_a_sentence_asks_nothing(text: str) -> None:
    assert not asks(text)


@pytest.mark.parametrize(
    "text", ["is the kiln loaded", "ok, is it fine", "ok and was it broken", "na ist der Saal frei", "Mrs Kay, has it come"]
)
def test_a_verb_at_the_beginning_asks(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "It depends on the weight.",
        "Das hängt davon ab, wie schwer es ist.",
        "Dipende da quanto pesa.",
        "The hooks lie on their side.",
        "The old sessions work until they expire.",
        "I'd say so, it can be undone.",
    ],
)
def test_what_depends_on_something_waits_for_nobody(text: str) -> None:
    assert find_awaited(text) is None and find_waiting(text) is None
