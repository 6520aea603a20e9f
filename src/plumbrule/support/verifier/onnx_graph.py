"""Runs the ONNX graph, one pair at a time on one core, and reads the labels that it puts out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from plumbrule.errors import EvaluationError, MissingExtraError, UsageError
from plumbrule.support.verifier.pair_encoder import Tokens
from plumbrule.support.verifier.verifier_config import ConfigFile
from plumbrule.terminal import safe

if TYPE_CHECKING:
    import onnxruntime
    from tokenizers import Tokenizer

_DTYPES = {"tensor(int64)": "int64", "tensor(int32)": "int32"}
_SLACK = 1e-4  # a share of a sum in float32 may be a little more than 1
_FATAL = 4  # the runtime's own log stays off the terminal: what goes wrong is raised, and told once


class Graph:
    """A graph of the file that the configuration names, checked against what the configuration says of it.

    Pairs are never put into one batch: a graph whose numbers are quantised as it runs takes their scale from the whole
    batch, so that a pair would score by its neighbours; and on one core a batch is no quicker.
    """

    def __init__(self, file: ConfigFile, model: bytes, weights: Sequence[bytes]) -> None:
        self._file = file
        self._head = file.config.head
        self._session = _open_session(file, model, weights)
        self._inputs = self._read_inputs()
        self._output = self._read_output()

    def run(self, tokens: Tokens) -> list[float]:
        """Return the number of each label; of a graph that labels every token, those of the first."""
        import numpy as np  # noqa: PLC0415 - it comes with the runtime

        given = {"input_ids": tokens.ids, "token_type_ids": tokens.type_ids, "attention_mask": [1] * len(tokens.ids)}
        feed = {name: np.array([given[name]], dtype=dtype) for name, dtype in self._inputs.items()}
        try:
            output: Any = self._session.run([self._output], feed)[0]
        except Exception as error:  # noqa: BLE001 - the runtime's errors have no type in common
            raise EvaluationError(
                f"{self._file.path}: the model fails on {len(tokens.ids)} tokens: {_line(error)}; "
                "check max_length, and that the tokenizer is the model's own"
            ) from None
        if output.ndim == 3:
            output = output[:, 0]
        if output.shape != (1, len(self._head.labels)):
            raise self._file.error(
                ("head", "labels"),
                f"there are {len(self._head.labels)}, but the model's output '{self._output}' has the form "
                f"{list(output.shape)} for one pair; name each label, in the model's order",
            )
        if not np.isfinite(output).all():
            raise EvaluationError(f"{self._file.path}: the model gives no finite number for {len(tokens.ids)} tokens")
        values = [float(value) for value in output[0]]
        if self._head.activation == "none" and not all(-_SLACK <= value <= 1 + _SLACK for value in values):
            raise self._file.error(
                ("head", "activation"),
                f"the model gives {max(values, key=abs):g}, no probability; set softmax or sigmoid",
            )
        return values

    def _read_inputs(self) -> dict[str, str]:
        """Return the type of each input that the graph wants."""
        inputs = {}
        for wanted in self._session.get_inputs():
            if wanted.name not in {"input_ids", "attention_mask", "token_type_ids"} or wanted.type not in _DTYPES:
                raise self._error(
                    f"wants the input '{wanted.name}' as {wanted.type}; a cross-encoder wants input_ids, and perhaps "
                    "attention_mask and token_type_ids, as integers"
                )
            fixed = [size for size in wanted.shape if isinstance(size, int)]
            if len(wanted.shape) != 2 or isinstance(wanted.shape[1], int) or any(size != 1 for size in fixed):
                raise self._error(
                    f"wants the input '{wanted.name}' in the form {wanted.shape}; export it for texts of any length "
                    "(dynamic axes: batch, sequence)"
                )
            inputs[wanted.name] = _DTYPES[wanted.type]
        if "input_ids" not in inputs:
            raise self._error("has no input 'input_ids'; it is no cross-encoder over tokens")
        return inputs

    def _read_output(self) -> str:
        """Return the name of the output to read: the one that is configured, else "logits", else the only one."""
        names = [output.name for output in self._session.get_outputs()]
        wanted = self._file.config.output
        if wanted is None:
            if "logits" in names or len(names) == 1:
                return "logits" if "logits" in names else names[0]
            raise self._error(f"has the outputs {', '.join(names)}; name the one to read under 'output'")
        if wanted not in names:
            raise self._file.error(
                ("output",), f"the model has no output '{wanted}'; there are: {safe(', '.join(names))}"
            )
        return wanted

    def _error(self, problem: str) -> UsageError:
        return self._file.error(("model",), f"'{self._file.config.model}' {safe(problem)}")


def open_tokenizer(file: ConfigFile, content: bytes) -> "Tokenizer":
    """Return the tokenizer in a tokenizer.json."""
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 - an extra that most users do not need
    except ImportError:
        raise _missing() from None
    try:
        return Tokenizer.from_str(content.decode())
    except Exception as error:  # noqa: BLE001 - the package raises bare exceptions
        raise file.error(
            ("tokenizer",), f"'{file.config.tokenizer}' is not a tokenizer.json that can be read: {_line(error)}"
        ) from None


def _open_session(file: ConfigFile, model: bytes, weights: Sequence[bytes]) -> "onnxruntime.InferenceSession":
    try:
        import onnxruntime  # noqa: PLC0415 - an extra that most users do not need
    except ImportError:
        raise _missing() from None
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.enable_mem_pattern = False  # it keeps a plan for every length that comes by
    options.log_severity_level = _FATAL
    # Opened from what was read and hashed. Weights that nobody named are not looked for where the program runs: the
    # place to look in is the model's file, in which there is nothing.
    nowhere = str(file.path.parent / file.config.model)
    options.add_session_config_entry("session.model_external_initializers_file_folder_path", nowhere)
    names = [name.rpartition("/")[2] for name in file.config.weights]
    if names:
        options.add_external_initializers_from_files_in_memory(names, list(weights), [len(each) for each in weights])
    try:
        # The fused sum and norm of the runtime takes four times as long on a processor as the two one after the other.
        return onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"]
        )
    except Exception as error:  # noqa: BLE001 - the runtime's errors have no type in common
        key = "model"
        problem = f"'{file.config.model}' is not an ONNX model that can be run: {_line(error)}"
        if nowhere in str(error):
            key = "weights" if names else key
            problem = (
                f"'{file.config.model}' keeps its numbers in another file; name it under 'weights': {_line(error)}"
            )
        raise file.error((key,), problem) from None


def _missing() -> MissingExtraError:
    return MissingExtraError(need="a verifier", extra="verifier")


def _line(error: Exception) -> str:
    """Return what a library says, as one short line."""
    text = str(error).removeprefix("[ONNXRuntimeError] : ")
    return safe(" ".join(text.split()))[:300]
