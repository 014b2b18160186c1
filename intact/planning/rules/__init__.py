"""Planning by rule: times, quantities and kinds of things."""
