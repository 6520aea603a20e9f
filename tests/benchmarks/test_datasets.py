"""The datasets of the benchmarks are the same for the same seed, and as long as they are said to be."""

from itertools import islice

from bench.datasets import generate_short


def test_short_samples_are_streamed_and_the_same_each_time() -> None:
    """A longer dataset begins as a shorter one, and the first samples come before the last is made."""
    assert list(islice(generate_short(10**12), 50)) == list(generate_short(50))


def test_short_samples_are_short_and_one_in_four_is_wrong() -> None:
    """A context has about 50 words; three answers in four are a sentence of it, the fourth has another number."""
    samples = list(generate_short(400))
    assert all(30 <= len(sample["contexts"][0].split()) <= 70 for sample in samples)
    for number, sample in enumerate(samples):
        said = sample["answer"].removesuffix(".").partition(", as file")[0]
        assert (said in sample["contexts"][0]) == (number % 4 != 3)
