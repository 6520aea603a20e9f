"""The verifier over a real ONNX graph: what it gives, that it always gives the same, and how its failures are told."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from plumbrule.errors import EvaluationError, UsageError
from plumbrule.support.verifier import Verification, open_verifier
from plumbrule.support.verifier.pair_encoder import Tokens
from plumbrule.support.verifier.verification import probabilities
from plumbrule.support.verifier.verifier_config import Head

Make = Callable[..., Path]
Graph = Callable[..., Any]

OFFICE = "the paris office opens at nine"
PAIRS = [
    (OFFICE, "the office opens at nine"),
    (OFFICE, "the office closes at nine"),
    (OFFICE, "not five"),
    ("monday", "on monday"),
]
SUPPORT = [1.0, 0.8, 0.0, 0.5]
FREE = ["batch", "sequence"]
TWO = {"labels": ["unsupported", "supported"], "activation": "none", "support": ["supported"]}


def test_support_and_contradiction(make: Make) -> None:
    """Each pair has the probability of the label that means support and, where there is one, of its contrary."""
    verifier = open_verifier(make())

    assert verifier.verify(PAIRS) == SUPPORT
    assert verifier.examine(PAIRS) == [
        Verification(support=1.0, contradiction=0.0),
        Verification(support=0.8, contradiction=0.05),
        Verification(support=0.0, contradiction=0.25),
        Verification(support=0.5, contradiction=0.125),
    ]
    assert verifier.verify([]) == []


@pytest.mark.parametrize(
    ("graph", "changes"),
    [
        ({"out": "sigmoid"}, {"head": {"labels": ["s"], "activation": "sigmoid", "support": ["s"]}}),
        ({"out": "none"}, {"head": TWO}),
        ({"out": "none", "rank": 3}, {"head": TWO}),
        ({"out": "none", "ids": TensorProto.INT32}, {"head": TWO}),
        ({"out": "none", "types": False}, {"head": TWO, "template": "{evidence} [SEP] {sentence}"}),
        ({"out": "none"}, {"head": TWO, "output": "logits", "threads": 3}),
    ],
)
def test_other_heads(make: Make, share_graph: Graph, graph: dict[str, Any], changes: dict[str, Any]) -> None:
    """A single logit, probabilities, labels for every token, other integers and a text for both are read as well."""
    verifier = open_verifier(make(share_graph(**graph), **changes))

    assert verifier.verify(PAIRS) == SUPPORT
    assert {each.contradiction for each in verifier.examine(PAIRS)} == {None}


def test_order_of_the_pair(make: Make) -> None:
    """With the sentence first, what is asked is how much of the evidence stands in the sentence."""
    assert open_verifier(make(template="sentence_first")).verify([(OFFICE, "the office nine")]) == [0.5]


@pytest.mark.parametrize(
    ("values", "activation", "support", "expected"),
    [
        ([0.0, 0.0, 0.0, 0.0], "softmax", ("a", "b"), (0.5, 0.25)),
        ([1000.0, 0.0, -1000.0, 0.0], "softmax", ("a",), (1.0, 0.0)),
        ([-1000.0, 0.0, 1000.0, 0.0], "sigmoid", ("a",), (0.0, 1.0)),
        ([1000.0, 0.0, 0.0, 0.0], "sigmoid", ("a",), (1.0, 0.5)),
        ([1.00001, 0.0, -0.00001, 0.0], "none", ("a",), (1.0, 0.0)),
    ],
)
def test_probabilities(
    values: list[float], activation: Any, support: tuple[str, ...], expected: tuple[float, float]
) -> None:
    """Labels that mean the same are added, and no size of a logit is too much."""
    head = Head(labels=("a", "b", "c", "d"), activation=activation, support=support, contradiction=("c",))

    assert probabilities(values, head) == expected


def test_alone_and_in_company(make: Make) -> None:
    """A pair has the same value alone, among others, in another order, with more threads and in another process.

    The graph divides its share by the size of the batch and by the padding, so either would show.
    """
    pairs = [(" ".join(f"w{n}" for n in range(k)), f"w1 w{k} w{k // 2} w{2 * k} w20") for k in range(2, 50)]
    together = open_verifier(make()).verify(pairs)

    lone = open_verifier(make(cache=0))
    assert [lone.verify([pair])[0] for pair in pairs] == together
    assert open_verifier(make(threads=4)).verify(pairs[::-1]) == together[::-1]
    code = (
        "import sys, json, pathlib\n"
        "from plumbrule.support.verifier import open_verifier\n"
        "print(open_verifier(pathlib.Path(sys.argv[1])).verify([tuple(p) for p in json.loads(sys.argv[2])]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, make(), json.dumps(pairs)], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{together}\n"
    assert len(set(together)) > 1


def test_the_best_window_counts(make: Make) -> None:
    """Evidence longer than the model reads supports a sentence where one of its windows does."""
    filler = " ".join(f"w{n % 90}" for n in range(300))
    verifier = open_verifier(make())

    assert verifier.verify([(f"{filler} {OFFICE} {filler}", "the office opens at nine")]) == [1.0]
    assert verifier.verify([(f"the office {filler} at nine", "the office at nine")]) == [0.5]


def test_the_weakest_part_counts(make: Make) -> None:
    """A sentence too long for the model is supported where each of its parts is."""
    words = [f"w{n}" for n in range(60)]
    verifier = open_verifier(make())

    assert verifier.verify([(" ".join(words[:25]), " ".join(words[:25] * 3))]) == [1.0]
    assert verifier.verify([(" ".join(words[:30]), " ".join(words))]) == [0.0]


def test_blank_evidence(make: Make) -> None:
    """Where there is no evidence there is no support, whatever the model would say."""
    verifier = open_verifier(make())

    assert verifier.examine([(" \n", "")]) == [Verification(support=0.0, contradiction=0.0)]


def test_the_cache_is_bounded(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was judged lately is not judged again; no more pairs are kept than the configuration says."""
    verifier = open_verifier(make(cache=2))
    ran: list[Tokens] = []
    run = verifier._graph.run

    def counted(tokens: Tokens) -> list[float]:
        ran.append(tokens)
        return run(tokens)

    monkeypatch.setattr(verifier._graph, "run", counted)

    assert verifier.verify([*PAIRS[:2], *PAIRS[:2]]) == [*SUPPORT[:2], *SUPPORT[:2]]
    assert len(ran) == 2  # a pair that stands twice is judged once
    verifier.verify([PAIRS[0], PAIRS[2]])
    assert len(ran) == 3
    assert len(verifier._cache._kept) == 2
    verifier.verify([PAIRS[0]])  # asked for later than the second, which had to go
    assert len(ran) == 3
    verifier.verify([PAIRS[1]])
    assert len(ran) == 4
    assert verifier.verify([("a", "bc"), ("ab", "c")]) == [0.0, 0.0]
    assert len(ran) == 6  # told apart, though they read the same one after the other


