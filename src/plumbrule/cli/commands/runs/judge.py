"""``plumbrule judge``: one answer, judged as a run would judge it."""

from pathlib import Path

import click

from plumbrule.cli.options import json_option


@click.command("judge")
@click.argument("sample", required=False)
@click.option("-q", "--question", help="The question.")
@click.option("-a", "--answer", help="The answer to judge.")
@click.option("-c", "--context", "contexts", multiple=True, help="A context that it was given; may be repeated.")
@click.option("-r", "--reference", help="The expected answer.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="Judge as this run configuration says.")
@json_option
def command(
    sample: str | None,
    question: str | None,
    answer: str | None,
    contexts: tuple[str, ...],
    reference: str | None,
    config: Path | None,
    as_json: bool,
) -> None:
    """Judge one answer for accuracy and faithfulness, 0 to 2 each, by the offline rules or by the judge of --config.

    SAMPLE is a file with one record, or - for standard input; or give the parts as options. An answer that gets
    neither score, for example because the judge's reply cannot be read, is exit code 4.

    \b
    Examples:
      plumbrule judge -q "What is the fee?" -a "It is $25." -c "The fee is $25." -r "$25."
      plumbrule judge sample.json --config run.yaml --json
    """
    from plumbrule.api.runs import judge
    from plumbrule.cli.terminal_console import print_result
    from plumbrule.cli.views.judgement_view import read_one, show_judgement
    from plumbrule.errors import EvaluationError

    given = {"question": question, "answer": answer, "contexts": list(contexts) or None, "reference": reference}
    parts = {name: value for name, value in given.items() if value is not None}
    judgement = judge(read_one(sample, parts), config)
    print_result(judgement, show_judgement, as_json=as_json)
    if judgement.accuracy_score is None and judgement.faithfulness_score is None:
        reason = judgement.error_detail or judgement.evaluator_error
        raise EvaluationError(f"the answer could not be judged: {reason}")
