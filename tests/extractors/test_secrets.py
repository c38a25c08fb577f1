"""Secrets are found, named by keyed digests and masked; placeholders, ids and hashes stay readable."""

from __future__ import annotations

import hashlib
import hmac
import json
from itertools import pairwise

import pytest
from barrier_policy_plugins import secrets as plugin
from hypothesis import given
from hypothesis import strategies as st

from barrier_policy import Context, Message, Origin, Part, PartType
from barrier_policy.facts.masking import Masker
from barrier_policy.facts.secrets import find_secrets, redact, secret_digest

CONTEXT = Context(calls={}, tools={}, now="2026-01-01T00:00:00Z")
RANDOM = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"


@pytest.mark.parametrize(
    "text, kind, value",
    [
        (f"export GITHUB_TOKEN=ghp_{RANDOM}", "api_key", f"ghp_{RANDOM}"),
        (f"key sk-proj-{RANDOM}", "api_key", f"sk-proj-{RANDOM}"),
        ("aws AKIAQ3EGRT7XLMP2WZ5K here", "api_key", "AKIAQ3EGRT7XLMP2WZ5K"),
        ("bot xoxb-1234567890-abcdefGHIJ", "api_key", "xoxb-1234567890-abcdefGHIJ"),
        (
            "use eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
            "jwt",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
        ),
        ("Authorization: Bearer abcDEF123456ghiJKL7890", "token", "abcDEF123456ghiJKL7890"),
        ("Set-Cookie: sid=aB3dE5fG7hI9jK1l; Path=/", "token", "aB3dE5fG7hI9jK1l"),
        ("postgres://app:s3cr3tPw@db-1.int:5432/x", "password", "s3cr3tPw"),
        ("curl -u admin:Zx81!kk https://x", "password", "Zx81!kk"),
        ("mysql --password S3cret99 -h x", "password", "S3cret99"),
        ("user=wh\npassword=hT9!vale-44-orchid", "password", "hT9!vale-44-orchid"),
        ("DB_PASS=hx8kf2", "password", "hx8kf2"),
        ('{"password":"hunter2","user":"bob"}', "password", "hunter2"),
        ('{"user":"bob","password":"correcthorse"}', "password", "correcthorse"),
        ('{\\"password\\": \\"tr0ub4dor\\"}', "password", "tr0ub4dor"),
        ("| password | Xy12!abc |", "password", "Xy12!abc"),
        ("set the password to Blue!Sky42", "password", "Blue!Sky42"),
        ("my password for the wiki is Tulpe!88", "password", "Tulpe!88"),
        ("wifi password Tulip-88-Wind!", "password", "Tulip-88-Wind!"),
        ("I use glx-Xk29s-QQ71-mmz0 as the password", "password", "glx-Xk29s-QQ71-mmz0"),
        ("das Passwort ist Gurke77!", "password", "Gurke77!"),
        ("mot de passe : Soleil-2024", "password", "Soleil-2024"),
        ("la contraseña es Perro_99", "password", "Perro_99"),
        ("hasło: Kot123!", "password", "Kot123!"),
        ("пароль: Zima2024", "password", "Zima2024"),
        ("密码是 abC12345", "password", "abC12345"),
        ("パスワードは Neko-2231 です", "password", "Neko-2231"),
        ("client_secret: 9dK3-mmQ2x-77Lp1", "token", "9dK3-mmQ2x-77Lp1"),
        ("api key = 7f3a9c1e5b7d4f2a8c6e0b1d3f5a7c9e", "api_key", "7f3a9c1e5b7d4f2a8c6e0b1d3f5a7c9e"),
        ("API-Schlüssel: Ab12Cd34Ef56Gh78", "api_key", "Ab12Cd34Ef56Gh78"),
        ("ключ api: 9fK2mQ8xL0pZ4tR7", "api_key", "9fK2mQ8xL0pZ4tR7"),
        ("a key for the sandbox: pay_test_4fQ9w0Zk2LmN8. Put it away", "api_key", "pay_test_4fQ9w0Zk2LmN8"),
        (
            "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzKEY12",
            "api_key",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzKEY12",
        ),
        ("pin 4711", "pin", "4711"),
        ("My PIN is 4711.", "pin", "4711"),
        ("Die PIN lautet 9034", "pin", "9034"),
        ("OTP 558120", "one_time_code", "558120"),
        ("the recovery code is 7QK2-99XM", "access_code", "7QK2-99XM"),
        ("claim code for the box is CLM-7Q2M-88XA-PD40, enroll it", "access_code", "CLM-7Q2M-88XA-PD40"),
        ("alarm code: 884213", "access_code", "884213"),
        ("code d'accès 4471", "access_code", "4471"),
    ],
)
def test_a_secret_is_found_and_only_the_secret(text: str, kind: str, value: str) -> None:
    assert [(str(found.type), text[found.start : found.end]) for found in find_secrets(text)] == [(kind, value)]
    assert value not in redact(text)


