"""A stronger verifier: any ONNX cross-encoder, plugged in by path, that tells whether evidence supports a sentence."""

from plumbrule.support.verifier.verification import Verification, Verifier, open_verifier
from plumbrule.support.verifier.verifier_config import PackedVerifier, pack_verifier

__all__ = ["PackedVerifier", "Verification", "Verifier", "open_verifier", "pack_verifier"]
