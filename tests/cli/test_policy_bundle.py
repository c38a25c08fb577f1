from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cryptography")

Run = Callable[..., Any]
TEAM = Path(__file__).parents[2] / "examples" / "policies" / "team"
DAY = "2026-09-14T08:30:00Z"


@pytest.fixture
def keys(run: Run, tmp_path: Path) -> Path:
    """A key pair `release` in the working directory, whose public half is in `keys`."""
    assert run("policy", "keygen", "release").code == 0
    (tmp_path / "keys").mkdir()
    (tmp_path / "release.pub").rename(tmp_path / "keys" / "release.pub")
    return tmp_path / "keys"


@pytest.fixture
def signed(run: Run, keys: Path, tmp_path: Path) -> Path:
    assert run("policy", "bundle", "build", TEAM, "-o", "team.bundle").code == 0
    assert run("policy", "bundle", "sign", "team.bundle", "--key", "release.key").code == 0
    return tmp_path / "team.bundle"


def test_building_twice_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    for name in ("a.bundle", "b.bundle"):
        built = run("policy", "bundle", "build", TEAM, "-o", name)
        assert built.code == 0 and "team, 3 file(s), sha256:" in built.out
    assert (tmp_path / "a.bundle").read_bytes() == (tmp_path / "b.bundle").read_bytes()


def test_policies_that_are_not_valid_are_not_bundled(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "x.yaml").write_text("kind: Policy\n")
    assert run("policy", "bundle", "build", "bad", "-o", "x.bundle").code == 3
    assert not (tmp_path / "x.bundle").exists()


def test_a_signed_bundle_is_verified_and_its_signer_named(run: Run, signed: Path) -> None:
    found = run("policy", "bundle", "verify", signed, "--keys", "keys")
    assert found.code == 0 and "signed by keys/release.pub (sha256:" in found.out


def test_the_keys_of_the_profile_verify_a_bundle_where_none_are_named(run: Run, signed: Path, tmp_path: Path) -> None:
    unnamed = run("policy", "bundle", "verify", signed)
    assert (unnamed.code, unnamed.out) == (2, "")
    assert unnamed.err == "no public keys are named (give --keys PATH, or `bundle: {keys: […]}` in the profile)\n"
    for name, more in (("barrier-policy.yaml", ()), ("other.yaml", ("--profile", "other.yaml"))):
        profile = tmp_path / name
        profile.write_text("bundle: {keys: [keys]}\n")
        found = run("policy", "bundle", "verify", signed, *more)
        assert found.code == 0 and f"signed by {tmp_path}/keys/release.pub (sha256:" in found.out
        profile.unlink()


def test_a_changed_or_unsigned_bundle_is_not_verified(run: Run, signed: Path, tmp_path: Path) -> None:
    assert run("policy", "bundle", "build", TEAM, "-o", "plain.bundle").code == 0
    found = run("policy", "bundle", "verify", "plain.bundle", "--keys", "keys")
    assert found.code == 3 and "it is not signed" in found.err
    signed.write_bytes(signed.read_bytes().replace(b"mode: shadow", b"mode: enforce"[:12]))
    found = run("policy", "bundle", "verify", signed, "--keys", "keys")
    assert found.code == 3 and found.err.startswith(f"{signed}: ")


def test_the_private_key_is_for_its_owner_only_and_never_printed(run: Run, keys: Path, tmp_path: Path) -> None:
    private = tmp_path / "release.key"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    again = run("policy", "keygen", "release")
    assert again.code == 2 and "release.key: is already there" in again.err


