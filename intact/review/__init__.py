"""Where a person decides: the page, the file of decisions, and the certificate."""
