"""The self-check: what was compiled against the formula as it was written."""
