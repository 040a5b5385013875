"""Creates the archive of the engine's classes now; normally an engine creates it in the background after a while.

python -m tests.support.engine_archive
"""

from graphground.graphs.engines.embedded.archive import archive_file, make_archive

if __name__ == "__main__" and (file := archive_file()) is not None:
    make_archive(file)
