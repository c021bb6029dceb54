"""The speed of the generated code and of the compiler: `python -m tests.benchmarks`."""
