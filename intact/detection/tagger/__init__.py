"""The trained detector: a transformer encoder's token states, word features and a linear layer."""
