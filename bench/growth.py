"""How work grows with hostile input, in CPU seconds at n, 2n and 4n; what hostile files and responses cost.

Every case runs in a process of its own, so that its CPU time and its peak memory are its own. Read the ratio from n to
4n: 4 is linear, 16 quadratic; all must stay under 4.5. The sizes are measured by turns and the least time of each
counts: the machine's other work only adds. A ratio that is too high is measured up to six times.
"""

import argparse
import gc
import io
import json
import os
import random
import resource
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Self

Work = Callable[[], object]
MOST_RATIO = 4.5
MOST_MB = 1000
MOST_S = 60
LEAST_S = 0.3  # what takes less is measured more often
LEAST_ROUNDS = 2
MOST_ROUNDS = 6
MB = 1 << 20
WORDS = """account branch card customer deposit fee form fund interest limit loan office order payment period plan rate
refund review sender transfer wire""".split()  # noqa: SIM905 - a list of words reads best as words


def main() -> None:
    """Run every case, or those that are named, and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = ", ".join([*CASES, *FILES, *RESPONSES])
    options.add_argument("cases", nargs="*", metavar="CASE", help=f"one of {known}; all where none is named")
    options.add_argument("--case", help=argparse.SUPPRESS)
    options.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.make:
        _make(chosen.case, chosen.make)
        return
    if chosen.case:
        measured = _measure(*CASES[chosen.case]) if chosen.case in CASES else _measure_hostile(chosen.case)
        print(json.dumps(measured))
        return
    grown = _print_growth([name for name in chosen.cases or CASES if name in CASES])
    held = _print_hostile([name for name in chosen.cases or [*FILES, *RESPONSES] if name in FILES | RESPONSES])
    sys.exit(0 if grown and held else 1)


def _print_growth(names: list[str]) -> bool:
    """Print how the work of each case grows; tell whether all of it is in proportion."""
    if not names:
        return True
    print(f"{'':24}{'n':>9}{'CPU s at n':>12}{'2n':>8}{'4n':>8}{'4n / n':>9}{'peak MB':>9}")
    held = True
    for name in names:
        done = _in_its_own_process(name)
        one, two, four = done["cpu_s"]
        ratio = four / max(one, 0.001)
        beyond = ratio >= MOST_RATIO or done["peak_mb"] >= MOST_MB
        held = held and not beyond
        print(
            f"{name:24}{done['n']:>9,}{one:>12.2f}{two:>8.2f}{four:>8.2f}{ratio:>9.2f}{done['peak_mb']:>9,.0f}"
            + ("  too much" if beyond else ""),
            flush=True,
        )
    return held


def _print_hostile(names: list[str]) -> bool:
    """Print what each hostile file and response costs; tell whether all of it is within bounds.

    The bytes of a response are those that were sent until the client had enough.
    """
    if not names:
        return True
    print(f"\n{'':32}{'bytes':>12}{'CPU s':>8}{'peak MB':>9}")
    held = True
    for name in names:
        done = _in_its_own_process(name)
        beyond = done["peak_mb"] >= MOST_MB or done["cpu_s"] >= MOST_S
        held = held and not beyond
        print(
            f"{name:32}{done['bytes']:>12,}{done['cpu_s']:>8.2f}{done['peak_mb']:>9,.0f}"
            + ("  too much" if beyond else ""),
            flush=True,
        )
    return held


def _in_its_own_process(name: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.growth", "--case", name]
    done: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return done


def _measure_hostile(name: str) -> dict[str, object]:
    """Give one hostile file or response to the command line, and tell what that process took; not what it says.

    A file is made by another process: a process begins with the peak memory of the one that started it.
    """
    with tempfile.TemporaryDirectory() as folder:
        if name in RESPONSES:
            encoding, content, _ = RESPONSES[name]
            with _Hostile(encoding, content) as server:
                used = _use(["run", str(_configure(Path(folder), name, server.server_address[1]))])
            return {"bytes": server.sent, **used}
        subprocess.run([sys.executable, "-m", "bench.growth", "--make", folder, "--case", name], check=True)
        [path] = Path(folder).iterdir()
        commands = {".yaml": ["rubric", "check", "verdict", "--rubric", str(path)], ".parquet": ["validate", str(path)]}
        command = commands.get(path.suffix, ["score", str(path), "--skip-bad", "--workers", "1"])
        return {"bytes": path.stat().st_size, **_use(command)}


def _use(command: list[str]) -> dict[str, object]:
    """Call the command, and return the CPU time and the peak memory of its process."""
    whole = [sys.executable, "-m", "plumbrule", *command]
    process = subprocess.Popen(whole, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    return {"cpu_s": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss / 1024}


class _Hostile(socketserver.ThreadingTCPServer):
    """Answers every request with the same content, without an end where it has none, and counts what it sent."""

    daemon_threads = True

    def __init__(self, encoding: str, content: Callable[[], Iterator[bytes]]) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.head = f"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-encoding: {encoding}\r\n".encode()
        self.content = content
        self.sent = 0

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Answer(socketserver.StreamRequestHandler):
    server: _Hostile

    def handle(self) -> None:
        length = 0
        while line := self.rfile.readline().strip():
            name, _, value = line.lower().partition(b":")
            length = int(value) if name == b"content-length" else length
        self.rfile.read(length)
        try:
            self.wfile.write(self.server.head)
            for piece in self.server.content():
                self.wfile.write(piece)
                self.server.sent += len(piece)
        except OSError:  # the client has had enough
            return


def _configure(folder: Path, name: str, port: int) -> Path:
    """Write a run of one sample whose candidate gives a hostile response."""
    (folder / "data.jsonl").write_text(
        '{"id": "1", "question": "What?", "answer": "Free.", "contexts": ["It is free."]}\n'
    )
    url = f"http://127.0.0.1:{port}/v1"
    plain = f'{{kind: model, model: "local:hostile", base_url: "{url}"}}'
    streamed = f'{{kind: http, url: "{url}", request: {{q: "{{question}}"}}, response: {{delta: t}}, stream: sse}}'
    candidate = streamed if RESPONSES[name][2] else plain
    path = folder / "run.yaml"
    more = "retry: {time_budget_s: 5}\ntimeout_s: 20\n"
    path.write_text(
        f"name: hostile\ndataset: {{path: data.jsonl, id: hostile}}\ncandidate: {candidate}\n"
        f"judge: {{kind: rules}}\n{more}"
    )
    return path


def _make(name: str, folder: Path) -> None:
    file, content = FILES[name]()
    (folder / file).write_bytes(content)


def _measure(prepare: Callable[[int], Work], n: int) -> dict[str, object]:
    prepare(max(1, n // 20))()  # the first time loads what is needed
    sizes = n, 2 * n, 4 * n
    rounds: list[list[float]] = []
    times = [0.0, 0.0, 0.0]
    while len(rounds) < LEAST_ROUNDS or (len(rounds) < MOST_ROUNDS and _is_open(times)):
        rounds.append([_cpu_s(prepare(size)) for size in sizes])
        times = [min(column) for column in zip(*rounds, strict=True)]  # other work on the machine only adds
    return {"n": n, "cpu_s": times, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _is_open(times: list[float]) -> bool:
    """Tell whether more rounds may change what is said: short work is noisy, and other work may have met the last."""
    return times[0] < LEAST_S or times[2] / times[0] >= MOST_RATIO


def _cpu_s(work: Work) -> float:
    gc.collect()  # what the work before left behind is none of this one's
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _sentence(number: int) -> str:
    """Return a sentence of its own: words at random, an amount, and a place for it among the others."""
    drawn = random.Random(number)  # noqa: S311 - the same text each time
    words = " ".join(drawn.choices(WORDS, k=10))
    return f"The {words} of office{number} costs ${number + 10}."


def _scored(record: Mapping[str, object]) -> Work:
    from plumbrule.rubrics import load_verdict  # noqa: PLC0415 - each case imports only its own
    from plumbrule.samples import sample_from  # noqa: PLC0415 - the same
    from plumbrule.verdicts import VerdictScorer  # noqa: PLC0415 - the same

    scorer = VerdictScorer(load_verdict())  # one of its own: it keeps the contexts that it has read
    sample = sample_from({"question": "What does the wire transfer of office7 cost?", **record})
    return lambda: scorer.score(sample)


def _contexts(n: int) -> Work:
    return _scored({"answer": " ".join(map(_sentence, range(5))), "contexts": [*map(_sentence, range(n))]})


def _one_context(n: int) -> Work:
    return _scored({"answer": " ".join(map(_sentence, range(5))), "contexts": [" ".join(map(_sentence, range(n)))]})


def _contexts_and_answer(n: int) -> Work:
    return _scored({"answer": " ".join(map(_sentence, range(n))), "contexts": [*map(_sentence, range(n))]})


def _equal_sentences(n: int) -> Work:
    text = f"{_sentence(1)} " * n
    return _scored({"answer": text, "contexts": [text]})


def _answer(n: int) -> Work:
    passage = " ".join(map(_sentence, range(1_000_000, 1_000_040)))
    return _scored({"answer": " ".join(map(_sentence, range(n))), "contexts": [passage]})


def _forms(n: int) -> Work:
    """Return words that all look like forms of one another."""

    def written(first: int) -> str:
        rows = [" ".join(f"office{10 * row + at}" for at in range(10)) for row in range(first, first + n)]
        return " ".join(f"The {row} costs ${number}." for number, row in enumerate(rows))

    return _scored({"answer": written(10 * n), "contexts": [written(0)]})


def _repeated(unit: str, *, context: str | None = None) -> Callable[[int], Work]:
    def prepare(n: int) -> Work:
        text = unit * n
        return _scored({"answer": f"It is {text} in all.", "contexts": [f"It is {context * n if context else text}."]})

    return prepare


def _unsupported(n: int) -> Work:
    """Return amounts that no context has, beside as many that may contradict them."""
    said = " ".join(f"The fee of office{number} is ${number}.75." for number in range(n))
    return _scored({"answer": said, "contexts": [*map(_sentence, range(n))]})


def _data(n: int) -> Work:
    """Return an answer on every key of data."""
    facts = json.dumps([{"name": f"office{number}", "wire fee": number, "open": True} for number in range(n)])
    said = " ".join(f"The wire fee is ${number}.75 at office{number}, which is not open." for number in range(n))
    return _scored({"answer": said, "contexts": [facts]})


def _numbered(unit: str) -> Callable[[int], Work]:
    def prepare(n: int) -> Work:
        text = ", ".join(unit.format(day=number % 28 + 1, year=1900 + number % 190, n=number) for number in range(n))
        return _scored({"answer": f"It is {text}.", "contexts": [f"It was {text}."]})

    return prepare


def _long_question(n: int) -> Work:
    text = " ".join(map(_sentence, range(n)))
    return _scored({"question": text, "answer": _sentence(3), "contexts": [_sentence(3)]})


def _marks(n: int) -> Work:
    from plumbrule.cli.views.verdict_tables import marked_answer  # noqa: PLC0415 - each case imports only its own
    from plumbrule.rubrics import load_verdict  # noqa: PLC0415 - the same
    from plumbrule.samples import sample_from  # noqa: PLC0415 - the same
    from plumbrule.verdicts import VerdictScorer  # noqa: PLC0415 - the same

    answer = " ".join(f"It is ${number}." for number in range(n))
    sample = sample_from({"answer": answer, "contexts": ["It is free."]})
    verdict = VerdictScorer(load_verdict()).score(sample)
    return lambda: marked_answer(sample, verdict, only_unsupported=True)


def _read(name: str, content: bytes) -> Work:
    from plumbrule.samples import DatasetFile  # noqa: PLC0415 - each case imports only its own

    def work() -> int:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(content)
            return sum(1 for _ in DatasetFile(path).open(on_bad=lambda _: None))

    return work


def _csv_columns(n: int) -> Work:
    header = ",".join(["id", "answer", *(f"c{number}" for number in range(n))])
    row = ",".join(["1", "A.", *("x" for _ in range(n))])
    return _read("a.csv", f"{header}\n{row}\n".encode())


def _refused_columns(n: int) -> Work:
    from plumbrule.errors import InputError  # noqa: PLC0415 - each case imports only its own

    read = _csv_columns(n)

    def work() -> None:
        with suppress(InputError):
            read()

    return work


def _csv_lines(n: int) -> Work:
    return _read("a.csv", b'id,answer\n1,"' + b"A line.\n" * n + b'"\n')


def _blank_lines(n: int) -> Work:
    return _read("a.json", b"\n" * n + b'[{"id": "1", "answer": "A."}]')


def _record_keys(n: int) -> Work:
    record = {"id": "1", "answer": "A.", **{f"k{number}": number for number in range(n)}}
    return _read("a.jsonl", json.dumps(record).encode())


def _nested_spans(n: int) -> Work:
    record = {"output.value": "A.", **{f"retrieval.documents.{at}.document.content": "x" for at in range(n)}}
    return _read("a.jsonl", json.dumps(record).encode())


def _parquet_columns(n: int) -> Work:
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.parquet as pq  # noqa: PLC0415 - the same

    buffer = io.BytesIO()
    pq.write_table(pa.table({"id": ["1"], "answer": ["A."], **{f"c{number}": [1] for number in range(n)}}), buffer)
    return _read("a.parquet", buffer.getvalue())


def _rubric(text: str) -> Work:
    from plumbrule.errors import UsageError  # noqa: PLC0415 - each case imports only its own
    from plumbrule.rubrics import load_verdict  # noqa: PLC0415 - the same

    def work() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mine.yaml"
            path.write_text(text)
            try:
                load_verdict(path)
            except UsageError:
                return

    return work


def _rubric_keys(n: int) -> Work:
    return _rubric("".join(f"k{number}: 1\n" for number in range(n)))


def _rubric_list(n: int) -> Work:
    return _rubric("relevance: {fail_below: [" + ", ".join(["1"] * n) + "]}\n")


CASES: dict[str, tuple[Callable[[int], Work], int]] = {
    "contexts": (_contexts, 2000),
    "sentences of a context": (_one_context, 2000),
    "contexts and answer": (_contexts_and_answer, 300),
    "unsupported amounts": (_unsupported, 300),
    "data and answer": (_data, 200),
    "equal sentences": (_equal_sentences, 300),
    "answer": (_answer, 500),
    "question": (_long_question, 10_000),
    "forms of a word": (_forms, 300),
    "marks of an answer": (_marks, 2000),
    "digit groups": (_repeated(",000", context=",000"), 10_000),
    "digits": (_repeated("7"), 50_000),
    "grouped numbers": (_numbered("{n},000"), 1000),
    "numbers": (_numbered("{n}"), 1000),
    "amounts": (_numbered("${n}.50"), 1000),
    "percentages": (_numbered("{n}%"), 1000),
    "dates": (_numbered("{day} March {year}"), 500),
    "dates by digits": (_numbered("2024-03-{day:02}"), 500),
    "days and years": (_numbered("March {day}, {year}"), 500),
    "clock times": (_numbered("{day}:30 pm"), 500),
    "number words": (_repeated("twenty one thousand "), 1000),
    "hyphens": (_repeated("one-"), 5000),
    "names": (_numbered("Ada{n} Smith"), 1000),
    "one word": (_repeated("ab"), 50_000),
    "one sentence": (_repeated("and the fee of the wire "), 1000),
    "citations": (_repeated("[1]"), 5000),
    "open brackets": (_repeated("("), 20_000),
    "quotes": (_repeated("“a” "), 3000),
    "full stops": (_repeated("."), 50_000),
    "initials": (_repeated("A. "), 3000),
    "line breaks": (_repeated("\n"), 50_000),
    "list items": (_repeated("\n- the fee is 3"), 1000),
    "table rows": (_repeated("\n| fee | 3 |"), 500),
    "spaces": (_repeated(" "), 50_000),
    "negations": (_repeated("not "), 3000),
    "refusals": (_repeated("I cannot answer that. "), 500),
    "combining marks": (_repeated("\u0301"), 20_000),
    "CSV columns": (_csv_columns, 4000),
    "CSV columns, refused": (_refused_columns, 50_000),
    "CSV lines in a cell": (_csv_lines, 200_000),
    "Parquet columns": (_parquet_columns, 2000),
    "blank lines before JSON": (_blank_lines, 200_000),
    "keys of a record": (_record_keys, 4000),
    "documents of a span": (_nested_spans, 4000),
    "rubric keys": (_rubric_keys, 10_000),
    "rubric list": (_rubric_list, 20_000),
}


def _answer_of(size: int) -> tuple[str, bytes]:
    text = " ".join(map(_sentence, range(size // 90)))
    passage = " ".join(map(_sentence, range(1_000_000, 1_000_040)))
    return "a.jsonl", json.dumps({"id": "1", "question": "What?", "answer": text, "contexts": [passage]}).encode()


def _packed(name: str, content: bytes) -> tuple[str, bytes]:
    return f"{name}.zst", _zstd(content)


def _parquet(**columns: list[object]) -> tuple[str, bytes]:
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.parquet as pq  # noqa: PLC0415 - the same

    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, compression="zstd")
    return "a.parquet", buffer.getvalue()


def _repeated_value() -> tuple[str, bytes]:
    """Return many rows that share one long value, which Parquet keeps once."""
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.parquet as pq  # noqa: PLC0415 - the same

    answers = pa.DictionaryArray.from_arrays(pa.array([0] * 256, pa.int32()), pa.array(["x" * (15 * MB)]))
    table = pa.table({"id": [str(number) for number in range(256)], "answer": answers})
    buffer = io.BytesIO()
    with pq.ParquetWriter(buffer, table.schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(table)
    return "a.parquet", buffer.getvalue()


FILES: dict[str, Callable[[], tuple[str, bytes]]] = {
    "answer of 500 kB": lambda: _answer_of(500_000),
    "answer of 4 MB": lambda: _answer_of(4_000_000),
    "packed line of 1 GB": lambda: _packed("a.jsonl", bytes(1 << 30)),
    "packed line breaks": lambda: _packed("a.json", b"\n" * (100 * MB)),
    "CSV cell of 100 MB in lines": lambda: _packed("a.csv", b'id,answer\n1,"' + b"a line\n" * (15 * MB) + b'"\n'),
    "CSV header of 15 MB": lambda: ("a.csv", b",".join(b"c%d" % number for number in range(2 * MB)) + b"\n"),
    "CSV cell of Python lists": lambda: ("a.csv", b'id,answer,contexts\n1,A.,"[' + b"'a'," * (3 * MB) + b']"\n'),
    "Parquet row of 100 MB": lambda: _parquet(id=["1"], answer=["x" * (100 * MB)]),
    "Parquet value in 256 rows": _repeated_value,
    "JSON nested without end": lambda: ("a.json", b"[" * (10 * MB)),
    "JSON Lines nested without end": lambda: ("a.jsonl", b'{"answer":"A.","metadata":' + b"[" * (10 * MB)),
    "record of empty lists": lambda: ("a.jsonl", b'{"answer":"A.","metadata":{"a":[' + b"[]," * (5 * MB) + b"[]]}}"),
    "record of keys": lambda: ("a.jsonl", b'{"answer":"A."' + b"".join(b',"%x":1' % n for n in range(MB)) + b"}"),
    "YAML aliases of aliases": lambda: (
        "a.yaml",
        b"a0: &a0 [1]\n"
        + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 30)),
    ),
    "YAML merge keys": lambda: (
        "a.yaml",
        b"a0: &a0 {x: 1}\n"
        + b"".join(b"a%d: &a%d {<<: [%s]}\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 30)),
    ),
}

HEAD = b"content-type: application/json\r\n\r\n"
EVENTS = b"content-type: text/event-stream\r\n\r\n"


def _endless(piece: bytes, head: bytes = HEAD, start: bytes = b"") -> Callable[[], Iterator[bytes]]:
    return lambda: chain([head, start], repeat(piece))


def _bomb(pack: Callable[[bytes], bytes], layers: int) -> Callable[[], Iterator[bytes]]:
    """Return zeros without an end, packed so many times."""

    def content() -> Iterator[bytes]:
        piece = pack(bytes(64 * MB)) * 64
        for _ in range(layers - 1):
            piece = pack(piece) * 64
        return chain([HEAD], repeat(piece))

    return content


def _gzip(content: bytes) -> bytes:
    return zlib.compress(content, wbits=31)


def _zstd(content: bytes) -> bytes:
    import zstandard  # noqa: PLC0415 - only these need it

    return zstandard.compress(content)


# of each: its encoding, the end of its head with its body, and whether it is read as a stream of events
RESPONSES: dict[str, tuple[str, Callable[[], Iterator[bytes]], bool]] = {
    "response packed by gzip": ("gzip", _bomb(_gzip, 1), False),
    "response packed by gzip twice": ("gzip, gzip", _bomb(_gzip, 2), False),
    "response packed by zstd": ("zstd", _bomb(_zstd, 1), False),
    "response packed by zstd twice": ("zstd, zstd", _bomb(_zstd, 2), False),
    "response packed ten times": (", ".join(["gzip"] * 10), _bomb(_gzip, 10), False),
    "response of gzip in events": ("gzip", _bomb(_gzip, 1), True),
    "response without an end": ("identity", _endless(b" " * MB), False),
    "response of empty packings": ("gzip", _endless(_gzip(b"") * 1000), False),
    "response of digits": ("identity", lambda: iter([HEAD, b'{"choices": ' + b"9" * (7 * MB) + b"}"]), False),
    "response nested without end": ("identity", lambda: iter([HEAD, b"[" * (7 * MB)]), False),
    "response of empty lists": ("identity", lambda: iter([HEAD, b'{"choices":[' + b"[]," * (2 * MB) + b"[]]}"]), False),
    "headers without an end": ("identity", _endless(b"x: y\r\n" * 1000, b""), False),
    "one header without an end": ("identity", _endless(b"x" * MB, b"x: "), False),
    "events without an end": ("identity", _endless(b'data: {"t": "word "}\n\n' * 1000, EVENTS), True),
    "events of nothing": ("identity", _endless(b": nothing\n\n" * 1000, EVENTS), True),
    "one event without an end": ("identity", _endless(b"x" * MB, EVENTS, b"data: "), True),
}


if __name__ == "__main__":
    main()
