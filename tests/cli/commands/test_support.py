"""``plumbrule support``: the model as it is, and a calibration that any command takes."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from inline_snapshot import snapshot

from plumbrule.rubrics import load_verdict
from plumbrule.support.support_model import load_model

Run = Callable[..., Any]
Write = Callable[..., Path]
Records = list[dict[str, Any]]

CONTEXT = "The firm charges a fee of $25 for a domestic wire. Branches open at nine."
RIGHT = (
    "The firm charges a fee of $25 for a domestic wire.",
    "The fee for a domestic wire is $25.",
    "Branches open at nine.",
)
WRONG = (
    "The firm charges $90 for a cheque.",
    "Nobody at all may ever send a wire to Peru.",
    "Branches open at noon on Sundays.",
)


@pytest.fixture
def labels() -> Records:
    """Return thirty labelled answers, of which the labels bear out most of what the text says."""
    found = []
    for number in range(30):
        supported = number % 3 != 0
        answer = (RIGHT if supported != (number in {7, 12}) else WRONG)[number % 3]
        found.append({"id": f"a{number}", "answer": answer, "contexts": [CONTEXT], "supported": supported})
    return found


def test_a_calibration_of_labels(run: Run, write: Write, labels: Records, tmp_path: Path) -> None:
    """Counts, share, ranking, and a diagram before and after; the file goes into any command, and results say so."""
    write("labels.jsonl", [*labels, {"id": "x", "answer": "Who knows.", "contexts": [CONTEXT]}])
    done = run("support", "calibrate", "labels.jsonl", "-o", "mine.yaml")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "labels.jsonl: labels used 30 · without label 1 · could not be scored 0 · bad records 0"
    assert lines[1].startswith("unsupported 33% (95% interval 17% to 53%) · AUROC 0.")
    assert [line for line in lines if line.startswith(("before", "after"))] == snapshot(
        [
            "before, by the calibration in force: expected calibration error 0.201 (95% 0.126 to 0.261)",
            "after, by five-fold cross-fitting: expected calibration error 0.169 (95% 0.087 to 0.226)",
        ]
    )
    assert any(line.startswith("log loss ") for line in lines)
    assert "no better than before: 30 labels tell too little" in done.out
    assert "do not agree with the ranking" not in done.out
    assert "written to mine.yaml" in done.out
    rubric = load_verdict(tmp_path / "mine.yaml").rubric
    assert rubric.support.calibration is not None
    assert (rubric.support.calibration.name, rubric.support.calibration.labels) == ("labels", 30)
    scored = run("score", "labels.jsonl", "--rubric", "mine.yaml", "--no-claims", "--support", "--json").records
    assert {orjson.dumps(record["support"]["calibration"]) for record in scored} == {
        orjson.dumps(rubric.support.calibration.stamp())
    }


def test_the_same_labels_give_the_same_bytes(run: Run, write: Write, labels: Records, tmp_path: Path) -> None:
    """Whatever their order: a calibration is worked out from the labels alone."""
    run("support", "calibrate", write("labels.jsonl", labels), "-o", "one.yaml", "--plot", "one.svg")
    run("support", "calibrate", write("labels.jsonl", labels[::-1]), "-o", "two.yaml", "--plot", "two.svg")
    assert (tmp_path / "one.yaml").read_bytes() == (tmp_path / "two.yaml").read_bytes()
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_as_json(run: Run, write: Write, labels: Records) -> None:
    """One object with the counts, both diagrams, and the calibration with its hash."""
    write("labels.jsonl", [*labels, {"id": "r", "answer": None, "refusal": {"code": "X"}, "supported": True}])
    [found] = run("support", "calibrate", "labels.jsonl", "--json", "--name", "desk", "--version", "7").records
    assert found["labels"] == {"used": 30, "without_label": 0, "not_scored": 1, "bad_records": 0}
    assert sum(each["answers"] for each in found["before"]["bins"]) == 30
    assert sum(each["answers"] for each in found["after"]["bins"]) == 30
    kept = found["calibration"]
    assert (kept["name"], kept["version"], kept["model"]) == ("desk", "7", load_model().sha256)
    assert len(kept["sha256"]) == 64


def test_the_picture(run: Run, write: Write, labels: Records, tmp_path: Path) -> None:
    """--plot writes an SVG that is XML, says in words what it shows, and fetches nothing."""
    done = run("support", "calibrate", write("labels.jsonl", labels), "--plot", "plot.svg")
    assert "picture: plot.svg" in done.out
    text = (tmp_path / "plot.svg").read_text()
    assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own file
    assert "<desc" in text
    assert text.count("http") == 1


@pytest.mark.parametrize(
    ("field", "options", "values"),
    [
        ("supported", (), (True, False)),
        ("supported", (), (1, 0)),
        ("supported", (), ("Yes", "no")),
        ("supported", (), ("supported", "UNSUPPORTED")),
        ("label", ("--label", "label", "--inverted"), (0, 1)),
        ("bad", ("--label", "bad", "--inverted"), (False, True)),
        ("people", ("--label", "people.found"), ({"found": 1.0}, {"found": 0.0})),
    ],
)
def test_every_way_to_write_a_label(
    run: Run, write: Write, labels: Records, field: str, options: tuple[str, ...], values: tuple[object, object]
) -> None:
    """All of them say the same."""
    [expected] = run("support", "calibrate", write("labels.jsonl", labels), "--json").records
    said = [{**record, field: values[not record.pop("supported")]} for record in [dict(each) for each in labels]]
    [found] = run("support", "calibrate", write("labels.jsonl", said), *options, "--json").records
    assert found == expected


def test_labels_in_a_table(run: Run, write: Write, labels: Records) -> None:
    """A CSV holds them as text, under any name, and --map names the rest."""
    rows = [f'{each["id"]},"{each["answer"]}","{CONTEXT}",{int(each["supported"])}' for each in labels]
    path = write("labels.txt", "\n".join(["key,said,passage,ok", *rows]))
    options = (
        "--format",
        "csv",
        "--label",
        "ok",
        "--map",
        "id=key",
        "--map",
        "answer=said",
        "--map",
        "contexts=passage",
    )
    [found] = run("support", "calibrate", path, *options, "--json").records
    [expected] = run("support", "calibrate", write("labels.jsonl", labels), "--json").records
    assert found == expected


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"supported": "perhaps"}, (), "labels.jsonl:3: supported must be true or false, 1 or 0"),
        ({"supported": 2}, (), "labels.jsonl:3: supported must be true or false"),
        ({"supported": "supported"}, ("--inverted",), "labels.jsonl:3: supported says 'supported', which --inverted"),
    ],
)
def test_an_unreadable_label(
    run: Run,
    write: Write,
    labels: Records,
    tmp_path: Path,
    change: dict[str, object],
    options: tuple[str, ...],
    said: str,
) -> None:
    """It is named with its line; exit code 3, and no file."""
    labels[2] |= change
    write("labels.jsonl", labels)
    done = run("support", "calibrate", "labels.jsonl", "-o", "mine.yaml", *options)
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"plumbrule: {said}")
    assert not (tmp_path / "mine.yaml").exists()


def test_bad_records_are_skipped_and_counted(run: Run, write: Write, labels: Records) -> None:
    """--skip-bad leaves out a record with an unreadable label, or no answer, and says so."""
    labels[2]["supported"] = "perhaps"
    done = run("support", "calibrate", write("labels.jsonl", [*labels, {"id": "y", "answer": 5}]), "--skip-bad")
    assert done.code == 0
    assert "labels used 29 · without label 0 · could not be scored 0 · bad records 2" in done.out
    assert [line.split(" ")[0] for line in done.err.splitlines()] == ["skipped", "skipped"]


def test_no_such_field(run: Run, write: Write, labels: Records) -> None:
    """Where nothing has a label, the option that names the field is told."""
    done = run("support", "calibrate", write("labels.jsonl", labels), "--label", "verdikt")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "no record has a label under 'verdikt'; --label FIELD" in done.err


@pytest.mark.parametrize(("count", "keep"), [(18, 0), (30, 6)])
def test_too_few_labels(run: Run, write: Write, labels: Records, count: int, keep: int) -> None:
    """Less than 20, or less than 5 of a kind, say too little; exit code 3."""
    few = [each for number, each in enumerate(labels[:count]) if each["supported"] or number > keep * 3]
    done = run("support", "calibrate", write("labels.jsonl", few))
    assert (done.code, done.out) == (3, "")
    assert "too few labels to calibrate by: " in done.err


def test_a_prior(run: Run, tmp_path: Path) -> None:
    """--prior adds the same to every log-odds; what it wrote can be moved again, and back."""
    done = run("support", "calibrate", "--prior", "0.1", "-o", "few.yaml")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("unsupported 54.4% before, 10.0% now: +2.37")
    moved = load_verdict(tmp_path / "few.yaml").rubric.support.calibration
    assert moved is not None
    assert (moved.name, moved.labels, float(moved.unsupported_share)) == ("prior-0.1", 0, 0.1)
    own = load_model().answers.knots
    assert [round(now[1] - before[1], 2) for now, before in zip(moved.answers, own, strict=True)] == [2.37] * len(own)
    share = load_model().unsupported_share
    [back] = run("support", "calibrate", "--prior", str(share), "--rubric", "few.yaml", "--json").records
    assert back["calibration"]["answers"] == [pytest.approx(knot, abs=2e-6) for knot in own]
    assert back["unsupported_share"] == {"before": 0.1, "after": share}


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("labels.jsonl", "--prior", "0.2"),
        ("--prior", "0"),
        ("--prior", "1"),
        ("--prior", "nan"),
        ("--prior", "0.2", "--plot", "x.svg"),
        ("--prior", "0.2", "--name", " "),
    ],
)
def test_what_cannot_be_asked(run: Run, write: Write, labels: Records, arguments: tuple[str, ...]) -> None:
    """Neither labels nor a prior, both, a share that is none, a picture of nothing: exit code 2, one line."""
    write("labels.jsonl", labels)
    done = run("support", "calibrate", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)


def test_labels_are_never_written_over(run: Run, write: Write, labels: Records) -> None:
    """-o may not name the labels."""
    path = write("labels.jsonl", labels)
    before = path.read_bytes()
    assert run("support", "calibrate", path, "-o", path).code == 2
    assert path.read_bytes() == before


def test_a_calibration_of_another_model(run: Run, write: Write, labels: Records, dataset: Path, tmp_path: Path) -> None:
    """A calibration belongs to one model: with another it is refused wherever the support score is given."""
    run("support", "calibrate", write("labels.jsonl", labels), "-o", "mine.yaml")
    content = yaml.safe_load((tmp_path / "mine.yaml").read_text())
    content["support"]["calibration"]["model"] = "0" * 64
    write("old.yaml", yaml.safe_dump(content))
    for command in (
        ("score", dataset),
        ("score", dataset, "--explain", "right"),
        ("support", "show"),
        ("support", "calibrate", "labels.jsonl"),
        ("support", "calibrate", "--prior", "0.5"),
    ):
        done = run(*command, "--rubric", "old.yaml")
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert "support.calibration 'labels' was fitted to another model (000000000000)" in done.err
    assert run("score", dataset, "--rubric", "old.yaml", "--no-support").code == 0
    again = ("support", "calibrate", "labels.jsonl", "--rubric", "old.yaml", "--set", "support.calibration=null")
    assert run(*again).code == 0


def test_hostile_names_are_shown_not_obeyed(run: Run, write: Write, labels: Records) -> None:
    """A name with escapes and markup is text, on the terminal and in the file."""
    name = "\x1b[31m[bold]x: {"
    done = run("support", "calibrate", write("labels.jsonl", labels), "--name", name, "-o", "mine.yaml")
    assert "\x1b" not in done.out
    assert "[bold]x" in done.out
    shown = run("support", "show", "--rubric", "mine.yaml")
    assert "\x1b" not in shown.out
    [described] = run("support", "show", "--rubric", "mine.yaml", "--json").records
    assert described["calibration"]["name"] == name


def test_the_model(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each measure with its weight and meaning, the hash, the calibration and the bands, in 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    done = run("support", "show")
    assert (done.code, done.err) == (0, "")
    assert done.out.replace(load_model().sha256, "<sha256>") == snapshot("""\
