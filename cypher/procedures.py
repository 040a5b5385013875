"""The built-in procedures of Neo4j 5.26: their arguments, columns and access modes.

A line of the table holds the name, the minimum and the maximum number of arguments, the mode, and the columns with
their types (letters as in `functions`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from graphground.cypher.functions import type_of_letters
from graphground.cypher.types import Type

_TABLE = """
db.awaitIndex 1-2 read
db.awaitIndexes 0-1 read
db.clearQueryCaches 0-0 dbms value:S
db.create.setNodeVectorProperty 3-3 write
db.create.setRelationshipVectorProperty 3-3 write
db.create.setVectorProperty 3-3 write node:N
db.createLabel 1-1 write
db.createProperty 1-1 write
db.createRelationshipType 1-1 write
db.index.fulltext.awaitEventuallyConsistentIndexRefresh 0-0 read
db.index.fulltext.listAvailableAnalyzers 0-0 read analyzer:S description:S stopwords:Ls
db.index.fulltext.queryNodes 2-3 read node:N score:F
db.index.fulltext.queryRelationships 2-3 read relationship:R score:F
db.index.vector.createNodeIndex 5-5 schema
db.index.vector.queryNodes 3-3 read node:N score:F
db.index.vector.queryRelationships 3-3 read relationship:R score:F
db.info 0-0 read id:S name:S creationDate:S
db.labels 0-0 read label:S
db.ping 0-0 read success:B
db.prepareForReplanning 0-1 read
db.propertyKeys 0-0 read propertyKey:S
db.relationshipTypes 0-0 read relationshipType:S
db.resampleIndex 1-1 read
db.resampleOutdatedIndexes 0-0 read
db.schema.nodeTypeProperties 0-0 read nodeType:S nodeLabels:Ls propertyName:S propertyTypes:Ls mandatory:B
db.schema.relTypeProperties 0-0 read relType:S propertyName:S propertyTypes:Ls mandatory:B
db.schema.visualization 0-0 read nodes:Ln relationships:Lr
db.stats.clear 1-1 read section:S success:B message:S
db.stats.collect 1-2 read section:S success:B message:S
db.stats.retrieve 1-2 read section:S data:M
db.stats.retrieveAllAnonymized 1-2 read section:S data:M
db.stats.status 0-0 read section:S status:S data:M
db.stats.stop 1-1 read section:S success:B message:S
dbms.cluster.routing.getRoutingTable 1-2 dbms ttl:I servers:L
dbms.components 0-0 dbms name:S versions:Ls edition:S
dbms.info 0-0 dbms id:S name:S creationDate:S
dbms.killConnection 1-1 dbms connectionId:S username:S message:S
dbms.killConnections 1-1 dbms connectionId:S username:S message:S
dbms.listCapabilities 0-0 dbms name:S description:S value:A
dbms.listConfig 0-1 dbms name:S description:S value:S dynamic:B defaultValue:S startupValue:S
    explicitlySet:B validValues:S
dbms.listConnections 0-0 dbms connectionId:S connectTime:S connector:S username:S userAgent:S
    serverAddress:S clientAddress:S
dbms.queryJmx 1-1 dbms name:S description:S attributes:M
dbms.routing.getRoutingTable 1-2 dbms ttl:I servers:L
dbms.showCurrentUser 0-0 dbms username:S roles:Ls flags:Ls
dbms.upgrade 0-0 write status:S upgradeResult:S
dbms.upgradeStatus 0-0 read status:S description:S resolution:S
tx.getMetaData 0-0 dbms metadata:M
tx.setMetaData 1-1 dbms
"""


class Procedure(NamedTuple):
    """A procedure: `db.labels` has no arguments and yields the column `label`."""

    required: int
    most: int
    mode: str
    columns: Mapping[str, Type]


def _read(table: str) -> dict[str, Procedure]:
    found: dict[str, Procedure] = {}
    for line in table.replace("\n    ", " ").split("\n"):
        if line:
            name, counts, mode, *columns = line.split()
            least, _, most = counts.partition("-")
            pairs = (column.split(":") for column in columns)
            found[name] = Procedure(
                int(least), int(most), mode, {column: type_of_letters(letters) for column, letters in pairs}
            )
    return found


PROCEDURES: dict[str, Procedure] = _read(_TABLE)
