"""Secrets as files and forms hold them: webhooks, `auth` entries, hashes of passwords, cards and numbers of persons."""

from __future__ import annotations

import time

import pytest

from barrier_policy.facts.secrets import find_secrets, redact

TAIL = "aBcD-efGhIjKlMnOpQrStUvWxYz0123456789_AbCdEfGhIjKlMnOpQrStUvWxYz01"


@pytest.mark.parametrize(
    "text, value",
    [
        (f"post to https://discord.com/api/webhooks/112233445566778899/{TAIL} please", TAIL),
        (f"https://discordapp.com/api/v10/webhooks/112233445566778899/{TAIL}", TAIL),
        ("https://hooks.slack.com/services/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", "xoYzA1b2C3d4E5f6G7h8I9j0"),
        ('{"auths":{"r.test":{"auth":"YWRtaW46aHVudGVyMg=="}}}', "YWRtaW46aHVudGVyMg=="),
        ('{\\"auths\\":{\\"r.test\\":{\\"auth\\":\\"YWRtaW46aHVudGVyMg==\\"}}}', "YWRtaW46aHVudGVyMg=="),
        ('{\n  "r.test": {\n    "auth": "YWRtaW46aHVudGVyMg=="\n  }\n}', "YWRtaW46aHVudGVyMg=="),
        ("//r.test/:_auth=YWRtaW46aHVudGVyMg==\n", "YWRtaW46aHVudGVyMg=="),
        ("redis:\n  auth: R3disAuth!!\n  port: 6379", "R3disAuth!!"),
        ("4111 1111 1111 1111", "4111 1111 1111 1111"),
        ("the card 5555555555554444 please", "5555555555554444"),
        ("3782 822463 10005", "3782 822463 10005"),
        ("bob:$apr1$Zk3jP9xQ$8s9fJ2kLm3nO4pQ5rS6tU/", "$apr1$Zk3jP9xQ$8s9fJ2kLm3nO4pQ5rS6tU/"),
        (f"bob:$2y$05${'c4WoMPo3SXsafkva.HHa6u'}{'XQZWr7oboPiC2bT/r7q1BB8I2s0BRqC'}", "XQZWr7oboPiC2bT/r7q1BB8I2s0BRqC"),
        ("bob:{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE=", "VBPuJHI7uixaa6LQGWx4s+5GKNE="),
        ("my SSN is 536-22-8812", "536-22-8812"),
        ("SSN: 536228812", "536228812"),
        ("social security number 536 22 8812", "536 22 8812"),
    ],
)
def test_a_secret_in_an_entry_is_masked(text: str, value: str) -> None:
    assert value not in redact(text)
    assert len(find_secrets(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "service:\n  auth: oauth2\n  type: basic",
        '{"auth": "required", "port": 8080}',
        '{"auth": "service-account", "user": "x"}',
        "auth: v2-token",
        "auth: true",
        "auth: ${REDIS_AUTH}",
        "auth: sha256",
        "order 4111 1111 1112",
        "New bank from November! GB33 EXMP 2020 1555 5555 55, please quote HP-REB-26.",
        "FR76 3000 6000 0112 3456 7890 189",
        "build 4444444444444444",
        "the part number is 536-22-8812",
        "SSN is required",
        "echo $1 $2 $HOME",
        "see https://discord.com/channels/112233445566778899/223344556677889900",
    ],
)
def test_what_only_looks_like_one_stays_readable(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "piece", ["auth: ", '"auth":"', "ssn ", "$5$", "$argon2id$", "_auth=", " auth\t", "{SHA}", '\\\\"auth']
)
def test_the_search_is_linear(piece: str) -> None:
    find_secrets("warm")
    begin = time.process_time()
    find_secrets(piece * (200_000 // len(piece)))
    assert time.process_time() - begin < 20
