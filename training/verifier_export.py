"""Writes the fitted cross-encoder as an ONNX graph with 8-bit weights, in a folder that the package opens."""

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import onnx
import onnxruntime
import yaml
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data
from onnxruntime.quantization import QuantType, quantize_dynamic

from plumbrule.support.verifier.verifier_config import CONFIG_NAME

_FAR = -1e4
_EVENED = 0.8  # how much of the difference between numbers goes over to the weights
_LEAST = 1e-5
_PART_BYTES = 29_000_000  # of a file
_OWN_BYTES = 100_000  # from which numbers are kept beside the graph where it is too large for one file
MATCH = "match.bias"  # a model with these lets no evidence read the sentence, and points a token to its like in it
DISTANCES = "distance.bias"  # of each head, by how far after a token another one stands; for some models
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
    "name": "mpnet-contrasts", "version": "6", "max_length": 448, "overlap": 64,
    "answers": {
        "passages": 320, "question": 60, "answer": 96, "intercept": 0.0, "binding": 1.0, "verifier": 0.3,
        "unbound": 1.4, "least": -0.84,
    },
    "sentences": {"intercept": 0.15, "verifier": 0.1},
}  # fmt: skip

Arrays = Mapping[str, Any]


def matched_from(layers: int) -> int:
    """Return the layer from which on tokens are pointed to their like; those below stay as they are."""
    return layers // 3


def write_folder(
    out: Path, weights: Arrays, *, heads: int, tokenizer: Path, read: Sequence[tuple[list[int], list[int]]] = ()
) -> None:
    """Write OUT/verifier: the graph with 8-bit weights, its tokenizer and its configuration.

    ``read`` has tokens of evidence and sentence, from which it is told how great the numbers become.
    """
    folder = out / "verifier"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        full, short = Path(place) / "full.onnx", Path(place) / "short.onnx"
        graph = build_graph(weights, heads=heads, ranges=_ranges(weights, heads, read))
        onnx.save(graph, full)
        far = [node.name for node in graph.graph.node if node.op_type == "Gather" and node.attribute]  # by distance
        # 7 of the 8 bits: sums of more overflow on processors without instructions for them, and would differ there
        quantize_dynamic(
            full, short, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True, nodes_to_exclude=far
        )
        parts = _save_in_parts(onnx.load(short), folder)
    shutil.copy(tokenizer, folder / "tokenizer.json")
    config = _CONFIG | (_WHOLE if MATCH in weights else {}) | ({"weights": parts} if parts else {})
    (folder / CONFIG_NAME).write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")


def _ranges(weights: Arrays, heads: int, read: Sequence[tuple[list[int], list[int]]]) -> Arrays:
    """Return how great the numbers become that some linear maps read, over these texts."""
    if not read:
        return {}
    content = build_graph(weights, heads=heads, ranges=None).SerializeToString()
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()][1:]
    greatest: dict[str, Any] = {}
    for evidence, sentence in read:
        given = {
            "input_ids": np.array([evidence + sentence], np.int64),
            "token_type_ids": np.array([[0] * len(evidence) + [1] * len(sentence)], np.int64),
        }
        found = session.run(names, given)
        greatest = {name: np.maximum(greatest.get(name, 0.0), each) for name, each in zip(names, found, strict=True)}
    return greatest


def _save_in_parts(model: Any, folder: Path) -> list[str]:
    """Save a model, its numbers in as many files of their own as it takes; return their names."""
    (folder / "model.onnx").unlink(missing_ok=True)
    if model.ByteSize() <= _PART_BYTES:
        onnx.save(model, folder / "model.onnx")
        return []
    parts = [bytearray()]
    for each in model.graph.initializer:
        content = numpy_helper.to_array(each).tobytes()
        if len(content) < _OWN_BYTES:
            continue
        if len(parts[-1]) + len(content) > _PART_BYTES:
            parts.append(bytearray())
        name, offset = f"weights-{len(parts)}.bin", len(parts[-1])
        parts[-1] += content
        each.raw_data = content  # what is kept elsewhere must have been kept as bytes
        set_external_data(each, name, offset, len(content))
        each.ClearField("raw_data")
    onnx.save(model, folder / "model.onnx")
    names = [f"weights-{number}.bin" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        (folder / name).write_bytes(part)
    return names


def build_graph(weights: Arrays, *, heads: int, ranges: Arrays | None = MappingProxyType({})) -> Any:
    """Return the graph in float32: the same sums as `verifier_model.logits`, or as `verifier_packed.packed_logits`.

    ``ranges`` has how great the numbers become that some linear maps read, by their names; without it (None) the graph
    puts that out beside the logits.
    """
    graph = _Graph(weights, heads, ranges)
    op, const = graph.op, graph.const
    rows, pooled = (1, graph.pooled_pair()) if MATCH in weights else ("batch", graph.pooled_rows())
    head = op("Add", op("MatMul", pooled, const(weights["head.weight"].T)), const(weights["head.bias"]))
    graph.nodes.append(helper.make_node("Identity", [head], ["logits"]))
    names = ("input_ids", "attention_mask", "token_type_ids")[:: 2 if MATCH in weights else 1]
    made = helper.make_graph(
        graph.nodes,
        "verifier",
        [helper.make_tensor_value_info(name, TensorProto.INT64, [rows, "sequence"]) for name in names],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, [rows, 1]),
            *(helper.make_tensor_value_info(name, TensorProto.FLOAT, [f"{name}.width"]) for name in graph.watched),
        ],
        graph.constants,
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


