"""A BERT as a cross-encoder with one logit, in plain torch: read, fitted, and run."""

import json
import math
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch.nn import functional

from training.verifier_pairs import Pair

MAX_LENGTH = 128
_FAR = -1e4
_DROPOUT = 0.1
_RATE = 1e-4
_HEAD_RATE = 1e-3
_WARM = 0.06  # share of the steps in which the rate rises
_POOL = 64  # batches that are sorted by length together, so that little is padding

Weights = dict[str, Any]


class Progress(NamedTuple):
    """What a fit saw."""

    pairs: int
    steps: int
    seconds: float


def read_weights(folder: Path, seed: int, layers: int | None = None) -> tuple[Weights, int]:
    """Return the weights of a BERT as sentence-transformers keeps it, with a new head, and how many heads attend.

    Of a deeper one the lowest ``layers`` are taken.
    """
    weights: Weights = dict(load_file(folder / "model.safetensors"))
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    width = config["hidden_size"]
    made = torch.Generator().manual_seed(seed)
    weights["head.weight"] = torch.randn(1, 2 * width, generator=made) * 0.02
    weights["head.bias"] = torch.zeros(1)
    kept = {
        name: value
        for name, value in weights.items()
        if "pooler" not in name
        and "position_ids" not in name
        and not (layers and name.startswith("encoder.layer.") and int(name.split(".")[2]) >= layers)
    }
    return kept, config["num_attention_heads"]


