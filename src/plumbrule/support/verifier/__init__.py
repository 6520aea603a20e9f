"""A verifier: an ONNX cross-encoder, installed or plugged in by path, that tells whether evidence supports a text."""

from plumbrule.support.verifier.installed_verifier import verifier_at, verifier_folder
from plumbrule.support.verifier.verification import Verification, Verifier, open_verifier
from plumbrule.support.verifier.verifier_config import PackedVerifier, pack_verifier

__all__ = [
    "PackedVerifier",
    "Verification",
    "Verifier",
    "open_verifier",
    "pack_verifier",
    "verifier_at",
    "verifier_folder",
]
