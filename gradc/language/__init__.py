"""The language: from the text of a formula to a program."""
