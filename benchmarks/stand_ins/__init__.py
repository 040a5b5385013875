"""Stand-in graphs: generated from a schema and gold queries, so that these queries return rows although the data lack.

    stand_in(schema, gold_queries, nodes=3_000, relationships=9_000, seed=1).entities()

Scores on a stand-in are estimates.
"""

from benchmarks.stand_ins.stand_in import stand_in

__all__ = ["stand_in"]
