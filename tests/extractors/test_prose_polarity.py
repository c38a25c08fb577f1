"""What a rule demands, how strictly, and where."""

from __future__ import annotations

import pytest
from barrier_policy_plugins.rule_language import guess_language
from barrier_policy_plugins.rule_polarity import POLARITIES, find_scope, judge_polarity, judge_strength, name_marks
from barrier_policy_plugins.sentence_model import shipped_model

from barrier_policy import extract_facts

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
KINDS = {
    "ask before": ("Ask Ingrid before you move the boat.", "only_if"),
    "not until somebody has": ("Nothing goes on the wall until the curator has seen it.", "only_if"),
    "show first, then act": ("Show me the letter first, then post it.", "only_if"),
    "somebody decides": ("The menu is Pavel's decision, run it past him.", "only_if"),
    "do not forget": ("Don't forget the room number on any of the badges.", "must"),
    "hands off": ("Keep your hands off the seed bank.", "must_not"),
    "German, only when somebody has": ("Gedruckt wird erst, wenn die Autorin das gelesen hat.", "only_if"),
    "German, exception": ("Außer bei Gewitter bleibt die Seilbahn in Betrieb.", "only_if"),
    "German, no place": ("Im Nachruf haben Witze nichts zu suchen.", "must_not"),
    "German, not this but that": ("Nicht Zoll, sondern Zentimeter.", "must"),
    "French, before somebody has": ("Rien ne sort avant que la directrice ait signé.", "only_if"),
    "French, exception": ("Sauf en cas d'orage, la barrière reste levée.", "only_if"),
    "French, do not forget": ("N'oublie pas la cote sur les fiches.", "must"),
    "Spanish, until somebody does": ("No se corta nada hasta que lo autorice la ingeniera.", "only_if"),
    "Spanish, leave alone": ("Deja en paz el archivo de mi abuela.", "must_not"),
    "Spanish, never that": ("Las cantidades en gramos, nunca en onzas.", "must"),
    "Italian, not without": ("Senza il permesso della sindaca non si scava.", "only_if"),
    "Italian, threshold": ("Sopra i trenta gradi si chiude la palestra.", "only_if"),
    "Portuguese, threshold with negation": ("Com menos de dez pessoas não abrimos o bar.", "only_if"),
    "Dutch, not until": ("Er wordt niet gezaagd voordat de boswachter akkoord is.", "only_if"),
    "Dutch, exception": ("Tenzij het regent eten we buiten.", "only_if"),
    "Polish, until somebody": ("Nie wysyłaj, dopóki Bożena nie zatwierdzi.", "only_if"),
    "Polish, secret": ("To nazwisko zostaje między nami.", "must_not"),
    "Czech, until somebody": ("Nic nemaž, dokud to Jarmila neschválí.", "only_if"),
    "Czech, superlative is no negation": ("Nejvýš tři řádky na vzkaz.", "must"),
    "Russian, only": ("Вход только по пропускам.", "only_if"),
    "Russian, until somebody": ("Не публикуй, пока Лида не одобрит.", "only_if"),
    "Turkish, before somebody has": ("Selma onaylamadan hiçbir şey silme.", "only_if"),
    "Turkish, not this but that": ("Kilo değil, gram.", "must"),
    "Chinese, first ask": ("改名之前先问小周。", "only_if"),
    "Chinese, do not forget": ("别忘了写单位。", "must"),
    "Japanese, after somebody has": ("店長が確認してから発送して。", "only_if"),
    "Korean, until somebody": ("팀장이 승인할 때까지 배포하지 마세요.", "only_if"),
    "Arabic, until somebody": ("لا تنشر شيئاً حتى توافق سلمى.", "only_if"),
    "Hindi, until somebody": ("जब तक रमा मंज़ूरी न दे, कुछ मत छापो।", "only_if"),
}
"""Gates, exceptions, thresholds, contrasts and doubled negations, which look like something else where only negation is looked for."""


@pytest.mark.parametrize("name", POLARITY)
def test_polarity_follows_from_the_words(name: str) -> None:
    sentence, polarity = POLARITY[name]
    assert judge_polarity(sentence, MODEL.sights(sentence)) == polarity


@pytest.mark.parametrize("name", KINDS)
def test_polarity_follows_from_more_than_negation(name: str) -> None:
    sentence, polarity = KINDS[name]
    assert judge_polarity(sentence, MODEL.sights(sentence)) == polarity


def test_a_gate_that_is_found_as_a_gate_waits_for_somebody_whatever_its_words() -> None:
    facts = extract_facts([{"role": "user", "content": "Ask me before you delete anything."}], now="2026-06-01T00:00:00Z")
    assert [fact.attributes["polarity"] for fact in facts if fact.kind == "approval_gate"] == ["only_if"]


@pytest.mark.parametrize(
    "sentence, mark",
    [
        ("Never write there.", "begins with not"),
        ("Never write there.", "no condition"),
        ("Ask Ingrid before you move the boat.", "ask + first"),
        ("Above ninety degrees, the boiler is shut.", "threshold in the first clause"),
        ("Tabs, never spaces.", "contrast"),
        ("Nicht Zoll, sondern Zentimeter.", "not in the first clause only"),
        ("Only the vet may open it.", "only first"),
        ("Do not edit it until the tests pass.", "waits"),
        ("The label 'never' is blue.", "no condition"),
    ],
)
def test_marks_say_what_can_be_seen_in_a_sentence(sentence: str, mark: str) -> None:
    assert mark in name_marks(sentence)


def test_quoted_words_leave_no_mark() -> None:
    assert "not" not in name_marks("Use the label 'never without you' for these.")


def test_hostile_sentences_are_judged_in_time_that_their_length_bounds() -> None:
    for sentence in ("not " * 50_000, "a" * 200_000, ", not" * 40_000, "ş" * 100_000, "不" * 100_000, "", "?!"):
        assert judge_polarity(sentence, MODEL.sights(sentence[:600])) in POLARITIES


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