def test_a_private_key_is_masked_as_a_whole() -> None:
    body = "MIIEow" * 20
    text = f"a\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\nb"
    assert body[:12] not in redact(text)
    assert redact(text).startswith("a\n[secret private_key hmac:")


@pytest.mark.parametrize(
    "text",
    [
        "export TOKEN=$GITHUB_TOKEN",
        "password: <REDACTED>",
        "password=${DB_PASSWORD}",
        "password: ********",
        "TOKEN=your-token-here",
        "api key: sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        "api_key=os.environ['API_KEY']",
        "password=get_password()",
        "password = settings.DB_PASSWORD",
        "def f(token: str, password: str = None)",
        "password: ResetPasswordFormSchema",
        "password=credentials.password",
        'password = self.cleaned_data[\\"new\\"]',
        "create_user(password='test123')",
        'the password form\\n<<<CONTENT id=\\"22b7e41422a51070\\">>>',
        "the password is required",
        "password is wrong",
        "password reset mail sent to k20@mail.example.test",
        "password for staging-2 expired on 2026-04-01",
        "PASSWORD_MIN_LENGTH=12345",
        "--- PASS: TestArchive_ChunkedTranscript (0.00s)",
        "tests pass: 104",
        "max_tokens=4096",
        "token count 123456",
        "used 128000 tokens",
        "next_page_token: CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA",
        "accessTokenExpiry: 1767225600",
        "token-free, manifest eyJhbGciOiJub25lIn0.eyJzdWIiOiJub25lIn0.",
        "commit 9f2e4d1b8c7a6e5d4c3b2a190817263544536271",
        "idempotency key 5f1c2d3e-aaaa-bbbb-cccc-1234567890ab",
        "idempotency_key: notice:n4:20260503",
        "sort key created_at_2024x",
        "public key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx0",
        "secretName: tls-cert-2024",
        "the secret is in /run/secrets/db_password",
        "vault:secret/data/app#password",
        "src/auth/token_store.py:88",
        "the token of pod checkout-web-7d9f8b6c5d-x2k4p",
        "booking code RR-50166",
        "confirmation code AX-2208",
        "error code 5003, exit code 1234",
        "postal code 70173",
        "pin numpy 1.26.4",
        "pin 13 of the board",
        "http://user:password@host",
        "http://host:8080/a@b",
        "git clone git@git.example.test:org/repo.git",
        "",
    ],
)
def test_what_only_looks_like_a_secret_stays_readable(text: str) -> None:
    assert find_secrets(text) == ()
    assert redact(text) == text


@pytest.mark.parametrize(
    "text, value",
    [
        ("guest code for the cabin 771204, valid till monday", "771204"),
        ("gate code 5591, for visitors", "5591"),
        ("the one-time code they texted me is 558 213", "558 213"),
        ("safe combination 12-44-90", "12-44-90"),
        ("PIN for the card ending 3301 is 9914", "9914"),
        ("Gästecode für das Ferienhaus 204917, gilt bis Sonntag", "204917"),
        ("Code für den Tresor im Büro: 90-14-77", "90-14-77"),
        ("le code du portail est 5512A", "5512A"),
        ("código de huéspedes 663018 para el apartamento", "663018"),
        ("il codice del cancello è 58213", "58213"),
        ("código do portão 88213", "88213"),
        ("gastencode voor het huisje 338104", "338104"),
        ("kod do bramy to 771204", "771204"),
        ("kód od branky je 55120", "55120"),
        ("nový kód na bránu je 7719B4", "7719B4"),
        ("el código de la verja es 7719B4", "7719B4"),
        ("bahçe kapısının kodu 7719B4", "7719B4"),
        ("koden till grinden är 7719", "7719"),
        ("倉庫の鍵箱の番号、7Q-4093-kz に変わったよ", "7Q-4093-kz"),
        ("钥匙盒的密码是4093", "4093"),
        ("код от домофона 33K7712", "33K7712"),
        ("kapı şifresi 447120", "447120"),
        ("dörrkoden är 5512", "5512"),
        ("ovikoodi on 7719", "7719"),
        ("kapukód: 4471", "4471"),
        ("codul de la poartă este 55120", "55120"),
        ("ο κωδικός της πόρτας είναι 4471", "4471"),
        ("门禁码是 771204，今天有效", "771204"),
        ("玄関の暗証番号は 8841 です", "8841"),
        ("현관 비밀번호는 448120이에요", "448120"),
        ("رمز الباب 558123 صالح حتى الأحد", "558123"),
        ("दरवाज़े का कोड 448210 है", "448210"),
        ("mã cửa là 447120", "447120"),
        ("รหัสประตู 447120", "447120"),
    ],
)
def test_a_code_is_secret_where_it_opens_something(text: str, value: str) -> None:
    assert [text[found.start : found.end] for found in find_secrets(text)] == [value]


