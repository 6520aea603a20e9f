# Targets for make: include it in your Makefile. 'make answers' gives verdicts, 'make release' runs and gates.
PLUMBRULE ?= plumbrule
ANSWERS   ?= answers.jsonl
RUN       ?= run.yaml

.PHONY: answers release

answers:
	$(PLUMBRULE) score $(ANSWERS) --rubric recommended --fail-on fail

release:
	$(PLUMBRULE) run $(RUN)
	$(PLUMBRULE) gate last
