"""The linear attack: ridge regression on words and word pairs, summed over windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from intact.evaluation.trir.windows import Window, windows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_RIDGE = 0.1


class LinearAttack:
    """One linear scorer an individual, trained on texts with and without names.

    Solved in its dual form: as many unknowns as there are texts, whatever the vocabulary.
    """

    name = "linear"

    def fit(self, windows: Sequence[Window], individuals: int) -> None:
        """Learns from pieces of the background.

        Args:
            windows: texts with the position of their individual.
            individuals: how many there are.
        """
        import numpy as np
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer: Any = TfidfVectorizer(
            sublinear_tf=True, ngram_range=(1, 2), stop_words="english"
        )
        self._known = self._vectorizer.fit_transform([window.text for window in windows])
        kernel = (self._known @ self._known.T).toarray()
        wanted = np.zeros((len(windows), individuals))
        wanted[np.arange(len(windows)), [window.individual for window in windows]] = 1.0
        kernel[np.diag_indices_from(kernel)] += _RIDGE
        self._duals = np.linalg.solve(kernel, wanted)

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Shape (texts, individuals): the sum over each text's windows, more is likelier."""
        import numpy as np

        pieces = [windows_of(text) for text in texts]
        flat = [window for group in pieces for window in group]
        found = (self._vectorizer.transform(flat) @ self._known.T) @ self._duals
        rows, start = [], 0
        for group in pieces:
            rows.append(found[start : start + len(group)].sum(axis=0))
            start += len(group)
        return np.stack(rows)
