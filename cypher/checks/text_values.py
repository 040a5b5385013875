"""Reports text properties that hold numbers, dates or booleans and are used as if they had such a type.

An export leaves `freight` as the text '32.38'. `o.freight > 500` compares text with a number, which is never true;
`o.freight > '500'` would compare character by character, and `max(o.freight)` returns '99.23' instead of 1007.64. The
repair is a conversion that works on all existing values, `toFloat(o.freight) > 500`; if no such conversion exists, no
repair is suggested.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from graphground.cypher import tree as t
from graphground.cypher.checks.findings import Findings, free_name
from graphground.cypher.checks.names import relationship_properties
from graphground.cypher.diagnostics import Edit, Severity
from graphground.cypher.outline.model import Comparison, Data, Facts, PropertyUse, owners
from graphground.cypher.quoting import quoted_string
from graphground.cypher.text_values import BOOLEANS, TextValues
from graphground.cypher.tokens import words

NUMBERS = frozenset({"int", "float"})
MOMENTS = frozenset({"date", "datetime"})
ORDERING = frozenset({"<", "<=", ">", ">="})
NEEDS_NUMBERS = words("sum avg stdev stdevp percentilecont percentiledisc abs ceil floor round sign sqrt")
TO_NUMBER = frozenset({"tofloat", "tointeger"})
SORTING = frozenset({"min", "max"})
READS = {
    "date": frozenset({"date"}),
    "datetime": frozenset({"date", "datetime", "local_datetime"}),
    "localdatetime": frozenset({"date", "local_datetime"}),
}
"""The forms of text that each function reads without a conversion."""


def text_values_of(facts: Facts, use: PropertyUse, *, mixed: bool = False) -> TextValues | None:
    """Return the format of a text property's values.

    Return None for plain text, or if the possible labels or relationship types have different formats. If `mixed`,
    plain texts may stand among the numbers: the query uses the property as a number.
    """
    if use.element:
        return None
    if use.symbol.kind == "node":
        index = facts.index
        labels = index.labels_of(use.symbol.kinds)
        # A label of all these nodes has all their values; those of a narrower label may all be missing.
        whole = [label for label in labels if not use.symbol.kinds & ~index.label_masks[label]]
        whole = sorted(whole, key=lambda label: index.label_masks[label].bit_count())[:1]
        # A label with too few values for a form has that of another label of its nodes.
        known = [label for label in labels if use.key in index.schema.labels[label].texts]
        masks = index.label_masks
        its = [its for its in whole or labels if its in known or not any(masks[its] & masks[other] for other in known)]
        owners = [index.schema.labels[label] for label in its or known]
        found = [
            (owner.properties[use.key], owner.texts.get(use.key)) for owner in owners if use.key in owner.properties
        ]
    elif use.symbol.link is not None and not use.symbol.link.unknown:
        types = relationship_properties(facts, use.symbol.link)
        found = [
            (types[use.key], pattern.texts.get(use.key))
            for pattern in facts.index.patterns(use.symbol.link.types)
            if use.key in types and use.key in pattern.properties
        ]
    else:
        return None
    if not found or any(type_ != "str" or texts is None or (texts.mixed and not mixed) for type_, texts in found):
        return None
    forms = {texts.form for _, texts in found if texts is not None}
    return (
        min(
            (texts for _, texts in found if texts is not None),
            key=lambda texts: (texts.checked, texts.sorts, texts.share),
        )
        if len(forms) == 1
        else None
    )


def texts_used_as_values(facts: Facts, findings: Findings, data: Data | None = None) -> None:
    """Report `max(o.freight)`, `ORDER BY o.freight`, `o.freight * 2` and `o.freight > '500'` on text
    that holds numbers."""
    for call, argument, use in facts.calls:
        texts = text_values_of(facts, use, mixed=call.key in NEEDS_NUMBERS | TO_NUMBER)
        if texts is not None:
            _function(call, argument, use, texts, findings)
    for operation, operand, use in facts.calculated:
        texts = text_values_of(facts, use, mixed=operation.operator != "+")
        joins = operation.operator == "+" and next(operation.find(t.StringLiteral), None) is not None
        if texts is not None and texts.type in NUMBERS and not joins:
            _convert(
                operand,
                use,
                texts,
                "error" if operation.operator != "+" else "warning",
                "+ joins text instead of adding numbers"
                if operation.operator == "+"
                else f"{operation.operator} does not work on text",
                findings,
            )
    for sort, use in facts.sorted:
        texts = text_values_of(facts, use)
        if texts is not None and not texts.sorts and texts.type in NUMBERS | MOMENTS:
            written = texts.converted(findings.query.source(sort.expression))
            if written and sort.descending and texts.share < 1:
                written = f"{written} IS NULL, {written}"  # descending order would put other texts, as nulls, first
            why = "ORDER BY sorts it character by character"
            _report(sort.expression, use, texts, "warning", why, written, findings)
    for comparison in facts.comparisons:
        _compared_as_text(facts, comparison, findings)
    for use in facts.null_tests:
        texts = text_values_of(facts, use)
        known = [data.property(owner, use.key) for owner in owners(facts, use.symbol, use.key)] if data else []
        missing = {text for item in known if item is not None for text, _ in item.placeholders}
        missing |= {"", *texts.placeholders} if texts is not None and texts.placeholders else set()
        compared = {
            literal.value
            for comparison in facts.comparisons
            if isinstance(comparison.left, PropertyUse)
            and (comparison.left.symbol, comparison.left.key) == (use.symbol, use.key)
            for literal in comparison.right_node.find(t.StringLiteral)
        }
        if missing and not compared & missing:
            # Values such as 'N/A' stand for a missing value, too.
            for test in findings.query.find(t.IsNull):
                if test.operand is use.node and not test.negated:
                    values = ", ".join(map(quoted_string, sorted(missing)))
                    written = f"({findings.query.source(test)} OR {findings.query.source(use.node)} IN [{values}])"
                    message = f"In {name_of(use)}, a missing value is also written {values}. Write {written}."
                    findings.warning("missing_as_text", message, test, fix=written)


def _function(
    call: t.FunctionCall, argument: t.Expression, use: PropertyUse, texts: TextValues, findings: Findings
) -> None:
    if call.key in NEEDS_NUMBERS and texts.type in NUMBERS:
        _convert(argument, use, texts, "error", f"{call.name}() takes no text", findings)
    elif call.key in SORTING and not texts.sorts and texts.type in NUMBERS | MOMENTS:
        _convert(argument, use, texts, "warning", f"{call.name}() compares it character by character", findings)
    elif call.key.startswith("duration.") and texts.type in MOMENTS:
        _convert(argument, use, texts, "error", f"{call.name}() takes no text", findings)
    elif call.key in TO_NUMBER and texts.type in NUMBERS and (texts.unit or texts.form not in NUMBERS):
        inner = texts.converted(findings.query.source(argument))
        written = inner and f"{call.name}{inner[inner.index('(') :]}"
        _report(call, use, texts, "warning", f"{call.name}() of them is null or wrong", written, findings)
    elif call.key in READS and texts.type in MOMENTS and (texts.form not in READS[call.key] or texts.share < 1):
        inner = texts.converted(findings.query.source(argument))
        written = inner and (inner if call.key == texts.type else f"{call.name}({inner})")
        _report(call, use, texts, "error", f"{call.name}() fails on them", written, findings)


def _compared_as_text(facts: Facts, comparison: Comparison, findings: Findings) -> None:
    """Report `o.freight > '500'`, and a comparison of two text properties that hold numbers or dates."""
    use, literal = comparison.left, comparison.right_node
    texts = text_values_of(facts, use) if isinstance(use, PropertyUse) else None
    if texts is None or not isinstance(use, PropertyUse) or texts.type not in NUMBERS | MOMENTS:
        return
    # An ISO date is compared with dates in another form, even if these sort as text.
    iso = texts.type == "date" and isinstance(literal, t.StringLiteral) and _is_iso(literal.value, "date")
    other_form = iso and texts.form != "date"
    if comparison.operator in ("=", "<>") and other_form and isinstance(literal, t.StringLiteral):
        dated = texts.dated(literal.value)
        message = f"{name_of(use)} is text that holds {texts.described}."
        findings.warning("text_compared", message, literal, fix=dated and quoted_string(dated))
    not_iso = (texts.type == "date" or texts.form.endswith("_time")) and texts.form != "date"
    if not_iso and isinstance(literal, t.StringLiteral):
        _part_of_date(comparison, use, texts, literal.value, findings)
    if comparison.operator not in ORDERING or (texts.sorts and not other_form):
        return
    if isinstance(literal, t.StringLiteral):
        _convert_both(comparison, use, texts, literal, findings)
    elif isinstance(comparison.right, PropertyUse):
        other = text_values_of(facts, comparison.right)
        if other is None:
            return
        left = texts.converted(findings.query.source(comparison.left_node))
        right = other.converted(findings.query.source(literal))
        # The suggestion replaces the whole node, so it would drop the rest of a chain, `o.freight < o.weight < 9`.
        clear = bool(
            isinstance(comparison.node, t.Binary)
            and left
            and right
            and (other.type in NUMBERS) == (texts.type in NUMBERS)
        )
        findings.warning(
            "text_compared",
            f"{name_of(use)} is text that holds {texts.described}: {comparison.operator} compares character "
            "by character.",
            comparison.node,
            [f"{left} {comparison.operator} {right}"] if clear else [],
            clear=clear and comparison.left_node.start < literal.start,
        )


def _part_of_date(comparison: Comparison, use: PropertyUse, texts: TextValues, part: str, findings: Findings) -> None:
    """Report `o.hired STARTS WITH '2015-03'` on dates in another form than ISO's."""
    written = texts.converted(findings.query.source(comparison.left_node))
    year_first = texts.form in ("year_month_day", "compact_date")
    partial = r"\d{4}-(\d\d)?" if comparison.operator == "CONTAINS" or year_first else r"\d{4}(-(\d\d)?)?"
    if comparison.operator in ("STARTS WITH", "CONTAINS") and written and re.fullmatch(partial, part):
        message = f"{name_of(use)} is text that holds {texts.described}, and {part!r} is a part of an ISO date."
        fix = f"toString({written})"
        findings.warning("text_compared", f"{message}{_instead(fix)}", comparison.left_node, fix=fix)


