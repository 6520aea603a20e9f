"""Bounds on the work that one sentence, one value or one claim can cost, far beyond what real texts reach.

With them the work on an answer grows in proportion to its length and that of its contexts, whatever they repeat.
"""

LONGEST_SENTENCE = 4_000  # characters; what goes on without an end is cut
MOST_PARSED = 50_000  # characters of an answer whose claims are read
MOST_PLACES = 1_024  # places of its words in the contexts at which the evidence of a sentence is looked for
MOST_WINDOWS = 4_096  # stretches of the contexts whose words are kept for the next sentence
MOST_BOUND = 24_000  # characters of an answer whose values are held against those of the contexts
MOST_FORMS = 256  # words of the contexts that may be another form of a word
MOST_BOUND_FORMS = 32  # those of them that tell what a value is of
MOST_WORDS = 30_000  # whose weights and opposites are kept
MOST_FACTS = 256  # facts of data under one word
MOST_LIKE = 256  # values of one context that may be the one looked for
MOST_LIKE_IN_ALL = 256  # and of all contexts
MOST_RIVALS = 256  # values of one context that may contradict another
MOST_RIVALS_IN_ALL = 256  # and of all contexts
MOST_COMPARED = 1_024  # values of one context that are looked at to find them
MOST_OBJECTS = 1_000  # places of a claim's object in one context
MOST_PAIRS = 256  # subjects and objects that stand close together, in all contexts
MOST_CONTEXTS = 1_024  # contexts that are looked through for a claim, of those that may have it
FEW_VIEWS = 16  # contexts that are looked through one by one: that costs less than tables of what they hold
MOST_SHARING = 64  # answers in a row over the same contexts that share what is worked out of them
FEW_SLOTS = 64  # so few values of contexts are looked at one by one, which costs less than a table of their words
