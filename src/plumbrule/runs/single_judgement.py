"""One answer judged alone, on the same path as a run, without a ledger."""

import os
from dataclasses import asdict
from pathlib import Path

from plumbrule.codec import fields_of, take_fields
from plumbrule.engines import run_to_end
from plumbrule.errors import EvaluationError
from plumbrule.judges import Judge
from plumbrule.judges.rules_judge import RulesJudge
from plumbrule.runs.budget import Spending
from plumbrule.runs.candidate import Answered, CandidateIdentity, RecordedCandidate
from plumbrule.runs.components import Opener, Rubrics, load_rubrics
from plumbrule.runs.config_file import check_secrets, load_config
from plumbrule.runs.execution import Execution, Failed, Finished, OwnTasks, Task
from plumbrule.runs.run_results import JudgeUse, SingleJudgement
from plumbrule.runs.sample_results import grade_all
from plumbrule.samples import Sample


def judge_sample(sample: Sample, config: Path | None = None) -> SingleJudgement:
    """Judge one recorded answer by the judge and the rubrics of ``config``, or by the rules that ship."""
    loaded = None if config is None else load_config(config)
    rubrics = load_rubrics(loaded)
    if loaded is None:
        finished = run_to_end(_judge(sample, RulesJudge(rubrics.rules, rubrics.verdict), rubrics, None))
    else:
        check_secrets(loaded.config, os.environ)
        opener = Opener(loaded, rubrics)
        finished = run_to_end(_judge(sample, opener.open_judge(), rubrics, opener))
    [graded] = grade_all([finished.result], rubrics.benchmark.rubric)
    judgement = finished.judgement
    return SingleJudgement(
        **asdict(graded.summary()),
        judge=take_fields(JudgeUse, judgement, **fields_of(judgement.judge)),
        support=judgement.support,
        rubrics=rubrics.stamps(),
    )


async def _judge(sample: Sample, judge: Judge, rubrics: Rubrics, opener: Opener | None) -> Finished:
    memory = _Memory()
    candidate = RecordedCandidate(CandidateIdentity(kind="recorded", model_id=sample.model_id))
    refuses = rubrics.refusal_reader()
    tasks = OwnTasks(samples=[sample], repeats=1)
    execution = Execution(candidate=candidate, judge=judge, journal=memory, tasks=tasks, concurrency=1, refuses=refuses)
    try:
        await execution.run()
    finally:
        if opener is not None:
            await opener.aclose()
    if memory.done is None:
        raise EvaluationError(f"the answer could not be judged: {memory.reason}; try again later")
    return memory.done


class _Memory:
    """Remembers the one task."""

    done: Finished | None = None
    reason: str | None = None

    async def started(self, task: Task) -> None:
        pass

    async def answered(self, task: Task, answered: Answered, spent: Spending) -> None:
        pass

    async def finished(self, finished: Finished) -> None:
        self.done = finished

    async def failed(self, failed: Failed) -> None:
        self.reason = failed.reason