def test_a_key_can_come_from_the_environment(run: Run, keys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = (tmp_path / "release.key").read_text()
    monkeypatch.setenv("RELEASE_KEY", secret)
    assert run("policy", "bundle", "build", TEAM, "-o", "team.bundle").code == 0
    done = run("policy", "bundle", "sign", "team.bundle", "--key-env", "RELEASE_KEY")
    assert done.code == 0
    assert run("policy", "bundle", "verify", "team.bundle", "--keys", "keys").code == 0
    monkeypatch.setenv("RELEASE_KEY", secret[:80])
    broken = run("policy", "bundle", "sign", "team.bundle", "--key-env", "RELEASE_KEY")
    assert broken.code == 3 and secret.splitlines()[1][:10] not in done.out + broken.out + broken.err
    missing = run("policy", "bundle", "sign", "team.bundle", "--key-env", "NO_SUCH_KEY")
    assert missing.code == 2 and "no environment variable `NO_SUCH_KEY`" in missing.err


def test_a_bundle_decides_as_its_folder_does(run: Run, signed: Path, talk: str) -> None:
    arguments = ("decide", talk, "--format", "json", "--now", DAY, "--no-store", "--policies")
    folder, bundle = run(*arguments, TEAM), run(*arguments, signed)
    assert bundle.code == 0 and json.loads(folder.out) == json.loads(bundle.out)


@pytest.mark.parametrize("command", [("decide",), ("explain", "0"), ("ledger",), ("facts",), ("policy", "show")])
def test_every_command_that_loads_policies_verifies_what_the_profile_requires(
    run: Run, signed: Path, talk: str, tmp_path: Path, command: tuple[str, ...]
) -> None:
    name, *rest = command
    arguments = (name, *rest) if name == "policy" else (name, talk, *rest)
    profile = "overlays: [{}]\nbundle: {{keys: [keys], required: true}}\n"
    (tmp_path / "barrier-policy.yaml").write_text(profile.format("team.bundle"))
    assert run(*arguments, "--now", DAY).code == 0
    run("policy", "bundle", "build", TEAM, "-o", "plain.bundle", "--profile", "/dev/null")
    (tmp_path / "barrier-policy.yaml").write_text(profile.format("plain.bundle"))
    assert run(*arguments, "--now", DAY).code == 3
    (tmp_path / "folder").mkdir()
    (tmp_path / "barrier-policy.yaml").write_text(profile.format("folder"))
    found = run(*arguments, "--now", DAY)
    assert found.code == 3 and "folder: not a bundle, and the profile requires signed ones" in found.err


def test_what_the_command_line_adds_is_verified_too(run: Run, signed: Path, talk: str, tmp_path: Path) -> None:
    (tmp_path / "barrier-policy.yaml").write_text("bundle: {keys: [keys], required: true}\n")
    assert run("decide", talk, "--policies", signed, "--now", DAY).code == 0
    assert run("decide", talk, "--policies", TEAM, "--now", DAY).code == 3
    assert run("policy", "diff", "shipped", TEAM, "--transcripts", talk).code == 3
    assert run("policy", "diff", "shipped", signed, "--transcripts", talk).code == 0


def test_a_profile_that_requires_what_nobody_could_sign_is_refused(run: Run, talk: str, tmp_path: Path) -> None:
    (tmp_path / "barrier-policy.yaml").write_text("bundle: {required: true}\n")
    found = run("decide", talk)
    assert found.code == 2 and "1:9: signed bundles are required, and no keys are allowed" in found.err


def test_docs_of_a_bundle_need_its_signature_where_the_profile_names_keys(run: Run, signed: Path, tmp_path: Path) -> None:
    (tmp_path / "barrier-policy.yaml").write_text("bundle: {keys: [keys]}\n")
    assert run("policy", "docs", signed).code == 0
    assert run("policy", "bundle", "build", TEAM, "-o", "team.bundle").code == 0
    found = run("policy", "docs", signed)
    assert found.code == 3 and "no allowed key signed the bundle" in found.err


def test_an_error_of_keys_and_signatures_names_its_file(run: Run, signed: Path, tmp_path: Path) -> None:
    assert run("policy", "keygen", "other").code == 0
    (tmp_path / "empty").mkdir()
    for arguments, place in (
        (("verify", signed, "--keys", "other.pub"), f"{signed}: no allowed key signed the bundle"),
        (("verify", signed, "--keys", "empty"), "empty: there are no keys"),
        (("sign", signed, "--key", "other.pub"), "other.pub: no private Ed25519 key"),
    ):
        found = run("policy", "bundle", *arguments)
        assert found.code == 3 and found.err.startswith(place)
    missing = run("policy", "bundle", "verify", signed, "--keys", "nokeys")
    assert (missing.code, missing.err) == (2, "nokeys: can't be read (no such file or directory)\n")


def test_docs_of_a_folder_are_refused_where_the_profile_requires_signed_bundles(
    run: Run, signed: Path, tmp_path: Path
) -> None:
    (tmp_path / "barrier-policy.yaml").write_text("bundle: {keys: [keys], required: true}\n")
    assert run("policy", "docs", signed).code == 0 and run("policy", "docs").code == 0
    refused = [run("policy", command, TEAM) for command in ("docs", "show")]
    assert {(found.code, found.err) for found in refused} == {(3, refused[0].err)}
    assert "not a bundle, and the profile requires signed ones" in refused[0].err
