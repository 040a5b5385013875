"""The server's settings. Precedence: options, then environment variables, then a settings file, then the defaults.

A settings file is TOML:

    port = 8300

    [graphs.films]
    uri = "neo4j://localhost:7687"
    username = "neo4j"
    password_variable = "FILMS_PASSWORD"
    database = "neo4j"
    description = "Films and who made them."

    [queries.films_of]
    description = "The films of a director, newest first."
    cypher = "MATCH (f:Film)-[:directedBy]->(:Person {name: $name}) RETURN f.title, f.year ORDER BY f.year DESC"
    parameters.name = {type = "string", description = "The director's full name."}

This module uses no library for settings, because it must not slow the start: reading settings takes a millisecond.
"""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphground.graphs.engines.address import Database

if TYPE_CHECKING:
    from graphground.tools.owner_queries import OwnQuery


class SettingsError(ValueError):
    """An invalid setting or settings file; the message says what is wrong."""


SWITCHES = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}

NAME_PROPERTIES = r"\s*[^=,]+=[^=,]+(,[^=,]+=[^=,]+)*,?\s*"
"""A pattern that matches `Label=property` pairs, separated by commas."""


@dataclass(frozen=True)
class Settings:
    """All settings of a server.

    Each field that is described in settings.toml is an option and an environment variable, and most are keys of the
    settings file. In that file, a table [graphs.NAME] replaces `uri`, `user`, `database` and `name`.
    """

    graph: tuple[str, ...] = ()
    transport: str = "stdio"
    host: str = "127.0.0.1"
    port: int = 8300
    allowed_host: tuple[str, ...] = ()
    token_file: str | None = None
    jwks_url: str | None = None
    issuer: str | None = None
    public_url: str | None = None
    scope: tuple[str, ...] = ()
    allow_anonymous: bool = False
    tls_certificate: str | None = None
    tls_key: str | None = None
    ui: bool = False
    uri: str | None = None
    user: str | None = None
    database: str | None = None
    name: str | None = None
    home: str | None = None
    settings: str | None = None
    answer_bytes: int = 4000000
    record: str | None = None
    watch: str | None = None
    metrics: bool = False
    telemetry_queries: bool = False
    log_format: str = "text"
    log_level: str = "warning"

    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)
    operator_token: str | None = field(default=None, repr=False)
    databases: tuple[Database, ...] = ()
    queries: tuple[OwnQuery, ...] = ()

    user_tokens: tuple[str, ...] = field(default=(), repr=False)
    """The tokens of callers with a database user of their own."""

    def bolt_databases(self) -> tuple[Database, ...]:
        """Return the databases of the settings file and that of `--uri`, which replaces one of the same name."""
        if self.uri is None:
            return self.databases
        own = Database(self.name or self.database or "neo4j", self.uri, self.user, self.password, self.database)
        return (*(database for database in self.databases if database.name != own.name), own)


MODEL_KEY_VARIABLES = ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")
"""The environment variables from which the model providers' clients read a key."""
SHORTEST_MODEL_KEY = 12
"""The minimum number of characters of a key in these variables; a shorter text, such as `ollama`, is not a secret."""


def secrets_in(settings: Settings) -> list[str]:
    """Return the database passwords, the tokens of the environment and the models' keys, for removal from traces."""
    secrets = [
        settings.password,
        settings.token,
        settings.operator_token,
        *settings.user_tokens,
        *(its.password for database in settings.databases for its in (database, *database.users.values())),
    ]
    keys = (os.environ.get(name, "").strip() for name in MODEL_KEY_VARIABLES)
    return [*(secret for secret in secrets if secret), *(key for key in keys if len(key) >= SHORTEST_MODEL_KEY)]


@dataclass(frozen=True, slots=True)
class Option:
    """A setting that is a command-line option: its table in settings.toml, with its default value."""

    name: str
    default: Any
    help: str
    variable: str
    """The environment variable."""
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    """The bounds of a number."""

    @property
    def many(self) -> bool:
        """Whether the setting may have several values."""
        return isinstance(self.default, tuple)


@cache
def options() -> list[Option]:
    """Return the settings that are command-line options, in the order of the reference."""
    described = tomllib.loads(Path(__file__).with_name("settings.toml").read_text(encoding="utf-8"))
    return [
        Option(name, getattr(Settings, name), **{"variable": f"GRAPHGROUND_{name.upper()}"} | table)
        for name, table in described.items()
    ]