class _Graph:
    """The nodes and constants of a graph while it is built."""

    def __init__(self, weights: Arrays, heads: int, ranges: Arrays | None) -> None:
        self.weights = weights
        self.heads = heads
        self.ranges = ranges
        self.layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
        self.watched: list[str] = []
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def const(self, value: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value).reshape(np.shape(value)), name))
        return name

    def ints(self, *values: int) -> str:
        return self.const(np.array(values, np.int64))

    def op(self, kind: str, *given: str, **attributes: Any) -> str:
        (name,) = self.ops(kind, *given, **attributes)
        return name

    def ops(self, kind: str, *given: str, outputs: int = 1, **attributes: Any) -> list[str]:
        names = [f"t{len(self.nodes)}_{place}" for place in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(given), names, name=f"n{len(self.nodes)}", **attributes))
        return names

    def pooled_rows(self) -> str:
        """Return what the layers make of the sentence of each row; every token of a row reads every other."""
        op, const, ints = self.op, self.const, self.ints
        mask = op("Cast", "attention_mask", to=TensorProto.FLOAT)
        one, far = const(np.float32(1)), const(np.float32(_FAR))
        shut = op("Unsqueeze", op("Mul", op("Sub", one, mask), far), ints(1, 2))
        own = op("Unsqueeze", op("Mul", op("Cast", "token_type_ids", to=TensorProto.FLOAT), mask), ints(2))
        x = self.embedded()
        for layer in range(self.layers):
            query, key, value = self.parted(layer, ("query", "key", "value"), x)
            x = self.rest(layer, x, self.attended(query, key, value, shut))
        mean = op("Div", self.summed(op("Mul", x, own)), self.summed(own))
        most = op("ReduceMax", op("Add", x, op("Mul", op("Sub", one, own), far)), axes=[1], keepdims=0)
        return op("Concat", mean, most, axis=1)

    def pooled_pair(self) -> str:
        """Return what the layers make of the sentence of one pair: it reads the evidence, which never reads it.

        Each is multiplied with what it reads and with nothing else, and what the last layer would make of the evidence,
        which nobody reads, is left out.
        """
        op, const, ints = self.op, self.const, self.ints
        length = op("Slice", op("Shape", "input_ids"), ints(1), ints(2))
        own = op("ReduceSum", "token_type_ids", ints(1), keepdims=0)
        lengths = op("Concat", op("Sub", length, own), own, axis=0)
        evidence, sentence = self.ops("Split", "input_ids", lengths, outputs=2, axis=1)
        alike = op("Equal", op("Unsqueeze", sentence, ints(2)), op("Unsqueeze", evidence, ints(1)))
        alike = op("Cast", alike, to=TensorProto.FLOAT)
        absent, found = self.weights["match.embedding"]
        seen = op("Mul", op("ReduceMax", alike, axes=[2], keepdims=1), const(found - absent))
        seen = op("Add", seen, const(absent))
        like_none = op("Concat", ints(0, 0, 0, 0, 0), own, axis=0)  # a sentence is not pointed to itself
        alike = op("Unsqueeze", op("Pad", alike, like_none), ints(1))
        x = self.embedded()
        read_far, asking_far = self.distances(length, lengths)
        for layer in range(self.layers):
            near = asking_far
            if layer >= matched_from(self.layers):
                near = op("Mul", alike, const(self.weights[MATCH][layer].reshape(1, self.heads, 1, 1)))
                near = op("Add", near, asking_far) if asking_far else near
            if layer == matched_from(self.layers):
                read, asking = self.ops("Split", x, lengths, outputs=2, axis=1)
                x = op("Concat", read, op("Add", asking, seen), axis=1)
            if layer == self.layers - 1:
                _, asking = self.ops("Split", x, lengths, outputs=2, axis=1)
                (query,) = self.parted(layer, ("query",), asking)
                key, value = self.parted(layer, ("key", "value"), x)
                x = self.rest(layer, asking, self.attended(query, key, value, near))
                break
            query, key, value = self.parted(layer, ("query", "key", "value"), x)
            queries, keys, values = (
                self.ops("Split", each, lengths, outputs=2, axis=2) for each in (query, key, value)
            )
            read = self.attended(queries[0], keys[0], values[0], read_far)
            x = self.rest(layer, x, op("Concat", read, self.attended(queries[1], key, value, near), axis=2))
        mean, most = (op(kind, x, axes=[1], keepdims=0) for kind in ("ReduceMean", "ReduceMax"))
        return op("Concat", mean, most, axis=1)

    def distances(self, length: str, lengths: str) -> tuple[str | None, str | None]:
        """Return what tokens of the evidence, and of the sentence, think of others by their distance, if anything."""
        if DISTANCES not in self.weights:
            return None, None
        op, told = self.op, self.weights[DISTANCES]
        places = op("Range", self.const(np.int64(0)), op("Squeeze", length, self.ints(0)), self.const(np.int64(1)))
        apart = op("Sub", op("Unsqueeze", places, self.ints(0)), op("Unsqueeze", places, self.ints(1)))
        apart = op("Add", apart, self.ints(told.shape[1] // 2))
        far = op("Unsqueeze", op("Gather", self.const(told), apart, axis=1), self.ints(0))
        read, asking = self.ops("Split", far, lengths, outputs=2, axis=2)
        return self.ops("Split", read, lengths, outputs=2, axis=3)[0], asking

    def embedded(self) -> str:
        """Return what each token is by itself, at its place."""
        op, const, weights = self.op, self.const, self.weights
        length = op("Slice", op("Shape", "input_ids"), self.ints(1), self.ints(2))
        places = const(weights["embeddings.position_embeddings.weight"])
        x = op("Gather", const(weights["embeddings.word_embeddings.weight"]), "input_ids")
        x = op("Add", x, op("Gather", const(weights["embeddings.token_type_embeddings.weight"]), "token_type_ids"))
        x = op("Add", x, op("Slice", places, self.ints(0), length, self.ints(0)))
        return self.normed("embeddings.LayerNorm", x)

    def parted(self, layer: int, names: Sequence[str], x: str) -> list[str]:
        """Return what tokens ask for, are found by or tell, each: row, head, token, number; one product for all."""
        at = f"encoder.layer.{layer}.attention.self."
        width = self.weights[f"{at}query.weight"].shape[0]
        deep = width // self.heads
        scales = {name: np.float32(deep**-0.5 if name == "query" else 1) for name in names}
        weight, bias = (
            np.concatenate([self.weights[f"{at}{name}.{part}"] * scale for name, scale in scales.items()])
            for part in ("weight", "bias")
        )
        x = self.product(x, weight, bias)
        x = self.op("Reshape", x, self.ints(0, 0, len(names) * self.heads, deep))
        x = self.op("Transpose", x, perm=[0, 2, 1, 3])
        if len(names) == 1:
            return [x]
        return self.ops("Split", x, self.ints(*[self.heads] * len(names)), outputs=len(names), axis=1)

    def attended(self, query: str, key: str, value: str, near: str | None) -> str:
        """Return what tokens read of others; ``near`` is added to what one thinks of another."""
        scores = self.op("MatMul", query, self.op("Transpose", key, perm=[0, 1, 3, 2]))
        if near:
            scores = self.op("Add", scores, near)
        return self.op("MatMul", self.op("Softmax", scores, axis=-1), value)

    def rest(self, layer: int, x: str, met: str) -> str:
        """Return what a layer makes of tokens and of what they have read."""
        op, const, at = self.op, self.const, f"encoder.layer.{layer}."
        width = self.weights[f"{at}attention.output.dense.weight"].shape[0]
        met = op("Reshape", op("Transpose", met, perm=[0, 2, 1, 3]), self.ints(0, 0, width))
        x = self.normed(
            f"{at}attention.output.LayerNorm", op("Add", x, self.linear(f"{at}attention.output.dense", met))
        )
        wide = self.evened(f"{at}intermediate.dense", x)
        bent = op("Add", op("Erf", op("Div", wide, const(np.float32(2**0.5)))), const(np.float32(1)))
        wide = op("Mul", op("Mul", wide, bent), const(np.float32(0.5)))
        return self.normed(f"{at}output.LayerNorm", op("Add", x, self.evened(f"{at}output.dense", wide)))

    def summed(self, x: str) -> str:
        return self.op("ReduceSum", x, self.ints(1), keepdims=0)

    def linear(self, name: str, x: str) -> str:
        return self.product(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def evened(self, name: str, x: str) -> str:
        """Return the same where some numbers of each token are far greater than others.

        All numbers of a product share one scale of 8 bits, and the greatest would leave the others a few steps. So they
        are divided by how great they become, and the weights multiplied by it.
        """
        weight = self.weights[f"{name}.weight"]
        if self.ranges is None:
            self.nodes.append(helper.make_node("ReduceMax", [self.op("Abs", x)], [name], axes=[0, 1], keepdims=0))
            self.watched.append(name)
        elif self.ranges:
            width = np.abs(weight).max(0)
            scale = np.maximum(self.ranges[name], _LEAST) ** _EVENED / np.maximum(width, _LEAST) ** (1 - _EVENED)
            x, weight = self.op("Mul", x, self.const((1 / scale).astype(np.float32))), weight * scale
        return self.product(x, weight.astype(np.float32), self.weights[f"{name}.bias"])

    def product(self, x: str, weight: Any, bias: Any) -> str:
        """Return the tokens by a linear map."""
        return self.op("Add", self.op("MatMul", x, self.const(weight.T)), self.const(bias))

    def normed(self, name: str, x: str) -> str:
        scale, shift = self.const(self.weights[f"{name}.weight"]), self.const(self.weights[f"{name}.bias"])
        return self.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-12)
