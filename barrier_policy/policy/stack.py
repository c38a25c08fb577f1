"""From what a team names, folders and bundles, to the layers that are loaded; signatures are verified on the way."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from barrier_policy.errors import BundleError
from barrier_policy.policy.bundle import is_bundle, read_bundle
from barrier_policy.policy.model import Layer


def open_layers(paths: Iterable[Path], *, keys: Iterable[Path] = (), required: bool = False) -> tuple[Path | Layer, ...]:
    """Folders as they are, bundles as the layers that they hold.

    With `keys`, public keys or folders of them, every bundle must be signed by one of them. Where `required`, there must be keys and every
    path must be such a bundle. Raises BundleError or MissingExtraError.
    """
    allowed = tuple(keys)
    if required and not allowed:
        raise BundleError("signed bundles are required, and no keys are given (set `bundle.keys` in the profile)")
    found: list[Path | Layer] = []
    for path in paths:
        if is_bundle(path):
            found += _verified(path, allowed)
        elif required:
            raise BundleError(f"{path}: not a bundle, and the profile requires signed ones (see `policy bundle build`)")
        else:
            found.append(path)
    return tuple(found)


def _verified(path: Path, keys: tuple[Path, ...]) -> tuple[Layer, ...]:
    bundle = read_bundle(path)
    if keys:
        from barrier_policy.policy.signature import load_keys, verify_bundle

        allowed = load_keys(keys)
        try:
            verify_bundle(bundle, allowed)
        except BundleError as error:
            raise BundleError(f"{path}: {error}") from None
    return bundle.layers
