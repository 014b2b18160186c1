"""What the machine can do, and what went wrong when a model file did not load."""

from __future__ import annotations

import os
from pathlib import Path

from intact.errors import ModelError


def idle_cores() -> int:
    """Cores that this process may use and that are not busy now, at least one.

    More threads than idle cores are far slower than fewer (0.3 against 28 tokens/s measured).
    """
    mine = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1, mine - round(load))


def available_memory() -> int | None:
    """Bytes of memory that can be had without swapping, where the system says so."""
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return None
    return None


def check_memory(need: int, what: str, where: str) -> None:
    """Refuse what does not fit into the memory that is free.

    Raises:
        ModelError: it does not.
    """
    free = available_memory()
    if free is not None and need > free:
        raise ModelError(
            f"{what} would take {need / 1e9:.1f} GB, {free / 1e9:.1f} GB are free",
            where=where,
            remedy="Choose a smaller model or quantisation, or lower model.cache_memory.",
        )


def load_error(path: Path, log: str) -> ModelError:
    """Why a file did not load, from what the library logged."""
    where = f"setting model.path, {path.name}"
    low = log.lower()
    if "unknown model architecture" in low:
        return ModelError(
            "the installed llama.cpp does not know this model's architecture",
            where=where,
            remedy="Update llama-cpp-python, or choose another model.",
        )
    if (
        "corrupted or incomplete" in low
        or "not within the file bounds" in low
        or "truncated" in low
        or "failed to read" in low
    ):
        return ModelError(
            "the file is incomplete or damaged", where=where, remedy="Download it again."
        )
    if "alloc" in low or "out of memory" in low:
        return ModelError(
            "there is not enough memory for the model",
            where=where,
            remedy="Choose a smaller model or quantisation, or lower model.gpu_layers.",
        )
    return ModelError(
        f"llama.cpp cannot load the file ({log[-200:] or 'no reason given'})",
        where=where,
        remedy="Choose a GGUF file of an instruct model; see: intact models list",
    )
