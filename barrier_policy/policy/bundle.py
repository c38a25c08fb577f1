"""A bundle: folders of policies in one file, with a digest over their content and signatures (design section 6).

A zip archive in which everything is fixed: members stored uncompressed, sorted, without times. So the same policies give the same bytes,
and a file that is not exactly what `write_bundle` makes of its content is refused: nothing can hide in it, be unpacked to more than
its size, or lead out of a folder. It is never unpacked to disk.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from barrier_policy.digest import digest_bytes, digest_value, stable_json
from barrier_policy.errors import BarrierPolicyError, BundleError, reason_of
from barrier_policy.policy.model import Layer, PolicyFile

SCHEMA = "barrier_policy/bundle/v1"
SUFFIX = ".bundle"
MANIFEST = "manifest.json"
SIGNATURES = "signatures.json"
MAX_BYTES = 16_000_000
MAX_FILES = 1_000
MAX_LAYERS = 20
MAX_SIGNATURES = 20
_TIME = (1980, 1, 1, 0, 0, 0)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@-]{0,99}")


class BundledFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A policy file: its name, and the digest of its bytes."""

    name: str
    digest: str


class BundledLayer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A folder: its name and its files, sorted by name."""

    name: str
    files: tuple[BundledFile, ...]


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a bundle holds. `digest` covers all the rest, and is what is signed.

    `policies` is the digest of the policies that the layers made on top of the shipped ones, `shipped` that of the shipped ones, when the
    bundle was built.
    """

    schema: str = SCHEMA
    name: str
    layers: tuple[BundledLayer, ...]
    policies: str
    shipped: str
    digest: str = ""


