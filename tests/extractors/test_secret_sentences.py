"""How people tell secrets, in many languages, and sentences that tell none: both lists are data (`tests/data/secrets/`)."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from barrier_policy_plugins import secrets as plugin

from barrier_policy import Context, Message, Origin, Part, PartType
from barrier_policy.facts.masking import NEAR, Masker
from barrier_policy.facts.secret_words import WORDS, Family, words_of
from barrier_policy.facts.secrets import find_secrets, redact

DATA = Path(__file__).parent.parent / "data" / "secrets"
CONTEXT = Context(calls={}, tools={}, now="2026-01-01T00:00:00Z")


def _rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def _masker(*texts: str) -> Masker:
    messages = [
        Message(index=index, role="user", origin=Origin.USER, parts=(Part(type=PartType.TEXT, text=text),))
        for index, text in enumerate(texts)
    ]
    return Masker(messages, [list(plugin.barrier_extract_facts(message, CONTEXT)) for message in messages])


@pytest.mark.parametrize("row", _rows("told.tsv") + _rows("told_held_out.tsv"), ids=lambda row: row["text"])
def test_a_secret_that_people_tell_is_found_and_only_the_secret(row: dict[str, str]) -> None:
    start = row["text"].rfind(row["value"])
    found = find_secrets(row["text"])
    assert [(secret.start, secret.end) for secret in found] == [(start, start + len(row["value"]))]
    assert row["value"] not in redact(row["text"])


@pytest.mark.parametrize("row", _rows("not_told.tsv"), ids=lambda row: row["text"])
def test_a_sentence_that_tells_no_secret_stays_readable(row: dict[str, str]) -> None:
    assert redact(row["text"]) == row["text"]


def test_at_least_twenty_five_languages_have_words_for_a_password() -> None:
    assert sum("password" in words for words in WORDS.values()) >= 25


@pytest.mark.parametrize("family", Family)
def test_every_family_has_labels_and_none_is_listed_twice_in_a_language(family: Family) -> None:
    assert words_of(family)
    for words in WORDS.values():
        listed = words.get(family, [])
        assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    "text",
    [
        "self.password = password",
        "def check(password, pin): return password == pin",
        "const { password } = form;\nlogin(user, password);",
        "    password = tulip\n    return login(user, password)",
        "create_user(name=name, password=raw_password)",
        "interface User {\n  password: Hashed;\n}",
        "password = auth[2]",
        "int pin = gpio_read(4471);",
        "if token == access_token:",
    ],
)
def test_code_that_handles_passwords_keeps_its_names(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "the pin for the club account is R7v-4410-owl",
        "die pin fürs vereinskonto is R7v-4410-owl",
        "le code pin de la carte est R7v-4410-owl",
        "the PIN of my sim card: R7v-4410-owl",
    ],
)
def test_a_pin_with_letters_is_one_also_where_it_is_told_what_it_is_for(text: str) -> None:
    assert [text[secret.start : secret.end] for secret in find_secrets(text)] == ["R7v-4410-owl"]


@pytest.mark.parametrize(
    "text", ["the pin of the chip is GPIO-12-a33", "pin for the header is J-12-33-b", "pin to release: rel-2024-11"]
)
def test_the_pin_of_a_part_and_of_a_version_is_none(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    "text, value",
    [
        ('{"psk": "bluewhale"}', "bluewhale"),
        ('{"pin": 4471, "door": 2}', "4471"),
        (json.dumps({"text": json.dumps({"password": "blue whale"})}), "blue whale"),
        ('{"auth": {"user": "bob", "pass": "kiwi"}}', "kiwi"),
        ('{"securityCode": "118"}', "118"),
        ('{"mot_de_passe": "étoile"}', "étoile"),
        ('{"secret_answer": "Rex"}', "Rex"),
    ],
)
def test_a_value_in_the_arguments_of_a_call_counts_as_in_prose(text: str, value: str) -> None:
    assert [text[secret.start : secret.end] for secret in find_secrets(text)] == [value]


def test_a_distinct_secret_is_masked_everywhere() -> None:
    masker = _masker("the password is Regen!bogen", *["ok"] * 40)
    assert "Regen!bogen" not in masker.text("she wrote Regen!bogen down", 40)


def test_an_ordinary_word_is_masked_where_it_is_told_and_near_it() -> None:
    masker = _masker("the wifi password is bluewhale", *["ok"] * 40)
    assert "bluewhale" not in masker.text("set bluewhale on all laptops", 0)
    assert "bluewhale" not in masker.text("set bluewhale on all laptops", NEAR)
    assert masker.text("a bluewhale was seen", NEAR + 1) == "a bluewhale was seen"
    assert masker.text("bluewhales were seen", 0) == "bluewhales were seen"


def test_an_ordinary_word_is_masked_far_away_where_it_follows_a_word_for_a_login() -> None:
    again = "guests log in with lobby / bluewhale"
    masker = _masker("the wifi password is bluewhale", *["ok"] * 40, again)
    assert "bluewhale" not in masker.text(again, 41)
    assert "bluewhale" not in masker.text("log in as lobby, bluewhale", -1)
    assert masker.text("a bluewhale was seen", -1) == "a bluewhale was seen"


@pytest.mark.parametrize(
    "told, again",
    [
        ("the OTP is 553 821", "confirm(553821)"),
        ("PIN is zero nine one seven", "typed 0917 at the door"),
        ("smb://bob:t%21lip7@nas/x", "mounted with t!lip7"),
        (json.dumps({"password": 'tul"ip-77'}), 'typed tul"ip-77'),
    ],
)
def test_a_secret_is_masked_in_its_other_spellings(told: str, again: str) -> None:
    masker = _masker(told, *["ok"] * 20)
    assert masker.text(again, 20) != again


def test_a_number_is_no_piece_of_another_in_its_own_message() -> None:
    masker = _masker("cvv 118, order 51180")
    assert masker.text("cvv 118, order 51180", 0).endswith("order 51180")


@pytest.mark.parametrize(
    "text",
    [
        "the old wifi password Oldie-55 no longer works, I use Newbie-56 now",
        "das alte WLAN-Passwort Oldie-55 geht nicht mehr, ich nehme jetzt Newbie-56",
        "change the wifi password from Oldie-55 to Newbie-56",
    ],
)
def test_what_takes_the_place_of_a_password_is_one_where_it_looks_the_same(text: str) -> None:
    assert [text[secret.start : secret.end] for secret in find_secrets(text)] == ["Oldie-55", "Newbie-56"]


def test_other_names_after_a_password_stay_readable() -> None:
    text = "the password Oldie-55 is for web-03, use db-04 for the other"
    assert [text[secret.start : secret.end] for secret in find_secrets(text)] == ["Oldie-55"]


def test_a_key_beside_a_login_in_a_file_is_one() -> None:
    text = "[mail]\nlogin = mailer\nkey = SG.kd83hdk38.dk38dkw02kd8wkd8\n"
    assert [text[secret.start : secret.end] for secret in find_secrets(text)] == ["SG.kd83hdk38.dk38dkw02kd8wkd8"]


def test_a_short_secret_is_masked_in_its_message_and_where_its_question_is_told_with_it() -> None:
    masker = _masker("How can I help you?", "cvv 737", "ok")
    assert "737" not in masker.text("How can I help you? → cvv 737", 0)
    assert masker.text("platform 737", 2) == "platform 737"
