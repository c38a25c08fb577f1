"""`barrier-policy policy bundle` and `policy keygen`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from barrier_policy.cli.console import cell, out, show, write_output
from barrier_policy.cli.guard import OK
from barrier_policy.cli.options import Request, both_given
from barrier_policy.cli.session import chosen_profile
from barrier_policy.errors import BarrierPolicyError, BundleError, reason_of
from barrier_policy.policy.bundle import SUFFIX, is_bundle, make_bundle, read_bundle, write_bundle
from barrier_policy.policy.loader import shipped_policies
from barrier_policy.walk import Decider


def build_bundle(request: Request, folders: tuple[Path, ...], output: Path) -> int:
    """Check the folders as they would be loaded, on top of the shipped policies, and write them as one file. Raises BarrierPolicyError."""
    if output.suffix != SUFFIX:
        raise BarrierPolicyError(f"--output: `{output}` is no name of a bundle (end it with `{SUFFIX}`)")
    for folder in folders:
        if is_bundle(folder):
            raise BarrierPolicyError(f"{folder}: is a bundle already (give the folders that it was built from)")
        if not folder.is_dir():
            raise BarrierPolicyError(f"`{folder}` is no folder (give folders of policy files)")
    profile = chosen_profile(request)
    shipped = Decider(profile, policies=[shipped_policies()])
    found = Decider(profile, plugins=shipped.plugins, policies=[shipped_policies(), *folders]).policies
    bundle = make_bundle(found.layers[1:], policies=found.digest, shipped=shipped.policies.digest)
    write_output(write_bundle(bundle), output)
    files = sum(len(layer.files) for layer in bundle.layers)
    show(out(), cell(f"{output}: {bundle.manifest.name}, {files} file(s), {bundle.manifest.digest}"))
    return OK


def sign_file(file: Path, key: Path | None, variable: str) -> int:
    """Add a signature to a bundle, in place. Raises BarrierPolicyError."""
    from barrier_policy.policy.signature import read_key, sign_bundle

    if key is not None and variable:
        raise both_given("--key", "--key-env")
    if key is None and not variable:
        raise BarrierPolicyError("no private key is named (give --key FILE, or --key-env NAME)")
    if key is not None:
        private = read_key(key)
    elif variable in os.environ:
        private = os.environ[variable].encode("utf-8", "surrogateescape")
    else:
        raise BarrierPolicyError(f"--key-env: there is no environment variable `{variable}`")
    bundle = read_bundle(file)
    with _naming(str(key) if key is not None else f"--key-env {variable}"):
        signed = sign_bundle(bundle, private)
    write_output(write_bundle(signed), file)
    show(out(), cell(f"{file}: {signed.manifest.digest} has {len(signed.signatures)} signature(s)"))
    return OK


def verify_file(request: Request, file: Path, keys: tuple[Path, ...]) -> int:
    """Say who signed a bundle. The keys are those of the profile where none are given. Raises BarrierPolicyError."""
    from barrier_policy.policy.signature import load_keys, verify_bundle

    keys = keys or chosen_profile(request).bundle.keys
    if not keys:
        raise BarrierPolicyError("no public keys are named (give --keys PATH, or `bundle: {keys: […]}` in the profile)")
    bundle = read_bundle(file)
    allowed = load_keys(keys)
    with _naming(str(file)):
        key = verify_bundle(bundle, allowed)
    show(out(), cell(f"{file}: {bundle.manifest.name} {bundle.manifest.digest}"))
    show(out(), cell(f"signed by {key.place} ({key.id})"))
    return OK


def write_keys(name: Path) -> int:
    """Write a new pair of keys; never over a file that is there. Raises BarrierPolicyError."""
    from barrier_policy.policy.signature import PRIVATE_SUFFIX, PUBLIC_SUFFIX, make_key

    private, public = (name.with_name(name.name + suffix) for suffix in (PRIVATE_SUFFIX, PUBLIC_SUFFIX))
    for path in (private, public):
        if path.exists():
            raise BarrierPolicyError(f"{path}: is already there (choose another name; a lost key can't be made again)")
    pair = make_key()
    _create(private, pair.private, 0o600)
    _create(public, pair.public, 0o644)
    show(out(), cell(f"{private}: keep it secret"))
    show(out(), cell(f"{public}: {pair.id}"))
    return OK


@contextmanager
def _naming(place: str) -> Iterator[None]:
    """Say in an error what it is about."""
    try:
        yield
    except BundleError as error:
        raise BundleError(f"{place}: {error}") from None


def _create(path: Path, data: bytes, mode: int) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except OSError as error:
        raise BarrierPolicyError(f"{path}: can't be written ({reason_of(error)})") from None