def read_settings(given: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Settings:
    """Combine the options in `given` with the environment, the settings file and the defaults.

    Raises:
        SettingsError: a setting or the settings file is invalid; the message says what is wrong.
    """
    environment = os.environ if environment is None else environment
    from_variables = {
        option.name: _parsed(option, environment[variable], variable)
        for option in options()
        if environment.get(variable := option.variable)
    }
    path = given.get("settings") or from_variables.get("settings")
    home = given.get("home") or from_variables.get("home")
    from_file, databases, queries = _read_file(path, home, environment)
    merged = {**from_file, **from_variables, **given}
    if merged.get("home"):
        merged["home"] = str(default_home(merged["home"]))
    subjects = {subject for database in databases for subject in database.users if subject.startswith("token ")}
    settings = Settings(
        **merged,
        databases=databases,
        queries=queries,
        password=environment.get("NEO4J_PASSWORD"),
        token=environment.get("GRAPHGROUND_TOKEN"),
        operator_token=environment.get("GRAPHGROUND_OPERATOR_TOKEN"),
        user_tokens=tuple(
            sorted({value for value in environment.values() if subjects and token_subject(value) in subjects})
        ),
    )
    for option in options():
        value, least, most = getattr(settings, option.name), option.least, option.most
        if option.choices and value not in option.choices:
            raise SettingsError(f"{option.name} must be one of {', '.join(option.choices)}, not {value!r}")
        if (least is not None and value < least) or (most is not None and value > most):
            bounds = f"from {least} to {most}" if most is not None else f"at least {least}"
            raise SettingsError(f"{option.name} must be {bounds}, not {value}")
    return settings


def read_home(given: Mapping[str, Any]) -> str:
    """Return the data folder that `--home`, its variable or the settings file names, or the default folder.

    No other setting is checked.

    Raises:
        SettingsError: the settings file cannot be read.
    """
    home = given.get("home") or os.environ.get("GRAPHGROUND_HOME")
    path = given.get("settings") or os.environ.get("GRAPHGROUND_SETTINGS")
    if not home and path:
        home = _document(Path(path).expanduser(), required=True).get("home")
    return str(default_home(home))


def password_variables(given: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> frozenset[str]:
    """Return the variables that a settings file names as `password_variable`, whether they are set or not.

    Raises:
        SettingsError: the file cannot be read.
    """
    environment = os.environ if environment is None else environment
    path = given.get("settings") or environment.get("GRAPHGROUND_SETTINGS")
    home = given.get("home") or environment.get("GRAPHGROUND_HOME")
    graphs = _document(_file(path, home), required=bool(path)).get("graphs")
    tables = graphs.values() if isinstance(graphs, dict) else ()
    listed = [table for table in tables if isinstance(table, dict)]
    listed += [its for table in listed for its in dict(table.get("users", {})).values() if isinstance(its, dict)]
    named = [table.get(key) for table in listed for key in ("password_variable", "token_variable")]
    return frozenset(name for name in named if isinstance(name, str))


def token_subject(token: str) -> str:
    """Return the subject of a caller with a fixed token, which says nothing about the token."""
    return f"token {hashlib.sha256(token.encode()).hexdigest()}"


def _parsed(option: Option, text: str, place: str) -> Any:
    if option.many:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if isinstance(option.default, bool):
        if text.lower() not in SWITCHES:
            raise SettingsError(f"{place} must be true or false, not {text!r}")
        return SWITCHES[text.lower()]
    if isinstance(option.default, int):
        try:
            return int(text)
        except ValueError:
            raise SettingsError(f"{place} must be a whole number, not {text!r}") from None
    return text


def _read_file(
    path: str | None, home: str | None, environment: Mapping[str, str]
) -> tuple[dict[str, Any], tuple[Database, ...], tuple[OwnQuery, ...]]:
    """Return the values, the databases and the queries of a settings file; the default file may be missing."""
    file = _file(path, home)
    document = _document(file, required=bool(path))
    graphs, queries = document.pop("graphs", {}), document.pop("queries", {})
    if not isinstance(graphs, dict):
        raise SettingsError(f"{file}: write each graph as a table [graphs.NAME]")
    known = {
        option.name: option
        for option in options()
        if option.name not in ("settings", "uri", "user", "database", "name")
    }
    values = {}
    for key, value in document.items():
        if key not in known:
            raise SettingsError(f"{file}: there is no setting {key!r}{name_nearest(key, known)}")
        default = known[key].default
        values[key] = tuple(value) if known[key].many and isinstance(value, list) else value
        if default is not None and not isinstance(values[key], type(default)):
            words = {str: "text", bool: "true or false", int: "a whole number", tuple: "a list of strings"}
            raise SettingsError(f"{file}: {key} must be {words[type(default)]}, not {value!r}")
    databases = tuple(_database(name, table, file, environment) for name, table in graphs.items())
    if not queries:
        return values, databases, ()
    from graphground.server.query_settings import read_queries  # needs pydantic

    return values, databases, read_queries(queries, file)


def _file(path: str | None, home: str | None) -> Path:
    return Path(path).expanduser() if path else default_home(home) / "settings.toml"


def _document(file: Path, required: bool) -> dict[str, Any]:
    """Return the content of a settings file; if the file is missing and not `required`, return an empty dictionary."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if required:
            raise SettingsError(f"there is no settings file {file}") from None
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"the settings file {file} is not TOML: {error}") from None
    except OSError as error:
        raise SettingsError(f"the settings file {file} cannot be read: {error.strerror}") from None


def _database(name: str, table: Any, file: Path, environment: Mapping[str, str]) -> Database:
    place = f"{file}: [graphs.{name}]"
    if not isinstance(table, dict):
        raise SettingsError(f"{place} must be a table with a uri")
    entries = dict(table)
    users = entries.pop("users", {})
    variable = entries.pop("password_variable", None)
    known = [field_.name for field_ in fields(Database) if field_.name not in ("name", "problem", "users")]
    for key, value in entries.items():
        if key not in known:
            raise SettingsError(f"{place} has no setting {key!r}{name_nearest(key, [*known, 'password_variable'])}")
        if not isinstance(value, str):
            raise SettingsError(f"{place}: {key} must be text, not {value!r}")
    if "uri" not in entries:
        raise SettingsError(f'{place} needs a uri, such as "neo4j://localhost:7687"')
    if ("vector_index" in entries) != ("vector_model" in entries):
        raise SettingsError(
            f'{place}: vector_index (a name, or "auto") and vector_model (the model of its vectors, '
            'such as "all-MiniLM-L6-v2") must be set together'
        )
    if "name_property" in entries and not re.fullmatch(NAME_PROPERTIES, entries["name_property"]):
        raise SettingsError(
            f'{place}: name_property must be pairs such as "Order=orderNo, Person=fullName", not '
            f"{entries['name_property']!r}"
        )
    database = _with_password(Database(name, **entries), variable, place, environment)
    if not isinstance(users, dict) or not all(isinstance(user, dict) for user in users.values()):
        raise SettingsError(f"{place}: users must be tables such as [graphs.{name}.users.alice]")
    named = [_user(database, user, users[user], f"{place[:-1]}.users.{user}]", environment) for user in users]
    if len({subject for subject, _ in named}) < len(named):
        raise SettingsError(f"{place}: two users have the same subject or the same token")
    return replace(database, users=dict(named))


def _user(
    database: Database, user: str, table: dict[str, Any], place: str, environment: Mapping[str, str]
) -> tuple[str, Database]:
    """Return the subject of the callers who are a database user, and the database as that user sees it."""
    known = ("subject", "token_variable", "username", "password", "password_variable")
    for key, value in table.items():
        if key not in known or not isinstance(value, str):
            raise SettingsError(f"{place}: {key} must be text and one of {', '.join(known)}{name_nearest(key, known)}")
    if ("subject" in table) == ("token_variable" in table):
        raise SettingsError(
            f"{place} needs token_variable (the variable with a fixed token) or subject (`sub` of a JSON Web Token)"
        )
    own = replace(database, username=table.get("username", user), password=table.get("password"), problem="")
    own = _with_password(own, table.get("password_variable"), place, environment)
    if "subject" in table:
        return table["subject"], own
    if not environment.get(table["token_variable"]):
        raise SettingsError(f"{place}: the environment variable {table['token_variable']} is not set")
    return token_subject(environment[table["token_variable"]]), own


def _with_password(database: Database, variable: Any, place: str, environment: Mapping[str, str]) -> Database:
    if variable is None:
        return database
    if not isinstance(variable, str):
        raise SettingsError(f"{place}: password_variable must be text, not {variable!r}")
    if variable not in environment:
        # The other graphs do not depend on this password, so the server starts, and only this graph is unavailable.
        problem = (
            f"the environment variable {variable}, which holds the password of the graph {database.name!r}, is not set"
        )
        return replace(database, problem=f"{problem}; set it and start the server again")
    return replace(database, password=environment[variable])


def default_home(home: str | None) -> Path:
    """Return the folder that holds loaded graphs: `home`, or the platform's user data folder."""
    if home:
        return Path(home).expanduser().absolute()
    import platformdirs  # loaded only if no folder is given

    return platformdirs.user_data_path("graphground")


def name_nearest(found: str, known: Any) -> str:
    """Return `; did you mean 'port'?`, or a list of what is known."""
    from graphground.cypher.names.nearest import did_you_mean  # loaded only after a mistake

    return did_you_mean(found, known) or f"; there are: {', '.join(known)}"
