"""Running: many documents, from files to files, safely interrupted and taken up again."""
