from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import msgspec
import pytest

from barrier_policy.errors import BarrierPolicyError, BundleError
from barrier_policy.policy import bundle as bundles
from barrier_policy.policy.bundle import Bundle, make_bundle, parse_bundle, write_bundle
from barrier_policy.policy.model import Layer, PolicyFile
from barrier_policy.policy.stack import open_layers

DIGEST = "sha256:" + "0" * 64


def layer(name: str, **files: str) -> Layer:
    found = (PolicyFile(place=f"{name}/{file}.yaml", data=text.encode()) for file, text in files.items())
    return Layer(name=name, files=tuple(found))


def bundle(*layers: Layer) -> Bundle:
    return make_bundle(layers or (layer("team", a="one", b="two"),), policies=DIGEST, shipped=DIGEST)


def rewritten(data: bytes, **how: object) -> bytes:
    """The same members, written in another way; a member given as None is left out."""
    members = how.pop("members", {})
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", **how) as new:  # type: ignore[arg-type]
        contents = {entry.filename: old.read(entry) for entry in old.infolist()} | members  # type: ignore[operator]
        for name, content in contents.items():
            if content is not None:
                new.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, how.get("compression"))  # type: ignore[arg-type]
    return buffer.getvalue()


def test_a_bundle_reads_back_as_what_was_bundled() -> None:
    made = bundle(layer("team", b="two", a="one"), layer("trial", a="three"))
    found = parse_bundle(write_bundle(made))
    assert found.manifest == made.manifest
    assert [(layer.name, [file.data for file in layer.files]) for layer in found.layers] == [
        ("team", [b"one", b"two"]),
        ("trial", [b"three"]),
    ]


def test_the_same_policies_give_the_same_bytes_and_others_another_digest() -> None:
    first, second = bundle(layer("team", a="one", b="two")), bundle(layer("team", b="two", a="one"))
    assert write_bundle(first) == write_bundle(second)
    for other in (layer("team", a="one"), layer("team", a="one", b="2"), layer("Team", a="one", b="two")):
        assert bundle(other).manifest.digest != first.manifest.digest


def test_no_changed_byte_goes_unnoticed() -> None:
    data = write_bundle(bundle())
    chance = random.Random(7)
    for _ in range(300):
        place = chance.randrange(len(data))
        changed = data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]
        with pytest.raises(BundleError) as caught:
            parse_bundle(changed)
        assert "not a bundle" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: b"", "not a bundle"),
        (lambda data: b"apiVersion: x", "not a bundle"),
        (lambda data: data[:-30], "the bundle is damaged"),
        (lambda data: data[:50], "the bundle is damaged"),
        (lambda data: data.replace(b'"layers"', b'"layerz"'), "the bundle is damaged"),
        (lambda data: b"PK\x03\x04 some other archive", "not a bundle"),
        (lambda data: b"X" + data[1:], "the bundle is damaged"),
        (lambda data: b"prefix" + data, "not as it was built"),
        (lambda data: data + b"suffix", "not"),
        (lambda data: rewritten(data, compression=zipfile.ZIP_DEFLATED), "compressed or encrypted members"),
        (lambda data: rewritten(data, members={"../../etc/passwd": b"x"}), "not as it was built"),
        (lambda data: rewritten(data, members={"policies/00-team/c.yaml": b"x"}), "not as it was built"),
        (lambda data: rewritten(data, members={"policies/00-team/a.yaml": None}), "`team/a.yaml` is missing"),
        (
            lambda data: rewritten(data, members={"policies/00-team/a.yaml": b"x"}),
            "`team/a.yaml` is not what the manifest says",
        ),
        (lambda data: rewritten(data, members={"manifest.json": None}), "not a bundle \\(it has no `manifest.json`"),
        (lambda data: rewritten(data, members={"manifest.json": b"[" * 100_000}), "`manifest.json` can't be read"),
        (lambda data: rewritten(data, members={"signatures.json": b"[]"}), "not as it was built"),
    ],
)
def test_what_is_not_exactly_a_bundle_is_refused(change: object, message: str) -> None:
    with pytest.raises(BundleError, match=message):
        parse_bundle(change(write_bundle(bundle())))  # type: ignore[operator]


def test_a_manifest_that_leads_out_of_a_folder_is_refused() -> None:
    for name in ("..", "../x.yaml", "/etc/x.yaml", "a/b.yaml", ".hidden", "a\\b", "a\nb"):
        with pytest.raises(BundleError, match="is no name for a bundle"):
            made = bundle()
            manifest = msgspec.structs.replace(
                made.manifest, layers=(msgspec.structs.replace(made.manifest.layers[0], name=name),), digest=""
            )
            manifest = msgspec.structs.replace(manifest, digest=bundles._digest(manifest))
            parse_bundle(rewritten(write_bundle(made), members={"manifest.json": msgspec.json.encode(manifest)}))


def test_a_manifest_whose_digest_is_not_its_own_is_refused() -> None:
    made = bundle()
    for change in ({"policies": "sha256:" + "1" * 64}, {"name": "another"}, {"digest": DIGEST}):
        forged = msgspec.structs.replace(made, manifest=msgspec.structs.replace(made.manifest, **change))
        with pytest.raises(BundleError, match="the manifest was changed"):
            parse_bundle(write_bundle(forged))


def test_a_small_file_of_many_or_large_members_is_refused_unread() -> None:
    deflated = io.BytesIO()
    with zipfile.ZipFile(deflated, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b"0" * 50_000_000)
    with pytest.raises(BundleError, match="compressed"):
        parse_bundle(deflated.getvalue())
    with pytest.raises(BundleError, match=r"has 1,003 members \(at most 1,000\)"):
        parse_bundle(rewritten(write_bundle(bundle()), members={f"x{number}": b"" for number in range(1_000)}))
    with pytest.raises(BundleError, match="too large"):
        parse_bundle(b"P" * (bundles.MAX_BYTES + 1))


