"""What a rule demands, how strictly, and where."""

from __future__ import annotations

import pytest
from barrier_policy_plugins.rule_language import guess_language
from barrier_policy_plugins.rule_polarity import find_scope, judge_polarity, judge_strength
from barrier_policy_plugins.sentence_model import shipped_model

MODEL = shipped_model()

POLARITY = {
    "plain demand": ("Dates in the log are ISO.", "must"),
    "plain prohibition": ("Never write to the archive.", "must_not"),
    "verb with negation": ("Don't call the depot.", "must_not"),
    "negation at the subject": ("Nobody edits the rota.", "must_not"),
    "leave alone": ("Leave the vendor folder alone.", "must_not"),
    "condition": ("Restart it only if both probes fail.", "only_if"),
    "provided": ("Use the card provided that the sum is below 80.", "only_if"),
    "threshold in front": ("Above 150 euros a supervisor signs.", "only_if"),
    "no … without": ("No label without a number.", "only_if"),
    "not before an event": ("Do not merge until the tests pass.", "only_if"),
    "not before a time of day": ("No calls before nine.", "must_not"),
    "until further notice": ("No deploys until further notice.", "must_not"),
    "contrast behind": ("Millimetres, not inches.", "must"),
    "contrast within": ("Millimetres, please, not inches, on every sheet.", "must"),
    "instead of": ("Rail instead of air for anything short.", "must"),
    "size": ("Keep mails under 90 words.", "must"),
    "no more than is a limit": ("Two pages and no more than that.", "must"),
    "without something is a demand": ("Prices without VAT.", "must"),
    "quoted negation": ("Use the label 'never' for these.", "must"),
    "German": ("Am Wochenende wird nichts ausgerollt.", "must_not"),
    "German condition": ("Express nur bei Medikamenten.", "only_if"),
    "French": ("Pas de livraison le lundi.", "must_not"),
    "Spanish": ("Prohibido tocar la rama principal.", "must_not"),
    "Italian": ("Non toccare mai la cartella dei contratti.", "must_not"),
    "Portuguese": ("Nunca ligue para o cliente.", "must_not"),
    "Dutch": ("Geen suiker in mijn bestellingen.", "must_not"),
    "Polish": ("Nie ruszaj katalogu z umowami.", "must_not"),
    "Czech": ("Na složku se smlouvami nesahej.", "must_not"),
    "Russian": ("Папку с договорами не трогай.", "must_not"),
    "Turkish": ("Müşterileri asla arama.", "must_not"),
    "Chinese": ("合同文件夹别动。", "must_not"),
    "Japanese": ("契約フォルダには触らないで。", "must_not"),
    "Korean": ("계약서 폴더는 건드리지 마세요.", "must_not"),
    "Arabic": ("ممنوع وضع الصور في التقارير.", "must_not"),
    "Japanese imperative": ("ここには絶対に触るな。", "must_not"),
    "Hindi, negation at the end": ("सोमवार को कोई बैठक नहीं।", "must_not"),
    "Hindi, a word that begins like a negation": ("नाम सूची में हिंदी में ही रहें।", "must"),
    "Hindi": ("रिपोर्ट में तस्वीरें मत डालना।", "must_not"),
}


@pytest.mark.parametrize("name", POLARITY)
def test_polarity_follows_from_the_words(name: str) -> None:
    sentence, polarity = POLARITY[name]
    assert judge_polarity(sentence, MODEL.sights(sentence)) == polarity


@pytest.mark.parametrize(
    "sentence, strength",
    [
        ("I'd rather you used tabs.", "soft"),
        ("It would be nice if all captions rhymed.", "soft"),
        ("Am liebsten mit der Bahn.", "soft"),
        ("Tabs.", "hard"),
        ("You must use tabs.", "hard"),
    ],
)
def test_a_wish_is_soft(sentence: str, strength: str) -> None:
    assert judge_strength(sentence) == strength


@pytest.mark.parametrize(
    "sentence, scope",
    [
        ("No pandas in this repo.", "in this repo"),
        ("Canary stays at 5 % until the budget recovers.", "until the budget recovers"),
        ("Whoever edits the rota, leave initials.", "Whoever edits the rota"),
        ("Tabs.", ""),
    ],
)
def test_the_scope_is_verbatim_or_empty(sentence: str, scope: str) -> None:
    assert find_scope(sentence) == scope


@pytest.mark.parametrize(
    "sentence, language",
    [
        ("keep it in the outbox", "en"),
        ("bitte nicht vor neun anrufen", "de"),
        ("ne mettez pas mon nom dans les dossiers", "fr"),
        ("nie ruszaj katalogu z umowami", "pl"),
        ("不要动", "zh"),
        ("触らないで", "ja"),
        ("xyzzy", "en"),
    ],
)
def test_the_language_shows_in_common_words(sentence: str, language: str) -> None:
    assert guess_language(sentence) == language
