"""The types that an expression may have, as a set; the full set means unknown.

    >>> INTEGER | STRING
    Type(Integer, String)
    >>> list_of(INTEGER).inner
    Type(Integer)
    >>> ANY.may_be(PATH), INTEGER.may_be(PATH)
    (True, False)

A check may report an error only if two sets have no type in common.
"""

from __future__ import annotations

_NAMES = (
    "Node Relationship Path Boolean Integer Float String Point Date Time LocalTime LocalDateTime DateTime Duration Map"
)
_ENTITY, _INTEGER, _FLOAT, _MAP, _LIST = 3, 1 << 4, 1 << 5, 1 << 14, 1 << 15
_EVERYTHING = (1 << 16) - 1


class Type:
    """A set of possible types; `inner` is the type of the elements if the set contains a list type."""

    __slots__ = ("inner", "mask")

    mask: int
    inner: Type | None

    def __init__(self, mask: int, inner: Type | None = None) -> None:
        self.mask = mask
        self.inner = inner

    def __or__(self, other: Type) -> Type:
        if self is other:
            return self
        mask = self.mask | other.mask
        if mask == _EVERYTHING:
            return ANY
        if not other.mask & _LIST:
            return Type(mask, self.inner)
        if not self.mask & _LIST:
            return Type(mask, other.inner)
        if self.inner is None or other.inner is None:
            return Type(mask)
        return Type(mask, self.inner | other.inner)

    def may_be(self, other: Type) -> bool:
        """Return whether a value of this type may also have the other type, with Neo4j's implicit conversions."""
        own_mask = self.mask
        other_mask = other.mask
        if own_mask & other_mask & ~_LIST:
            return True
        if own_mask & other_mask & _LIST and (
            self.inner is None or other.inner is None or self.inner.may_be(other.inner)
        ):
            return True
        return bool((own_mask & _INTEGER and other_mask & _FLOAT) or (own_mask & _ENTITY and other_mask & _MAP))

    @property
    def known(self) -> bool:
        """Whether the type is known at all: False for the full set."""
        return self.mask != _EVERYTHING or self.inner is not None

    def names(self) -> list[str]:
        """Return the names of the types: `['Integer', 'List<String>']`."""
        found = [name for place, name in enumerate(_NAMES.split()) if self.mask >> place & 1]
        if self.mask & _LIST:
            inner = self.inner
            words = inner.names() if inner is not None and inner.known else []
            found += [f"List<{words[0]}>" if len(words) == 1 else "List"]
        return found

    def __str__(self) -> str:
        if not self.known:
            return "Any"
        if not self.mask:
            return "Number"
        found = self.names()
        return " or ".join(found) if len(found) < 3 else ", ".join(found[:-1]) + " or " + found[-1]

    def __repr__(self) -> str:
        return f"Type({', '.join(self.names()) if self.known else 'Any'})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self.mask == other.mask and self.inner == other.inner

    def __hash__(self) -> int:
        return hash((self.mask, self.inner))


SINGLE_TYPES = tuple(Type(1 << place) for place in range(15))
"""All types but lists, in the order of their names."""
NODE, RELATIONSHIP, PATH, BOOLEAN, INTEGER, FLOAT, STRING, POINT = SINGLE_TYPES[:8]
DATE, TIME, LOCALTIME, LOCALDATETIME, DATETIME, DURATION, MAP = SINGLE_TYPES[8:]
LIST = Type(_LIST)
ANY = Type(_EVERYTHING)
NUMBER = INTEGER | FLOAT
SOME_NUMBER = Type(0)
"""The result of `reduce` over an Integer and a Float: Neo4j gives it neither type,
so every use of it is a type error."""
TEMPORAL = DATE | TIME | LOCALTIME | LOCALDATETIME | DATETIME
ENTITY = NODE | RELATIONSHIP
_SCALAR = BOOLEAN | NUMBER | STRING | POINT | TEMPORAL | DURATION
STORABLE = _SCALAR | Type(_LIST, _SCALAR)
"""The types that a property of a node or a relationship may have."""
HAS_PROPERTIES = ENTITY | MAP | POINT | TEMPORAL | DURATION
"""The types whose values have properties."""


def list_of(inner: Type) -> Type:
    """Return the type of lists with elements of type `inner`."""
    return Type(_LIST, inner if inner.known else None)


def element_of(type_: Type) -> Type:
    """Return the type of the elements of a list; any type if `type_` has no list or the elements are unknown."""
    return type_.inner if type_.mask & _LIST and type_.inner is not None else ANY


def unwound(type_: Type) -> Type:
    """Return the result type of UNWIND and FOREACH: the elements of a list, or any other value itself."""
    if not type_.mask & _LIST:
        return type_
    rest = type_.mask & ~_LIST
    if type_.inner is None:
        return ANY
    return Type(rest) | type_.inner if rest else type_.inner
