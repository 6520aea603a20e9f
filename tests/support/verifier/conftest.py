"""A real cross-encoder, made for each test: its support is the share of the sentence's words found in the evidence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import yaml
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
NAMES = ("the", "paris", "office", "opens", "at", "nine", "closes", "five", "on", "monday", "not")
WORDS = (*NAMES, *(f"w{n}" for n in range(200)))
CONFIG: dict[str, Any] = {
    "name": "share",
    "version": "1",
    "model": "model.onnx",
    "tokenizer": "tokenizer.json",
    "template": "evidence_first",
    "head": {
        "labels": ["contradiction", "entailment", "neutral"],
        "activation": "softmax",
        "support": ["entailment"],
        "contradiction": ["contradiction"],
    },
    "max_length": 64,
    "overlap": 8,
}

Make = Callable[..., Path]


def make_share_graph(out: str = "softmax", *, types: bool = True, ids: int = TensorProto.INT64, rank: int = 2) -> Any:
    """Return a graph over token ids: the share of the sentence's words that the evidence has, as logits.

    What is the sentence, the token types tell or, without them, the first [SEP]. The share is divided by the number of
    pairs in the batch and by that of padded places and one, so that a batch or padding would show.
    """
    nodes: list[onnx.NodeProto] = []
    constants: list[onnx.TensorProto] = []

    def constant(value: float | list[int]) -> str:
        kind = np.float32 if isinstance(value, float) else np.int64
        constants.append(numpy_helper.from_array(np.array(value, dtype=kind), f"c{len(constants)}"))
        return constants[-1].name

    def node(op: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(nodes)}"
        nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    one = constant(1.0)
    axis_1, axis_2 = constant([1]), constant([2])
    tokens = node("Cast", "input_ids", to=TensorProto.FLOAT)
    word = node("Cast", node("Greater", tokens, constant(3.0)), to=TensorProto.FLOAT)
    if types:
        second = node("Cast", "token_type_ids", to=TensorProto.FLOAT)
    else:
        separators = node("Cast", node("Equal", tokens, constant(3.0)), to=TensorProto.FLOAT)
        passed = node("CumSum", separators, constant(1))
        second = node("Cast", node("Greater", passed, constant(0.5)), to=TensorProto.FLOAT)
    sentence = node("Mul", word, second)
    evidence = node("Mul", word, node("Sub", one, second))
    same = node("Cast", node("Equal", node("Unsqueeze", tokens, axis_2), node("Unsqueeze", tokens, axis_1)), to=1)
    in_evidence = node("ReduceMax", node("Mul", same, node("Unsqueeze", evidence, axis_1)), axes=[2], keepdims=0)
    found = node("ReduceSum", node("Mul", sentence, in_evidence), axis_1, keepdims=1)
    total = node("Max", node("ReduceSum", sentence, axis_1, keepdims=1), one)
    mask = node("Cast", "attention_mask", to=TensorProto.FLOAT)
    rows = node("Cast", node("Gather", node("Shape", "input_ids"), constant(0)), to=1)
    padded = node("Add", node("ReduceSum", node("Sub", one, mask), axis_1, keepdims=1), one)
    share = node("Div", node("Div", node("Div", found, total), rows), padded)
    rest = node("Sub", one, share)
    small = constant(1e-9)
    match out:
        case "softmax":
            columns = [node("Mul", rest, constant(0.25)), share, node("Mul", rest, constant(0.75))]
            result = node("Log", node("Add", node("Concat", *columns, axis=1), small))
        case "sigmoid":
            result = node("Log", node("Div", node("Add", share, small), node("Add", rest, small)))
        case "none":
            result = node("Concat", rest, share, axis=1)
        case "broken":
            result = node("Div", rest, node("Sub", rest, rest))
    if rank == 3:  # labels for more tokens than the first, which counts
        later = node("Unsqueeze", node("Sub", one, result), axis_1)
        result = node("Concat", node("Unsqueeze", result, axis_1), later, axis=1)
    nodes.append(helper.make_node("Identity", [result], ["logits"]))
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if types else [])]
    return helper.make_model(
        helper.make_graph(
            nodes,
            "share",
            [helper.make_tensor_value_info(name, ids, ["batch", "sequence"]) for name in names],
            [helper.make_tensor_value_info("logits", TensorProto.FLOAT, None)],
            constants,
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )


def word_tokenizer() -> Tokenizer:
    """Return a tokenizer with a token for each known word, which is set to pad and to cut, as many files are."""
    vocabulary = {word: number for number, word in enumerate((*MARKS, *WORDS))}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106 - a token of the vocabulary
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(list(MARKS))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.enable_truncation(max_length=12)
    tokenizer.enable_padding(length=12)
    return tokenizer


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a verifier's folder: the small model, or another, and the configuration with these keys changed."""

    def write(model: Any = None, *, head_with: dict[str, Any] | None = None, **changes: Any) -> Path:
        onnx.save(model if model is not None else make_share_graph(), tmp_path / "model.onnx")
        word_tokenizer().save(str(tmp_path / "tokenizer.json"))
        said = {**CONFIG, "head": {**CONFIG["head"], **(head_with or {})}, **changes}
        text = yaml.safe_dump({key: value for key, value in said.items() if value is not ...}, sort_keys=False)
        (tmp_path / "verifier.yaml").write_text(text, encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def share_graph() -> Callable[..., Any]:
    """Return the maker of the small model."""
    return make_share_graph