def test_identity(make: Make, share_graph: Graph) -> None:
    """The hash changes with model, tokenizer and what is made of them, not with place, speed or comments."""
    identity = open_verifier(make()).identity
    assert {key: identity[key] for key in ("name", "version")} == {"name": "share", "version": "1"}

    folder = make(threads=2, cache=5)
    (folder / "model.onnx").rename(folder / "other.onnx")
    text = (folder / "verifier.yaml").read_text(encoding="utf-8").replace("model.onnx", "other.onnx")
    (folder / "verifier.yaml").write_text(f"# a comment\n{text}", encoding="utf-8")
    assert open_verifier(folder).identity == identity

    hashes = {identity["sha256"]}
    for changes in ({"overlap": 4}, {"version": "2"}, {"head_with": {"support": ["entailment", "neutral"]}}):
        hashes.add(open_verifier(make(**changes)).identity["sha256"])
    graph = share_graph()
    graph.doc_string = "other bytes"
    hashes.add(open_verifier(make(graph)).identity["sha256"])
    folder = make()
    path = folder / "tokenizer.json"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    hashes.add(open_verifier(folder).identity["sha256"])
    assert len(hashes) == 6


def lookup_graph(rows: int) -> Any:
    """Return a graph that looks each token up in a table: the first, [CLS], is supported by 0.75."""
    table = numpy_helper.from_array(np.array([[0.25, 0.75]] * rows, dtype=np.float32), "table")
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["logits"])],
        "lookup",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, FREE)],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
        [table],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def with_weights(folder: Path) -> Path:
    """Save a model whose table stands in a second file."""
    (folder / "model.onnx").unlink()
    onnx.save(lookup_graph(300), folder / "model.onnx", save_as_external_data=True, location="model.data")
    return folder


