"""graphground grounds an agent's Cypher in the graph.

The parts of this package are the folders at the top of the repository:
`graphground.cypher` is `cypher/`, `graphground.server` is `server/`, and so on.
"""

import shlex
from pathlib import Path

__version__ = "1.0.0rc1"


def install_command(extra: str) -> str:
    """Return the command that installs an extra: in a clone of the repository, or after an installation with pip.

    `install_command("rdf")` is `pip install 'graphground[rdf]'`, or in a clone
    `python3 /home/ann/graphground/bootstrap.py install --extra rdf`.
    """
    bootstrap = Path(__file__).parent.parent / "bootstrap.py"
    if bootstrap.exists():
        return f"python3 {shlex.quote(str(bootstrap))} install --extra {extra}"
    return f"pip install 'graphground[{extra}]'"
