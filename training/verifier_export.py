"""Writes the fitted cross-encoder as an ONNX graph with 8-bit weights, in a folder that the package opens."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import yaml
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from plumbrule.support.verifier.verifier_config import CONFIG_NAME

_FAR = -1e4
MATCH = "match.bias"  # a model with these lets no evidence read the sentence, and points a token to its like in it
_CONFIG = {
    "name": "minilm-l6-support",
    "version": "2",
    "model": "model.onnx",
    "tokenizer": "tokenizer.json",
    "template": "evidence_first",
    "head": {"labels": ["supported"], "activation": "sigmoid", "support": ["supported"]},
    "max_length": 128,
    "overlap": 32,
}
_WHOLE = {  # of one that reads whole passages; `training.verifier_weights` sets what it weighs
    "name": "gte-small-contrasts", "version": "3", "max_length": 448, "overlap": 64,
    "answers": {"passages": 320, "question": 60, "answer": 96, "intercept": 0.0, "binding": 1.0, "verifier": 0.3},
    "sentences": {"intercept": 0.155, "verifier": 0.1},
}  # fmt: skip

Arrays = dict[str, Any]


def matched_from(layers: int) -> int:
    """Return the layer from which on tokens are pointed to their like; those below stay as they are."""
    return layers // 3


def write_folder(out: Path, weights: Arrays, *, heads: int, tokenizer: Path) -> None:
    """Write OUT/verifier: the graph with 8-bit weights, its tokenizer and its configuration."""
    folder = out / "verifier"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        full = Path(place) / "full.onnx"
        onnx.save(build_graph(weights, heads=heads), full)
        # 7 of the 8 bits: sums of more overflow on processors without instructions for them, and would differ there
        quantize_dynamic(full, folder / "model.onnx", weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    shutil.copy(tokenizer, folder / "tokenizer.json")
    config = _CONFIG | (_WHOLE if MATCH in weights else {})
    (folder / CONFIG_NAME).write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def build_graph(weights: Arrays, *, heads: int) -> Any:
    """Return the graph in float32: the same sums as `verifier_model.logits`."""
    graph = _Graph(weights)
    op, const, ints = graph.op, graph.const, graph.ints
    length = op("Slice", op("Shape", "input_ids"), ints(1), ints(2))
    positions = op("Slice", const(weights["embeddings.position_embeddings.weight"]), ints(0), length, ints(0))
    x = op("Gather", const(weights["embeddings.word_embeddings.weight"]), "input_ids")
    x = op("Add", x, op("Gather", const(weights["embeddings.token_type_embeddings.weight"]), "token_type_ids"))
    x = graph.normed("embeddings.LayerNorm", op("Add", x, positions))
    mask = op("Cast", "attention_mask", to=TensorProto.FLOAT)
    one, far = const(np.float32(1)), const(np.float32(_FAR))
    shut = op("Unsqueeze", op("Mul", op("Sub", one, mask), far), ints(1, 2))
    own = op("Mul", op("Cast", "token_type_ids", to=TensorProto.FLOAT), mask)
    given = op("Sub", mask, own)
    own = op("Unsqueeze", own, ints(2))
    same = ""
    if MATCH in weights:
        read = op("Mul", op("Sub", one, own), op("Sub", one, op("Unsqueeze", given, ints(1))))
        shut = op("Unsqueeze", op("Mul", op("Max", read, op("Unsqueeze", op("Sub", one, mask), ints(1))), far), ints(1))
        alike = op("Equal", op("Unsqueeze", "input_ids", ints(2)), op("Unsqueeze", "input_ids", ints(1)))
        alike = op("Mul", op("Cast", alike, to=TensorProto.FLOAT), op("Mul", own, op("Unsqueeze", given, ints(1))))
        same = op("Unsqueeze", alike, ints(1))
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    for layer in range(layers):
        if same and layer == matched_from(layers):
            absent, found = weights["match.embedding"]
            seen = op("Mul", op("ReduceMax", alike, axes=[2], keepdims=1), const(found - absent))
            x = op("Add", x, op("Mul", own, op("Add", seen, const(absent))))
        near = shut
        if same and layer >= matched_from(layers):
            near = op("Add", shut, op("Mul", same, const(weights[MATCH][layer].reshape(1, heads, 1, 1))))
        asking = None
        if layer == layers - 1:  # what the last layer makes of the evidence nobody reads
            asking = op("Squeeze", op("NonZero", op("ReduceMax", own, axes=[0, 2], keepdims=0)), ints(0))
            near, own = op("Gather", near, asking, axis=2) if same else near, op("Gather", own, asking, axis=1)
        x = graph.layer(f"encoder.layer.{layer}.", x, near, heads, asking)
    mean = op("Div", graph.summed(op("Mul", x, own)), graph.summed(own))
    most = op("ReduceMax", op("Add", x, op("Mul", op("Sub", one, own), far)), axes=[1], keepdims=0)
    pooled = op("Concat", mean, most, axis=1)
    head = op("Add", op("MatMul", pooled, const(weights["head.weight"].T)), const(weights["head.bias"]))
    graph.nodes.append(helper.make_node("Identity", [head], ["logits"]))
    names = ("input_ids", "attention_mask", "token_type_ids")
    made = helper.make_graph(
        graph.nodes,
        "verifier",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"]) for name in names],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
        graph.constants,
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


class _Graph:
    """The nodes and constants of a graph while it is built."""

    def __init__(self, weights: Arrays) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def const(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name))
        return name

    def ints(self, *values: int) -> str:
        return self.const(np.array(values, np.int64))

    def op(self, kind: str, *given: str, **attributes: Any) -> str:
        name = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(given), [name], **attributes))
        return name

    def summed(self, x: str) -> str:
        return self.op("ReduceSum", x, self.ints(1), keepdims=0)

    def linear(self, name: str, x: str) -> str:
        product = self.op("MatMul", x, self.const(self.weights[f"{name}.weight"].T))
        return self.op("Add", product, self.const(self.weights[f"{name}.bias"]))

    def normed(self, name: str, x: str) -> str:
        scale, shift = self.const(self.weights[f"{name}.weight"]), self.const(self.weights[f"{name}.bias"])
        return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-12)

    def layer(self, at: str, x: str, shut: str, heads: int, asking: str | None = None) -> str:
        """Return what a layer makes of all tokens, or of those at some places."""
        op, const = self.op, self.const
        width = self.weights[f"{at}attention.self.query.weight"].shape[0]
        read, x = x, op("Gather", x, asking, axis=1) if asking else x
        query, key, value = (
            op(
                "Transpose",
                op("Reshape", self.linear(f"{at}attention.self.{part}", of), self.ints(0, 0, heads, width // heads)),
                perm=order,
            )
            for part, of, order in (
                ("query", x, [0, 2, 1, 3]),
                ("key", read, [0, 2, 3, 1]),
                ("value", read, [0, 2, 1, 3]),
            )
        )
        scale = const(np.float32((width / heads) ** -0.5))
        share = op("Softmax", op("Add", op("Mul", op("MatMul", query, key), scale), shut), axis=-1)
        met = op("Transpose", op("MatMul", share, value), perm=[0, 2, 1, 3])
        met = self.linear(f"{at}attention.output.dense", op("Reshape", met, self.ints(0, 0, width)))
        x = self.normed(f"{at}attention.output.LayerNorm", op("Add", x, met))
        wide = self.linear(f"{at}intermediate.dense", x)
        bent = op("Add", op("Erf", op("Mul", wide, const(np.float32(2**-0.5)))), const(np.float32(1)))
        wide = op("Mul", op("Mul", wide, const(np.float32(0.5))), bent)
        return self.normed(f"{at}output.LayerNorm", op("Add", x, self.linear(f"{at}output.dense", wide)))
