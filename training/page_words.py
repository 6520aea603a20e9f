"""The words of docs/agreement.md, around its figures."""

INTRODUCTION = """\
# Agreement with people

How far does the support score agree with people who read an answer beside its contexts? This page is written by
`make agreement` from {rows} human-labelled answers of {sets} public data sets, {unsupported} of them with at least one
statement that the contexts do not support. None of the data is kept in this repository: RAGTruth (MIT), WiCE (ODC-BY),
SummEdits (Apache-2.0), BEGIN (CC BY 4.0) and ExpertQA (MIT); `make agreement DATA=folder` names where it lies.
`make support` trains the model again on the same answers and on {pairs} sentences made by rule from their contexts.

**Leave one data set out.** All agreement below is of a model, and a calibration, that never saw the data set it is
measured on, nor sentences made from it: one model for each data set, trained on all the others. That is the nearest
thing to your own answers, which no model of ours has seen. The model that ships is trained on all of them. Binding,
which decides on short answers to a question, was fitted to none of them: its model comes from [everyday
rows](#everyday-answers) and contrasts.

**What the figures mean.** AUROC is the chance that an unsupported answer gets a higher risk than a supported one: 0.5
is a coin, 1 is perfect. It says how well answers are *ranked*, not whether a probability is right (that is
[calibration](#calibration)) nor where to draw a line. A mean over tasks and then data sets keeps a large data set from
speaking for the rest.

**What they do not mean.** Measures, word lists and the few constants of the score were chosen while looking at these
data sets, so the figures flatter it a little, however the weights were fitted. People do not always agree with each
other either. And nobody's labels here are of your documents: label some answers of your own and run
`plumbrule support calibrate`.

**What was asked of the score**, and whether it is reached. A "yes" is of the mean; where an interval is given below, it
may reach under what was asked."""

CHANGED = """\
## What changed

Since version 4 of the model two checks share the work. *Coverage*, the score as it was, finds what an answer **adds**:
sentences whose words no passage has. *Binding* finds what an answer **changes**: the right words with one wrong value,
role or condition. Binding decides on short answers to a question ([how](support.md#binding)), coverage on all others,
and on sentences that repeat a passage.

Most answers of the public data sets are no short answers to a question: binding decides on {decided} of {rows}, all in
BEGIN and ExpertQA. So these figures hardly move, and the mean is {mean}. BEGIN is talk over one passage, where
additions are what goes wrong. Answers are ranked by the score that the product gives them, which mixes both checks in
one task. The figures before are of version 3, measured in the same way.

Since version 5 binding weighs its findings by weights and small decision trees, fitted to 13,680 contrasts of nine more
authors beside the everyday rows, traces words to the clauses they come from, and no longer holds a short sentence
to be unsupported because no passage has its words: in short answers those are more often right than wrong.

Since version 6 the models of binding and of the verifier are fitted to the contrasts of nine and six more authors; the
verifier reads short answers without values over a single passage too, if the question has three of its words; and an
answer without a question is seldom held *supported*. Where binding decided on those short answers, ExpertQA lost .03
and BEGIN .004, so it does not.

The verifier of version 3 is a deeper model, nine layers instead of six, and was fitted to the contrasts of three more
authors; version 4 was fitted to those of six more, and takes three fifths of the time.

Since version 8 of the model an answer over a single passage is taken for a short one to a question if the passage has
one word of the question, two where the answer has no value, and two more where it has fewer than 30 words; before,
three in ten such answers of a new author were left to coverage. Numbers without a unit are held against each other
where they look like prices or codes of a length, and the cells of a table or an object wherever they can be compared:
before, only those of one column. Where there is nothing to bind, the verifier only adds doubt. All of it was made with
a look at cherry and plum, two new development authors, whose rows were in no fit of the verifier; what counts as short,
and what the verifier may do where nothing is bound, was chosen so that BEGIN and ExpertQA lose nothing.

Since version 9 contexts of up to 120 words need no word of the question if they are a document that tells its reader
what holds: laid out as headings, rows, objects or lists, or, from 30 words on, with words such as "must", "your" or
"per". Loosely worded questions have no word of their passage. The words and limits were chosen with a look at cherry,
plum, BEGIN and ExpertQA. Version 5 of the verifier was fitted to the contrasts of fourteen more authors, most over a
single short passage.

Since version 10 a value, or a name, that stands where the nearest passage has another one, between the same words or
after the last of them, is a finding of its own, and what the passage has there is the rival. The rule and its two
limits were made with a look at the development authors: over these seven, binding alone gained .007 in the mean, and it
gained .003 to .007 on each of eighteen authors of contrasts.

Version 6 of the verifier is a model five times as large, fitted to what version 5 had been fitted to. The recommended
rubric (version 2) lets the support score decide on numbers and dates that no context has, too."""

