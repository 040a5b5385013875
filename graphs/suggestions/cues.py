"""Words in questions that stand for operators (cues): counts, orders, OR, groups, times and comparisons.

>>> sorted(cues_of("how many sculptures are either by @0 or in @1"))
['either', 'how_many', 'or', 'or_between']
"""

from __future__ import annotations

import re

# fmt: off
_CUES: dict[str, str] = {
    "how_many": r"^\W*(how many|(what('s| is)|find|give( me)?|provide|tell me|show|return|determine)? ?(the )?"
                r"(total |exact |overall )?(number|count|amount|quantity) of|count\b)",
    "and_count": r"(?<!^)(?<!\A)\b(how many|how often|(the )?(total )?(number|count|amount|tally) of|counts? )",
    "each": r"\b(each|per|every|respective(ly)?)\b",
    "such": r"\bsuch\b",
    "along": r"\b(along with|together with|as well as|alongside)\b",
    "either": r"\beither\b",
    "or": r"\bor\b",
    "both": r"\bboth\b",
    "also": r"\b(also|too|who have also|as well)\b",
    "same": r"\b(same|shared?|shares|sharing|in common|identical|equal(ly)?)\b",
    "another": r"\b(another|others?)\b",
    "fellow": r"\b(co-\w+|co(founde[dr]|starred|stars?|wrote|author\w*|create[dr])s?|fellow|(team|class|room)mates?"
              r"|siblings?|colleagues?|peers?)\b",
    "current": r"\b(currently|current|now|presently|at present|at the moment|today|still|as of (now|today))\b",
    "any_time": r"\b(past (or|and) present|(now|currently|presently|present) or (in the past|previously|formerly|past)"
                r"|(in the )?past or|(either )?(current|currently|past)( or|,)|at (any|some)( point| time|time)?"
                r"|ever|former(ly)? or|in time)\b",
    "in_year": r"\b(in|during|as of|at|since|for|throughout|back in|around|by)( the)?( years?)? [12]\d{3}\b",
    "difference": r"\b(difference|differ|gap|how (much|many \w+) \w*(er|more|less|later|earlier)\b|by how)",
    "than": r"\bthan\b",
    "comparative": r"\b(later|earlier|older|younger|newer|higher|lower|larger|bigger|smaller|greater|taller|shorter|"
                   r"longer|heavier|lighter|deeper|wider|faster|more|less|fewer|first|before|after|most recently)\b",
    "superlative": r"\b(first|last|latest|earliest|most|least|oldest|youngest|newest|highest|lowest|largest|biggest|"
                   r"smallest|greatest|tallest|shortest|longest|heaviest|lightest|fewest|maximum|minimum|top|\w{4,}est)\b",
    "sorted": r"\b(sort(ed)?|order(ed)?|rank(ed)?|arranged?|listed (from|in|by|starting|according)|list (them )?(from|by)|"
              r"(ascending|descending|chronological(ly)?|alphabetical(ly)?)|starting (from|with)|from (the )?\w+( \w+)? to)\b",
    "from_to": r"\bfrom (the )?(most |least )?\w+( \w+){0,3} to (the )?(most |least )?\w+",
    "average": r"\b(average|mean|on average|typical(ly)?)\b",
    "unique": r"\b(unique|different|distinct|various|kinds? of|types? of|variety)\b",
    "negation": r"\b(not|n't|except|exclud\w+|other than|without|never|but no|apart from|aside from|rather than)\b|n't\b",
    "yes_no": r"^\W*(is|are|was|were|do|does|did|has|have|can)\b",
    "which": r"^\W*(which|what \w+ (is|are|was|were|has|have|had))\b",
    "who": r"\b(who|whom|whose|people|individuals?|persons?)\b",
    "who_first": r"^\W*(who|whose)\b",
    "when": r"\b(when|what (year|date|day)|which (year|date)|dates?|years?)\b",
    "where": r"\b(where|places?|locations?|cit(y|ies)|birthplaces?)\b",
    "names": r"\bnames?\b",
    "names_and": r"\b(names?|titles?)( of \w+( \w+){0,3})?(,| and| along| as well)\b",
    "name_only": r"^\W*(what (is|are|were|was)|provide|list|give( me)?|show( me)?|find|tell me|identify|return) (all )?(of )?"
                 r"(the )?names? of\b",
    "and_what": r"(, and|and|, along with|, including|, as well as|;) (what|which|when|where|how|their|its|his|her|the)\b",
    "their": r"\b(their|its|his|her)\b",
    "comma_and": r", and\b",
    "all": r"\ball\b",
    "singular": r"^\W*(what|who) (is|was)\b|\bthe name of the\b",
    "year": r"\byears?\b",
    "more_than": r"\b(more than|over|above|at least|greater|exceed\w*|less than|under|below|at most|fewer than|or more)\b",
    "after_before": r"\b(after|before|since|prior to|until|later than|earlier than)\b",
    "most": r"\b(most|highest number|largest number|greatest number)\b",
}
# fmt: on
_COMPILED = {name: re.compile(pattern) for name, pattern in _CUES.items()}

# fmt: off
EARLY = frozenset("earliest oldest first eldest earlier older before former initial".split())  # noqa: SIM905
LATE = frozenset("latest newest recent recently youngest last later younger newer final".split())  # noqa: SIM905
"""Words that ask for a descending order by time; the words in `EARLY` ask for an ascending order."""
HIGH = frozenset("""
highest largest greatest most tallest longest heaviest biggest maximum deepest widest fastest higher larger greater
taller longer heavier bigger deeper wider more deadliest densest richest strongest descending max top
""".split())  # noqa: SIM905
LOW = frozenset("""
lowest smallest fewest least shortest lightest minimum lower smaller fewer less shorter lighter narrowest slowest
shallowest ascending min bottom
""".split())  # noqa: SIM905
"""Words that ask for an ascending order by size; the words in `HIGH` ask for a descending order."""
# fmt: on

WRITTEN = re.compile(r"(?:[A-Z][\w'’.-]*)(?: (?:of|the|and|de|la|da|del|der|von|van) (?=[A-Z])| [A-Z][\w'’.-]*)*")


def cues_of(masked: str) -> frozenset[str]:
    """Return the names of the cues in a question whose entity names are replaced with `@0`, `@1`, …."""
    found = {name for name, pattern in _COMPILED.items() if pattern.search(masked)}
    between = re.search(r"@\d(.*?)@\d", masked)
    if between:
        if re.search(r"\bor\b", between[1]):
            found.add("or_between")
        if re.search(r"\band\b", between[1]):
            found.add("and_between")
        if not re.search(r"\w{4,}", between[1]):
            found.add("names_beside")
        if "comparative" in found and "either" not in found and re.fullmatch(r"\W*or\W*(the )?(\w+ )?", between[1]):
            found.add("compared")
    return frozenset(found)
