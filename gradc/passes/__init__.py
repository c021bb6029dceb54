"""The passes: each a function from a program to a program, named by a verb."""
