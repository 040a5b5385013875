"""Shapes of text that may take long to check: functions from a number of characters to a text of about that length.

    >>> SHAPES["quote_never_closed"](20)
    "RETURN '\\\\'\\\\'\\\\'\\\\'\\\\'\\\\'"

Most shapes repeat one construct, so that their times show how the time for this construct grows with the length.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count

Shape = Callable[[int], str]


def repeated(piece: str, before: str = "", after: str = "") -> Shape:
    """Return a shape of `before`, as many pieces as fit, and `after`."""
    return lambda size: before + piece * max(1, (size - len(before) - len(after)) // len(piece)) + after


def numbered(piece: str, before: str = "", after: str = "", joint: str = "") -> Shape:
    """Return a shape like `repeated`, with `joint` between the pieces;
    in a piece, `{i}` becomes its number and `{j}` the next."""

    def text(size: int) -> str:
        pieces: list[str] = []
        length = len(before) + len(after)
        for number in count():
            filled = piece.replace("{i}", str(number)).replace("{j}", str(number + 1))
            length += len(filled) + len(joint)
            if length > size and pieces:
                return before + joint.join(pieces) + after
            pieces.append(filled)
        raise AssertionError

    return text


def nested(opening: str, closing: str, inside: str, before: str = "", after: str = "") -> Shape:
    """Return a shape in which `opening` and `closing` are nested around `inside`, as deep as fits."""

    def text(size: int) -> str:
        deep = max(1, (size - len(before) - len(after) - len(inside)) // (len(opening) + len(closing)))
        return before + opening * deep + inside + closing * deep + after

    return text


def noise(alphabet: str, seed: int) -> Shape:
    """Return a shape of RETURN and random letters of an alphabet."""
    return lambda size: "RETURN " + "".join(random.Random(seed).choices(alphabet, k=max(1, size - 7)))


def words(vocabulary: str, seed: int) -> Shape:
    """Return a shape of a MATCH clause and random words from `vocabulary`, in which whitespace separates the words."""

    def text(size: int) -> str:
        known, rng = vocabulary.split(), random.Random(seed)
        return "MATCH (n) " + " ".join(rng.choices(known, k=max(1, size // 6)))

    return text


def mixed(seed: int) -> Shape:
    """Return a shape made of several other shapes, one after another."""

    def text(size: int) -> str:
        chosen = random.Random(seed).sample(sorted(SHAPES), 5)
        return " ".join(SHAPES[name](size // 5) for name in chosen if not name.startswith("mixed"))

    return text


SHAPES: dict[str, Shape] = {
    # strings, names and comments that are never closed
    "quote_never_closed": repeated(r"\'", "RETURN '"),
    "backtick_never_closed": repeated("``", "RETURN `"),
    "comment_never_closed": repeated("/* ", "RETURN 1 "),
    "comment_of_stars": repeated("*", "RETURN 1 /*"),
    "comments": repeated("/**/", "RETURN 1 "),
    "line_comments": repeated("//\n", "RETURN 1 "),
    "brackets_never_closed": repeated("(", "RETURN "),
    "braces_never_closed": repeated("{a:", "RETURN "),
    "calls_never_closed": repeated("f(", "RETURN "),
    "patterns_never_closed": repeated("(a)-[", "MATCH "),
    "exists_never_closed": repeated("EXISTS { ", "MATCH (n) WHERE "),
    "case_never_closed": repeated("CASE WHEN ", "RETURN "),
    "closing_brackets": repeated(")", "RETURN 1"),
    # nesting
    "nested_brackets": nested("(", ")", "1", "RETURN "),
    "nested_lists": nested("[", "]", "1", "RETURN "),
    "nested_calls": nested("abs(", ")", "1", "RETURN "),
    "nested_case": nested("CASE WHEN true THEN ", " END", "1", "RETURN "),
    "nested_exists": nested("EXISTS { MATCH (n) WHERE ", " }", "true", "MATCH (n) WHERE ", " RETURN n"),
    "nested_comprehensions": nested("[x IN ", " | x]", "[1]", "RETURN "),
    "nested_reduce": nested("reduce(s = 0, x IN ", " | s)", "[1]", "RETURN "),
    "nested_any": nested("any(x IN ", " WHERE x)", "[1]", "RETURN "),
    "nested_calls_of_queries": nested("CALL { ", " }", "RETURN 1 AS x", "", " RETURN 1 AS y"),
    "nested_patterns": nested("((a)-->", "(b))", "(c)", "MATCH ", " RETURN 1"),
    "shallow_brackets": repeated("((((((((1))))))))+", "RETURN ", "1"),
    # operators
    "plus": repeated("1+", "RETURN ", "1"),
    "minus_signs": repeated("-", "RETURN ", "1"),
    "nots": repeated("NOT ", "RETURN ", "true"),
    "ands": repeated("n.a = 1 AND ", "MATCH (n) WHERE ", "true RETURN n"),
    "comparisons": repeated("1 < ", "RETURN ", "1"),
    "concatenations": repeated("'a' + ", "RETURN ", "'a'"),
    "ins": repeated("1 IN ", "RETURN ", "[1]"),
    "indexes": repeated("[0]", "RETURN [1]"),
    "labels_of_an_expression": repeated(":Film", "MATCH (n) RETURN n"),
    "symbols": repeated("<>=~..::||+=", "RETURN "),
    "semicolons": repeated(";", "RETURN 1"),
    "dots": repeated(".", "RETURN 1"),
    "dashes": repeated("-->", "MATCH (a)"),
    # lists, maps, literals
    "list_of_numbers": numbered("{i}", "RETURN [", "]", ","),
    "list_of_names": numbered("'Name {i}'", "MATCH (n:Person) WHERE n.name IN [", "] RETURN n.name", ","),
    "names_compared": numbered("n.name = 'Name {i}'", "MATCH (n:Person) WHERE ", " RETURN n.name", " OR "),
    "names_in_patterns": numbered("MATCH (n{i}:Person {name: 'Name {i}'})", "", " RETURN 1 AS x", " "),
    "map": numbered("k{i}: {i}", "RETURN {", "} AS m", ","),
    "map_projection": numbered(".k{i}", "MATCH (n:Film) RETURN n{", "} AS m", ","),
    "huge_integer": repeated("9", "RETURN 1"),
    "huge_exponent": repeated("9", "RETURN 1e"),
    "huge_hexadecimal": repeated("f", "RETURN 0x"),
    "number_with_underscores": repeated("1_", "RETURN 1"),
    "many_huge_integers": repeated("9" * 4400 + ",", "RETURN [", "1]"),
    "huge_limit": repeated("9", "MATCH (n) RETURN n LIMIT 1"),
    "long_string": repeated("a", "RETURN '", "'"),
    "string_of_escapes": repeated(r"\n", "RETURN '", "'"),
    "string_of_wrong_escapes": repeated(r"\q", "RETURN '", "'"),
    "string_of_unicode_escapes": repeated(r"\u0041", "RETURN '", "'"),
    "unicode_escapes_outside": repeated("\\u0041", "RETURN "),
    "odd_backslashes": repeated("\\", "RETURN '", "u0041'"),
    "short_strings": repeated("'',", "RETURN [", "1]"),
    "name_compared_with_long_string": repeated("a", "MATCH (n:Person {name: '", "'}) RETURN n.name"),
    # names
    "unknown_properties": numbered("n.property{i}", "MATCH (n:Film) RETURN ", "", ","),
    "unknown_labels": numbered("(n{i}:Label{i})", "MATCH ", " RETURN 1 AS x", ","),
    "unknown_types": numbered("(a)-[:type{i}]->(b{i})", "MATCH ", " RETURN 1 AS x", ","),
    "unknown_types_of_one": numbered("type{i}", "MATCH (a:Film)-[:", "]->(b) RETURN b", "|"),
    "negated_labels": repeated("!", "MATCH (a:", "Film) RETURN a"),
    "unknown_functions": numbered("function{i}(1)", "RETURN ", "", ","),
    "near_properties": numbered("n.runtime_minut{i}", "MATCH (n:Film) RETURN ", "", ","),
    "undefined_variables": numbered("x{i}", "RETURN ", "", ","),
    "undefined_beside_defined": lambda size: (
        numbered("(n{i})", "MATCH ", "", ",")(size // 2) + numbered("m{i}.name", " RETURN ", "", ",")(size // 2)
    ),
    "variables_used_before_scope": numbered("n{i}", "MATCH (n) WITH n RETURN ", "", ","),
    "same_column": repeated("n.name AS a,", "MATCH (n:Film) RETURN ", "1 AS a"),
    "long_name": repeated("a", "MATCH (n:", ") RETURN n"),
    "long_quoted_name": repeated("``", "MATCH (n:`", "`) RETURN n"),
    "long_camel_name": repeated("bornIn", "MATCH (n:", ") RETURN n"),
    "long_dotted_name": repeated("a.", "CALL ", "b()"),
    "parameters": numbered("$p{i}", "RETURN ", "", ","),
    # patterns
    "chain": numbered("(n{i})-[:directedBy]->", "MATCH ", "(z) RETURN 1 AS x"),
    "chain_without_types": repeated("()--", "MATCH ", "() RETURN 1 AS x"),
    "chain_of_labels": repeated("(:Film)-[:directedBy]->(:Person)<-[:directedBy]-", "MATCH ", "(:Film) RETURN 1 AS x"),
    "chain_of_lengths": repeated("(a)-[*1..3]->", "MATCH ", "(b) RETURN 1 AS x"),
    "chain_quantified": repeated("((:Film)-->(:Person)){1,3}", "MATCH ", "(b) RETURN 1 AS x"),
    "patterns": numbered("(n{i}:Film)-[:directedBy]->(p{i}:Person)", "MATCH ", " RETURN 1 AS x", ","),
    "patterns_of_one_variable": repeated("(n)-[:directedBy]->(),", "MATCH ", "(n) RETURN 1 AS x"),
    "types_of_one": repeated("directedBy|", "MATCH (a)-[:", "writtenBy]->(b) RETURN a"),
    "wrong_ends": numbered("(g{i}:Genre)-[:directedBy]->(f{i}:Film)", "MATCH ", " RETURN 1 AS x", ","),
    "turned": numbered("(p{i}:Person)-[:directedBy]->(f{i}:Film)", "MATCH ", " RETURN 1 AS x", ","),
    "pattern_predicates": repeated("(n)-[:directedBy]->() AND ", "MATCH (n:Film) WHERE ", "true RETURN n"),
    "pattern_comprehensions": repeated("[(n)-->(m) | m.name],", "MATCH (n:Film) RETURN [", "1] AS x"),
    "differences_or_patterns": repeated("(a)-", "RETURN ", "(b)"),
    # clauses
    "matches": numbered("MATCH (n{i}:Film)", "", " RETURN 1 AS x", " "),
    "withs_of_all": repeated("WITH * ", "MATCH (n:Film) ", "RETURN n"),
    "withs_that_add": numbered("WITH *, 1 AS x{i}", "MATCH (n:Film) ", " RETURN n", " "),
    "withs_doubling": numbered("WITH x{i} + x{i} AS x{j}", "WITH 1 AS x0 ", " RETURN 1 AS x", " "),
    "wheres": repeated("WITH n WHERE n.name = 'a' ", "MATCH (n:Film) ", "RETURN n"),
    "unions": repeated("RETURN 1 AS x UNION ", "", "RETURN 1 AS x"),
    "calls": numbered("CALL { RETURN 1 AS x{i} }", "", " RETURN 1 AS y", " "),
    "exists": repeated("EXISTS { (n)-[:directedBy]->() } AND ", "MATCH (n:Film) WHERE ", "true RETURN n"),
    "columns": numbered("n.name AS c{i}", "MATCH (n:Film) RETURN ", "", ","),
    "aggregates": numbered("count(n) AS c{i}", "MATCH (n:Film) RETURN n.name, ", "", ","),
    "mixed_aggregates": numbered("count(n) + n.a{i} AS c{i}", "MATCH (n:Film) RETURN ", "", ","),
    "sort_keys": repeated("n.name,", "MATCH (n:Film) RETURN n ORDER BY ", "n.name"),
    "sort_keys_with_aggregates": lambda size: (
        numbered("n.name AS c{i}", "MATCH (n:Film) RETURN count(n),", "", ",")(size // 2)
        + " ORDER BY "
        + numbered("n.name + {i}", "", "", ",")(size // 2)
    ),
    "cases": repeated("WHEN 1 THEN 2 ", "RETURN CASE ", "END"),
    "creates": numbered("CREATE (n{i})", "", "", " "),
    "foreaches": nested("FOREACH (x IN [1] | ", ")", "CREATE (n)"),
    "yields": repeated("a,", "CALL db.labels() YIELD "),
    "property_chain": repeated(".a", "MATCH (n) RETURN n"),
    "wrong_keywords": repeated("MATC (n) ", "", "RETURN n"),
    "odd_blanks": repeated("\u200b\ufeff\u00a0", "RETURN", "n"),
    "sql": repeated("SELECT * FROM a WHERE b LIKE 'c' GROUP BY d ", ""),
    "double_equals": repeated("n.a == 1 AND ", "MATCH (n:Film) WHERE ", "true RETURN n"),
    "misspelt_functions": numbered("cont(n{i})", "MATCH (n) RETURN ", "", ","),
    "syntax_errors": repeated("MATCH (n WHERE RETURN n ", ""),
    "type_errors": repeated("1 + true,", "RETURN [", "1]"),
    "type_mismatches": numbered("n.runtime_minute = 'x{i}'", "MATCH (n:Film) WHERE ", " RETURN n", " AND "),
    "lists_compared": numbered("n.languages = 'x{i}'", "MATCH (n:Film) WHERE ", " RETURN n", " AND "),
    "emoji": repeated("😀", "RETURN '", "'"),
    "emoji_outside": repeated("😀", "RETURN "),
    "dotted_capital_i": repeated("İ", "MATCH (n:", ") RETURN n"),
    # random text
    "letters": noise("abc ", 1),
    "punctuation": noise("'\"`/*\\()[]{}<>-=.:;,$|&!%^+ ", 2),
    "quotes_and_backslashes": noise("'\\\"`a", 4),
    "unicode": noise("aé漢\u0301\u200b\ufeff😀ſ", 6),
    "keywords": words("MATCH (n) WHERE RETURN WITH n AS x UNION CALL { } [ ] , . : - > < 1 'a' AND OR NOT IN", 7),
    "mixed_1": mixed(1),
    "mixed_2": mixed(2),
}