def _convert_both(
    comparison: Comparison, use: PropertyUse, texts: TextValues, literal: t.StringLiteral, findings: Findings
) -> None:
    value = literal.value.strip()
    day = texts.type == "datetime" and _is_iso(value, "date")  # a day is compared with the day of a time
    written = (
        value
        if texts.type in NUMBERS and value.lstrip("-").replace(".", "", 1).isdigit()
        else f"{'date' if day else texts.type}({quoted_string(value)})"
        if texts.type in MOMENTS and (day or _is_iso(value, texts.type))
        else ""
    )
    subject = texts.converted(findings.query.source(comparison.left_node))
    subject = f"date({subject})" if day and subject else subject
    message = (
        f"{name_of(use)} is text that holds {texts.described}: {comparison.operator} compares character by character."
    )
    edits = (
        [Edit(comparison.left_node.start, comparison.left_node.end, subject), Edit(literal.start, literal.end, written)]
        if subject and written
        else []
    )
    whole = f"{subject} {comparison.operator} {written}" if edits else ""
    # In a chain, `1 < o.freight < '500'`, the comparison is only a part of the node.
    alone = isinstance(comparison.node, t.Binary)
    node = comparison.node if whole and alone else comparison.left_node
    findings.warning(
        "text_compared",
        message + (f" Write {whole}." if whole else ""),
        node,
        [whole] if whole and alone else [],
        edits=edits,
    )


