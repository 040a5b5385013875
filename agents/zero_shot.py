"""The zero-shot baseline: one prompt with the schema and the question, one query as the reply.

The schema comes in one of the forms compared in "Enhancing Text2Cypher with Schema Filtering": `enhanced`, `base`, or
pruned by the question with the methods `exact`, `masked` and `similarity`; or in `json`, as CypherBench's baseline
(arXiv 2412.18702, Table 10) takes it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from graphground.agents.conversation import Message, Outcome
from graphground.agents.replies import CUT, query_in, read_suggested_grammar, stance_in
from graphground.agents.session import Session
from graphground.prompts.agents import FOLDER, agent_messages

SchemaForm = Literal["enhanced", "base", "json", "exact", "masked", "similarity"]


WHOLE = 200_000
"""The largest token budget of a schema, with which nothing is left out."""


class ZeroShot:
    """The zero-shot agent with one form of schema: `await ZeroShot("exact").answer(session)`."""

    def __init__(
        self,
        form: SchemaForm = "base",
        max_schema_tokens: int | None = None,
        suggested: int = 0,
        prompts: Path = FOLDER,
        *,
        role: Literal["zero_shot", "cypherbench"] = "zero_shot",
    ) -> None:
        """Choose the form of the schema and its token budget (None means no limit).

        If `suggested` is above 0, the query must be one of at most `suggested` suggested queries. A template in the
        folder `prompts` replaces the default of the same role. With the role `cypherbench`, the agent works as the
        baseline of CypherBench: its rules in the prompt, its JSON schema, and the whole reply as the query.
        """
        self._form, self._max_schema_tokens, self._suggested = form, max_schema_tokens, suggested
        self._prompts, self._role = prompts, role
        self.name = role.replace("_", "-")

    async def answer(self, session: Session) -> Outcome:
        """Read the schema, ask the model once, and extract the query from its reply."""
        published = self._role == "cypherbench"
        if published:
            schema = published_schema(await read_schema(session, "json", WHOLE))
        else:
            schema = await read_schema(session, self._form, self._max_schema_tokens)
        prompts = agent_messages(self._role, self._prompts, schema=schema, question=session.question.text)
        grammar = await read_suggested_grammar(session, self._suggested)
        reply = await session.ask(self._role, [Message(name, text) for name, text in prompts], grammar=grammar)
        query = published_query(reply.text) if published else query_in(reply.text)
        if reply.is_cut and not published:
            return Outcome(error=f"{CUT}: {_start(reply.text)}", stopped="answered")
        if not query:
            return Outcome(error=f"the model wrote no query: {_start(reply.text)}", stopped="answered")
        return Outcome(cypher=query, stance="answer" if published else stance_in(reply.text), stopped="answered")


def published_schema(text: str) -> str:
    """Return a schema in JSON as CypherBench's baseline shows it: sorted, with names, without descriptions."""
    schema = json.loads(text)
    entities = [
        {"label": entity["label"], "properties": dict(sorted({"name": "str", **entity["properties"]}.items()))}
        for entity in schema["entities"]
    ]
    names = ("label", "subj_label", "obj_label")
    relations = [
        {name: relation[name] for name in names} | {"properties": dict(sorted(relation["properties"].items()))}
        for relation in schema["relations"]
    ]
    entities.sort(key=lambda entity: entity["label"])
    relations.sort(key=lambda relation: [relation[name] for name in names])
    return json.dumps({"name": schema["name"], "entities": entities, "relations": relations}, indent=2)


def published_query(reply: str) -> str:
    """Return the query in a reply as CypherBench's baseline reads it: the reply without fences, up to a closing fence.

    >>> published_query("```cypher\\nMATCH (n) RETURN n.name\\n``` It lists the names.")
    'MATCH (n) RETURN n.name'
    """
    return reply.partition("\n```")[0].replace("```cypher", "").replace("```", "").strip()


async def read_schema(session: Session, form: SchemaForm, max_tokens: int | None = None) -> str:
    """Read the schema of the question's graph in one of the forms, as text.

    Raises:
        BoundReached: no call or no token is left, or the time ran out.
        ServerFailure: the server cannot read the schema.
    """
    budget = {"max_tokens": max_tokens} if max_tokens else {}
    if form in ("enhanced", "base", "json"):
        answer = await session.call("get_schema", session.question.on(form=form, **budget))
    else:
        arguments = session.question.on(question=session.question.text, method=form, **budget)
        answer = await session.call("get_filtered_schema", arguments)
    return str(answer.require()["schema"])


def _start(text: str) -> str:
    words = " ".join(text.split())
    return repr(words[:120]) if words else "the reply is empty"
