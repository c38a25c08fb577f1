"""Ed25519 signatures of bundles. The only module that imports `cryptography`, an extra.

INVARIANT: no private key, and no text of a key file, is in any message.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from barrier_policy.digest import digest_bytes
from barrier_policy.errors import BarrierPolicyError, BundleError, MissingExtraError, reason_of
from barrier_policy.policy.bundle import Bundle, Signature, merge_signatures, signed_bytes

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PUBLIC_SUFFIX = ".pub"
PRIVATE_SUFFIX = ".key"
MAX_KEY_BYTES = 10_000
MAX_KEYS = 100


class PublicKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key that may have signed. `id` is the digest of its raw bytes, `place` the file that it came from."""

    id: str
    place: str
    raw: bytes


class KeyPair(msgspec.Struct, frozen=True, kw_only=True):
    """A new key, as PEM. `private` is a secret."""

    id: str
    private: bytes
    public: bytes


def make_key() -> KeyPair:
    """A new key pair. Raises MissingExtraError."""
    _need()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return KeyPair(id=digest_bytes(_raw(key.public_key())), private=private, public=public)


def sign_bundle(bundle: Bundle, private: bytes) -> Bundle:
    """The bundle with one more signature, or a new one of the same key. `private` is PEM. Raises BundleError or MissingExtraError."""
    key = _private_key(private)
    signature = base64.b64encode(key.sign(signed_bytes(bundle.manifest.digest))).decode()
    made = Signature(key=digest_bytes(_raw(key.public_key())), signature=signature)
    return msgspec.structs.replace(bundle, signatures=merge_signatures(bundle.signatures, [made]))


def verify_bundle(bundle: Bundle, keys: Sequence[PublicKey]) -> PublicKey:
    """The first of the allowed keys that signed the bundle. Raises BundleError where none did, or a signature is wrong."""
    _need()
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    allowed = {key.id: key for key in keys}
    signed = [signature for signature in bundle.signatures if signature.key in allowed]
    for signature in signed:
        key = allowed[signature.key]
        try:
            data = base64.b64decode(signature.signature, validate=True)
            Ed25519PublicKey.from_public_bytes(key.raw).verify(data, signed_bytes(bundle.manifest.digest))
        except (InvalidSignature, binascii.Error, ValueError):
            found = f"the signature of {key.id[:19]}… is not one of {bundle.manifest.digest[:19]}…"
            raise BundleError(f"{found} (the bundle was changed after it was signed)") from None
    if not signed:
        found = (
            "it is not signed"
            if not bundle.signatures
            else f"it has signatures of {', '.join(s.key[:19] + '…' for s in bundle.signatures)}"
        )
        raise BundleError(f"no allowed key signed the bundle ({found}; {len(allowed)} key(s) are allowed)")
    return allowed[signed[0].key]


def load_keys(paths: Iterable[Path]) -> tuple[PublicKey, ...]:
    """Public keys from PEM files and from the `*.pub` of folders, by id. Raises BarrierPolicyError, also where there is none."""
    _need()
    named = tuple(paths)
    files = [file for path in named for file in (sorted(path.glob("*" + PUBLIC_SUFFIX)) if path.is_dir() else [path])]
    if len(files) > MAX_KEYS:
        raise BundleError(f"{len(files)} keys (at most {MAX_KEYS})")
    if not files:
        where = ", ".join(map(str, named)) or "--keys"
        raise BundleError(f"{where}: there are no keys (give files, or folders with `*{PUBLIC_SUFFIX}`)")
    keys = {key.id: key for key in map(_public_key, files)}
    return tuple(keys[name] for name in sorted(keys))


def _public_key(path: Path) -> PublicKey:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    data = read_key(path)
    try:
        key = serialization.load_pem_public_key(data)
    except Exception:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise BundleError(f"{path}: no public Ed25519 key in PEM (make one with `policy keygen`)")
    return PublicKey(id=digest_bytes(_raw(key)), place=str(path), raw=_raw(key))


def _private_key(data: bytes) -> Ed25519PrivateKey:
    _need()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    try:
        key = serialization.load_pem_private_key(data, password=None)
    except Exception:  # its text could quote the key
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise BundleError("no private Ed25519 key in PEM without a password (make one with `policy keygen`)")
    return key


def read_key(path: Path) -> bytes:
    """The bytes of a key file. Raises BarrierPolicyError where it can't be read."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_KEY_BYTES)
    except OSError as error:
        raise BarrierPolicyError(f"{path}: can't be read ({reason_of(error)})") from None


def _raw(key: Ed25519PublicKey) -> bytes:
    return key.public_bytes_raw()


def _need() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError:
        message = "signatures need the extra `sign` (pip install 'barrier-policy[sign]')"
        raise MissingExtraError(message) from None