model: plumbrule-support version 10, sha256 <sha256>

measure    weight  what it says of a sentence                                   \n\
words      +1.653  share of its words, by weight, that stand nowhere in the     \n\
                   contexts                                                     \n\
evidence   +1.496  share of its words, by weight, that the best passage does not
                   have                                                         \n\
specifics  +0.766  numbers, dates and names that the contexts do not have, and  \n\
                   facts of data that it gets wrong                             \n\
opposites  +1.491  opposite words, facts turned round, another value in the same
                   words, a denial more or less                                 \n\
strength   +1.833  says all, only, must or the like where the passage has a     \n\
                   weaker word                                                  \n\
speaker    +1.464  speaks of itself, as 'I' or 'we', where no context does      \n\
unknown    -1.122  says that the contexts do not tell, which speaks for it      \n\

A weight is the risk, in log-odds, that one unit of the measure adds.
calibration: the model's own, where 54% were unsupported
bands: supported from 0.70 (without a question from 0.95), unsupported below 0.30, else doubtful
""")


def test_the_model_as_json(run: Run) -> None:
    """The same figures for machines, with the curves and the rubric in force."""
    [described] = run("support", "show", "--set", "support.supported_from=0.8", "--json").records
    assert described["model"] == load_model().stamp
    assert [each["name"] for each in described["measures"]] == [
        "words", "evidence", "specifics", "opposites", "strength", "speaker", "unknown",
    ]  # fmt: skip
    assert [each["weight"] for each in described["measures"]] == list(load_model().weights)
    assert described["bands"] == {
        "supported_from": 0.8, "supported_unasked_from": 0.95, "unsupported_below": 0.3,
    }  # fmt: skip
    assert described["calibration"]["answers"] == [list(knot) for knot in load_model().answers.knots]
    assert described["rubric"] == load_verdict(None, {"support.supported_from": 0.8}).stamp()


def test_labels_against_the_ranking(run: Run, write: Write) -> None:
    """Half of the right and half of the wrong answers called supported: a curve cannot mend that."""
    answers = (CONTEXT, "The fee is $25.", "The firm charges $90.", "Cheques cost $7 in Peru.")
    records = [
        {"id": f"r{number}", "answer": answers[number % 4], "contexts": [CONTEXT], "supported": number % 8 < 4}
        for number in range(48)
    ]
    write("labels.jsonl", records)
    done = run("support", "calibrate", "labels.jsonl")
    assert "the labels do not agree with the ranking" in done.out
    assert "a curve cannot mend that" in done.out
    [shown] = run("support", "calibrate", "labels.jsonl", "--json").records
    assert shown["ranks"] is False
    assert shown["auroc_interval_95"][0] <= 0.5
    assert set(shown["log_loss"]) == {"before", "after", "difference", "interval_95", "p_value"}