def save(weights: Weights, folder: Path) -> None:
    """Write the weights as they were fitted, in float32."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: value.contiguous() for name, value in weights.items()}, folder / "fitted.safetensors")


def count_layers(weights: Weights) -> int:
    """Return how many layers there are."""
    return 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))


def logits(
    weights: Weights, ids: Any, kinds: Any, mask: Any, *, heads: int, frozen: int = 0, train: bool = False
) -> Any:
    """Return the logit of support for each row of tokens; ``kinds`` is 1 where the sentence stands."""
    drop = _DROPOUT if train else 0.0
    with torch.no_grad():  # the embeddings stay as they are
        x = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.token_type_embeddings.weight"][kinds]
            + weights["embeddings.position_embeddings.weight"][: ids.shape[1]]
        )
        x = normed(weights, "embeddings.LayerNorm", x)
    far = ((1 - mask) * _FAR)[:, None, None, :].to(x.dtype)
    for layer in range(count_layers(weights)):
        learning = train and layer >= frozen
        with torch.set_grad_enabled(learning):
            x = layer_of(weights, f"encoder.layer.{layer}.", x, far, heads=heads, drop=drop if learning else 0.0)
    own = (kinds * mask)[:, :, None].to(x.dtype)
    mean = (x * own).sum(1) / own.sum(1)
    most = (x + (1 - own) * _FAR).amax(1)
    pooled = functional.dropout(torch.cat([mean, most], 1), drop, training=train)
    return (pooled @ weights["head.weight"].T + weights["head.bias"])[:, 0]


def layer_of(weights: Weights, at: str, x: Any, far: Any, *, heads: int, drop: float) -> Any:
    """Return what one layer makes of the tokens; ``far`` is added to what a token thinks of another."""
    rows, length, width = x.shape
    query, key, value = (
        linear(weights, f"{at}attention.self.{part}", x).view(rows, length, heads, width // heads).transpose(1, 2)
        for part in ("query", "key", "value")
    )
    met = functional.scaled_dot_product_attention(query, key, value, attn_mask=far)
    met = linear(weights, f"{at}attention.output.dense", met.transpose(1, 2).reshape(rows, length, width))
    x = normed(weights, f"{at}attention.output.LayerNorm", x + functional.dropout(met, drop, training=drop > 0))
    wide = functional.gelu(linear(weights, f"{at}intermediate.dense", x))
    wide = functional.dropout(linear(weights, f"{at}output.dense", wide), drop, training=drop > 0)
    return normed(weights, f"{at}output.LayerNorm", x + wide)


def linear(weights: Weights, name: str, x: Any) -> Any:
    """Return the tokens by one of the linear maps of the model."""
    return functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def normed(weights: Weights, name: str, x: Any) -> Any:
    """Return the tokens by one of the norms of the model."""
    return functional.layer_norm(x, x.shape[-1:], weights[f"{name}.weight"], weights[f"{name}.bias"], 1e-12)


def fit(
    weights: Weights,
    pairs: Sequence[Pair],
    tokenizer: Tokenizer,
    *,
    heads: int,
    frozen: int,
    batch: int,
    minutes: float,
    seed: int,
) -> Progress:
    """Fit the weights in place to the pairs, each seen once in a shuffled order, until they end or the time does.

    The rate falls with the share of pairs seen, or of the time gone where that is more: a fit that ends by its pairs
    can be repeated to the last digit on the same machine.
    """
    torch.manual_seed(seed)
    learned = [name for name in weights if _is_learned(name, frozen)]
    for name in learned:
        weights[name].requires_grad_()
    optimizer = torch.optim.AdamW(
        [
            {"params": [weights[name] for name in learned if name.startswith("head")], "lr": _HEAD_RATE},
            {"params": [weights[name] for name in learned if not name.startswith("head")], "lr": _RATE},
        ],
        weight_decay=0.01,
    )
    rates = [group["lr"] for group in optimizer.param_groups]
    steps = math.ceil(len(pairs) / batch)
    started = time.monotonic()
    seen, step, shown, lost = 0, 0, started, 0.0
    for rows in _batches(pairs, tokenizer, batch=batch, seed=seed):
        gone = (time.monotonic() - started) / (60 * minutes)
        if gone >= 1:
            break
        share = max(step / steps, gone)
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * min(1.0, (step + 1) / (_WARM * steps), (1 - share) / (1 - _WARM) + 0.01)
        ids, kinds, mask = as_tensors([tokens for tokens, _ in rows])
        given = logits(weights, ids, kinds, mask, heads=heads, frozen=frozen, train=True)
        wanted = torch.tensor([float(pair.supported) for _, pair in rows])
        losses = functional.binary_cross_entropy_with_logits(given, wanted, reduction="none")
        weight = torch.tensor([pair.weight for _, pair in rows])
        loss = (losses * weight).sum() / weight.sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([weights[name] for name in learned], 1.0)
        optimizer.step()
        seen, step, lost = seen + len(rows), step + 1, lost + (loss.item() - lost) * max(0.02, 1 / (step + 1))
        if time.monotonic() - shown > 60:
            shown = time.monotonic()
            print(f"{(shown - started) / 60:6.1f} min  {seen} pairs  loss {lost:.4f}", flush=True)
    for name in learned:
        weights[name].requires_grad_(requires_grad=False)
    return Progress(seen, step, time.monotonic() - started)


def _is_learned(name: str, frozen: int) -> bool:
    """Tell whether a weight is fitted: the head, and the layers from ``frozen`` on; the embeddings stay."""
    return name.startswith("head") or (name.startswith("encoder.layer.") and int(name.split(".")[2]) >= frozen)


class _Tokens(NamedTuple):
    ids: list[int]
    kinds: list[int]


def encode(tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]]) -> list[_Tokens]:
    """Return the tokens of pairs of evidence and sentence, the longer cut where both are too long."""
    return [_Tokens(each.ids, each.type_ids) for each in tokenizer.encode_batch(list(pairs))]


def open_tokenizer(path: Path) -> Tokenizer:
    """Return the tokenizer, set to the length that the model is fitted for."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_LENGTH, strategy="longest_first")
    return tokenizer


def as_tensors(rows: Sequence[_Tokens]) -> tuple[Any, Any, Any]:
    """Return ids, kinds and mask of rows of tokens, filled up to the longest."""
    length = max(len(row.ids) for row in rows)
    filled = [
        [values + [0] * (length - len(values)) for values in part]
        for part in ([row.ids for row in rows], [row.kinds for row in rows], [[1] * len(row.ids) for row in rows])
    ]
    ids, kinds, mask = (torch.tensor(part) for part in filled)
    return ids, kinds, mask


def _batches(
    pairs: Sequence[Pair], tokenizer: Tokenizer, *, batch: int, seed: int
) -> Iterator[list[tuple[_Tokens, Pair]]]:
    rng = random.Random(seed)  # noqa: S311 - an order, not a secret
    order = list(pairs)
    rng.shuffle(order)
    for start in range(0, len(order), batch * _POOL):
        pool = order[start : start + batch * _POOL]
        rows = list(zip(encode(tokenizer, [(pair.evidence, pair.sentence) for pair in pool]), pool, strict=True))
        rows.sort(key=lambda row: len(row[0].ids))
        cuts = [rows[at : at + batch] for at in range(0, len(rows), batch)]
        rng.shuffle(cuts)
        yield from cuts