class Signature(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An Ed25519 signature in base64, with the id of its key: the digest of the raw public key."""

    key: str
    signature: str


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle as it was read; its content fits its manifest."""

    manifest: Manifest
    layers: tuple[Layer, ...]
    signatures: tuple[Signature, ...] = ()


def make_bundle(layers: Sequence[Layer], *, policies: str, shipped: str) -> Bundle:
    """A bundle of layers, unsigned. Raises BundleError for names that no bundle can have, and where there is nothing to bundle."""
    bundled = tuple(
        BundledLayer(name=layer.name, files=tuple(BundledFile(name=n, digest=digest_bytes(d)) for n, d in _files(layer)))
        for layer in layers
    )
    name = "+".join(layer.name for layer in layers)
    manifest = Manifest(name=name, layers=bundled, policies=policies, shipped=shipped)
    _check_names(manifest)
    return Bundle(manifest=msgspec.structs.replace(manifest, digest=_digest(manifest)), layers=tuple(layers))


def write_bundle(bundle: Bundle) -> bytes:
    """The bytes of a bundle, the same for the same content and signatures. Raises BundleError where there are too many."""
    members = {MANIFEST: stable_json(bundle.manifest)}
    if bundle.signatures:
        members[SIGNATURES] = stable_json(sorted(bundle.signatures, key=lambda signature: signature.key))
    for number, layer in enumerate(bundle.layers):
        members |= {_member(number, layer.name, name): data for name, data in _files(layer)}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(members):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            archive.writestr(entry, members[name])
    data = buffer.getvalue()
    if len(data) > MAX_BYTES:
        raise BundleError(f"the bundle has {len(data):,} bytes (at most {MAX_BYTES:,})")
    return data


def read_bundle(path: Path) -> Bundle:
    """A bundle from a file. Raises BarrierPolicyError where it can't be read, and BundleError where it is not exactly as it was built."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BarrierPolicyError(f"{path}: can't be read ({reason_of(error)})") from None
    try:
        return parse_bundle(data, str(path))
    except BundleError as error:
        raise BundleError(f"{path}: {error}") from None


def parse_bundle(data: bytes, place: str = "bundle") -> Bundle:
    """A bundle from its bytes; `place` is what errors in its policies call it. Raises BundleError."""
    if len(data) > MAX_BYTES:
        raise BundleError(f"the bundle is too large (at most {MAX_BYTES:,} bytes)")
    members = _members(data)
    manifest: Manifest = _decode(members, MANIFEST, Manifest)
    if manifest.schema != SCHEMA:
        raise BundleError(f"the bundle has schema `{manifest.schema[:60]}` (this version reads `{SCHEMA}`)")
    _check_names(manifest)
    if _digest(manifest) != manifest.digest:
        raise BundleError("the manifest was changed (it does not have the digest that it names)")
    signatures = _decode(members, SIGNATURES, tuple[Signature, ...]) if SIGNATURES in members else ()
    layers = tuple(_layer(number, layer, members, place) for number, layer in enumerate(manifest.layers))
    bundle = Bundle(manifest=manifest, layers=layers, signatures=signatures)
    if len(signatures) > MAX_SIGNATURES or write_bundle(bundle) != data:
        raise BundleError("the file is not as it was built (build and sign it again)")
    return bundle


def is_bundle(path: Path) -> bool:
    """Whether a path names a bundle, and not a folder or file of policies."""
    return path.suffix == SUFFIX and not path.is_dir()


def _layer(number: int, layer: BundledLayer, members: dict[str, bytes], place: str) -> Layer:
    files = []
    for file in layer.files:
        data = members.get(_member(number, layer.name, file.name))
        if data is None or digest_bytes(data) != file.digest:
            raise BundleError(f"`{layer.name}/{file.name}` is {'missing' if data is None else 'not what the manifest says'}")
        files.append(PolicyFile(place=f"{place}/{layer.name}/{file.name}", data=data))
    return Layer(name=layer.name, files=tuple(files))


def _members(data: bytes) -> dict[str, bytes]:
    """All members by name. Only stored ones are taken, so that together they are no larger than the file."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_FILES:
                raise BundleError(f"the bundle has {len(entries):,} members (at most {MAX_FILES:,})")
            if any(entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1 for entry in entries):
                raise BundleError("the bundle has compressed or encrypted members (build it with `policy bundle build`)")
            if sum(entry.file_size for entry in entries) > len(data):
                raise BundleError("the members of the bundle are larger than it is")
            return {entry.filename: archive.read(entry) for entry in entries}
    except (zipfile.BadZipFile, NotImplementedError, EOFError, ValueError, OverflowError, OSError, RuntimeError):
        if _looks_like_one(data):
            raise BundleError(
                "the bundle is damaged: bytes were changed or cut off (get it again from where it was built)"
            ) from None
        raise BundleError("not a bundle (build one with `policy bundle build`)") from None


def _looks_like_one(data: bytes) -> bool:
    """Whether most of the marks of a bundle are there, though it can't be read."""
    marks = (data.startswith(b"PK\x03\x04"), MANIFEST.encode() in data, SCHEMA.encode() in data)
    return sum(marks) >= 2


def _decode(members: dict[str, bytes], name: str, kind: Any) -> Any:
    try:
        return msgspec.json.decode(members[name], type=kind)
    except KeyError:
        raise BundleError(f"not a bundle (it has no `{name}`)") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BundleError(f"`{name}` can't be read") from None


def _check_names(manifest: Manifest) -> None:
    if not 1 <= len(manifest.layers) <= MAX_LAYERS:
        raise BundleError(f"the bundle has {len(manifest.layers)} folders (1 to {MAX_LAYERS})")
    for layer in manifest.layers:
        if not layer.files:
            raise BundleError(f"`{layer.name}` has no policy files (give a folder with `*.yaml`)")
        for name in (layer.name, *(file.name for file in layer.files)):
            if not _NAME.fullmatch(name):
                raise BundleError(f"`{name}` is no name for a bundle (letters, digits, `_`, `.`, `@` and `-`)")


def _files(layer: Layer) -> list[tuple[str, bytes]]:
    return sorted((file.place.rpartition("/")[2], file.data) for file in layer.files)


def _member(number: int, layer: str, name: str) -> str:
    return f"policies/{number:02d}-{layer}/{name}"


def _digest(manifest: Manifest) -> str:
    return digest_value(msgspec.structs.replace(manifest, digest=""))


def signed_bytes(digest: str) -> bytes:
    """What a signature of a bundle signs: its digest, with words before it so that it is a signature of nothing else."""
    return f"{SCHEMA}\n{digest}\n".encode()


def merge_signatures(first: Iterable[Signature], second: Iterable[Signature]) -> tuple[Signature, ...]:
    """Signatures of both, one a key; the second wins."""
    found = {signature.key: signature for signature in (*first, *second)}
    return tuple(found[key] for key in sorted(found))
