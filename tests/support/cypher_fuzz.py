"""Random queries over all clauses, generated from a grammar; some of them are then broken.

`queries(seed, count)` gives the same queries for the same seed. A running Neo4j decides which queries compile.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from graphground.cypher.tokens import tokenize
from tests.support.cypher_fuzz_words import AGGREGATES, FUNCTIONS, KEYS, LABELS, LEAVES, OPERATORS, POOL, TYPES


class Maker:
    """A generator of queries; `scope` holds the variables of the current query with their kinds.

    The kinds are `n` (node), `r` (relationship), `p` (path), `v` (value) and `l` (list of nodes or relationships).
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.scope: dict[str, str] = {}
        self.depth = 0
        self.number = 0

    def one_of(self, *things: str) -> str:
        return self.random.choice(things)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def new(self, kind: str) -> str:
        name = self.random.choice("abcdexyz") if self.chance(0.04) else f"v{self.number}"
        self.number += 1
        self.scope[name] = kind
        return name

    def known(self, kinds: str) -> str | None:
        fitting = [name for name, kind in self.scope.items() if kind in kinds]
        return self.random.choice(fitting) if fitting else None

    def query(self) -> str:
        self.scope, self.depth, self.number = {}, 0, 0
        if self.chance(0.03):
            return self.one_of(
                "CALL db.labels()",
                "CALL db.labels() YIELD label",
                "CALL db.labels",
                "SHOW INDEXES",
                "CREATE INDEX FOR (n:A) ON (n.x)",
                "DROP INDEX foo IF EXISTS",
                "CREATE CONSTRAINT foo FOR (n:A) REQUIRE n.x IS UNIQUE",
                "SHOW FUNCTIONS YIELD name RETURN name",
            )
        text = self.single("RETURN" if self.chance(0.8) else "any")
        if self.chance(0.08):
            self.scope = {}
            text += self.one_of(" UNION ", " UNION ALL ") + self.single("RETURN")
        return text

    def single(self, ending: str) -> str:
        parts = [self.reading() for _ in range(self.random.randint(1, 3))]
        if self.chance(0.3):
            parts.append(self.with_())
            if self.chance(0.5):
                parts.append(self.reading())
        if self.chance(0.12) and self.depth == 0:
            parts += [self.writing() for _ in range(self.random.randint(1, 2))]
            if self.chance(0.5):
                return " ".join(parts)
        if ending == "any" and self.chance(0.1):
            return " ".join(parts)
        parts.append(self.return_())
        return " ".join(parts)

    def reading(self) -> str:
        pick = self.random.random()
        if pick < 0.62 or self.depth > 2:
            return self.match()
        if pick < 0.72:
            source = self.expression("l" if self.chance(0.8) else "any")
            return f"UNWIND {source} AS {self.new('v')}"
        if pick < 0.82:
            return self.subquery()
        if pick < 0.86:
            return f"CALL db.labels() YIELD label AS {self.new('v')}"
        if pick < 0.88:
            return self.one_of("ORDER BY ", "SKIP 1 LIMIT ") + "1"
        if pick < 0.9:
            return f"LOAD CSV FROM {self.expression('s')} AS {self.new('v')}"
        return self.with_()

    def match(self) -> str:
        word = "OPTIONAL MATCH" if self.chance(0.2) else "MATCH"
        paths = ", ".join(self.path() for _ in range(1 if self.chance(0.8) else 2))
        where = f" WHERE {self.condition()}" if self.chance(0.4) else ""
        return f"{word} {paths}{where}"

    def path(self, plain: bool = False) -> str:
        pick = 1.0 if plain else self.random.random()
        if pick < 0.04:
            text = f"shortestPath({self.node()}-[*..{self.random.randint(1, 4)}]-{self.node()})"
        elif pick < 0.1:
            inner = self.scope
            self.scope = dict(inner) if self.chance(0.2) else {}
            group = f"({self.node()}{self.relationship(True)}{self.node()})"
            variables, self.scope = self.scope, inner
            for name in variables:
                self.scope.setdefault(name, "l")
            text = f"{self.node()} {group}{self.one_of('+', '*', '{1,3}', '{2}', '{,2}')} {self.node()}"
        elif pick < 0.14:
            text = (
                self.one_of("SHORTEST 1 ", "ANY SHORTEST ", "ALL SHORTEST ", "ANY ", "SHORTEST 2 GROUPS ")
                + f"{self.node()}-->+{self.node()}"
            )
        else:
            text = self.node()
            for _ in range(self.random.randint(0, 2)):
                text += self.relationship(plain) + self.node()
        if not plain and self.chance(0.12):
            return f"{self.new('p')} = {text}"
        return text

    def node(self) -> str:
        pick = self.random.random()
        variable = "" if pick < 0.25 else self.known("n") if pick < 0.45 else self.new("n")
        label = f":{self.labels(LABELS)}" if self.chance(0.4) else ""
        properties = f" {{{self.random.choice(KEYS)}: {self.expression()}}}" if self.chance(0.15) else ""
        where = f" WHERE {self.condition()}" if self.chance(0.04) else ""
        return f"({variable or ''}{label}{properties}{where})"

    def labels(self, names: list[str]) -> str:
        first, second = self.random.choice(names), self.random.choice(names)
        pick = self.random.random()
        if pick < 0.88:
            return first
        return self.one_of(
            f"{first}|{second}",
            f"{first}&{second}",
            f"!{first}",
            "%",
            f"{first}:{second}",
            f"({first}|{second})&!{first}",
            f"{first}|:{second}",
        )

    def relationship(self, plain: bool = False) -> str:
        pick = self.random.random()
        variable = self.new("r") if pick < 0.35 else (self.known("r") or "") if pick < 0.4 else ""
        types = f":{self.labels(TYPES)}" if self.chance(0.6) else ""
        length = self.one_of("*", "*2", "*1..3", "*..3", "*2..") if not plain and self.chance(0.1) else ""
        if length and variable:
            self.scope[variable] = "l"
        properties = f" {{x: {self.expression()}}}" if self.chance(0.06) else ""
        inner = f"[{variable}{types}{length}{properties}]" if variable or types or length or properties else ""
        left, right = self.random.choice([("-", "->"), ("<-", "-"), ("-", "-"), ("<-", "->"), ("-", "->")])
        return f"{left}{inner}{right}"

    def condition(self) -> str:
        pick = self.random.random()
        node = self.known("n")
        if pick < 0.12 and node:
            other = self.known("n") if self.chance(0.5) else ""
            return f"{self.one_of('', 'NOT ')}({node}){self.relationship()}({other})"
        if pick < 0.3 and node:
            return f"{node}.{self.random.choice(KEYS)} {self.one_of('=', '<>', '<', '>')} {self.expression()}"
        if pick < 0.4:
            return f"{self.expression()} IS {self.one_of('', 'NOT ')}NULL"
        if pick < 0.45 and node:
            return f"{node}:{self.labels(LABELS)}"
        if pick < 0.55:
            return f"{self.condition()} {self.one_of('AND', 'OR', 'XOR')} {self.condition()}"
        if pick < 0.6:
            return self.nested("EXISTS")
        return self.expression("b")

    def expression(self, kind: str = "any") -> str:
        """Return a value of a kind (`i`nteger, `s`tring, `b`oolean, `l`ist, `m`ap, `d`uration),
        sometimes of another kind."""
        if self.chance(0.04):
            kind = "any"
        if kind == "any" and self.chance(0.7):
            kind = self.one_of("i", "s", "b", "l", "i", "s")
        self.depth += 1
        try:
            return self.deep(kind) if self.depth < 5 else self.leaf(kind)
        finally:
            self.depth -= 1

    def leaf(self, kind: str = "any") -> str:
        pick = self.random.random()
        if kind == "any":
            name = self.known("nrpvl")
            if name and pick < 0.5:
                return name
        entity = self.known("nr")
        if entity and pick < 0.5:
            return f"{entity}.{self.random.choice(KEYS)}"
        value = self.known("l") if kind == "l" else None
        if value and pick < 0.7:
            return value
        return self.random.choice(LEAVES[kind])

    def deep(self, kind: str) -> str:
        pick = self.random.random()
        if pick < 0.4:
            return self.leaf(kind)
        if pick < 0.46:
            return f"({self.expression(kind)})"
        if pick < 0.5:
            default = f" ELSE {self.expression(kind)}" if self.chance(0.6) else ""
            if self.chance(0.5):
                return f"CASE WHEN {self.condition()} THEN {self.expression(kind)}{default} END"
            return f"CASE {self.expression()} WHEN {self.expression()} THEN {self.expression(kind)}{default} END"
        if pick < 0.54:
            return f"coalesce({self.expression(kind)}, {self.expression(kind)})"
        if pick < 0.58:
            return f"{self.expression('l')}[{self.expression('i')}]"
        if pick < 0.62:
            name, count = self.random.choice(FUNCTIONS)
            return f"{name}({', '.join(self.expression() for _ in range(count))})"
        if pick < 0.63:
            return f"{self.random.choice(AGGREGATES)}({self.expression('i')})"
        if pick < 0.65:
            return f"{self.expression()} {self.random.choice(OPERATORS)} {self.expression()}"
        expression: str = getattr(self, f"made_{kind}")()
        return expression

    def made_any(self) -> str:
        entity = self.known("nr")
        if entity and self.chance(0.3):
            return f"{entity} {{.x, .*, y: {self.expression()}}}"
        return self.nested(self.one_of("COUNT", "COLLECT", "EXISTS")) if self.chance(0.3) else self.leaf("any")

    def made_i(self) -> str:
        path = self.known("p")
        relationship = self.known("l")
        return self.random.choice(
            [
                lambda: f"{self.expression('i')} {self.one_of('+', '-', '*', '/', '%', '^')} {self.expression('i')}",
                lambda: f"size({self.expression(self.one_of('s', 'l'))})",
                lambda: f"-{self.leaf('i')}",
                lambda: f"{self.one_of('abs', 'sign', 'toInteger', 'round', 'sqrt')}({self.expression('i')})",
                lambda: f"reduce(t = 0, q IN {self.expression('l')} | t + {self.expression('i')})",
                lambda: self.nested("COUNT"),
                lambda: f"length({path})" if path else "timestamp()",
                lambda: f"size({relationship})" if relationship else "rand()",
                lambda: f"date({self.leaf('s')}).{self.one_of('year', 'month')}",
            ]
        )()

    def made_s(self) -> str:
        relationship, node = self.known("r"), self.known("n")
        return self.random.choice(
            [
                lambda: f"{self.expression('s')} + {self.expression('s')}",
                lambda: f"{self.one_of('toUpper', 'trim', 'toLower', 'reverse')}({self.expression('s')})",
                lambda: f"substring({self.expression('s')}, {self.expression('i')})",
                lambda: f"toString({self.expression('i')})",
                lambda: f"type({relationship})" if relationship else "'t'",
                lambda: f"elementId({node})" if node else "randomUUID()",
                lambda: f"replace({self.expression('s')}, 'a', {self.leaf('s')})",
                lambda: f"labels({node})[0]" if node else "'u'",
            ]
        )()

    def made_b(self) -> str:
        return self.random.choice(
            [
                self.condition,
                lambda: f"NOT {self.expression('b')}",
                lambda: f"isEmpty({self.expression('l')})",
                lambda: f"{self.expression()} IN {self.expression('l')}",
                lambda: f"{self.expression('i')} {self.one_of('<', '<=', '>', '=', '<>')} {self.expression('i')}",
                lambda: f"{self.expression('s')} {self.one_of('STARTS WITH', 'CONTAINS', '=~')} {self.expression('s')}",
                lambda: f"1 < {self.expression('i')} <= 10",
                lambda: f"{self.expression()} IS :: INTEGER",
            ]
        )()

    def made_l(self) -> str:
        path, node = self.known("p"), self.known("n")
        return self.random.choice(
            [
                lambda: f"[{self.expression()}, {self.expression()}]",
                lambda: f"range(1, {self.expression('i')})",
                lambda: f"{self.expression('l')} + {self.expression('l')}",
                self.iterating,
                lambda: f"{self.expression('l')}[{self.one_of('1', '')}..{self.expression('i')}]",
                lambda: f"split({self.expression('s')}, ',')",
                self.pattern_comprehension,
                lambda: f"nodes({path})" if path else "[]",
                lambda: f"keys({node})" if node else "[null]",
                lambda: f"tail({self.expression('l')})",
                lambda: self.nested("COLLECT"),
            ]
        )()

    def made_m(self) -> str:
        node = self.known("n")
        return self.random.choice(
            [f"properties({node})" if node else "{}", f"{{x: {self.expression()}}}", f"{node} {{.x}}" if node else "$p"]
        )

    def made_d(self) -> str:
        return self.one_of("date() + duration('P1D')", "datetime()", "date('2020-01-01')", "duration({days: 1}) * 2")

    def iterating(self) -> str:
        source = self.expression("l")
        outer, self.scope = self.scope, dict(self.scope)
        name = self.new("v")
        pick = self.random.random()
        if pick < 0.4:
            text = f"[{name} IN {source} WHERE {self.condition()} | {self.expression()}]"
        elif pick < 0.7:
            text = f"{self.one_of('any', 'all', 'none', 'single')}({name} IN {source} WHERE {self.condition()})"
        else:
            text = f"reduce({self.new('v')} = {self.leaf()}, {name} IN {source} | {self.expression()})"
        self.scope = outer
        return text

    def pattern_comprehension(self) -> str:
        outer, self.scope = self.scope, dict(self.scope)
        text = f"[{self.node()}{self.relationship()}{self.node()} | {self.expression()}]"
        self.scope = outer
        return text

    def nested(self, word: str) -> str:
        outer, self.scope = self.scope, dict(self.scope)
        self.depth += 1
        if word != "COLLECT" and self.chance(0.6):
            where = f" WHERE {self.condition()}" if self.chance(0.4) else ""
            text = f"{word} {{ {self.path()}{where} }}"
        elif word != "COLLECT" and self.chance(0.5):
            text = f"{word} {{ {self.match()} }}"
        else:
            text = f"{word} {{ {self.match()} RETURN {self.expression()}{self.one_of('', ' AS q')} }}"
        self.depth -= 1
        self.scope = outer
        return text

    def subquery(self) -> str:
        outer = self.scope
        self.depth += 1
        node = self.known("n")
        pick = self.random.random()
        if pick < 0.35 and node:
            self.scope = {node: "n"}
            head, begin = f"CALL ({node})", ""
        elif pick < 0.7 and node:
            self.scope = {node: "n"}
            head, begin = "CALL", f"WITH {node} "
        elif pick < 0.8:
            self.scope = dict(outer)
            head, begin = self.one_of("CALL (*)", "CALL ()"), ""
        else:
            self.scope = {}
            head, begin = self.one_of("CALL", "OPTIONAL CALL"), ""
        body = self.match()
        inside = self.scope
        self.scope = outer
        columns = []
        for name in list(inside)[:2]:
            alias = self.new(inside[name])
            columns.append(f"{name} AS {alias}" if self.chance(0.9) else name)
        self.depth -= 1
        return f"{head} {{ {begin}{body} RETURN {', '.join(columns) or '1 AS one'} }}"

    def items(self, aliased: bool) -> str:
        columns: list[str] = []
        scope: dict[str, str] = {}
        for _ in range(self.random.randint(1, 3)):
            name = self.known("nrpvl")
            if name and self.chance(0.45):
                columns.append(name)
                scope[name] = self.scope[name]
                continue
            value = (
                f"{self.random.choice(AGGREGATES)}({self.one_of('', 'DISTINCT ')}{self.leaf('i')})"
                if self.chance(0.2)
                else "count(*)"
                if self.chance(0.1)
                else self.expression()
            )
            if (aliased and self.chance(0.97)) or self.chance(0.4):
                alias = f"w{self.number}"
                self.number += 1
                columns.append(f"{value} AS {alias}")
                scope[alias] = "v"
            else:
                columns.append(value)
        self.projected = scope
        star = "*, " if self.chance(0.04) else ""
        return self.one_of("", "", "", "DISTINCT ") + star + ", ".join(columns)

    def tail(self) -> str:
        text = ""
        if self.chance(0.25):
            text += f" ORDER BY {self.expression()}{self.one_of('', ' DESC', ' ASC')}"
        if self.chance(0.1):
            text += f" {self.one_of('SKIP', 'OFFSET')} {self.random.randint(0, 3)}"
        if self.chance(0.15):
            text += f" LIMIT {self.one_of('1', '$p', '3', '1 + 1')}"
        return text

    def with_(self) -> str:
        items = self.items(True)
        before = self.scope
        self.scope = {**before, **self.projected} if self.chance(0.15) else dict(self.projected)
        tail = self.tail()
        where = f" WHERE {self.condition()}" if self.chance(0.25) else ""
        self.scope = {**before, **self.projected} if "*, " in items else dict(self.projected)
        return f"WITH {items}{tail}{where}"

    def return_(self) -> str:
        if self.chance(0.02):
            return self.one_of("RETURN *", "FINISH")
        items = self.items(False)
        if self.chance(0.7):
            self.scope = {**self.scope, **self.projected}
        return f"RETURN {items}{self.tail()}"

    def writing(self) -> str:
        pick = self.random.random()
        entity = self.known("nr") or "n"
        if pick < 0.3:
            return f"CREATE {self.path(True)}"
        if pick < 0.45:
            return f"MERGE {self.path(True)}{self.one_of('', ' ON CREATE SET ' + entity + '.x = 1')}"
        if pick < 0.6:
            return f"SET {entity}.{self.random.choice(KEYS)} = {self.expression()}"
        if pick < 0.68:
            return f"SET {entity}{self.one_of(':A', ' = ', ' += ')}" + ("" if self.chance(0.4) else self.expression())
        if pick < 0.78:
            return f"REMOVE {entity}{self.one_of('.x', ':A')}"
        if pick < 0.9:
            return f"{self.one_of('', 'DETACH ')}DELETE {self.expression()}"
        return f"FOREACH (q IN {self.expression()} | SET {entity}.x = q)"


def broken(text: str, source: random.Random) -> str:
    """Return a query after one to three changes; each drops, doubles, swaps, replaces or inserts a token."""
    found = tokenize(text)
    pieces = [text[start:end] for start, end in zip(found.starts, found.ends, strict=True) if end > start]
    for _ in range(source.randint(1, 3)):
        if not pieces:
            break
        place = source.randrange(len(pieces))
        pick = source.random()
        if pick < 0.25:
            del pieces[place]
        elif pick < 0.35:
            pieces.insert(place, pieces[place])
        elif pick < 0.5 and place + 1 < len(pieces):
            pieces[place], pieces[place + 1] = pieces[place + 1], pieces[place]
        elif pick < 0.75:
            pieces[place] = source.choice(POOL)
        elif pick < 0.9:
            pieces[place] = source.choice(pieces)
        else:
            pieces.insert(place, source.choice(POOL))
    return " ".join(pieces)


def queries(seed: int, count: int) -> Iterator[str]:
    """Yield `count` queries, about a third of them deliberately broken."""
    maker = Maker(seed)
    for _ in range(count):
        text = maker.query()
        yield broken(text, maker.random) if maker.chance(0.35) else text
