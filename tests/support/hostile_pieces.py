"""The pieces of hostile texts, by kind: escapes, backslashes, quotes, comments, whitespace, letters, code and names."""

CODES = (
    0x27, 0x22, 0x5C, 0x60, 0x0A, 0x0D, 0x2A, 0x2F, 0x20, 0x41, 0x24, 0x3B, 0x85, 0xE9, 0x2028, 0x201D, 0xFF07,
    0xD83D, 0xDE00,
)  # fmt: skip
ESCAPES = (
    *(f"\\u{code:04x}" for code in CODES), "\\u", "\\u00", "\\uu0027", "\\U0027", "\\U00000027", "\\0", "\\x27",
    "\\N{APOSTROPHE}",
)  # fmt: skip
BACKSLASHES = (
    "\\\\", "\\'", '\\"', "\\`", "\\n", "\\r", "\\t", "\\b", "\\f", "\\a", "\\d", "\\ ", "\\/", "\\\n", "\\\u00e9",
    "\\\u200b", "\\\x00",
)  # fmt: skip
QUOTES = (
    "'", '"', "`", "``", "''", '""', "\u2019", "\u201c", "\uff07", "\u00b4", "\u02bc",
)  # fmt: skip
COMMENTS = (
    "*\u200d/", "/\u2060*", "/\u200b/", "/*", "*/", "//", "/**/", "/*/", "--", "#", "//*", "*//", "/* /* */", "% ",
)  # fmt: skip
BLANKS = (
    " ", "  ", "\n", "\r", "\r\n", "\t", "\x0b", "\x0c", "\x1c", "\x1f", "\u00a0", "\u1680", "\u2003", "\u2028",
    "\u2029", "\u202f", "\u3000",
)  # fmt: skip
ODD = (
    "\x00", "\x01", "\x08", "\x1a", "\x7f", "\x85", "\u00ad", "\u180e", "\u200b", "\u200d", "\u200e", "\u202e",
    "\u2060", "\ufeff", "\ufe0f", "\u0301", "\u3164",
)  # fmt: skip
LETTERS = (
    "a", "b", "\u00e9", "\u00df", "\u017f", "\u212a", "\u0130", "\u0131", "\uff21", "\ufb01", "\u4eba", "\u0663",
    "\u00b2", "\u00b5", "\u20ac", "$", "_", "0", "1", "\U0001f600", "\ud83d",
)  # fmt: skip
CODE = (
    " AS a", " AS b", ", 1 AS c", " CREATE (:Attacked)", " UNION RETURN 2 AS x", ";", "; ", " RETURN 3", "(", ")",
    "{", "}", "$p", "..", " SET ", " DELETE ", "|", " WITH 1 AS q RETURN q", " CALL db.labels()",
)  # fmt: skip
NAMES = (
    "x", "y", "name", "set", "create", "stra\u00dfe", "\u00e9t\u00e9", "\u4eba", "l\u0131mit", "\u017fet", "a$b",
    "x\u200by",
)  # fmt: skip
