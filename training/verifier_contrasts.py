"""Fits a cross-encoder to contrasts: ``python -m training.verifier_contrasts FOLDER`` writes a verifier of that folder.

Right and wrong answers to one question are ranked against each other: what question and passages have in common falls
out, and the small change that makes an answer wrong is left. A part of the loss asks each answer by itself. What is
needed stands in `training.verifier`. Entailment pairs (``--entailment``, *.jsonl.gz) are mixed in where they are there.
The fit is also told which tokens of a wrong answer are wrong, where that is known. It begins with entailment pairs or,
with ``--start``, with weights that were fitted before. It is kept every 50 steps, and a call with the same folder and
options goes on from there. The rate falls over the last ``--fall`` steps.
"""

import argparse
import gzip
import json
import math
import random
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn import functional

from training import verifier_export, verifier_model
from training.everyday_rows import read_everyday
from training.verifier_marks import UNKNOWN, WRONG, mark_tokens
from training.verifier_packed import Question, packed_logits, with_match, with_tokens
from training.verifier_slips import slip, vary_words
from training.verifier_swaps import Text, find_swaps, swap

CONTRASTS = Path(__file__).parent / "contrasts"
ENTAILMENT = Path(__file__).parents[2] / "shared/data/entailment"
FITTED = (  # tamarind tells how far it has come; laurel, poplar and zelkova say what it weighs
    "acacia", "alder", "almond", "banyan", "beech", "cacao", "catalpa", "cypress", "damson", "ebony", "elder",
    "feijoa", "fig", "ginkgo", "guava", "holly", "hornbeam", "juniper", "kapok", "larch", "lime", "linden", "lychee",
    "magnolia", "maple", "medlar", "mulberry", "nutmeg", "oak", "olive", "papaya", "pine", "quince", "rosewood",
    "rowan", "sequoia", "spruce", "sycamore", "willow", "yew",
)  # fmt: skip
EVERYDAY = ("ash", "elm", "fir")  # birch and gorse choose the weight beside binding
_SOURCES = {  # of entailment, and how many pairs of each
    "fever_nli": 14000, "fever_symmetric": 1100, "cad_nli": 6000, "negation_nli": 2500, "breaking_nli": 2000,
    "scitail_dev": 2200, "mnli_dev": 14000, "snli_dev": 5000,
}  # fmt: skip
_EVIDENCE, _QUESTION, _ANSWER = 320, 60, 96  # tokens of each that are read
_MIXED = 0.1  # share of entailment pairs
_UNASKED = 0.1  # share of questions that are left out
_SWAPPED = 0.4  # share of questions that two things change places in, where there are two
_SLIPPED = 0.3  # share of questions with one more wrong answer, made of a right one
_RECKONED = frozenset({"arithmetic", "arithmetic_right", "conversion", "unit"})
_SHORT = 1000  # characters that are surely read whole, so that their order says nothing
_POOL = 400  # questions that are sorted by length together
_DROPOUT = 0.1
_POINT = 0.3  # what an answer by itself weighs beside the ranks
_NEAR = 0.5  # what a wrong answer counts for more that is nearly a right one
_MARKED = 0.25  # what the tokens weigh beside the ranks
_SELDOM = 4.0  # what a wrong token weighs beside a right one
_HEAD, _MATCH, _TOKEN = 6e-4, 2e-3, 1e-3  # rates
_RANGED = 200  # texts that tell how great numbers become
_KEPT = 50  # steps after which the fit is kept


def read_contrasts(author: str) -> Iterator[Text]:
    """Give the questions of an author of contrasts."""
    for line in (CONTRASTS / f"{author}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        answers = [(each["answer"], each["right"]) for each in row["answers"]]
        yield Text(row["question"], row["contexts"], answers, [each["kind"] in _RECKONED for each in row["answers"]])


def read_pairs(author: str) -> list[Text]:
    """Return the everyday rows of an author, those of one question together."""
    found: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, bool]]] = {}
    for row in read_everyday(author):
        found.setdefault((row.pair, row.question, row.contexts), []).append((row.answer, row.right))
    return [Text(question, contexts, answers) for (_, question, contexts), answers in found.items()]


