"""Secrets on command lines, and what only looks like one there."""

from __future__ import annotations

import pytest

from barrier_policy.facts.secrets import find_secrets


def found(text: str) -> list[str]:
    return [text[secret.start : secret.end] for secret in find_secrets(text)]


@pytest.mark.parametrize(
    "command, value",
    [
        ("htpasswd -nb anna Erdbeere5", "Erdbeere5"),
        ("htpasswd -b -c /etc/nginx/.htpasswd anna Erdbeere5", "Erdbeere5"),
        ("htpasswd -bc .htpasswd anna Erdbeere5", "Erdbeere5"),
        ("kubectl create secret generic x --from-literal=tok=Apfel8kuchen", "Apfel8kuchen"),
        ("docker login -u ci -p Quitte-7 reg.test", "Quitte-7"),
        ("openssl enc -aes-256-cbc -k Birne66 -in a", "Birne66"),
        ("openssl rsa -in k.pem -passin pass:Birne66", "Birne66"),
        ("ssh-keygen -t ed25519 -N Apfel88 -f k", "Apfel88"),
        ("gh secret set TOKEN --body Apfel8kuchen", "Apfel8kuchen"),
        ("aws ssm put-parameter --name /x --type SecureString --value Apfel8kuchen", "Apfel8kuchen"),
        ("aws secretsmanager create-secret --name x --secret-string Apfel8kuchen", "Apfel8kuchen"),
        ("ldapsearch -x -D cn=admin -w Apfel8 -b dc=x", "Apfel8"),
        ("wpa_passphrase Huette bergsee2019", "bergsee2019"),
        ("snmp-server community Apfel8 RW", "Apfel8"),
        ("rocommunity Apfelbaum", "Apfelbaum"),
        ("printer-2 ok community=zaun_41w", "zaun_41w"),
        ("snmp: version 2c, community: Apfelbaum", "Apfelbaum"),
        ("the community string is Apfelbaum", "Apfelbaum"),
        ("snmpwalk -v2c -c Apfel8 10.0.0.2 sysDescr", "Apfel8"),
        ("keytool -importkeystore -srcstorepass Apfel8x -deststorepass Apfel8x", "Apfel8x"),
        ("vault kv put secret/shop stripe=Apfel8 pepper=saltyfish", "saltyfish"),
        ("echo Apfel8 | docker login -u ci --password-stdin reg.test", "Apfel8"),
        ("echo 'ghx12345' | gh auth login --with-token", "ghx12345"),
        ("net user anna Apfel8kuchen /add", "Apfel8kuchen"),
        ("sqlcmd -S db -U sa -P Apfel8! -Q x", "Apfel8!"),
        ("lftp -u anna,Apfel8 ftp.x", "Apfel8"),
    ],
)
def test_what_a_program_takes_as_a_password_is_a_secret(command: str, value: str) -> None:
    assert value in found(command)


@pytest.mark.parametrize(
    "command",
    [
        "docker login -u ci --password-stdin",
        "docker login -u ci -p $PASS reg.test",
        "htpasswd -nb anna $PW",
        'openssl enc -d -k "$KEY" -in a',
        "docker run -p 8080:80 nginx",
        "ssh-keygen -N '' -f k",
        'ssh-keygen -N "" -f k -C anna@acme.test',
        "kubectl create configmap x --from-literal=mode=$MODE",
        "openssl req -new -key server.key -out a.csr",
        "openssl x509 -in a.pem -noout -dates",
        "vault kv get secret/shop",
        "vault write auth/approle/role/x token_ttl=1h",
        "vault status\nKey  Value\n---  -----\nSealed  false",
        "ldapsearch -x -b dc=x",
        "login: docker compose -p shop up",
        "psql -p 5432 -h db",
        "az login --service-principal -u x",
        "gh secret list",
        "aws ssm put-parameter --name /x --type String --value blue",
        "npm login && docker build -p x",
        "ssh-keygen -t ed25519 -N '' -f k",
        "snmpget -v2c -c public 10.0.0.2",
        "set community 65000:100 additive",
        "What is a community string for?",
        "Community: Discord and forum",
    ],
)
def test_other_options_and_references_are_none(command: str) -> None:
    assert found(command) == []


def test_each_value_that_goes_into_a_vault_or_comes_out_of_it_is_one() -> None:
    assert found("vault kv put secret/shop stripe=Apfel8 pepper=saltyfish") == ["Apfel8", "saltyfish"]
    head = "====== Data ======\nKey          Value\n---          -----\n"
    assert found(head + "user         shop\nsigning      9f8a7b6c5d\npepper       saltyfish\n") == [
        "9f8a7b6c5d",
        "saltyfish",
    ]
