"""``plumbrule sample``: draw what is to be reviewed on an occasion, and open its campaign."""

from pathlib import Path
from typing import Literal

import click

from plumbrule.cli.options import (
    json_option,
    ledger_option,
    rubric_options,
    verdict_rubric_option,
    weaker_policy_option,
)


@click.command("sample")
@click.argument("path")
@click.option(
    "--trigger",
    required=True,
    metavar="TRIGGER",
    help="The occasion: pre-deployment, model-change, corpus-release, monitoring or incident.",
)
@click.option("--size", type=click.IntRange(min=1), metavar="N", help="How many; else what the trigger says.")
@click.option("--seed", type=int, default=42, show_default=True, help="The same seed draws the same sample.")
@click.option("--passages", metavar="PATH", help="The corpus: a JSON or JSONL file, or a folder, of passages by id.")
@click.option(
    "--changed",
    metavar="FILE|IDS",
    help="corpus-release: what changed, as ids with commas between them, or a file of ids or passages.",
)
@click.option("--trace", metavar="TRACE_ID", help="incident: the interaction.")
@click.option("--earlier", metavar="PATH", help="model-change: the earlier model's answers, paired with the new ones.")
@click.option("--week", metavar="YYYY-Www", help="Only interactions of this ISO week, in UTC, such as 2026-W05.")
@click.option("--name", metavar="NAME", help="What the campaign is called; else an id with the time.")
@click.option("--evaluators", type=click.IntRange(min=1), metavar="N", help="More evaluators for each item.")
@click.option(
    "--mode",
    type=click.Choice(["any_record", "run_mean"]),
    default="any_record",
    show_default=True,
    help="What blocks at the close: any record, or for rules that are not about Unsafe the mean.",
)
@click.option(
    "--decide-on",
    type=click.Choice(["point", "bound"]),
    help="What the average overall score is compared by: itself, or the end of its interval; else as the rubric says.",
)
@click.option("--as", "person", metavar="NAME", help="Who opens it; else user.name in settings.")
@click.option("--strict", is_flag=True, help="Stop at the first deviation from the response contract.")
@verdict_rubric_option
@click.option("--no-claims", is_flag=True, help="Pre-score numbers and dates only: no parser, several times faster.")
@click.option("--dry-run", is_flag=True, help="Draw and show; open nothing, write nothing.")
@rubric_options
@weaker_policy_option
@click.option("--show-proposals", is_flag=True, help="Evaluators see the pre-scores on the pages before they rated.")
@ledger_option
@json_option
def command(
    path: str,
    trigger: str,
    size: int | None,
    seed: int,
    passages: str | None,
    changed: str | None,
    trace: str | None,
    earlier: str | None,
    week: str | None,
    name: str | None,
    evaluators: int | None,
    mode: Literal["any_record", "run_mean"],
    decide_on: Literal["point", "bound"] | None,
    person: str | None,
    strict: bool,
    verdict_rubric: Path | None,
    no_claims: bool,
    dry_run: bool,
    rubric: Path | None,
    settings: tuple[str, ...],
    accept_weaker_policy: bool,
    show_proposals: bool,
    ledger_url: str | None,
    as_json: bool,
) -> None:
    """Draw a review sample from the interactions at PATH, open a campaign on it, and print the manifest.

    PATH holds responses and traces, as for prescore. What is drawn follows from the trigger: the full test suite before
    a deployment; a representative sample after a change of model; what a new corpus touches; 50 by strata each week;
    one interaction of an incident. Only what is drawn is pre-scored and goes into the ledger; --verdict-rubric is for
    these pre-scores, --rubric is the scorecard. How the campaign will decide is fixed now: by --rubric, --mode and
    --decide-on.

    \b
    Examples:
      plumbrule sample answers.jsonl --trigger monitoring --week 2025-W03 --name week-3 --as Fay
      plumbrule sample answers.jsonl --trigger pre-deployment --decide-on bound --as Fay
      plumbrule sample answers.jsonl --trigger corpus-release --changed OPS-014,REC-003 --as Fay
      plumbrule sample new.jsonl --trigger model-change --size 100 --earlier old.jsonl --as Fay
      plumbrule sample log.jsonl --trigger incident --trace 96d0cc5f-d4c2-4c2e-bc26-847f0316909e --as Fay
    """
    from plumbrule.api import reviews
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.sample_manifest import show_draw
    from plumbrule.reviews.campaigns.campaign_store import ReleaseTerms
    from plumbrule.reviews.sample_draw import Request
    from plumbrule.rubrics import parse_override

    request = Request(
        trigger=trigger,
        path=path,
        passages=passages,
        seed=seed,
        size=size,
        changed=changed,
        trace=trace,
        earlier=earlier,
        week=week,
        strict=strict,
        claims=not no_claims,
        verdict_rubric=verdict_rubric,
    )
    overrides = dict(parse_override(setting) for setting in settings)
    if dry_run:
        draw = reviews.draw(request, rubric=rubric, overrides=overrides)
    else:
        draw = reviews.open_campaign(
            request,
            name=name,
            evaluators=evaluators,
            terms=ReleaseTerms(
                mode=mode,
                decide_on=decide_on,
                accept_weaker_policy=accept_weaker_policy,
                show_proposals=show_proposals,
            ),
            author=person,
            rubric=rubric,
            overrides=overrides,
            ledger=ledger_url,
        )
    print_result(draw, show_draw, as_json=as_json)