def test_weights_in_a_second_file(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights beside the graph are read where they are named, and count in the hash; unnamed ones are never read."""
    folder = with_weights(make(head=TWO, weights=["model.data"]))
    verifier = open_verifier(folder)
    assert verifier.verify(PAIRS) == [0.75] * 4
    data = folder / "model.data"
    data.write_bytes(data.read_bytes() + b"more")
    assert open_verifier(folder).identity["sha256"] != verifier.identity["sha256"]

    folder = with_weights(make(head=TWO))
    monkeypatch.chdir(folder)  # the runtime would look here
    with pytest.raises(UsageError, match=r"verifier.yaml:3: model: .* in another file; name it under 'weights'"):
        open_verifier(folder)


def test_missing_files(make: Make) -> None:
    """A file that is named and not there is told of by its key."""
    folder = make(weights=["more/model.data"])
    with pytest.raises(UsageError, match=r"verifier.yaml:\d+: weights.0: there is no file '.*more/model.data'"):
        open_verifier(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(UsageError, match=r"verifier.yaml:4: tokenizer: there is no file '.*tokenizer.json'"):
        open_verifier(folder)
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").mkdir()
    with pytest.raises(UsageError, match=r"verifier.yaml:3: model: '.*model.onnx' cannot be read: Is a directory"):
        open_verifier(folder)


def test_the_files_are_bounded(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file above the limit is refused, and so is a device that never ends."""
    folder = make(tokenizer="/dev/zero")
    with pytest.raises(UsageError, match=r"tokenizer: '/dev/zero' cannot be read: it is not a regular file"):
        open_verifier(folder)
    monkeypatch.setattr("plumbrule.support.verifier.verifier_config.MAX_FILE_BYTES", 10)
    with pytest.raises(UsageError, match=r"model: '.*model.onnx' cannot be read: it has more than 10 bytes"):
        open_verifier(folder)


def identity_graph(**inputs: list[Any]) -> Any:
    """Return a graph that puts its first input out, for inputs of these shapes."""
    kinds = [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name, shape in inputs.items()]
    nodes = [helper.make_node("Cast", [kinds[0].name], [name], to=TensorProto.FLOAT) for name in ("a", "b")]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("a", "b")]
    graph = helper.make_graph(nodes, "identity", kinds, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize(
    ("graph", "changes", "problem"),
    [
        (
            {"input_ids": FREE, "decoder_input_ids": FREE},
            {},
            "3: model: 'model.onnx' wants the input 'decoder_input_ids' as tensor(int64); a cross-encoder wants",
        ),
        ({"input_ids": ["batch", 512]}, {}, "wants the input 'input_ids' in the form ['batch', 512]; export it for"),
        ({"input_ids": [8, "sequence"]}, {}, "in the form [8, 'sequence']; export it for texts of any length"),
        ({"attention_mask": FREE}, {}, "has no input 'input_ids'; it is no cross-encoder over tokens"),
        ({"input_ids": FREE}, {}, "has the outputs a, b; name the one to read under 'output'"),
        ({"input_ids": FREE}, {"output": "c"}, "output: the model has no output 'c'; there are: a, b"),
        ({"input_ids": FREE}, {"output": "a"}, "7: head.labels: there are 3, but the model's output 'a' has the form"),
    ],
)
def test_models_that_do_not_fit(make: Make, graph: dict[str, Any], changes: dict[str, Any], problem: str) -> None:
    """A model with other inputs, a fixed length or other labels is refused when it is opened."""
    with pytest.raises(UsageError) as raised:
        open_verifier(make(identity_graph(**graph), **changes))

    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"hello", b"version https://git-lfs.example/spec/v1\noid sha256:0\n"])
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("model.onnx", "3: model: 'model.onnx' is not an ONNX model that can be run: "),
        ("tokenizer.json", "4: tokenizer: 'tokenizer.json' is not a tokenizer.json that can be read: "),
    ],
)
def test_broken_files(make: Make, capfd: pytest.CaptureFixture[str], name: str, problem: str, content: bytes) -> None:
    """A model or a tokenizer that is none is one line, and the runtime prints nothing of its own."""
    folder = make()
    (folder / name).write_bytes(content)

    with pytest.raises(UsageError) as raised:
        open_verifier(folder)

    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)
    assert capfd.readouterr() == ("", "")


def test_no_room(make: Make) -> None:
    """A template that fills the whole length is refused."""
    with pytest.raises(UsageError, match=r"max_length: leaves no room: the template takes 32 tokens by itself"):
        open_verifier(make(max_length=32, template=f"{'the ' * 30}{{evidence}}{{sentence}}"))


def test_what_fails_while_it_runs(make: Make, share_graph: Graph, capfd: pytest.CaptureFixture[str]) -> None:
    """Numbers that are none, or no probabilities, and a failure of the graph are errors, never a value."""
    one = {"labels": ["s"], "activation": "sigmoid", "support": ["s"]}
    with pytest.raises(EvaluationError, match=r"verifier.yaml: the model gives no finite number for 13 tokens"):
        open_verifier(make(share_graph("broken"), head=one))
    with pytest.raises(UsageError, match=r"head.activation: the model gives -?\d+\S*, no probability; set softmax or"):
        open_verifier(make(head_with={"activation": "none"}))

    verifier = open_verifier(make(lookup_graph(4), head=TWO))  # its rows are enough for words that it does not know
    with pytest.raises(EvaluationError, match=r"the model fails on \d+ tokens: .*; check max_length, and that the tok"):
        verifier.verify([("the", "the")])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_without_the_extra(make: Make, package: str) -> None:
    """Without the packages the error names the extra to install."""
    code = (
        f"import sys, pathlib; sys.modules['{package}'] = None\n"
        "from plumbrule.errors import MissingExtraError\n"
        "from plumbrule.support.verifier import open_verifier\n"
        "try: open_verifier(pathlib.Path(sys.argv[1]))\n"
        "except MissingExtraError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, make()], capture_output=True, text=True, check=True)

    assert done.stdout == "a verifier needs an extra: pip install 'plumbrule[verifier]'\n"


def test_nothing_is_loaded_before_it_is_needed() -> None:
    """Neither the package, nor its help, nor this part loads the runtime before a verifier is opened."""
    code = (
        "import sys, plumbrule, plumbrule.support.verifier\n"
        "from plumbrule.cli import cli\n"
        "cli(['--help'], standalone_mode=False)\n"
        "print(*sorted({'onnxruntime', 'tokenizers', 'numpy'} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "COLUMNS": "100"}
    )

    assert done.stderr == "\n"
