"""Makes the libraries of the page: `python -m release.page_libraries` writes `server/ui/static/libraries/`.

The graph drawing is Cytoscape.js with the fCoSE layout, the editor is CodeMirror 6. esbuild makes one file of each, so
that the page needs neither a build step nor another site. Needs npm, and the package index of npm or a mirror of it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "server/ui/static/libraries"
VERSIONS = {
    "cytoscape": "3.34.4",
    "cytoscape-fcose": "2.2.0",
    "cose-base": "2.2.0",
    "layout-base": "2.0.1",
    "@codemirror/autocomplete": "6.20.4",
    "@codemirror/commands": "6.11.1",
    "@codemirror/language": "6.13.1",
    "@codemirror/lint": "6.9.8",
    "@codemirror/state": "6.7.6",
    "@codemirror/view": "6.43.15",
    "@lezer/highlight": "1.2.5",
    "@lezer/common": "1.5.5",
    "@lezer/lr": "1.4.12",
    "@marijn/find-cluster-break": "1.0.4",
    "crelt": "1.0.7",
    "style-mod": "4.1.5",
    "w3c-keyname": "2.2.8",
}
"""Every package that is part of the two files, with its version; all are under the MIT licence."""
ESBUILD = "0.28.2"
ENTRIES = {
    "graph.js": """
        import cytoscape from "cytoscape";
        import fcose from "cytoscape-fcose";
        cytoscape.use(fcose);
        export { cytoscape };
    """,
    "editor.js": """
        export { acceptCompletion, autocompletion, startCompletion } from "@codemirror/autocomplete";
        export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
        export { bracketMatching, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
        export { setDiagnostics } from "@codemirror/lint";
        export { EditorState, Prec } from "@codemirror/state";
        export { EditorView, highlightSpecialChars, keymap } from "@codemirror/view";
        export { tagHighlighter, tags } from "@lezer/highlight";
    """,
}


def make_libraries(folder: Path) -> None:
    """Install the packages in a temporary folder, and write each library and the licences into `folder`."""
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        packages = {"dependencies": {**VERSIONS, "esbuild": ESBUILD}, "overrides": {k: f"${k}" for k in VERSIONS}}
        (work / "package.json").write_text(json.dumps({"private": True, **packages}), encoding="utf-8")
        run(work, "npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts")
        adopt_styles(work / "node_modules/style-mod/src/style-mod.js")
        for name, entry in ENTRIES.items():
            (work / name).write_text(entry, encoding="utf-8")
            options = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none")
            run(work, "node_modules/.bin/esbuild", name, *options, f"--outfile={folder / name}")
        licences = []
        for package, version in VERSIONS.items():
            place = work / "node_modules" / package
            assert json.loads((place / "package.json").read_text(encoding="utf-8"))["license"] == "MIT", package
            text = next(path for path in sorted(place.iterdir()) if path.name.upper().startswith("LICENSE"))
            licences.append(f"{package} {version}\n\n{text.read_text(encoding='utf-8').strip()}\n")
        (folder / "LICENSES.txt").write_text(f"\n{'-' * 72}\n\n".join(licences), encoding="utf-8")


def adopt_styles(module: Path) -> None:
    """Let CodeMirror add its styles as adopted style sheets: the page's security policy refuses style elements."""
    text = module.read_text(encoding="utf-8")
    assert text.count("!root.head && root.adoptedStyleSheets") == 1
    module.write_text(
        text.replace("!root.head && root.adoptedStyleSheets", "root.adoptedStyleSheets"), encoding="utf-8"
    )


def run(folder: Path, *command: str) -> None:
    """Run a command in a folder, for at most five minutes."""
    subprocess.run(command, cwd=folder, check=True, timeout=300, stdout=sys.stderr)


if __name__ == "__main__":
    make_libraries(FOLDER)
    for file in sorted(FOLDER.iterdir()):
        print(f"{file.name}: {file.stat().st_size:,} bytes")
