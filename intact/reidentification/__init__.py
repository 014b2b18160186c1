"""Re-identification: whose documents are these, among the individuals of a population?"""
