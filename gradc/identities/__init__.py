"""The identity book: its rules, where they match, and what they write."""
