#!/usr/bin/env bash
# Checks answers, or carries out a run and its gates, in CI. The reports go to a folder, GitHub's summary of the job is
# filled, and the exit code is that of the first command that fails.
#
#   PLUMBRULE_DATASET        answers to give verdicts to          PLUMBRULE_RUBRIC   recommended
#   PLUMBRULE_CONFIGURATION  a run to carry out and to gate       PLUMBRULE_FAIL_ON  fail
#   PLUMBRULE_MAP            where the fields of the answers stand: lines of FIELD=COLUMN
#   PLUMBRULE_VERDICTS       the format of the report on answers: md, or xml for JUnit
#   PLUMBRULE_REPORT         the folder, plumbrule-report         PLUMBRULE_DECIDE_ON  point
#   PLUMBRULE_ACCEPT_INCONCLUSIVE  true: a run that is not settled passes
set -uo pipefail

inconclusive=5
most=500000 # bytes of one report in the summary: GitHub takes 1 MiB a step
report=${PLUMBRULE_REPORT:-plumbrule-report}
code=0

keep() { # the exit code of the first command that fails
  if [ "$code" -eq 0 ]; then code=$1; fi
}

summarise() {
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$1" ]; then
    head -c "$most" "$1" >>"$GITHUB_STEP_SUMMARY"
    printf '\n' >>"$GITHUB_STEP_SUMMARY"
  fi
}

if [ -z "${PLUMBRULE_DATASET:-}${PLUMBRULE_CONFIGURATION:-}" ]; then
  echo "name a dataset (PLUMBRULE_DATASET), a run configuration (PLUMBRULE_CONFIGURATION), or both" >&2
  exit 2
fi
mkdir -p "$report"

if [ -n "${PLUMBRULE_DATASET:-}" ]; then
  columns=()
  while IFS= read -r line; do
    if [ -n "$line" ]; then columns+=(--map "$line"); fi
  done <<<"${PLUMBRULE_MAP:-}"
  plumbrule score "$PLUMBRULE_DATASET" ${columns[@]+"${columns[@]}"} --rubric "${PLUMBRULE_RUBRIC:-recommended}" \
    --fail-on "${PLUMBRULE_FAIL_ON:-fail}" -o "$report/verdicts.${PLUMBRULE_VERDICTS:-md}"
  keep $?
  summarise "$report/verdicts.md"
fi

if [ -n "${PLUMBRULE_CONFIGURATION:-}" ]; then
  plumbrule run "$PLUMBRULE_CONFIGURATION"
  ran=$?
  keep $ran
  if [ "$ran" -eq 0 ]; then
    for kind in html md xml; do
      plumbrule report last -o "$report/run.$kind"
      keep $?
    done
    summarise "$report/run.md"
    plumbrule gate last --decide-on "${PLUMBRULE_DECIDE_ON:-point}" >/dev/null
    gated=$?
    plumbrule ledger verify --keep "$report/checkpoint.json"
    keep $?
    if [ "$gated" -ne "$inconclusive" ] || [ "${PLUMBRULE_ACCEPT_INCONCLUSIVE:-false}" != true ]; then keep $gated; fi
  fi
fi
exit "$code"
