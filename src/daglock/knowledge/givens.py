"""Columns whose name says that nothing else in a table causes them: age, sex, year, treatment.

A name is a hint, never a rule: what is found here is asked about, or proposed, nothing more.
"""

from __future__ import annotations

import re
from itertools import pairwise

# Words that say so wherever they stand in a name.
_WORDS = frozenset(
    (
        *("age", "agegroup", "agegrp", "agecat", "ageyears", "ageyrs"),
        *("sex", "gender", "race", "ethnicity", "ethnic"),
        *("year", "month", "date", "datetime", "timestamp", "season", "weekday"),
        *("born", "birthday", "birthdate", "birthyear", "dob", "cohort"),
        *("treatment", "treated", "randomised", "randomized", "randomisation", "randomization"),
    )
)
# Words that say so only as the whole name.
_WHOLE = frozenset(("day", "arm", "quarter", "week"))
# Pairs of words that say so, where each of them alone would not.
_TWO = frozenset((("birth", "order"), ("birth", "place"), ("birth", "country"), ("trial", "arm")))
# What a word before or behind turns into something else: bone age, sex hormone, cost per year.
_NOT_BEHIND = {
    "age": frozenset(
        ("bone", "gestational", "mental", "biological", "epigenetic", "brain", "vascular", "heart")
    ),
    **dict.fromkeys(
        ("year", "month", "date"),
        frozenset(("per", "each", "end", "due", "death", "discharge", "completion", "exit")),
    ),
}
_NOT_BEFORE = {
    "sex": frozenset(("hormone", "hormones", "ratio", "drive", "partners")),
    "race": frozenset(("time", "result", "pace", "speed")),
    "treatment": frozenset(("cost", "costs", "outcome", "response", "success", "duration")),
    "season": frozenset(("length",)),
    "age": frozenset(("gap", "difference")),
}
_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def is_given(name: str) -> bool:
    """Whether a name says that nothing else in the table can be a cause of the column.

    Examples
    --------
    >>> [is_given(name) for name in ("Age", "wife-age", "birthYear", "modelyear", "sex_at_birth")]
    [True, True, True, True, True]
    >>> [is_given(name) for name in ("average", "wages", "bone_age", "costPerYear", "birth_weight")]
    [False, False, False, False, False]
    """
    words = [word.lower() for word in _TOKEN.findall(name)]
    if len(words) == 1 and words[0] in _WHOLE:
        return True
    if any(pair in _TWO for pair in pairwise(words)):
        return True
    for k, word in enumerate(words):
        # modelyear, schoolyear; not peryear
        joined = word.endswith("year") and not word.startswith("per")
        before, behind = words[k - 1] if k else "", words[k + 1] if k + 1 < len(words) else ""
        if (
            (word in _WORDS or joined)
            and before not in _NOT_BEHIND.get(word, ())
            and behind not in _NOT_BEFORE.get(word, ())
        ):
            return True
    return False
