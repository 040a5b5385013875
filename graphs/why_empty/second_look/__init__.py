"""What an answer hides although rows came: merged namesakes, vanished nulls, ties, repeated rows, another direction."""

from graphground.graphs.why_empty.second_look.look import second_look

__all__ = ["second_look"]
