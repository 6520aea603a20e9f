"""The templates of the pages: every text from outside is made safe and escaped; a missing value is an error."""

import hashlib
import shlex
from datetime import date, datetime
from functools import cache, partial
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup, escape

from plumbrule._version import __version__
from plumbrule.reports.page import make_environment, safe_text
from plumbrule.terminal import masked_address, shortened
from plumbrule.text.figure_format import measured
from plumbrule.web.addresses import path_part
from plumbrule.web.desk.campaign_words import figure_words, policy_words, reason_words, stratum_words, trigger_words
from plumbrule.web.views.figure_words import NOTHING, aligned, remark_words, rule_words, shown_figure, shown_score

_NAVIGATION = (  # the parts of the application, in the head of every page, and where else their pages are
    ("/", "Overview", ()),
    ("/try", "Try it", ()),
    ("/runs", "Runs", ("/compare", "/jobs")),
    ("/rate", "Rate", ()),
    ("/adjudicate", "Adjudicate", ()),
    ("/campaigns", "Campaigns", ()),
    ("/monitoring", "Monitoring", ("/feedback", "/incidents")),
)


def render_template(name: str, /, **values: object) -> str:
    """Return a page."""
    return _environment().get_template(name).render(values)


def compile_templates() -> None:
    """Compile every template, which the first visitor of each page would wait for."""
    for name in _environment().list_templates():
        _environment().get_template(name)


@cache
def static_address(name: str) -> str:
    """Return the address of a file of the application, which changes when the file does."""
    content = (files("plumbrule.web") / "static" / name).read_bytes()
    return f"/static/{name}?v={hashlib.sha256(content).hexdigest()[:12]}"


def shown_time(moment: datetime | str | None) -> Markup | str:
    """Return a moment in UTC, which the page's script turns to the reader's zone."""
    if moment is None:
        return "–"
    at = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    iso, words = at.isoformat(), f"{at:%Y-%m-%d %H:%M}"
    return Markup('<time datetime="{}" title="{} UTC">{} UTC</time>').format(iso, escape(words), escape(words))


def shown_day(day: date | str) -> Markup:
    """Return a day, which the page's script writes as it does moments."""
    text = day.isoformat() if isinstance(day, date) else day
    return Markup('<time datetime="{0}">{0}</time>').format(escape(text))


def answered_time(text: str) -> Markup | str:
    """Return a moment that an assistant wrote, as the pages show moments; as it is where it is none with a zone."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    return shortened(text, 40) if at is None or at.tzinfo is None else shown_time(at)


def key_words(key: str) -> str:
    """Return a code such as POLICY_BLOCKED as words."""
    return key.replace("_", " ").lower()


def plural(count: int, word: str, words: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def sentence(message: str) -> str:
    """Return a message of an error as a sentence; one that begins with the id of a run keeps it as it is."""
    begun = message if message.startswith("run-") else message[:1].upper() + message[1:]
    return begun + ("" if message.endswith((".", "!", "?")) else ".")


@cache
def _environment() -> Environment:
    filters = {
        "time": shown_time,
        "day": shown_day,
        "shortened": shortened,
        "sentence": sentence,
        "masked_address": masked_address,
        "part": path_part,
        "shell_word": shlex.quote,
        "answered_time": answered_time,
        "key_words": key_words,
        "dimension": figure_words,
        "stratum": stratum_words,
        "trigger": trigger_words,
        "figure": shown_figure,
        "score": shown_score,
        "aligned": aligned,
        "remark": remark_words,
        "rule": rule_words,
        "policy": policy_words,
        "reason": reason_words,
    }
    environment = make_environment(safe_text, filters, package="plumbrule.web")
    environment.globals |= {
        "static": static_address,
        "version": __version__,
        "plural": plural,
        "navigation": _NAVIGATION,
        "measured": partial(measured, absent=NOTHING),
    }
    return environment
