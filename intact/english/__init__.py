"""All that depends on the English language, and nothing else."""
