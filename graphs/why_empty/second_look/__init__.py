"""Problems that an answer with rows may hide: merged namesakes, dropped nulls, ties, repeated rows, the other
direction.
"""

from graphground.graphs.why_empty.second_look.look import second_look

__all__ = ["second_look"]
