"""The version of gradc, which the text of a generated module depends on."""

__version__ = "0.1.0"
