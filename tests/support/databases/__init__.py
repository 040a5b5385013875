"""Two small databases in the style of real ones, each with forty questions and gold queries."""

from tests.support.databases.erp import ERP
from tests.support.databases.example import ExampleDatabase, GraphScript, Mention, Question, driver_of, rows_of
from tests.support.databases.network import NETWORK

DATABASES = {database.name: database for database in (ERP, NETWORK)}

__all__ = ["DATABASES", "ExampleDatabase", "GraphScript", "Mention", "Question", "driver_of", "rows_of"]
