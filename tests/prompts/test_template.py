import re
from typing import get_args

from graphground.graphs.entities.verdicts.judging import Verdict
from graphground.prompts.template import all_templates, read
from graphground.tools import NAMES


def test_every_template_has_a_title_a_description_and_a_required_question() -> None:
    assert set(all_templates()) == {"text_to_cypher", "answer_question"}
    for template in all_templates().values():
        assert template.title
        assert template.description
        assert [argument.name for argument in template.arguments if argument.required] == ["question"]


def test_a_value_that_looks_like_a_placeholder_is_not_expanded() -> None:
    template = read("t", "---\ntitle: T\ndescription: D\narguments:\n  q: required | Q\n---\nAsk: {{q}} {{r}}")
    assert template.fill({"q": "{{r}}", "r": "x"}) == "Ask: {{r}} x\n"
    assert template.arguments[0].description == "Q"


def test_templates_name_only_tools_that_exist() -> None:
    for template in all_templates().values():
        named = set(re.findall(r"`([a-z]+_[a-z]+)`", template.text))
        assert named <= {*NAMES, *get_args(Verdict)}
