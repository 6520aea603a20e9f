"""The request to an HTTP candidate: a template filled in from a sample, and places in a response."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from plumbrule.samples.sample_model import Sample
from plumbrule.text.templates import sendable

_PLACE = re.compile(r"\{([A-Za-z_][\w.-]*)\}")
_KNOWN = ("question", "sample_id", "contexts", "role")
_METADATA = "metadata."


def ask_question(sample: Sample) -> dict[str, Any]:
    """Return the request of a run without a template: the question, and by which id it is asked."""
    return {"query": sendable(sample.question), "sample_id": sendable(sample.id)}


def template_reader(template: Mapping[str, Any]) -> Callable[[Sample], Mapping[str, Any]]:
    """Return what makes a request of a sample; a text that is one place alone becomes its value as it is."""

    def fill(sample: Sample) -> Mapping[str, Any]:
        filled: Mapping[str, Any] = _filled(template, sample)
        return filled

    return fill


def unknown_places(template: object) -> Iterator[str]:
    """Yield the names of places in a template that nothing is known to stand for."""
    for name in _places(template):
        if name not in _KNOWN and not name.startswith(_METADATA):
            yield name


def asks_the_question(template: object) -> bool:
    """Tell whether the question stands anywhere in a template."""
    return "question" in _places(template)


def value_at(content: object, path: str) -> Any:  # noqa: ANN401 - JSON
    """Return what stands at a dotted path such as ``choices.0.message.content``; None where nothing does."""
    for part in path.split("."):
        if isinstance(content, Mapping):
            content = content.get(part)
        elif isinstance(content, list) and part.isascii() and part.isdigit() and int(part[:9]) < len(content):
            content = content[int(part[:9])]
        else:
            return None
    return content


def _places(template: object) -> Iterator[str]:
    if isinstance(template, str):
        yield from _PLACE.findall(template)
    elif isinstance(template, Mapping | list):
        for part in template.values() if isinstance(template, Mapping) else template:
            yield from _places(part)


def _filled(template: object, sample: Sample) -> Any:  # noqa: ANN401 - JSON
    if isinstance(template, Mapping):
        return {name: _filled(part, sample) for name, part in template.items()}
    if isinstance(template, list):
        return [_filled(part, sample) for part in template]
    if not isinstance(template, str):
        return template
    alone = _PLACE.fullmatch(template)
    if alone is not None:
        return _value(alone[1], sample)
    return _PLACE.sub(lambda place: _text(_value(place[1], sample)), template)  # in one pass: no value is a template


def _value(name: str, sample: Sample) -> Any:  # noqa: ANN401 - JSON
    if name == "question":
        return sendable(sample.question)
    if name == "sample_id":
        return sendable(sample.id)
    if name == "contexts":
        return [sendable(passage.text) for passage in sample.contexts]
    value = sample.metadata.get("role" if name == "role" else name.removeprefix(_METADATA))
    return sendable(value) if isinstance(value, str) else value


def _text(value: object) -> str:
    if isinstance(value, list):
        return "\n\n".join(map(str, value))
    return "" if value is None else str(value)
