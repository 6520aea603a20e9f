"""The verifier: the probability that evidence supports a sentence, the same alone and in company."""

import hashlib
import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from plumbrule.hashing import sha256_of
from plumbrule.support.calibration import logistic
from plumbrule.support.verifier.onnx_graph import Graph, open_tokenizer
from plumbrule.support.verifier.pair_encoder import Encoder
from plumbrule.support.verifier.verifier_config import AnswerReading, ConfigFile, Head, PackedVerifier

_DECIMALS = 6  # float32 holds no more
_LEAST_ROOM = 8  # tokens beside the template, for evidence and sentence
# How the work is done, and where files lie; what comes out does not depend on it.
_ASIDE = ("model", "tokenizer", "weights", "threads", "cache")

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """How probable it is that the evidence supports the sentence and, where the model tells, contradicts it."""

    support: float
    contradiction: float | None


class Verifier:
    """A cross-encoder of the user's, opened by ``open_verifier``. It may be used from several threads."""

    def __init__(self, *, identity: dict[str, str], encoder: Encoder, graph: Graph, file: ConfigFile) -> None:
        self._identity = identity
        self._encoder = encoder
        self._graph = graph
        self._head = file.config.head
        self._threads = file.config.threads
        self._cache = _Cache(file.config.cache)
        self.answers: AnswerReading | None = file.config.answers  # None for one that is asked about single sentences
        self.sentences = file.config.sentences

    @property
    def identity(self) -> dict[str, str]:
        """Name, version and the hash of all that a result depends on: model, tokenizer and configuration."""
        return dict(self._identity)

    def verify(self, pairs: Sequence[Pair]) -> list[float]:
        """Return, for each pair of evidence and sentence, the probability that the evidence supports the sentence."""
        return [each.support for each in self.examine(pairs)]

    def examine(self, pairs: Sequence[Pair]) -> list[Verification]:
        """Return the same with the probability that the evidence contradicts the sentence."""
        keys = [_key(pair) for pair in pairs]
        found = self._cache.get(keys)
        todo = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in found}
        if self._threads > 1 and len(todo) > 1:
            with ThreadPoolExecutor(min(self._threads, len(todo))) as pool:
                made = dict(zip(todo, pool.map(self._examine_one, todo.values()), strict=True))
        else:
            made = {key: self._examine_one(pair) for key, pair in todo.items()}
        self._cache.add(made)
        return [made[key] if key in made else found[key] for key in keys]

    def has_room(self, passages: Sequence[str]) -> bool:
        """Tell whether a verifier of answers reads all of these passages."""
        return self.answers is not None and self._encoder.fits(passages, self.answers.passages)

    def verify_answer(self, passages: Sequence[str], question: str, answer: str) -> float:
        """Return the probability that the passages support an answer to a question, all of it read at once."""
        if self.answers is None:
            raise ValueError("this verifier is asked about sentences")
        tokens = self._encoder.encode_answer(passages, question, answer, self.answers)
        return probabilities(self._graph.run(tokens), self._head)[0]

    def _examine_one(self, pair: Pair) -> Verification:
        """Judge one pair: the best window for each part of the sentence, and the weakest part for the sentence."""
        evidence, sentence = pair
        if not evidence.strip():  # nothing supports nothing, whatever a model makes of an empty text
            return Verification(support=0.0, contradiction=0.0 if self._head.contradiction else None)
        parts = [
            [probabilities(self._graph.run(tokens), self._head) for tokens in windows]
            for windows in self._encoder.encode(evidence, sentence)
        ]
        contradicted = [against for windows in parts for _, against in windows if against is not None]
        return Verification(
            support=min(max(support for support, _ in windows) for windows in parts),
            contradiction=max(contradicted, default=None),
        )


def open_verifier(source: Path | PackedVerifier) -> Verifier:
    """Return the verifier in a folder with a verifier.yaml, or that of such a file; docs/verifier.md has its form."""
    file = ConfigFile(source)
    config = file.config
    model = file.read_file(config.model, ("model",))
    tokenizer = file.read_file(config.tokenizer, ("tokenizer",))
    weights = [file.read_file(name, ("weights", number)) for number, name in enumerate(config.weights)]
    said = {key: value for key, value in asdict(config).items() if key not in _ASIDE}
    parts = {"model": model, "tokenizer": tokenizer, **{f"weights {n}": each for n, each in enumerate(weights)}}
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in parts.items()}
    identity = {
        "name": config.name,
        "version": config.version,
        "sha256": sha256_of({"configuration": said, "files": hashes}),
    }
    encoder = Encoder(
        open_tokenizer(file, tokenizer), template=config.template, max_length=config.max_length, overlap=config.overlap
    )
    if encoder.spare < _LEAST_ROOM:
        raise file.error(
            ("max_length",), f"leaves no room: the template takes {config.max_length - encoder.spare} tokens by itself"
        )
    if config.answers is not None and len(encoder.frame) != 2:
        raise file.error(("answers",), "the tokenizer must put one mark before a text and one after it")
    verifier = Verifier(identity=identity, encoder=encoder, graph=Graph(file, model, weights), file=file)
    verifier.verify([("The sky is blue.", "The sky is blue.")])  # a model that does not fit is told of now
    return verifier


def probabilities(values: Sequence[float], head: Head) -> tuple[float, float | None]:
    """Return the probability of support and that of contradiction, where the head has a label for it."""
    match head.activation:
        case "softmax":
            top = max(values)
            weights = [math.exp(value - top) for value in values]
            total = math.fsum(weights)
            shares = [weight / total for weight in weights]
        case "sigmoid":
            shares = [logistic(value) for value in values]
        case "none":
            shares = list(values)
    by_label = dict(zip(head.labels, shares, strict=True))
    support = _rounded(by_label[label] for label in head.support)
    return support, _rounded(by_label[label] for label in head.contradiction) if head.contradiction else None


def _rounded(shares: Iterable[float]) -> float:
    return round(min(max(math.fsum(shares), 0.0), 1.0), _DECIMALS)


def _key(pair: Pair) -> bytes:
    """Return a short key for two texts of any length."""
    evidence, sentence = (text.encode("utf-8", "surrogatepass") for text in pair)
    return hashlib.sha256(b"%d %b%b" % (len(evidence), evidence, sentence)).digest()


class _Cache:
    """What was judged lately, so many pairs and no more."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[bytes, Verification] = OrderedDict()
        self._lock = Lock()

    def get(self, keys: Iterable[bytes]) -> dict[bytes, Verification]:
        found = {}
        with self._lock:
            for key in keys:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found[key] = self._kept[key]
        return found

    def add(self, made: dict[bytes, Verification]) -> None:
        with self._lock:
            self._kept.update(made)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
