"""Re-identification: whose documents are these, among the individuals of a population?

``population`` holds what is publicly known of individuals, ``features`` counts its words,
``linear`` and ``encoder`` are the attackers, ``ranking`` chooses them by name and reads their
scores, and ``linkage`` follows the scores of one individual while a document changes.
"""
