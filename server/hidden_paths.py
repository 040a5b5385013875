"""Replaces the paths of the data folder and the home folder in texts for clients, which may be on other machines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

DATA_FOLDER, HOME_FOLDER = "<data folder>", "<home folder>"


def hiding_paths(data_folder: Path) -> Callable[[str], str]:
    """Return a function that replaces these two folders in a text: `<data folder>/catalog.json cannot be read`."""
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home folder
        return hiding({data_folder: DATA_FOLDER})
    return hiding({home: HOME_FOLDER, data_folder: DATA_FOLDER})


def hiding(folders: Mapping[Path, str]) -> Callable[[str], str]:
    """Return a function that replaces the path of each folder by its name; in nested folders, the longest path wins.

    >>> hiding({Path("/home/ada"): "<home folder>"})("/home/ada/films.csv, /home/adam")
    '<home folder>/films.csv, /home/adam'
    """
    names: dict[str, str] = {}
    for folder, name in folders.items():
        for path in (folder, folder.resolve()):
            if path != Path(path.anchor):  # a root is a part of every path
                names |= dict.fromkeys((str(path), str(path).replace("\\", "\\\\"), path.as_posix()), name)
    if not names:
        return str
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])")
    return lambda text: pattern.sub(lambda found: names[found[0]], text)
