"""All that knows English, and nothing else."""
