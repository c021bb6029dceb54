"""The targets: how a scheduled program becomes the text of a language."""