def read_entailment(folder: Path, seed: int) -> list[Text]:
    """Return premises with their hypotheses, some of each source."""
    chosen = []
    for name, most in _SOURCES.items():
        premises: dict[str, list[tuple[str, bool]]] = {}
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["split"] == "train":
                    premises.setdefault(row["premise"], []).append((row["hypothesis"], row["label"] == 0))
        texts = [Text("", [premise], answers) for premise, answers in premises.items()]
        random.Random(seed).shuffle(texts)  # noqa: S311 - a choice of examples, not a secret
        taken = 0
        for text in texts:
            if taken >= most:
                break
            chosen.append(text)
            taken += len(text.answers)
    return chosen


def encode(tokenizer: Tokenizer, text: Text) -> Question:
    """Return the tokens of a question: passages, the question where there is one, and the answers."""

    def ids(content: str) -> list[int]:
        return list(tokenizer.encode(content, add_special_tokens=False).ids)

    first, last = tokenizer.encode("").ids
    passages = [token for context in text.contexts for token in ids(context)][:_EVIDENCE]
    asked = [*ids(text.question)[:_QUESTION], last] if text.question else []
    answers = [[*ids(answer)[:_ANSWER], last] for answer, _ in text.answers]
    right = [right for _, right in text.answers]
    # Pairs of entailment have no question: their errors are no small changes.
    marks = mark_tokens(answers, right) if asked else [[UNKNOWN] * len(answer) for answer in answers]
    return Question([first, *passages, last, *asked], answers, right, marks)


def vary(text: Text, rng: random.Random) -> Text:
    """Return the text as one pass sees it: two things swapped, a slip made, passages in any order, no question."""
    swaps = _swaps_of(text.question, tuple(text.contexts), tuple(text.answers))
    if swaps and rng.random() < _SWAPPED:
        text = swap(text, rng.choice(swaps))
    text = vary_words(text, rng)
    if rng.random() < _SLIPPED:
        text = slip(text, rng)
    contexts = list(text.contexts)
    if sum(map(len, contexts)) < _SHORT:
        rng.shuffle(contexts)
    return text._replace(contexts=contexts, question="" if rng.random() < _UNASKED else text.question)


@cache
def _swaps_of(question: str, contexts: tuple[str, ...], answers: tuple[tuple[str, bool], ...]) -> list[tuple[str, str]]:
    return find_swaps(Text(question, contexts, answers))


def plan(
    tokenizer: Tokenizer,
    texts: Sequence[Text],
    others: Sequence[Text],
    *,
    first: int,
    passes: int,
    most: int,
    seed: int,
) -> list[list[Question]]:
    """Return the batches, of at most ``most`` tokens: ``first`` of the others, then all passes with some among them."""
    rng = random.Random(seed)  # noqa: S311 - an order, not a secret
    order = [encode(tokenizer, text) for text in rng.sample(others, min(first, len(others)))]
    mixed = round(_MIXED / (1 - _MIXED) * sum(len(text.answers) for text in texts) / 2)  # two pairs to a premise
    for _ in range(passes):
        each = [*(vary(text, rng) for text in texts), *rng.sample(others, min(mixed, len(others)))]
        rng.shuffle(each)
        order += [encode(tokenizer, text) for text in each]
    batches: list[list[Question]] = []
    for start in range(0, len(order), _POOL):
        cuts: list[list[Question]] = [[]]
        for row in sorted(order[start : start + _POOL], key=lambda row: row.length):
            if cuts[-1] and (len(cuts[-1]) + 1) * row.length > most:
                cuts.append([])
            cuts[-1].append(row)
        rng.shuffle(cuts)
        batches += cuts
    return batches


