"""Names, descriptions, aliases and articles in the languages of a definition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from graphground.graphs.wikidata.workspace import Names

ALL_LANGUAGES = "mul"
"""Wikidata's language code for names that apply to every language in which an item has no other name."""


def with_fallback(languages: Sequence[str]) -> list[str]:
    """Return languages with `ALL_LANGUAGES` at the end: `with_fallback(["de"])` is `["de", "mul"]`."""
    return list(dict.fromkeys([*languages, ALL_LANGUAGES]))


def _first(texts: Mapping[str, str], languages: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the first language with a text, and this text.

    If no language has a text, return `ALL_LANGUAGES` and its text; if that is missing too, return (None, None).
    """
    for language in languages:
        if text := texts.get(language, "").strip():
            return language, text
    text = texts.get(ALL_LANGUAGES, "").strip()
    return (ALL_LANGUAGES, text) if text else (None, None)


def names_of(
    labels: Mapping[str, str],
    descriptions: Mapping[str, str],
    aliases: Mapping[str, Iterable[str]],
    article: str | None,
    languages: Sequence[str],
) -> Names:
    """Return an item's names from its texts by language.

    The name and the description are each taken from the first of `languages` that has one. If no language has a name,
    the name for all languages is taken. The aliases are those in the name's language and those for all languages.
    `article` is the title of the Wikipedia article.
    """
    language, name = _first(labels, languages)
    if aliases:
        accepted = {language or languages[0], ALL_LANGUAGES}
        others = sorted({text.strip() for key in accepted for text in aliases.get(key, ())} - {"", name})
    else:
        others = []
    if ALL_LANGUAGES in descriptions:
        descriptions = {key: value for key, value in descriptions.items() if key != ALL_LANGUAGES}
    return Names(name, _first(descriptions, languages)[1] if descriptions else None, others, article)


class TextsOfItems:
    """The texts of items from RDF, collected by kind (`label`, `description`, `alias` or `article`) and language."""

    def __init__(self) -> None:
        self._first: dict[str, dict[int, dict[str, str]]] = {"label": {}, "description": {}, "article": {}}
        """The alphabetically first text of each kind, item and language."""
        self._aliases: dict[int, dict[str, list[str]]] = {}

    def add(self, item: int, kind: str, language: str, text: str) -> None:
        """Add a text: `add(192868, "label", "en", "Heat")`.

        For an article, `text` is the address of the article, and `language` is empty.
        """
        if kind == "alias":
            self._aliases.setdefault(item, {}).setdefault(language, []).append(text)
            return
        of_kind = self._first[kind]
        known = of_kind.get(item)
        if known is None:
            of_kind[item] = {language: text}
        elif language not in known or text < known[language]:
            known[language] = text

    def names(self, item: int, languages: Sequence[str]) -> Names:
        """Return an item's names, as `names_of` chooses them; `languages` are in order of preference."""
        label, description, article = (of_kind.get(item, _NONE) for of_kind in self._first.values())
        aliases = self._aliases.get(item, {})
        return names_of(label, description, aliases, title_of(article[""]) if article else None, languages)


_NONE: Mapping[str, str] = {}


def names_in_document(document: Mapping[str, Any], languages: Sequence[str], wikipedia: str) -> Names:
    """Return the names in an entity document, with its article in the Wikipedia of the language `wikipedia`.

    The sitelinks of the document may be titles, or maps with a title as in the dumps.
    """

    def texts(key: str) -> dict[str, str]:
        entries = document.get(key)
        return {language: entry["value"] for language, entry in entries.items()} if isinstance(entries, dict) else {}

    entries = document.get("aliases")
    aliases = (
        {language: [alias["value"] for alias in several] for language, several in entries.items()}
        if isinstance(entries, dict)
        else {}
    )
    links = document.get("sitelinks")
    link = links.get(f"{wikipedia.replace('-', '_')}wiki") if isinstance(links, dict) else None
    title = link.get("title") if isinstance(link, dict) else link
    return names_of(texts("labels"), texts("descriptions"), aliases, title, languages)


def title_of(article: str) -> str:
    """Return the title of an article: `"Heat (1995 film)"` for `https://en.wikipedia.org/wiki/Heat_(1995_film)`."""
    return unquote(article.rpartition("/wiki/")[2]).replace("_", " ")


def article_address(title: str, wikipedia: str) -> str:
    """Return the address of an article: `https://en.wikipedia.org/wiki/Heat_(1995_film)` for `"Heat (1995 film)"`."""
    return f"https://{wikipedia}.wikipedia.org/wiki/{title.replace(' ', '_')}"
