"""Five small databases in the style of real ones, each with forty questions and gold queries.

`library` and `transfers` are held out: they are used only for measuring, never for development.
"""

from tests.support.databases.erp import ERP
from tests.support.databases.example import ExampleDatabase, GraphScript, Mention, Question, driver_of, rows_of
from tests.support.databases.festivals import FESTIVALS_DATABASE
from tests.support.databases.library import LIBRARY
from tests.support.databases.network import NETWORK
from tests.support.databases.transfers import TRANSFERS

DATABASES = {database.name: database for database in (ERP, NETWORK, FESTIVALS_DATABASE, LIBRARY, TRANSFERS)}

__all__ = ["DATABASES", "ExampleDatabase", "GraphScript", "Mention", "Question", "driver_of", "rows_of"]
