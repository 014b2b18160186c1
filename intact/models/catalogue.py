"""Open instruct models that are worth a try, and where their files are.

Sizes are of the file; memory is with a context of 4096 tokens, both about. Q4_0 and Q8_0 are
preferred: with them an answer does not depend on what is decoded beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from intact.errors import ConfigError


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One model.

    Attributes:
        size: GB on disk.
        memory: GB in use.
        family: of its chat template, for information; the file brings its own.
        sha256: of the file where it is known here; ``pull`` checks the hub's in any case.
    """

    name: str
    repo: str
    file: str
    licence: str
    size: float
    memory: float
    family: str
    use: str
    sha256: str = ""


CATALOGUE: tuple[CatalogueEntry, ...] = (
    CatalogueEntry(
        "qwen2.5-0.5b",
        "Qwen/Qwen2.5-0.5B-Instruct-GGUF",
        "qwen2.5-0.5b-instruct-q8_0.gguf",
        "Apache-2.0",
        0.7,
        1.7,
        "chatml",
        "to try things out; weak",
    ),
    CatalogueEntry(
        "qwen2.5-1.5b",
        "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        "qwen2.5-1.5b-instruct-q8_0.gguf",
        "Apache-2.0",
        1.9,
        3.2,
        "chatml",
        "small, for any processor",
    ),
    CatalogueEntry(
        "qwen3-4b",
        "Qwen/Qwen3-4B-GGUF",
        "Qwen3-4B-Q8_0.gguf",
        "Apache-2.0",
        4.3,
        5.8,
        "chatml",
        "default: the best that a laptop runs well",
    ),
    CatalogueEntry(
        "mistral-7b-v0.2",
        "TheBloke/Mistral-7B-Instruct-v0.2-GGUF",
        "mistral-7b-instruct-v0.2.Q4_0.gguf",
        "Apache-2.0",
        4.1,
        5.6,
        "mistral",
        "the model of the INTACT paper",
    ),
    CatalogueEntry(
        "llama-3.1-8b",
        "bartowski/Meta-Llama-3.1-8B-Instruct-GGUF",
        "Meta-Llama-3.1-8B-Instruct-Q8_0.gguf",
        "Llama 3.1 Community",
        8.5,
        10.0,
        "llama3",
        "larger; with a graphics card",
    ),
    CatalogueEntry(
        "gemma-2-9b",
        "bartowski/gemma-2-9b-it-GGUF",
        "gemma-2-9b-it-Q8_0.gguf",
        "Gemma",
        9.8,
        11.5,
        "gemma",
        "larger; with a graphics card",
    ),
    CatalogueEntry(
        "mistral-small-24b",
        "bartowski/Mistral-Small-24B-Instruct-2501-GGUF",
        "Mistral-Small-24B-Instruct-2501-Q8_0.gguf",
        "Apache-2.0",
        25.1,
        27.0,
        "mistral",
        "large: the strongest attacker here",
    ),
)
DEFAULT = "qwen3-4b"


def entry(name: str) -> CatalogueEntry:
    """The model of that name.

    Raises:
        ConfigError: if the table has none.
    """
    for model in CATALOGUE:
        if model.name == name:
            return model
    raise ConfigError(
        f"there is no model called {name!r}",
        where="setting model.name",
        remedy=f"Known: {', '.join(model.name for model in CATALOGUE)}.",
    )
