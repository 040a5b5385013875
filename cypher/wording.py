"""Words for messages that depend on a number."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: `1 row`, `2,500 rows`; an irregular plural is passed."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
