"""Pages for people: self-contained HTML, no network."""