EVERYDAY = """\
## Everyday answers

The public data sets are mostly summaries and long answers. `training/everyday` has {rows} short answers to everyday
questions over company documents, in minimal pairs: from the same contexts a right answer and one or two that are wrong
in as little as a real mistake would be. A right paraphrase shares fewer words with its context than a wrong near-copy,
so coverage alone, which looks for additions, is hardly better than a coin or worse: the first column of figures.

Seventeen authors wrote them. **What is left out:** for the seven development authors (ash to plum) the model of binding
that scores an author's rows was fitted, and scaled, without that author. **What is not:** rules, word lists and
constants were made with a look at the rows of all seven. No rule, no weight and no constant was made with cedar,
dogwood, hazel, ivy, aspen, hickory, tupelo, walnut, chestnut and mimosa, the *unread authors*; for them everything is
as it ships, without [the verifier](verifier.md) and with it (*verified*). The first four were asked with each version
of the verifier; aspen and hickory were written for its version 4, tupelo and walnut for its version 5, chestnut and
mimosa for version 10 of the model, and asked again since. Read their lines, and take the others for what development
saw.
*Hawthorn* stands apart: its {confirmed} answers (`training/contrasts`), most of them over a single passage, were
written after the rules were made and are for measuring only.

A row is *flagged* where its band is *unsupported* or a finding shows a **rival**: what the context has in place of a
value. Balanced accuracy is of that. Intervals (95%) come from drawing the pairs of each author again {draws} times; the
line of several authors is their mean.

{authors}

On unread authors the AUROC is {alone}, and with the verifier {auroc} ({low} to {high}). That is better than a coin and
**not good enough to decide alone**: of the answers held *supported* {supported} are right, of those held *unsupported*
{unsupported} are wrong, and {doubtful} of all are *doubtful* (means of these authors). A person, or a judge that is a
strong model, has to read what matters.

**What it finds** (half or more flagged): {found}. **What it does not** (fewer than three in ten flagged): {missed}.
**What it flags wrongly** (more than two right ones in ten): {alarms}.

By kind, first of unread authors with the verifier, then of development authors by a model that never saw the author.
The AUROC of a kind is of its rows against all right ones. A kind has few rows: a share of 20 rows is sure to about 0.2
either way.

{wrong}

{right}"""

CONTRADICTIONS = """\
## False contradictions

A contradiction is shown with what the context says instead, and `--fail-on contradicted` stops a build on it. So it
should seldom stand against a right answer. These are answers that people found supported, up to 100 of each data set
(of RAGTruth of each task), drawn once, scored by the model that ships: how many have a rival, and how many are said to
be contradicted by a finding of any kind in a sentence that is not held supported. Long answers full of values, such as
descriptions of a business from its data, are where a value is most often held against the wrong place. How clear a
rival must be before it is shown was chosen with a look at these data sets, so the figures flatter."""

RANKING = """\
## Ranking answers

AUROC, leave one data set out. Beside the support score stand trivial ones: the number of words of the answer; the share
of its words that stand nowhere in the contexts; the hallucination score of the verdict rubric (claims checked by
proximity); and the number of names, numbers, dates and data fields that the contexts do not have or deny, which is one
measure of the support score by itself. The two files of WiCE count as one data set.

Rows of one source are not independent: the {wice_rows} rows of WiCE are {wice_claims} claims, each against several
passages, and the {expertqa_rows} of ExpertQA are claims in the answers to {expertqa_questions} questions. Drawing the
sources of each data set again {draws} times, for all its tasks at once, the mean of support is {mean} (95% interval
{low} to {high}), and {above} above word overlap ({above_low} to {above_high}).

That is for other answers of these data sets. Data sets differ by more than that, and yours is none of these. The 95%
interval of the AUROC on a *new* data set, by how far these {sets} differ, is {new_low} to {new_high}; of the
difference to word overlap it is {new_above_low} to {new_above_high}."""