def _is_iso(text: str, type_: str) -> bool:
    return re.match(r"\d{4}-\d{2}-\d{2}(?!\d)", text) is not None and (len(text) == 10) == (type_ == "date")


def _convert(
    node: t.Expression | t.Name, use: PropertyUse, texts: TextValues, severity: Severity, why: str, findings: Findings
) -> None:
    _report(node, use, texts, severity, why, texts.converted(findings.query.source(node)), findings)


def _report(
    node: t.Node,
    use: PropertyUse,
    texts: TextValues,
    severity: Severity,
    why: str,
    written: str | None,
    findings: Findings,
) -> None:
    message = f"{name_of(use)} is text that holds {texts.described}: {why}.{_instead(written)}"
    findings.add(severity, "text_compared", message, node, fix=written)


def _instead(written: str | None) -> str:
    return f" Write {written}." if written else " No conversion is certain to work for all of its values."


def compared_with_value(
    comparison: Comparison, use: PropertyUse, texts: TextValues, given: str, findings: Findings
) -> bool:
    """Report a text property compared with a number, date or boolean; return False if this check does not apply.

    `given` is the type of the number, date or boolean, such as `int`.
    `o.freight > 500` becomes `toFloat(o.freight) > 500`; `i.discontinued = true` becomes `= 'true'`.
    """
    literal, operator = comparison.right_node, comparison.operator
    source = findings.query.source
    subject = comparison.left_node
    message = (
        f"{name_of(use)} is text that holds {texts.described}, and {source(literal)} is of type {given}: "
        f"the comparison is {'always true where the property is set' if operator == '<>' else 'never true'}."
    )
    if texts.words and given == "bool" and isinstance(literal, t.BooleanLiteral):
        word = _word(texts, literal.value)
        findings.error("type_mismatch", f"{message} Write {word}." if word else message, literal, fix=word)
        return True
    exact = _as_text(literal, texts) if operator in ("=", "<>") or texts.form == "compact_date" else ""
    if exact:
        findings.error("type_mismatch", f"{message} Write {exact}.", literal, fix=exact)
        return True
    if (
        given == "int"
        and texts.type in MOMENTS
        and not use.in_map
        and isinstance(literal, t.IntegerLiteral)
        and 1000 <= literal.value <= 9999
    ):
        converted = texts.converted(source(subject))
        year = f"({converted}).year" if converted and converted.startswith("CASE") else f"{converted}.year"
        year = year if converted else ""
        findings.error("type_mismatch", message + (f" For the year, write {year}." if year else ""), subject, fix=year)
        return True
    if use.in_map or not ((given in NUMBERS and texts.type in NUMBERS) or (given in MOMENTS and texts.type in MOMENTS)):
        name, naming = in_where(use, findings.query)
        condition = texts.converted(f"{name}.{source(use.key_node)}") if use.in_map else None
        findings.error(
            "type_mismatch",
            message + (f" {naming}{'and compare' if naming else 'Compare'} {condition} in WHERE." if condition else ""),
            literal,
        )
        return True
    written = _moment(texts, given, source(subject)) if given in MOMENTS else texts.converted(source(subject))
    if written is None and texts.sorts and texts.type == given:
        return False  # ISO dates sort as text, so the string literal is right
    findings.error("type_mismatch", message + _instead(written), subject, fix=written)
    return True


