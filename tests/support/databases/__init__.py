"""A small database in the style of a real one, with forty questions and gold queries."""

from tests.support.databases.erp import ERP
from tests.support.databases.example import ExampleDatabase, GraphScript, Mention, Question, driver_of, rows_of

__all__ = ["ERP", "ExampleDatabase", "GraphScript", "Mention", "Question", "driver_of", "rows_of"]
