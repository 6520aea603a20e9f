"""The files of Plumbrule's verifier: ``verifier.yaml``, the graph and its tokenizer. Plumbrule finds them by itself."""
