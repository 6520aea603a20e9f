"""How work grows with hostile input: CPU seconds at n, 2n and 4n of each kind, and the peak memory of each.

Every case runs in a process of its own, so that its CPU time and its peak memory are its own. Read the ratio from n to
4n: 4 is linear, 16 quadratic; all must stay under 4.5. The machine's other work moves the times, not the ratios.
"""

import argparse
import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Work = Callable[[], object]
MOST_RATIO = 4.5
MOST_MB = 1000
WORDS = """account branch card customer deposit fee form fund interest limit loan office order payment period plan rate
refund review sender transfer wire""".split()  # noqa: SIM905 - a list of words reads best as words


def main() -> None:
    """Run every case, or those that are named, and print the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("cases", nargs="*", metavar="CASE", help=f"one of {', '.join(CASES)}; all where none is named")
    options.add_argument("--case", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.case:
        print(json.dumps(_measure(*CASES[chosen.case])))
        return
    print(f"{'':24}{'n':>9}{'CPU s at n':>12}{'2n':>8}{'4n':>8}{'4n / n':>9}{'peak MB':>9}")
    held = True
    for name in chosen.cases or CASES:
        command = [sys.executable, "-m", "bench.growth", "--case", name]
        done: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        one, two, four = done["cpu_s"]
        ratio = four / max(one, 0.001)
        beyond = ratio >= MOST_RATIO or done["peak_mb"] >= MOST_MB
        held = held and not beyond
        print(
            f"{name:24}{done['n']:>9,}{one:>12.2f}{two:>8.2f}{four:>8.2f}{ratio:>9.2f}{done['peak_mb']:>9,.0f}"
            + ("  too much" if beyond else ""),
            flush=True,
        )
    sys.exit(0 if held else 1)


def _measure(prepare: Callable[[int], Work], n: int) -> dict[str, object]:
    prepare(max(1, n // 20))()  # the first time loads what is needed
    times = []
    for size in (n, 2 * n, 4 * n):
        work = prepare(size)
        times.append(min(_cpu_s(work), _cpu_s(work)))  # the lesser: other work on the machine only adds
    return {"n": n, "cpu_s": times, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _cpu_s(work: Work) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def _sentence(number: int) -> str:
    """Return a sentence of its own: words at random, an amount, and a place for it among the others."""
    drawn = random.Random(number)  # noqa: S311 - the same text each time
    words = " ".join(drawn.choices(WORDS, k=10))
    return f"The {words} of office{number} costs ${number + 10}."


def _scored(record: Mapping[str, object]) -> Work:
    from plumbrule.api.scoring import score  # noqa: PLC0415 - each case imports only its own

    return lambda: score(**{"question": "What does the wire transfer of office7 cost?", **record})  # type: ignore[arg-type]


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
    "question": (_long_question, 1000),
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
    "list items": (_repeated("\n- the fee is 3"), 500),
    "table rows": (_repeated("\n| fee | 3 |"), 500),
    "spaces": (_repeated(" "), 50_000),
    "negations": (_repeated("not "), 3000),
    "refusals": (_repeated("I cannot answer that. "), 500),
    "combining marks": (_repeated("\u0301"), 20_000),
    "CSV columns": (_csv_columns, 10_000),
    "CSV lines in a cell": (_csv_lines, 100_000),
    "Parquet columns": (_parquet_columns, 500),
    "blank lines before JSON": (_blank_lines, 200_000),
    "keys of a record": (_record_keys, 20_000),
    "documents of a span": (_nested_spans, 20_000),
    "rubric keys": (_rubric_keys, 2000),
    "rubric list": (_rubric_list, 5000),
}


if __name__ == "__main__":
    main()
