"""The base class of all nodes of the tree: a position in the text and typed fields, fast to create and to traverse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeVar, dataclass_transform

from graphground.cypher.safety.time_limit import check_work

N = TypeVar("N", bound="Node")
NODES_BETWEEN_CHECKS = 2000

_PLAIN = frozenset({"str", "int", "float", "bool", "list[str]", "list[int]", "list[bool]", "Direction"})


@dataclass_transform(eq_default=False)
class NodeType(type):
    """A metaclass that creates slots and an `__init__` from annotations, as a dataclass does,
    but at a tenth of the cost.

    A slotted dataclass takes about 0.5 ms to create, for each of a hundred classes at every import; here the `__init__`
    is compiled when the first node of the class is created.
    """

    fields: tuple[str, ...]
    child_fields: tuple[str, ...]
    defaults: dict[str, Any]

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> NodeType:
        own = {key: text for key, text in body.get("__annotations__", {}).items() if not text.startswith("ClassVar")}
        defaults = {key: body.pop(key) for key in own if key in body}
        further = body.get("__slots__", ())  # attributes that are not part of the tree
        body["__slots__"] = (*own, *further, "__weakref__") if not bases else (*own, *further)
        node_class = super().__new__(cls, name, bases, body)
        base = bases[0] if bases else None
        node_class.fields = (*(base.fields if isinstance(base, NodeType) else ()), *own)
        node_class.child_fields = (
            *(base.child_fields if isinstance(base, NodeType) else ()),
            *(key for key, text in own.items() if not _is_plain(text)),
        )
        node_class.defaults = {**(base.defaults if isinstance(base, NodeType) else {}), **defaults}
        type.__setattr__(node_class, "__init__", _init_on_first_use(node_class))
        return node_class


def _is_plain(annotation: str) -> bool:
    return all(
        part.strip() in _PLAIN or part.strip() == "None" or part.strip().startswith("Literal")
        for part in annotation.split("|")
    )


def _init_on_first_use(node_class: NodeType) -> Callable[..., None]:
    def __init__(self: Any, *arguments: Any, **named: Any) -> None:
        parameters = [
            f"{name}=defaults[{name!r}]" if name in node_class.defaults else name for name in node_class.fields
        ]
        lines = [f"def __init__(self, {', '.join(parameters)}):"]
        lines += [f"    self.{name} = {name}" for name in node_class.fields]
        space: dict[str, Any] = {"defaults": node_class.defaults}
        exec("\n".join(lines), space)
        type.__setattr__(node_class, "__init__", space["__init__"])
        space["__init__"](self, *arguments, **named)

    return __init__


class Node(metaclass=NodeType):
    """A part of a query: `text[node.start:node.end]` is its original text."""

    fields: ClassVar[tuple[str, ...]]
    child_fields: ClassVar[tuple[str, ...]]

    start: int
    end: int

    def children(self) -> Iterator[Node]:
        """Yield the nodes directly below this node, in text order."""
        for name in self.child_fields:
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, Node):
                yield value
            elif isinstance(value, list):
                for item in value:
                    if isinstance(item, Node):
                        yield item

    def walk(self) -> Iterator[Node]:
        """Yield this node and all nodes below it, parents first, in text order."""
        stack: list[Node] = [self]
        unchecked = NODES_BETWEEN_CHECKS
        while stack:
            node = stack.pop()
            yield node
            unchecked -= 1
            if not unchecked:
                check_work()
                unchecked = NODES_BETWEEN_CHECKS
            for name in reversed(node.child_fields):  # without `children`, whose generators took half of the time
                value = getattr(node, name)
                if isinstance(value, Node):
                    stack.append(value)
                elif isinstance(value, list):
                    stack += [item for item in reversed(value) if isinstance(item, Node)]

    def find(self, kind: type[N]) -> Iterator[N]:
        """Yield all nodes of one class in this part of the tree: `query.find(Variable)`."""
        for node in self.walk():
            if isinstance(node, kind):
                yield node

    def shape(self) -> tuple[Any, ...]:
        """Return the tree without positions, for comparisons: two queries with equal shapes are the same query."""
        parts: list[Any] = [type(self).__name__]
        for name in self.fields:
            if name in ("start", "end") or name in self.unshaped:
                continue
            value = getattr(self, name)
            if isinstance(value, Node):
                value = value.shape()
            elif isinstance(value, list):
                value = tuple(item.shape() if isinstance(item, Node) else item for item in value)
            parts.append(value)
        return tuple(parts)

    unshaped: ClassVar[frozenset[str]] = frozenset()

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.fields if name not in ("start", "end"))
        return f"{type(self).__name__}[{self.start}:{self.end}]({inner})"
