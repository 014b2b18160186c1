"""Re-identification: whose public texts does a sanitised document go with?

The attacks train on background knowledge (public texts of a population of individuals) and rank
its individuals for each sanitised document. TRIR is the share of documents whose own individual
comes first (Manzanares-Salor et al. 2024; Pilán et al. 2024, 4.2).
"""