def test_all_codes_of_a_list_are_secret() -> None:
    text = "recovery codes: 7QK2-99XM, 8PL1-22ZZ, 4471-9920"
    assert redact(text).count("[secret access_code") == 3


@pytest.mark.parametrize(
    "text",
    [
        "discount code SUMMER24 for guests",
        "product code for the door 448120",
        "order 55120 for the house",
        "the door codes will be changed on 2026-05-01",
        "access codes: 120 issued",
        "PIN code letter was sent to 4471 people",
        "keypad broken in house 1204",
        "code for the gate module is in src/gate.rs",
        "alarm 55120 acknowledged",
        "Fehlercode 5512 an der Tür",
        "le code de la route 2024",
        "código de barras 7501031",
        "kod pocztowy 30-059",
        "код товара 558812",
        "错误码 4471，门打不开",
        "注文番号は 558213 です",
        "우편번호 448120",
    ],
)
def test_a_code_that_names_something_stays_readable(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    "text, value",
    [
        ("結済用のAPIキーは sk-test-4Kd92mQx です", "sk-test-4Kd92mQx"),
        ("署名用の鍵は Zk83-qp7Lm2-W9 です。控えておいて", "Zk83-qp7Lm2-W9"),
        ("本番の秘密鍵：tk4Q9zL2mX8", "tk4Q9zL2mX8"),
        ("API 키는 zk-live-4mQ82LxP 입니다", "zk-live-4mQ82LxP"),
        ("ключ доступа: 8hQ2mZ4xT7vB", "8hQ2mZ4xT7vB"),
        ("stripe key sk_live_9aQ2Lm", "sk_live_9aQ2Lm"),
        ("a chave da API é zx-live-9Qm2Lp7", "zx-live-9Qm2Lp7"),
        ("WLAN-Schlüssel: Birke-77-Zaun", "Birke-77-Zaun"),
        ("la clave del wifi de la oficina es Tilo2024x", "Tilo2024x"),
        ("пароль от вайфая — Sosna2291", "Sosna2291"),
        ("كلمة المرور هي Nakhla2291!", "Nakhla2291!"),
        ("hasło do wifi Klon#7712x", "Klon#7712x"),
        ("login is anna / Regen!4471", "Regen!4471"),
        ("ftp user deploy pw k9!mmQ22", "k9!mmQ22"),
        ("user bob, password swordfish9", "swordfish9"),
    ],
)
def test_keys_and_passwords_are_told_in_many_languages(text: str, value: str) -> None:
    assert [text[found.start : found.end] for found in find_secrets(text)] == [value]


@pytest.mark.parametrize(
    "text",
    [
        "パスワードは変更しないで",
        "clave primaria 4471",
        "palabra clave 2024",
        "the login page shows 404/502",
        "password for staging-2 expired",
        "eu-prod-7f3a9c is up",
        "password issue org/repo#4471",
    ],
)
def test_words_for_keys_and_passwords_alone_hide_nothing(text: str) -> None:
    assert find_secrets(text) == ()


def test_what_a_lock_is_given_is_secret() -> None:
    call = Part(
        type=PartType.TOOL_CALL,
        name="lock.addCode",
        text='{"lock":"lake","code":"4815"}',
        arguments={"lock": "lake", "code": "4815"},
    )
    message = Message(index=0, role="assistant", origin=Origin.AGENT, parts=(call,))
    (fact,) = plugin.barrier_extract_facts(message=message, context=CONTEXT)
    assert call.text[fact.start : fact.end] == "4815"


def test_the_digest_is_keyed_and_equal_for_equal_secrets() -> None:
    expected = "hmac:" + hmac.new(b"k", b"value\0" + RANDOM.encode(), hashlib.sha256).hexdigest()[:12]
    assert secret_digest(RANDOM, key=b"k") == expected
    assert secret_digest(RANDOM) == secret_digest(RANDOM) != secret_digest(RANDOM, key=b"k")
    assert secret_digest(RANDOM) != secret_digest(RANDOM[:-1])


def test_under_the_public_key_a_guessable_secret_is_named_by_its_label() -> None:
    assert secret_digest("4711", label="pin door") == secret_digest("0042", label="pin door")
    assert secret_digest("4711", key=b"own", label="pin door") != secret_digest("0042", key=b"own", label="pin door")


def test_redacting_keeps_the_rest_byte_for_byte() -> None:
    text = "a password=hT9!vale-44-orchid b\npin 4711\tc"
    digest = secret_digest("hT9!vale-44-orchid")
    assert redact(text).startswith(f"a password=[secret password {digest}] b\npin [secret pin hmac:")
    assert redact(text).endswith("]\tc")