def loss_of(given: Any, right: Any, rows: Any, near: Any) -> Any:
    """Return the loss of logits: right answers against wrong ones of their row, all rows alike, and each alone.

    ``near`` is 1 for wrong answers that are nearly right ones, which count for more.
    """
    pairs = (rows[:, None] == rows[None]) & (right[:, None] > right[None])
    alone = functional.binary_cross_entropy_with_logits(given, right)
    if not pairs.any():
        return _POINT * alone
    owner = rows[:, None].expand_as(pairs)[pairs]
    weight = (1 + _NEAR * near)[None].expand_as(pairs)[pairs]
    weight = weight / torch.bincount(owner, weights=weight)[owner]
    lost = functional.softplus((given[None] - given[:, None])[pairs])
    return _POINT * alone + (lost * weight).sum() / weight.sum()


def loss_of_tokens(given: Any, questions: Sequence[Question]) -> Any:
    """Return the loss of the logits of tokens whose mark is known; wrong tokens, which are few, count for more."""
    marks = torch.tensor([mark for row in questions for answer in row.marks for mark in answer])
    known = marks != UNKNOWN
    if not known.any():
        return given.sum() * 0
    wrong = (marks[known] == WRONG).float()
    return functional.binary_cross_entropy_with_logits(given[known], wrong, pos_weight=torch.tensor(_SELDOM))


def fit(
    weights: verifier_model.Weights,
    batches: Sequence[Sequence[Question]],
    kept: Path,
    *,
    highest: float,
    rise: int,
    fall: int,
    workers: int,
    short: bool,
) -> None:
    """Fit the weights in place, from where the fit was kept.

    The rate of the layers rises to ``highest`` over the first ``rise`` batches and falls over the last ``fall``. With
    ``short`` products are made with numbers of 16 bits.
    """
    layers = verifier_model.count_layers(weights)
    rates = {name: rate for name in weights if (rate := rate_of(name, layers, highest))}
    learned = list(rates)
    for name in learned:
        weights[name].requires_grad_()
    optimizer = torch.optim.AdamW(
        [
            {"params": [weights[name]], "lr": rates[name], "weight_decay": 0.0 if name.startswith("match") else 0.01}
            for name in learned
        ],
        betas=(0.9, 0.98),
        fused=True,
    )
    first, lately = 0, list[float]()
    if kept.exists():
        state = torch.load(kept, weights_only=True)
        first = state["step"]
        optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["chance"])
        with torch.no_grad():
            for name in learned:
                weights[name].copy_(state["weights"][name])
    for step, batch in enumerate(batches[first:], first + 1):
        share = min(1.0, step / rise, (len(batches) - step + 1) / fall)
        for group, name in zip(optimizer.param_groups, learned, strict=True):
            group["lr"] = rates[name] * share
        parts = [batch[place::workers] for place in range(min(workers, len(batch)))]
        with ThreadPoolExecutor(len(parts)) as pool:
            made = list(pool.map(partial(_slopes, weights, learned, len(batch), short=short), parts))
        for place, name in enumerate(learned):
            weights[name].grad = sum(slopes[place] for slopes, _ in made)
        lately = [*lately[-_KEPT + 1 :], sum(lost for _, lost in made)]
        torch.nn.utils.clip_grad_norm_([weights[name] for name in learned], 1.0)
        optimizer.step()
        if step % _KEPT == 0 or step == len(batches):
            print(f"{step} of {len(batches)} steps, loss {sum(lately) / len(lately):.3f}", flush=True)
            state = {
                "step": step, "optimizer": optimizer.state_dict(), "chance": torch.get_rng_state(),
                "weights": {name: weights[name].detach() for name in learned},
            }  # fmt: skip
            torch.save(state, kept.with_suffix(".new"))
            kept.with_suffix(".new").replace(kept)
    for name in learned:
        weights[name].requires_grad_(requires_grad=False)


