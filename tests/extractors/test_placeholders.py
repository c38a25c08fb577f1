"""Only a value that is a placeholder as a whole is one: a secret may hold such a word."""

from __future__ import annotations

import pytest

from barrier_policy.facts.secrets import redact


@pytest.mark.parametrize(
    "text, value",
    [
        ("DB_PASSWORD=changeme77Kx", "changeme77Kx"),
        ("DB_PASSWORD=ExampleCorp!77", "ExampleCorp!77"),
        ("my password is MyExamplePass77", "MyExamplePass77"),
        ("password: Sample!Day9", "Sample!Day9"),
        ("password: hidden7Lake", "hidden7Lake"),
        ("DB_PASSWORD=dummyTruck88", "dummyTruck88"),
        ("the password is $ecr3t!77", "$ecr3t!77"),
        ("DB_PASSWORD=my-Tr0ub4dor!3", "my-Tr0ub4dor!3"),
        ("API_KEY=example-9fK2mQ8xL0pZ4tR7", "example-9fK2mQ8xL0pZ4tR7"),
        ("AWS_SECRET_ACCESS_KEY=qJ7rXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "qJ7rXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ],
)
def test_a_secret_that_holds_a_word_for_placeholders_is_masked(text: str, value: str) -> None:
    assert redact(text).startswith(text[: text.index(value)] + "[secret ")
    assert value not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=changeme",
        "DB_PASSWORD=changeme123",
        "DB_PASSWORD=change-me",
        "password: CHANGE_ME!",
        "password: example",
        "password: your-password-here",
        "password: your-strong-password",
        "password: this-is-an-example-password",
        "password: dummy-password-1",
        "password=<token>",
        "password: %DB_PASSWORD%",
        "password: ***REMOVED***",
        "password: [REDACTED]",
        "TOKEN=example-token-here",
        "API_KEY=your_api_key_123",
        "SECRET_KEY=replace-me-with-a-real-secret",
        "login: bob / bob7@mail.example.com",
    ],
)
def test_a_value_that_is_a_placeholder_stays_readable(text: str) -> None:
    assert redact(text) == text
