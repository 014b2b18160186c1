"""Reviews by a person: the page, the file of decisions, and the certificate."""