def member_of_values(
    comparison: Comparison,
    use: PropertyUse,
    texts: TextValues,
    inner: str,
    items: Sequence[t.Expression],
    findings: Findings,
) -> None:
    """Report `o.orderID IN [10248]` on text; suggest `IN ['10248']` or a conversion of the property."""
    literal, subject = comparison.right_node, comparison.left_node
    source = findings.query.source
    message = (
        f"{name_of(use)} is text that holds {texts.described}, and {source(literal)} holds values of type "
        f"{inner}: the text is never IN the list."
    )
    written = [_as_text(item, texts) for item in items]
    if written and all(written):
        findings.error("type_mismatch", message, literal, fix=f"[{', '.join(written)}]")
        return
    converted = texts.converted(source(subject)) if inner in NUMBERS and texts.type in NUMBERS else None
    findings.error("type_mismatch", message, subject, fix=converted)


def _moment(texts: TextValues, type_: str, subject: str) -> str | None:
    """Return the Cypher that converts the property to `type_`, `date` or `datetime`;
    None if no conversion is certain."""
    written = texts.converted(subject)
    if written is None or texts.type == type_:
        return written
    return f"date({written})" if type_ == "date" else None


def _word(texts: TextValues, value: bool) -> str:
    """Return the property's own word for true or false as a literal, or an empty string if it is uncertain."""
    words = {"1" if value else "0", *(pair[0 if value else 1] for pair in BOOLEANS)}
    fitting = [word for word in texts.words if word.lower() in words]
    return quoted_string(fitting[0]) if len(fitting) == 1 else ""


def _as_text(literal: t.Expression, texts: TextValues) -> str:
    """Return a whole number as the property writes it, `12` as `'000012'` if codes have six digits.

    The string is empty if the literal is not a whole number of 0 or more, or if its form in the property is uncertain.
    """
    if not isinstance(literal, t.IntegerLiteral) or literal.value < 0:
        return ""
    if texts.form == "code":
        text = str(literal.value).rjust(texts.width or 0, "0")
        return quoted_string(text) if texts.width is not None and len(text) == texts.width else ""
    text = str(literal.value)
    same_form = (texts.form == "int" and not texts.unit) or (
        texts.form == "compact_date" and len(text) == len(texts.example)
    )
    return quoted_string(text) if same_form and texts.share >= 1 else ""


def component(use: PropertyUse, part: t.Name, texts: TextValues, findings: Findings) -> None:
    """Report `o.shippedDate.year` on text; suggest `date(o.shippedDate).year` if every value is such a date."""
    source = findings.query.source(use.node)
    converted = texts.converted(source) if texts.type in MOMENTS else None
    guarded = f"({converted})" if converted and converted.startswith("CASE") else converted
    written = f"{guarded}.{part.text}" if guarded else ""
    message = f"{name_of(use)} is text that holds {texts.described}; it has no part {part.text!r}."
    message += _instead(written) if texts.type in MOMENTS else ""
    findings.error("type_mismatch", message, use.node, fix=written, to=part)


def name_of(use: PropertyUse) -> str:
    """Return a property's name for a message: `o.freight`, or `The property freight` if the node has no variable."""
    return f"{use.symbol.name}.{use.key}" if use.symbol.name else f"The property {use.key}"


def in_where(use: PropertyUse, query: t.Query) -> tuple[str, str]:
    """Return the variable by which WHERE can refer to the node or relationship of a property, and how to get it.

    For `(:Movie {year: 1999})`, the two are `n` and `Name the node n, `; with a variable, the second is empty.
    """
    if use.symbol.name:
        return use.symbol.name, ""
    kind: Literal["node", "relationship"] = "node" if use.symbol.kind == "node" else "relationship"
    free = free_name(kind, query)
    return free, f"Name the {kind} {free}, "
