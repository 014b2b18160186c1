"""Re-identification: which individual of a population is a document about?"""