def test_a_link_in_an_archive_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for entry, content in [(e, b) for e, b in _entries(write_bundle(bundle()))]:
            entry.external_attr = 0o120777 << 16
            archive.writestr(entry, content)
    with pytest.raises(BundleError, match="not as it was built"):
        parse_bundle(buffer.getvalue())


def _entries(data: bytes) -> list[tuple[zipfile.ZipInfo, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(entry, archive.read(entry)) for entry in archive.infolist()]


def test_a_folder_without_policies_makes_no_bundle() -> None:
    with pytest.raises(BundleError, match="`team` has no policy files"):
        bundle(layer("team"))


class TestSignatures:
    @pytest.fixture(autouse=True)
    def needs_the_extra(self) -> None:
        pytest.importorskip("cryptography")

    @pytest.fixture
    def keys(self, tmp_path: Path) -> dict[str, Path]:
        from barrier_policy.policy.signature import make_key

        found = {}
        for name in ("ours", "theirs"):
            folder = tmp_path / name
            folder.mkdir()
            pair = make_key()
            (folder / "k.pub").write_bytes(pair.public)
            (folder / "k.key").write_bytes(pair.private)
            found[name] = folder
        return found

    def signed(self, keys: dict[str, Path], *names: str) -> Bundle:
        from barrier_policy.policy.signature import sign_bundle

        made = bundle()
        for name in names:
            made = sign_bundle(made, (keys[name] / "k.key").read_bytes())
        return made

    def test_a_bundle_is_verified_by_any_of_the_allowed_keys(self, keys: dict[str, Path]) -> None:
        from barrier_policy.policy.signature import load_keys, verify_bundle

        found = parse_bundle(write_bundle(self.signed(keys, "ours")))
        both = load_keys(keys.values())
        assert len(both) == 2
        assert verify_bundle(found, both).place == str(keys["ours"] / "k.pub")

    def test_signatures_of_several_keys_stand_side_by_side_in_one_order(self, keys: dict[str, Path]) -> None:
        first, second = self.signed(keys, "ours", "theirs"), self.signed(keys, "theirs", "ours", "theirs")
        assert write_bundle(first) == write_bundle(second)
        assert len(first.signatures) == 2

    @pytest.mark.parametrize(
        ("names", "message"), [((), "it is not signed"), (("theirs",), "no allowed key signed the bundle")]
    )
    def test_a_bundle_that_no_allowed_key_signed_is_refused(
        self, keys: dict[str, Path], names: tuple[str, ...], message: str
    ) -> None:
        from barrier_policy.policy.signature import load_keys, verify_bundle

        with pytest.raises(BundleError, match=message):
            verify_bundle(self.signed(keys, *names), load_keys([keys["ours"]]))

    def test_a_signature_of_other_content_is_refused(self, keys: dict[str, Path]) -> None:
        from barrier_policy.policy.signature import load_keys, verify_bundle

        moved = msgspec.structs.replace(bundle(layer("team", a="other")), signatures=self.signed(keys, "ours").signatures)
        for signature in ("", "AAAA", "not base64!", moved.signatures[0].signature):
            forged = msgspec.structs.replace(
                moved, signatures=(msgspec.structs.replace(moved.signatures[0], signature=signature),)
            )
            with pytest.raises(BundleError, match="the bundle was changed after it was signed") as caught:
                verify_bundle(forged, load_keys([keys["ours"]]))
            assert f"is not one of {moved.manifest.digest[:19]}…" in str(caught.value)

    def test_no_key_is_in_a_message(self, keys: dict[str, Path], tmp_path: Path) -> None:
        from barrier_policy.policy.signature import load_keys, sign_bundle

        private = (keys["ours"] / "k.key").read_bytes()
        secret = private.splitlines()[1].decode()
        for broken in (private[:60], private.replace(b"BEGIN PRIVATE", b"BEGIN PUBLIC"), secret.encode()):
            with pytest.raises(BundleError) as caught:
                sign_bundle(bundle(), broken)
            assert secret[:12] not in str(caught.value)
        with pytest.raises(BundleError, match=r"k\.key: no public Ed25519 key") as caught:
            load_keys([keys["ours"] / "k.key"])
        assert secret[:12] not in str(caught.value)

    def test_layers_are_opened_only_from_what_the_profile_trusts(self, keys: dict[str, Path], tmp_path: Path) -> None:
        signed, unsigned = tmp_path / "signed.bundle", tmp_path / "unsigned.bundle"
        signed.write_bytes(write_bundle(self.signed(keys, "ours")))
        unsigned.write_bytes(write_bundle(bundle()))
        assert [layer.name for layer in open_layers([signed], keys=[keys["ours"]], required=True)] == ["team"]  # type: ignore[union-attr]
        assert len(open_layers([unsigned, tmp_path])) == 2
        for paths, how in (
            ([unsigned], {"keys": [keys["ours"]]}),
            ([signed], {"keys": [keys["theirs"]]}),
            ([tmp_path], {"keys": [keys["ours"]], "required": True}),
            ([signed], {"required": True}),
        ):
            with pytest.raises(BundleError):
                open_layers(paths, **how)  # type: ignore[arg-type]
        with pytest.raises(BarrierPolicyError, match=r"none\.bundle: can't be read \(no such file or directory\)") as caught:
            open_layers([tmp_path / "none.bundle"])
        assert caught.value.exit_code == 2


def test_without_the_extra_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from barrier_policy.errors import MissingExtraError
    from barrier_policy.policy.signature import make_key

    monkeypatch.setitem(__import__("sys").modules, "cryptography", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'barrier-policy\[sign\]'"):
        make_key()