def _slopes(
    weights: verifier_model.Weights, learned: Sequence[str], whole: int, part: Sequence[Question], *, short: bool
) -> tuple[Sequence[Any], float]:
    """Return the slopes of the loss of some questions of a batch of this many, and the loss."""
    with torch.autocast("cpu", torch.bfloat16, enabled=short):
        said = packed_logits(weights, part, drop=_DROPOUT)
    said = said._replace(answers=said.answers.float())
    right = torch.tensor([float(each) for row in part for each in row.right])
    near = [not each and UNKNOWN not in marks for row in part for each, marks in zip(row.right, row.marks, strict=True)]
    loss = loss_of(said.answers, right, said.rows, torch.tensor(near).float())
    if said.tokens is not None:
        loss = loss + _MARKED * loss_of_tokens(said.tokens.float(), part)
    loss = len(part) / whole * loss
    return torch.autograd.grad(loss, [weights[name] for name in learned]), loss.item()


def rate_of(name: str, layers: int, highest: float) -> float:
    """Return the rate of a weight, if that of a layer is ``highest``; 0 for one that stays as it is."""
    if name.startswith("encoder.layer."):
        return highest if int(name.split(".")[2]) >= verifier_export.matched_from(layers) else 0.0
    return {"head": _HEAD, "match": _MATCH, "token": _TOKEN}.get(name.partition(".")[0], 0.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options, fit, and write the verifier."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("out", type=Path, help="the folder to write to, and to go on from")
    options.add_argument("--base", type=Path, default=Path("model"), help="the folder of a BERT")
    options.add_argument("--entailment", type=Path, default=ENTAILMENT)
    options.add_argument("--start", type=Path, help="weights to go on from: fitted.safetensors of another folder")
    options.add_argument("--layers", type=int, help="the lowest layers to take, of a deeper model")
    options.add_argument("--workers", type=int, default=1, help="cores to use")
    options.add_argument("--bfloat16", action="store_true", help="multiply numbers of 16 bits, twice as quick for some")
    options.add_argument("--first", type=int, default=9000, help="premises of entailment to begin with")
    options.add_argument("--passes", type=int, default=4)
    options.add_argument("--rate", type=float, default=2e-4, help="of the layers, at its highest")
    options.add_argument("--rise", type=int, default=20, help="steps in which the rate rises")
    options.add_argument("--fall", type=int, default=600, help="steps in which it falls at the end")
    options.add_argument("--tokens", type=int, default=1600, help="of a batch")
    options.add_argument("--seed", type=int, default=7)
    chosen = options.parse_args(arguments)
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(chosen.base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    texts = [text for author in FITTED for text in read_contrasts(author)]
    texts += [text for author in EVERYDAY for text in read_pairs(author)]
    others = read_entailment(chosen.entailment, chosen.seed) if chosen.entailment.is_dir() else []
    base, heads = verifier_model.read_weights(chosen.base, chosen.seed, chosen.layers)
    weights = with_tokens(dict(load_file(chosen.start)) if chosen.start else with_match(base))
    chosen.out.mkdir(parents=True, exist_ok=True)
    first = 0 if chosen.start else chosen.first
    batches = plan(tokenizer, texts, others, first=first, passes=chosen.passes, most=chosen.tokens, seed=chosen.seed)
    torch.manual_seed(chosen.seed)
    fall = min(chosen.fall, math.ceil(len(batches) / 2))
    fit(
        weights, batches, chosen.out / "kept.pt", highest=chosen.rate, rise=chosen.rise, fall=fall,
        workers=chosen.workers, short=chosen.bfloat16,
    )  # fmt: skip
    verifier_model.save(weights, chosen.out)
    write(weights, chosen.out, heads=heads, tokenizer=chosen.base / "tokenizer.json", texts=texts)
    return 0


def write(weights: verifier_model.Weights, out: Path, *, heads: int, tokenizer: Path, texts: Sequence[Text]) -> None:
    """Write the verifier; some of the texts that it was fitted to tell how great its numbers become."""
    arrays = {name: value.numpy() for name, value in weights.items()}
    asked = [encode(Tokenizer.from_file(str(tokenizer)), text) for text in texts[:: max(1, len(texts) // _RANGED)]]
    read = [(each.evidence, answer) for each in asked for answer in each.answers[:1]]
    verifier_export.write_folder(out, arrays, heads=heads, tokenizer=tokenizer, read=read)


if __name__ == "__main__":
    sys.exit(main())