WITHIN = """\
## Within one generator

On RAGTruth, to know which model wrote the answer and for which task, and to read nothing, gives an AUROC of {alone}:
weak generators err more. A score could gain by recognising a style. So this is the AUROC among answers of one
generator to one task, averaged over generators; it is given where either class has at least {least} answers
(there are {cells} cells of generator and task in all)."""

ABLATION = """\
## What each part is worth

The mean AUROC of the left-out data sets, when the model is fitted without a part:

{parts}

By sentence or by answer, and how the sentences of a long answer add up (their risks are summed and divided by their
number to this power: 0 is the sum, 1 the mean):

{levels}

Measures that were tried and left out, each added to the measures that ship, with its sign held. A weight of
zero says that the fit has no use for the measure, or would turn it round. The last column says whether the sentences
made by rule are to blame; compare it with "without the sentences made by rule" in the first table.

{tried}"""

CLAIMS = """\
## Claims of the verdict rubric

Balanced accuracy (the mean of the shares of supported and of unsupported answers called right; 0.5 is a coin) of the
hallucination score, claims checked by proximity as the verdict rubric does (above {limit:g}), and by evidence as the
[recommended rubric](verdict-rubric.md#the-recommended-rubric) does: a claim is supported if its sentence is at least
`support.claim_from` ({claim_from:g}) likely, and the score is above {recommended:g}. A number or a date that no context
has follows its sentence as well. Model and calibration never saw the data set, and the verifier is asked; both
constants were chosen on three of these data sets and everyday rows. With the limit {recommended:g}, proximity
has {moved} in the mean over all tasks.

Drawing the sources again, evidence is {gained} above proximity in the mean over all tasks (95% interval {low} to
{high}). Read it by data set too: the gain is far from even."""

CALIBRATION = """\
## Calibration

The expected calibration error, in ten bins: how far a probability is from the share of answers that people found
supported, on average. Shares of unsupported answers differ between data sets, and will in your deployment, so a
probability calibrated elsewhere misleads. `plumbrule support calibrate` fits a curve to your own labels: here to
{labels} labels drawn at random, measured on all the other answers, {draws} times; and, more strictly, to as many labels
of one half of the sources, measured on the answers of the other half. The last column is what chance alone would show
on that half if every probability were right.

{table}

The probabilities before, by left-out data set; on the dashed line they come true, and a circle is as large as the
number of its answers:

![Reliability of the support score on data sets its model never saw]({diagram})

The bands by the limits of the rubric ({high:g} and {low:g}), with the verifier, before any labels of the data set.
Without a question coverage alone decides, and it does not see small changes: of the summaries in SummEdits that it puts
at 0.7 or more, fewer than half are right. So an answer without a question is held *supported* only if each of its
sentences repeats a passage word for word, or from {unasked:g} on (`support.supported_unasked_from`), until labels of
your own say better. That limit was set with a look at SummEdits:

{bands}"""

SPANS = """\
## Unsupported spans

The stretches of the answer held unsupported against those that RAGTruth's annotators marked, counted in characters over
all its answers, by the model that never saw RAGTruth. What ships is "{ships}", as whole sentences (F1 {f1}). The best
F1 here has "{best}" ({best_f1}). "Findings" are the words, names and values that the score points at; a sentence
without any is held as a whole."""

SPEED = """\
## Speed

CPU time of one process of one machine for an answer of RAGTruth, the mean of {answers} ({words} words on average,
against {context_words} words of context), and for an everyday answer. Read the proportions: another machine has other
times. These are the only figures of this page that change from run to run."""

MODEL = """\
## The model that ships

{name} version {version}, sha256 `{sha256}`;
the hash covers its weights and its word lists, and stands in every result.
A weight is what one unit of a measure adds to the log-odds that a sentence is unsupported, from {intercept} where
nothing speaks against it. Every weight keeps its sign, so that more support never raises the risk."""
