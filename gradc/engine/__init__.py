"""The engine: `Value` at run time, and programs recorded from Python."""
