"""Writes MPNet in the form that `training.verifier_contrasts` reads: ``python -m training.verifier_base MPNET OUT``.

MPNET is the unpacked all-mpnet-base-v2 (`../shared/data/entailment/README.md` says where it lies, and its hash). Its
weights get the names of a BERT. What its heads add by the distance of two tokens is kept by distance, not by the bucket
that a distance falls into.
"""

import argparse
import json
import math
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from training.verifier_export import DISTANCES

_OFFSET = 2  # rows of the table of places before the first
_NAMES = {
    "attention.attn.q": "attention.self.query",
    "attention.attn.k": "attention.self.key",
    "attention.attn.v": "attention.self.value",
    "attention.attn.o": "attention.output.dense",
    "attention.LayerNorm": "attention.output.LayerNorm",
}
_BUCKETS = "encoder.relative_attention_bias.weight"
_FARTHEST = 128  # tokens of this distance or more are told apart no further


def bucket_of(distance: int, buckets: int) -> int:
    """Return the bucket of a token that stands so far after another one."""
    half, exact = buckets // 2, buckets // 4
    far = abs(distance)
    if far >= exact:
        far = min(half - 1, exact + int(math.log(far / exact) / math.log(_FARTHEST / exact) * (half - exact)))
    return far + (half if distance > 0 else 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the folder."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("mpnet", type=Path)
    options.add_argument("out", type=Path)
    chosen = options.parse_args(arguments)
    read = dict(load_file(chosen.mpnet / "model.safetensors"))
    weights = {}
    for name, value in read.items():
        if "pooler" in name or name.endswith("position_ids") or name == _BUCKETS:
            continue
        for old, new in _NAMES.items():
            name = name.replace(f".{old}.", f".{new}.")  # noqa: PLW2901 - the name is what changes
        weights[name] = value
    places = weights["embeddings.position_embeddings.weight"][_OFFSET:].contiguous()
    length, width = places.shape
    weights["embeddings.position_embeddings.weight"] = places
    weights["embeddings.token_type_embeddings.weight"] = torch.zeros(2, width)
    told = read[_BUCKETS]
    order = torch.tensor([bucket_of(distance, len(told)) for distance in range(1 - length, length)])
    weights[DISTANCES] = told[order].T.contiguous()
    chosen.out.mkdir(parents=True, exist_ok=True)
    save_file(weights, chosen.out / "model.safetensors")
    shutil.copy(chosen.mpnet / "config.json", chosen.out / "config.json")
    tokenizer = json.loads((chosen.mpnet / "tokenizer.json").read_text(encoding="utf-8"))
    marks = [["<s>", 0], ["</s>", 2]]
    first, last = ({"SpecialToken": {"id": mark, "type_id": 0}} for mark, _ in marks)
    text, other = ({"Sequence": {"id": name, "type_id": kind}} for name, kind in (("A", 0), ("B", 1)))
    tokenizer["post_processor"] = {  # of a pair, the second text has the type 1, as BERT's has
        "type": "TemplateProcessing",
        "single": [first, text, last],
        "pair": [first, text, last, other, {"SpecialToken": {"id": "</s>", "type_id": 1}}],
        "special_tokens": {mark: {"id": mark, "ids": [number], "tokens": [mark]} for mark, number in marks},
    }
    tokenizer["truncation"] = tokenizer["padding"] = None
    (chosen.out / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
