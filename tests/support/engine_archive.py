"""Makes the archive of the engine's classes now; an engine makes it in the background, once it has run for a while.

python -m tests.support.engine_archive
"""

from graphground.graphs.engines.embedded.archive import archive_file, make_archive

if __name__ == "__main__" and (file := archive_file()) is not None:
    make_archive(file)
