"""Re-identification: whose documents are these, among the individuals of a population?

``population`` holds what is publicly known of individuals and counts its words; ``attackers``
holds the linear ones, chooses all by name and follows the scores of one individual while a
document changes; ``encoder`` is the one with a sentence encoder.
"""
