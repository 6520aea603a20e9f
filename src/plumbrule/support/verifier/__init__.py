"""A stronger verifier: any ONNX cross-encoder, plugged in by path, that tells whether evidence supports a sentence."""

from plumbrule.support.verifier.verification import Verification, Verifier, open_verifier

__all__ = ["Verification", "Verifier", "open_verifier"]
