"""``plumbrule score`` with the support score: the summary, one answer explained, and the options that ask for it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from plumbrule.support.support_model import load_model

Run = Callable[..., Any]
Write = Callable[..., Path]

WIRE: dict[str, Any] = {
    "id": "wire",
    "question": "What does a wire cost?",
    "answer": "Thank you for your question! A domestic wire costs $35 at every branch. International wires cost $45.",
    "contexts": [
        "The firm charges a fee of $25 for a domestic wire and $45 for an international wire.",
        "Wires cannot be cancelled once they are sent.",
    ],
}
CODES = ("--json", "--no-claims")


def test_explain(run: Run, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sentence with band, probability, evidence and reasons, in 80 columns; a courtesy claims nothing."""
    monkeypatch.setenv("COLUMNS", "80")
    out = run("score", write("wire.jsonl", [WIRE]), "--explain", "wire").out
    shown = out[out.index("support  ") : out.index("support model")]
    assert max(map(len, out.splitlines())) <= 80
    assert "\n".join(line.rstrip() for line in shown.splitlines()) == snapshot("""\
support  unsupported  all of it is supported with a probability of 0.23
no claim           Thank you for your question!
                   claims nothing that a context could support
unsupported  0.19  A domestic wire costs $35 at every branch.
                   context 0 at 0–84: The firm charges a fee of $25 for a
                   domestic wire and $45 for an international wire.
                ✗  numbers not in the context: '$35' (where the passage has
                   '$25')
                ✗  words not in the context: 'costs', 'branch'
                ✗  the nearest passage lacks 61% of its words, by weight
supported    0.72  International wires cost $45.
                   context 0 at 0–84: The firm charges a fee of $25 for a
                   domestic wire and $45 for an international wire.\
""")
    assert f"support model: plumbrule-support version {load_model().version}, sha256 {load_model().sha256[:12]}" in out


def test_an_answer_that_claims_nothing(run: Run, write: Write) -> None:
    """It is supported, and the page says why."""
    path = write("thanks.jsonl", [{**WIRE, "answer": "Thank you for your question!"}])
    assert "support  supported  nothing is claimed" in run("score", path, "--explain", "wire").out


def test_a_long_sentence_is_clipped(run: Run, write: Write) -> None:
    """A sentence, or a passage, of many lines takes a few."""
    long = " ".join(["wires"] * 400)
    out = run("score", write("long.jsonl", [{**WIRE, "answer": long, "contexts": [long]}]), "--explain", "wire").out
    shown = out[out.index("support  ") :]
    assert shown.count("…") == 2
    assert len(shown.splitlines()) < 15


def test_hostile_text_is_shown_not_obeyed(run: Run, write: Write) -> None:
    """Neither a sentence, nor its evidence, nor a quoted reason reaches the terminal as a command or markup."""
    answer = "The \x1b[31m fee is $30 \u202e[bold]now[/bold]."
    path = write("hostile.jsonl", [{**WIRE, "answer": answer, "contexts": ["The \x1b[2J fee is $25."]}])
    out = run("score", path, "--explain", "wire", "--no-claims", "--support").out
    shown = out[out.index("support  ") :]
    assert not set(shown) & set("\x1b\u202e")
    assert "[bold]now[/bold]" in shown
    assert "\\x1b[2J fee is $25." in shown


def test_the_summary_counts_the_bands(run: Run, dataset: Path) -> None:
    """How many answers are supported, doubtful, unsupported, and how many have no score: here a refusal."""
    assert "support: supported 2 · doubtful 0 · unsupported 1 · not scored 1\n" in run("score", dataset).out
    [summary] = run("score", dataset, "-o", "out.jsonl", "--json").records
    assert summary["support"] == {"supported": 2, "doubtful": 0, "unsupported": 1, "not_scored": 1}


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ((), True),
        (("--no-claims",), False),
        (("--no-claims", "--support"), True),
        (("--no-support",), False),
        (("--set", "support.when=never"), False),
        (("--set", "support.when=never", "--support"), True),
        (("--no-support", "--set", "hallucination.claim_check=evidence"), True),
    ],
)
def test_when_it_is_given(run: Run, dataset: Path, options: tuple[str, ...], *, given: bool) -> None:
    """With claims, unless an option says otherwise; where it decides on claims it is always there."""
    [right] = [record for record in run("score", dataset, "--json", *options).records if record["id"] == "right"]
    assert (right["support"] is not None) == given
    assert ("support: " in run("score", dataset, *options).out) == given


def test_the_hint_repeats_the_options(run: Run, dataset: Path) -> None:
    """'look closer' shows what the summary counted."""
    out = run("score", dataset, "--no-claims", "--support").out.replace("\n", " ")
    assert "--explain wrong --no-claims --support" in out
    assert "--explain wrong --no-support" in run("score", dataset, "--no-support").out.replace("\n", " ")


@pytest.mark.parametrize("options", [("--no-claims",), ("--no-support",)])
def test_a_verifier_that_is_not_asked(run: Run, dataset: Path, options: tuple[str, ...]) -> None:
    """It has a part in the support score alone: without it, the option is refused."""
    done = run("score", dataset, "--verifier", "nli", *options)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "plumbrule: --verifier has a part in the support score, which is not given here: add --support\n"
    )


def test_a_verifier_that_is_not_there(run: Run, dataset: Path) -> None:
    """One line that names its folder."""
    done = run("score", dataset, "--verifier", "nli")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "nli" in done.err