def test_places_are_right_where_lower_case_is_longer_than_the_letter() -> None:
    text = "İİİ password: hT9!vale-44"
    (found,) = find_secrets(text)
    assert text[found.start : found.end] == "hT9!vale-44"


@given(st.text(alphabet=st.sampled_from("password: token=keypin4711 aB9-_/.\n\"'İ"), max_size=200))
def test_findings_never_overlap_and_lie_in_the_text(text: str) -> None:
    found = find_secrets(text)
    assert all(0 <= secret.start < secret.end <= len(text) for secret in found)
    assert all(before.end <= after.start for before, after in pairwise(found))


@pytest.mark.parametrize(
    "unit",
    [
        "password ",
        "password is ",
        "token: ",
        "api key ",
        "pin 1",
        "eyJaaaaaaaa.",
        "://a:",
        "-----BEGIN PRIVATE KEY-----",
        "token=",
        "password:",
        "パスワードは",
        "пароль:",
    ],
)
def test_hostile_repetition_is_searched_to_the_end(unit: str) -> None:
    assert len(find_secrets(unit * 5_000)) <= 5_000


def test_a_fact_has_the_place_and_the_digest_and_never_the_value() -> None:
    text = "password=hT9!vale-44-orchid"
    message = Message(index=5, role="tool", origin=Origin.TOOL, parts=(Part(type=PartType.TOOL_RESULT, text=text),))
    (fact,) = plugin.barrier_extract_facts(message, CONTEXT)
    assert (fact.message, fact.part, fact.start, fact.end, fact.text) == (5, 0, 9, 27, "")
    assert fact.attributes == {"type": "password", "name": "password", "digest": secret_digest("hT9!vale-44-orchid")}
    assert all(type(value) is str for value in fact.attributes.values())
    assert "vale" not in repr(fact)
    (kind,) = plugin.barrier_fact_kinds()
    assert {attribute.name for attribute in kind.attributes} == set(fact.attributes)


@pytest.mark.parametrize(
    "code, elsewhere, masked",
    [
        ("7719", "told her 7719, she wrote it down", True),
        ("7719", "order 47719, 7719.50 EUR, item/7719", False),
        ("2027", "in March 2027", False),
        ("558213", "x558213y", True),
    ],
)
def test_a_short_secret_is_masked_elsewhere_as_a_word_of_its_own(code: str, elsewhere: str, masked: bool) -> None:
    messages = [
        Message(index=index, role="user", origin=Origin.USER, parts=(Part(type=PartType.TEXT, text=text),))
        for index, text in enumerate((f"door code {code}", elsewhere))
    ]
    facts = [list(plugin.barrier_extract_facts(message=message, context=CONTEXT)) for message in messages]
    assert (code not in Masker(messages, facts).text(elsewhere, 1)) is masked


@pytest.mark.parametrize(
    "text, value",
    [
        ("log into the chiller panel, pin is 8814-QT-hall", "8814-QT-hall"),
        ("pin: 77-AB-12", "77-AB-12"),
        ("와이파이 비번 sora#4410aula 로 연결해줘", "sora#4410aula"),
        ("wifi psk sora#4410aula", "sora#4410aula"),
    ],
)
def test_a_pin_with_letters_and_short_words_for_a_password_are_known(text: str, value: str) -> None:
    assert [text[found.start : found.end] for found in find_secrets(text)] == [value]


@pytest.mark.parametrize(
    "text", ["connect the led to pin GPIO17", "we pin to release-2024-11", "pin numpy 1.26.4", "the pin is on part A-1002-B"]
)
def test_other_pins_are_none(text: str) -> None:
    assert list(find_secrets(text)) == []


@pytest.mark.parametrize(
    "tool, arguments, secret",
    [
        ("panel_login", {"panel": "comp-2", "pin": "8814-QT"}, "8814-QT"),
        ("wifi_join", {"ssid": "stage", "psk": "sora4410"}, "sora4410"),
        ("vpnConnect", {"host": "gw-1", "otp": "551209"}, "551209"),
        ("set_pin", {"pin": "8814-QT"}, "8814-QT"),
        ("gpio_write", {"pin": "GPIO17", "value": 1}, ""),
    ],
)
def test_what_lets_a_tool_in_somewhere_is_a_secret(tool: str, arguments: dict[str, object], secret: str) -> None:
    part = Part(type=PartType.TOOL_CALL, text=json.dumps(arguments), name=tool, arguments=arguments)
    message = Message(index=0, role="assistant", origin=Origin.AGENT, parts=(part,))
    found = [part.text[fact.start : fact.end] for fact in plugin.barrier_extract_facts(message=message, context=CONTEXT)]
    assert (secret in found) if secret else not found
