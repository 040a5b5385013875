"""An agent for tests of runs: it speaks the protocol, and takes its instructions from each question.

    python tests/support/scripted_agent.py LOG

The id of every question is written to LOG, so that a test can count the calls of the "model".
"""

import json
import os
import sys
import time

log = open(sys.argv[1], "a", encoding="utf-8")  # noqa: SIM115 - as long as the process
for line in sys.stdin:
    asked = json.loads(line)
    log.write(asked["qid"] + "\n")
    log.flush()
    question = asked["question"]
    reply: dict[str, object] = {"qid": asked["qid"], "cypher": "MATCH (m:Movie) RETURN m.name"}
    if "prose" in question:
        sys.stdout.write("The answer is Heat, of course.\n")
        sys.stdout.flush()
        continue
    if "dies" in question:
        os._exit(3)
    if "hangs" in question:
        time.sleep(600)
    if "fails" in question:
        reply = {"qid": asked["qid"], "error": "the model's rate limit is reached"}
    if "refuses" in question:
        reply = {"qid": asked["qid"], "stance": "not_in_graph", "text": "There is no such film."}
    if "fenced" in question:
        reply["cypher"] = "Here it is:\n```cypher\nMATCH (m:Movie) RETURN m.name\n```"
    if "costs" in question:
        reply["trace"] = [
            {"tool": "get_schema", "seconds": 0.5, "input_tokens": 10, "output_tokens": 200},
            {"tool": "execute_cypher", "seconds": 0.25, "input_tokens": 20, "output_tokens": 30},
        ]
        reply["usage"] = {"input_tokens": 1_000, "output_tokens": 50, "cost_usd": 0.01}
    if "slowly" in question:
        time.sleep(0.3)
    sys.stdout.write(json.dumps(reply) + "\n")
    sys.stdout.flush()
